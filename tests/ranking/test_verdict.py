"""The plain word about a second stage, and the measurement behind it."""

from collections.abc import Sequence
from typing import Any

import pytest

from rag.core.metrics import Difference
from rag.core.verdict import judge_gain
from rag.domain.errors import SetupError, UsageError
from rag.domain.evaluation import EvalQuery
from rag.domain.retrieval import Candidate, Retrieved
from rag.flows.evaluate_rerank import Candidates, first_stage, report, second_stage
from rag.promptbook import PromptBook
from rag.rerankers.llm import LLMReranker, RerankOptions
from tests.ranking.doubles import Behaviour, Ranker, fails, perfect_order, says, worth

pytest.importorskip("ir_measures", reason="needs the extra eval")


def gain(value: float, low: float, high: float) -> Difference:
    return Difference(before=0.5, after=0.5 + value, value=value, low=low, high=high)


@pytest.mark.parametrize(
    ("n", "measured", "headroom", "worth"),
    [
        (200, gain(0.05, 0.01, 0.09), 0.2, "worth it"),
        (200, gain(0.00, -0.01, 0.01), 0.2, "not worth it"),
        (200, gain(-0.05, -0.09, -0.01), 0.2, "not worth it"),
        (50, gain(0.03, -0.02, 0.08), 0.2, "not enough questions to tell"),
        (9, gain(0.30, 0.10, 0.50), 0.5, "not enough questions to tell"),
        (50, gain(0.00, -0.02, 0.03), 0.01, "not worth it"),
    ],
)
def test_a_gain_is_only_claimed_beyond_chance(
    n: int, measured: Difference, headroom: float, worth: str
) -> None:
    verdict = judge_gain(n, measured, headroom)
    assert verdict.worth == worth
    assert f"n={n}" in verdict.why


# Twelve questions, each with its document in another place of ten candidates.
QUERIES = tuple(
    EvalQuery(
        id=f"q{number}",
        text=f"question {number}",
        language="en" if number % 2 else "zh-Hant",
        category="odd" if number % 2 else None,
        relevant={f"doc/{number % 5}.md": 1},
    )
    for number in range(12)
)


def candidates(queries: Sequence[EvalQuery] = QUERIES) -> Candidates:
    def search(text: str) -> Retrieved:
        right = int(text.rpartition(" ")[2]) % 5
        found: list[Candidate] = worth(*(99 if place == right else place for place in range(10)))
        return Retrieved(query=text, candidates=tuple(found))

    return first_stage(queries, search, lambda path: path, depth=8)


def outcome(*behaviours: Behaviour, form: str = "array"):  # type: ignore[no-untyped-def]
    found = candidates()
    options = RerankOptions(form=form, patience=1000)
    model = Ranker(*behaviours)
    reranker = LLMReranker(lambda: model, PromptBook(), options)
    result = second_stage(found, reranker, lambda path: path, form)
    return report("twelve", found, [result], {"model": "test"})


def test_a_model_that_ranks_perfectly_reaches_the_ideal_and_is_worth_it() -> None:
    told = outcome(perfect_order)
    array = told["forms"]["array"]
    assert told["metrics"]["ndcg@10"]["value"] == told["ideal"]["ndcg@10"]["value"] == 1.0
    assert told["first_stage"]["hit@1"]["value"] == pytest.approx(3 / 12)
    assert array["verdict"]["worth"] == "worth it"
    assert array["gain"]["hit@1"]["value"] == pytest.approx(9 / 12)
    assert (array["replies"]["clean"], array["replies"]["fallback"]) == (1.0, 0.0)
    assert array["replies"]["warning"] is None


def test_a_model_that_only_repeats_the_order_is_seen_through() -> None:
    array = outcome(says("[0, 1, 2, 3, 4, 5, 6, 7]"))["forms"]["array"]
    assert array["replies"]["unchanged"] == 1.0
    assert array["gain"]["ndcg@10"]["value"] == 0.0
    assert array["verdict"]["worth"] == "not worth it"


def test_a_list_shown_in_reverse_tells_a_judge_from_an_echo() -> None:
    def order(*behaviours: Behaviour) -> dict[str, Any] | None:
        found = candidates()
        model = Ranker(*behaviours)
        reranker = LLMReranker(lambda: model, PromptBook(), RerankOptions(patience=1000))
        result = second_stage(found, reranker, lambda path: path, "array", reverse_too=True)
        assert len(model.requests) == 2 * len(QUERIES)
        told: dict[str, Any] | None = report("twelve", found, [result], {})["forms"]["array"][
            "order"
        ]
        return told

    judge, echo = order(perfect_order), order(says("[0, 1, 2, 3, 4, 5, 6, 7]"))
    assert judge is not None
    assert echo is not None
    assert judge["n"] == echo["n"] == len(QUERIES)
    assert judge["tau"]["value"] == 1.0
    assert echo["tau"]["value"] == -1.0
    assert order(says("no idea")) is None
    assert outcome(perfect_order)["forms"]["array"]["order"] is None


def test_the_shares_of_replies_tell_malformed_from_failed() -> None:
    told = outcome(says("[1, 0]"), says("no idea"), fails("timeout"), perfect_order)
    replies = told["forms"]["array"]["replies"]
    assert replies["calls"] == 12
    assert replies["repaired"] == pytest.approx(1 / 12)
    assert replies["malformed"] == pytest.approx(1 / 12)
    assert replies["fallback"] == pytest.approx(2 / 12)
    assert replies["reasons"] == {"no_array": 1, "timeout": 1}
    assert outcome(says("no idea"))["forms"]["array"]["replies"]["warning"]


def test_lists_what_was_found_in_the_top_five_but_not_first() -> None:
    misses = outcome(perfect_order)["near_misses"]
    assert {miss["id"] for miss in misses} == {q.id for q in QUERIES if int(q.id[1:]) % 5}
    assert all(
        (miss["before"], miss["after"]) == (int(miss["id"][1:]) % 5 + 1, 1) for miss in misses
    )


def test_judges_each_language_and_category_on_its_own_questions() -> None:
    by = outcome(perfect_order)["forms"]["array"]["by"]
    assert {name: one["n"] for name, one in by["language"].items()} == {"en": 6, "zh-Hant": 6}
    assert by["category"]["odd"]["verdict"]["worth"] == "not enough questions to tell"


def test_only_the_depth_is_reranked_and_the_rest_stays_behind() -> None:
    found = candidates()
    model = Ranker(perfect_order)
    second_stage(found, LLMReranker(lambda: model, PromptBook()), lambda path: path, "array")
    assert all('"id": 7' in request.messages[-1].content for request in model.requests)
    assert not any('"id": 8' in request.messages[-1].content for request in model.requests)


def test_without_a_model_there_is_nothing_to_measure() -> None:
    reranker = LLMReranker(lambda: Ranker(fails("no_model")), PromptBook())
    with pytest.raises(SetupError, match="no language model"):
        second_stage(candidates(), reranker, lambda path: path, "array")


def test_without_a_judged_query_there_is_nothing_to_measure() -> None:
    with pytest.raises(UsageError):
        candidates(())
