"""The order of things in a batch, with a model of answers instead of one."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from rag.domain.answer import Answer, Timings
from rag.domain.batch import Basis, PastResult, Row, RowError, RowResult
from rag.domain.errors import IndexUnusable, ModelError, SetupError, UsageError
from rag.flows.ask import OnStage
from rag.flows.batch import Dropped, Summary, differences, plan, require_distinct_ids, run_batch


def rows(*questions: str) -> list[Row]:
    return [
        Row(number=number, id=f"q{number}", question=question)
        for number, question in enumerate(questions, start=1)
    ]


def past(row: Row, status: str = "answered", **fields: Any) -> PastResult:
    given = {"place": row.number - 1, "id": row.id, "question": row.question, "status": status}
    return PastResult(**given | fields)


def answer(question: str, status: str = "answered") -> Answer:
    return Answer(
        question=question,
        status=status,
        answer="Yes.[S1]",
        decided_by="model",
        attempts=1,
        model="static:replies",
        prompt_version="answer/en/v1@0",
        knowledge_version="kb-1",
        trace_id="t",
        timings_ms=Timings(),
    )


class Kept:
    """Results in memory."""

    def __init__(self) -> None:
        self.rows: dict[int, str] = {}
        self.finished = 0

    def keep(self, kept: Mapping[int, PastResult]) -> None:
        self.rows |= dict.fromkeys(kept, "kept")

    def append(self, number: int, row: dict[str, Any]) -> None:
        self.rows[number] = row["status"]

    def finish(self) -> None:
        self.finished += 1


def shape(result: RowResult) -> dict[str, Any]:
    if result.answer is not None:
        return {"status": result.answer.status}
    assert result.error is not None
    return {"status": result.error.message}


def run(
    asked: list[Row], ask: Callable[[str, OnStage], Answer], jobs: int = 1
) -> tuple[Summary, Kept]:
    results = Kept()
    todo = plan(asked, [])
    summary = run_batch(
        todo, lambda question, *, on_stage: ask(question, on_stage), results, shape, jobs
    )
    return summary, results


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_question_that_fails_never_stops_the_rest(jobs: int) -> None:
    def ask(question: str, on_stage: OnStage) -> Answer:
        if question == "slow":
            raise ModelError("it did not finish in time", reason="timeout")
        if question == "long":
            raise UsageError("the question leaves no room for sources")
        if question == "odd":
            raise KeyError("a fault of ours")
        return answer(question, "rejected" if question == "wrong" else "answered")

    summary, results = run(rows("a", "slow", "long", "odd", "wrong", "b"), ask, jobs)
    assert summary == Summary(rows=6, answered=2, rejected=1, error=3)
    assert results.rows == {
        1: "answered",
        2: "it did not finish in time",
        3: "the question leaves no room for sources",
        4: "unexpected KeyError: 'a fault of ours'",
        5: "rejected",
        6: "answered",
    }
    assert results.finished == 1


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize(
    "broken",
    [
        SetupError("no such setting"),
        IndexUnusable("the index is gone"),
        ModelError("not installed", reason="no_model"),
    ],
)
def test_what_is_broken_for_every_row_is_told_once(broken: Exception, jobs: int) -> None:
    calls: list[str] = []

    def ask(question: str, on_stage: OnStage) -> Answer:
        calls.append(question)
        raise broken

    results = Kept()
    todo = plan(rows(*"abcdefghijklmnopqrstuvwxyz"), [])
    with pytest.raises(type(broken)):
        run_batch(todo, lambda question, *, on_stage: ask(question, on_stage), results, shape, jobs)
    assert len(calls) < 26
    assert results.rows == {}
    assert results.finished == 1


def test_a_row_that_could_not_be_read_is_not_asked() -> None:
    unread = Row(number=2, id="2", question=None, fault=RowError(message="line 2 is not JSON"))
    summary, results = run([*rows("a"), unread], lambda question, _: answer(question))
    assert summary == Summary(rows=2, answered=1, error=1)
    assert results.rows[2] == "line 2 is not JSON"


def test_several_are_asked_at_a_time_and_each_once() -> None:
    together = threading.Barrier(4, timeout=30)  # breaks unless four are asked at once
    asked: list[str] = []

    def ask(question: str, on_stage: OnStage) -> Answer:
        together.wait()
        asked.append(question)
        return answer(question)

    questions = [f"question {number}" for number in range(20)]
    summary, results = run(rows(*questions), ask, jobs=4)
    assert summary.answered == 20
    assert sorted(asked) == sorted(questions)
    assert sorted(results.rows) == list(range(1, 21))


def test_an_interrupt_drops_what_is_being_answered_and_keeps_what_is_done() -> None:
    dropped: list[type[BaseException]] = []
    begun = threading.Semaphore(0)

    def ask(question: str, on_stage: OnStage) -> Answer:
        if question == "quick":
            return answer(question)
        begun.release()
        try:
            while True:  # a model that writes and writes
                on_stage("answering", 1)
                time.sleep(0.01)
        except BaseException as error:
            dropped.append(type(error))
            raise

    class Interrupted(Kept):
        def append(self, number: int, row: dict[str, Any]) -> None:
            super().append(number, row)
            begun.acquire(timeout=30)
            raise KeyboardInterrupt

    results = Interrupted()
    todo = plan(rows("quick", "slow", "slow too", "never begun"), [])
    with pytest.raises(KeyboardInterrupt):
        run_batch(
            todo, lambda question, *, on_stage: ask(question, on_stage), results, shape, jobs=2
        )
    assert results.rows == {1: "answered"}
    assert results.finished == 1
    assert dropped
    assert set(dropped) == {Dropped}


def test_what_gets_ready_while_a_run_ends_is_kept() -> None:
    checking = threading.Event()

    def ask(question: str, on_stage: OnStage) -> Answer:
        if question == "first":
            checking.wait(timeout=30)
            raise SetupError("broken")
        on_stage("checking", 0)  # the last stage has begun: nothing drops it any more
        checking.set()
        time.sleep(0.1)
        return answer(question)

    results = Kept()
    todo = plan(rows("late", "first"), [])
    with pytest.raises(SetupError):
        run_batch(
            todo, lambda question, *, on_stage: ask(question, on_stage), results, shape, jobs=2
        )
    assert results.rows == {1: "answered"}


def test_two_rows_with_one_id_are_refused_with_their_lines() -> None:
    twice = [Row(number=2, id=7, question="a"), Row(number=5, id="7", question="b")]
    with pytest.raises(UsageError, match="lines 2 and 5") as caught:
        require_distinct_ids(twice)
    assert caught.value.hint


def test_an_unreadable_row_takes_no_ones_id() -> None:
    unread = Row(number=3, id="3", question=None, fault=RowError(message="not JSON"))
    require_distinct_ids([Row(number=1, id="3", question="a"), unread])
    named = unread.model_copy(update={"id": "a"})
    with pytest.raises(UsageError, match="lines 1 and 3"):
        require_distinct_ids([Row(number=1, id="a", question="a"), named])


def test_only_answered_rows_with_the_same_question_are_kept() -> None:
    wanted = rows("a", "b", "c", "d", "e")
    before = [
        past(wanted[0]),
        past(wanted[1], "error"),
        past(wanted[2], question="c, but otherwise"),
        past(wanted[3], "rejected"),
        past(Row(number=9, id="q9", question="gone")),
    ]
    todo = plan(wanted, before)
    assert set(todo.kept) == {1, 4}
    assert [row.number for row in todo.asked] == [2, 3, 5]
    assert todo.gone == 1


def test_the_same_questions_under_other_ids_are_each_asked() -> None:
    twice = rows("same", "same")
    todo = plan(twice, [past(twice[0])])
    assert [row.id for row in todo.asked] == ["q2"]


def test_the_latest_result_of_a_row_counts() -> None:
    (row,) = rows("a")
    todo = plan([row], [past(row, "error"), past(row, place=1)])
    assert todo.kept[1].place == 1
    assert todo.gone == 0


def test_an_unreadable_row_does_not_hide_the_answer_of_one_with_its_number_for_an_id() -> None:
    named = Row(number=1, id="2", question="a")
    unread = Row(number=2, id="2", question=None, fault=RowError(message="not JSON"))
    before = [past(named), past(unread, "error")]
    assert set(plan([named, unread], before).kept) == {1}


def test_results_of_other_questions_are_not_replaced() -> None:
    other = past(Row(number=1, id="q1", question="quite another"))
    with pytest.raises(UsageError, match="other questions"):
        plan(rows("a", "b"), [other])


def test_what_kept_results_rest_on_is_compared() -> None:
    (row,) = rows("a")
    basis = Basis(knowledge_version="kb-2", model="m", prompt_versions=("answer/en/v1", "zh"))
    same = past(row, knowledge_version="kb-2", model="m", prompt_version="answer/en/v1")
    assert differences([same, past(row, knowledge_version="kb-2")], basis) == []
    told = differences([same, past(row, knowledge_version="kb-1", model="n")], basis)
    assert told == ["knowledge kb-1, now kb-2", "model n, now m"]
