"""One question to one outcome: retrieve, hand over sources, hold the reply to the contract.

The loop parse -> contract -> support -> retry lives here and nowhere else. Whatever happens, a
trace is written; whatever the model says, only a reply that holds leaves as an answer.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from rag.core.context import build_bundle
from rag.core.contract import judge, reply_schema, retry_message
from rag.core.fold import fold_script
from rag.core.language import detect_language
from rag.core.plain import well_formed
from rag.core.prompt import build_messages, messages_hash, prompt_language, retry_messages
from rag.core.record import source_texts
from rag.core.tokens import count_tokens
from rag.core.violations import violation
from rag.domain.answer import Answer, Verdict, Violation
from rag.domain.errors import ModelError, UsageError
from rag.domain.models import Message, ModelReply, ModelRequest, Prompt, Turn
from rag.domain.ports import Journal, LanguageModel, PromptBook, Reranker
from rag.domain.retrieval import ContextBundle, Filter, Mode, Retrieved
from rag.domain.trace import Attempt, RerankTrace
from rag.flows.request import AskOptions, Decision, Record

# The complaint about a refused reply names at most a dozen violations of some 25 tokens each.
_COMPLAINT_TOKENS = 300
_HISTORY_TOKENS = 600
_SMALLEST_BUDGET = 200
# A retry with fewer seconds left would only be cut off.
_SHORTEST_RETRY = 1.0
# The first stage's length: what the reranker sees, and enough for five sources that differ.
_CANDIDATES = 20

Stage = Literal["retrieving", "reranking", "answering", "checking"]
OnStage = Callable[[Stage, int], None]
"""Called when a stage begins, and with the number of reply tokens so far while answering."""


class Search(Protocol):
    def __call__(self, query: str, *, mode: Mode, limit: int, filter: Filter) -> Retrieved: ...


@dataclass(frozen=True)
class AskPorts:
    search: Search
    model: Callable[[], LanguageModel]
    """Opened only when there is something to answer from."""
    prompts: PromptBook
    journal: Journal
    knowledge_version: Callable[[], str]
    code_version: str
    reranker: Reranker | None = None


def ask(
    question: str,
    ports: AskPorts,
    options: AskOptions | None = None,
    *,
    history: Sequence[Turn] = (),
    search_query: str | None = None,
    on_stage: OnStage = lambda stage, tokens: None,
) -> Answer:
    """The outcome of one question, typed; also when it is a refusal.

    `history` may help to understand the question and proves nothing. `search_query` is searched
    for instead of the question where that only makes sense in its conversation.

    Raises:
        UsageError: the question has no letter or digit, or is longer than the model can read.
        RagError: retrieval or the model failed. The trace is written all the same.
    """
    record = Record(well_formed(question), options or AskOptions(), history=tuple(history))
    try:
        decision = _decide(record, ports, well_formed(search_query or question), on_stage)
    except BaseException as error:  # an interrupt too: it was a request, and is told
        ports.journal.write(record.trace(ports.code_version, error=error))
        raise
    return _finish(record, ports, decision, search_query)


def _decide(record: Record, ports: AskPorts, query: str, on_stage: OnStage) -> Decision:
    # In a conversation the search query holds earlier words: they do not make this a question.
    if not any(map(str.isalnum, record.question)):
        raise UsageError("the question has no letter or digit", "ask with at least one word")
    options = record.options
    language = prompt_language(record.question, options.language)
    record.prompt = ports.prompts.get("answer", language, options.prompt_version)
    # Before the search: a question too long for the model would keep the embedder busy for minutes.
    budget = _source_budget(record.question, record.prompt, record.history, options)
    _retrieve(record, ports, query, on_stage)
    record.bundle = build_bundle(
        record.candidates, max_sources=options.max_sources, token_budget=budget
    )
    if not record.bundle.sources:
        return _nothing_found(record.question, record.prompt)
    record.model = ports.model()
    messages = build_messages(
        record.question,
        record.bundle,
        record.prompt,
        record.history,
        history_tokens=_HISTORY_TOKENS,
    )
    return _answer(record, record.model, record.bundle, messages, language, on_stage)


def _retrieve(record: Record, ports: AskPorts, query: str, on_stage: OnStage) -> None:
    options = record.options
    on_stage("retrieving", 0)
    begin = time.monotonic()
    record.knowledge_version = ports.knowledge_version()
    record.retrieved = ports.search(
        query, mode=options.mode, limit=_CANDIDATES, filter=options.filter
    )
    record.candidates = record.retrieved.candidates
    record.retrieve_ms = _ms_since(begin)
    record.warnings += [
        Violation(code="degraded_search", message=line) for line in record.retrieved.degraded
    ]
    if ports.reranker is not None and len(record.candidates) > 1:
        on_stage("reranking", 0)
        record.candidates, record.rerank = ports.reranker.rerank(
            query, record.candidates, len(record.candidates)
        )
        if record.rerank.status != "ok":
            language = prompt_language(record.question, options.language)
            record.warnings.append(_not_reranked(record.rerank, language))


def _not_reranked(trace: RerankTrace, language: str) -> Violation:
    """Reranking never stops an answer, and never fails in silence."""
    seconds = f"{trace.pause_seconds or 0:.0f}"
    name = f"not_reranked.{trace.status}"
    return violation(name, language, reason=str(trace.reason), seconds=seconds)


def _answer(
    record: Record,
    model: LanguageModel,
    bundle: ContextBundle,
    messages: tuple[Message, ...],
    language: str,
    on_stage: OnStage,
) -> Decision:
    """Call the model until its reply holds or the attempts are used up. A reply is never accepted
    for being the last."""
    options = record.options
    deadline = time.monotonic() + options.timeout
    uncited = False
    verdict: Verdict | None = None
    for attempt in range(options.retries + 1):
        remaining = deadline - time.monotonic()
        if verdict is not None and remaining < _SHORTEST_RETRY:
            break
        request = ModelRequest(
            messages=messages,
            reply_schema=reply_schema(bundle.markers, cite_sentences=uncited),
            parameters=options.parameters,
            timeout=max(remaining, _SHORTEST_RETRY),
        )
        on_stage("answering", 0)
        try:
            reply = _call(record, model, request, on_stage)
        except ModelError as error:
            if verdict is None:
                raise
            # The refused reply stays what this request came to; the failure is told beside it.
            record.warnings.append(Violation(code="retry_failed", message=error.message))
            break
        on_stage("checking", 0)
        verdict = judge(
            reply.text,
            bundle.markers,
            source_texts(bundle),
            finish_reason=reply.finish_reason,
            coverage=options.coverage,
            support=options.support,
            language=language,
        )
        record.attempts.append(_attempt(request, reply, verdict))
        if verdict.accept and verdict.status is not None:
            return Decision(outcome=verdict.status, decided_by="model", verdict=verdict)
        uncited = any(violation.code == "no_citation" for violation in verdict.violations)
        if attempt < options.retries:
            messages = retry_messages(messages, reply.text, retry_message(verdict, language))
    assert verdict is not None  # the first attempt either raised or was judged
    return Decision(outcome="rejected", decided_by="model", verdict=verdict)


def _call(
    record: Record, model: LanguageModel, request: ModelRequest, on_stage: OnStage
) -> ModelReply:
    begin = time.monotonic()
    try:
        reply = model.complete(request, lambda tokens: on_stage("answering", tokens))
    except ModelError as error:
        record.attempts.append(
            Attempt(
                messages_hash=messages_hash(request.messages),
                raw=well_formed(error.partial),
                error=f"{error.reason}: {error.message}",
                ms=round(_ms_since(begin), 2),
            )
        )
        raise
    finally:
        record.model_ms += _ms_since(begin)
    return reply.model_copy(
        update={"text": well_formed(reply.text), "reasoning": well_formed(reply.reasoning)}
    )


def _attempt(request: ModelRequest, reply: ModelReply, verdict: Verdict) -> Attempt:
    return Attempt(
        messages_hash=messages_hash(request.messages),
        raw=reply.text,
        finish_reason=reply.finish_reason,
        reasoning=reply.reasoning,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        ms=round(reply.duration_ms, 2),
        verdict=verdict,
    )


def _source_budget(
    question: str, prompt: Prompt, history: Sequence[Turn], options: AskOptions
) -> int:
    """Tokens left for sources once rules, question, history, the reply and one mended reply have
    their place. So neither a long conversation nor a retry pushes a rule out of the window."""
    parameters = options.parameters
    rules = sum(count_tokens(rule.text) for rule in prompt.rules) + count_tokens(prompt.template)
    taken = (
        rules
        + count_tokens(question)
        + (_HISTORY_TOKENS if history else 0)
        + 2 * parameters.num_predict
        + _COMPLAINT_TOKENS
    )
    budget = min(options.context_tokens, parameters.num_ctx - taken)
    if budget < _SMALLEST_BUDGET:
        raise UsageError(
            f"the question leaves no room for sources: {count_tokens(question)} tokens of the "
            f"{parameters.num_ctx} that the model reads",
            "ask a shorter question, or raise num_ctx",
        )
    return budget


def _nothing_found(question: str, prompt: Prompt) -> Decision:
    words = prompt.words["nothing_found"]
    if detect_language(question) == "zh-Hans":
        words = fold_script(words)
    verdict = Verdict(accept=True, status="insufficient", answer=words)
    return Decision(outcome="insufficient", decided_by="retrieval", verdict=verdict)


def _finish(
    record: Record, ports: AskPorts, decision: Decision, search_query: str | None
) -> Answer:
    if warning := ports.journal.write(record.trace(ports.code_version, decision)):
        record.warnings.append(Violation(code="trace_not_written", message=warning))
    return record.answer(decision, search_query)


def _ms_since(moment: float) -> float:
    return (time.monotonic() - moment) * 1000
