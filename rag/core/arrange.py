"""The deterministic end of the first stage: fused hits and their passages become candidates.

Scores are in standard deviations of the vector list, as `fuse` gives them. Every weight can be
left out, and every candidate says what each part contributed.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rag.core.features import FEATURES, Query, terms_of
from rag.core.fuse import FusedHit
from rag.domain.documents import Chunk
from rag.domain.retrieval import Candidate, Ranks

# How many of the fused list are looked at; the rest follow as fused. Reading a passage's terms
# takes some 0.2 ms.
LOOKED_AT = 20

# proximity: from 0 to 2 the mean of sixteen development sets rises from .673 to .680, fastapi_xling
#   en from .61 to .65; python_faq_zhtw, 35 questions, falls from .79 to .75. 3 gains .003 more and
#   costs English questions over Chinese documents .03.
# title: anything above 0.5 cost fastapi_xling, whose titles BM25 and the vector have seen already;
#   kept for the case that nothing else tells two passages apart.
# identifiers, phrases: no set shows a gain from 0.5 to 2, since BM25 has found most of them, and
#   dolphin_faq_en a loss from 1; 0.5 decides between passages that are otherwise near, such as a
#   name and its neighbour.
# definition, names_only: sizes of a clear lead between neighbours in a fused list; the sets hold no
#   code, so the order that `tests/retrieval` demands decided.
WEIGHTS: Mapping[str, float] = {
    "identifiers": 0.5,
    "phrases": 0.5,
    "title": 0.25,
    "proximity": 2.0,
    "definition": 1.5,
    "names_only": -1.0,
}
# For each better passage of the same document. Small: several passages of the right document may
# be needed, but a page should not fill the list for sharing one rare word.
CROWDING = -0.25
# A copy stands behind everything that says something else.
REPEATED = -100.0

# Share of terms that two passages have in common when one repeats the other, numbers being equal:
# versions that differ in a figure are both kept, since the figure may be the answer.
_SAME = 0.9


@dataclass
class _Scored:
    hit: FusedHit
    chunk: Chunk
    parts: list[tuple[str, float]] = field(default_factory=list)

    @property
    def score(self) -> float:
        return sum(value for _, value in self.parts)


def arrange(
    query: str,
    fused: Sequence[FusedHit],
    chunks: Mapping[str, Chunk],
    *,
    limit: int | None = None,
    weights: Mapping[str, float] = WEIGHTS,
    crowding: float = CROWDING,
    repeated: float = REPEATED,
) -> tuple[Candidate, ...]:
    """Candidates for the fused hits whose chunk is known, best first, at most `limit`.

    The first `LOOKED_AT` are scored by all features and sorted; the others keep their order behind.
    A weight of 0 switches its feature off.
    """
    known = [_scored(hit, chunks[hit.chunk_id]) for hit in fused if hit.chunk_id in chunks]
    head, rest = known[:LOOKED_AT], known[LOOKED_AT:]
    asked = Query(query)
    for scored in head:
        scored.parts += [
            (name, weight * value)
            for name, weight in weights.items()
            if weight and (value := FEATURES[name](asked, scored.chunk))
        ]
    head.sort(key=lambda scored: -scored.score)
    if repeated:
        _mark_copies(head, repeated)
    if crowding:
        _mark_crowds(head, crowding)
    head.sort(key=lambda scored: -scored.score)
    best = [*head, *rest][:limit]
    return tuple(_candidate(scored, place) for place, scored in enumerate(best, start=1))


def _scored(hit: FusedHit, chunk: Chunk) -> _Scored:
    found_by = (("lexical", hit.lexical), ("vector", hit.vector))
    return _Scored(hit, chunk, [part for part in found_by if part[1]])


def _mark_copies(ordered: Sequence[_Scored], penalty: float) -> None:
    seen: list[frozenset[str]] = []
    for scored in ordered:
        terms = frozenset(terms_of(scored.chunk.text))
        if any(_same(terms, other) for other in seen):
            scored.parts.append(("repeated", penalty))
        else:
            seen.append(terms)


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    fewer, more = sorted((len(one), len(other)))
    if not fewer or fewer < _SAME * more:
        return False
    common = len(one & other)
    if common < _SAME * (fewer + more - common):
        return False
    return not any(term.isdigit() for term in one ^ other)


def _mark_crowds(ordered: Sequence[_Scored], penalty: float) -> None:
    better: Counter[str] = Counter()
    for scored in ordered:
        path = scored.chunk.path
        if better[path]:
            scored.parts.append(("crowding", penalty * better[path]))
        better[path] += 1


def _candidate(scored: _Scored, place: int) -> Candidate:
    hit = scored.hit
    return Candidate(
        chunk=scored.chunk,
        score=scored.score,
        ranks=Ranks(lexical=hit.lexical_rank, vector=hit.vector_rank, fused=place),
        similarity=hit.similarity,
        parts=tuple(scored.parts),
    )
