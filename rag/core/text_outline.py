"""The outline of plain text: paragraphs, and pages where the format has them."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from rag.core.blocks import Block, Outline, fill_gaps

_PARAGRAPH = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*\n?")


# Where a sentence that ran over a page break ends, and the page's own text begins.
_SENTENCE_END = re.compile(r"[。！？；｡]+[\"'”’」』）)\]]*|[.!?]+[\"'”’)\]]*(?=\s)|\n")


def outline_text(text: str, page_starts: Sequence[int] = ()) -> Outline:
    """Paragraphs apart by empty lines. A page begins a new block, but for the rest of a sentence
    that began on the page before."""
    blocks = []
    for match in _PARAGRAPH.finditer(text):
        start = match.start()
        for page_start in page_starts[bisect_right(page_starts, start) :]:
            if page_start >= match.end():
                break
            ended = _SENTENCE_END.search(text, page_start, match.end())
            if ended and start < ended.end() < match.end():
                blocks.append(_block(start, ended.end(), page_starts))
                start = ended.end()
        blocks.append(_block(start, match.end(), page_starts))
    return Outline(tuple(fill_gaps(text, blocks)))


def _block(start: int, end: int, page_starts: Sequence[int]) -> Block:
    return Block(start, end, "prose", page=bisect_right(page_starts, start))
