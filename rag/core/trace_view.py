"""How a trace reads for a person: what was asked, found, handed over, replied and decided."""

from collections.abc import Iterator

from rag.core.plain import inline, one_line, printable
from rag.core.view import Line, Role, Span
from rag.domain.answer import Verdict
from rag.domain.trace import Attempt, RerankTrace, Trace

_OUTCOME_ROLES: dict[str, Role] = {
    "answered": "answered",
    "insufficient": "insufficient",
    "rejected": "rejected",
    "error": "rejected",
}
_RERANKED = {
    "ok": "order by the model",
    "partial": "order by the model in part: {}",
    "fallback": "order of the search: {}",
    "skipped": "order of the search, skipped after failures: {}",
}
_TEXT_WIDTH = 160


def trace_row(trace: Trace, width: int = 60) -> Line:
    """One line of `rag trace list`."""
    outcome = trace.outcome or "error"
    return (
        Span(text=f"{trace.trace_id}  {trace.time[:19].replace('T', ' ')}  "),
        Span(text=f"{outcome:<12}", role=_OUTCOME_ROLES[outcome]),
        Span(text=f"  {len(trace.attempts)}x  "),
        Span(text=one_line(trace.question, width)),
    )


def trace_lines(trace: Trace) -> list[Line]:
    """The whole of `rag trace show`."""
    return [
        *_head(trace),
        *_retrieval(trace),
        *_context(trace),
        *(line for n, attempt in enumerate(trace.attempts, 1) for line in _attempt(n, attempt)),
        *_end(trace),
    ]


def _head(trace: Trace) -> Iterator[Line]:
    yield (Span(text=f"trace {trace.trace_id}"), Span(text=f"  {trace.time}", role="dim"))
    yield (Span(text=f"question   {inline(trace.question)}"),)
    for turn in trace.history:
        yield (Span(text=f"  earlier  {one_line(str(turn.get('question')), 100)}", role="dim"),)
    yield (Span(text=f"model      {trace.model or 'not called'}"),)
    yield (Span(text=f"prompt     {trace.prompt_version or '-'}"),)
    yield (Span(text=f"knowledge  {trace.knowledge_version or '-'}"),)
    settings = trace.settings
    yield (
        Span(
            text=f"settings   coverage={settings.coverage} support={settings.support} "
            f"retries={settings.retries} max_sources={settings.max_sources}",
            role="dim",
        ),
    )


def _retrieval(trace: Trace) -> Iterator[Line]:
    if trace.retrieval is None:
        return
    yield ()
    yield (
        Span(text=f"retrieved  {len(trace.retrieval.candidates)} candidates"),
        Span(text=f"  {trace.retrieval.mode}, {trace.timings_ms.retrieve:.0f} ms", role="dim"),
    )
    if trace.retrieval.query != trace.question:
        yield (Span(text=f"  searched for: {one_line(trace.retrieval.query)}"),)
    for label, terms in (
        ("terms", trace.retrieval.terms_used),
        ("without", trace.retrieval.terms_dropped),
    ):
        if terms:
            yield (Span(text=f"  {label}: {one_line(' '.join(terms), _TEXT_WIDTH)}", role="dim"),)
    for line in trace.retrieval.degraded:
        yield (Span(text=f"  degraded: {line}", role="warning"),)
    for candidate in trace.retrieval.candidates:
        ranks = candidate.ranks
        yield (
            Span(
                text=f"  {_rank(ranks.reranked or ranks.fused):>3}  lex {_rank(ranks.lexical):>3}"
                f"  vec {_rank(ranks.vector):>3}  {candidate.score:8.4f}  "
            ),
            Span(text=inline(candidate.path), role="path"),
            Span(text=f"  {candidate.chunk_id}", role="dim"),
        )
    if trace.rerank is not None:
        yield from _rerank(trace.rerank)


def _rerank(rerank: RerankTrace) -> Iterator[Line]:
    told = _RERANKED[rerank.status].format(rerank.reason)
    cached = ", from the cache" if rerank.cached and rerank.calls else ""
    yield (
        Span(text=f"reranked   {told}", role="warning" if rerank.reason else "plain"),
        Span(text=f"  {rerank.model or 'no model'}, {rerank.ms:.0f} ms{cached}", role="dim"),
    )
    for call in rerank.calls:
        counts = ", ".join(f"{name} {count}" for name, count in call.counts.items() if count)
        form = call.reason or ("clean" if call.clean else "repaired")
        yield (
            Span(text=f"  {form}{f' ({counts})' if counts else ''}: "),
            Span(text=one_line(call.raw or "-", _TEXT_WIDTH), role="dim"),
        )


def _context(trace: Trace) -> Iterator[Line]:
    context = trace.context
    if not context.sources and not context.omitted:
        return
    yield ()
    yield (
        Span(text=f"context    {len(context.sources)} sources"),
        Span(text=f"  {context.tokens_used} of {context.token_budget} tokens", role="dim"),
    )
    for source in context.sources:
        yield (
            Span(text=f"  [{source.marker}]", role="marker"),
            Span(text=f" {inline(source.path)}:{source.start_line}-{source.end_line}", role="path"),
            Span(text=f"  {one_line(source.title, 60)}"),
        )
        if source.flags:
            yield (Span(text=f"       ! flagged: {', '.join(source.flags)}", role="warning"),)
    for omitted in context.omitted:
        yield (Span(text=f"  left out ({omitted.reason}): {inline(omitted.path)}", role="dim"),)


def _attempt(number: int, attempt: Attempt) -> Iterator[Line]:
    yield ()
    tokens = f", {attempt.completion_tokens} tokens" if attempt.completion_tokens else ""
    finish = f", finished by {attempt.finish_reason}" if attempt.finish_reason else ""
    yield (
        Span(text=f"attempt {number}"),
        Span(text=f"  {attempt.ms:.0f} ms{tokens}{finish}", role="dim"),
    )
    if attempt.error:
        yield (Span(text=f"  failed: {attempt.error}", role="warning"),)
    for line in printable(attempt.raw).split("\n"):
        yield (Span(text=f"  | {line}", role="dim"),)
    if attempt.verdict is not None:
        yield from _verdict(attempt.verdict)


def _verdict(verdict: Verdict) -> Iterator[Line]:
    if verdict.repairs:
        yield (Span(text=f"  repairs: {', '.join(verdict.repairs)}"),)
    for violation in verdict.violations:
        yield (
            Span(
                text=f"  violation {violation.code}: {one_line(violation.message)}", role="warning"
            ),
        )
    for warning in verdict.warnings:
        yield (Span(text=f"  warning {warning.code}: {one_line(warning.message)}", role="dim"),)


def _end(trace: Trace) -> Iterator[Line]:
    yield ()
    outcome = trace.outcome or "error"
    by = f" (decided by {trace.decided_by})" if trace.decided_by else ""
    yield (
        Span(text="outcome    "),
        Span(text=outcome, role=_OUTCOME_ROLES[outcome]),
        Span(text=f"{by}  {trace.timings_ms.total:.0f} ms", role="dim"),
    )
    if trace.error is not None:
        yield (Span(text=f"  {trace.error.type}: {one_line(trace.error.message)}", role="warning"),)
    if trace.verdict is None or not trace.verdict.accept:
        return
    for line in printable(trace.verdict.answer or "").split("\n"):
        yield (Span(text=f"  {line}"),)
    for claim in trace.verdict.claims:
        yield (Span(text=f"  {claim.verdict:<12}{one_line(claim.text, _TEXT_WIDTH)}", role="dim"),)
        for evidence in claim.evidence:
            yield (
                Span(text=f"    [{evidence.marker}] {evidence.score:.2f} ", role="marker"),
                Span(text=f"“{one_line(evidence.quote, _TEXT_WIDTH)}”", role="quote"),
            )


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)
