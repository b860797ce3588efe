"""Which sentences of the sources answer a question: scoring and choosing, given similarities.

Extractive question answering without a language model: every quotable unit is scored by the cosine
of its vector and the question's, and by the question's words it holds; the best are quoted as they
stand, or the question is called unanswered. Deterministic, no I/O.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Literal

from rag.core.fold import flatten
from rag.core.question import Question, absent_names, terms
from rag.core.sentences import split_sentences
from rag.core.units import Unit, split_units
from rag.core.words import is_chinese

# Embedding takes a few milliseconds a sentence; five sources of 320 tokens hold about forty.
MAX_UNITS = 60

# All numbers below were chosen on the development halves of drcd, squad2, xquad (English, Chinese,
# and each over the other's passages), mtrag_un, aws_docs_qa, python_faq and fastapi_xling: 1,400
# questions, the passage that answers and four found by BM25 as sources, or five that do not answer;
# sentences embedded by the bundled e5.

# Score = cosine + this * overlap. The first sentence then holds the answer in 83 of 100 questions
# (cosine alone 80, overlap alone 82); anything from 0.05 to 0.2 is as good within one in 100. A
# logistic regression of "is answerable" on both gives the same ratio (2.93 / 27.7).
_OVERLAP = 0.1
# Up to three units this close to the best: 92 of 100 answers found with 1.6 units a reply; one unit
# finds 83, three always 95.
_MARGIN = 0.04
_MOST = 3
# A question for several things is often answered by several sentences.
_MOST_LISTED = 6
# A list is quoted whole, within reason.
_LONGEST_LIST = 12
# A name of the question that no source holds is four to six times as frequent in unanswerable
# questions; this is the logarithm of that on the regression's scale. On the sample handbook it
# raises the refusals among 19 unanswerable English questions from 63 to 89 in 100 and costs no
# answer. An absent code, such as QS-1007, is no matter of degree: then the question is refused.
_ABSENT_NAME = 0.05
# The score from which a question counts as answered, by the languages of question and source
# (True: Chinese): about one answerable question in ten is refused, on the handbook one in seven.
# Refused of the unanswerable: English 57 in 100 (xquad 89, mtrag_un 70, fastapi 48, squad2 20 whose
# questions are made to look answerable), Chinese 72 (drcd 80, xquad 78, fastapi 55), handbook 85.
# Over the other language's passages e5 tells little: where one in four is refused, 61 and 85 of
# xquad, hardly any of fastapi.
_ANSWERED = {
    (False, False): 0.885,
    (True, True): 0.91,
    (False, True): 0.78,
    (True, False): 0.80,
}
# Mean and deviation of e5's cosines over the units of one request. Another embedder's are brought
# to these, since the thresholds above are e5's.
_MEAN, _DEVIATION = 0.80, 0.027


@dataclass(frozen=True, slots=True)
class Passage:
    """A source as the payload shows it."""

    marker: str
    title: str
    content: str


@dataclass(frozen=True, slots=True)
class Quotable:
    """A unit and where it stands."""

    unit: Unit
    source: int
    """Index of its passage."""
    place: int
    """Its place among the passage's units."""
    terms: frozenset[str]
    """Its own and those of the headings above it."""
    overlap: float
    """Share of the question's words, weighted by rarity, that the unit holds; 0..1. One that only
    a heading above it holds counts half."""

    text: str
    """What is embedded: the unit below the nearest heading or title, which gives sense to "it" and
    "they". Of drcd's answers that puts 100 in 100 among the best two, 93 without."""


@dataclass(frozen=True, slots=True)
class Extract:
    """The three fields of a reply."""

    status: Literal["answered", "insufficient"]
    answer: str
    citations: tuple[str, ...] = ()


def quotables(
    question: Question, passages: Sequence[Passage], limit: int = MAX_UNITS
) -> tuple[Quotable, ...]:
    """The units of all passages in reading order; of more than `limit` those with the most
    overlap, the beginnings of passages before their ends."""
    units = [
        (source, place, unit)
        for source, passage in enumerate(passages)
        for place, unit in enumerate(split_units(passage.content))
    ]
    own = [terms(unit.named or unit.quote) for _, _, unit in units]
    above = [terms(f"{passages[source].title}\n{unit.heading}") for source, _, unit in units]
    weights = _weights(question.terms, own)
    found = [
        Quotable(
            unit,
            source,
            place,
            held | top,
            _overlap(weights, held, top),
            _below_heading(unit, passages[source].title),
        )
        for (source, place, unit), held, top in zip(units, own, above, strict=True)
    ]
    if len(found) <= limit:
        return tuple(found)
    best = sorted(found, key=lambda one: (-one.overlap, one.place, one.source))[:limit]
    return tuple(sorted(best, key=lambda one: (one.source, one.place)))


def _below_heading(unit: Unit, title: str) -> str:
    heading = (unit.heading or title).rsplit(" > ", 1)[-1]
    text = unit.named or unit.quote
    return f"{heading}\n{text}" if heading else text


def extract(
    question: Question,
    passages: Sequence[Passage],
    found: Sequence[Quotable],
    cosines: Sequence[float],
    in_context: Sequence[float] | None = None,
    *,
    calibrated: bool = True,
) -> Extract:
    """The reply. `cosines[i]` is that of the question and `found[i].text`; `in_context[i]` that of
    the previous question and this one together, which tells better where a follow-up's answer is,
    but not whether there is one. Not `calibrated`: cosines of an embedder other than e5."""
    if not found:
        return _insufficient(question)
    if not calibrated:
        cosines = _as_e5(cosines)
        in_context = _as_e5(in_context) if in_context is not None else None
    asked_in_chinese = question.language != "en"
    chinese = [is_chinese(passage.content) for passage in passages]
    needed = [_ANSWERED[asked_in_chinese, chinese[one.source]] for one in found]
    above = [cosine - level for cosine, level in zip(cosines, needed, strict=True)]
    scores = _scores(found, above)
    best = max(range(len(found)), key=lambda i: (scores[i], -i))

    same_language = chinese[found[best].source] == asked_in_chinese
    texts = [f"{passage.title}\n{passage.content}" for passage in passages]
    names = absent_names(question, texts, same_language=same_language)
    sides = _absent_sides(question, texts) if same_language else []
    confidence = _confidence(question, found, scores, above) - (_ABSENT_NAME if names else 0.0)
    if confidence < 0 or sides or any(name.code for name in names):
        return _insufficient(question, sides + [name.text for name in names])

    if in_context is not None:
        both = [(one + other) / 2 for one, other in zip(cosines, in_context, strict=True)]
        scores = _scores(found, [one - level for one, level in zip(both, needed, strict=True)])
    return _quoted(_choose(question, found, scores), found, passages)


def _scores(found: Sequence[Quotable], above: Sequence[float]) -> list[float]:
    """Above zero is good enough for an answer. `above` are cosines less what the languages need,
    so that units of both languages compare: e5 sets texts of two languages apart."""
    return [cosine + _OVERLAP * one.overlap for one, cosine in zip(found, above, strict=True)]


def _confidence(
    question: Question,
    found: Sequence[Quotable],
    scores: Sequence[float],
    above: Sequence[float],
) -> float:
    """The best score; of a comparison, which no sentence answers alone, that of the best sentences
    for each side taken as one."""
    best = max(scores)
    if question.sides is None:
        return best
    pair = _best_of_sides(question, found, scores)
    together = frozenset[str]().union(*(found[i].terms for i in pair))
    weights = _weights(question.terms, [one.terms for one in found])
    joint = max(above[i] for i in pair) + _OVERLAP * _overlap(weights, together, frozenset())
    return max(best, joint)


def _best_of_sides(
    question: Question, found: Sequence[Quotable], scores: Sequence[float]
) -> list[int]:
    """For each side of a comparison the best unit that speaks of it; the best of all for none."""
    ranked = sorted(range(len(found)), key=lambda i: (-scores[i], i))
    return [
        next((i for i in ranked if found[i].terms & terms(side)), ranked[0])
        for side in question.sides or ()
    ]


def _as_e5(cosines: Sequence[float]) -> list[float]:
    mean, deviation = fmean(cosines), pstdev(cosines)
    return [
        _MEAN + _DEVIATION * (cosine - mean) / deviation if deviation else _MEAN
        for cosine in cosines
    ]


def _weights(asked: frozenset[str], units: Sequence[frozenset[str]]) -> dict[str, float]:
    """Rarer among these units means more telling (the smoothed idf of BM25)."""
    counts = Counter(term for unit in units for term in unit & asked)
    total = len(units)
    return {
        term: math.log(1 + (total - counts[term] + 0.5) / (counts[term] + 0.5)) for term in asked
    }


def _overlap(weights: dict[str, float], own: frozenset[str], above: frozenset[str]) -> float:
    total = sum(weights.values())
    held = sum(
        weight if term in own else weight / 2 if term in above else 0.0
        for term, weight in weights.items()
    )
    return held / total if total else 0.0


# Choosing


def _choose(question: Question, found: Sequence[Quotable], scores: Sequence[float]) -> list[int]:
    """Indexes into `found`, in reading order."""
    ranked = sorted(range(len(found)), key=lambda i: (-scores[i], i))
    best = ranked[0]
    if question.wants_list and (whole := _list_around(found, best)):
        return whole
    most = _MOST_LISTED if question.wants_list else _MOST
    chosen = {i for i in ranked[:most] if scores[i] >= scores[best] - _MARGIN}
    chosen.update(_best_of_sides(question, found, scores))
    for i in tuple(chosen):
        # A line that introduces a list says nothing without it, nor does an item without the line.
        if found[i].unit.leads:
            chosen.update(_list_around(found, i))
        elif found[i].unit.kind == "item" and (lead := _lead_of(found, i)) is not None:
            chosen.add(lead)
    return sorted(chosen)


def _list_around(found: Sequence[Quotable], i: int) -> list[int]:
    """The list or table that `found[i]` belongs to or introduces, its lead-in first; empty when
    there is none."""
    one = found[i]
    block = one.unit.block + (one.unit.kind == "sentence")
    members = [
        j
        for j, other in enumerate(found)
        if other.source == one.source
        and other.unit.block == block
        and other.unit.kind != "sentence"
    ]
    if len(members) < 2:
        return []
    lead = _lead_of(found, members[0])
    return ([lead] if lead is not None else []) + members[:_LONGEST_LIST]


def _lead_of(found: Sequence[Quotable], i: int) -> int | None:
    """The line that introduces the list of `found[i]`."""
    one = found[i]
    for j in range(i - 1, -1, -1):
        other = found[j]
        if other.source != one.source or other.unit.block < one.unit.block - 1:
            return None
        if other.unit.block == one.unit.block - 1:
            return j if other.unit.leads else None
    return None


def _absent_sides(question: Question, texts: Sequence[str]) -> list[str]:
    """The sides of a comparison of which no source holds a single word."""
    if question.sides is None:
        return []
    held = frozenset().union(*(terms(text) for text in texts))
    return [side for side in question.sides if not terms(side) & held]


# Wording


def _quoted(
    chosen: Sequence[int], found: Sequence[Quotable], passages: Sequence[Passage]
) -> Extract:
    """The units as they stand, each with its marker right behind it. A line that introduces what
    follows, such as the names of a table's columns, gets none: it states nothing."""
    several = sum(found[i].unit.kind != "sentence" for i in chosen) > 1
    lines: list[_Line] = []
    table = (-1, -1)
    for position, i in enumerate(chosen):
        unit, source = found[i].unit, found[i].source
        follower = found[chosen[position + 1]] if position + 1 < len(chosen) else None
        introduces = (
            unit.leads
            and follower is not None
            and (follower.source, follower.unit.block) == (source, unit.block + 1)
        )
        if unit.header and table != (source, unit.block):
            table = (source, unit.block)
            lines.append(_Line(unit.header, []))
        # As an item it does not run into the line above.
        introduced = bool(lines) and not lines[-1].markers
        listed = unit.kind != "sentence" and (several or introduced)
        text = f"- {unit.quote}" if listed else unit.quote
        same = next((line for line in lines if flatten(line.text) == flatten(text)), None)
        line = same or _Line(text, [], unit.code)
        if same is None:
            lines.append(line)
        marker = passages[source].marker
        if not introduces and marker not in line.markers:
            line.markers.append(marker)
    citations = dict.fromkeys(marker for line in lines for marker in line.markers)
    return Extract("answered", "\n".join(map(_marked, lines)).strip(), tuple(citations))


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    markers: list[str]
    code: str = ""


def _marked(line: _Line) -> str:
    """The text with the markers behind each of its sentences, since each is a claim of its own."""
    tail = "".join(f"[{marker}]" for marker in line.markers)
    done, parts = 0, []
    for span in split_sentences(line.text):
        parts += [line.text[done : span.end], tail]
        done = span.end
    quote = "".join(parts) + line.text[done:]
    return f"{quote}\n\n{line.code}\n" if line.code else quote


def _insufficient(question: Question, absent: Sequence[str] = ()) -> Extract:
    """Says what the sources lack, in the question's language and script."""
    mention, answer, first, last, comma = _WORDS[question.language]
    if absent:
        names = comma.join(f"{first}{name}{last}" for name in absent[:_NAMED])
        return Extract("insufficient", mention.format(names))
    asked = " ".join(question.text.split())
    shown = asked if len(asked) <= _SHOWN else f"{asked[:_SHOWN]}…"
    return Extract("insufficient", answer.format(f"{first}{shown}{last}"))


_NAMED = 3
_SHOWN = 200
_WORDS = {
    "en": ("The sources do not mention {}.", "The sources do not answer {}", "“", "”", ", "),
    "zh-Hant": ("來源沒有提到{}。", "來源沒有回答{}", "「", "」", "、"),
    "zh-Hans": ("来源没有提到{}。", "来源没有回答{}", "“", "”", "、"),
}
