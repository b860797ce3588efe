"""Both stages of a search: the first stage's candidates, then the reranker's order of them."""

from rag.domain.base import Value
from rag.domain.ports import Reranker
from rag.domain.retrieval import Candidate, Filter, Mode, Retrieved
from rag.domain.trace import RerankTrace
from rag.flows.search import Searcher

# What the reranker is shown: one window of it, and far enough down that the first stage had the
# best passage among them for all but a few questions of the evaluation sets.
DEPTH = 20


class Reranked(Value):
    """A search with both stages. `candidates` are the best after the second."""

    retrieved: Retrieved
    candidates: tuple[Candidate, ...]
    trace: RerankTrace


def search_reranked(
    query: str,
    searcher: Searcher,
    reranker: Reranker,
    *,
    mode: Mode = "hybrid",
    limit: int = 5,
    depth: int = DEPTH,
    filter: Filter = Filter(),  # noqa: B008  # frozen
) -> Reranked:
    """The `limit` best of `depth` candidates. A reranker that fails leaves the first-stage order.

    Raises:
        UsageError: the query has no letter or digit.
        RagError: every retriever of this mode failed.
    """
    retrieved = searcher.search(query, mode=mode, limit=max(depth, limit), filter=filter)
    candidates, trace = reranker.rerank(query, retrieved.candidates, limit)
    return Reranked(retrieved=retrieved, candidates=candidates, trace=trace)
