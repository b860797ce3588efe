"""What the guard made of a ranking model's reply."""

from typing import Literal

from pydantic import Field

from rag.domain.base import Value

RankingMode = Literal["ids", "scored"]
RankingForm = Literal["array", "object"]
"""What the prompt asked for: a plain array, or the object `{"ranking": [...]}`."""

RankingRefusal = Literal[
    "empty", "no_array", "empty_array", "no_valid_ids", "one_based", "uninformative_scores"
]
"""Why a reply changes nothing. A failed call has a `ModelFailure` for its reason instead."""


class RankingCounts(Value):
    """What was dropped, and what was appended. Not exclusive: one reply can have all of them."""

    out_of_range: int = 0
    duplicates: int = 0
    invalid: int = 0
    missing: int = 0


class Ranking(Value):
    """A full order of the candidates 0..n-1, whatever the reply was.

    `order` is a permutation of 0..n-1: the ids read, then the missing ones in first-stage order;
    the first-stage order itself when the reply was refused.
    """

    accept: bool
    order: tuple[int, ...]
    kept: tuple[int, ...] = ()
    """The ids that were read from the reply, in the order they decide; empty when refused."""
    clean: bool = False
    """The reply was exactly what was asked for: the form, every id once, nothing around it."""
    scores: tuple[tuple[int, float | None], ...] | None = None
    """Id and score of each kept candidate, scored mode only; None when refused."""
    reasons: dict[int, str] = Field(default_factory=dict)
    """The model's own words for a candidate, where it gave some."""
    reason: RankingRefusal | None = None
    counts: RankingCounts = RankingCounts()
