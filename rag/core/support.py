"""Whether the cited sources really say what a claim says.

Three steps, all pure: a claim that quotes its source word for word is supported; a claim that
states a number, date, identifier, bound or negation which its sources do not is unsupported; else
the share of its words that the best sentences of the sources hold decides.
"""

from collections.abc import Sequence

from rag.core.contradictions import find_contradictions
from rag.core.reading import ClaimReading, SourceReading, without_markers
from rag.core.span import Span
from rag.core.words import content_words
from rag.domain.answer import Claim, Evidence, SourceText

UNSUPPORTED_BELOW = 0.30
WEAK_BELOW = 0.55


def check_support(claims: Sequence[Claim], sources: Sequence[SourceText]) -> tuple[Claim, ...]:
    """`claims` with verdict, reason and evidence. Those without markers come back as `uncited`.

    Evidence has one span for every marker of a claim that names one of `sources`, in that order.
    """
    readings = {source.marker: SourceReading(source) for source in sources}
    return tuple(
        _checked(claim, [readings[marker] for marker in claim.markers if marker in readings])
        for claim in claims
    )


def support_score(claim: str, source: str) -> float:
    """How well `source` supports `claim`, for measuring: coverage in 0..1, minus one where a hard
    check fails, so that every refused claim ranks below every accepted one."""
    text = without_markers(claim)
    reading = SourceReading(SourceText(marker="S1", text=source))
    asked = ClaimReading(text)
    if reading.squeezed.find(asked.flat):
        return 1.0
    failed = next(find_contradictions(asked, [reading]), None) is not None
    share = reading.words.best_window(_stems(asked)).share
    return share - 1.0 if failed else share


def _checked(claim: Claim, readings: list[SourceReading]) -> Claim:
    if not claim.markers:
        return claim.model_copy(update={"verdict": "uncited"})
    if not readings:
        why = f"{claim.markers[0]} is not among the sources"
        return claim.model_copy(update={"verdict": "unsupported", "why": why})
    asked = ClaimReading(without_markers(claim.text))
    stems = _stems(asked)
    quotes = [reading.squeezed.find(asked.flat) for reading in readings]
    evidence = tuple(
        _evidence(reading, stems, quote) for reading, quote in zip(readings, quotes, strict=True)
    )
    if any(quotes):
        return _with(claim, "supported", None, evidence)
    if problem := next(find_contradictions(asked, readings), None):
        return _with(claim, "unsupported", problem, evidence)
    same_language = [item for item in readings if item.is_chinese == asked.is_chinese]
    if not same_language or not stems:
        return _with(claim, "supported", None, evidence)
    share = max(reading.words.best_window(stems).share for reading in same_language)
    where = " or ".join(claim.markers)
    if share < UNSUPPORTED_BELOW:
        return _with(claim, "unsupported", f"{where} speaks of something else", evidence)
    if share < WEAK_BELOW:
        return _with(claim, "weak", f"{where} holds only part of what this says", evidence)
    return _with(claim, "supported", None, evidence)


def _with(claim: Claim, verdict: str, why: str | None, evidence: tuple[Evidence, ...]) -> Claim:
    return claim.model_copy(update={"verdict": verdict, "why": why, "evidence": evidence})


def _stems(asked: ClaimReading) -> list[str]:
    return [word.stem for word in content_words(asked.flat)]


def _evidence(reading: SourceReading, stems: list[str], quote: Span | None) -> Evidence:
    source = reading.source
    if quote is not None:
        span, score = quote, 1.0
    else:
        window = reading.words.best_window(stems)
        sentences = reading.sentences
        span = Span(sentences[window.first].start, sentences[window.last].end)
        score = round(window.share, 3)
    return Evidence(
        marker=source.marker,
        quote=source.text[span.start : span.end],
        start=source.offset + span.start,
        end=source.offset + span.end,
        line=source.start_line + source.text.count("\n", 0, span.start),
        page=source.page,
        score=score,
    )
