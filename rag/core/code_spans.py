"""Where Markdown text is code: fenced blocks and inline spans. Nothing in them is a marker."""

import re
from collections.abc import Iterator
from typing import NamedTuple

# A fence may stand in a quotation or a list item; the info string of a backtick fence holds none.
_FENCE = re.compile(r"^[ \t>]*(?:[-*+][ \t]+)?(`{3,}(?=[^`\n]*$)|~{3,})(.*)$", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n[ \t]*(?=\n)")
_BACKTICKS = re.compile(r"`+")


class CodeSpan(NamedTuple):
    """`text[start:end]` is code, its backticks or fence lines included."""

    start: int
    end: int
    block: bool


def code_spans(text: str) -> tuple[CodeSpan, ...]:
    """Fenced blocks and inline code spans in order, as CommonMark reads them.

    A block that is never closed reaches to the end. An inline span is closed by a run of as many
    backticks in the same paragraph, or it is no code. Indented lines are no code either: models
    indent what belongs to a list item far more often. Time is linear in the text.
    """
    if "`" not in text and "~~~" not in text:
        return ()
    found: list[CodeSpan] = []
    done = 0
    for block in _blocks(text):
        found += _inline(text, done, block.start)
        found.append(block)
        done = block.end
    found += _inline(text, done, len(text))
    return tuple(found)


def _blocks(text: str) -> Iterator[CodeSpan]:
    opened: re.Match[str] | None = None
    for line in _FENCE.finditer(text):
        if opened is None:
            opened = line
        elif line[1][0] == opened[1][0] and len(line[1]) >= len(opened[1]) and not line[2].strip():
            yield CodeSpan(opened.start(), line.end(), block=True)
            opened = None
    if opened is not None:
        yield CodeSpan(opened.start(), len(text), block=True)


def _inline(text: str, start: int, end: int) -> Iterator[CodeSpan]:
    for paragraph_start, paragraph_end in _paragraphs(text, start, end):
        runs = list(_BACKTICKS.finditer(text, paragraph_start, paragraph_end))
        closer: list[int | None] = [None] * len(runs)
        nearest: dict[int, int] = {}
        for index in range(len(runs) - 1, -1, -1):
            length = runs[index].end() - runs[index].start()
            closer[index] = nearest.get(length)
            nearest[length] = index
        index = 0
        while index < len(runs):
            end_run = closer[index]
            escaped = text[runs[index].start() - 1 : runs[index].start()] == "\\"
            if end_run is None or escaped:
                index += 1
                continue
            yield CodeSpan(runs[index].start(), runs[end_run].end(), block=False)
            index = end_run + 1


def _paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for gap in _BLANK_LINE.finditer(text, start, end):
        yield start, gap.start()
        start = gap.end()
    yield start, end
