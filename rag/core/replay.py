"""A recorded request, decided again from its trace alone."""

from collections.abc import Callable

from rag.core.contract import judge
from rag.core.record import content_hash
from rag.domain.answer import SourceText, Verdict
from rag.domain.base import Value
from rag.domain.trace import SourceTrace, Trace

# For traces that keep only hashes: the source's own text and context, by its record.
FindSource = Callable[[SourceTrace], tuple[str, str] | None]


class Replay(Value):
    """`mismatches`: what came out otherwise, one line each. `missing`: markers whose text can no
    longer be had, so that the request cannot be decided again."""

    trace_id: str
    attempts: int
    mismatches: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def reproduced(self) -> bool:
        return not self.mismatches and not self.missing


def replay(trace: Trace, find_source: FindSource = lambda source: None) -> Replay:
    """Parse, contract and support again for every recorded reply, against the recorded verdicts."""
    sources: list[SourceText] = []
    missing: list[str] = []
    for source in trace.context.sources:
        found = _text(source, find_source)
        if found is None:
            missing.append(source.marker)
        else:
            sources.append(_source_text(source, *found))
    judged = [attempt for attempt in trace.attempts if attempt.verdict is not None]
    if missing:
        return Replay(trace_id=trace.trace_id, attempts=len(judged), missing=tuple(missing))
    mismatches: list[str] = []
    last: Verdict | None = None
    for number, attempt in enumerate(trace.attempts, start=1):
        if attempt.verdict is None:
            continue
        last = judge(
            attempt.raw,
            [source.marker for source in trace.context.sources],
            sources,
            finish_reason=attempt.finish_reason,
            coverage=trace.settings.coverage,
            support=trace.settings.support,
            language=trace.settings.message_language,
        )
        mismatches += _differences(f"attempt {number}", attempt.verdict, last)
    if trace.outcome is not None and last is not None:
        outcome = last.status if last.accept else "rejected"
        if outcome != trace.outcome:
            mismatches.append(f"outcome: recorded {trace.outcome}, now {outcome}")
    return Replay(trace_id=trace.trace_id, attempts=len(judged), mismatches=tuple(mismatches))


def _differences(where: str, recorded: Verdict, now: Verdict) -> list[str]:
    if recorded.model_dump_json() == now.model_dump_json():
        return []
    names = [name for name in Verdict.model_fields if getattr(recorded, name) != getattr(now, name)]
    return [f"{where}: another {', '.join(names)}"]


def _text(source: SourceTrace, find_source: FindSource) -> tuple[str, str] | None:
    """Text and context, only if the text is still the one that was cited."""
    if source.text is not None:
        found: tuple[str, str] | None = (source.text, source.context or "")
    else:
        found = find_source(source)
    return found if found is not None and content_hash(found[0]) == source.content_hash else None


def _source_text(source: SourceTrace, text: str, context: str) -> SourceText:
    return SourceText(
        marker=source.marker,
        text=text,
        context=context,
        offset=source.start,
        start_line=source.start_line,
        page=source.page,
    )
