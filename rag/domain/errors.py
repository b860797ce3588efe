"""What can break, as opposed to what can be wrong.

    RagError
    ├── UsageError      the request makes no sense (exit 2)
    ├── SetupError      something is missing or misconfigured; the hint says what mends it
    ├── LoadError       one document cannot be read; never stops the others
    ├── IndexUnusable   no index, an older or newer one, or one made by another embedder
    └── ModelError      a language model or embedding call failed

A wrong answer is data (see `domain.answer`), never an exception.
"""

from typing import Literal

ModelFailure = Literal[
    "timeout", "connection", "http_error", "incomplete", "empty", "no_model", "error"
]


class RagError(Exception):
    """A failure with a sentence for the person who asked and a hint that helps them on."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(RagError):
    """The request itself is malformed: an empty question, an option out of range."""


class SetupError(RagError):
    """Something this machine lacks or a setting that cannot work."""


class LoadError(RagError):
    """One document could not be read. `message` is the one-line reason shown beside its path."""


class IndexUnusable(RagError):
    """The index is absent, incomplete, of another schema version or of another embedder."""


class ModelError(RagError):
    """A model call failed. `reason` says how, in the words used by traces and fallbacks."""

    def __init__(
        self,
        message: str,
        hint: str | None = None,
        *,
        reason: ModelFailure = "error",
        partial: str = "",
    ) -> None:
        super().__init__(message, hint)
        self.reason: ModelFailure = reason
        self.partial = partial
        """What had arrived when the call failed: for the trace, never for an answer."""
