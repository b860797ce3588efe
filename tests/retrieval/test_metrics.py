"""Metrics as the field computes them, and how sure a mean of them is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.metrics import (
    RETRIEVAL_METRICS,
    difference,
    interval,
    rank_correlation,
    retrieval_metrics,
)

QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}, "q3": {"d": 1}}
RUN = {"q1": ["x", "a", "b"], "q2": ["c"]}


def test_values_worked_out_by_hand() -> None:
    values = retrieval_metrics(QRELS, RUN)
    assert values["hit@1"] == {"q1": 0.0, "q2": 1.0, "q3": 0.0}
    assert values["mrr@10"] == {"q1": 0.5, "q2": 1.0, "q3": 0.0}
    assert values["recall@5"] == {"q1": 1.0, "q2": 1.0, "q3": 0.0}
    # (1/log2(3) + 1/log2(4)) / (1/log2(2) + 1/log2(3))
    assert values["ndcg@10"]["q1"] == pytest.approx(0.6934, abs=1e-4)
    assert values.keys() == RETRIEVAL_METRICS.keys()


def test_order_decides_however_deep_the_list() -> None:
    run = {"q2": [f"x{n}" for n in range(9)] + ["c", "y"]}
    values = retrieval_metrics({"q2": {"c": 1}}, run)
    assert values["mrr@10"]["q2"] == pytest.approx(0.1)
    assert values["hit@10"]["q2"] == 1.0
    assert values["hit@5"]["q2"] == values["mrr@5"]["q2"] == 0.0


def test_an_empty_run_is_zero_everywhere() -> None:
    assert set(retrieval_metrics(QRELS, {})["ndcg@10"].values()) == {0.0}


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30))
def test_an_interval_holds_its_mean_and_is_the_same_each_time(values: list[float]) -> None:
    found = interval(values)
    assert found.low - 1e-9 <= found.value <= found.high + 1e-9
    assert found == interval(values)


def test_more_queries_make_a_narrower_interval() -> None:
    few, many = interval([0.0, 1.0] * 10), interval([0.0, 1.0] * 200)
    assert many.high - many.low < few.high - few.low


def test_a_paired_difference_sees_what_two_intervals_hide() -> None:
    before = {str(n): n / 100 for n in range(100)}
    after = {query: value + 0.02 for query, value in before.items()}
    assert interval(list(before.values())).high > interval(list(after.values())).low
    change = difference(before, after)
    assert change.clear
    assert change.value == pytest.approx(0.02)


def test_no_change_is_not_clear() -> None:
    before = {"a": 0.0, "b": 1.0, "c": 0.5}
    assert not difference(before, before).clear


def test_rank_correlation_goes_from_reversed_to_equal() -> None:
    assert rank_correlation("abcd", "abcd") == 1.0
    assert rank_correlation("abcd", "dcba") == -1.0
    assert rank_correlation("abcd", "bacd") == pytest.approx(2 / 3)
    assert rank_correlation("a", "a") == rank_correlation("", "") == 1.0


def test_only_shared_queries_are_compared() -> None:
    change = difference({"a": 0.0, "gone": 1.0}, {"a": 1.0, "new": 0.0})
    assert (change.before, change.after) == (0.0, 1.0)
