"""The outline of a reStructuredText document, line by line.

Sections are told by their adornment as docutils does: any punctuation, with or without an
overline, levels in the order in which the styles appear. Directives and roles stay text.
"""

import re
from bisect import bisect_right

from rag.core.cutting.blocks import LONGEST_HEADING, Block, BlockKind, Lines, Outline, fill_gaps
from rag.core.tokens import columns

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*[ \t\r]*$")
_GRID_RULE = re.compile(r"\s*\+(?:[-=]+\+)+\s*$")
_SIMPLE_RULE = re.compile(r"\s*=+(?:[ \t]+=+)+\s*$")
_DIRECTIVE = re.compile(r"\s*\.\.[ \t]+(?:\|[^|]+\|[ \t]+)?([\w:+.-]+)::(?:[ \t]|\r?$)")
_EXPLICIT = re.compile(r"\s*\.\.(?:[ \t]|\r?$)")
_TARGET = re.compile(r"\s*\.\.[ \t]+_[^:]*:|\s*__(?:[ \t]|$)")
_DOCTEST = re.compile(r"\s*>>> ")
_ROLE = re.compile(r":[\w:+.-]+:`([^`]*)`")
_EXPLICIT_NAME = re.compile(r"(.*?)\s*<[^<>]*>$", re.DOTALL)

_CODE_DIRECTIVES = frozenset(
    {
        "code",
        "code-block",
        "sourcecode",
        "highlight",
        "parsed-literal",
        "productionlist",
        "doctest",
        "testcode",
        "testsetup",
        "testoutput",
        "testcleanup",
        "literalinclude",
        "math",
        "graphviz",
        "prompt",
        "raw",
        "ipython",
    }
)
_TABLE_DIRECTIVES = frozenset({"list-table", "csv-table"})

# Instructions to the builder that show nothing themselves: no passage of their own.
_SILENT_DIRECTIVES = frozenset(
    {
        "class",
        "codeauthor",
        "currentmodule",
        "default-domain",
        "default-role",
        "highlight",
        "index",
        "meta",
        "module",
        "moduleauthor",
        "py:currentmodule",
        "py:module",
        "role",
        "rst-class",
        "sectionauthor",
        "tabularcolumns",
    }
)

# Spaces to one level of depth, as the Python documentation indents.
_INDENT = 3


def outline_rst(text: str) -> Outline:
    """Blocks of `text`; the title is its first section's."""
    return _Reader(text).read()


class _Reader:
    """One pass over the lines; `_path` is the heading path at the current one."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offsets = Lines(text)
        self._lines = text.split("\n")
        self._styles: list[tuple[str, bool]] = []
        self._headings: list[str] = []
        self._blocks: list[Block] = []
        self._title: str | None = None
        self._closing_rules = [
            n
            for n, content in enumerate(self._lines)
            if _SIMPLE_RULE.match(content) and not "".join(self._lines[n + 1 : n + 2]).strip()
        ]

    def read(self) -> Outline:
        line = 0
        literal_indent = -1  # below a `::` paragraph: that paragraph's indentation
        while line < len(self._lines):
            if not self._lines[line].strip():
                line += 1
                continue
            if self._indent(line) > literal_indent >= 0:
                line = self._add("code", line, self._indented(line, literal_indent))
                literal_indent = -1
                continue
            literal_indent = -1
            if height := self._section_height(line):
                line = self._add_section(line, height)
            elif _GRID_RULE.match(self._lines[line]):
                line = self._add_grid(line)
            elif _SIMPLE_RULE.match(self._lines[line]):
                line = self._add_simple_table(line)
            elif _EXPLICIT.match(self._lines[line]) or _TARGET.match(self._lines[line]):
                line = self._add_explicit(line)
            elif _DOCTEST.match(self._lines[line]):
                line = self._add("code", line, self._until_blank(line))
            else:
                end = self._until_blank(line)
                if self._lines[end - 1].rstrip().endswith("::"):
                    literal_indent = self._indent(line)
                line = self._add("prose", line, end)
        return Outline(tuple(fill_gaps(self._text, self._blocks)), self._title)

    def _add(self, kind: BlockKind, first: int, end: int, **more: object) -> int:
        self._blocks.append(
            Block(
                self._offsets.start(first),
                self._offsets.start(end),
                kind,
                tuple(name for name in self._headings if name),
                self._indent(first) // _INDENT,
                **more,  # type: ignore[arg-type]
            )
        )
        return end

    # sections

    def _section_height(self, line: int) -> int:
        """Lines that a section title takes here: 2, 3 with an overline, 0 if there is none."""
        if self._adorns(line) and line + 2 < len(self._lines):
            over, title, under = (self._lines[line + i].rstrip() for i in range(3))
            if title.strip() and over == under and self._fits(over, title.strip()):
                return 3
        if line + 1 < len(self._lines) and self._adorns(line + 1) and not self._indent(line):
            title, under = self._lines[line].rstrip(), self._lines[line + 1].rstrip()
            if not self._adorns(line) and self._fits(under, title):
                return 2
        return 0

    def _adorns(self, line: int) -> bool:
        return bool(_ADORNMENT.match(self._lines[line]))

    @staticmethod
    def _fits(rule: str, title: str) -> bool:
        # docutils takes a rule shorter than the title from four signs on, with a warning
        return len(rule) >= min(columns(title), 4)

    def _add_section(self, line: int, height: int) -> int:
        overlined = height == 3
        style = (self._lines[line + height - 1][0], overlined)
        if style not in self._styles:
            self._styles.append(style)
        level = self._styles.index(style)
        name = plain_title(self._lines[line + 1 if overlined else line])
        self._headings = [*self._headings[:level], *[""] * (level - len(self._headings)), name]
        self._title = self._title or name
        return self._add("heading", line, line + height)

    # tables

    def _add_grid(self, line: int) -> int:
        end = line
        while end < len(self._lines) and self._lines[end].lstrip()[:1] in ("+", "|"):
            end += 1
        rules = [n for n in range(line, end) if _GRID_RULE.match(self._lines[n])]
        head = next((n for n in rules if "=" in self._lines[n]), None)
        return self._add_table(line, end, line + 1, head, [n + 1 for n in rules])

    def _add_simple_table(self, line: int) -> int:
        """A table ends at the first rule with an empty line behind it."""
        place = bisect_right(self._closing_rules, line)
        if self._closing_rules[place - 1 : place] == [line] or place == len(self._closing_rules):
            return self._add("prose", line, self._until_blank(line))  # a lone rule
        last = self._closing_rules[place]
        rules = [n for n in range(line + 1, last) if _SIMPLE_RULE.match(self._lines[n])]
        indent = self._indent(line)
        rows = [
            n for n in range(line, last) if self._lines[n].strip() and self._indent(n) == indent
        ]
        return self._add_table(line, last + 1, line + 1, rules[0] if rules else None, rows)

    def _add_table(
        self, first: int, end: int, header: int, head_rule: int | None, rows: list[int]
    ) -> int:
        """`head_rule` is the line below the header rows, None for a table without them."""
        if head_rule is None:
            return self._add("table", first, end, rows=self._starts(rows, first, end))
        return self._add(
            "table",
            first,
            end,
            header=" ".join(" ".join(self._lines[header:head_rule]).split()),
            header_end=self._offsets.start(head_rule + 1),
            rows=self._starts(rows, head_rule + 1, end),
        )

    def _starts(self, rows: list[int], first: int, end: int) -> tuple[int, ...]:
        return tuple(self._offsets.start(row) for row in rows if first <= row < end)

    # explicit markup

    def _add_explicit(self, line: int) -> int:
        indent = self._indent(line)
        directive = _DIRECTIVE.match(self._lines[line])
        name = directive[1] if directive else ""
        if name in _CODE_DIRECTIVES:
            return self._add("code", line, self._indented(line + 1, indent))
        if name in _TABLE_DIRECTIVES:
            return self._add_table_directive(line, name, self._indented(line + 1, indent))
        end = line + 1  # the options and arguments that follow at once
        while end < len(self._lines) and self._indent(end) > indent and self._lines[end].strip():
            end += 1
        if directive:
            introduces = name in _SILENT_DIRECTIVES or self._has_body(end, indent)
            return self._add("lead" if introduces else "prose", line, end)
        if _TARGET.match(self._lines[line]):
            return self._add("lead", line, end)
        return self._add("lead", line, self._indented(end, indent))  # a comment

    def _add_table_directive(self, line: int, name: str, end: int) -> int:
        body = range(line + 1, end)
        if name == "list-table":
            rows = [n for n in body if self._lines[n].lstrip().startswith("* -")]
        else:
            rows = [n for n in body if self._lines[n].strip() and self._lines[n].strip()[0] != ":"]
        option = r":header-rows:\s*(\d+)"
        counts = [int(m[1]) for n in body if (m := re.search(option, self._lines[n]))]
        count = counts[0] if counts else 0
        named = next((n for n in body if self._lines[n].lstrip().startswith(":header:")), None)
        if named is not None:
            header = self._lines[named].split(":header:")[1].strip()
            first_row = rows[0] if rows else end
        elif 0 < count < len(rows):
            first_row = rows[count]
            header = " ".join(" ".join(self._lines[rows[0] : first_row]).split())
        else:
            return self._add("table", line, end, rows=self._starts(rows, line, end))
        return self._add(
            "table",
            line,
            end,
            header=header,
            header_end=self._offsets.start(first_row),
            rows=self._starts(rows, first_row, end),
        )

    # lines

    def _indent(self, line: int) -> int:
        content = self._lines[line]
        return len(content) - len(content.lstrip())

    def _has_body(self, line: int, indent: int) -> bool:
        """Whether the next line with text is indented deeper than `indent`."""
        while line < len(self._lines) and not self._lines[line].strip():
            line += 1
        return line < len(self._lines) and self._indent(line) > indent

    def _until_blank(self, line: int) -> int:
        while line < len(self._lines) and self._lines[line].strip():
            line += 1
        return line

    def _indented(self, line: int, indent: int) -> int:
        """The line behind the last one that is indented deeper than `indent`."""
        end = line
        while line < len(self._lines):
            if self._lines[line].strip():
                if self._indent(line) <= indent:
                    break
                end = line + 1
            line += 1
        return end


def plain_title(markup: str) -> str:
    """A title's words: ``:mod:`os` --- Interfaces`` gives `os --- Interfaces`."""
    words = _ROLE.sub(lambda role: _role_text(role[1]), markup[:LONGEST_HEADING])
    return " ".join(words.replace("``", "").replace("\\ ", "").replace("`", "").split())


def _role_text(content: str) -> str:
    named = _EXPLICIT_NAME.match(content)
    if named and named[1]:
        return named[1]
    return content.lstrip("!~")
