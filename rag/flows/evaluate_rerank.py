"""Measures reranking: the same candidates in first-stage, reranked and ideal order."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rag.core.metrics import (
    PerQuery,
    difference,
    interval,
    percentile,
    rank_correlation,
    retrieval_metrics,
)
from rag.core.verdict import judge_gain
from rag.domain.base import Value
from rag.domain.errors import SetupError, UsageError
from rag.domain.evaluation import EvalQuery
from rag.domain.ports import Progress, Reranker
from rag.domain.retrieval import Candidate, Retrieved
from rag.domain.trace import RerankCall, RerankTrace

# What decides and what is shown beside it.
DECIDING = "ndcg@10"
SHOWN = ("ndcg@10", "mrr@10", "hit@1")
# Found, but not on top: where a second stage could show what it can.
_WITHIN = 5
# With more replies than this of no use the model is the wrong one, whatever the gain.
_TOO_MANY_FALLBACKS = 0.2

PerMetric = Mapping[str, PerQuery]


class Candidates(Value):
    """The first stage's lists, and the measures of them and of their ideal order."""

    queries: tuple[EvalQuery, ...]
    retrieved: dict[str, Retrieved]
    first: dict[str, dict[str, float]]
    ideal: dict[str, dict[str, float]]
    depth: int
    """How many of each list are reranked; the others stay behind them."""


class Outcome(Value):
    """One query under one form of output."""

    trace: RerankTrace
    before: int | None
    """Place of the first relevant document, 1-based; None when it is not among the candidates."""
    after: int | None
    ms: float
    agreement: float | None = None
    """Rank correlation with the order given to the same candidates reversed, -1..1; None when that
    was not asked for, or one of the two brought no ranking."""


class FormResult(Value):
    """All queries under one form of output."""

    form: str
    reranked: dict[str, dict[str, float]]
    outcomes: dict[str, Outcome]


def first_stage(
    queries: Sequence[EvalQuery],
    search: Callable[[str], Retrieved],
    document_of: Callable[[str], str],
    depth: int,
    progress: Progress | None = None,
) -> Candidates:
    """Searches once for each query; every form then orders the same candidates.

    Raises:
        UsageError: there is no query with a relevant document.
    """
    if not queries:
        raise UsageError(
            "the dataset has no query with a relevant document", "check its qrels or documents"
        )
    retrieved: dict[str, Retrieved] = {}
    for done, query in enumerate(queries):
        if progress:
            progress("searching", done, len(queries))
        retrieved[query.id] = search(query.text)
    qrels = {query.id: query.relevant for query in queries}
    runs = {query.id: retrieved[query.id].candidates for query in queries}
    ideal = {q.id: _ideal(runs[q.id], q.relevant, document_of, depth) for q in queries}
    return Candidates(
        queries=tuple(queries),
        retrieved=retrieved,
        first=retrieval_metrics(qrels, _documents(runs, document_of)),
        ideal=retrieval_metrics(qrels, _documents(ideal, document_of)),
        depth=depth,
    )


def second_stage(
    candidates: Candidates,
    reranker: Reranker,
    document_of: Callable[[str], str],
    form: str,
    progress: Progress | None = None,
    *,
    reverse_too: bool = False,
) -> FormResult:
    """Reranks the candidates of each query; with `reverse_too` a second time, shown in reverse.

    Raises:
        SetupError: there is no language model to rerank with.
    """
    runs: dict[str, tuple[Candidate, ...]] = {}
    outcomes: dict[str, Outcome] = {}
    for done, query in enumerate(candidates.queries):
        if progress:
            progress(f"reranking ({form})", done, len(candidates.queries))
        found = candidates.retrieved[query.id]
        shown = found.candidates[: candidates.depth]
        begin = time.perf_counter()
        ordered, trace = reranker.rerank(found.query, shown, len(shown))
        spent = (time.perf_counter() - begin) * 1000
        if trace.reason == "no_model":
            raise SetupError(
                "there is no language model to rerank with",
                "start Ollama and set `model`, or name one with --llm and --model",
            )
        runs[query.id] = (*ordered, *found.candidates[candidates.depth :])
        outcomes[query.id] = Outcome(
            trace=trace,
            before=_place(found.candidates, query.relevant, document_of),
            after=_place(runs[query.id], query.relevant, document_of),
            ms=round(spent, 2),
            agreement=_agreement(found.query, ordered, trace, shown, reranker)
            if reverse_too
            else None,
        )
    qrels = {query.id: query.relevant for query in candidates.queries}
    reranked = retrieval_metrics(qrels, _documents(runs, document_of))
    return FormResult(form=form, reranked=reranked, outcomes=outcomes)


def _agreement(
    query: str,
    ordered: Sequence[Candidate],
    trace: RerankTrace,
    shown: Sequence[Candidate],
    reranker: Reranker,
) -> float | None:
    again, second = reranker.rerank(query, shown[::-1], len(shown))
    if len(shown) < 2 or trace.status != "ok" or second.status != "ok":
        return None
    return rank_correlation(
        [one.chunk.chunk_id for one in ordered], [one.chunk.chunk_id for one in again]
    )


def report(
    dataset: str,
    candidates: Candidates,
    results: Sequence[FormResult],
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """The object that `rag eval rerank --json` prints. `metrics` are those of the first form."""
    ids = [query.id for query in candidates.queries]
    return {
        "dataset": dataset,
        "n": len(ids),
        "settings": dict(settings),
        "metrics": _summary(results[0].reranked, ids),
        "first_stage": _summary(candidates.first, ids),
        "ideal": _summary(candidates.ideal, ids),
        "forms": {result.form: _form(candidates, result) for result in results},
        "second_form": _form_against(*results) if len(results) == 2 else None,
        "near_misses": _near_misses(candidates.queries, results[0]),
    }


def _form(candidates: Candidates, result: FormResult) -> dict[str, Any]:
    groups: dict[str, dict[str, Any]] = {"language": {}, "category": {}}
    for kind, members in groups.items():
        names = sorted({str(name) for q in candidates.queries if (name := getattr(q, kind))})
        for name in names:
            ids = [q.id for q in candidates.queries if getattr(q, kind) == name]
            members[name] = _compared(candidates, result, ids)
    ids = [query.id for query in candidates.queries]
    return {
        **_compared(candidates, result, ids),
        "by": groups,
        "replies": _shares(list(result.outcomes.values())),
        "order": _order([outcome.agreement for outcome in result.outcomes.values()]),
        "added_ms": _latency([outcome.ms for outcome in result.outcomes.values()]),
    }


def _form_against(first: FormResult, second: FormResult) -> dict[str, Any]:
    """What asking in the second form gains over the first, question by question."""
    return {
        "form": second.form,
        "against": first.form,
        "gain": {
            name: difference(first.reranked[name], second.reranked[name]).model_dump()
            for name in SHOWN
        },
    }


def _compared(candidates: Candidates, result: FormResult, ids: Sequence[str]) -> dict[str, Any]:
    def of(metrics: PerMetric, name: str) -> dict[str, float]:
        return {query: metrics[name][query] for query in ids}

    gain = difference(of(candidates.first, DECIDING), of(result.reranked, DECIDING))
    ideal = difference(of(candidates.first, DECIDING), of(candidates.ideal, DECIDING))
    return {
        "n": len(ids),
        "metrics": _summary(result.reranked, ids),
        "gain": {
            name: difference(of(candidates.first, name), of(result.reranked, name)).model_dump()
            for name in SHOWN
        },
        "headroom": ideal.value,
        "verdict": judge_gain(len(ids), gain, ideal.value).model_dump(),
    }


def _shares(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Shares of the calls: clean, repaired, and fallback; of the fallbacks, replies without a
    ranking are malformed, the rest are calls that failed. `unchanged` are rankings that give the
    order received: a model that always does so has not ranked."""
    calls = [call for outcome in outcomes for call in outcome.trace.calls]
    total = max(1, len(calls))
    fallback = [call for call in calls if call.fallback]
    failures = {"timeout", "connection", "http_error", "incomplete", "error", "no_model"}
    reasons = [call.reason or "" for call in fallback]
    share = len(fallback) / total
    return {
        "calls": len(calls),
        "clean": sum(call.clean for call in calls) / total,
        "repaired": sum(not (call.clean or call.fallback) for call in calls) / total,
        "unchanged": sum(_unchanged(call) for call in calls) / total,
        "fallback": share,
        "malformed": sum(reason not in failures for reason in reasons) / total,
        "reasons": {reason: reasons.count(reason) for reason in sorted(set(reasons))},
        "warning": (
            f"{share:.0%} of the calls brought no ranking: this model does not serve for it"
            if share > _TOO_MANY_FALLBACKS
            else None
        ),
    }


def _unchanged(call: RerankCall) -> bool:
    return not call.fallback and call.order == tuple(range(len(call.order)))


def _order(agreements: Sequence[float | None]) -> dict[str, Any] | None:
    """How much the order received decides: 1 not at all, -1 when it is only repeated."""
    measured = [agreement for agreement in agreements if agreement is not None]
    return {"n": len(measured), "tau": interval(measured).model_dump()} if measured else None


def _latency(spent: Sequence[float]) -> dict[str, float]:
    return {"p50": percentile(spent, 50.0), "p95": percentile(spent, 95.0)}


def _near_misses(queries: Sequence[EvalQuery], result: FormResult) -> list[dict[str, Any]]:
    """Questions whose document was found in the top 5 but not first."""
    return [
        {"id": query.id, "text": query.text, "before": outcome.before, "after": outcome.after}
        for query in queries
        if (outcome := result.outcomes[query.id]).before is not None
        and 1 < outcome.before <= _WITHIN
    ]


def _ideal(
    found: Sequence[Candidate],
    relevant: Mapping[str, int],
    document_of: Callable[[str], str],
    depth: int,
) -> tuple[Candidate, ...]:
    best = sorted(
        found[:depth], key=lambda candidate: -relevant.get(document_of(candidate.chunk.path), 0)
    )
    return (*best, *found[depth:])


def _place(
    found: Sequence[Candidate], relevant: Mapping[str, int], document_of: Callable[[str], str]
) -> int | None:
    documents = dict.fromkeys(document_of(candidate.chunk.path) for candidate in found)
    places = (place for place, name in enumerate(documents, start=1) if relevant.get(name, 0) > 0)
    return next(places, None)


def _documents(
    runs: Mapping[str, Sequence[Candidate]], document_of: Callable[[str], str]
) -> dict[str, tuple[str, ...]]:
    """A document stands where its best passage stands."""
    return {
        query: tuple(dict.fromkeys(document_of(candidate.chunk.path) for candidate in found))
        for query, found in runs.items()
    }


def _summary(per_query: PerMetric, ids: Sequence[str]) -> dict[str, Any]:
    return {
        name: interval([values[query] for query in ids]).model_dump()
        for name, values in per_query.items()
    }
