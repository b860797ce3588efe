"""What differs between the folder and the index. The content decides, always."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from rag.domain.index import Failure, Known
from rag.flows.scan import FoundFile, Scan, hash_file, in_scope


@dataclass(frozen=True)
class Changed:
    """A file that is new, or not what the index was made from."""

    file: FoundFile
    content_hash: str


@dataclass
class Changes:
    to_read: list[Changed] = field(default_factory=list)
    unchanged: set[str] = field(default_factory=set)
    touched: dict[str, tuple[int, int]] = field(default_factory=dict)
    """New (size, mtime_ns) of unchanged files."""
    unreadable: list[Failure] = field(default_factory=list)
    """Files whose content is unknown: what was indexed of them before stays."""
    gone: list[str] = field(default_factory=list)
    """Documents whose file is no longer there."""


def find_changes(
    scan: Scan, known: Mapping[str, Known], recipe: Callable[[str], str], *, all_anew: bool
) -> Changes:
    """Compares by sha256 and recipe, never by size and time alone: an edit may keep both, and
    10,000 files are hashed in a second. With `all_anew` every file counts as changed."""
    changes = Changes(unreadable=list(scan.failed))
    for found in scan.files:
        try:
            content_hash = hash_file(found.location, found.size)
        except OSError as error:
            reason = f"cannot be read: {error.strerror}"
            changes.unreadable.append(Failure(path=found.path, reason=reason))
            continue
        before = known.get(found.path)
        same = before and (before.content_hash, before.recipe) == (content_hash, recipe(found.path))
        if before is None or not same or all_anew:
            changes.to_read.append(Changed(found, content_hash))
            continue
        changes.unchanged.add(found.path)
        if (before.size, before.mtime_ns) != (found.size, found.mtime_ns):
            changes.touched[found.path] = (found.size, found.mtime_ns)
    there = changes.unchanged | {changed.file.path for changed in changes.to_read}
    there |= {failure.path for failure in changes.unreadable}
    changes.gone = [p for p in known if p not in there and not _below(p, scan.unread)]
    return changes


def _below(path: str, folders: Iterable[str]) -> bool:
    return any(folder == "" or in_scope(path, [folder]) for folder in folders)
