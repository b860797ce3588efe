"""The knowledge folder as it lies on disk: which files there are, and what is in them by hash."""

import hashlib
import os
import stat
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rag.domain.index import Failure

SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})
"""Never knowledge; hidden folders such as `.git` and `.rag` are skipped as all hidden files are."""

# Larger files are hashed piece by piece instead of being read at once.
_READ_AT_ONCE = 1_000_000


@dataclass(frozen=True)
class FoundFile:
    """A regular file of a known format."""

    path: str
    """Relative to the folder, `/` on every platform."""
    location: Path
    size: int
    mtime_ns: int


@dataclass
class Scan:
    """What one walk found. `unread` are the folders that could not be listed: of what lies below
    them nothing is known."""

    files: list[FoundFile] = field(default_factory=list)
    skipped: list[Failure] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def in_scope(path: str, scope: Sequence[str]) -> bool:
    """Whether `path` is one of `scope` or lies below one. An empty scope holds everything."""
    return not scope or any(path == part or path.startswith(f"{part}/") for part in scope)


def scan_folder(
    root: Path, suffixes: Container[str], scope: Sequence[str] = (), *, follow_links: bool = False
) -> Scan:
    """Walks `root`, sorted by path.

    A link to something inside the folder adds nothing, for its target is found where it lies. One
    that leads out is skipped unless `follow_links`; then every real file and folder is taken once,
    so that no ring of links is walked for ever.
    """
    walk = _Walk(Path(os.path.realpath(root)), suffixes, scope, follow_links)
    walk.folder("", walk.root)
    return walk.scan


def hash_file(location: Path, size: int) -> str:
    """sha256 of the file's bytes, hexadecimal. Raises OSError."""
    if size <= _READ_AT_ONCE:
        return hashlib.sha256(location.read_bytes()).hexdigest()
    with location.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class _Walk:
    def __init__(
        self, root: Path, suffixes: Container[str], scope: Sequence[str], follow_links: bool
    ) -> None:
        self.root = root
        self.scan = Scan()
        self._suffixes = suffixes
        self._scope = scope
        self._follow_links = follow_links
        self._taken: set[str] = set()
        """Real paths that links out of the folder have led to."""

    def folder(self, path: str, location: Path) -> None:
        waiting = [(path, location)]
        while waiting:
            path, location = waiting.pop()
            below = []
            for entry in self._list(path, location):
                child = f"{path}/{entry.name}" if path else entry.name
                target = self._target(child, entry)
                if target is None:
                    continue
                if stat.S_ISDIR(target.mode):
                    below.append((child, target.location))
                else:
                    self._file(child, target)
            waiting.extend(reversed(below))
        self.scan.files.sort(key=lambda found: found.path)

    def _list(self, path: str, location: Path) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(location) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self.scan.unread.append(path)
            self._fail(path or ".", f"folder cannot be read: {error.strerror}")
            return
        for entry in found:
            child = f"{path}/{entry.name}" if path else entry.name
            if not _hidden(entry.name) and self._leads_to_scope(child):
                yield entry

    def _leads_to_scope(self, path: str) -> bool:
        return in_scope(path, self._scope) or any(
            part.startswith(f"{path}/") for part in self._scope
        )

    def _target(self, path: str, entry: os.DirEntry[str]) -> "_Target | None":
        """What the entry stands for; None when it is left out, which is reported."""
        try:
            path.encode()
        except UnicodeEncodeError:
            self._fail(path.encode(errors="replace").decode(), "file name is not valid UTF-8")
            return None
        try:
            if not entry.is_symlink():
                return _Target(Path(entry.path), entry.stat(follow_symlinks=False))
            return self._linked(path, entry)
        except OSError as error:
            self._fail(path, f"cannot be read: {error.strerror}")
            return None

    def _linked(self, path: str, entry: os.DirEntry[str]) -> "_Target | None":
        real = os.path.realpath(entry.path)
        if not Path(real).exists():
            self._skip(path, "dead link")
            return None
        if Path(real).is_relative_to(self.root):
            self._skip(path, "link into the folder itself")
            return None
        if not self._follow_links:
            self._skip(path, "outside root")
            return None
        if self.root.is_relative_to(real) or not self._take(real):
            self._skip(path, "link to what is indexed already")
            return None
        return _Target(Path(real), Path(real).stat())

    def _take(self, real: str) -> bool:
        """False for what is, holds or lies in something that a link has led to before."""
        if any(Path(real).is_relative_to(t) or Path(t).is_relative_to(real) for t in self._taken):
            return False
        self._taken.add(real)
        return True

    def _file(self, path: str, target: "_Target") -> None:
        suffix = Path(path).suffix.lower()
        if suffix not in self._suffixes:
            self._skip(path, f"format {suffix or 'without suffix'} is not supported")
        elif not stat.S_ISREG(target.mode):
            self._skip(path, "not a regular file")
        else:
            self.scan.files.append(FoundFile(path, target.location, target.size, target.mtime_ns))

    def _skip(self, path: str, reason: str) -> None:
        if in_scope(path, self._scope):
            self.scan.skipped.append(Failure(path=path, reason=reason))

    def _fail(self, path: str, reason: str) -> None:
        self.scan.failed.append(Failure(path=path, reason=reason))


class _Target:
    def __init__(self, location: Path, stats: os.stat_result) -> None:
        self.location = location
        self.mode = stats.st_mode
        self.size = stats.st_size
        self.mtime_ns = stats.st_mtime_ns


def _hidden(name: str) -> bool:
    """Hidden files, and the lock files that Word keeps beside an open document."""
    return name.startswith((".", "~$")) or name in SKIPPED_FOLDERS
