"""The catalog: documents, their text and their chunks in one SQLite file. The truth of the index.

Both indexes follow the catalog. A change of a document writes, in the same transaction, what they
have still to do into `lexical_outbox` and `vector_outbox`, so a run that is cut off anywhere leaves
a note for the next one (transactional outbox: Richardson, Microservices Patterns, 2018, ch. 3).
"""

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

from rag.domain.documents import Chunk, Document
from rag.domain.errors import IndexUnusable
from rag.domain.index import IndexedDocument, IndexState, Known, PendingVector
from rag.stores._sqlite import connect, holds_anything, transaction, translated

_T = TypeVar("_T")

CATALOG_FILE = "catalog.sqlite"
SCHEMA_VERSION = 1
# SQLite binds at most 32,766 values in a statement, older builds 999.
_PAGE = 900

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE documents (
    path TEXT PRIMARY KEY, content_hash TEXT NOT NULL, recipe TEXT NOT NULL,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, body TEXT NOT NULL, text TEXT NOT NULL
);
CREATE TABLE chunks (
    chunk_id TEXT PRIMARY KEY, path TEXT NOT NULL REFERENCES documents(path) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL, passage TEXT NOT NULL, body TEXT NOT NULL
);
CREATE INDEX chunks_by_path ON chunks(path, ordinal);
CREATE INDEX chunks_by_passage ON chunks(passage);
CREATE TABLE lexical_outbox (path TEXT PRIMARY KEY);
-- `holds` is the passage whose vector the vector index has under this id, if it has one.
CREATE TABLE vector_outbox (chunk_id TEXT PRIMARY KEY, holds TEXT, failure TEXT);
CREATE INDEX outbox_by_holds ON vector_outbox(holds) WHERE holds IS NOT NULL;
"""


class Catalog:
    """Implements `CatalogWriter`. One connection, safe to use from several threads; another
    process may write meanwhile (WAL)."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        self._lock = threading.RLock()
        self._computed: dict[str, tuple[tuple[int, int], Any]] = {}

    @classmethod
    def open(cls, index_dir: Path) -> Self:
        """Opens an existing catalog.

        Raises:
            IndexUnusable: there is none, it is damaged, or of another schema version.
        """
        path = index_dir / CATALOG_FILE
        if not path.is_file():
            raise IndexUnusable("there is no index yet", "run `rag index`")
        connection = connect(path)
        try:
            _check_schema(connection)
        except BaseException:
            connection.close()
            raise
        return cls(connection)

    @classmethod
    def create(cls, index_dir: Path, *, rebuild: bool = False) -> Self:
        """Opens the catalog for a run of `rag index`, making it when there is none. With
        `rebuild`, one that cannot be used is replaced by an empty one.

        Raises:
            IndexUnusable: it is damaged or of another schema version, and `rebuild` is off.
        """
        index_dir.mkdir(parents=True, exist_ok=True)
        path = index_dir / CATALOG_FILE
        if path.is_file():
            try:
                return cls.open(index_dir)
            except IndexUnusable:
                if not rebuild and holds_anything(path):
                    raise
                for suffix in ("", "-wal", "-shm"):
                    path.with_name(path.name + suffix).unlink(missing_ok=True)
        connection = connect(path)
        with translated(), transaction(connection):
            # Another process may have made it in the meantime.
            if connection.execute("PRAGMA user_version").fetchone() == (0,):
                for statement in _SCHEMA.split(";\n"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        return cls(connection)

    def close(self) -> None:
        self._db.close()

    # Reading

    def documents(self) -> Mapping[str, Document]:
        rows = self._all("SELECT path, body FROM documents ORDER BY path")
        return {path: Document.model_validate_json(body) for path, body in rows}

    def paths(self) -> list[str]:
        return [path for (path,) in self._all("SELECT path FROM documents ORDER BY path")]

    def document_text(self, path: str) -> str | None:
        rows = self._all("SELECT text FROM documents WHERE path = ?", (path,))
        return rows[0][0] if rows else None

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        found: dict[str, str] = {}
        for page in _pages(chunk_ids):
            found.update(
                self._all(
                    f"SELECT chunk_id, body FROM chunks WHERE chunk_id IN {_marks(page)}", page
                )
            )
        return [Chunk.model_validate_json(found[key]) for key in chunk_ids if key in found]

    def chunks_of(self, path: str) -> list[Chunk]:
        rows = self._all("SELECT body FROM chunks WHERE path = ? ORDER BY ordinal", (path,))
        return [Chunk.model_validate_json(body) for (body,) in rows]

    def all_chunks(self) -> Iterator[Chunk]:
        for path in self.paths():
            yield from self.chunks_of(path)

    def chunk_count(self) -> int:
        return int(self._value("SELECT count(*) FROM chunks"))

    def languages(self) -> frozenset[str]:
        return self._unless_changed("languages", self._find_languages)

    def _find_languages(self) -> frozenset[str]:
        rows = self._all("SELECT DISTINCT json_extract(body, '$.language') FROM documents")
        return frozenset(language for (language,) in rows)

    def knowledge_version(self) -> str:
        """`kb-` and 12 hex over every document's path, content hash and recipe, the embedder and
        the versions of passages and analyzer."""
        return self._unless_changed("knowledge_version", self._hash_knowledge)

    def _hash_knowledge(self) -> str:
        digest = hashlib.sha256(self.state().model_dump_json().encode())
        for row in self._all("SELECT path, content_hash, recipe FROM documents ORDER BY path"):
            digest.update("\0".join(row).encode() + b"\n")
        return f"kb-{digest.hexdigest()[:12]}"

    def state(self) -> IndexState:
        rows = self._all("SELECT value FROM meta WHERE key = 'state'")
        return IndexState.model_validate_json(rows[0][0]) if rows else IndexState()

    def known(self) -> Mapping[str, Known]:
        rows = self._all("SELECT path, content_hash, recipe, size, mtime_ns FROM documents")
        return {
            path: Known(content_hash=content_hash, recipe=recipe, size=size, mtime_ns=mtime_ns)
            for path, content_hash, recipe, size, mtime_ns in rows
        }

    # Writing

    def set_state(self, state: IndexState) -> None:
        with self._write():
            self._db.execute(
                "INSERT OR REPLACE INTO meta VALUES ('state', ?)", (state.model_dump_json(),)
            )

    def put(self, entries: Sequence[IndexedDocument]) -> None:
        with self._write():
            for entry in entries:
                self._put(entry)

    def remove(self, paths: Sequence[str]) -> None:
        with self._write():
            for path in paths:
                self._owe_vectors(self._passages_of(path), {})
                self._owe_lexical(path)
                self._db.execute("DELETE FROM documents WHERE path = ?", (path,))

    def touch(self, stats: Mapping[str, tuple[int, int]]) -> None:
        with self._write():
            for path, (size, mtime_ns) in stats.items():
                self._db.execute(
                    "UPDATE documents SET size = ?1, mtime_ns = ?2,"
                    " body = json_set(body, '$.size', ?1, '$.mtime_ns', ?2) WHERE path = ?3",
                    (size, mtime_ns, path),
                )

    def _put(self, entry: IndexedDocument) -> None:
        document = entry.document
        new = dict(zip((c.chunk_id for c in entry.chunks), entry.passages, strict=True))
        self._owe_vectors(self._passages_of(document.path), new)
        self._owe_lexical(document.path)
        self._db.execute("DELETE FROM documents WHERE path = ?", (document.path,))
        self._db.execute(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                document.path,
                document.content_hash,
                entry.recipe,
                document.size,
                document.mtime_ns,
                document.model_dump_json(),
                entry.text,
            ),
        )
        self._db.executemany(
            "INSERT INTO chunks VALUES (?, ?, ?, ?, ?)",
            [
                (chunk.chunk_id, chunk.path, chunk.ordinal, passage, chunk.model_dump_json())
                for chunk, passage in zip(entry.chunks, entry.passages, strict=True)
            ],
        )

    def _passages_of(self, path: str) -> dict[str, str]:
        return dict(self._all("SELECT chunk_id, passage FROM chunks WHERE path = ?", (path,)))

    def _owe_lexical(self, path: str) -> None:
        self._db.execute("INSERT OR IGNORE INTO lexical_outbox VALUES (?)", (path,))

    def _owe_vectors(self, old: Mapping[str, str], new: Mapping[str, str]) -> None:
        """Notes every chunk id whose vector must be written or dropped to get from `old` to `new`
        (chunk id to passage). An id that already waits keeps what it holds."""
        changed = [key for key in {**old, **new} if old.get(key) != new.get(key)]
        self._db.executemany(
            "INSERT INTO vector_outbox VALUES (?, ?, NULL)"
            " ON CONFLICT (chunk_id) DO UPDATE SET failure = NULL",
            [(key, old.get(key)) for key in changed],
        )

    # What the lexical index has still to do

    def lexical_outbox(self) -> list[str]:
        return [path for (path,) in self._all("SELECT path FROM lexical_outbox ORDER BY path")]

    def lexical_done(self, paths: Sequence[str]) -> None:
        self._delete_each("lexical_outbox", "path", paths)

    # What the vector index has still to do

    def vectors_to_write(
        self, limit: int, paths: Sequence[str] | None = None
    ) -> list[PendingVector]:
        rows = self._all(
            "SELECT body, passage FROM vector_outbox JOIN chunks USING (chunk_id)"
            f" WHERE failure IS NULL {self._within(paths)} LIMIT ?",
            (limit,),
        )
        return [
            PendingVector(chunk=Chunk.model_validate_json(body), passage=passage)
            for body, passage in rows
        ]

    def vectors_to_drop(self, limit: int) -> list[str]:
        rows = self._all(
            "SELECT chunk_id FROM vector_outbox"
            " WHERE chunk_id NOT IN (SELECT chunk_id FROM chunks) LIMIT ?",
            (limit,),
        )
        return [chunk_id for (chunk_id,) in rows]

    def vector_donors(self, passages: Sequence[str]) -> dict[str, str]:
        donors: dict[str, str] = {}
        for page in _pages(passages):
            marks = _marks(page)
            donors.update(
                self._all(
                    f"SELECT passage, chunk_id FROM chunks WHERE passage IN {marks}"
                    " AND chunk_id NOT IN (SELECT chunk_id FROM vector_outbox)",
                    page,
                )
            )
            donors.update(
                self._all(f"SELECT holds, chunk_id FROM vector_outbox WHERE holds IN {marks}", page)
            )
        return donors

    def vectors_begun(self, chunk_ids: Sequence[str]) -> None:
        with self._write():
            self._db.executemany(
                "UPDATE vector_outbox SET holds = NULL WHERE chunk_id = ? AND holds IS NOT NULL",
                [(chunk_id,) for chunk_id in chunk_ids],
            )

    def vectors_done(self, chunk_ids: Sequence[str]) -> None:
        self._delete_each("vector_outbox", "chunk_id", chunk_ids)

    def vectors_failed(self, reasons: Mapping[str, str]) -> None:
        with self._write():
            self._db.executemany(
                "UPDATE vector_outbox SET failure = ? WHERE chunk_id = ?",
                [(reason, chunk_id) for chunk_id, reason in reasons.items()],
            )

    def vector_failures(self) -> list[tuple[Chunk, str]]:
        rows = self._all(
            "SELECT body, failure FROM vector_outbox JOIN chunks USING (chunk_id)"
            " WHERE failure IS NOT NULL ORDER BY path, ordinal"
        )
        return [(Chunk.model_validate_json(body), failure) for body, failure in rows]

    def vectors_pending(self, paths: Sequence[str] | None = None) -> int:
        def count() -> int:
            return int(
                self._value(
                    "SELECT count(*) FROM vector_outbox JOIN chunks USING (chunk_id)"
                    f" WHERE failure IS NULL {self._within(paths)}"
                )
            )

        return count() if paths is not None else self._unless_changed("vectors_pending", count)

    def retry_failed_vectors(self) -> None:
        with self._write():
            self._db.execute("UPDATE vector_outbox SET failure = NULL WHERE failure IS NOT NULL")

    def vectors_due(self) -> int:
        return int(self._value("SELECT count(*) FROM vector_outbox"))

    def vectors_present(self, chunk_ids: Iterable[str]) -> None:
        with self._write():
            self._fill_temporary("present", chunk_ids)
            self._db.execute(
                "UPDATE vector_outbox SET holds = NULL"
                " WHERE chunk_id NOT IN (SELECT key FROM present)"
            )
            self._db.execute(
                "INSERT OR IGNORE INTO vector_outbox SELECT chunk_id, NULL, NULL FROM chunks"
                " WHERE chunk_id NOT IN (SELECT key FROM present)"
            )
            self._db.execute(
                "INSERT OR IGNORE INTO vector_outbox SELECT key, NULL, NULL FROM present"
                " WHERE key NOT IN (SELECT chunk_id FROM chunks)"
            )

    def restamp_passages(self, passage_hash: Callable[[Chunk], str]) -> None:
        for path in self.paths():
            old = self._passages_of(path)
            new = {chunk.chunk_id: passage_hash(chunk) for chunk in self.chunks_of(path)}
            if old != new:
                with self._write():
                    self._owe_vectors(old, new)
                    self._db.executemany(
                        "UPDATE chunks SET passage = ? WHERE chunk_id = ?",
                        [(passage, chunk_id) for chunk_id, passage in new.items()],
                    )

    # SQLite

    def _unless_changed(self, name: str, compute: Callable[[], _T]) -> _T:
        """What `compute` gave last, as long as neither this nor another process has written."""
        with self._lock:
            stamp = (int(self._value("PRAGMA data_version")), self._db.total_changes)
            if name not in self._computed or self._computed[name][0] != stamp:
                self._computed[name] = (stamp, compute())
            found: _T = self._computed[name][1]
            return found

    def _within(self, paths: Sequence[str] | None) -> str:
        """A condition that keeps chunks of `paths`; there may be more of them than a statement
        takes values."""
        if paths is None:
            return ""
        with self._write():
            self._fill_temporary("scope", paths)
        return "AND path IN (SELECT key FROM scope)"

    def _fill_temporary(self, table: str, keys: Iterable[str]) -> None:
        self._db.execute(f"CREATE TEMP TABLE IF NOT EXISTS {table} (key TEXT PRIMARY KEY)")
        self._db.execute(f"DELETE FROM {table}")
        self._db.executemany(f"INSERT OR IGNORE INTO {table} VALUES (?)", ((k,) for k in keys))

    def _all(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._lock, translated():
            return self._db.execute(statement, values).fetchall()

    def _value(self, statement: str) -> Any:
        return self._all(statement)[0][0]

    @contextmanager
    def _write(self) -> Iterator[None]:
        with self._lock, translated(), transaction(self._db):
            yield

    def _delete_each(self, table: str, column: str, keys: Iterable[str]) -> None:
        with self._write():
            self._db.executemany(
                f"DELETE FROM {table} WHERE {column} = ?", [(key,) for key in keys]
            )


def _check_schema(connection: sqlite3.Connection) -> None:
    with translated():
        (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found == SCHEMA_VERSION:
        return
    age = "an older" if found < SCHEMA_VERSION else "a newer"
    hint = "run `rag index --rebuild`"
    if found > SCHEMA_VERSION:
        hint = f"update citebound, or {hint}"
    raise IndexUnusable(
        f"the index was made by {age} version (schema {found}, this version reads"
        f" {SCHEMA_VERSION})",
        hint,
    )


def _pages(values: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(values), _PAGE):
        yield values[start : start + _PAGE]


def _marks(values: Sequence[str]) -> str:
    return f"({','.join('?' * len(values))})"
