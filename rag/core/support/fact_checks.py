"""Hard checks of facts: what a claim states exactly must stand in a source that it cites.

Checks are conservative: where a source could
mean the same, it is taken to. They hold across languages.
"""

import re
from collections.abc import Iterator, Sequence

from rag.core.span import Span
from rag.core.support.bounds import find_anchor, find_bound
from rag.core.support.claim_reading import ClaimReading
from rag.core.support.clock_times import Clock
from rag.core.support.dates import Date, Decade, Weekday
from rag.core.support.measures import DIMENSIONS, same_currency
from rag.core.support.quantity import COUNT, CURRENCY, ORDINAL, Quantity
from rag.core.support.rates import find_bare_units
from rag.core.support.reasons import Reason
from rag.core.support.source_reading import SourceReading

Sources = Sequence[SourceReading]

# Counts up to a dozen may be counted by whoever reads a list; larger ones must be stated.
_COUNTABLE = 12
_FIRST = re.compile(
    r"\b(?:first|initial|initially|1st|earliest|original)\b|第一|第 ?1|首|最早|最初"
)
# Places of one number that are looked at; in a text with more of them one will agree.
_MOST_PLACES = 16


_Place = Quantity | Date | Decade | Weekday | Clock | Span


def check_facts(claim: ClaimReading, sources: Sources) -> Iterator[Reason]:
    """The facts of `claim` that none of `sources` has."""
    yield from _literals(claim, sources)
    yield from _moments(claim, sources)
    yield from _quantities(claim, sources)
    yield from _units(claim, sources)


def _literals(claim: ClaimReading, sources: Sources) -> Iterator[Reason]:
    for literal in claim.literals:
        if literal.kind == "quotation" and _is_translated(literal.text, sources):
            continue
        written = claim.written(literal.start, literal.end)
        if not any(reading.literals.holds(literal) for reading in sources):
            yield Reason("absent_literal", written)
        elif literal.kind == "version":
            same = [
                (reading, place)
                for reading in sources
                for place in reading.literals.places(literal)
            ]
            yield from _bound(claim, Span(literal.start, literal.end), same)


def _is_translated(quotation: str, sources: Sources) -> bool:
    """A quotation in another language than every source is a translation."""
    is_han = any("㐀" <= char <= "鿿" for char in quotation)
    return all(reading.is_chinese != is_han for reading in sources)


def _moments(claim: ClaimReading, sources: Sources) -> Iterator[Reason]:
    for date in claim.dates:
        written = claim.written(date.start, date.end)
        same = find_same_dates(date, sources)
        if same:
            yield from _bound(claim, date, same)
        elif not any(written in reading.figures for reading in sources):
            others = [(reading, other) for reading in sources for other in reading.dates]
            yield _absent(written, others)
    for decade in claim.decades:
        decades = [(reading, other) for reading in sources for other in reading.decades]
        within = any(decade.holds(year) for reading in sources for year in reading.years)
        if not within and not any(decade.agrees(other) for _, other in decades):
            yield _absent(claim.written(decade.start, decade.end), decades)
    for weekday in claim.weekdays:
        days = [
            (reading, other)
            for reading in sources
            for other in reading.weekdays.get(weekday.day, [])[:_MOST_PLACES]
        ]
        if days:
            yield from _bound(claim, weekday, days)
        else:
            yield _absent(claim.written(weekday.start, weekday.end), ())
    for clock in claim.clocks:
        times = [
            (reading, other)
            for reading in sources
            for minute in clock.minutes
            for other in reading.clocks_at.get(minute, [])[:_MOST_PLACES]
        ]
        written = claim.written(clock.start, clock.end)
        if times:
            yield from _bound(claim, clock, times)
        elif not any(written in reading.source.text and not reading.clocks for reading in sources):
            clocks = [(reading, other) for reading in sources for other in reading.clocks]
            yield _absent(written, clocks)


def find_same_dates(date: Date, sources: Sources) -> list[tuple[SourceReading, Date]]:
    """The dates of `sources` that have every part of `date`; its year may stand apart, in a heading
    say, where the date itself has none."""
    found: list[tuple[SourceReading, Date]] = []
    for year, month, day in date.readings:
        apart = any(year in reading.years for reading in sources)
        for reading in sources:
            same = reading.dates_with.get((year, month, day), [])[:_MOST_PLACES]
            if apart and month is not None:
                same = same + reading.yearless.get((month, day), [])[:_MOST_PLACES]
            found += [(reading, other) for other in same]
    return found


def _quantities(claim: ClaimReading, sources: Sources) -> Iterator[Reason]:
    parts = {part for quantity in claim.quantities for part in quantity.parts}
    for quantity in claim.quantities:
        if quantity in parts:
            continue
        agreeing = find_agreeing(quantity, sources)
        if agreeing:
            yield from _bound(claim, quantity, agreeing)
        elif quantity.parts and all(find_agreeing(part, sources) for part in quantity.parts):
            continue
        elif not _is_excused(quantity, claim, sources):
            written = claim.written(quantity.start, quantity.end)
            yield _absent(written, find_rivals(quantity, sources))


def find_agreeing(quantity: Quantity, sources: Sources) -> list[tuple[SourceReading, Quantity]]:
    """The quantities of `sources` that can state the same."""
    found: list[tuple[SourceReading, Quantity]] = []
    for reading in sources:
        same = [
            other
            for value in quantity.values
            for other in reading.by_value.get((quantity.dimension, value), [])[:_MOST_PLACES]
            if quantity.dimension != CURRENCY or same_currency(quantity.currency, other.currency)
        ]
        known = {other.start for other in same}
        same += [
            other
            for other in reading.by_number.get(quantity.number, [])[:_MOST_PLACES]
            if other.start not in known and _same_number_will_do(quantity, other, reading)
        ]
        found += [(reading, other) for other in same]
    # 25 seats, where the sources say 25 users and 5 seats.
    of_others = all(other.nouns and not other.nouns & quantity.nouns for _, other in found)
    if quantity.dimension == COUNT and quantity.nouns and of_others:
        return [] if _has_rivals(quantity, sources) else found
    return found


def _same_number_will_do(quantity: Quantity, other: Quantity, reading: SourceReading) -> bool:
    if quantity.dimension == COUNT:
        return not quantity.nouns or other.dimension == ORDINAL
    if quantity.dimension == ORDINAL:
        return other.dimension == COUNT or other.unit == "century"
    if other.dimension != COUNT:
        return False
    # `timeout = 30` with "in seconds" somewhere; 30 in the column "Days".
    return not other.nouns and any(DIMENSIONS[unit] == quantity.dimension for unit in reading.units)


def find_rivals(quantity: Quantity, sources: Sources) -> list[tuple[SourceReading, Quantity]]:
    """What the sources say of the same kind of thing."""
    if quantity.dimension == COUNT and quantity.nouns:
        return _same_noun(quantity, sources)
    return [
        (reading, other)
        for reading in sources
        for other in reading.by_dimension.get(quantity.dimension, ())
    ]


def _has_rivals(quantity: Quantity, sources: Sources) -> bool:
    if quantity.dimension == COUNT and quantity.nouns:
        return any(not quantity.nouns.isdisjoint(reading.by_noun) for reading in sources)
    return any(quantity.dimension in reading.by_dimension for reading in sources)


def _same_noun(quantity: Quantity, sources: Sources) -> list[tuple[SourceReading, Quantity]]:
    return [
        (reading, other)
        for reading in sources
        for noun in quantity.nouns
        for other in reading.by_noun.get(noun, ())
        if other.dimension == COUNT
    ]


def _is_excused(quantity: Quantity, claim: ClaimReading, sources: Sources) -> bool:
    """Whether the number may be missing: "one" and "a" that count nothing, and what can be counted
    out in a list."""
    if quantity.unit and quantity.number == 1 and any(quantity.unit in r.rates for r in sources):
        return True  # 一週兩天 where the source says 每週兩天
    if quantity.article:
        return not _has_rivals(quantity, sources)
    if quantity.dimension == ORDINAL:
        return quantity.number == 1 and any(_FIRST.search(item.whole) for item in sources)
    if quantity.dimension != COUNT or (quantity.nouns and _has_rivals(quantity, sources)):
        return False
    written = claim.flat[quantity.start : quantity.end].replace(",", "")
    if any(written in reading.figures for reading in sources):
        return True
    number = quantity.number
    if number.denominator != 1 or not 2 <= number <= _COUNTABLE:
        return False
    return any(number <= reading.longest_row for reading in sources)


def _bound(
    claim: ClaimReading,
    item: _Place,
    same: Sequence[tuple[SourceReading, _Place]],
) -> Iterator[Reason]:
    """A bound on the other side than every source's, or one that no source has beside it."""
    moment = not isinstance(item, Quantity)
    bound = find_bound(claim.flat, item.start, item.end, moment=moment)
    if bound is not None:
        others = [
            (reading, reading.bound_at(other.start, other.end, moment)) for reading, other in same
        ]
        if not any(other and other.side is bound.side for _, other in others):
            unbounded = any(other is None for _, other in others)
            if bound.firm if unbounded else not _complements(claim, item, same):
                words = claim.written(item.start, item.end)
                stated = claim.written(bound.start, bound.end).strip(" ,，")
                told = next((reading.written(b.start, b.end) for reading, b in others if b), "")
                yield Reason("other_bound" if told else "no_bound", words, told, stated)
                return
    anchor = None if moment else find_anchor(claim.flat, item.end)
    if anchor is not None:
        anchors = [find_anchor(reading.whole, other.end) for reading, other in same]
        if all(other and other is not anchor for other in anchors):
            yield Reason("absent", claim.written(item.start, item.end + 7))


def _complements(
    claim: ClaimReading, item: _Place, same: Sequence[tuple[SourceReading, _Place]]
) -> bool:
    """Whether one side denies what the other affirms, so that the bounds turn round too: shorter
    than 12 is rejected, at least 12 is needed."""
    here = any(
        -1 in clause.signs.values()
        for clause in claim.clauses
        if clause.start <= item.start < clause.end
    )
    there = any(
        -1 in clause.signs.values()
        for reading, other in same
        for clause in reading.clauses_at(other.start)
    )
    return here != there


def _absent(
    written: str,
    others: Sequence[tuple[SourceReading, _Place]],
) -> Reason:
    if not others:
        return Reason("absent", written)
    reading, other = others[0]
    return Reason("other_value", written, reading.written(other.start, other.end))


def _units(claim: ClaimReading, sources: Sources) -> Iterator[Reason]:
    named = [*claim.rates, *find_bare_units(claim.flat)]
    if not named:
        return
    known = frozenset().union(*(reading.units for reading in sources))
    for unit in named:
        if unit.unit not in known:
            yield Reason("absent", claim.written(unit.start, unit.end))
