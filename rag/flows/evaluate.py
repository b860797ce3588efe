"""Measures retrieval: every query of a set through the same search that answers questions."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rag.core.metrics import (
    Difference,
    PerQuery,
    Qrels,
    difference,
    interval,
    percentile,
    retrieval_metrics,
)
from rag.domain.base import Value
from rag.domain.errors import UsageError
from rag.domain.evaluation import EvalQuery
from rag.domain.ports import Progress
from rag.domain.retrieval import Retrieved

# Documents ranked for one query: as deep as the deepest metric looks, and room for re-use.
_DEPTH = 50


class Measurement(Value):
    """One evaluation: ranked documents, every metric of every query, and how long searches took."""

    run: dict[str, tuple[str, ...]]
    per_query: dict[str, dict[str, float]]
    """Metric to query id to value."""
    search_ms: tuple[float, ...] = ()
    degraded: tuple[str, ...] = ()


Search = Callable[[str], Retrieved]


def measure_search(
    queries: Sequence[EvalQuery],
    search: Search,
    document_of: Callable[[str], str] = lambda path: path,
    progress: Progress | None = None,
) -> Measurement:
    """Searches for each query. A document stands where its best passage stands.

    Args:
        search: at least `_DEPTH` candidates.
        document_of: from the path of a chunk to the document id that the judgements use.

    Raises:
        UsageError: there is no query with a relevant document.
    """
    qrels = _judgements(queries)
    run: dict[str, tuple[str, ...]] = {}
    spent: list[float] = []
    degraded: dict[str, None] = {}
    # Opens index and model, so that the first query is timed like the others.
    search(queries[0].text)
    for done, query in enumerate(queries):
        if progress:
            progress("searching", done, len(queries))
        begin = time.perf_counter()
        retrieved = search(query.text)
        spent.append((time.perf_counter() - begin) * 1000)
        paths = dict.fromkeys(candidate.chunk.path for candidate in retrieved.candidates)
        run[query.id] = tuple(document_of(path) for path in paths)[:_DEPTH]
        degraded.update(dict.fromkeys(retrieved.degraded))
    return Measurement(
        run=run,
        per_query=retrieval_metrics(qrels, run),
        search_ms=tuple(spent),
        degraded=tuple(degraded),
    )


def unknown_documents(queries: Sequence[EvalQuery], known: Iterable[str]) -> list[str]:
    """Relevant documents that are not among `known`: no search can find them, and every measure is
    lower for it."""
    return sorted({name for query in queries for name in query.relevant} - set(known))


def measure_run(queries: Sequence[EvalQuery], run: Mapping[str, Sequence[str]]) -> Measurement:
    """Measures ranked lists that something else made."""
    qrels = _judgements(queries)
    kept = {query: tuple(run.get(query, ())) for query in qrels}
    return Measurement(run=kept, per_query=retrieval_metrics(qrels, kept))


def report(
    dataset: str,
    queries: Sequence[EvalQuery],
    measured: Measurement,
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """The object that `rag eval retrieval --json` prints."""
    metrics: dict[str, Any] = _summary(measured.per_query, [query.id for query in queries])
    for name, share in (("p50_ms", 50.0), ("p95_ms", 95.0)):
        if measured.search_ms:
            metrics[f"search_{name}"] = {"value": percentile(measured.search_ms, share)}
    groups = {
        "language": _grouped(queries, measured.per_query, lambda query: query.language),
        "category": _grouped(queries, measured.per_query, lambda query: query.category),
    }
    return {
        "dataset": dataset,
        "n": len(queries),
        "settings": dict(settings),
        "metrics": metrics,
        "by": groups,
        "degraded": list(measured.degraded),
    }


def compare(before: Mapping[str, PerQuery], after: Mapping[str, PerQuery]) -> dict[str, Difference]:
    """How each metric changed over the queries that both measured.

    Raises:
        UsageError: they share no query.
    """
    shared = {
        name: difference(before[name], after[name])
        for name in after
        if name in before and before[name].keys() & after[name].keys()
    }
    if not shared:
        raise UsageError(
            "the baseline shares no query with this run", "compare runs of one dataset"
        )
    return shared


def regressions(changes: Mapping[str, Difference], allowed: float) -> list[str]:
    """The metrics that fell by more than `allowed`."""
    return [name for name, change in changes.items() if change.value < -allowed]


def _judgements(queries: Sequence[EvalQuery]) -> Qrels:
    if not queries:
        raise UsageError(
            "the dataset has no query with a relevant document", "check its qrels or documents"
        )
    return {query.id: query.relevant for query in queries}


def _grouped(
    queries: Sequence[EvalQuery],
    per_query: Mapping[str, PerQuery],
    key: Callable[[EvalQuery], str | None],
) -> dict[str, Any]:
    members: dict[str, list[str]] = {}
    for query in queries:
        if (name := key(query)) is not None:
            members.setdefault(name, []).append(query.id)
    return {
        name: {"n": len(ids), "metrics": _summary(per_query, ids)}
        for name, ids in sorted(members.items())
    }


def _summary(per_query: Mapping[str, PerQuery], ids: Sequence[str]) -> dict[str, Any]:
    return {
        name: interval([values[query] for query in ids]).model_dump()
        for name, values in per_query.items()
    }
