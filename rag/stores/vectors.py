"""The vector index: nearest neighbours by cosine, kept by an embedded Chroma.

Chroma is given finished vectors only (`embedding_function=None`), reports nothing to anyone and
holds no text: ids are chunk ids, metadata is what filters need.
"""

import hashlib
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from rag.core.globs import select_paths
from rag.domain.documents import Chunk
from rag.domain.errors import IndexUnusable
from rag.domain.ports import Vectors
from rag.domain.retrieval import Filter, Hit

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection

VECTOR_FOLDER = "chroma"
_SPACE = "cosine"
# Candidates that a search keeps while it walks Chroma's graph. At the default, 100, it misses up to
# 2 in 100 of the true first 50 (python_faq_zhtw, fastapi_xling; questions as they are searched),
# others from run to run; here 3 in 1,000, at 3.4 ms instead of 2.4 for 100,000 passages. 400 misses
# none for 4.9 ms, and a bilingual index pays for two questions.
_BEAM = 200
# Reads and deletes by id bind one SQL variable each; the least limit of SQLite builds is 999.
_PAGE = 900
# After an unclean stop of two writers Chroma's link file can grow to many gigabytes, and opening
# it hangs (chroma-core/chroma#2594 and others). A healthy index takes 1.4 to 3 times its vectors.
_ABSURD_RATIO = 100
_ALWAYS_FINE_BYTES = 1 << 30
_LARGEST_DIMENSION = 4096  # of the embedding models that people run
# Chroma's graph in memory does not follow another process. A reader opens it anew when the files
# have changed, but not for every query while a run of `rag index` is writing.
_REOPEN_SECONDS = 10.0
# Most filters keep a fair share of the passages: looking through this many times the limit is much
# faster than Chroma's own filter (2 ms against 70 ms at 20,000 passages), which is the fallback.
_OVERFETCH = 4
# More paths than this in one condition cost more than they save.
_MAX_CONDITION = 10_000


class VectorIndex:
    """Implements `VectorWriter`. Nothing is opened before the first call, and every method raises
    `IndexUnusable` for a missing, foreign or damaged index."""

    def __init__(
        self,
        index_dir: Path,
        *,
        embedder: str | None,
        dimension: int | None,
        paths: Callable[[], Sequence[str]] | None,
        rows: Callable[[], int] | None,
    ) -> None:
        self._folder = index_dir / VECTOR_FOLDER
        self._embedder = embedder
        self._dimension = dimension
        self._paths = paths
        self._rows = rows
        self._client: Any = None
        self._collection: Collection | None = None
        self._opened_at = 0.0
        self._stamp = 0
        self._lock = threading.RLock()

    @classmethod
    def open(
        cls,
        index_dir: Path,
        *,
        embedder: str | None = None,
        dimension: int | None = None,
        paths: Callable[[], Sequence[str]] | None = None,
        rows: Callable[[], int] | None = None,
    ) -> Self:
        """For reading; writing needs `embedder` and `dimension`.

        Args:
            embedder: identity of the embedder; vectors of another are refused. None: not checked.
            dimension: of its vectors; None: whatever the index holds.
            paths: all paths of the catalog; makes filters that keep few documents fast.
            rows: how many vectors there may be; refuses an index that ran away on disk.
        """
        return cls(index_dir, embedder=embedder, dimension=dimension, paths=paths, rows=rows)

    def search(self, vectors: Sequence[Vectors], limit: int, filter: Filter) -> list[Hit]:
        # One at a time: opening anew closes what another thread would be searching.
        with self._lock:
            try:
                return self._search(self._open_to_read(), vectors, limit, filter)
            except IndexUnusable:
                # It may have been rebuilt meanwhile: the next search opens it anew.
                self._collection = None
                raise

    def _search(
        self, collection: "Collection", vectors: Sequence[Vectors], limit: int, filter: Filter
    ) -> list[Hit]:
        with _translated():
            # Counting costs three times as much as searching (9 ms of CPU at 100,000), and Chroma
            # takes a limit beyond what it holds.
            if limit < 1:
                return []
            if not filter.paths and not filter.languages:
                return _hits(self._query(collection, vectors, limit))[:limit]
            size = limit * _OVERFETCH
            found = self._query(collection, vectors, size, "metadatas")
            near = _hits(found, filter)
            if len(near) >= limit or len(found["ids"][0]) < size:
                return near[:limit]
            return self._search_all(collection, vectors, limit, filter)[:limit]

    def count(self) -> int:
        with _translated():
            return self._open_to_write().count()

    def ids(self) -> Iterator[str]:
        collection = self._open_to_write()
        offset = 0
        while True:
            with _translated():
                page = collection.get(include=[], limit=_PAGE, offset=offset)["ids"]
            yield from page
            offset += len(page)
            if len(page) < _PAGE:
                return

    def get(self, chunk_ids: Sequence[str]) -> dict[str, Vectors]:
        collection = self._open_to_write()
        found: dict[str, Vectors] = {}
        for start in range(0, len(chunk_ids), _PAGE):
            with _translated():
                page = collection.get(
                    ids=list(chunk_ids[start : start + _PAGE]), include=["embeddings"]
                )
            found.update(zip(page["ids"], page["embeddings"], strict=True))  # type: ignore[arg-type]
        return found

    def put(self, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        collection = self._open_to_write()
        step = self._open_client().get_max_batch_size()
        for start in range(0, len(chunks), step):
            page = chunks[start : start + step]
            ids = [chunk.chunk_id for chunk in page]
            # Never over what is there: HNSW can then lose the way to a passage for good. Of 2,502
            # that were embedded anew (python_faq_zhtw) one in place was found by no question, none
            # when the old vectors went first.
            self._drop(collection, self._held(collection, ids))
            with _translated():
                collection.upsert(
                    ids=ids,
                    embeddings=vectors[start : start + step],
                    metadatas=[{"path": chunk.path, "language": chunk.language} for chunk in page],
                )

    def drop(self, chunk_ids: Sequence[str]) -> None:
        self._drop(self._open_to_write(), chunk_ids)

    def _held(self, collection: "Collection", chunk_ids: Sequence[str]) -> list[str]:
        """Those that are there. Asking costs a tenth of deleting what is not."""
        held: list[str] = []
        for start in range(0, len(chunk_ids), _PAGE):
            with _translated():
                page = list(chunk_ids[start : start + _PAGE])
                held += collection.get(ids=page, include=[])["ids"]
        return held

    def _drop(self, collection: "Collection", chunk_ids: Sequence[str]) -> None:
        for start in range(0, len(chunk_ids), _PAGE):
            with _translated():
                collection.delete(ids=list(chunk_ids[start : start + _PAGE]))

    def reset(self) -> None:
        try:
            self._refuse_runaway_files()
            client = self._open_client()
            with _translated():
                for collection in client.list_collections():
                    client.delete_collection(collection.name)
            self._collection = None
        except IndexUnusable:
            self._delete_files()

    def _delete_files(self) -> None:
        from chromadb.api.shared_system_client import SharedSystemClient

        self._client = self._collection = None
        # Chroma keeps one connection a path, also for clients of this process that nobody closed;
        # it would go on with the deleted files.
        SharedSystemClient.clear_system_cache()
        shutil.rmtree(self._folder, ignore_errors=True)

    def close(self) -> None:
        client, self._client, self._collection = self._client, None, None
        if client is not None:
            with _translated():
                client.close()

    def _search_all(
        self,
        collection: "Collection",
        vectors: Sequence[Vectors],
        limit: int,
        filter: Filter,
    ) -> list[Hit]:
        """For filters that keep few passages."""
        conditions: list[Any] = []
        if filter.languages:
            conditions.append({"language": {"$in": list(filter.languages)}})
        if filter.paths:
            allowed = select_paths(self._paths(), filter.paths) if self._paths else None
            if allowed is None or len(allowed) > _MAX_CONDITION:
                found = self._query(collection, vectors, collection.count(), "metadatas")
                return _hits(found, filter)
            if not allowed:
                return []
            conditions.append({"path": {"$in": allowed}})
        where = conditions[0] if len(conditions) == 1 else {"$and": conditions}
        return _hits(self._query(collection, vectors, limit, where=where))

    def _query(
        self,
        collection: "Collection",
        vectors: Sequence[Vectors],
        size: int,
        *include: str,
        where: Any = None,
    ) -> Any:
        dimension = (collection.metadata or {}).get("dimension")
        if other := [vector.shape for vector in vectors if vector.shape != (dimension,)]:
            raise IndexUnusable(
                f"the index holds vectors of {dimension} numbers, the query has shape"
                f" {other[0]}: another embedder made it",
                "run `rag index --rebuild`, or set the embedder back",
            )
        return collection.query(
            # Two at once cost two thirds of one after the other.
            query_embeddings=[*vectors],  # type: ignore[arg-type]  # a list is invariant
            n_results=size,
            where=where,
            include=["distances", *include],  # type: ignore[list-item]
        )

    # Opening

    def _open_to_read(self) -> "Collection":
        now = time.monotonic()
        if self._collection is not None and now - self._opened_at > _REOPEN_SECONDS:
            self._opened_at = now
            if self._stamp != self._file_stamp():
                self.close()
        if self._collection is None:
            if not (self._folder / "chroma.sqlite3").is_file():
                raise IndexUnusable("there are no vectors yet", "run `rag index`")
            self._collection = self._open_collection(create=False)
            self._opened_at, self._stamp = now, self._file_stamp()
        return self._collection

    def _open_to_write(self) -> "Collection":
        if self._collection is None:
            self._collection = self._open_collection(create=True)
        return self._collection

    def _file_stamp(self) -> int:
        try:
            return (self._folder / "chroma.sqlite3").stat().st_mtime_ns
        except OSError:
            return 0

    def _open_collection(self, *, create: bool) -> "Collection":
        self._refuse_runaway_files()
        client = self._open_client()
        with _translated():
            found = client.list_collections()
        if not found:
            if create:
                return self._new_collection()
            raise IndexUnusable("there are no vectors yet", "run `rag index`")
        stored = (found[0].metadata or {}).get("embedder")
        if len(found) > 1 or self._embedder not in (None, stored):
            raise IndexUnusable(
                f"the index was made by embedder {stored}, the settings name {self._embedder}",
                "run `rag index --rebuild`, or set the embedder back",
            )
        with _translated():
            collection: Collection = client.get_collection(found[0].name, embedding_function=None)
        space = (collection.configuration_json.get("hnsw") or {}).get("space")
        if space != _SPACE:
            raise IndexUnusable(
                f"the vector index measures {space} instead of {_SPACE}",
                "run `rag index --rebuild`",
            )
        return collection

    def _new_collection(self) -> "Collection":
        if self._embedder is None or self._dimension is None:
            raise ValueError("writing vectors needs the embedder's identity and dimension")
        with _translated():
            collection: Collection = self._open_client().create_collection(
                _collection_name(self._embedder),
                metadata={"embedder": self._embedder, "dimension": self._dimension},
                configuration={"hnsw": {"space": _SPACE, "ef_search": _BEAM}},
                embedding_function=None,
            )
        return collection

    def _open_client(self) -> Any:
        if self._client is None:
            import chromadb
            from chromadb.config import Settings

            self._folder.mkdir(parents=True, exist_ok=True)
            with _translated():
                self._client = chromadb.PersistentClient(
                    path=str(self._folder), settings=Settings(anonymized_telemetry=False)
                )
        return self._client

    def _refuse_runaway_files(self) -> None:
        """Before Chroma touches them."""
        if self._rows is None:
            return
        expected = self._rows() * (self._dimension or _LARGEST_DIMENSION) * 4
        size = sum(file.stat().st_size for file in self._folder.rglob("*") if file.is_file())
        if size > _ALWAYS_FINE_BYTES + _ABSURD_RATIO * expected:
            raise IndexUnusable(
                f"the vector index takes {size / 1e9:.1f} GB on disk for {expected / 1e6:.1f} MB of"
                " vectors: it is damaged",
                "run `rag index --rebuild`",
            )


def _collection_name(embedder: str) -> str:
    """Safe for Chroma, whatever characters an embedder's name has."""
    return f"passages-{hashlib.sha256(embedder.encode()).hexdigest()[:16]}"


def _hits(found: Any, filter: Filter | None = None) -> list[Hit]:
    """The best cosine of each passage, best first, of those that pass the filter. Chroma's distance
    is 1 - cosine."""
    ids, distances = chain(*found["ids"]), chain(*found["distances"])
    rows = list(zip(ids, distances, strict=True))
    if filter is not None:
        metadatas = [*chain(*found["metadatas"])]
        kept = {*select_paths({m["path"] for m in metadatas}, filter.paths or ("**",))}
        rows = [
            row
            for row, metadata in zip(rows, metadatas, strict=True)
            if metadata["path"] in kept
            and (not filter.languages or metadata["language"] in filter.languages)
        ]
    best: dict[str, float] = {}
    for chunk_id, distance in sorted(rows, key=lambda row: (row[1], row[0])):
        best.setdefault(chunk_id, max(-1.0, min(1.0, 1.0 - float(distance))))
    return [Hit(chunk_id=chunk_id, score=score) for chunk_id, score in best.items()]


@contextmanager
def _translated() -> Iterator[None]:
    """Chroma raises its own errors, ValueError, and Rust panics as BaseException."""
    try:
        yield
    except (IndexUnusable, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        raise IndexUnusable(
            f"the vector index cannot be used: {type(error).__name__}: {error}",
            "run `rag index --rebuild`",
        ) from error
