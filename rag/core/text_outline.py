"""The outline of plain text: paragraphs, and pages where the format has them."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from rag.core.blocks import Block, Outline, fill_gaps

_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")


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
    return Outline(tuple(fill_gaps(text, blocks)))


def _block(start: int, end: int, page_starts: Sequence[int]) -> Block:
    return Block(start, end, "prose", page=bisect_right(page_starts, start))
