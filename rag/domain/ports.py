"""What the flows need from the world. Edges implement these; nothing here knows a vendor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from rag.domain.documents import Chunk, Document, LoadedDocument
from rag.domain.models import ModelIdentity, ModelReply, ModelRequest, Prompt
from rag.domain.retrieval import Candidate, Filter, Hit
from rag.domain.trace import RerankTrace, Trace

if TYPE_CHECKING:  # numpy takes a third of a cold start, and no port needs it to exist
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"


class Embedder(Protocol):
    """Texts to unit vectors. Raises `ModelError` for a batch it cannot embed."""

    @property
    def identity(self) -> str:
        """Everything that decides the vectors: weights, engine, precision, prefixes, dimension."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def max_tokens(self) -> int:
        """Longest passage embedded in one window."""
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), rows of norm 1, in order."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """Shape (dimension,), norm 1."""
        ...


class LanguageModel(Protocol):
    """One chat completion. Raises `ModelError` with its reason; never returns half a reply."""

    @property
    def identity(self) -> ModelIdentity: ...

    def complete(
        self, request: ModelRequest, on_token: Callable[[int], None] | None = None
    ) -> ModelReply:
        """`on_token` is called with the number of tokens so far, where the backend streams."""
        ...


class LoadDocument(Protocol):
    """Reads one file, or raises `LoadError` with a one-line reason."""

    def __call__(self, path: Path) -> LoadedDocument: ...


class Catalog(Protocol):
    """Documents and chunks: the truth that both indexes follow."""

    def documents(self) -> Mapping[str, Document]: ...
    def document_text(self, path: str) -> str | None: ...
    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """The known ones among `chunk_ids`, in that order; unknown ids are left out."""
        ...

    def chunks_of(self, path: str) -> list[Chunk]: ...
    def all_chunks(self) -> Iterator[Chunk]: ...
    def chunk_count(self) -> int: ...
    def knowledge_version(self) -> str: ...


class LexicalIndex(Protocol):
    """Full-text index over analysed tokens."""

    def search(self, query: str, limit: int, filter: Filter) -> list[Hit]:
        """Best first; only passages that share a term with the query."""
        ...


class VectorIndex(Protocol):
    """Nearest neighbours by cosine."""

    def search(self, vector: Vectors, limit: int, filter: Filter) -> list[Hit]:
        """Best first; scores are cosines in -1..1."""
        ...


class Reranker(Protocol):
    """Reorders candidates. Never raises and never loses one: a failure is the order received."""

    def rerank(
        self, query: str, candidates: Sequence[Candidate], limit: int
    ) -> tuple[tuple[Candidate, ...], RerankTrace]: ...


class Journal(Protocol):
    """Keeps traces. Writing never raises: a failure is returned as a warning."""

    def write(self, trace: Trace) -> str | None:
        """None, or one line that says why the trace could not be kept."""
        ...

    def read(self, trace_id: str) -> Trace: ...
    def recent(self, limit: int) -> Iterable[Trace]: ...


class PromptBook(Protocol):
    """Prompt files by name and language."""

    def get(self, name: str, language: str, version: str | None = None) -> Prompt: ...


class Progress(Protocol):
    """Tells a person how far a long run is."""

    def __call__(self, stage: str, done: int, total: int, detail: str = "") -> None: ...


class Lock(Protocol):
    """One writer at a time."""

    def __call__(self) -> AbstractContextManager[object]: ...
