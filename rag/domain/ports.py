"""What the flows need from the world. Edges implement these; nothing here knows a vendor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from rag.domain.documents import Chunk, Document, LoadedDocument
from rag.domain.index import IndexedDocument, IndexState, Known, PendingVector
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

    def require_ready(self) -> None:
        """Raises what every call would raise, where that can be told without one: the server is
        gone, the model is not installed."""
        ...

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
    def vectors_pending(self) -> int:
        """How many passages still wait for their vector."""
        ...

    def languages(self) -> frozenset[str]:
        """Of all documents."""
        ...

    def knowledge_version(self) -> str: ...
    def state(self) -> IndexState:
        """How the index was made."""
        ...


class LexicalIndex(Protocol):
    """Full-text index over analysed tokens."""

    def search(self, query: str, limit: int, filter: Filter) -> list[Hit]:
        """Best first; only passages that share a term with the query."""
        ...

    def rarity(self, query: str) -> dict[str, float]:
        """Each term of the query and its weight in BM25, the higher the fewer passages hold it."""
        ...


class VectorIndex(Protocol):
    """Nearest neighbours by cosine."""

    def search(self, vectors: Sequence[Vectors], limit: int, filter: Filter) -> list[Hit]:
        """What is nearest to any of `vectors`, best first, each passage once; scores are cosines in
        -1..1."""
        ...


class CatalogWriter(Catalog, Protocol):
    """The writing side of the catalog.

    Every change of a document leaves, in the same transaction, a note of what the two indexes have
    still to do about it (a transactional outbox): work cut off at any point is found there.
    """

    def set_state(self, state: IndexState) -> None: ...
    def known(self) -> Mapping[str, Known]:
        """By path."""
        ...

    def put(self, entries: Sequence[IndexedDocument]) -> None:
        """Adds or replaces documents, all of them or none."""
        ...

    def remove(self, paths: Sequence[str]) -> None: ...
    def touch(self, stats: Mapping[str, tuple[int, int]]) -> None:
        """New (size, mtime_ns) of files whose content did not change."""
        ...

    def lexical_outbox(self) -> list[str]:
        """Paths whose entries in the lexical index must be written again or dropped."""
        ...

    def lexical_done(self, paths: Sequence[str]) -> None: ...
    def vectors_to_write(
        self, limit: int, paths: Sequence[str] | None = None
    ) -> list[PendingVector]:
        """At most `limit` passages that wait for a vector and have not failed, of `paths` only
        when given."""
        ...

    def vectors_to_drop(self, limit: int) -> list[str]: ...
    def vector_donors(self, passages: Sequence[str]) -> dict[str, str]:
        """For hashes of passages that already have a vector: the chunk id it is kept under."""
        ...

    def vectors_begun(self, chunk_ids: Sequence[str]) -> None:
        """The vectors of these ids are about to be replaced: what they held is gone."""
        ...

    def vectors_done(self, chunk_ids: Sequence[str]) -> None: ...
    def vectors_failed(self, reasons: Mapping[str, str]) -> None: ...
    def vector_failures(self) -> list[tuple[Chunk, str]]: ...
    def vectors_pending(self, paths: Sequence[str] | None = None) -> int:
        """Passages that wait for a vector and have not failed."""
        ...

    def retry_failed_vectors(self) -> None: ...
    def vectors_due(self) -> int:
        """Everything the vector index has still to do: to write, failed or to drop."""
        ...

    def vectors_present(self, chunk_ids: Iterable[str]) -> None:
        """The vector index was found to hold exactly these: what is missing will be written, what
        is too much dropped."""
        ...

    def restamp_passages(self, passage_hash: Callable[[Chunk], str]) -> None:
        """The wording of passages changed: those whose hash differs wait for a new vector."""
        ...


class LexicalWriter(LexicalIndex, Protocol):
    """The writing side of the lexical index. Each call is searchable when it returns."""

    @property
    def version(self) -> str:
        """Everything that decides the stored terms: analyzer, fields, layout."""
        ...

    def replace(self, paths: Sequence[str], chunks: Iterable[Chunk]) -> None:
        """Drops all entries of `paths`, then adds `chunks`, in one commit."""
        ...

    def rebuild(self, chunks: Iterable[Chunk]) -> None:
        """Drops everything, then adds `chunks`, in one commit."""
        ...

    def count(self) -> int: ...


class VectorWriter(VectorIndex, Protocol):
    """The writing side of the vector index."""

    def put(self, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Adds or replaces one vector a chunk. Shape (len(chunks), dimension)."""
        ...

    def get(self, chunk_ids: Sequence[str]) -> dict[str, Vectors]:
        """The known ones."""
        ...

    def drop(self, chunk_ids: Sequence[str]) -> None: ...
    def ids(self) -> Iterator[str]: ...
    def count(self) -> int: ...
    def reset(self) -> None:
        """Drops everything; works on a damaged index too."""
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
