"""The deterministic end of the first stage: fused hits and their passages become candidates.

Scores are in standard deviations of the vector list, as `fuse` gives them. Proximity completes the
lexical height before the two heights are taken together; all else is added to their length. Every
weight can be left out, and every candidate says what each part contributed.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import hypot
from types import MappingProxyType

from rag.core.features import FEATURES, Query, terms_of, title_and_heading
from rag.core.fuse import FusedHit
from rag.core.language import detect_language
from rag.domain.documents import Chunk
from rag.domain.errors import UsageError
from rag.domain.retrieval import Candidate, Ranks

# How many of the fused list are looked at; the rest follow as fused. Reading a passage's terms
# takes some 0.2 ms, and 30 of them a third of the time that a search may take. Means of seventeen
# development sets: 10 .722, 20 .725, 30 .727 (.01 on fastapi_xling), 60 .726.
LOOKED_AT = 20

# proximity: 2 to 3 is best on the mean of seventeen development sets (1 .720, 2 .724, 3 .727, 4
#   .724), where fastapi_xling en, whose words stand everywhere in its corpus, rises from .61 to
#   .65. Counting all terms alike costs .003 and python_faq_zhtw .04.
# title: 0 to 1 do equally well, 2 costs fastapi_xling and dolphin_faq_en, whose titles BM25 and the
#   vector have seen already; kept for the case that nothing else tells two passages apart.
# identifiers, phrases: no set shows a gain from 0.5 to 2, since BM25 has found most of them; 0.5
#   decides between passages that are otherwise near, such as a name and its neighbour.
# definition, names_only: sizes of a clear lead between neighbours in a fused list; the sets hold no
#   code, so the order that `tests/retrieval` demands decided.
# crowding: for each better passage of the same document. Small: several passages of the right
#   document may be needed, but a page should not fill the list for sharing one rare word.
# repeated: a copy stands behind everything that says something else.
WEIGHTS: Mapping[str, float] = {
    "identifiers": 0.5,
    "phrases": 0.5,
    "title": 0.25,
    "proximity": 3.0,
    "definition": 1.5,
    "names_only": -1.0,
    "crowding": -0.25,
    "repeated": -100.0,
}
"""What each part adds to a score; one that is left out is switched off."""


def weights_without(parts: Collection[str]) -> Mapping[str, float]:
    """`WEIGHTS` without `parts`.

    Raises:
        UsageError: there is no such part.
    """
    if unknown := [part for part in parts if part not in WEIGHTS]:
        raise UsageError(f"no part {unknown[0]!r}", f"there are: {', '.join(WEIGHTS)}")
    return {part: weight for part, weight in WEIGHTS.items() if part not in parts}


# Share of terms that two passages have in common when one repeats the other, numbers being equal:
# versions that differ in a figure are both kept, since the figure may be the answer.
_SAME = 0.9


# The feature that completes the lexical height: BM25 does not see where terms stand.
_LEXICAL = "proximity"

# What the words of an English question weigh in a Chinese passage, unless it asks by a name. They
# are there by chance, as parts of names and code, and rare among Chinese documents, so that BM25
# thinks much of them. Not so the other way round: the Latin words of a Chinese question are names.
# From 0.25 to 0.75 python_faq_zhtw's English questions gain .01 to .02, and no other of the sets
# changes by more than .002.
_CHANCE = 0.5

_Parts = list[tuple[str, float]]


@dataclass
class _Scored:
    hit: FusedHit
    chunk: Chunk
    words: _Parts
    """The lexical height and what completes it."""
    added: _Parts = field(default_factory=list)

    @property
    def parts(self) -> _Parts:
        """What adds up to the score. Of the length of a right angle's two sides each side has its
        own square's share."""
        by_words, by_vector = sum(value for _, value in self.words), self.hit.vector
        length = hypot(by_words, by_vector) or 1.0
        sides = [(name, value * by_words / length) for name, value in self.words]
        return [*sides, ("vector", by_vector * by_vector / length), *self.added]

    @property
    def score(self) -> float:
        return sum(value for _, value in self.parts)


def arrange(
    query: str,
    fused: Sequence[FusedHit],
    chunks: Mapping[str, Chunk],
    *,
    rarity: Mapping[str, float] = MappingProxyType({}),
    limit: int | None = None,
    weights: Mapping[str, float] = WEIGHTS,
) -> tuple[Candidate, ...]:
    """Candidates for the fused hits whose chunk is known, best first, at most `limit`.

    The first `LOOKED_AT` are scored by all features and sorted; the others keep their order behind.

    Args:
        rarity: what the query's terms weigh; all the same when it is empty.
    """
    known = [
        _Scored(hit, chunks[hit.chunk_id], [("lexical", hit.lexical)])
        for hit in fused
        if hit.chunk_id in chunks
    ]
    head, rest = known[:LOOKED_AT], known[LOOKED_AT:]
    asked = Query(query, rarity)
    by_chance = detect_language(query) == "en" and not asked.names_something
    for scored in head:
        for name, feature in FEATURES.items():
            weight = weights.get(name, 0.0)
            if weight and (value := feature(asked, scored.chunk)):
                side = scored.words if name == _LEXICAL else scored.added
                side.append((name, weight * value))
        if by_chance and scored.chunk.language != "en":
            scored.words = [(name, _CHANCE * value) for name, value in scored.words]
    head.sort(key=lambda scored: -scored.score)
    if repeated := weights.get("repeated"):
        _mark_copies(asked, head, repeated)
    if crowding := weights.get("crowding"):
        _mark_crowds(head, crowding)
    head.sort(key=lambda scored: -scored.score)
    best = [*head, *rest][:limit]
    return tuple(_candidate(scored, place) for place, scored in enumerate(best, start=1))


def _mark_copies(asked: Query, ordered: Sequence[_Scored], penalty: float) -> None:
    """Of passages that say the same, the one stays whose title and headings hold most of the
    query; the first of several."""
    kept: dict[frozenset[str], _Scored] = {}
    for scored in ordered:
        terms = frozenset(terms_of(scored.chunk.text))
        same = next((other for other in kept if _same(terms, other)), None)
        if same is None:
            kept[terms] = scored
            continue
        stays, goes = kept[same], scored
        if title_and_heading(asked, goes.chunk) > title_and_heading(asked, stays.chunk):
            stays, goes = goes, stays
        goes.added.append(("repeated", penalty))
        kept[same] = stays


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    size, size_other = len(one), len(other)
    if not size or size < _SAME * size_other or size_other < _SAME * size:
        return False
    common = len(one & other)
    if common < _SAME * (size + size_other - common):
        return False
    return not any(term.isdigit() for term in one ^ other)


def _mark_crowds(ordered: Sequence[_Scored], penalty: float) -> None:
    better: Counter[str] = Counter()
    for scored in ordered:
        path = scored.chunk.path
        if better[path]:
            scored.added.append(("crowding", penalty * better[path]))
        better[path] += 1


def _candidate(scored: _Scored, place: int) -> Candidate:
    hit = scored.hit
    return Candidate(
        chunk=scored.chunk,
        score=scored.score,
        ranks=Ranks(lexical=hit.lexical_rank, vector=hit.vector_rank, fused=place),
        similarity=hit.similarity,
        parts=tuple(part for part in scored.parts if part[1]),
    )
