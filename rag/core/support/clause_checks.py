"""Hard checks of what is said about a thing: denied or affirmed, must or may, only.

A clause of the claim is held against the source clauses that are nearest to it in words. Where the
languages differ they share too few, and these checks stay silent.
"""

from collections.abc import Iterator, Sequence

from rag.core.support import cues
from rag.core.support.bounds import find_bound
from rag.core.support.claim_reading import ClaimReading
from rag.core.support.fact_checks import find_agreeing
from rag.core.support.names import replaced_names
from rag.core.support.polarity import (
    Clause,
    clash,
    denies,
    denies_anything,
    restricts,
    shared_words,
    takes_sides,
    topic_words,
)
from rag.core.support.reasons import Reason
from rag.core.support.source_reading import SourceReading

Sources = Sequence[SourceReading]

# Source sentences looked at for a claim: those that hold most of its words. A claim is about one
# sentence, rarely two; more only cost time.
_NEAREST_SENTENCES = 4
# Shares of words from which two clauses are about one thing: most of the claim's, half of the
# source's (it may say more). Lower ones raise false alarms on the synthetic sets' true pairs.
_OF_CLAIM = 0.8
_OF_SOURCE = 0.5


# Numbers of one claim whose bounds are looked at; real claims have a few.
_MOST_QUANTITIES = 8
# So many words in common may be chance.
_FEW = 2
# Clauses compared in one sentence; real sentences have a few.
_MOST_CLAUSES = 32


def check_clauses(claim: ClaimReading, sources: Sources) -> Iterator[Reason]:
    """Clauses of `claim` that contradict `sources`."""
    yield from _polarity(claim, sources)
    yield from _order(claim, sources)
    yield from _names(claim, sources)


def _polarity(claim: ClaimReading, sources: Sources) -> Iterator[Reason]:
    sentences = [
        (reading, sentence)
        for reading in sources
        for sentence in reading.words.nearest(claim.stems, _NEAREST_SENTENCES)
    ]
    if not takes_sides(claim.flat) and not any(
        denies_anything(reading.flat[slice(*reading.sentences[sentence])])
        for reading, sentence in sentences
    ):
        return
    near = [
        clause
        for reading, sentence in sentences
        for clause in reading.clauses_of(sentence)[:_MOST_CLAUSES]
    ]
    stated = claim.clauses[:_MOST_CLAUSES]
    if _turns_order(claim, sources) or _turns_condition(claim, sentences):
        return
    turned = _turned_bounds(claim, sources)
    for clause in stated:
        if any(clause.start <= place < clause.end for place in turned):
            continue
        words = claim.written(clause.start, clause.end)
        if _takes_other_side(clause, near):
            yield Reason("opposite", words)
            continue
        nearest = _nearest(clause, near)
        if not nearest:
            continue
        if _about_one_thing(clause, nearest, stated):
            if all(denies(clause, other) for other in nearest):
                yield Reason("opposite", words)
            elif all(_limits(other, clause) for other in nearest):
                yield Reason("of_some_only", words)
            elif clause.universal and all(
                other.partial and not other.universal for other in nearest
            ):
                yield Reason("of_some", words)
        elif all(
            _limits(other, clause) and clause.signs.keys() <= other.signs.keys()
            for other in nearest
        ):
            # "Everyone can delete" has one word for which to find the clause that it is about.
            yield Reason("of_some_only", words)
        if clause.exclusive and not any(restricts(reading.whole) for reading in sources):
            yield Reason("not_only", words)


def _takes_other_side(clause: Clause, near: Sequence[Clause]) -> bool:
    """Whether it says "accepts the connection" where the sources only "reject the connection"."""
    if not clause.pairs:
        return False
    told = {
        pair
        for other in near
        if (shared := shared_words(clause, other)) >= _OF_SOURCE * len(clause.signs)
        or (shared > _FEW and shared >= _OF_CLAIM * len(other.signs))
        for pair in other.pairs
    }
    taken = {(key, sign) for _, key, sign in told}
    return any(
        sign and (word, key, -sign) in told and not taken & {(key, sign), (key, 0)}
        for word, key, sign in clause.pairs
    )


def _nearest(clause: Clause, near: Sequence[Clause]) -> list[Clause]:
    ranks = [(topic_words(clause, other), shared_words(clause, other)) for other in near]
    most = max(ranks, default=(0, 0))
    if most[1] == 0 or most[0] < _OF_SOURCE * len(clause.signs):
        return []
    return [other for rank, other in zip(ranks, near, strict=True) if rank == most]


def _limits(other: Clause, clause: Clause) -> bool:
    """Whether `other` says of some only what `clause` says of all, without an "only" of its own."""
    return clause.universal and not clause.exclusive and other.exclusive


def _about_one_thing(clause: Clause, nearest: Sequence[Clause], others: Sequence[Clause]) -> bool:
    """Whether most of the words of either are the other's, and no other clause of the claim fits
    the source's clause better."""
    for near in nearest:
        shared, topic = shared_words(clause, near), topic_words(clause, near)
        if topic < 2 and clause.signs.keys() != near.signs.keys():
            return False
        if topic < _OF_CLAIM * len(clause.signs):
            return False
        forbidden = topic == len(clause.signs) and clash(clause, near)
        if shared < _OF_SOURCE * len(near.signs) and not clause.absolute and not forbidden:
            return False
        if any(shared_words(other, near) > shared for other in others):
            return False
    return True


def _order(claim: ClaimReading, sources: Sources) -> Iterator[Reason]:
    if not claim.orders:
        return
    told = {order for reading in sources for order in reading.orders}
    for (earlier, event), stated in claim.orders.items():
        if (not earlier, event) in told and (earlier, event) not in told:
            yield Reason("opposite", claim.written(stated.start, stated.end))


def _turns_order(claim: ClaimReading, sources: Sources) -> bool:
    """Whether claim and sources say one order of an event, one of them by a denial: not before the
    review, after the review."""
    return any(
        order in reading.orders and reading.orders[order].turned is not stated.turned
        for order, stated in claim.orders.items()
        for reading in sources
    )


def _turned_bounds(claim: ClaimReading, sources: Sources) -> list[int]:
    """Where the claim bounds a number from the other side than the sources do, so that one affirms
    what the other denies: refunds within 30 days, no refunds after 30 days."""
    turned: list[int] = []
    for quantity in claim.quantities[:_MOST_QUANTITIES]:
        bound = find_bound(claim.flat, quantity.start, quantity.end)
        if bound is None:
            continue
        told = [
            reading.bound_at(other.start, other.end, False)
            for reading, other in find_agreeing(quantity, sources)
        ]
        if told and all(other and other.side is not bound.side for other in told):
            turned.append(quantity.start)
    return turned


def _turns_condition(claim: ClaimReading, sentences: Sequence[tuple[SourceReading, int]]) -> bool:
    """Whether the claim says on which condition what the source denies without it."""
    if not sentences or not cues.ON_CONDITION.occurs(claim.flat):
        return False
    reading, sentence = sentences[0]
    return cues.UNLESS.occurs(reading.flat[slice(*reading.sentences[sentence])])


def _names(claim: ClaimReading, sources: Sources) -> Iterator[Reason]:
    mentions = [reading.mentions for reading in sources]
    for reading in sources:
        window = reading.words.best_window(claim.stems)
        start, end = reading.sentences[window.first].start, reading.sentences[window.last].end
        for name, other in replaced_names(claim.text, reading.source.text[start:end], mentions):
            written = claim.written(name.start, name.end)
            told = reading.source.text[start + other.start : start + other.end]
            yield Reason("other_value", written, told)
