"""Hard checks of what is said about a thing: denied or affirmed, must or may, only, which number.

A clause of the claim is held against the source clauses that are nearest to it in words. Where the
languages differ they share too few, and these checks stay silent.
"""

import re
from collections.abc import Iterator, Sequence

from rag.core.span import Span
from rag.core.support.claim_reading import ClaimReading
from rag.core.support.fact_checks import find_agreeing
from rag.core.support.names import replaced_names
from rag.core.support.polarity import (
    Clause,
    denies,
    denies_anything,
    restricts,
    shared_words,
    takes_sides,
    topic_words,
)
from rag.core.support.quantity import ORDINAL, Quantity
from rag.core.support.reasons import Reason
from rag.core.support.source_reading import SourceReading
from rag.core.words import stem

Sources = Sequence[SourceReading]

# Source sentences looked at for a claim: those that hold most of its words. A claim is about one
# sentence, rarely two; more only cost time.
_NEAREST_SENTENCES = 4
# Shares of words from which two clauses are about one thing: most of the claim's, half of the
# source's (it may say more). Lower ones raise false alarms on the synthetic sets' true pairs.
_OF_CLAIM = 0.8
_OF_SOURCE = 0.5


# "before the review" and "after the review"; 核准前, 核准後.
_ORDER = re.compile(
    r"\b(?P<side>before|prior to|after|following) (?:(?:the|an?|any|each|every|your|its|their) )?"
    r"(?P<event>[a-z]+)|(?P<han>[一-鿿]{2})(?:之|以)?(?P<han_side>[前后])(?![端台往续])"
)
_EARLIER = frozenset({"before", "prior to", "前"})

# So many words in common may be chance.
_FEW = 2
# Clauses compared in one sentence; real sentences have a few.
_MOST_CLAUSES = 32
# Numbers compared with each other in one claim; real claims have a few.
_MOST_NUMBERS = 32

_Words = frozenset[tuple[str, int]]


def check_clauses(claim: ClaimReading, sources: Sources) -> Iterator[Reason]:
    """Clauses of `claim` that contradict `sources`."""
    yield from _polarity(claim, sources)
    yield from _order(claim, sources)
    yield from _names(claim, sources)
    yield from _numbers_of_another(claim, sources)


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
    for clause in stated:
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
            elif clause.universal and all(other.exclusive for other in nearest):
                yield Reason("of_some_only", words)
            elif clause.universal and all(
                other.partial and not other.universal for other in nearest
            ):
                yield Reason("of_some", words)
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
    return any(
        sign and (word, key, -sign) in told and not told & {(word, key, sign), (word, key, 0)}
        for word, key, sign in clause.pairs
    )


def _nearest(clause: Clause, near: Sequence[Clause]) -> list[Clause]:
    ranks = [(topic_words(clause, other), shared_words(clause, other)) for other in near]
    most = max(ranks, default=(0, 0))
    if most[1] == 0 or most[0] < _OF_SOURCE * len(clause.signs):
        return []
    return [other for rank, other in zip(ranks, near, strict=True) if rank == most]


def _about_one_thing(clause: Clause, nearest: Sequence[Clause], others: Sequence[Clause]) -> bool:
    """Whether most of the words of either are the other's, and no other clause of the claim fits
    the source's clause better."""
    for near in nearest:
        shared, topic = shared_words(clause, near), topic_words(clause, near)
        if topic < 2 and clause.signs.keys() != near.signs.keys():
            return False
        if topic < _OF_CLAIM * len(clause.signs):
            return False
        if shared < _OF_SOURCE * len(near.signs) and not clause.absolute:
            return False
        if any(shared_words(other, near) > shared for other in others):
            return False
    return True


def _order(claim: ClaimReading, sources: Sources) -> Iterator[Reason]:
    stated = _orders(claim.flat)
    if not stated:
        return
    told = {pair: None for reading in sources for pair in _orders(reading.whole)}
    for (earlier, event), place in stated.items():
        if (not earlier, event) in told and (earlier, event) not in told:
            yield Reason("opposite", claim.written(*place))


def _orders(flat: str) -> dict[tuple[bool, str], Span]:
    """Whether something comes before an event, by event, and where that is written."""
    return {
        (
            (match["side"] or match["han_side"]) in _EARLIER,
            stem(match["event"]) if match["event"] else match["han"],
        ): Span(*match.span())
        for match in _ORDER.finditer(flat)
    }


def _names(claim: ClaimReading, sources: Sources) -> Iterator[Reason]:
    whole = "\n".join(reading.whole for reading in sources)
    for reading in sources:
        window = reading.words.best_window(claim.stems)
        start, end = reading.sentences[window.first].start, reading.sentences[window.last].end
        for name, other in replaced_names(claim.text, reading.source.text[start:end], whole):
            written = claim.written(name.start, name.end)
            told = reading.source.text[start + other.start : start + other.end]
            yield Reason("other_value", written, told)


def _numbers_of_another(claim: ClaimReading, sources: Sources) -> Iterator[Reason]:
    """A number that a source has, but of another thing: the cell of another row.

    Reported only when a clause with a rival number holds every word of the claim's clause that
    these clauses have at all, and no clause with the number itself does.
    """
    for quantity in claim.quantities[:_MOST_NUMBERS]:
        if quantity.dimension == ORDINAL:
            continue
        agreeing = find_agreeing(quantity, sources)
        rivals = [
            (reading, other)
            for reading, other in _same_kind(quantity, sources)
            if not other.article
            and not any(other.agrees(stated) for stated in claim.quantities[:_MOST_NUMBERS])
        ]
        around = _words_around(claim, quantity)
        for with_subject in (False, True):
            homes = [_topic(*place, with_subject) for place in agreeing[:_MOST_NUMBERS]]
            others = [_topic(*place, with_subject) for place in rivals]
            if not homes or None in homes:
                break
            known = frozenset().union(*filter(None, homes), *filter(None, others))
            wanted = known & around
            if not wanted or any(home is not None and wanted <= home for home in homes):
                continue
            fit = [
                place
                for place, topic in zip(rivals, others, strict=True)
                if topic and wanted <= topic
            ]
            if fit:
                reading, other = fit[0]
                written = claim.written(quantity.start, quantity.end)
                told = reading.written(other.start, other.end)
                yield Reason("of_another", written, told)
                break


def _same_kind(quantity: Quantity, sources: Sources) -> list[tuple[SourceReading, Quantity]]:
    """Numbers that could stand in its place: a cell names no noun, its column does."""
    return [
        (reading, other)
        for reading in sources
        for other in reading.by_dimension.get(quantity.dimension, [])[:_MOST_NUMBERS]
        if not other.nouns or not quantity.nouns or other.nouns & quantity.nouns
    ]


def _words_around(claim: ClaimReading, quantity: Quantity) -> _Words:
    return frozenset().union(
        *(
            _words_of(clause)
            for clause in claim.clauses
            if clause.start <= quantity.start < clause.end
        )
    )


def _topic(reading: SourceReading, quantity: Quantity, with_subject: bool) -> _Words | None:
    """What a source says a number of: its clause or row, the header, and on demand the first
    clause of its sentence. None for a number in the context, which goes with everything."""
    sentence = reading.sentence_at(quantity.start)
    if sentence is None:
        return None
    header = frozenset((word, 0) for word in reading.header_words(sentence))
    clauses = reading.clauses_at(quantity.start)
    if reading.is_row(sentence):
        clauses = reading.clauses_of(sentence)  # every cell of a row is about its one thing
    subject = ((word, 0) for clause in clauses if with_subject for word in clause.inherited)
    return header.union(subject, *(_words_of(clause) for clause in clauses))


def _words_of(clause: Clause) -> _Words:
    """Words and, for those that have an opposite, which of the two."""
    return frozenset(
        (word, sign if word in clause.opposites else 0) for word, sign in clause.signs.items()
    )
