"""Whether the cited sources really say what a claim says.

Three steps, all pure: a claim that quotes its source word for word is supported; a claim that
states a number, date, identifier, bound or negation which its sources do not is unsupported; else
the share of its words that the best sentences of the sources hold decides.
"""

from collections.abc import Iterator, Sequence

from rag.core.span import Span
from rag.core.support.claim_reading import ClaimReading
from rag.core.support.clause_checks import check_clauses
from rag.core.support.fact_checks import check_facts
from rag.core.support.source_reading import SourceReading
from rag.domain.answer import Claim, ClaimVerdict, Evidence, SourceText

# Calibrated on the development halves of drcd, xquad_en and xquad_zh (question and answer as the
# claim), few false alarms first. Below 0.25 lie 2 of the 380 true pairs (with the hard checks 11,
# 2.9 %) and about half of the false ones; at 0.30 the true pairs lost treble for 2 points more.
UNSUPPORTED_BELOW = 0.25
# A warning only: between the two lie 3 to 14 % of the true pairs of each set.
WEAK_BELOW = 0.40


_Judgement = tuple[ClaimVerdict, str | None]
_SUPPORTED: _Judgement = ("supported", None)


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
    """How well `source` supports `claim`, for measuring: the mean coverage by the best sentence and
    the best two, 0..1; minus one where a hard check fails, so that what it refuses ranks last."""
    reading = SourceReading(SourceText(marker="S1", text=source))
    asked = ClaimReading(claim)
    if reading.squeezed.find(asked.flat):
        return 1.0
    failed = next(_problems(asked, [reading]), None) is not None
    shares = [reading.words.best_window(asked.stems, longest).share for longest in (1, 2)]
    return sum(shares) / len(shares) - failed


def _problems(asked: ClaimReading, readings: Sequence[SourceReading]) -> Iterator[str]:
    yield from check_facts(asked, readings)
    yield from check_clauses(asked, readings)


def _checked(claim: Claim, readings: list[SourceReading]) -> Claim:
    if not claim.markers:
        return claim.model_copy(update={"verdict": "uncited"})
    if not readings:
        missing = f"{claim.markers[0]} is not among the sources"
        return claim.model_copy(update={"verdict": "unsupported", "why": missing})
    asked = ClaimReading(claim.text)
    quotes = [reading.squeezed.find(asked.flat) for reading in readings]
    verdict, why = _judged(asked, readings, quoted=any(quotes))
    evidence = tuple(
        _evidence(reading, asked.stems, quote)
        for reading, quote in zip(readings, quotes, strict=True)
    )
    return claim.model_copy(update={"verdict": verdict, "why": why, "evidence": evidence})


def _judged(asked: ClaimReading, readings: Sequence[SourceReading], *, quoted: bool) -> _Judgement:
    if quoted:
        return _SUPPORTED
    if problem := next(_problems(asked, readings), None):
        return "unsupported", problem
    if not asked.stems or any(item.is_chinese != asked.is_chinese for item in readings):
        return _SUPPORTED  # the words of another language cannot be compared
    share = max(reading.words.best_window(asked.stems).share for reading in readings)
    where = " or ".join(reading.marker for reading in readings)
    if share < UNSUPPORTED_BELOW:
        return "unsupported", f"{where} speaks of something else"
    if share < WEAK_BELOW:
        return "weak", f"{where} holds only part of what this says"
    return _SUPPORTED


def _evidence(reading: SourceReading, stems: Sequence[str], quote: Span | None) -> Evidence:
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
