"""Hard checks of whose a value is: a number, date, time or cell that a source has, but of another
thing.

Reported only where the claim's words point to a place with a rival value, and none of them to the
place of the value itself.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rag.core.support.claim_reading import ClaimReading
from rag.core.support.clock_times import Clock
from rag.core.support.dates import Date
from rag.core.support.fact_checks import find_agreeing, find_same_dates
from rag.core.support.polarity import Clause
from rag.core.support.quantity import ORDINAL, Quantity
from rag.core.support.reasons import Reason
from rag.core.support.source_reading import SourceReading
from rag.core.words import stems

Sources = Sequence[SourceReading]
_Words = frozenset[tuple[str, int]]
_Item = Quantity | Date | Clock
_Places = list[tuple[SourceReading, _Item]]

# Values compared with each other in one claim; real claims have a few.
_MOST_VALUES = 32
# Share of the claim's words that the places with such values must have, to tell whose it is: with
# fewer a year that only sets the time is taken for a value (two true pairs of the synthetic sets).
_KNOWN = 0.5
# What joins two statements of one clause: "7 days for monthly plans and 21 days for annual plans".
_JOINT = re.compile(r" and | while | or |以及|及|与|和|而")


class _Value(NamedTuple):
    """A value of the claim, where the sources have it, and what they have of its kind instead."""

    item: _Item
    homes: _Places
    rivals: _Places


def check_owners(claim: ClaimReading, sources: Sources) -> Iterator[Reason]:
    """What `claim` says of one thing and `sources` of another."""
    for value in _values(claim, sources):
        if rival := _owner(claim, value):
            reading, other = rival
            words = claim.written(value.item.start, value.item.end)
            yield Reason("of_another", words, reading.written(other.start, other.end))
    for reading in sources:
        yield from _cells(claim, reading, sources)


def _values(claim: ClaimReading, sources: Sources) -> Iterator[_Value]:
    quantities = claim.quantities[:_MOST_VALUES]
    for quantity in quantities:
        if quantity.dimension != ORDINAL:
            homes: _Places = [*find_agreeing(quantity, sources)]
            yield _Value(quantity, homes, _rival_quantities(quantity, quantities, sources))
    dates = claim.dates[:_MOST_VALUES]
    same = {date: find_same_dates(date, sources) for date in dates}
    known = {(reading.marker, other.start) for places in same.values() for reading, other in places}
    for date in dates:
        yield _Value(
            date,
            [*same[date]],
            [
                (reading, other)
                for reading in sources
                for other in reading.dates[:_MOST_VALUES]
                if (reading.marker, other.start) not in known and _alike(date, other)
            ],
        )
    clocks = claim.clocks[:_MOST_VALUES]
    told = frozenset().union(*(clock.minutes for clock in clocks))
    for clock in clocks:
        times = [(reading, other) for reading in sources for other in reading.clocks[:_MOST_VALUES]]
        yield _Value(
            clock,
            [(reading, other) for reading, other in times if other.minutes & clock.minutes],
            [(reading, other) for reading, other in times if not other.minutes & told],
        )


def _rival_quantities(quantity: Quantity, stated: Sequence[Quantity], sources: Sources) -> _Places:
    """Numbers that could stand in its place: a cell names no noun, its column does."""
    return [
        (reading, other)
        for reading in sources
        for other in reading.by_dimension.get(quantity.dimension, [])[:_MOST_VALUES]
        if not other.nouns or not quantity.nouns or other.nouns & quantity.nouns
        if not other.article and not any(other.agrees(item) for item in stated)
    ]


def _alike(date: Date, other: Date) -> bool:
    """Whether both say as much: a day and a day, a year and a year."""

    def parts(item: Date) -> set[tuple[bool, bool]]:
        return {(month is None, day is None) for _, month, day in item.readings}

    return bool(parts(date) & parts(other))


def _owner(claim: ClaimReading, value: _Value) -> tuple[SourceReading, _Item] | None:
    """The rival whose clause holds every word of the claim's clause that these clauses have at all,
    while no clause with the value itself does."""
    homes, rivals = value.homes[:_MOST_VALUES], value.rivals
    if not homes or not rivals:
        return None
    around = _words_around(claim, value.item)
    if not around:
        return None
    places = [*homes, *rivals]
    starts = _starts(places)
    for with_subject in (False, True):
        topics = [
            _topic(reading, item, starts[reading.marker], with_subject) for reading, item in places
        ]
        near, far = topics[: len(homes)], topics[len(homes) :]
        if None in near:
            return None
        wanted = around & frozenset().union(*filter(None, topics))
        if len(wanted) < _KNOWN * len(around):
            continue
        if any(home is not None and wanted <= home for home in near):
            continue
        for place, topic in zip(rivals, far, strict=True):
            if topic and wanted <= topic and not _points_home(around, topic, homes, place):
                return place
    return None


def _points_home(
    around: _Words, topic: _Words, homes: _Places, rival: tuple[SourceReading, _Item]
) -> bool:
    """Whether the claim has words of a sentence with the value that the rival's place lacks."""
    for reading, item in homes:
        sentence = reading.sentence_at(item.start)
        if sentence is None or (reading, sentence) == (
            rival[0],
            rival[0].sentence_at(rival[1].start),
        ):
            continue
        words = frozenset().union(*(_words_of(clause) for clause in reading.clauses_of(sentence)))
        if around & words - topic:
            return True
    return False


def _words_around(claim: ClaimReading, item: _Item) -> _Words:
    own = {(word, 0) for word in stems(claim.flat[item.start : item.end])}
    return (
        frozenset().union(
            *(
                _words_of(clause)
                for clause in claim.clauses
                if clause.start <= item.start < clause.end
            )
        )
        - own
    )


def _starts(places: _Places) -> dict[str, list[int]]:
    """Where the values stand in each source, in order."""
    starts: dict[str, set[int]] = {}
    for reading, item in places:
        starts.setdefault(reading.marker, set()).add(item.start)
    return {marker: sorted(found) for marker, found in starts.items()}


def _topic(
    reading: SourceReading, item: _Item, starts: Sequence[int], with_subject: bool
) -> _Words | None:
    """What a source says a value of, given where such values start in it: its row with the header,
    or its part of the clause, and on demand the first clause of the sentence. None for a value in
    the context, which goes with everything."""
    before = starts[place - 1] if (place := bisect_left(starts, item.start)) else None
    after = starts[place] if (place := bisect_right(starts, item.start)) < len(starts) else None
    key = (item.start, item.end, before, after, with_subject)
    if key not in reading.topics:
        reading.topics[key] = _find_topic(reading, item, before, after, with_subject)
    return reading.topics[key]


def _find_topic(
    reading: SourceReading, item: _Item, before: int | None, after: int | None, with_subject: bool
) -> _Words | None:
    sentence = reading.sentence_at(item.start)
    if sentence is None:
        return None
    header = frozenset((word, 0) for word in reading.header_words(sentence))
    if reading.is_row(sentence):  # every cell of a row is about its one thing
        return header.union(*(_words_of(clause) for clause in reading.clauses_of(sentence)))
    clauses = reading.clauses_at(item.start)
    value = {(word, 0) for word in stems(reading.whole[item.start : item.end])}
    parts = (_part(reading, clause, item, before, after) for clause in clauses)
    own = frozenset().union(*map(_words_of, parts)) - value
    if with_subject or not any(_says_what(reading, clause, item) for clause in clauses):
        own = own.union((word, 0) for clause in clauses for word in clause.inherited)
    return header | own


def _says_what(reading: SourceReading, clause: Clause, item: _Item) -> bool:
    """Whether a clause has words of its own beside the value: ", until 31 December" has none."""
    offset = len(reading.whole) - len(reading.flat)
    before = reading.flat[clause.start : item.start - offset]
    return any(
        len(word) > 1
        for word in stems(before) + stems(reading.flat[item.end - offset : clause.end])
    )


def _part(
    reading: SourceReading, clause: Clause, item: _Item, before: int | None, after: int | None
) -> Clause:
    """The part of `clause` that is about `item`, where a joint parts it from the value before it or
    after it."""
    offset = len(reading.whole) - len(reading.flat)
    start, end = clause.start, clause.end
    place = item.start - offset
    if before is not None and before - offset >= start:
        joints = [*_JOINT.finditer(reading.flat, before - offset, place)]
        start = joints[-1].end() if joints else start
    if after is not None and after - offset < end:
        joint = _JOINT.search(reading.flat, place, after - offset)
        end = joint.start() if joint else end
    if (start, end) == (clause.start, clause.end):
        return clause
    return reading.clause_between(start, end)


def _words_of(clause: Clause) -> _Words:
    """Words and, for those that have an opposite, which of the two."""
    return frozenset(
        (word, sign if word in clause.opposites else 0) for word, sign in clause.signs.items()
    )


def _cells(claim: ClaimReading, reading: SourceReading, sources: Sources) -> Iterator[Reason]:
    """A cell in the row of another thing: 特休給半薪, where that is the row of 病假.

    The claim must name one row only, by its first cell, and hold a cell of another row, not the
    one that its own row has in that column.
    """
    if len(reading.rows) < 2:
        return
    named = [row for row in reading.rows if _occurs(row[0], claim.flat)]
    if len(named) != 1:
        return
    own = named[0]
    elsewhere = "\n".join((*own, *(item.flat for item in sources if item is not reading)))
    for row in reading.rows:
        for mine, other in zip(own[1:], row[1:], strict=False):
            if row is own or not mine or not other or _occurs(mine, claim.flat):
                continue
            if _occurs(other, claim.flat) and not _occurs(other, elsewhere):
                yield Reason("of_another", other, mine)
                return


def _occurs(text: str, flat: str) -> bool:
    """Whether `text` stands in `flat`, no part of a longer word or number."""
    return bool(text) and re.search(rf"(?<![a-z\d]){re.escape(text)}(?![a-z\d])", flat) is not None
