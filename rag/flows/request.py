"""One request: what was asked, what is known of it so far, and what it came to.

However a request ends, its record becomes a trace; if it ends in an outcome, an answer too.
"""

import time
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from rag.core.language import detect_language
from rag.core.record import citations_of, record_context, record_retrieval
from rag.domain.answer import Answer, DecidedBy, Outcome, Timings, Verdict, Violation
from rag.domain.base import Value
from rag.domain.errors import RagError
from rag.domain.models import GenerationParameters, Prompt, Turn
from rag.domain.ports import LanguageModel
from rag.domain.retrieval import Candidate, ContextBundle, Filter, Mode, Retrieved
from rag.domain.trace import (
    Attempt,
    ContextTrace,
    DecidingSettings,
    ErrorTrace,
    RerankTrace,
    RetrievalTrace,
    Trace,
)


class AskOptions(Value):
    """What a person may set for one question."""

    mode: Mode = "hybrid"
    filter: Filter = Filter()
    language: Literal["auto", "en", "zh-Hant"] = "auto"
    prompt_version: str | None = None
    max_sources: int = 5
    context_tokens: int = 4000
    retries: int = 1
    coverage: Literal["strict", "warn"] = "warn"
    support: Literal["strict", "warn", "off"] = "strict"
    parameters: GenerationParameters = GenerationParameters()
    timeout: float = 120.0
    """Seconds for all attempts together."""
    keep_text: bool = True
    """Whether the trace holds the sources' text or only their hashes."""
    run: str | None = None


class Decision(Value):
    """How a request ended."""

    outcome: Outcome
    decided_by: DecidedBy
    verdict: Verdict


@dataclass
class Record:
    """What is known so far; becomes the trace, however the request ends."""

    question: str
    options: AskOptions
    trace_id: str = field(default_factory=lambda: uuid.uuid4().hex[:16])
    started_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat())
    clock: float = field(default_factory=time.monotonic)
    knowledge_version: str = ""
    history: tuple[Turn, ...] = ()
    prompt: Prompt | None = None
    model: LanguageModel | None = None
    retrieved: Retrieved | None = None
    candidates: tuple[Candidate, ...] = ()
    rerank: RerankTrace | None = None
    bundle: ContextBundle | None = None
    attempts: list[Attempt] = field(default_factory=list)
    warnings: list[Violation] = field(default_factory=list)
    retrieve_ms: float = 0.0
    model_ms: float = 0.0

    def timings(self) -> Timings:
        return Timings(
            retrieve=round(self.retrieve_ms, 2),
            rerank=round(self.rerank.ms, 2) if self.rerank else 0.0,
            model=round(self.model_ms, 2),
            total=round((time.monotonic() - self.clock) * 1000, 2),
        )

    def answer(self, decision: Decision, search_query: str | None) -> Answer:
        """`search_query` where it was not the question that was searched for."""
        verdict, bundle = decision.verdict, self.bundle
        return Answer(
            question=self.question,
            status=decision.outcome,
            answer=verdict.answer,
            decided_by=decision.decided_by,
            citations=citations_of(verdict.citations, bundle) if bundle else (),
            claims=verdict.claims,
            violations=verdict.violations,
            warnings=(*verdict.warnings, *self.warnings),
            repairs=verdict.repairs,
            attempts=len(self.attempts),
            model=str(self.model.identity) if self.model else None,
            prompt_version=self.prompt.version if self.prompt else None,
            knowledge_version=self.knowledge_version,
            trace_id=self.trace_id,
            timings_ms=self.timings(),
            spans=verdict.spans,
            search_query=search_query,
            rejected_text=self.attempts[-1].raw if decision.outcome == "rejected" else None,
        )

    def trace(
        self,
        code_version: str,
        decision: Decision | None = None,
        error: BaseException | None = None,
    ) -> Trace:
        """Without a decision for a request that failed: `error` says how."""
        options, prompt, bundle = self.options, self.prompt, self.bundle
        return Trace(
            trace_id=self.trace_id,
            run=options.run,
            time=self.started_at,
            question=self.question,
            language=detect_language(self.question),
            history=tuple(turn.model_dump() for turn in self.history),
            prompt_version=prompt.version if prompt else None,
            prompt_sha256=prompt.sha256 if prompt else None,
            model=self.model.identity if self.model else None,
            parameters=options.parameters if self.model else None,
            knowledge_version=self.knowledge_version,
            code_version=code_version,
            settings=DecidingSettings(
                coverage=options.coverage,
                support=options.support,
                retries=options.retries,
                max_sources=options.max_sources,
                context_tokens=options.context_tokens,
                message_language=prompt.language if prompt else "en",
            ),
            retrieval=self._retrieval(),
            rerank=self.rerank,
            context=(
                record_context(bundle, keep_text=options.keep_text) if bundle else ContextTrace()
            ),
            attempts=tuple(self.attempts),
            outcome=decision.outcome if decision else None,
            decided_by=decision.decided_by if decision else None,
            verdict=decision.verdict if decision else None,
            timings_ms=self.timings(),
            error=_error(error) if error else None,
        )

    def _retrieval(self) -> RetrievalTrace | None:
        if self.retrieved is None:
            return None
        return record_retrieval(self.retrieved, self.candidates, self.options.mode)


def _error(error: BaseException) -> ErrorTrace:
    hint = error.hint if isinstance(error, RagError) else None
    return ErrorTrace(type=type(error).__name__, message=str(error), hint=hint)
