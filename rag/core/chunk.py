"""Documents to chunks: passages that can be found, shown and cited on their own."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import accumulate, groupby, islice
from operator import itemgetter
from pathlib import PurePosixPath

from rag.core.cutting.blocks import Block, Lines
from rag.core.cutting.cut import Atom, cut
from rag.core.cutting.outline import outline
from rag.core.cutting.pack import pack
from rag.core.language import detect_language
from rag.core.screen import flags_between, screen
from rag.core.tokens import count_tokens
from rag.domain.documents import Chunk, Language, LoadedDocument

CHUNKER_VERSION = "chunk-2"
"""Raise it whenever the same document would be cut otherwise: all are then cut again."""

_WORD = re.compile(r"[^\W_]")
_LEADING = re.compile(r"\s*\n")
_RESUME = re.compile(r"[。！？；]+[\"'”’」』）]*|(?<=[.!?])\s+|\n+")

# Letters below which a passage is too short to tell its own language from.
_TELLING_LETTERS = 20

# Share of a chunk that headings may fill before what they head; more would leave crumbs of it.
_MOST_LEADING = 0.75

# Crumbs are swept together up to this part of a chunk, so that packing weighs dozens of places to
# break at, not hundreds.
_GRAINS = 32


def chunk_document(
    path: str, document: LoadedDocument, *, size: int, overlap: int = 0
) -> list[Chunk]:
    """The passages of a document in order, each of at most `size` tokens (`core.tokens`).

    `document.text[chunk.start:chunk.end] == chunk.text` for each of them, starts never decrease,
    and with `overlap` 0 they do not overlap; otherwise each repeats at most `overlap` tokens from
    the end of the one before it in the same section. Every letter and digit of the document is in
    a chunk. A heading goes with what follows it; sections are never mixed.

    Raises:
        ValueError: `overlap` is negative or not smaller than `size`.
    """
    if not 0 <= overlap < size:
        raise ValueError(f"overlap ({overlap}) must be at least 0 and smaller than size ({size})")
    capacity = size - overlap
    text = document.text
    plan = outline(document, lambda part: count_tokens(part) <= capacity)
    title = document.title or plan.title or PurePosixPath(path).name
    spans = [
        span
        for section in _sections(text, plan.blocks)
        for span in _spans(text, section, capacity, overlap)
    ]
    return list(_Maker(path, title, document).chunks(spans))


@dataclass(frozen=True, slots=True)
class _Span:
    """A chunk in the making, with the blocks it holds parts of."""

    start: int
    end: int
    blocks: tuple[Block, ...]


def _sections(text: str, blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Runs of blocks that may share a chunk: under one heading, on one page. A heading with
    nothing of its own goes on to the next run, at the end of the document to the one before."""
    headings = accumulate(block.kind == "heading" for block in blocks)
    keyed = [((b.path, b.page, n), b) for b, n in zip(blocks, headings, strict=True)]
    runs = [[b for _, b in run] for _, run in groupby(keyed, key=itemgetter(0))]
    waiting: list[Block] = []
    ready: list[Block] = []
    for run in runs:
        body = _absorb_rules(text, run)
        if all(_only_leads(text, block) for block in body):
            waiting += body
            continue
        if ready:
            yield ready
        ready, waiting = waiting + body, []
    if ready or waiting:
        yield ready + waiting


def _only_leads(text: str, block: Block) -> bool:
    """Whether a block says nothing without what follows it."""
    return block.kind in ("heading", "lead") or not _WORD.search(text, block.start, block.end)


def _absorb_rules(text: str, blocks: list[Block]) -> list[Block]:
    """Blocks without a letter or digit, such as a rule, become part of a neighbour."""
    merged: list[Block] = []
    for block in blocks:
        if merged and block.kind == "prose" and not _WORD.search(text, block.start, block.end):
            merged[-1] = replace(merged[-1], end=block.end)
        else:
            merged.append(block)
    return merged


def _spans(text: str, section: Sequence[Block], capacity: int, overlap: int) -> Iterator[_Span]:
    atoms = _atoms(text, section, capacity)
    starts, ends = [block.start for block in section], [block.end for block in section]
    previous = 0
    for first, last in pack(atoms, capacity):
        start, end = _trim(text, atoms[first].start, atoms[last - 1].end)
        if overlap and first:
            start = _reach_back(text, previous, start, overlap)
        previous = start
        if _WORD.search(text, start, end):
            held = section[bisect_right(ends, start) : bisect_left(starts, end)]
            yield _Span(start, end, tuple(held))


def _atoms(text: str, section: Sequence[Block], capacity: int) -> list[Atom]:
    atoms: list[Atom] = []
    leading = 0  # tokens of the headings and leads right before the next block
    grain = capacity // _GRAINS
    for block in section:
        for atom in cut(text, block, capacity, capacity - leading):
            # Headings that would leave no room for what they head are text like any other.
            lead = atom.lead and leading + atom.tokens <= capacity * _MOST_LEADING
            leading = leading + atom.tokens if lead else 0
            last = atoms[-1] if atoms else None
            if last and not (lead or last.lead) and last.tokens + atom.tokens <= grain:
                atoms[-1] = replace(last, end=atom.end, tokens=last.tokens + atom.tokens)
            else:
                atoms.append(atom if lead == atom.lead else replace(atom, lead=lead))
    return atoms


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Without empty lines around it; the first line keeps its indentation."""
    end = start + len(text[start:end].rstrip())
    if leading := _LEADING.match(text, start, end):
        return leading.end(), end
    if start and text[start - 1] != "\n":
        start += len(text[start:end]) - len(text[start:end].lstrip())
    return start, end


def _reach_back(text: str, earliest: int, start: int, overlap: int) -> int:
    """The furthest sentence or line before `start` from which at most `overlap` tokens follow."""
    for mark in _RESUME.finditer(text, earliest, start):
        if mark.end() < start and count_tokens(text[mark.end() : start]) <= overlap:
            return mark.end()
    return start


class _Maker:
    """Gives spans what a chunk of this document carries: place, context, identity."""

    def __init__(self, path: str, title: str, document: LoadedDocument) -> None:
        self._path = path
        self._title = title
        self._document = document
        self._language = detect_language(document.text)
        self._lines = Lines(document.text)
        self._flags = screen(document.text)
        # A title and a file name stand above every passage that the model sees.
        self._flags_above = tuple(
            flag.model_copy(update={"where": where})
            for where, words in (("title", title), ("path", path))
            for flag in screen(words)
        )
        self._seen: Counter[str] = Counter()

    def chunks(self, spans: Sequence[_Span]) -> Iterator[Chunk]:
        is_code = self._document.syntax == "code"
        for ordinal, span in enumerate(spans):
            text = self._document.text[span.start : span.end]
            path = self._heading(span)
            context = self._context(span, path)
            yield Chunk(
                chunk_id=self._identify(context, text),
                path=self._path,
                title=self._title,
                heading=() if is_code else path,
                ordinal=ordinal,
                start=span.start,
                end=span.end,
                start_line=self._lines.at(span.start) + 1,
                end_line=self._lines.at(span.end - 1) + 1,
                page=self._page(span.start),
                end_page=self._page(span.end - 1),
                text=text,
                context=context,
                language=self._tell_language(text),
                symbol=".".join(path) or None if is_code else None,
                node_kind=_node_kind(span) if is_code else None,
                flags=(
                    *self._flags_above,
                    *flags_between(self._flags, span.start, span.end),
                ),
            )

    def _heading(self, span: _Span) -> tuple[str, ...]:
        """Of the last block: earlier ones of another path are headings that passed on to it."""
        bodies = [block for block in span.blocks if block.kind not in ("heading", "lead")]
        return (bodies or span.blocks)[-1].path

    def _context(self, span: _Span, path: tuple[str, ...]) -> str:
        joint = "." if self._document.syntax == "code" else " > "
        first = span.blocks[0]
        shown = first.header_end if first.kind == "table" else first.start + 1
        lines = [joint.join(path)]
        if first.header and span.start >= shown:
            lines.append(first.header)
        return "\n".join(line for line in lines if line)

    def _identify(self, context: str, text: str) -> str:
        content = "\0".join((self._path, context, text))
        earlier = self._seen[content]
        self._seen[content] += 1
        return sha256(f"{content}\0{earlier}".encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def _page(self, offset: int) -> int | None:
        starts = self._document.page_starts
        return max(1, bisect_right(starts, offset)) if starts else None

    def _tell_language(self, text: str) -> Language:
        letters = islice(_WORD.finditer(text), _TELLING_LETTERS)
        if self._document.syntax == "code" or sum(1 for _ in letters) < _TELLING_LETTERS:
            return self._language
        return detect_language(text)


def _node_kind(span: _Span) -> str:
    kinds = {block.node_kind or "module" for block in span.blocks if block.kind != "lead"}
    return kinds.pop() if len(kinds) == 1 else "module"
