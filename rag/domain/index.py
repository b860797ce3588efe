"""What the index holds, and what a run of `rag index` did."""

from rag.domain.base import Value
from rag.domain.documents import Chunk, Document


class IndexedDocument(Value):
    """A document as the catalog takes it in."""

    document: Document
    text: str
    recipe: str
    """Loader, chunker and settings that made the chunks; another recipe means a re-index."""
    chunks: tuple[Chunk, ...]
    passages: tuple[str, ...]
    """For each chunk, the hash of the text that goes into its vector."""


class Known(Value):
    """What the catalog remembers of a file, enough to tell whether it must be read again."""

    content_hash: str
    recipe: str
    size: int
    mtime_ns: int


class IndexState(Value):
    """How the index as a whole was made. None until the first run has written it."""

    embedder: str | None = None
    """Identity of the embedder whose vectors the index holds."""
    dimension: int | None = None
    lexical: str | None = None
    """Version of the analysed fields in the lexical index."""
    passage: str | None = None
    """Version of the function that words a passage for its vector."""


class PendingVector(Value):
    """A passage that waits for its vector."""

    chunk: Chunk
    passage: str
    """Hash of the text to embed."""


class Failure(Value):
    """A file, or a passage of one, that could not be taken in, with a one-line reason."""

    path: str
    reason: str
    hint: str | None = None
    """What mends it."""


class IngestReport(Value):
    """One run of `rag index`. `failed` files are not in the index, or not with all vectors."""

    indexed: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: tuple[Failure, ...] = ()
    skipped: tuple[Failure, ...] = ()
    """Files left out on purpose: another format, a link out of the folder."""
    warnings: tuple[Failure, ...] = ()
    """What was lost while reading a file that was indexed all the same."""
    documents: int = 0
    chunks: int = 0
    """In the whole index, after the run."""
    embedded: int = 0
    """Passages that went through the embedder in this run."""
    vectors_pending: int = 0
    vectors_stopped: str | None = None
    """Why the vectors were not finished; None when nothing stopped them."""
    knowledge_version: str
