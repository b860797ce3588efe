"""The parts of a passage that can be quoted on their own: sentences, list items, table rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rag.core.sentences import split_sentences
from rag.core.source_code import code_passages, is_source_code

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_UNDERLINE = re.compile(r"\s{0,3}([=\-~^\"'`*+#])\1{2,}\s*$")
_RULE = re.compile(r"\s*([-*_=~+])(\s*\1){2,}\s*$")
_ITEM = re.compile(
    r"(\s*)(?:[-*+•●▪·]|\d{1,3}[.)、]|[(（]?(?:\d{1,3}|[a-z]|[一二三四五六七八九十]{1,3})[)）、])"
    r"(?:\s+|(?<=[、）•●▪·]))(?=\S)"
)
_DELIMITER_ROW = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-*:?\s*)*\|?\s*$")
# The rules of reStructuredText: `==== ====` of a simple table, `+---+---+` of a grid.
_BORDER = re.compile(r"\s*=+(?:\s+=+)+\s*$")
_GRID_RULE = re.compile(r"\s*\+(?:[-=]+\+)+\s*$")
_MARKUP_LINE = re.compile(
    r"\s*(\.\. |:\w[\w -]*:(?:\s|$)|<!--.*-->\s*$|<[^>]+>\s*$|!\[[^\]]*\]\([^)]*\)\s*$)"
)
_QUOTE_PREFIX = re.compile(r"(?m)^\s{0,3}>\s?")
_LETTER = re.compile(r"[^\W_]")
_HAN_BREAK = re.compile(r"(?<=[⺀-鿿豈-﫿＀-￯])\s*\n\s*(?=[⺀-鿿豈-﫿＀-￯])")

# Above this an item is quoted by its sentences, and a sentence by its clauses: a reader wants the
# statement, not the paragraph. The longest hundredth of sentences in the data sets starts here.
_LONG = 250
# A plain title stands below all marked headings; a longer line states something.
_TITLE_LEVEL = 7
_LONGEST_TITLE = 40
_NO_TITLE = re.compile(r"[\d|`]|[.!?。！？:：;；,，…]\s*$")
# Lines of code that an answer may show: a command or an example, no listing.
_LONGEST_CODE = 30
# Of a file of code, as much as one looks at at once: a constant with its comment, a signature.
_LONGEST_EXCERPT = 8


@dataclass(frozen=True, slots=True)
class Unit:
    """A quotable part. `quote` is the passage's own text, line breaks folded to spaces."""

    quote: str
    kind: Literal["sentence", "item", "row", "code"]
    heading: str
    """The headings above it, or the question that it follows, outermost first."""
    block: int
    """Units of one list, table or paragraph share a number."""
    leads: bool = False
    """Ends with a colon: what follows completes it."""
    code: str = ""
    """The fenced block right behind it, or the code itself, fences included."""
    header: str = ""
    """The names of a row's columns: `Code | Meaning:`."""
    named: str = ""
    """A row that reads by itself, for search: `Code: 401 | Meaning: Unauthorized`."""


@dataclass(frozen=True, slots=True)
class _Block:
    kind: Literal["paragraph", "item", "table", "heading", "code"]
    lines: tuple[str, ...]
    level: int = 0


def split_units(content: str) -> tuple[Unit, ...]:
    """The quotable units of a passage in reading order. Headings, questions and fenced code are no
    units: headings and questions are kept as the `heading` of what follows them, code with what it
    follows. A passage from a file of code gives excerpts of it."""
    if is_source_code(content):
        return tuple(_excerpts(content))
    units: list[Unit] = []
    headings: list[tuple[int, str]] = []
    asked = ""
    number = 0
    previous: _Block | None = None
    blocks = [*_blocks(content)]
    for place, block in enumerate(blocks):
        # The last line may be all there is below a title; below anything else it is the title of
        # what the passage no longer holds.
        last = place + 1 == len(blocks)
        alone = last and (previous is None or previous.kind == "heading")
        if not alone and _is_title(blocks, place):
            block = replace(block, kind="heading", level=_TITLE_LEVEL)
        if not (block.kind == "item" and previous is not None and previous.kind == "item"):
            number += 1
        previous = block
        if block.kind == "heading":
            headings = [entry for entry in headings if entry[0] < block.level]
            headings.append((block.level, _flat("\n".join(block.lines))))
            asked = ""
            continue
        if block.kind == "code":
            if units and units[-1].block == number - 1 and _showable(block):
                units[-1] = replace(units[-1], code="\n".join(block.lines).strip())
            continue
        above = " > ".join([text for _, text in headings] + ([asked] if asked else []))
        if block.kind == "table":
            units += [replace(row, heading=above, block=number) for row in _rows(block.lines)]
            continue
        for quote, kind in _quotes(block):
            if kind == "sentence" and quote.rstrip("*_ ").endswith(("?", "？")):
                asked = quote
                above = " > ".join([*(text for _, text in headings), asked])
            elif _quotable(quote):
                leads = quote.rstrip("*_ ").endswith((":", "："))
                units.append(Unit(quote, kind, above, number, leads))
    return tuple(units)


def _excerpts(content: str) -> Iterator[Unit]:
    for number, code in enumerate(code_passages(content, _LONGEST_EXCERPT), 1):
        quote = _flat(code)
        if _quotable(quote):
            yield Unit(quote, "code", "", number, code=f"```\n{code}\n```")


def _is_title(blocks: Sequence[_Block], place: int) -> bool:
    """A short line on its own, without figures or closing punctuation, as plain text has them; with
    a number in front it is the only one, or it would be an item among others."""
    block = blocks[place]
    beside = [*blocks[max(0, place - 1) : place], *blocks[place + 1 : place + 2]]
    numbered = block.kind == "item" and not any(
        other.kind == "item" or other.lines[-1].rstrip().endswith((":", "：")) for other in beside
    )
    return (
        (block.kind == "paragraph" or numbered)
        and len(block.lines) == 1
        and len(block.lines[0].strip()) <= _LONGEST_TITLE
        and not _NO_TITLE.search(block.lines[0])
    )


def _quotes(block: _Block) -> Iterator[tuple[str, Literal["sentence", "item"]]]:
    text = "\n".join(block.lines)
    if block.kind == "item" and len(text) <= _LONG:
        yield _flat(text), "item"
        return
    for span in split_sentences(text):
        yield _flat(text[span.start : span.end]), "sentence"


def _quotable(quote: str) -> bool:
    # An open code span would swallow the marker behind it.
    return bool(_LETTER.search(quote)) and quote.count("`") % 2 == 0


def _showable(block: _Block) -> bool:
    """Whole, and short enough for an answer."""
    return 2 < len(block.lines) <= _LONGEST_CODE and _FENCE.match(block.lines[-1]) is not None


def _flat(text: str) -> str:
    text = _QUOTE_PREFIX.sub("", text)
    return " ".join(_HAN_BREAK.sub("", text).split())


def _rows(lines: tuple[str, ...]) -> Iterator[Unit]:
    """The body's rows; the header's names go with each."""
    header: list[str] = []
    body = [line for line in lines if not _is_rule(line)]
    if len(lines) > 1 and len(body) > 1 and _is_rule(lines[1]) and not _GRID_RULE.match(lines[1]):
        header, body = _cells(lines[0]), body[1:]
    elif _BORDER.match(lines[0]) and sum(map(_is_rule, lines)) > 2:
        header, body = _cells(body[0]), body[1:]
    elif _is_aligned(lines):
        header, body = _cells(lines[0]), body[1:]
    for line in body:
        cells = _cells(line)
        quote = " | ".join(cell for cell in cells if cell)
        if not _quotable(quote):
            continue
        if len(header) != len(cells):
            yield Unit(quote, "row", "", 0, named=quote)
            continue
        named = " | ".join(
            f"{name}: {cell}" if name else cell
            for name, cell in zip(header, cells, strict=True)
            if cell
        )
        names = " | ".join(name for name in header if name)
        yield Unit(quote, "row", "", 0, header=f"{names}:" if names else "", named=named)


def _is_aligned(lines: Sequence[str]) -> bool:
    """Columns set with blanks, as plain text has them: three or more in each of three lines."""
    widths = {0 if "|" in line else len(_cells(line)) for line in lines}
    return len(lines) > 2 and len(widths) == 1 and widths.pop() > 2


def _is_rule(line: str) -> bool:
    return any(rule.match(line) for rule in (_DELIMITER_ROW, _BORDER, _GRID_RULE))


def _cells(line: str) -> list[str]:
    if "|" not in line:
        return re.split(r"\s{2,}", line.strip())
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def _blocks(content: str) -> Iterator[_Block]:
    lines = content.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if fence := _FENCE.match(line):
            end = at + 1
            while end < len(lines) and not lines[end].strip().startswith(fence.group(1)):
                end += 1
            yield _Block("code", tuple(lines[at : end + 1]))
            at = end + 1
        elif _BORDER.match(line):
            end = _while(lines, at + 1, lambda text: bool(text.strip()))
            yield _Block("table", tuple(lines[at:end]))
            at = end
        elif not line.strip() or _RULE.match(line) or _MARKUP_LINE.match(line):
            at += 1
        elif heading := _HEADING.match(line):
            yield _Block("heading", (heading.group(2),), len(heading.group(1)))
            at += 1
        elif at + 1 < len(lines) and _UNDERLINE.match(lines[at + 1]) and "|" not in line:
            yield _Block("heading", (line.strip(),), 1)
            at += 2
        elif _GRID_RULE.match(line):
            at += 1
        elif line.lstrip().startswith("|") or (
            "|" in line and at + 1 < len(lines) and _is_delimiter(lines[at + 1])
        ):
            end = _while(lines, at, lambda text: "|" in text or bool(_GRID_RULE.match(text)))
            yield _Block("table", tuple(lines[at:end]))
            at = end
        elif item := _ITEM.match(line):
            end = _while(lines, at + 1, _continues)
            yield _Block("item", (line[item.end() :], *lines[at + 1 : end]))
            at = end
        else:
            end = _while(lines, at + 1, _continues)
            kind: Literal["table", "paragraph"] = (
                "table" if _is_aligned(lines[at:end]) else "paragraph"
            )
            yield _Block(kind, tuple(lines[at:end]))
            at = end
            if lines[end - 1].rstrip().endswith("::"):
                at = _while(lines, end, lambda text: not text.strip() or text[0] in " \t")


def _is_delimiter(line: str) -> bool:
    return "|" in line and bool(_DELIMITER_ROW.match(line))


def _continues(line: str) -> bool:
    return bool(line.strip()) and not any(
        pattern.match(line) for pattern in (_FENCE, _HEADING, _RULE, _MARKUP_LINE, _ITEM)
    )


def _while(lines: list[str], at: int, holds: Callable[[str], bool]) -> int:
    while at < len(lines) and holds(lines[at]):
        at += 1
    return at
