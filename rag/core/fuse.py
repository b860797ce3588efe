"""Two ranked lists become one: a weighted sum of standardised scores.

BM25 and cosine have no common scale, but in each list a hit's height above the list's tail, in
standard deviations, says how much it stands out. A sharp list speaks louder than a flat one, which
rank fusion cannot see. Convex combination of normalised scores: Bruch, Gai, Ingber, "An analysis
of fusion functions for hybrid retrieval" (TOIS 2023).
"""

from collections.abc import Mapping, Sequence
from math import sqrt

from rag.domain.base import Value
from rag.domain.retrieval import Hit

# How many of each list take part.
DEPTH = 50
# The lexical list's share of the sum.
LEXICAL_SHARE = 0.4


class FusedHit(Value):
    """A passage of the fused list. `lexical` and `vector` are what each list added to `score`."""

    chunk_id: str
    score: float
    lexical: float = 0.0
    vector: float = 0.0
    lexical_rank: int | None = None
    vector_rank: int | None = None
    similarity: float | None = None


def fuse(
    lexical: Sequence[Hit], vector: Sequence[Hit], lexical_share: float = LEXICAL_SHARE
) -> list[FusedHit]:
    """Both lists as one, best first. Equal scores keep the vector list's order, then the lexical.

    Args:
        lexical: best first.
        vector: best first, scores are cosines.
        lexical_share: 0..1; the rest is the vector list's.
    """
    from_lexical = standardise(lexical)
    from_vector = standardise(vector)
    lexical_ranks = {hit.chunk_id: place for place, hit in enumerate(lexical, start=1)}
    vector_ranks = {hit.chunk_id: place for place, hit in enumerate(vector, start=1)}
    cosines = {hit.chunk_id: hit.score for hit in vector}
    fused = []
    for chunk_id in dict.fromkeys([*vector_ranks, *lexical_ranks]):
        by_lexical = lexical_share * from_lexical.get(chunk_id, 0.0)
        by_vector = (1.0 - lexical_share) * from_vector.get(chunk_id, 0.0)
        fused.append(
            FusedHit(
                chunk_id=chunk_id,
                score=by_lexical + by_vector,
                lexical=by_lexical,
                vector=by_vector,
                lexical_rank=lexical_ranks.get(chunk_id),
                vector_rank=vector_ranks.get(chunk_id),
                similarity=cosines.get(chunk_id),
            )
        )
    return sorted(fused, key=lambda hit: -hit.score)


def standardise(hits: Sequence[Hit]) -> Mapping[str, float]:
    """Each hit's height above the last one, in standard deviations of the list. A list of equal
    scores says nothing about order, so all of them get 1."""
    if not hits:
        return {}
    scores = [hit.score for hit in hits]
    mean = sum(scores) / len(scores)
    deviation = sqrt(sum((score - mean) ** 2 for score in scores) / len(scores))
    if deviation < 1e-9:
        return {hit.chunk_id: 1.0 for hit in hits}
    tail = scores[-1]
    return {hit.chunk_id: (hit.score - tail) / deviation for hit in hits}
