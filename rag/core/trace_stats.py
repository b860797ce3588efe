"""What many traces say together: how requests end, and what a retry mends."""

from collections import Counter
from collections.abc import Iterable

from rag.domain.base import Value
from rag.domain.trace import Attempt, Trace


class MendedCode(Value):
    """A violation of first replies: how often it came, and how often the retry's reply held."""

    code: str
    seen: int
    retried: int
    mended: int


class TraceStats(Value):
    """`outcomes` counts requests; `error` stands for those that failed before an outcome."""

    requests: int
    outcomes: dict[str, int]
    models: dict[str, int]
    prompts: dict[str, int]
    called: int
    """Requests that called a model."""
    first_try: int
    """Requests whose first reply held."""
    retried: int
    mended: int
    """Retried requests that ended with a reply that held."""
    codes: tuple[MendedCode, ...]
    repairs: dict[str, int]


def summarize(traces: Iterable[Trace]) -> TraceStats:
    """Statistics over `traces`; codes and repairs most frequent first."""
    outcomes: Counter[str] = Counter()
    models: Counter[str] = Counter()
    prompts: Counter[str] = Counter()
    repairs: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    retried_codes: Counter[str] = Counter()
    mended_codes: Counter[str] = Counter()
    called = first_try = retried = mended = 0
    for trace in traces:
        outcomes[trace.outcome or "error"] += 1
        if trace.model is not None:
            models[str(trace.model)] += 1
        if trace.prompt_version is not None:
            prompts[trace.prompt_version] += 1
        if not trace.attempts:
            continue
        called += 1
        first, holds = trace.attempts[0], _holds(trace.attempts[-1])
        repairs.update(first.verdict.repairs if first.verdict else ())
        if _holds(first):
            first_try += 1
            continue
        codes = _codes(first)
        seen.update(codes)
        if len(trace.attempts) > 1:
            retried += 1
            retried_codes.update(codes)
            if holds:
                mended += 1
                mended_codes.update(codes)
    return TraceStats(
        requests=outcomes.total(),
        outcomes=dict(outcomes.most_common()),
        models=dict(models.most_common()),
        prompts=dict(prompts.most_common()),
        called=called,
        first_try=first_try,
        retried=retried,
        mended=mended,
        codes=tuple(
            MendedCode(
                code=code, seen=count, retried=retried_codes[code], mended=mended_codes[code]
            )
            for code, count in seen.most_common()
        ),
        repairs=dict(repairs.most_common()),
    )


def _holds(attempt: Attempt) -> bool:
    return attempt.verdict is not None and attempt.verdict.accept


def _codes(attempt: Attempt) -> set[str]:
    if attempt.verdict is None:
        return {"call_failed"}
    return {violation.code for violation in attempt.verdict.violations}
