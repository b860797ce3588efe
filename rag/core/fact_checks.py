"""Hard checks of facts: what a claim states exactly must stand in a source that it cites.

Each check yields sentences that a person understands. Checks are conservative: where a source could
mean the same, it is taken to. They hold across languages.
"""

import re
from collections.abc import Iterator, Sequence

from rag.core.bounds import Bound, find_bound
from rag.core.measures import UNITS
from rag.core.moments import Clock, Date
from rag.core.quantities import COUNT, ORDINAL, Quantity
from rag.core.rates import find_bare_units
from rag.core.reading import ClaimReading, SourceReading

Sources = Sequence[SourceReading]

# Counts up to a dozen may be counted by whoever reads a list; larger ones must be stated.
_COUNTABLE = 12
_FIRST = re.compile(
    r"\b(?:first|initial|initially|1st|earliest|original)\b|第一|第 ?1|首|最早|最初"
)
_PAIR = re.compile(r"\b(?:both|pair|either)\b|二者|两者|双方|皆")


def check_facts(claim: ClaimReading, sources: Sources) -> Iterator[str]:
    """The facts of `claim` that none of `sources` has, one sentence each."""
    where = " or ".join(reading.marker for reading in sources)
    yield from _literals(claim, sources, where)
    yield from _moments(claim, sources, where)
    yield from _quantities(claim, sources, where)
    yield from _units(claim, sources, where)


def _literals(claim: ClaimReading, sources: Sources, where: str) -> Iterator[str]:
    for literal in claim.literals:
        if literal.kind == "quotation" and _is_translated(literal.text, sources):
            continue
        if not any(reading.literals.holds(literal) for reading in sources):
            yield f"{claim.written(literal.start, literal.end)} is not in {where}"


def _is_translated(quotation: str, sources: Sources) -> bool:
    """A quotation in another language than every source is a translation."""
    is_han = any("㐀" <= char <= "鿿" for char in quotation)
    return all(reading.is_chinese != is_han for reading in sources)


def _moments(claim: ClaimReading, sources: Sources, where: str) -> Iterator[str]:
    for date in claim.dates:
        written = claim.written(date.start, date.end)
        dates = [(reading, other) for reading in sources for other in reading.dates]
        years = {reading[0] for _, other in dates for reading in other.readings}
        same = [(reading, other) for reading, other in dates if _same_date(date, other, years)]
        if same:
            yield from _bound(claim, date, same, where)
        elif not any(written in reading.figures for reading in sources):
            yield _absent(written, where, dates)
    for weekday in claim.moments.weekdays:
        if not any(weekday.day in reading.weekdays for reading in sources):
            yield _absent(claim.written(weekday.start, weekday.end), where, ())
    for clock in claim.moments.clocks:
        clocks = [(reading, other) for reading in sources for other in reading.clocks]
        times = [(reading, other) for reading, other in clocks if other.minutes & clock.minutes]
        written = claim.written(clock.start, clock.end)
        if times:
            yield from _bound(claim, clock, times, where)
        elif not any(written in reading.source.text for reading in sources):
            yield _absent(written, where, clocks)


def _same_date(date: Date, other: Date, years: set[int | None]) -> bool:
    """Whether every part of `date` is in `other`; its year may stand apart, in a heading say."""
    return any(
        month in (None, other_month)
        and day in (None, other_day)
        and (year in (None, other_year) or (other_year is None and year in years))
        for year, month, day in date.readings
        for other_year, other_month, other_day in other.readings
    )


def _quantities(claim: ClaimReading, sources: Sources, where: str) -> Iterator[str]:
    for quantity in claim.quantities:
        agreeing = find_agreeing(quantity, sources)
        if agreeing:
            yield from _bound(claim, quantity, agreeing, where)
        elif not _is_excused(quantity, claim, sources):
            written = claim.written(quantity.start, quantity.end)
            yield _absent(written, where, find_rivals(quantity, sources))


def find_agreeing(quantity: Quantity, sources: Sources) -> list[tuple[SourceReading, Quantity]]:
    """The quantities of `sources` that can state the same."""
    found: list[tuple[SourceReading, Quantity]] = []
    for reading in sources:
        same = [
            other
            for value in quantity.values
            for other in reading.by_value.get((quantity.dimension, value), ())
            if quantity.agrees(other)
        ]
        same += [
            other
            for other in reading.by_number.get(quantity.number, ())
            if other not in same and _same_number_will_do(quantity, other, reading)
        ]
        found += [(reading, other) for other in same]
    if quantity.dimension == COUNT and quantity.nouns:
        # 25 seats, where the sources say 25 users and 5 seats.
        if all(other.nouns and not other.nouns & quantity.nouns for _, other in found):
            return [] if _same_noun(quantity, sources) else found
    return found


def _same_number_will_do(quantity: Quantity, other: Quantity, reading: SourceReading) -> bool:
    if quantity.dimension == COUNT:
        return not quantity.nouns or other.dimension == ORDINAL
    if other.dimension != COUNT:
        return False
    if quantity.dimension == ORDINAL:
        return True
    # `timeout = 30` with "in seconds" somewhere; 30 in the column "Days".
    return not other.nouns and any(
        UNITS[name].dimension == quantity.dimension for name in reading.units if name in UNITS
    )


def find_rivals(quantity: Quantity, sources: Sources) -> list[tuple[SourceReading, Quantity]]:
    """What the sources say of the same kind of thing."""
    if quantity.dimension == COUNT and quantity.nouns:
        return _same_noun(quantity, sources)
    return [
        (reading, other)
        for reading in sources
        for other in reading.by_dimension.get(quantity.dimension, ())
    ]


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
    if quantity.article:
        return not find_rivals(quantity, sources)
    if quantity.dimension == ORDINAL:
        return quantity.number == 1 and any(_FIRST.search(item.whole) for item in sources)
    if quantity.dimension != COUNT or _same_noun(quantity, sources):
        return False
    written = claim.flat[quantity.start : quantity.end].replace(",", "")
    if any(written in reading.figures for reading in sources):
        return True
    number = quantity.number
    if number.denominator != 1 or not 2 <= number <= _COUNTABLE:
        return False
    return any(_shows(int(number), reading) for reading in sources)


def _shows(number: int, reading: SourceReading) -> bool:
    """Whether the source has `number` things side by side: lines, table rows, words in a row."""
    if number == 2 and _PAIR.search(reading.whole):
        return True
    lines = [line.lstrip() for line in reading.whole.split("\n")]
    if sum(line[:1] in "-*+•|" or line[:1].isdigit() for line in lines if line) >= number:
        return True
    for span in reading.sentences:
        sentence = reading.flat[span.start : span.end]
        joints = sum(sentence.count(sign) for sign in ("、", ",", " and ", " or ", *"和与及或"))
        if joints + 1 >= number:
            return True
    return False


def _bound(
    claim: ClaimReading,
    item: Quantity | Date | Clock,
    same: Sequence[tuple[SourceReading, Quantity | Date | Clock]],
    where: str,
) -> Iterator[str]:
    """A bound on the other side than every source's, or one that no source has beside it."""
    moment = not isinstance(item, Quantity)
    bound = find_bound(claim.flat, item.start, item.end, moment=moment)
    if bound is None:
        return
    others: list[Bound | None] = [
        find_bound(reading.whole, other.start, other.end, moment=moment) for reading, other in same
    ]
    if any(other is not None and other.side is bound.side for other in others):
        return
    if any(other is None for other in others) and not bound.firm:
        return
    told = next((f', which says "{other.words}"' for other in others if other), "")
    written = claim.written(item.start, item.end)
    yield f'{where} does not say "{bound.words}" of "{written}"{told}'


def _absent(
    written: str,
    where: str,
    others: Sequence[tuple[SourceReading, Quantity | Date | Clock]],
) -> str:
    if not others:
        return f'"{written}" is not in {where}'
    reading, other = others[0]
    return f'"{written}" is not in {where}, which says "{reading.written(other.start, other.end)}"'


def _units(claim: ClaimReading, sources: Sources, where: str) -> Iterator[str]:
    named = [*claim.rates, *find_bare_units(claim.flat)]
    if not named:
        return
    known = frozenset().union(*(reading.units for reading in sources))
    for unit in named:
        if unit.unit not in known:
            yield f'"{claim.written(unit.start, unit.end)}" is not in {where}'
