"""What keeps the index whole from outside: one writer at a time, and room on the disk."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rag.domain.errors import IndexUnusable, SetupError

LOCK_FILE = "lock"
# A batch of documents writes some 10 MB to the catalog and both indexes, and a merge of tantivy
# needs as much again as the segments it merges.
_MIN_FREE_BYTES = 200_000_000


@contextmanager
def writer_lock(index_dir: Path) -> Iterator[None]:
    """Held for a whole run of `rag index`; freed by the system when the process dies.

    Raises:
        IndexUnusable: another process is indexing.
    """
    from filelock import FileLock, Timeout

    index_dir.mkdir(parents=True, exist_ok=True)
    lock = FileLock(index_dir / LOCK_FILE)
    try:
        lock.acquire(blocking=False)
    except Timeout as error:
        raise IndexUnusable(
            "another process is indexing this folder",
            "wait until it has finished; searching works meanwhile",
        ) from error
    try:
        yield
    finally:
        lock.release()


def require_disk_space(index_dir: Path) -> None:
    """Raises `SetupError` before the disk is so full that a write could be cut short."""
    free = shutil.disk_usage(index_dir).free
    if free < _MIN_FREE_BYTES:
        raise SetupError(
            f"only {free / 1e6:.0f} MB are free on the disk of {index_dir.name}; indexing needs"
            f" {_MIN_FREE_BYTES / 1e6:.0f} MB",
            "free some space and run `rag index` again: it goes on where it stopped",
        )
