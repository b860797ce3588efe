"""A model that plays back prepared replies, for tests, demonstrations and offline replays."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

from rag.config import Settings
from rag.domain.errors import ModelError, ModelFailure, SetupError
from rag.domain.models import ModelIdentity, ModelReply, ModelRequest
from rag.domain.ports import Embedder

Reply = str | Mapping[str, Any]
"""A text, or a mapping with `text` and, where wanted, `finish_reason`, `reasoning` and `error`
(a reason of `ModelFailure`; `text` is then what had arrived before the failure)."""

_FIELDS = frozenset({"text", "finish_reason", "reasoning", "error"})


class StaticLlmClient:
    """Replies in the order given, one for each call; `requests` keeps what was asked."""

    def __init__(self, replies: Sequence[Reply], name: str = "replies") -> None:
        self._replies = tuple(_checked(reply, number) for number, reply in enumerate(replies, 1))
        self._name = name
        self.requests: list[ModelRequest] = []
        self._next = threading.Lock()

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity(provider="static", name=self._name)

    def require_ready(self) -> None:
        """It always is."""

    def complete(
        self, request: ModelRequest, on_token: Callable[[int], None] | None = None
    ) -> ModelReply:
        """The next reply.

        Raises:
            ModelError: the reply is an `error`, or there is none left.
        """
        with self._next:  # of several threads each gets a reply of its own
            place = len(self.requests)
            self.requests.append(request)
        if place >= len(self._replies):
            raise ModelError(
                f"static model: call {place + 1}, but only {len(self._replies)} replies were given",
                "add replies to the file that `static_replies` names",
                reason="error",
            )
        reply = self._replies[place]
        text = reply.get("text", "")
        if reason := reply.get("error"):
            raise ModelError(f"static model: played back {reason}", reason=reason, partial=text)
        if on_token is not None:
            on_token(len(text.split()))
        return ModelReply(
            text=text,
            finish_reason=reply.get("finish_reason", "stop"),
            reasoning=reply.get("reasoning", ""),
        )


def open_model(settings: Settings, embedder: Callable[[], Embedder]) -> StaticLlmClient:
    """Replies from the file that `static_replies` names (relative to the workspace).

    Raises:
        SetupError: no file is named, it cannot be read, or a reply in it is malformed.
    """
    if settings.static_replies is None:
        raise SetupError(
            'llm = "static" needs a file of replies', 'set static_replies = "replies.jsonl"'
        )
    path = settings.root / settings.static_replies
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(
            f"static_replies: cannot read {settings.static_replies}: {error}",
            "name an existing UTF-8 file of replies",
        ) from error
    return StaticLlmClient(read_replies(text, path.suffix), name=path.name)


def read_replies(text: str, suffix: str) -> list[Reply]:
    """Replies of a file's text: `.jsonl` one JSON value a line (blank lines skipped), `.json` a
    list of such values, anything else one reply, taken as it is.

    A JSON value is a string, or an object with `text` or `error`; an object without either is
    itself the reply, as JSON, so that a file may hold answers of the contract as they are.
    """
    if suffix == ".jsonl":
        return [_as_reply(_parsed(line, n)) for n, line in _lines(text)]
    if suffix == ".json":
        values = _parsed(text, 1)
        return [_as_reply(value) for value in (values if isinstance(values, list) else [values])]
    return [text]


def _lines(text: str) -> list[tuple[int, str]]:
    # Not `splitlines`: a JSON string may hold U+2028, which is no line end in JSON Lines.
    return [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]


def _parsed(text: str, line: int) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise SetupError(f"static_replies: line {line} is not JSON: {error}") from error


def _as_reply(value: Any) -> Reply:
    if isinstance(value, dict) and not value.keys() & {"text", "error"}:
        return json.dumps(value, ensure_ascii=False)
    return value if isinstance(value, str | dict) else json.dumps(value, ensure_ascii=False)


def _checked(reply: Reply, number: int) -> Mapping[str, Any]:
    fields = {"text": reply} if isinstance(reply, str) else dict(reply)
    if unknown := fields.keys() - _FIELDS:
        raise SetupError(f"static reply {number}: unknown field {min(unknown)!r}")
    if wrong := [key for key, value in fields.items() if not isinstance(value, str)]:
        raise SetupError(f"static reply {number}: {wrong[0]!r} must be a string")
    if "error" in fields and fields["error"] not in get_args(ModelFailure):
        raise SetupError(
            f"static reply {number}: unknown error {fields['error']!r}",
            f"one of {', '.join(get_args(ModelFailure))}",
        )
    return fields
