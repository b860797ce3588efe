"""A number with what it counts."""

from dataclasses import dataclass
from fractions import Fraction

from rag.core.support.measures import same_currency

COUNT, CURRENCY, ORDINAL = "count", "currency", "ordinal"


@dataclass(frozen=True, slots=True)
class Quantity:
    """`flat[start:end]` states one of `values` in the base of `dimension`.

    `dimension` is one of `core.measures`, or `count`, `currency`, `ordinal`. `nouns` are stems of
    what a count counts, as far as they stand right behind it.
    """

    values: frozenset[Fraction]
    dimension: str
    start: int
    end: int
    currency: str = ""
    nouns: frozenset[str] = frozenset()
    article: bool = False
    """Whether the number is only implied: `an hour`, `one file`."""
    unit: str = ""
    """The unit's name in `core.measures`, where there is one."""
    parts: tuple["Quantity", ...] = ()
    """What this is the sum of: one hour and 30 minutes."""
    number: Fraction = Fraction(0)
    """The number as written, before its unit: 30 of "30 minutes"."""

    def agrees(self, other: "Quantity") -> bool:
        """Whether both can state the same: equal values of one dimension, one currency."""
        if not self.values & other.values:
            return False
        if self.dimension == CURRENCY == other.dimension:
            return same_currency(self.currency, other.currency)
        return self.dimension == other.dimension
