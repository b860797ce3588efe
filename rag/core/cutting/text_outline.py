"""The outline of plain text: paragraphs, and pages where the format has them."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from rag.core.cutting.blocks import Block, Outline, fill_gaps

_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")


_LINE = re.compile(r"\S[^\n]*")
# `4. Legal hold`, `2.1 Scope`, `3、範圍`; not `14 days`.
_NUMBERED = re.compile(r"\d{1,2}(?:[.、](?!\d)|(?:\.\d{1,2}){1,3}[.、]?(?=\s))")
# `二、會議室`, `（三）停車`, `第四章 附則`: how plain Chinese text numbers its sections.
_CHINESE_NUMBERED = re.compile(
    r"[（(]?[一二三四五六七八九十]{1,3}[、.．）)]|第[一二三四五六七八九十百\d]{1,4}[章節节條条部]"
)
_CAPITALS = re.compile(r"(?=(?:[^A-Za-z\n]*[A-Z]){2})[^a-z\n]{2,70}")
_NO_SENTENCE = re.compile(r"\s*(?![a-z])[^\W\d_][^\n]{0,70}(?<![.。!?！？;；:：,，])\s*$")

# Where a sentence that ran over a page break ends, and the page's own text begins.
_SENTENCE_END = re.compile(r"[。！？；｡]+[\"'”’」』）)\]]*|[.!?]+[\"'”’)\]]*(?=\s)|\n")


def outline_text(text: str, page_starts: Sequence[int] = ()) -> Outline:
    """Paragraphs apart by empty lines. A page begins a new block, but for the rest of a sentence
    that began on the page before."""
    blocks = []
    marks = [0, *(match.end() for match in _BLANK_LINES.finditer(text)), len(text)]
    for start, end in pairwise(marks):
        for page_start in page_starts[bisect_right(page_starts, start) :]:
            if page_start >= end:
                break
            ended = _SENTENCE_END.search(text, page_start, end)
            if ended and start < ended.end() < end:
                blocks.append(_block(start, ended.end(), page_starts))
                start = ended.end()
        blocks.append(_block(start, end, page_starts))
    if page_starts:
        blocks = list(_with_headings(text, blocks))
    else:
        blocks = list(_below_lone_headings(text, blocks))
    return Outline(tuple(fill_gaps(text, blocks)))


def _with_headings(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
    """The same blocks with numbered headings (`4. Legal hold`) taken out of them. A page keeps no
    other sign of a heading than a short numbered line alone; two of them in a row are a list."""
    path: tuple[str, ...] = ()
    numbered_above = False
    for block in blocks:
        start = block.start
        for line in _LINE.finditer(text, block.start, block.end):
            number = _NUMBERED.match(line[0])
            below = _LINE.search(text, line.end())
            if (
                number
                and _NO_SENTENCE.match(line[0], number.end())
                and not numbered_above
                and below
                and not _NUMBERED.match(below[0])
            ):
                if start < line.start():
                    yield replace(block, start=start, end=line.start(), path=path)
                path, start = (" ".join(line[0].split()),), line.end()
                yield replace(block, start=line.start(), end=start, kind="heading", path=path)
            numbered_above = bool(number)
        if start < block.end:
            yield replace(block, start=start, path=path)


def _below_lone_headings(text: str, blocks: Sequence[Block]) -> Iterator[Block]:
    """The same blocks, those that are one numbered or capital line between empty lines told as
    headings of what follows. Two such lines in a row are a list."""
    lone = [_is_lone_heading(text[block.start : block.end].strip()) for block in blocks]
    path: tuple[str, ...] = ()
    for place, block in enumerate(blocks):
        follows = place + 1 < len(blocks) and not lone[place + 1]
        if lone[place] and follows and not (place and lone[place - 1]):
            path = (" ".join(text[block.start : block.end].split()),)
            yield replace(block, kind="heading", path=path)
        else:
            yield replace(block, path=path)


def _is_lone_heading(line: str) -> bool:
    if "\n" in line:
        return False
    numbered = _NUMBERED.match(line) or _CHINESE_NUMBERED.match(line)
    if numbered:
        return _NO_SENTENCE.match(line, numbered.end()) is not None
    return _CAPITALS.fullmatch(line) is not None and _NO_SENTENCE.match(line) is not None


def _block(start: int, end: int, page_starts: Sequence[int]) -> Block:
    return Block(start, end, "prose", page=bisect_right(page_starts, start))
