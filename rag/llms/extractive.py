"""Answers without a language model: the sentences of the sources that answer best, quoted.

Reads the very messages that a model would get and replies in the contract's JSON, so that it is
checked, traced and shown through the same code.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rag.config import Settings
from rag.core.crosslingual import moved_question
from rag.core.extract import extract
from rag.core.question import Question
from rag.core.quotable import Passage, quotables
from rag.core.quoting import Extract
from rag.domain.errors import ModelError
from rag.domain.models import Message, ModelIdentity, ModelReply, ModelRequest
from rag.domain.ports import Embedder

# Raised whenever the same messages would get another reply.
_VERSION = "v3"
# The embedder whose cosines the thresholds of `core.extract` were chosen on.
_CALIBRATED = "e5:multilingual-e5-small"


def open_model(settings: Settings, embedder: Callable[[], Embedder]) -> ExtractiveModel:
    """Uses the embedder of the search; it is opened at the first question."""
    return ExtractiveModel(embedder)


class ExtractiveModel:
    """Deterministic: the same messages and the same embedder give the same reply."""

    def __init__(self, embedder: Callable[[], Embedder]) -> None:
        self._embedder = embedder

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity(provider="extractive", name=_VERSION)

    def require_ready(self) -> None:
        """It always is."""

    def complete(
        self, request: ModelRequest, on_token: Callable[[int], None] | None = None
    ) -> ModelReply:
        """The contract's JSON for the question and sources in the request's first user message.

        Raises:
            ModelError: `no_model` when the messages hold no question with sources (ranking and
                rewriting need a language model); whatever the embedder raises.
        """
        started = time.monotonic()
        asked = read_payload(request.messages)
        if asked is None:
            raise ModelError(
                "the extractive answerer can only answer questions from sources",
                "set `llm` to a language model for this",
                reason="no_model",
            )
        text = _as_json(self._extract(asked))
        if on_token is not None:
            on_token(len(text.split()))
        return ModelReply(text=text, duration_ms=(time.monotonic() - started) * 1000)

    def _extract(self, asked: Payload) -> Extract:
        question = Question(asked.question)
        found = quotables(question, asked.passages)
        if not found:
            return extract(question, asked.passages, (), ())
        embedder = self._embedder()
        vectors = embedder.embed_passages([one.text for one in found])

        def cosines(text: str) -> list[float]:
            vector = embedder.embed_query(text)
            near: list[float] = (vectors @ vector).tolist()
            if not any(one.foreign for one in found):
                return near
            english = question.language == "en"
            abroad = (
                vectors @ moved_question(vector, embedder.embed_query, english=english)
            ).tolist()
            return [abroad[i] if one.foreign else near[i] for i, one in enumerate(found)]

        return extract(
            question,
            asked.passages,
            found,
            cosines(asked.question),
            cosines(f"{asked.previous} {asked.question}") if asked.previous else None,
            calibrated=embedder.identity.startswith(_CALIBRATED),
        )


@dataclass(frozen=True, slots=True)
class Payload:
    """What the user message holds."""

    question: str
    passages: tuple[Passage, ...]
    previous: str | None = None
    """The question before this one in a conversation."""


def read_payload(messages: Sequence[Message]) -> Payload | None:
    """Question and sources of the first user message that holds them; None without one."""
    for message in messages:
        if message.role == "user" and (payload := _payload(message.content)) is not None:
            return payload
    return None


def _payload(content: str) -> Payload | None:
    _, _, below = content.partition("\n")
    for text in (below, content):
        try:
            fields = json.loads(text)
            history = fields.get("conversation_history") or [{}]
            return Payload(
                _text(fields["question"]),
                tuple(
                    Passage(_text(one["id"]), _text(one.get("title", "")), _text(one["content"]))
                    for one in fields["sources"]
                ),
                history[-1].get("question"),
            )
        except (ValueError, KeyError, TypeError, AttributeError, IndexError):
            continue
    return None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(type(value).__name__)
    return value


def _as_json(result: Extract) -> str:
    return json.dumps(
        {
            "status": result.status,
            "answer": result.answer,
            "citations": list(result.citations),
        },
        ensure_ascii=False,
    )
