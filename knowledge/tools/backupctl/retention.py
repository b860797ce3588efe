"""Which snapshots may go. Pure: the caller hands in the list and the time."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True)
class Snapshot:
    id: str
    kind: str
    """`full` or `wal`."""
    taken_at: datetime
    legal_hold: bool = False


@dataclass(frozen=True)
class RetentionPolicy:
    keep_days: int
    keep_at_least: int
    """Newest full snapshots that stay however old they are."""

    def __post_init__(self) -> None:
        if self.keep_days < 1:
            raise ValueError("keep_days must be at least 1")
        if self.keep_at_least < 1:
            raise ValueError("keep_at_least must be at least 1")


def select_expired(
    snapshots: Iterable[Snapshot], policy: RetentionPolicy, now: datetime
) -> list[Snapshot]:
    """The snapshots that `policy` no longer keeps, oldest first.

    A snapshot under legal hold is never selected. The newest `keep_at_least` full ones stay even
    when they are past `keep_days`, so that a stopped backup job cannot empty the store.
    """
    ordered = sorted(snapshots, key=lambda snapshot: snapshot.taken_at)
    full = [snapshot.id for snapshot in ordered if snapshot.kind == "full"]
    protected = set(full[-policy.keep_at_least :])
    limit = now - timedelta(days=policy.keep_days)
    return [
        snapshot
        for snapshot in ordered
        if snapshot.taken_at < limit
        and not snapshot.legal_hold
        and snapshot.id not in protected
    ]
