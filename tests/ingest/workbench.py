"""A knowledge folder and its index, run with small parts whose results can be predicted."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from rag.core.passage import passage_text
from rag.domain.documents import Chunk, LoadedDocument
from rag.domain.errors import LoadError
from rag.domain.index import IngestReport
from rag.domain.retrieval import Filter
from rag.flows.ingest import IndexPorts, Reading, ingest
from rag.stores.catalog import Catalog
from rag.stores.guard import writer_lock
from rag.stores.lexical import LexicalIndex
from rag.stores.vectors import VectorIndex
from tests.doubles import HashEmbedder, MemoryLexical, MemoryVectors


def load(path: Path) -> LoadedDocument:
    """Text as it is; a file that is no UTF-8, or empty though it is a PDF, cannot be read."""
    data = path.read_bytes()
    if path.suffix == ".pdf" and not data:
        raise LoadError("the PDF is empty")
    try:
        return LoadedDocument(text=data.decode(), syntax="markdown")
    except UnicodeDecodeError:
        raise LoadError("not UTF-8 text") from None


def cut(path: str, document: LoadedDocument) -> list[Chunk]:
    """One chunk a paragraph."""
    chunks: list[Chunk] = []
    position = 0
    for text in filter(None, document.text.strip().split("\n\n")):
        start = document.text.index(text, position)
        position = start + len(text)
        same = sum(chunk.text == text for chunk in chunks)
        line = document.text.count("\n", 0, start) + 1
        chunks.append(
            Chunk(
                chunk_id=sha256(f"{path}\0{text}\0{same}".encode()).hexdigest()[:16],
                path=path,
                title="Title",
                ordinal=len(chunks),
                start=start,
                end=position,
                start_line=line,
                end_line=line + text.count("\n"),
                text=text,
                language="en",
            )
        )
    return chunks


@dataclass
class Stores:
    catalog: Catalog
    lexical: LexicalIndex | MemoryLexical
    vectors: VectorIndex | MemoryVectors


@dataclass
class Workbench:
    root: Path
    embedder: HashEmbedder = field(default_factory=HashEmbedder)
    cutting: str = "paragraphs-1"
    loaders: dict[str, str] = field(
        default_factory=lambda: {".md": "text-1", ".txt": "text-1", ".pdf": "text-1"}
    )
    loaded: list[str] = field(default_factory=list)
    """Every file that was read, in order."""

    memory: tuple[MemoryLexical, MemoryVectors] | None = None
    """In place of the real indexes, for tests of the flow that need hundreds of runs."""

    @property
    def knowledge(self) -> Path:
        return self.root / "knowledge"

    @property
    def index_dir(self) -> Path:
        return self.root / ".rag"

    def write(self, path: str, text: str) -> Path:
        file = self.knowledge / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    @contextmanager
    def stores(self, *, rebuild: bool = False) -> Iterator[Stores]:
        catalog = Catalog.create(self.index_dir, rebuild=rebuild)
        lexical, vectors = self.memory or (
            LexicalIndex.open(self.index_dir),
            VectorIndex.open(
                self.index_dir,
                embedder=self.embedder.identity,
                dimension=self.embedder.dimension,
                paths=catalog.paths,
                rows=catalog.chunk_count,
            ),
        )
        try:
            yield Stores(catalog, lexical, vectors)
        finally:
            vectors.close()
            lexical.close()
            catalog.close()

    def index(
        self,
        scope: Sequence[str] = (),
        *,
        rebuild: bool = False,
        wrap: Callable[[str, Any], Any] = lambda name, part: part,
        **options: Any,
    ) -> IngestReport:
        """One run. `wrap` may put something between the flow and each port, by name."""

        def note(path: Path) -> LoadedDocument:
            self.loaded.append(path.name)
            return load(path)

        with writer_lock(self.index_dir), self.stores(rebuild=rebuild) as stores:
            ports = IndexPorts(
                catalog=wrap("catalog", stores.catalog),
                lexical=wrap("lexical", stores.lexical),
                vectors=wrap("vectors", stores.vectors),
                embedder=wrap("embedder", self.embedder),
            )
            reading = Reading(note, self.loaders, cut, self.cutting, chunk_size=300)
            return ingest(self.knowledge, reading, ports, scope=scope, rebuild=rebuild, **options)

    def found(self, query: str) -> list[str]:
        """Paths of the lexical hits, best first."""
        with self.stores() as stores:
            hits = stores.lexical.search(query, 10, Filter())
            return [chunk.path for chunk in stores.catalog.chunks([h.chunk_id for h in hits])]

    def require_whole(self) -> None:
        """Catalog, lexical index and vector index hold the same chunks, with the right vectors."""
        with self.stores() as stores:
            chunks = list(stores.catalog.all_chunks())
            ids = {chunk.chunk_id for chunk in chunks}
            assert set(stores.vectors.ids()) == ids
            assert stores.lexical.count() == len(ids)
            for chunk in chunks:
                hits = stores.lexical.search(chunk.text, 10, Filter())
                assert chunk.chunk_id in {hit.chunk_id for hit in hits}
            vectors = stores.vectors.get([*ids])
            for chunk in chunks:
                expected = self.embedder.embed_query(passage_text(chunk))
                assert np.allclose(vectors[chunk.chunk_id], expected, atol=1e-5)
            assert stores.catalog.vectors_due() == 0
            assert stores.catalog.lexical_outbox() == []


def keep_times(file: Path, text: str) -> None:
    """Writes as tools do that keep a file's modification time."""
    before = file.stat()
    file.write_text(text, encoding="utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
