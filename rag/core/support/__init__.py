"""Whether the cited sources really say what a claim says.

Three steps, all pure: a claim that quotes its source word for word is supported; a claim that
states a number, date, identifier, bound or negation which its sources do not is unsupported; else
the share of its words that the best sentences of the sources hold decides.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rag.core.reading import without_markers
from rag.core.span import Span
from rag.core.support.claim_reading import ClaimReading
from rag.core.support.clause_checks import check_clauses
from rag.core.support.fact_checks import check_facts
from rag.core.support.owners import check_owners
from rag.core.support.reasons import Reason, tell
from rag.core.support.source_reading import SourceReading
from rag.domain.answer import Claim, ClaimVerdict, Evidence, SourceText

# Calibrated on the development halves of drcd, xquad_en and xquad_zh (question and answer as the
# claim), few false alarms first. Below 0.25 lie 2 of the 380 true pairs (with the hard checks 11,
# 2.9 %) and about half of the false ones; at 0.30 the true pairs lost treble for 2 points more.
UNSUPPORTED_BELOW = 0.25
# A warning only: between the two lie 3 to 14 % of the true pairs of each set.
WEAK_BELOW = 0.40


class Finding(NamedTuple):
    """What was found of one claim. `why` is None where it is supported."""

    verdict: ClaimVerdict
    why: str | None
    evidence: tuple[Evidence, ...] = ()


class Support:
    """Sources ready to be asked what they bear out; what is read of one is read once."""

    def __init__(self, sources: Sequence[SourceText], language: str = "en") -> None:
        """`language` is that of the reasons: `en`, or any Chinese for Traditional Chinese."""
        self._readings = {source.marker: SourceReading(source) for source in sources}
        self._language = language

    def find(self, said: str, markers: Sequence[str]) -> Finding:
        """Whether the sources under `markers` bear out `said`, a claim without its markers.

        Evidence has one span for each of `markers` that is among the sources, in that order.
        """
        if not markers:
            return Finding("uncited", None)
        readings = [self._readings[marker] for marker in markers if marker in self._readings]
        if not readings:
            return Finding("unsupported", tell(Reason("no_source"), markers[:1], self._language))
        asked = ClaimReading(said)
        quotes = [reading.squeezed.find(asked.flat) for reading in readings]
        verdict, reason = _judged(asked, readings, quoted=any(quotes))
        evidence = tuple(
            _evidence(reading, asked.stems, quote)
            for reading, quote in zip(readings, quotes, strict=True)
        )
        named = [reading.marker for reading in readings]
        why = None if reason is None else tell(reason, named, self._language)
        return Finding(verdict, why, evidence)


def check_support(
    claims: Sequence[Claim], sources: Sequence[SourceText], language: str = "en"
) -> tuple[Claim, ...]:
    """`claims` with verdict, reason in `language`, and evidence.

    Whatever looks like a marker in a claim counts as one: `Support` takes a claim without them,
    for callers who know their places. Claims without markers come back as `uncited`.
    """
    support = Support(sources, language)
    return tuple(
        claim.model_copy(update=support.find(without_markers(claim.text), claim.markers)._asdict())
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


def _problems(asked: ClaimReading, readings: Sequence[SourceReading]) -> Iterator[Reason]:
    yield from check_facts(asked, readings)
    yield from check_clauses(asked, readings)
    yield from check_owners(asked, readings)


_Judgement = tuple[ClaimVerdict, Reason | None]
_SUPPORTED: _Judgement = ("supported", None)


def _judged(asked: ClaimReading, readings: Sequence[SourceReading], *, quoted: bool) -> _Judgement:
    if quoted:
        return _SUPPORTED
    if problem := next(_problems(asked, readings), None):
        return "unsupported", problem
    if not asked.stems:
        return _SUPPORTED
    alike = [reading for reading in readings if reading.is_chinese == asked.is_chinese]
    share = max((reading.words.best_window(asked.stems).share for reading in alike), default=0.0)
    if share >= WEAK_BELOW:
        return _SUPPORTED
    if len(alike) < len(readings):
        # The words of another language cannot be compared. Facts were, but there must be some.
        return _SUPPORTED if asked.states_facts else ("weak", Reason("not_compared"))
    if share < UNSUPPORTED_BELOW:
        return "unsupported", Reason("other_topic")
    return "weak", Reason("in_part")


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
