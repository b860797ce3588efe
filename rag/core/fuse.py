"""Two ranked lists become one: a weighted sum of scores.

A BM25 score is a sum of evidence, so its height above the list's tail is taken as it is: a query
that matches many rare words speaks loudly, one that matches a stray word whispers. Cosines differ
in scale from embedder to embedder, so their height is taken in standard deviations of the list: a
hit that stands out counts more. Rank fusion sees neither. Convex combination of scores: Bruch, Gai,
Ingber, "An analysis of fusion functions for hybrid retrieval" (TOIS 2023).
"""

from collections.abc import Collection, Sequence
from math import sqrt

from rag.domain.base import Value
from rag.domain.retrieval import Hit

# How many of each list take part.
DEPTH = 50
# This much BM25 weighs as much as one standard deviation of cosines. Chosen from 3 to 8 together
# with the weight of `proximity` on sixteen development sets at once (English, Chinese and across):
# the mean of their nDCG@10 and MRR@10 is .67 everywhere and best here, whichever set is left out.
BM25_PER_DEVIATION = 6.0
# What is added to the cosine of a passage in the other language than an English question, in
# standard deviations. Multilingual embeddings prefer a text's own language: on fastapi_xling an
# English question is .041 nearer to its English answer than to the same one in Chinese. This makes
# up half of that, so at equal content the question's own language still comes first.
# Chinese questions get none: Chinese pages full of code pass as English.
OTHER_LANGUAGE = 2.0


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
    lexical: Sequence[Hit], vector: Sequence[Hit], other_language: Collection[str] = ()
) -> list[FusedHit]:
    """Both lists as one, best first. Equal scores keep the vector list's order, then the lexical.

    Args:
        lexical: best first, scores by BM25.
        vector: best first, scores are cosines.
        other_language: ids of passages whose cosines suffer from the question's language.
    """
    # A passage missing from a list that is not full shares no word with the query: its BM25 is 0.
    floor = lexical[-1].score if len(lexical) >= DEPTH else 0.0
    from_lexical = _heights(lexical, floor, BM25_PER_DEVIATION)
    tail = vector[-1].score if vector else 0.0
    from_vector = {
        chunk_id: height + (OTHER_LANGUAGE if chunk_id in other_language else 0.0)
        for chunk_id, height in _heights(vector, tail, _deviation(vector)).items()
    }
    lexical_ranks = {hit.chunk_id: place for place, hit in enumerate(lexical, start=1)}
    vector_ranks = {hit.chunk_id: place for place, hit in enumerate(vector, start=1)}
    cosines = {hit.chunk_id: hit.score for hit in vector}
    fused = []
    for chunk_id in dict.fromkeys([*vector_ranks, *lexical_ranks]):
        by_lexical = from_lexical.get(chunk_id, 0.0)
        by_vector = from_vector.get(chunk_id, 0.0)
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


def _heights(hits: Sequence[Hit], floor: float, unit: float) -> dict[str, float]:
    return {hit.chunk_id: (hit.score - floor) / unit for hit in hits}


def _deviation(hits: Sequence[Hit]) -> float:
    """Standard deviation of the scores; 1 for a list without any, where all heights are 0."""
    mean = sum(hit.score for hit in hits) / len(hits) if hits else 0.0
    variance = sum((hit.score - mean) ** 2 for hit in hits) / len(hits) if hits else 0.0
    return sqrt(variance) if variance > 1e-12 else 1.0
