"""From candidates to the sources of one request, in order, within a token budget."""

from collections.abc import Sequence

from rag.core.rewrite import protect
from rag.core.tokens import count_tokens
from rag.domain.documents import Chunk
from rag.domain.retrieval import Candidate, ContextBundle, Omitted, Source

# Two passages that share this much of their character 5-grams say the same: copies with another
# heading or a changed date. Below it, versions that differ in a fact are both kept, since the
# difference may be the answer. Chosen on the handbook's archived pages.
_NEAR_DUPLICATE = 0.9
_SHINGLE = 5
# What a source costs besides its text: marker, field names, quotes, indentation.
_SOURCE_OVERHEAD = 40


def build_bundle(
    candidates: Sequence[Candidate], *, max_sources: int, token_budget: int
) -> ContextBundle:
    """The best candidates as sources `S1`..`Sn`.

    A candidate that repeats an earlier source, does not fit the remaining budget or comes after
    `max_sources` is listed as omitted. The first candidate always fits: chunks are cut smaller
    than any budget.
    """
    sources: list[Source] = []
    omitted: list[Omitted] = []
    shingles: list[frozenset[str]] = []
    used = 0

    for candidate in candidates:
        chunk = candidate.chunk
        own = _shingles(chunk.text)
        cost = _cost(chunk)
        if len(sources) >= max_sources:
            omitted.append(Omitted(chunk_id=chunk.chunk_id, path=chunk.path, reason="limit"))
        elif any(_overlap(own, other) >= _NEAR_DUPLICATE for other in shingles):
            omitted.append(
                Omitted(chunk_id=chunk.chunk_id, path=chunk.path, reason="near_duplicate")
            )
        elif sources and used + cost > token_budget:
            omitted.append(Omitted(chunk_id=chunk.chunk_id, path=chunk.path, reason="budget"))
        else:
            sources.append(_source(f"S{len(sources) + 1}", chunk))
            shingles.append(own)
            used += cost
    return ContextBundle(
        sources=tuple(sources),
        omitted=tuple(omitted),
        token_budget=token_budget,
        tokens_used=used,
    )


def _source(marker: str, chunk: Chunk) -> Source:
    return Source(
        marker=marker,
        chunk=chunk,
        model_title=protect(place_in_document(chunk.title, chunk.heading)),
        model_text=protect(source_content(chunk)),
    )


def place_in_document(title: str, heading: Sequence[str]) -> str:
    """The document's title and the headings above a passage, each said once."""
    return " > ".join([title, *(part for part in heading if part != title)])


def source_content(chunk: Chunk) -> str:
    """The passage, behind what its context adds to the title: a table's header, a symbol."""
    extra = [
        line
        for line in chunk.context.split("\n")
        if line.strip() and line.strip() not in {*chunk.heading, " > ".join(chunk.heading)}
    ]
    return "\n".join([*extra, chunk.text])


def _cost(chunk: Chunk) -> int:
    return (
        count_tokens(place_in_document(chunk.title, chunk.heading))
        + count_tokens(source_content(chunk))
        + _SOURCE_OVERHEAD
    )


def _shingles(text: str) -> frozenset[str]:
    flat = " ".join(text.split())
    return frozenset(flat[i : i + _SHINGLE] for i in range(max(1, len(flat) - _SHINGLE + 1)))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard similarity, 0..1."""
    return len(one & other) / len(one | other)
