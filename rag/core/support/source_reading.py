"""A source read for everything that a claim may state: facts, sentences, clauses, words.

Every part is read when it is first asked for: most claims ask for few.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Hashable
from fractions import Fraction
from functools import cached_property
from itertools import product

from rag.core.fold import flatten
from rag.core.sentences import split_sentences
from rag.core.span import Span
from rag.core.support.bounds import Bound, find_bound
from rag.core.support.clock_times import Clock, find_clocks
from rag.core.support.coverage import WordIndex
from rag.core.support.dates import (
    Date,
    Decade,
    Weekday,
    bare_years,
    find_dates,
    find_decades,
    find_weekdays,
)
from rag.core.support.identifiers import Literals
from rag.core.support.names import Mentions
from rag.core.support.orders import Order, Statement, find_orders
from rag.core.support.polarity import Clause, read_clauses
from rag.core.support.quantities import find_quantities
from rag.core.support.quantity import Quantity
from rag.core.support.rates import find_rates, find_units
from rag.core.support.verbatim import Squeezed
from rag.core.words import is_chinese, stems
from rag.domain.answer import SourceText

_FIGURES = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*")
_JOINT = re.compile(r"[、,;和与及或]| and | or ")
_PAIR = re.compile(r"\b(?:both|pair|either)\b|二者|两者|双方|皆")
_LINE = re.compile(r"[^\n]+")
_HEADER_RULE = re.compile(r"\n\s*\|?\s*:?-+")
# Words of a table header that count for each of its rows; a bound on hostile tables only.
_MOST_HEADER_WORDS = 64


class SourceReading:
    """What a source states, its context included."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.marker = source.marker
        self.flat = flatten(source.text)
        self.context = flatten(source.context)
        self.whole = f"{self.context}\n{self.flat}" if source.context else self.flat
        """Context and text, flat: where facts are looked for."""
        self.is_chinese = is_chinese(source.text)

    @cached_property
    def _original(self) -> str:
        context = self.source.context
        return f"{context}\n{self.source.text}" if context else self.source.text

    def written(self, start: int, end: int) -> str:
        """The original of `whole[start:end]`."""
        return self._original[start:end].strip()

    @cached_property
    def sentences(self) -> tuple[Span, ...]:
        """Sentences, list items, table rows and code lines of the text; at least one."""
        text = self.source.text
        found: list[Span] = []
        for span in split_sentences(text):
            if text.startswith(("```", "~~~"), span.start):
                lines = _LINE.finditer(text, span.start, span.end)
                found += [Span(*line.span()) for line in lines if line.group().strip()]
            else:
                found.append(span)
        return tuple(found) or (Span(0, len(text)),)

    @cached_property
    def squeezed(self) -> Squeezed:
        return Squeezed(self.flat)

    @cached_property
    def mentions(self) -> Mentions:
        return Mentions(self.whole)

    @cached_property
    def words(self) -> WordIndex:
        spans = self.sentences
        return WordIndex(
            [
                [*stems(self.flat[span.start : span.end]), *self.header_words(number)]
                for number, span in enumerate(spans)
            ],
            stems(self.context),
        )

    @cached_property
    def _headers(self) -> dict[int, tuple[str, ...]]:
        """For every table row the words of its header, which say what the cells are."""
        found: dict[int, tuple[str, ...]] = {}
        if "|" not in self.flat:
            return found
        header: tuple[str, ...] = ()
        for number, span in enumerate(self.sentences):
            row = self.flat[span.start : span.end]
            if "|" not in row:
                header = ()
            elif rule := _HEADER_RULE.search(row):
                header = tuple(stems(row[: rule.start()])[:_MOST_HEADER_WORDS])
            elif header:
                found[number] = header
        return found

    @cached_property
    def rows(self) -> list[list[str]]:
        """The cells of every row of a table that has a header."""
        return [
            [
                cell.strip()
                for cell in self.flat[slice(*self.sentences[number])].strip("| \n").split("|")
            ]
            for number in self._headers
        ]

    def is_row(self, sentence: int) -> bool:
        """Whether a sentence is a row of a table."""
        return sentence in self._headers

    def header_words(self, sentence: int) -> tuple[str, ...]:
        return self._headers.get(sentence, ())

    @cached_property
    def literals(self) -> Literals:
        return Literals(self.whole)

    @cached_property
    def _full_dates(self) -> tuple[Date, ...]:
        return find_dates(self.whole, self._original)

    @cached_property
    def dates(self) -> list[Date]:
        return [*self._full_dates, *bare_years(self.whole, self._full_dates)]

    @cached_property
    def years(self) -> frozenset[int | None]:
        return frozenset(year for date in self.dates for year, _, _ in date.readings)

    @cached_property
    def dates_with(self) -> dict[tuple[int | None, int | None, int | None], list[Date]]:
        """Dates by every choice of their parts: "1 March" finds 2026-03-01."""
        table: dict[tuple[int | None, int | None, int | None], list[Date]] = defaultdict(list)
        for date in self.dates:
            for year, month, day in date.readings:
                for parts in {*product((year, None), (month, None), (day, None))}:
                    table[parts].append(date)
        return table

    @cached_property
    def yearless(self) -> dict[tuple[int, int | None], list[Date]]:
        """Dates without a year by month and day, and by month alone."""
        table: dict[tuple[int, int | None], list[Date]] = defaultdict(list)
        for date in self.dates:
            for year, month, day in date.readings:
                if year is None and month is not None:
                    for part in {day, None}:
                        table[month, part].append(date)
        return table

    @cached_property
    def decades(self) -> list[Decade]:
        return find_decades(self.whole)

    @cached_property
    def weekdays(self) -> dict[int, list[Weekday]]:
        """Weekdays by their number, Monday first."""
        table: dict[int, list[Weekday]] = defaultdict(list)
        for weekday in self._weekdays:
            table[weekday.day].append(weekday)
        return table

    @cached_property
    def _weekdays(self) -> tuple[Weekday, ...]:
        return find_weekdays(self.whole, self._original)

    @cached_property
    def clocks(self) -> tuple[Clock, ...]:
        return find_clocks(self.whole, self._full_dates)

    @cached_property
    def clocks_at(self) -> dict[int, list[Clock]]:
        table: dict[int, list[Clock]] = defaultdict(list)
        for clock in self.clocks:
            for minute in clock.minutes:
                table[minute].append(clock)
        return table

    @cached_property
    def quantities(self) -> list[Quantity]:
        moments: list[Date | Decade | Clock | Weekday] = [*self.dates, *self.decades]
        moments += [*self.clocks, *self._weekdays]
        return find_quantities(self.whole, sorted(Span(item.start, item.end) for item in moments))

    @cached_property
    def by_value(self) -> dict[tuple[str, Fraction], list[Quantity]]:
        table: dict[tuple[str, Fraction], list[Quantity]] = defaultdict(list)
        for quantity in self.quantities:
            for value in quantity.values:
                table[quantity.dimension, value].append(quantity)
        return table

    @cached_property
    def by_number(self) -> dict[Fraction, list[Quantity]]:
        """Quantities by the number as written, whatever it counts."""
        table: dict[Fraction, list[Quantity]] = defaultdict(list)
        for quantity in self.quantities:
            table[quantity.number].append(quantity)
        return table

    @cached_property
    def by_dimension(self) -> dict[str, list[Quantity]]:
        table: dict[str, list[Quantity]] = defaultdict(list)
        for quantity in self.quantities:
            table[quantity.dimension].append(quantity)
        return table

    @cached_property
    def by_noun(self) -> dict[str, list[Quantity]]:
        """Counts by what they count."""
        table: dict[str, list[Quantity]] = defaultdict(list)
        for quantity in self.quantities:
            for noun in quantity.nouns:
                table[noun].append(quantity)
        return table

    @cached_property
    def longest_row(self) -> int:
        """How many things the source shows side by side at most: lines of a list, rows of a table,
        words joined by commas. Whoever reads it can count so many."""
        lines = [line.lstrip() for line in self.whole.split("\n")]
        items = sum(line[:1] in "-*+•|" or line[:1].isdigit() for line in lines if line)
        joints = max(
            len(_JOINT.findall(self.flat, span.start, span.end)) for span in self.sentences
        )
        return max(items, joints + 1, 2 if _PAIR.search(self.whole) else 1)

    @cached_property
    def figures(self) -> frozenset[str]:
        return frozenset(figure.replace(",", "") for figure in _FIGURES.findall(self.whole))

    @cached_property
    def orders(self) -> dict[Order, Statement]:
        return find_orders(self.whole)

    @cached_property
    def rates(self) -> frozenset[str]:
        """Names of the units behind a "per"."""
        return frozenset(rate.unit for rate in find_rates(self.whole))

    @cached_property
    def units(self) -> frozenset[str]:
        """Names of all units of measure that occur, with or without a number."""
        return find_units(self.whole)

    def sentence_at(self, place: int) -> int | None:
        """The sentence at a place of `whole`; None for the context."""
        place -= len(self.whole) - len(self.flat)
        if place < 0:
            return None
        return max(0, bisect_right(self._starts, place) - 1)

    @cached_property
    def _starts(self) -> list[int]:
        return [span.start for span in self.sentences]

    def bound_at(self, start: int, end: int, moment: bool) -> Bound | None:
        """The bound on what stands at `whole[start:end]`."""
        key = (start, end, moment)
        if key not in self._bounds:
            self._bounds[key] = find_bound(self.whole, start, end, moment=moment)
        return self._bounds[key]

    @cached_property
    def _bounds(self) -> dict[tuple[int, int, bool], Bound | None]:
        return {}

    @cached_property
    def _clauses(self) -> dict[int, list[Clause]]:
        return {}

    def clauses_of(self, sentence: int) -> list[Clause]:
        if sentence not in self._clauses:
            self._clauses[sentence] = read_clauses(self.flat, self.sentences[sentence])
        return self._clauses[sentence]

    def clause_between(self, start: int, end: int) -> Clause:
        """`flat[start:end]` read as a clause of its own."""
        if (start, end) not in self._parts:
            self._parts[start, end] = Clause(self.flat[start:end], Span(start, end))
        return self._parts[start, end]

    @cached_property
    def _parts(self) -> dict[tuple[int, int], Clause]:
        return {}

    @cached_property
    def topics(self) -> dict[Hashable, frozenset[tuple[str, int]] | None]:
        """What the values of the source are said of, as far as claims have asked: see `owners`."""
        return {}

    def clauses_at(self, place: int) -> list[Clause]:
        """The clauses at a place of `whole`; none in the context."""
        sentence = self.sentence_at(place)
        if sentence is None:
            return []
        place -= len(self.whole) - len(self.flat)
        return [
            clause for clause in self.clauses_of(sentence) if clause.start <= place < clause.end
        ]
