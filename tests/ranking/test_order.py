"""Windows, batches and the breaker: the pure parts around the calls."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.breaker import FAILURES, PAUSE_SECONDS, Breaker
from rag.core.ranking import parse_ranking
from rag.core.ranking_order import (
    STEP,
    WINDOW,
    Batch,
    batches,
    merge_scores,
    rank_windows,
    windows,
)
from rag.domain.ranking import Ranking


@given(st.integers(1, 200))
def test_windows_cover_everything_back_to_front_and_overlap(n: int) -> None:
    found = windows(n)
    assert {place for window in found for place in window} == set(range(n))
    assert all(len(window) == min(n, WINDOW) for window in found)
    assert found[-1].start == 0
    for later, earlier in pairwise(found):
        assert later.start > earlier.start
        assert len(set(later) & set(earlier)) >= STEP


@given(st.integers(1, 120).flatmap(lambda n: st.permutations(range(n))))
def test_one_perfect_pass_brings_the_best_ten_to_the_front(worth: list[int]) -> None:
    def rank(positions: Sequence[int]) -> list[int]:
        return sorted(range(len(positions)), key=lambda place: -worth[positions[place]])

    order = rank_windows(len(worth), rank)
    assert sorted(order) == list(range(len(worth)))
    best = sorted(worth, reverse=True)[:10]
    assert [worth[position] for position in order[:10]] == best


@given(st.integers(0, 120))
def test_windows_that_all_fail_change_nothing(n: int) -> None:
    assert rank_windows(n, lambda positions: None) == tuple(range(n))


@given(st.integers(2, 100), st.integers(2, 20))
def test_batches_hold_each_candidate_once_and_the_anchor_always(n: int, size: int) -> None:
    found = batches(n, size)
    assert all(batch[0] == 0 and 2 <= len(batch) <= size for batch in found)
    others = [position for batch in found for position in batch[1:]]
    assert others == list(range(1, n))


def scored(*rows: tuple[int, float | None], n: int) -> Ranking:
    written = ", ".join(
        f'{{"id": {i}, "score": {"null" if score is None else score}}}' for i, score in rows
    )
    return parse_ranking(f"[{written}]", n, "scored")


def test_a_single_batch_is_its_ranking() -> None:
    ranking = scored((2, 0.9), (0, None), n=4)
    merged = merge_scores(4, [Batch((0, 1, 2, 3), ranking)])
    assert merged.order == ranking.order == (2, 0, 1, 3)
    assert merged.scores == {2: 0.9}


def test_batches_order_by_score_then_unscored_then_unlisted() -> None:
    first = Batch((0, 1, 2), scored((0, 0.5), (1, None), (2, 0.7), n=3))
    second = Batch((0, 3, 4), scored((0, 0.5), (2, 0.6), n=3))
    assert merge_scores(5, [first, second]).order == (2, 4, 0, 1, 3)


@pytest.mark.parametrize("broken", [None, "unscored anchor"])
def test_a_batch_without_the_anchors_score_keeps_its_members_in_place(broken: str | None) -> None:
    ranking = scored((1, 0.9), (2, 0.1), n=3) if broken else None
    good = Batch((0, 3, 4), scored((0, 0.2), (1, 0.4), (2, 0.9), n=3))
    merged = merge_scores(5, [Batch((0, 1, 2), ranking), good])
    assert merged.order == (4, 1, 2, 3, 0)
    assert merged.scores == {0: 0.2, 3: 0.4, 4: 0.9}


def test_shifted_scores_stay_between_nothing_and_one() -> None:
    first = Batch((0, 1), scored((0, 0.9), (1, 0.8), n=2))
    second = Batch((0, 2), scored((0, 0.1), (1, 0.7), n=2))
    merged = merge_scores(3, [first, second])
    assert merged.order == (2, 0, 1)
    assert merged.scores == {0: 0.9, 1: 0.8, 2: 1.0}


def test_the_breaker_opens_after_failures_in_a_row_and_closes_with_time() -> None:
    breaker = Breaker()
    for _ in range(FAILURES - 1):
        breaker = breaker.failed(100.0, "timeout")
        assert breaker.pause(100.0) == 0
    breaker = breaker.failed(100.0, "timeout")
    assert breaker.pause(100.0) == PAUSE_SECONDS
    assert breaker.pause(100.0 + PAUSE_SECONDS) == 0
    assert breaker.failed(200.0, "timeout").pause(200.0) == PAUSE_SECONDS
    assert breaker.succeeded() == Breaker()
