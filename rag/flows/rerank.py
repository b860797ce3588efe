"""Both stages of a search: the first stage's candidates, then the reranker's order of them."""

from collections.abc import Collection

from rag.domain.base import Value
from rag.domain.ports import Reranker
from rag.domain.retrieval import Candidate, Filter, Mode
from rag.domain.trace import RerankTrace
from rag.flows.search import Searcher

# What the reranker is shown: one window of it, and far enough down that the first stage had the
# best passage among them for all but a few questions of the evaluation sets.
DEPTH = 20


class Found(Value):
    """What a search came to, through every stage that is switched on. `candidates` are the best
    after the last of them."""

    query: str
    candidates: tuple[Candidate, ...]
    degraded: tuple[str, ...] = ()
    """One line for each retriever that failed or was not ready."""
    rerank: RerankTrace | None = None
    """What the second stage did; None when it is switched off."""


def search(
    query: str,
    searcher: Searcher,
    reranker: Reranker | None,
    *,
    mode: Mode = "hybrid",
    limit: int = 5,
    depth: int = DEPTH,
    filter: Filter = Filter(),  # noqa: B008  # frozen
    without: Collection[str] = (),
) -> Found:
    """The `limit` best candidates, the first `depth` of them in the reranker's order, if there is
    one. One that fails leaves the first-stage order; `without` parts of its score.

    Raises:
        UsageError: the query has no letter or digit.
        RagError: every retriever of this mode failed.
    """
    sought = limit if reranker is None else max(depth, limit)
    retrieved = searcher.search(query, mode=mode, limit=sought, filter=filter, without=without)
    candidates, trace = retrieved.candidates, None
    if reranker is not None:
        ordered, trace = reranker.rerank(query, candidates[:depth], depth)
        candidates = (*ordered, *candidates[depth:])[:limit]
    return Found(
        query=retrieved.query, candidates=candidates, degraded=retrieved.degraded, rerank=trace
    )
