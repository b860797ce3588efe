"""Writes the results of a batch as they come, so that a run that is cut off can go on.

A result is whole or absent: it goes out in one append. In the end the file holds one result for
each row, in the order of the input, put in place at once.
"""

import hashlib
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

from rag.batchfiles.json_lines import JsonLines
from rag.batchfiles.table import DELIMITERS, Table
from rag.batchfiles.written import NotResults, Span, Written
from rag.domain.batch import PastResult
from rag.domain.errors import UsageError


class Format(Protocol):
    """How results stand in a file."""

    @property
    def opening(self) -> bytes:
        """What stands before the first."""
        ...

    @property
    def end(self) -> bytes:
        """What each ends with."""
        ...

    def encode(self, row: dict[str, Any]) -> bytes: ...
    def read(self, data: bytes) -> Written: ...


class ResultFile:
    """The results in a file. Nothing is written before the first `append`."""

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        """Reads what is there; with `fresh` it is forgotten, but must be results all the same.

        Raises:
            UsageError: the file holds something else, or cannot be read or written.
        """
        self._path = _followed(path)
        self._format = _format(path)
        self._file: IO[bytes] | None = None
        _require_writable(path)
        try:
            there = self._format.read(path.read_bytes()) if path.exists() else Written([], [])
        except NotResults as error:
            raise UsageError(
                f"{path} was not written by `rag batch`: {error}", "name another file by --out"
            ) from error
        self._written = Written([], []) if fresh else there
        self._places: dict[int, Span] = {}

    @property
    def past(self) -> list[PastResult]:
        """What an earlier run left."""
        return self._written.past

    @property
    def count(self) -> int:
        """How many results there are."""
        return len(self._places)

    def keep(self, kept: Mapping[int, PastResult]) -> None:
        """Which earlier results stay, by the number of their row."""
        spans = self._written.spans
        self._places |= {number: spans[result.place] for number, result in kept.items()}

    def append(self, number: int, row: dict[str, Any]) -> None:
        """Writes the result of row `number`; it outlives the process from here on.

        Raises:
            OSError: it could not be written whole; what there is of it is taken back.
        """
        if self._file is None:
            self._file = self._open()
        line = self._format.encode(row)
        start = self._file.seek(0, os.SEEK_END)
        if self._file.write(line) != len(line):
            self._file.truncate(start)
            raise OSError("no space left for a whole result")
        self._places[number] = Span(start, len(line))

    def finish(self) -> None:
        """Puts the results in the order of their rows, and drops those that no row has."""
        if self._file is not None:
            self._file.close()
        if not self._places:
            return  # nothing came: what was to be replaced stays
        with _replacing(self._path) as target, self._path.open("rb") as source:
            target.write(self._format.opening)
            for _, (start, size) in sorted(self._places.items()):
                source.seek(start)
                target.write(source.read(size).rstrip(b"\r\n") + self._format.end)

    def _open(self) -> IO[bytes]:
        """The file behind its last whole result."""
        file = self._path.open("ab", buffering=0)
        whole = max((start + size for start, size in self._written.spans), default=0)
        file.truncate(whole)
        if not whole:
            file.write(self._format.opening)
        else:
            with self._path.open("rb") as source:
                source.seek(whole - 1)
                if source.read(1) != b"\n":
                    file.write(self._format.end)
        return file


class ResultStream:
    """Results to standard output or a pipe, as they come. Nothing is read back."""

    past: tuple[PastResult, ...] = ()

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._format = JsonLines()
        self.count = 0

    def keep(self, kept: Mapping[int, PastResult]) -> None:
        """There is nothing to keep."""

    def append(self, number: int, row: dict[str, Any]) -> None:
        self._stream.write(self._format.encode(row))
        self._stream.flush()
        self.count += 1

    def finish(self) -> None:
        """All is written."""


@contextmanager
def open_results(path: Path, *, fresh: bool, locks: Path) -> Iterator[ResultFile | ResultStream]:
    """The results at `path`, held for this process; `-` is standard output.

    Args:
        locks: an existing folder for the lock: beside the results it would only be in the way.

    Raises:
        UsageError: another process writes there; or see `ResultFile`.
    """
    from filelock import FileLock, Timeout

    if str(path) == "-":
        yield ResultStream(sys.stdout.buffer)
    elif path.exists() and not path.is_file() and not path.is_dir():  # /dev/null, a pipe
        with path.open("wb") as stream:
            yield ResultStream(stream)
    else:
        name = hashlib.sha256(os.fsencode(_followed(path))).hexdigest()[:16]
        lock = locks / f"batch-{name}.lock"
        try:
            with FileLock(lock, timeout=0):
                try:
                    yield ResultFile(path, fresh=fresh)
                finally:
                    lock.unlink(missing_ok=True)
        except Timeout as error:
            raise UsageError(
                f"another `rag batch` is writing to {path}", "wait until it has ended"
            ) from error


def _format(path: Path) -> Format:
    delimiter = DELIMITERS.get(path.suffix.lower())
    return JsonLines() if delimiter is None else Table(delimiter)


def _followed(path: Path) -> Path:
    """Where `path` leads, so that a link stays one and its file is written."""
    try:
        return path.resolve()
    except RuntimeError as error:
        raise UsageError(f"{path} is a link that leads nowhere", "name a file by --out") from error


def _require_writable(path: Path) -> None:
    """Before hours of work, not after them."""
    folder = _followed(path).parent
    if path.is_dir():
        raise UsageError(f"{path} is a folder", "name a file by --out")
    if not folder.is_dir():
        named = folder if path.is_symlink() else path.parent
        raise UsageError(f"there is no folder {named}", "make it, or name another by --out")
    allowed = os.access(folder, os.W_OK)
    if path.exists():
        allowed &= os.access(path, os.R_OK | os.W_OK)
    if not allowed:
        raise UsageError(f"cannot write {path}", "check its permissions and those of its folder")


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes the place of the one at `path` once it is whole and on the disk."""
    # Not named after `path`, whose name may be as long as names can be.
    draft = path.with_name(f".rag-batch-{os.getpid()}")
    try:
        with draft.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(path, draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
