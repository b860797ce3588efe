"""Brings the index up to date with the knowledge folder.

The order of writes makes every interruption harmless. A document goes into the catalog first, in
one transaction with the note of what both indexes owe it; then into the lexical index; its vectors
follow in batches. Whatever note is left over is worked off at the start of the next run.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rag.core.compatible import require_same_embedder
from rag.core.language import detect_language
from rag.core.passage import PASSAGE_VERSION, passage_hash
from rag.domain.documents import Chunk, Document, LoadedDocument
from rag.domain.errors import IndexUnusable, RagError, SetupError, UsageError
from rag.domain.index import Failure, IndexedDocument, IndexState, IngestReport, Known
from rag.domain.ports import (
    CatalogWriter,
    Embedder,
    LexicalWriter,
    LoadDocument,
    Progress,
    VectorWriter,
)
from rag.flows.changes import Changed, find_changes
from rag.flows.scan import Scan, in_scope, scan_folder
from rag.flows.vectors import VectorRun, fill_vectors

# A batch is one transaction and one commit of the lexical index (some 50 ms): large enough to make
# that cheap, small enough that a second or two of work is all an interruption loses.
_BATCH_CHUNKS = 1500
_BATCH_CHARACTERS = 8_000_000


@dataclass(frozen=True)
class Reading:
    """How a file becomes chunks."""

    load: LoadDocument
    loaders: Mapping[str, str]
    """Suffix, lower case with its dot, to the version of the loader that reads it."""
    cut: Callable[[str, LoadedDocument], Sequence[Chunk]]
    """Relative path and document to chunks."""
    cutting: str
    """Version and settings of `cut`."""
    chunk_size: int
    """The longest chunk, in tokens."""

    def recipe(self, path: str) -> str:
        """What made the chunks of a document: when it changes, they must be made again."""
        return f"{self.loaders[_suffix(path)]} {self.cutting}"


@dataclass(frozen=True)
class IndexPorts:
    """Where a run writes. Whoever opens these holds the writer's lock for the whole run."""

    catalog: CatalogWriter
    lexical: LexicalWriter
    vectors: VectorWriter
    embedder: Embedder
    require_space: Callable[[], None] = lambda: None
    """Raises `SetupError` when the disk is nearly full; called before each batch."""


def ingest(
    folder: Path,
    reading: Reading,
    ports: IndexPorts,
    *,
    scope: Sequence[str] = (),
    rebuild: bool = False,
    follow_links: bool = False,
    progress: Progress | None = None,
) -> IngestReport:
    """Indexes what is new or changed in `folder`, forgets what is gone, reports what failed.

    Args:
        scope: relative paths of files or folders; other documents are left alone. Empty: all.
        rebuild: read and embed everything in scope again, whatever the index says.

    Raises:
        UsageError: a path of `scope` is neither on disk nor in the index.
        SetupError: the folder is missing, the disk is full, or chunks are too long to embed.
        IndexUnusable: the index needs `--rebuild`.
    """
    if not folder.is_dir():
        raise SetupError(f"there is no folder {folder.name}/", "make it, or run `rag init`")
    _require_embeddable(reading, ports.embedder)
    run = _Run(folder, reading, ports, scope, rebuild, progress or (lambda *_, **__: None))
    run.prepare()
    run.update(scan_folder(folder, reading.loaders, scope, follow_links=follow_links))
    return run.report(run.fill())


def _require_embeddable(reading: Reading, embedder: Embedder) -> None:
    if reading.chunk_size > embedder.max_tokens:
        raise SetupError(
            f"chunk.size {reading.chunk_size} is more than {embedder.identity} reads at once"
            f" ({embedder.max_tokens} tokens)",
            "set chunk.size lower in rag.toml",
        )


@dataclass
class _Run:
    folder: Path
    reading: Reading
    ports: IndexPorts
    scope: Sequence[str]
    rebuild: bool
    progress: Progress
    indexed: int = 0
    unchanged: int = 0
    removed: int = 0
    failed: list[Failure] = field(default_factory=list)
    skipped: list[Failure] = field(default_factory=list)
    warnings: list[Failure] = field(default_factory=list)

    # Before: the index is made whole

    def prepare(self) -> None:
        """Refuses a foreign index before any write, then completes what an earlier run left."""
        catalog, state = self.ports.catalog, self.ports.catalog.state()
        whole = self.rebuild and not self.scope
        if not whole:
            require_same_embedder(state, self.ports.embedder.identity)
        if whole:
            catalog.vectors_present(())
            self.ports.vectors.reset()
            self.ports.lexical.rebuild(())
        current = IndexState(
            embedder=self.ports.embedder.identity,
            dimension=self.ports.embedder.dimension,
            lexical=self.ports.lexical.version,
            passage=PASSAGE_VERSION,
        )
        if state.passage not in (None, current.passage):
            catalog.restamp_passages(passage_hash)
        self._complete_lexical()
        self._compare_vectors()
        if state != current:
            catalog.set_state(current)

    def _complete_lexical(self) -> None:
        """Works off what the lexical index is owed; one that is missing, damaged, incomplete or of
        another analyzer is made again from the catalog."""
        catalog, lexical = self.ports.catalog, self.ports.lexical
        owed = catalog.lexical_outbox()
        try:
            if owed:
                self._write_lexical(owed)
            if lexical.count() == catalog.chunk_count():
                return
        except IndexUnusable as error:
            self.progress("lexical index", 0, 1, error.message)
        lexical.rebuild(catalog.all_chunks())
        catalog.lexical_done(owed)

    def _write_lexical(self, paths: Sequence[str]) -> None:
        catalog = self.ports.catalog
        self.ports.lexical.replace(
            paths, (chunk for path in paths for chunk in catalog.chunks_of(path))
        )
        catalog.lexical_done(paths)

    def _compare_vectors(self) -> None:
        """Finds vectors that were lost or left over by something other than an interrupted run,
        such as a deleted folder."""
        catalog, vectors = self.ports.catalog, self.ports.vectors
        if catalog.vectors_due() == 0 and vectors.count() != catalog.chunk_count():
            catalog.vectors_present(vectors.ids())

    # Documents

    def update(self, scan: Scan) -> None:
        known = {
            path: seen
            for path, seen in self.ports.catalog.known().items()
            if in_scope(path, self.scope)
        }
        self._require_known_scope(scan, known)
        self.skipped += scan.skipped
        changes = find_changes(scan, known, self.reading.recipe, all_anew=self.rebuild)
        for failure in changes.unreadable:
            self._fail(failure.path, failure.reason)
        self.unchanged = len(changes.unchanged)
        if changes.touched:
            self.ports.catalog.touch(changes.touched)
        lost = self._index(changes.to_read)
        if forgotten := [*changes.gone, *(path for path in lost if path in known)]:
            self.ports.catalog.remove(forgotten)
            self._write_lexical(forgotten)
        self.removed = len(changes.gone)

    def _require_known_scope(self, scan: Scan, known: Mapping[str, Known]) -> None:
        found = {file.path for file in scan.files} | {*known}
        found |= {left.path for left in (*scan.skipped, *scan.failed)}
        for part in self.scope:
            if (
                not any(in_scope(path, [part]) for path in found)
                and not (self.folder / part).is_dir()
            ):
                raise UsageError(
                    f"there is no file or folder {part} in {self.folder.name}/",
                    "paths are relative to the knowledge folder",
                )

    def _index(self, changes: Sequence[Changed]) -> list[str]:
        """Reads, cuts and writes in batches. Returns the paths that could not be read: what was
        indexed of them before is out of date and must go."""
        lost: list[str] = []
        batch: list[IndexedDocument] = []
        chunks = characters = 0
        for number, changed in enumerate(changes):
            path = changed.file.path
            self.progress("documents", number, len(changes), path)
            try:
                entry = self._read(changed)
            except RagError as error:
                lost.append(path)
                self._fail(path, error.message, error.hint)
                continue
            except Exception as error:  # one file, whatever is in it, never ends the run
                lost.append(path)
                self._fail(path, f"{type(error).__name__}: {error}")
                continue
            batch.append(entry)
            chunks += len(entry.chunks)
            characters += len(entry.text)
            if chunks >= _BATCH_CHUNKS or characters >= _BATCH_CHARACTERS:
                self._write(batch)
                batch, chunks, characters = [], 0, 0
        self._write(batch)
        self.progress("documents", len(changes), len(changes))
        return lost

    def _read(self, changed: Changed) -> IndexedDocument:
        found = changed.file
        loaded = self.reading.load(found.location)
        chunks = tuple(self.reading.cut(found.path, loaded))
        self.warnings += [Failure(path=found.path, reason=line) for line in loaded.warnings]
        document = Document(
            path=found.path,
            title=loaded.title or (chunks[0].title if chunks else Path(found.path).stem),
            content_hash=changed.content_hash,
            size=found.size,
            mtime_ns=found.mtime_ns,
            language=detect_language(loaded.text),
            syntax=loaded.syntax,
            chunk_count=len(chunks),
            warnings=loaded.warnings,
        )
        return IndexedDocument(
            document=document,
            text=loaded.text,
            recipe=self.reading.recipe(found.path),
            chunks=chunks,
            passages=tuple(passage_hash(chunk) for chunk in chunks),
        )

    def _write(self, batch: Sequence[IndexedDocument]) -> None:
        if not batch:
            return
        self.ports.require_space()
        self.ports.catalog.put(batch)
        paths = [entry.document.path for entry in batch]
        self.ports.lexical.replace(paths, (chunk for entry in batch for chunk in entry.chunks))
        self.ports.catalog.lexical_done(paths)
        self.indexed += len(batch)

    def _fail(self, path: str, reason: str, hint: str | None = None) -> None:
        self.failed.append(Failure(path=path, reason=" ".join(reason.split()), hint=hint))

    # Vectors and report

    def fill(self) -> VectorRun:
        paths = None
        if self.scope:
            paths = [p for p in self.ports.catalog.known() if in_scope(p, self.scope)]
        return fill_vectors(
            self.ports.catalog,
            self.ports.vectors,
            self.ports.embedder,
            paths,
            lambda done, total: self.progress("vectors", done, total),
            self.ports.require_space,
        )

    def report(self, vectors: VectorRun) -> IngestReport:
        catalog = self.ports.catalog
        return IngestReport(
            indexed=self.indexed,
            unchanged=self.unchanged,
            removed=self.removed,
            failed=(*self.failed, *_without_vector(catalog.vector_failures())),
            skipped=tuple(self.skipped),
            warnings=tuple(self.warnings),
            documents=len(catalog.known()),
            chunks=catalog.chunk_count(),
            embedded=vectors.embedded,
            vectors_pending=catalog.vectors_pending(),
            vectors_stopped=vectors.stopped,
            knowledge_version=catalog.knowledge_version(),
        )


def _without_vector(failures: Iterable[tuple[Chunk, str]]) -> list[Failure]:
    return [
        Failure(
            path=chunk.path,
            reason=f"lines {chunk.start_line}-{chunk.end_line} have no vector: {reason}",
        )
        for chunk, reason in failures
    ]


def _suffix(path: str) -> str:
    return Path(path).suffix.lower()
