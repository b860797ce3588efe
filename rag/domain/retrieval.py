"""What retrieval finds, and what of it one request hands to a model."""

from typing import Literal

from rag.domain.base import Value
from rag.domain.documents import Chunk

Mode = Literal["hybrid", "lexical", "vector"]


class Hit(Value):
    """One passage found by one index. A higher score is better; only its order is comparable
    between indexes."""

    chunk_id: str
    score: float


class Filter(Value):
    """Which documents may be found. `paths` are globs over the relative path; empty means all."""

    paths: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


class Ranks(Value):
    """1-based places of a candidate in each list; None where a list does not hold it."""

    lexical: int | None = None
    vector: int | None = None
    fused: int | None = None
    reranked: int | None = None


class Candidate(Value):
    """A passage found for a query, with its score and places."""

    chunk: Chunk
    score: float
    """Of the stage that decided the order; higher is better."""
    ranks: Ranks
    similarity: float | None = None
    """Cosine of query and passage, -1..1; None when the vector list does not hold it."""
    parts: tuple[tuple[str, float], ...] = ()
    """What each feature of the first stage contributed, by name."""
    relevance: float | None = None
    """The reranker's own score, 0..1; None unless it gave one."""
    reason: str | None = None
    """The reranker's own words; None unless it gave some."""


class Retrieved(Value):
    """The first stage's whole result for one query."""

    query: str
    candidates: tuple[Candidate, ...]
    degraded: tuple[str, ...] = ()
    """One line for each retriever that failed or was not ready."""


class Source(Value):
    """A passage under a marker, valid for one request."""

    marker: str
    chunk: Chunk
    model_title: str
    model_text: str
    """Title and text as the model sees them: look-alikes of markers, roles and control tokens are
    rewritten, reversibly, so that nothing in a document can act as one."""


class Omitted(Value):
    """A candidate that did not become a source."""

    chunk_id: str
    path: str
    reason: Literal["budget", "limit", "near_duplicate", "irrelevant"]


class ContextBundle(Value):
    """The sources of one request in order, and what was left out and why."""

    sources: tuple[Source, ...]
    omitted: tuple[Omitted, ...] = ()
    token_budget: int
    tokens_used: int

    @property
    def markers(self) -> tuple[str, ...]:
        """The closed set that an answer to this request may cite."""
        return tuple(source.marker for source in self.sources)
