"""One request, written down so that its outcome can be reproduced from this alone."""

from typing import Any, Literal

from pydantic import Field

from rag.domain.answer import DecidedBy, Outcome, Timings, Verdict
from rag.domain.base import Value
from rag.domain.models import GenerationParameters, ModelIdentity
from rag.domain.retrieval import Omitted, Ranks

TRACE_SCHEMA_VERSION = 1


class CandidateTrace(Value):
    chunk_id: str
    path: str
    score: float
    ranks: Ranks
    similarity: float | None = None


class RetrievalTrace(Value):
    query: str
    mode: str
    terms_used: tuple[str, ...] = ()
    """What the lexical index was asked for; empty in a search by meaning alone."""
    terms_dropped: tuple[str, ...] = ()
    """Terms of the query that it was not asked for: words that only ask."""
    candidates: tuple[CandidateTrace, ...] = ()
    degraded: tuple[str, ...] = ()


class RerankCall(Value):
    """One call to the ranking model: a window, or a batch of the scored form."""

    ids: tuple[str, ...]
    """Chunk ids in the order shown to the model."""
    raw: str | None
    order: tuple[int, ...]
    counts: dict[str, int] = Field(default_factory=dict)
    fallback: bool = False
    reason: str | None = None
    cached: bool = False
    ms: float = 0.0
    clean: bool = False
    """The reply was exactly what was asked for."""
    attempts: int = 1
    """How often the model was called; 0 for a reply from the cache."""


class RerankTrace(Value):
    mode: str
    form: str = "array"
    """What was asked for: `array` or `object`."""
    status: Literal["ok", "partial", "fallback", "skipped"] = "ok"
    """`partial`: some calls failed and their passages kept their places. `skipped`: no call was
    made, since the last ones had failed in a row."""
    pause_seconds: float = 0.0
    """How much longer the stage is skipped."""
    model: str | None = None
    prompt_version: str | None = None
    parameters: GenerationParameters | None = None
    calls: tuple[RerankCall, ...] = ()
    counts: dict[str, int] = Field(default_factory=dict)
    fallback: bool = False
    reason: str | None = None
    cached: bool = False
    ms: float = 0.0


class SourceTrace(Value):
    """A source as handed over. `text` and `context` are None with `trace.content = "refs"`."""

    marker: str
    chunk_id: str
    path: str
    title: str
    heading: tuple[str, ...] = ()
    content_hash: str
    start: int
    end: int
    start_line: int
    end_line: int
    page: int | None = None
    end_page: int | None = None
    text: str | None = None
    context: str | None = None
    flags: tuple[str, ...] = ()


class ContextTrace(Value):
    sources: tuple[SourceTrace, ...] = ()
    omitted: tuple[Omitted, ...] = ()
    token_budget: int = 0
    tokens_used: int = 0


class Attempt(Value):
    """One call to the answering model and what the contract said of its reply."""

    messages_hash: str
    raw: str
    finish_reason: str | None = None
    reasoning: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    ms: float = 0.0
    verdict: Verdict | None = None
    error: str | None = None


class DecidingSettings(Value):
    """The settings that decide an outcome; with them and the raw replies it can be replayed."""

    coverage: Literal["strict", "warn"]
    support: Literal["strict", "warn", "off"]
    retries: int
    max_sources: int
    context_tokens: int
    message_language: str = "en"
    """Language of the contract's messages."""
    cut: float | None = None


class ErrorTrace(Value):
    type: str
    message: str
    hint: str | None = None


class Trace(Value):
    schema_version: int = TRACE_SCHEMA_VERSION
    trace_id: str
    run: str | None = None
    time: str
    """ISO 8601, UTC."""
    kind: str = "ask"
    question: str
    language: str
    history: tuple[dict[str, Any], ...] = ()
    prompt_version: str | None = None
    prompt_sha256: str | None = None
    model: ModelIdentity | None = None
    parameters: GenerationParameters | None = None
    knowledge_version: str
    code_version: str
    settings: DecidingSettings
    retrieval: RetrievalTrace | None = None
    rerank: RerankTrace | None = None
    context: ContextTrace = ContextTrace()
    attempts: tuple[Attempt, ...] = ()
    outcome: Outcome | None = None
    """None when the request failed before there was one; then `error` says why."""
    decided_by: DecidedBy | None = None
    verdict: Verdict | None = None
    timings_ms: Timings = Timings()
    error: ErrorTrace | None = None
