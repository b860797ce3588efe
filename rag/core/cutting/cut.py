"""Blocks to atoms: the smallest pieces that a chunk is put together from.

A block that fits a chunk is one atom. A longer one is cut where it hurts least: a table between
rows, code between lines, prose between sentences; a sentence, line or row that is too long itself
by semantic-text-splitter, between words, never inside a character as people see it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from semantic_text_splitter import TextSplitter

from rag.core.cutting.blocks import Block
from rag.core.tokens import count_tokens

# What it costs to begin a chunk at an atom, against a chunk that stays empty (1.0). Only their
# order matters much: blocks before list items before sentences before lines inside a sentence.
_AT_BLOCK = 0.0
_PER_DEPTH = 0.05
_DEEPEST = 6
_AFTER_COLON = 0.3
_AT_SENTENCE = 0.25
_AT_ROW = 0.25
_AT_LINE = 0.5
_INSIDE = 2.0

_CLOSERS = r"[\"'”’」』》〉）)】\]*_`]*"
_SENTENCE_END = re.compile(
    rf"[。！？；｡]+{_CLOSERS}\s*|(?<![.!?])[.!?]+{_CLOSERS}\s+|\n(?=\s*(?:[-*+•]|\d+[.)])\s)"
)
# "The defaults are:" wants what it announces beside it.
_ANNOUNCES = re.compile(r"[:：]{1,2}[*_`\"”」]{0,4}\s*\Z")
_COLON_WITHIN = 8
_LINE_END = re.compile(r"\n+")


@dataclass(frozen=True, slots=True)
class Atom:
    start: int
    end: int
    tokens: int
    cost: float
    """Of beginning a chunk here."""
    lead: bool
    """Must not be the last of its chunk: a heading, a signature, a table's header."""


def cut(text: str, block: Block, size: int, room: int) -> Iterator[Atom]:
    """Atoms of `block`, none of more than `size` tokens, the first of at most `room`."""
    tokens = count_tokens(text[block.start : block.end])
    cost = _AT_BLOCK + _PER_DEPTH * min(block.depth, _DEEPEST)
    if _ANNOUNCES.search(text, max(0, block.start - _COLON_WITHIN), block.start):
        cost += _AFTER_COLON
    if tokens <= room:
        lead = block.kind in ("heading", "lead")
        yield Atom(block.start, block.end, tokens, cost, lead)
        return
    header_end = block.header_end if block.kind == "table" else 0
    for start, end, piece_cost in _pieces(text, block):
        count = count_tokens(text[start:end])
        at = cost if start == block.start else piece_cost
        if not count:  # white space needs no place of its own
            continue
        if count <= min(size, room):
            yield Atom(start, end, count, at, end <= header_end)
        else:
            for low, high in _inside(text, start, end, min(size, room)):
                inner = at if low == start else _INSIDE
                if inner_count := count_tokens(text[low:high]):
                    yield Atom(low, high, inner_count, inner, False)
        room = size


def _pieces(text: str, block: Block) -> Iterator[tuple[int, int, float]]:
    """(start, end, cost of beginning there) of the rows, lines or sentences of a block."""
    if block.kind == "table":
        rows = block.rows or tuple(
            match.end() for match in _LINE_END.finditer(text, block.start, block.end)
        )
        first = block.header_end or block.start
        marks = {block.start, first, *(row for row in rows if row >= first), block.end}
        costs = dict.fromkeys(marks, _AT_ROW)
    elif block.kind == "code":
        costs = dict(_line_costs(text, block))
    else:
        costs = {m.end(): _AT_LINE for m in _LINE_END.finditer(text, block.start, block.end)}
        for match in _SENTENCE_END.finditer(text, block.start, block.end):
            costs[match.end()] = _AT_SENTENCE
    costs |= {block.start: 0.0, block.end: 0.0}
    for start, end in pairwise(sorted(costs)):
        yield start, end, costs[start]


def _line_costs(text: str, block: Block) -> Iterator[tuple[int, float]]:
    """Between lines of code: best behind an empty line, worse the deeper the next is indented."""
    for match in _LINE_END.finditer(text, block.start, block.end):
        at = match.end()
        indent = len(text[at : at + 80]) - len(text[at : at + 80].lstrip(" \t"))
        blank = _AT_SENTENCE if match.end() - match.start() > 1 else _AT_LINE
        yield at, blank + _PER_DEPTH * min(indent // 4, _DEEPEST)


def _inside(text: str, start: int, end: int, capacity: int) -> Iterator[tuple[int, int]]:
    """Spans of at most `capacity` characters, hence tokens: packing puts them together again.

    The splitter takes quadratic time on a long run without spaces, so it is shown a window at a
    time; what it makes of a window's end is left for the next.
    """
    splitter = _splitter(max(1, capacity // 2))
    while start < end:
        window = min(end, start + _WINDOW * capacity)
        marks = [start + offset for offset, _ in splitter.chunk_indices(text[start:window])]
        marks = [start, *marks[1:], window]
        if window < end and len(marks) > 2:
            marks.pop()
        yield from pairwise(marks)
        start = marks[-1]


# Capacities that the splitter is shown at once.
_WINDOW = 8


@cache
def _splitter(capacity: int) -> TextSplitter:
    return TextSplitter(capacity, trim=False)
