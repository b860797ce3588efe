"""Replies of the ranking model kept on disk, so that the same question need not be ranked twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

# Some kilobytes each: a few megabytes in all, and weeks of questions of a small team.
ENTRIES = 1000

# Searches of other processes write too; a ranking is never worth a longer wait.
_WAIT_SECONDS = 0.5


class RankingCache:
    """At most `entries` replies by key; those used longest ago go first.

    A cache that cannot be read or written is an empty one: it never makes a search fail.
    """

    def __init__(self, file: Path, entries: int = ENTRIES) -> None:
        """`file` is made when the first reply is kept; its folder must exist."""
        self._file = file
        self._entries = entries

    def get(self, key: str) -> str | None:
        if not self._file.is_file():
            return None
        try:
            with self._open() as database:
                row = database.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    database.execute(_TOUCH, (key,))
        except sqlite3.Error:
            return None
        return None if row is None else str(row[0])

    def put(self, key: str, reply: str) -> None:
        try:
            with self._open() as database:
                database.execute(_PUT, (key, reply))
                database.execute(_TRIM, (self._entries,))
        except sqlite3.Error:
            return

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._file, timeout=_WAIT_SECONDS)) as database, database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS replies "
                "(key TEXT PRIMARY KEY, reply TEXT NOT NULL, used INTEGER NOT NULL)"
            )
            yield database


_NEXT = "(SELECT coalesce(max(used), 0) + 1 FROM replies)"
_PUT = f"INSERT OR REPLACE INTO replies VALUES (?, ?, {_NEXT})"
_TOUCH = f"UPDATE replies SET used = {_NEXT} WHERE key = ?"
_TRIM = "DELETE FROM replies WHERE key NOT IN (SELECT key FROM replies ORDER BY used DESC LIMIT ?)"
