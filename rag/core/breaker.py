"""A circuit breaker: what fails again and again is left alone for a while.

Pure: time comes in as a number of seconds from whatever clock the caller has.
"""

from typing import NamedTuple

# Three in a row is no accident; a minute lets a server restart without holding up every search.
FAILURES = 3
PAUSE_SECONDS = 60.0


class Breaker(NamedTuple):
    """How often in a row it failed, and until when it is left alone."""

    failures: int = 0
    open_until: float | None = None
    reason: str | None = None
    """Of the last failure."""

    def pause(self, now: float) -> float:
        """Seconds left to wait; 0 when a call may be made."""
        return 0.0 if self.open_until is None else max(0.0, self.open_until - now)

    def succeeded(self) -> "Breaker":
        return Breaker()

    def failed(self, now: float, reason: str, patience: int = FAILURES) -> "Breaker":
        """Opens at the failure number `patience` in a row. After a pause one call is tried: if that
        fails too, the next pause begins at once."""
        failures = self.failures + 1
        return Breaker(failures, now + PAUSE_SECONDS if failures >= patience else None, reason)
