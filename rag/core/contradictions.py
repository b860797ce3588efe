"""Hard checks: what a claim states exactly and its sources do not.

Each check yields sentences that a person understands. Checks are conservative: where a source could
mean the same, it is taken to.
"""

import re
from collections.abc import Iterator, Sequence

from rag.core.bounds import Bound
from rag.core.moments import Clock, Date
from rag.core.polarity import Clause, Modal, restricts
from rag.core.quantities import COUNT, ORDINAL, Quantity
from rag.core.rates import find_bare_units
from rag.core.reading import ClaimReading, SourceReading

Sources = Sequence[SourceReading]

# Counts up to a dozen may be counted by whoever reads a list; larger ones must be stated.
_COUNTABLE = 12
# A source clause speaks of what a claim clause speaks of when it has this share of its words; found
# on the polarity cases and on real paragraphs: below it, clauses of other topics compete.
_SAME_TOPIC = 0.5
_SAME_CLAUSE = 0.8


_FIRST = re.compile(r"\b(?:first|initial|initially|1st|earliest|original)\b|第一|第 ?1|首|最早|最初")


def find_contradictions(claim: ClaimReading, sources: Sources) -> Iterator[str]:
    """Why `claim` cannot rest on `sources`; nothing when no check fails."""
    where = " or ".join(reading.source.marker for reading in sources)
    yield from _literals(claim, sources, where)
    yield from _moments(claim, sources, where)
    yield from _quantities(claim, sources, where)
    yield from _units(claim, sources, where)
    same_language = [reading for reading in sources if reading.is_chinese == claim.is_chinese]
    if same_language and len(same_language) == len(sources):
        yield from _polarity(claim, same_language, where)


def _literals(claim: ClaimReading, sources: Sources, where: str) -> Iterator[str]:
    for literal in claim.literals:
        if literal.kind == "quotation" and _foreign(literal.text, sources):
            continue
        if not any(reading.literals.holds(literal) for reading in sources):
            written = claim.text[literal.start : literal.end]
            yield f"{written} does not occur in {where}"


def _foreign(text: str, sources: Sources) -> bool:
    """A quotation in another language than every source is a translation."""
    is_han = any("一" <= char <= "鿿" for char in text)
    return all(reading.is_chinese != is_han for reading in sources)


def _moments(claim: ClaimReading, sources: Sources, where: str) -> Iterator[str]:
    dates = [date for reading in sources for date in reading.dates]
    for date in (*claim.moments.dates, *claim.years):
        written = claim.text[date.start : date.end]
        if not _date_held(date, dates) and not any(written in r.figures for r in sources):
            yield _absent(written, where, _others(sources, "dates"))
    days = {day.day for reading in sources for day in reading.moments.weekdays}
    for weekday in claim.moments.weekdays:
        if weekday.day not in days and weekday.end > weekday.start:
            yield f'"{claim.text[weekday.start : weekday.end]}" is not in {where}'
    clocks = [clock for reading in sources for clock in reading.moments.clocks]
    for clock in claim.moments.clocks:
        same = [other for other in clocks if other.minutes & clock.minutes]
        written = claim.text[clock.start : clock.end]
        if not same and not any(written in reading.source.text for reading in sources):
            yield _absent(written, where, _others(sources, "clocks"))
        elif same and _turned(clock.bound, [other.bound for other in same]):
            yield _bound_sentence(claim.text[clock.start : clock.end], clock.bound, same, where)
    for date in claim.moments.dates:
        same_dates = [other for other in dates if _date_held(date, [other])]
        if same_dates and _turned(date.bound, [other.bound for other in same_dates]):
            written = claim.text[date.start : date.end]
            yield _bound_sentence(written, date.bound, same_dates, where)


def _date_held(date: Date, dates: Sequence[Date]) -> bool:
    """Every part of the date occurs: in one date, or the year (in a heading, say) apart from it."""
    years = {reading[0] for other in dates for reading in other.readings}
    for year, month, day in date.readings:
        for other in dates:
            for other_year, other_month, other_day in other.readings:
                if (
                    (month is None or month == other_month)
                    and (day is None or day == other_day)
                    and (
                        year is None or year == other_year or (other_year is None and year in years)
                    )
                ):
                    return True
    return False


def _quantities(claim: ClaimReading, sources: Sources, where: str) -> Iterator[str]:
    for quantity in claim.quantities:
        held = _agreeing(quantity, sources)
        if not held:
            if not _excused(quantity, claim, sources):
                written = claim.text[quantity.start : quantity.end].strip()
                yield _absent(written, where, _rivals(quantity, sources))
        elif quantity.bound is not None:
            if _turned(quantity.bound, [other.bound for other in held]):
                written = claim.text[quantity.start : quantity.end].strip()
                yield _bound_sentence(written, quantity.bound, held, where)


def _agreeing(quantity: Quantity, sources: Sources) -> list[Quantity]:
    found: list[Quantity] = []
    for reading in sources:
        for value in quantity.values:
            candidates = reading.by_number.get((quantity.dimension, value), [])
            found += [other for other in candidates if quantity.agrees(other)]
        same_number = reading.by_number.get(("number", quantity.number), [])
        if quantity.dimension == COUNT and not quantity.nouns or quantity.dimension == ORDINAL:
            found += [other for other in same_number if other.dimension in (COUNT, ORDINAL)]
        elif quantity.dimension not in (COUNT, ORDINAL):
            # `timeout = 30`, "in seconds" said elsewhere; a table column "Days".
            found += [
                other
                for other in same_number
                if other.dimension == COUNT and not other.nouns and reading.units
            ]
    if quantity.dimension == COUNT and quantity.nouns:
        rivals = _same_noun(quantity, sources)
        if rivals and all(other.nouns and not other.nouns & quantity.nouns for other in found):
            return []
    return found


def _same_noun(quantity: Quantity, sources: Sources) -> list[Quantity]:
    return [
        other
        for reading in sources
        for other in reading.quantities
        if other.dimension == COUNT and other.nouns & quantity.nouns
    ]


def _excused(quantity: Quantity, claim: ClaimReading, sources: Sources) -> bool:
    if quantity.article:
        return not _rivals(quantity, sources)
    if quantity.dimension == ORDINAL and quantity.number == 1:
        return any(_FIRST.search(reading.whole) for reading in sources)
    written = claim.flat[quantity.start : quantity.end].replace(",", "")
    if quantity.dimension == COUNT:
        if _same_noun(quantity, sources):
            return False
        if any(written in reading.figures for reading in sources):
            return True
        number = quantity.number
        if number.denominator == 1 and 2 <= number <= _COUNTABLE:
            return any(_counts_out(int(number), reading) for reading in sources)
    return False


def _counts_out(number: int, reading: SourceReading) -> bool:
    """Whether the source shows `number` things side by side: lines, table rows, words in a row."""
    flat = reading.whole
    lines = [line for line in flat.split("\n") if line.strip()]
    items = sum(line.lstrip()[:1] in "-*+•|" or line.lstrip()[:1].isdigit() for line in lines)
    if items >= number:
        return True
    for span in reading.sentences:
        sentence = reading.flat[span.start : span.end]
        signs = sentence.count("、") + sentence.count(",") + sentence.count(" and ")
        signs += sentence.count(" or ") + sum(sentence.count(char) for char in "和与及或")
        if signs + 1 >= number:
            return True
    return number == 2 and any(word in flat for word in ("both", "pair", "二者", "双方", "皆"))


def _rivals(quantity: Quantity, sources: Sources) -> list[str]:
    """What the sources say instead, as written."""
    found = []
    for reading in sources:
        for other in reading.quantities:
            if other.dimension != quantity.dimension:
                continue
            if quantity.dimension == COUNT and quantity.nouns and not other.nouns & quantity.nouns:
                continue
            found.append(_original(reading, other.start, other.end))
    return found


def _original(reading: SourceReading, start: int, end: int) -> str:
    shift = len(reading.whole) - len(reading.flat)
    if start < shift:
        return reading.source.context[start:end].strip()
    return reading.source.text[start - shift : end - shift].strip()


def _others(sources: Sources, kind: str) -> list[str]:
    found = []
    for reading in sources:
        moments = reading.dates if kind == "dates" else reading.moments.clocks
        found += [_original(reading, item.start, item.end) for item in moments]
    return found


def _turned(bound: Bound | None, others: Sequence[Bound | None]) -> bool:
    """Whether every source bound is on the other side, or a firm bound has none beside it."""
    if bound is None:
        return False
    if any(other is not None and other.side is bound.side for other in others):
        return False
    if any(other is None for other in others):
        return bound.firm
    return True


def _bound_sentence(
    written: str, bound: Bound | None, held: Sequence[Quantity | Date | Clock], where: str
) -> str:
    words = bound.words if bound else ""
    other = next((item.bound.words for item in held if item.bound), None)
    told = f', which says "{other}"' if other else ""
    return f'"{words}" is not what {where} says of "{written}"{told}'


def _absent(written: str, where: str, others: Sequence[str]) -> str:
    told = f', which says "{others[0]}"' if others else ""
    return f'"{written}" is not in {where}{told}'


def _units(claim: ClaimReading, sources: Sources, where: str) -> Iterator[str]:
    known = frozenset().union(*(reading.rates | reading.units for reading in sources))
    for rate in claim.rates:
        if rate.unit not in known:
            yield f'"{claim.text[rate.start : rate.end]}" is not in {where}'
    for bare in find_bare_units(claim.flat):
        if bare.unit not in known and known:
            yield f'"{claim.text[bare.start : bare.end]}" is not in {where}'


_CLASHES = frozenset(
    {
        (Modal.REQUIRED, Modal.NOT_REQUIRED),
        (Modal.REQUIRED, Modal.FORBIDDEN),
        (Modal.ALLOWED, Modal.FORBIDDEN),
        (Modal.FORBIDDEN, Modal.NOT_REQUIRED),
    }
)


def _polarity(claim: ClaimReading, sources: Sources, where: str) -> Iterator[str]:
    for clause in claim.clauses:
        nearest = _nearest(clause, sources)
        if not nearest:
            continue
        if all(_denies(clause, other) for other in nearest) and _same_subject(
            clause, nearest, claim.clauses
        ):
            yield f'{where} says the opposite of "{_written(claim, clause)}"'
        elif clause.exclusive and not any(restricts(reading.flat) for reading in sources):
            yield f'{where} does not say "only" of "{_written(claim, clause)}"'


def _nearest(clause: Clause, sources: Sources) -> list[Clause]:
    """The source clauses that share most words with `clause`, all equally near."""
    ranked: list[tuple[int, Clause]] = []
    for reading in sources:
        ranked += reading.clauses_sharing(clause)
    most = max((shared for shared, _ in ranked), default=0)
    if most < _SAME_TOPIC * len(clause.signs):
        return []
    return [other for shared, other in ranked if shared == most]


def _same_subject(clause: Clause, nearest: Sequence[Clause], others: Sequence[Clause]) -> bool:
    """Whether the clauses really are about one thing: most of the words of either are the other's,
    and no other clause of the claim fits better."""
    for near in nearest:
        shared = len(clause.signs.keys() & near.signs.keys())
        if shared < 2 and clause.signs.keys() != near.signs.keys():
            return False
        if shared < _SAME_CLAUSE * len(clause.signs) or shared < _SAME_TOPIC * len(near.signs):
            return False
        if any(len(other.signs.keys() & near.signs.keys()) > shared for other in others):
            return False
    return True


def _written(claim: ClaimReading, clause: Clause) -> str:
    return claim.text[clause.start : clause.end].strip()


def _denies(clause: Clause, other: Clause) -> bool:
    shared = clause.signs.keys() & other.signs.keys()
    decisive = {key for key in shared if key in clause.opposites} or shared
    opposed = sum(clause.signs[key] != other.signs[key] for key in decisive)
    if opposed * 2 > len(decisive):
        return True
    if clause.modal and other.modal:
        pair = (clause.modal, other.modal)
        return pair in _CLASHES or pair[::-1] in _CLASHES
    return False
