"""A claim read for what it states.

Every part is read when it is first asked for: most claims have few of them.
"""

from functools import cached_property

from rag.core.fold import flatten
from rag.core.span import Span
from rag.core.support.clock_times import Clock, find_clocks
from rag.core.support.dates import (
    Date,
    Decade,
    Weekday,
    bare_years,
    find_dates,
    find_decades,
    find_weekdays,
)
from rag.core.support.identifiers import Literally, find_literals
from rag.core.support.orders import Order, Statement, find_orders
from rag.core.support.polarity import Clause, read_clauses
from rag.core.support.quantities import find_quantities
from rag.core.support.quantity import Quantity
from rag.core.support.rates import Rate, find_rates
from rag.core.words import is_chinese, stems


class ClaimReading:
    """What a claim states, without its markers. Literal facts are taken out before numbers are
    read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.flat = flatten(self.text)
        self.is_chinese = is_chinese(self.text)

    def written(self, start: int, end: int) -> str:
        return self.text[start:end].strip()

    @cached_property
    def stems(self) -> list[str]:
        return stems(self.flat)

    @cached_property
    def literals(self) -> list[Literally]:
        found = find_literals(self.flat, self.text)
        dates = {date.start for date in self.full_dates}  # 2026/3/1 is no path
        return [literal for literal in found if literal.start not in dates]

    @cached_property
    def full_dates(self) -> tuple[Date, ...]:
        """Dates that are more than a year."""
        return find_dates(self.flat, self.text)

    @cached_property
    def dates(self) -> list[Date]:
        return [*self.full_dates, *bare_years(self.flat, self.full_dates)]

    @cached_property
    def decades(self) -> list[Decade]:
        return find_decades(self.flat)

    @cached_property
    def weekdays(self) -> tuple[Weekday, ...]:
        return find_weekdays(self.flat, self.text)

    @cached_property
    def clocks(self) -> tuple[Clock, ...]:
        return find_clocks(self.flat, self.full_dates)

    @cached_property
    def quantities(self) -> list[Quantity]:
        moments: list[Date | Decade | Clock | Weekday] = [*self.dates, *self.decades]
        moments += [*self.clocks, *self.weekdays]
        taken = [Span(item.start, item.end) for item in moments]
        taken += [Span(item.start, item.end) for item in self.literals if item.kind != "quotation"]
        return find_quantities(self.flat, sorted(taken))

    @property
    def states_facts(self) -> bool:
        """Whether it holds anything that is compared letter for letter or by value."""
        found = (self.literals, self.dates, self.decades, self.weekdays, self.clocks)
        return any(found) or bool(self.quantities or self.rates)

    @cached_property
    def orders(self) -> dict[Order, Statement]:
        return find_orders(self.flat)

    @cached_property
    def rates(self) -> list[Rate]:
        return find_rates(self.flat)

    @cached_property
    def clauses(self) -> list[Clause]:
        return read_clauses(self.flat, Span(0, len(self.flat)))
