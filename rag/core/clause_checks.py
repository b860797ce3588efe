"""Hard checks of what is said about a thing: denied or affirmed, must or may, only, which number.

A clause of the claim is held against the source clauses that are nearest to it in words. These
checks need one language; they stay silent unless the clauses really are about the same thing.
"""

from collections.abc import Iterator, Sequence

from rag.core.polarity import Clause, denies, restricts, shared_words
from rag.core.reading import ClaimReading, SourceReading

Sources = Sequence[SourceReading]

# Source sentences looked at for a claim: those that hold most of its words. A claim is about one
# sentence, rarely two; more only cost time.
_NEAREST_SENTENCES = 6
# Shares of words from which two clauses are about one thing: most of the claim's, half of the
# source's (it may say more). Lower ones raise false alarms on the synthetic sets' true pairs.
_OF_CLAIM = 0.8
_OF_SOURCE = 0.5


def check_clauses(claim: ClaimReading, sources: Sources) -> Iterator[str]:
    """Clauses of `claim` that contradict `sources`, one sentence each."""
    where = " or ".join(reading.marker for reading in sources)
    near = [
        clause
        for reading in sources
        for sentence in reading.words.nearest(claim.stems, _NEAREST_SENTENCES)
        for clause in reading.clauses_of(sentence)
    ]
    for clause in claim.clauses:
        words = claim.written(clause.start, clause.end)
        nearest = _nearest(clause, near)
        if not nearest:
            continue
        if _about_one_thing(clause, nearest, claim.clauses):
            if all(denies(clause, other) for other in nearest):
                yield f'{where} says the opposite of "{words}"'
            elif clause.universal and all(
                other.partial and not other.universal for other in nearest
            ):
                yield f'{where} says it of some, not of all: "{words}"'
        if clause.exclusive and not any(restricts(reading.whole) for reading in sources):
            yield f'{where} does not say "only": "{words}"'


def _nearest(clause: Clause, near: Sequence[Clause]) -> list[Clause]:
    most = max((shared_words(clause, other) for other in near), default=0)
    if most == 0 or most < _OF_SOURCE * len(clause.signs):
        return []
    return [other for other in near if shared_words(clause, other) == most]


def _about_one_thing(clause: Clause, nearest: Sequence[Clause], others: Sequence[Clause]) -> bool:
    """Whether most of the words of either are the other's, and no other clause of the claim fits
    the source's clause better."""
    for near in nearest:
        shared = shared_words(clause, near)
        if shared < 2 and clause.signs.keys() != near.signs.keys():
            return False
        if shared < _OF_CLAIM * len(clause.signs) or shared < _OF_SOURCE * len(near.signs):
            return False
        if any(shared_words(other, near) > shared for other in others):
            return False
    return True
