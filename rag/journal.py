"""Writes and reads `traces/`: one JSON object a line, one file a day or one a run.

A line is whole or absent: it goes out in one append, under a lock, behind a line feed if the file
was left torn. Readers split on LF alone (a JSON string may hold U+2028) and count what they skip.
"""

import json
import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import ValidationError

from rag.core.plain import well_formed
from rag.domain.errors import RagError, UsageError
from rag.domain.trace import TRACE_SCHEMA_VERSION, Trace

# Long enough for many writers of 20 kB lines, short enough that no answer waits for a stuck one.
_LOCK_SECONDS = 5.0
_RUN_NAME = re.compile(r"[^\w.-]+")
# Bytes of a run's name that its file keeps: file systems end a name at 255, some a little earlier.
_LONGEST_NAME = 200


class Journal:
    """The trace files of one folder."""

    def __init__(self, folder: Path, run: str | None = None) -> None:
        self._folder = folder
        self._run = run

    def write(self, trace: Trace) -> str | None:
        """Append one trace. Returns None, or one line that says why it could not be kept."""
        stem = _stem(self._run) if self._run else trace.time[:10]
        file = self._folder / f"{stem}.jsonl"
        try:
            content = _finite(trace.model_dump(mode="json"))
            line = well_formed(json.dumps(content, ensure_ascii=False, allow_nan=False)).encode()
            self._folder.mkdir(parents=True, exist_ok=True)
            with FileLock(self._folder / ".lock", timeout=_LOCK_SECONDS):
                _append(file, line)
        except (OSError, Timeout, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or error
            return f"the trace could not be written to {self._folder.name}/{file.name}: {reason}"
        return None

    def read(self, trace_id: str) -> Trace:
        """The trace with this id, or the only one whose id begins so.

        Raises:
            UsageError: there is none, or more than one.
        """
        found = {
            trace.trace_id: trace for trace in self.traces() if trace.trace_id.startswith(trace_id)
        }
        if trace_id in found:
            return found[trace_id]
        if len(found) == 1:
            return next(iter(found.values()))
        if not found:
            raise UsageError(f"no trace {trace_id!r}", "`rag trace list` shows the latest")
        raise UsageError(f"{len(found)} traces begin with {trace_id!r}", "give more of the id")

    def recent(self, limit: int) -> list[Trace]:
        """The latest `limit` traces, newest first."""
        return sorted(self.traces(), key=lambda trace: trace.time, reverse=True)[:limit]

    def traces(self, damaged: list[str] | None = None) -> Iterator[Trace]:
        """All traces, file by file in order of name; unreadable lines go to `damaged`.

        Raises:
            RagError: a trace of a newer program, unless `damaged` is there to name it.
        """
        files = sorted(self._folder.glob("*.jsonl")) if self._folder.is_dir() else []
        # A pipe or a device never ends.
        for file in filter(Path.is_file, files):
            for number, line in enumerate(file.read_bytes().split(b"\n"), start=1):
                if not line.strip():
                    continue
                try:
                    yield _parse(line)
                except (ValueError, ValidationError) as error:
                    if damaged is not None:
                        damaged.append(f"{file.name}:{number}: {str(error).splitlines()[0]}")
                except RagError as error:
                    if damaged is None:
                        raise
                    damaged.append(f"{file.name}:{number}: {error.message}")


def _stem(run: str) -> str:
    """The file's name for a run: no folder, and short enough."""
    return _RUN_NAME.sub("-", run).encode()[:_LONGEST_NAME].decode(errors="ignore")


def _parse(line: bytes) -> Trace:
    data = json.loads(line)
    version = data.get("schema_version") if isinstance(data, dict) else None
    if not isinstance(version, int):
        raise ValueError("not a trace")
    if version > TRACE_SCHEMA_VERSION:
        raise RagError(
            f"a trace of schema version {version}; this program reads up to {TRACE_SCHEMA_VERSION}",
            "update citebound to read it",
        )
    return Trace.model_validate(data)


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinity: they are written as null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    return value


def _append(file: Path, line: bytes) -> None:
    """One write behind whatever is there; a torn last line is closed first."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        size = os.fstat(descriptor).st_size
        torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        data = (b"\n" if torn else b"") + line + b"\n"
        written = os.write(descriptor, data)
        if written != len(data):  # a full disk: take the half line back
            os.ftruncate(descriptor, size)
            raise OSError("no space left for the whole line")
    finally:
        os.close(descriptor)
