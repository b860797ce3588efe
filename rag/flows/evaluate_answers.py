"""Measures answers: every question of a set through the same path that answers people."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rag.core.answer_metrics import refusal_metrics, score_answer
from rag.core.metrics import interval, percentile
from rag.domain.answer import Answer
from rag.domain.base import Value
from rag.domain.errors import RagError, UsageError
from rag.domain.evaluation import EvalQuery
from rag.domain.ports import Progress


class Graded(Value):
    """One question, what came out, and the value of each metric it is eligible for."""

    query: EvalQuery
    answer: Answer | None
    """None when the request failed; `error` then says why."""
    scores: dict[str, float]
    error: str | None = None
    ms: float


def measure_answers(
    queries: Sequence[EvalQuery],
    ask: Callable[[str], Answer],
    document_of: Callable[[str], str] = lambda path: path,
    progress: Progress | None = None,
) -> list[Graded]:
    """Asks every question; one that fails is counted and never stops the rest.

    Raises:
        UsageError: there is no question.
    """
    if not queries:
        raise UsageError("the dataset has no question", "check its queries")
    graded: list[Graded] = []
    for done, query in enumerate(queries):
        if progress:
            progress("asking", done, len(queries))
        begin = time.perf_counter()
        try:
            answer, error = _with_document_ids(ask(query.text), document_of), None
        except RagError as failure:
            answer, error = None, failure.message
        graded.append(
            Graded(
                query=query,
                answer=answer,
                scores=score_answer(query, answer) if answer else {},
                error=error,
                ms=(time.perf_counter() - begin) * 1000,
            )
        )
    return graded


def report(dataset: str, graded: Sequence[Graded], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The object that `rag eval answers --json` prints."""
    times = [one.ms for one in graded]
    metrics = _summary(graded)
    metrics |= {
        f"answer_{name}_ms": {"value": percentile(times, share)}
        for name, share in (("p50", 50.0), ("p95", 95.0))
    }
    return {
        "dataset": dataset,
        "n": len(graded),
        "settings": dict(settings),
        "metrics": metrics,
        "outcomes": _outcomes(graded),
        "errors": [{"id": one.query.id, "message": one.error} for one in graded if one.error],
        "by": {
            "language": _grouped(graded, lambda query: query.language),
            "category": _grouped(graded, lambda query: query.category),
        },
    }


def _with_document_ids(answer: Answer, document_of: Callable[[str], str]) -> Answer:
    """Citations by the document id that the judgements use."""
    citations = tuple(
        citation.model_copy(update={"path": document_of(citation.path)})
        for citation in answer.citations
    )
    return answer.model_copy(update={"citations": citations})


def _outcomes(graded: Sequence[Graded]) -> dict[str, dict[str, int]]:
    """How many questions ended how, answerable ones and others apart."""
    table: dict[str, dict[str, int]] = {"answerable": {}, "unanswerable": {}}
    for one in graded:
        row = table["answerable" if one.query.answerable else "unanswerable"]
        outcome = one.answer.status if one.answer else "error"
        row[outcome] = row.get(outcome, 0) + 1
    return table


def _grouped(
    graded: Sequence[Graded], key: Callable[[EvalQuery], str | None]
) -> dict[str, dict[str, Any]]:
    members: dict[str, list[Graded]] = {}
    for one in graded:
        if (name := key(one.query)) is not None:
            members.setdefault(name, []).append(one)
    return {
        name: {"n": len(group), "metrics": _summary(group)}
        for name, group in sorted(members.items())
    }


def _summary(graded: Sequence[Graded]) -> dict[str, Any]:
    values: dict[str, list[float]] = {}
    for one in graded:
        for name, value in one.scores.items():
            values.setdefault(name, []).append(value)
    summary: dict[str, Any] = {
        name: {**interval(found).model_dump(), "n": len(found)}
        for name, found in sorted(values.items())
    }
    asked = [one for one in graded if one.answer is not None]
    if any(not one.query.answerable for one in asked):
        refused = {
            one.query.id: one.answer is not None and one.answer.status == "insufficient"
            for one in asked
        }
        metrics = refusal_metrics(refused, [one.query for one in asked])
        summary |= {name: {"value": value} for name, value in metrics.items()}
    return summary
