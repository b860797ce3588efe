"""Run files that other tools read and write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.trec import format_run, parse_run
from rag.domain.errors import UsageError

NAMES = st.text(alphabet="abc/.-_字1", min_size=1, max_size=12)
RUNS = st.dictionaries(NAMES, st.lists(NAMES, min_size=1, unique=True, max_size=20), max_size=5)


@given(RUNS)
def test_a_run_written_is_read_back(run: dict[str, list[str]]) -> None:
    assert parse_run(format_run(run, "tag")) == run


def test_paths_may_hold_spaces() -> None:
    run = {"q1": ["guides/travel policy.md", "a.md"]}
    assert parse_run(format_run(run, "tag")) == run


def test_scores_decide_not_the_order_of_lines() -> None:
    text = "q1 Q0 low 1 0.5 other\nq1 Q0 high 2 7.5e1 other\n\nq1\tQ0\tlast\t3\t-1\tother\n"
    assert parse_run(text) == {"q1": ["high", "low", "last"]}


@pytest.mark.parametrize("line", ["q1 Q0 a 1 0.5", "q1 Q0 a 1 much tag", "nonsense"])
def test_a_line_that_is_no_hit_is_named(line: str) -> None:
    with pytest.raises(UsageError, match="line 2"):
        parse_run(f"q1 Q0 a 1 0.5 tag\n{line}\n")
