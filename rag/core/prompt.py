"""The messages of one request: rules and example as system, question and sources as data."""

import hashlib
import json
import re
from collections.abc import Sequence

from rag.core.language import detect_language
from rag.core.rewrite import protect
from rag.core.tokens import count_tokens
from rag.domain.documents import Language
from rag.domain.models import Message, Prompt, Turn
from rag.domain.retrieval import ContextBundle

_MARKER = re.compile(r"\[S\d+\]")


def prompt_language(question: str, setting: str = "auto") -> str:
    """Which prompt serves: the setting's, else that of the question's script. Simplified questions
    use the Traditional prompt, whose rule asks for the question's own script."""
    if setting != "auto":
        return setting
    return "en" if detect_language(question) == "en" else "zh-Hant"


def question_language(question: str) -> Language:
    return detect_language(question)


def build_messages(
    question: str,
    bundle: ContextBundle,
    prompt: Prompt,
    history: Sequence[Turn] = (),
    *,
    history_tokens: int = 600,
) -> tuple[Message, ...]:
    """System, then user. The user message is the prompt's lead-in line and indented JSON:
    `{"question", "sources": [{"id", "title", "chunk_id", "content"}], "conversation_history"?}`.

    Of `history` the latest turns that fit `history_tokens` travel along, without their markers.
    """
    payload: dict[str, object] = {
        "question": protect(question),
        "sources": [
            {
                "id": source.marker,
                "title": source.model_title,
                "chunk_id": source.chunk.chunk_id,
                "content": source.model_text,
            }
            for source in bundle.sources
        ],
    }
    if turns := _recent(history, history_tokens):
        payload["conversation_history"] = [
            {"question": protect(turn.question), "answer": _without_markers(turn.answer)}
            for turn in turns
        ]
    rules = "\n".join(f"{n}. {rule.text.strip()}" for n, rule in enumerate(prompt.rules, start=1))
    return (
        Message(role="system", content=prompt.template.replace("{rules}", rules).strip()),
        Message(
            role="user",
            content=f"{prompt.user}\n{json.dumps(payload, ensure_ascii=False, indent=2)}",
        ),
    )


def retry_messages(messages: Sequence[Message], reply: str, complaint: str) -> tuple[Message, ...]:
    """The same messages again, then the refused reply and what was wrong with it."""
    return (
        *messages,
        Message(role="assistant", content=reply),
        Message(role="user", content=complaint),
    )


def messages_hash(messages: Sequence[Message]) -> str:
    """sha256 over the canonical JSON of the messages."""
    canonical = json.dumps(
        [[message.role, message.content] for message in messages],
        ensure_ascii=False,
        separators=(",", ":"),
    )
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()


def _recent(history: Sequence[Turn], token_limit: int) -> list[Turn]:
    """The latest turns that fit, in order. One too long is left out, and all before it."""
    kept: list[Turn] = []
    used = 0
    for turn in reversed(history):
        used += count_tokens(turn.question) + count_tokens(turn.answer)
        if used > token_limit:
            break
        kept.append(turn)
    return kept[::-1]


def _without_markers(answer: str) -> str:
    return protect(_MARKER.sub("", answer))
