"""From the rankings of parts to the order of all: windows, and batches tied by an anchor."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rag.domain.ranking import Ranking

# Of a listwise ranker, after RankGPT (Sun et al. 2023, arXiv:2304.09542): a window of 20 moves
# forward by half its length, so the best ten of each reach the next.
WINDOW = 20
STEP = 10


class Batch(NamedTuple):
    """One call of the scored form. `members` are the positions shown, the anchor first."""

    members: tuple[int, ...]
    ranking: Ranking | None
    """Its local ids are places in `members`; None when the call failed."""


class Merged(NamedTuple):
    """All positions in order, and the score of each that has one."""

    order: tuple[int, ...]
    scores: dict[int, float]


def windows(n: int, size: int = WINDOW, step: int = STEP) -> list[range]:
    """Overlapping slices of 0..n-1, back to front; the last one begins at 0."""
    starts = [*range(n - size, 0, -step), 0] if n > size else [0]
    return [range(start, min(start + size, n)) for start in starts]


def rank_windows(n: int, rank: Callable[[Sequence[int]], Sequence[int] | None]) -> tuple[int, ...]:
    """The order of 0..n-1 after one pass. `rank` is shown the positions in a window and returns
    their order as places in it, or None: then that slice stays as it is."""
    order = list(range(n))
    for window in windows(n):
        shown = order[window.start : window.stop]
        ranked = rank(shown)
        if ranked is not None:
            order[window.start : window.stop] = [shown[place] for place in ranked]
    return tuple(order)


def batches(n: int, size: int) -> list[tuple[int, ...]]:
    """Positions 0..n-1 in calls of at most `size` passages. Position 0 is the anchor: it is in
    every one, since scores of different calls only compare through a passage that both saw."""
    step = max(1, size - 1)
    return [(0, *range(first, min(first + step, n))) for first in range(1, n, step)]


def merge_scores(n: int, scored: Sequence[Batch]) -> Merged:
    """One order from the scores of all batches.

    A single batch is its ranking. Of several, each is shifted so that the anchor has the same score
    everywhere; what was listed without a score comes behind all scores, then what was not listed.
    The members of a batch that failed, or gave the anchor no score, keep their first-stage places,
    and the others are ordered among the places left.
    """
    if len(scored) == 1 and (only := scored[0].ranking) is not None:
        return Merged(only.order, {i: score for i, score in only.scores or () if score is not None})
    keys: dict[int, tuple[int, float, int]] = {}
    scores: dict[int, float] = {}
    level: float | None = None
    for members, ranking in scored:
        own = dict(ranking.scores or ()) if ranking is not None else {}
        anchor = own.get(0)
        if anchor is None:
            continue
        level = anchor if level is None else level
        shift = level - anchor
        for place, position in enumerate(members):
            if position in keys:
                continue  # the anchor, once it has a place
            score = own.get(place)
            if score is None:
                keys[position] = (1 if place in own else 2, 0.0, position)
            else:
                keys[position] = (0, -score - shift, position)
                scores[position] = min(1.0, max(0.0, score + shift))
    order = list(range(n))
    for place, position in zip(sorted(keys), sorted(keys, key=keys.__getitem__), strict=True):
        order[place] = position
    return Merged(tuple(order), scores)
