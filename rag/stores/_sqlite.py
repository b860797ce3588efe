"""SQLite as the catalog uses it: connections, transactions, and its errors in our words."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rag.domain.errors import IndexUnusable, SetupError

# Another process may hold the write lock for one batch of documents; a batch takes about a second.
_BUSY_SECONDS = 30.0


def connect(path: Path) -> sqlite3.Connection:
    """To be closed by the caller; waits for other writers.

    Raises:
        IndexUnusable: the file cannot be read or is no database.
    """
    with translated():
        connection = sqlite3.connect(
            path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            connection.close()
            raise
        return connection


def holds_anything(path: Path) -> bool:
    """False for what a first run leaves when it is killed before the schema is written."""
    try:
        connection = connect(path)
    except IndexUnusable:
        return True
    try:
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return bool(tables)
    finally:
        connection.close()


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def translated() -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise IndexUnusable(
                "the index is busy: another process keeps writing to it", "try again in a moment"
            ) from error
        if "full" in str(error):
            raise SetupError(f"the index cannot grow: {error}", "free some disk space") from error
        raise IndexUnusable(
            f"the index cannot be read or written: {error}", "check the folder's permissions"
        ) from error
    except sqlite3.DatabaseError as error:
        raise IndexUnusable(
            f"the index is damaged: {error}", "run `rag index --rebuild`"
        ) from error
