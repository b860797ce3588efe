"""Which sentences of the sources answer a question: scoring and choosing, given similarities.

Extractive question answering without a language model: every quotable unit gets a score from its
vector's similarity to the question and from the question's terms it holds; the best are quoted as
they stand, or the question is called unanswered. Deterministic, no I/O.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rag.core.analyzer import analyze
from rag.core.language import detect_language
from rag.core.units import Unit, split_units

# Embedding takes a few milliseconds a sentence; five sources of 320 tokens hold about fifty.
MAX_UNITS = 60

_HAN_CHARACTER = re.compile(r"[㐀-䶿一-鿿豈-﫿]$")

# Words that ask rather than say what about. In Simplified form, as the analyzer leaves them.
_ASKING_EN = frozenset(
    """
    a an the of to in on at for from by with as is are was were be been do doe did done can could
    will would shall should may might must have has had i you we they it its he she his her their
    my your our me us them this that these those there what which who whom whose when where why
    how many much and or but not no if so than then about into over any some please tell explain
    describe list name give wa ha
    """.split()
)
_ASKING_ZH = re.compile(
    "请问|什么|甚么|哪些|哪一|哪里|哪儿|哪个|哪|何时|何处|何种|何人|为何|如何|为什么|怎么样|怎么|怎样|多少|"
    "几个|几|谁|是否|能否|可否|有没有|能不能|可不可以|是不是|吗|呢|么|列出|所有|请|的|了|是|在|有"
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A source as the payload shows it."""

    marker: str
    title: str
    content: str


@dataclass(frozen=True, slots=True)
class Quotable:
    """A unit, where it stands, and the question's terms that it holds."""

    unit: Unit
    source: int
    """Index of its passage."""
    place: int
    """Its place among the passage's units."""
    overlap: float
    """Share of the question's weighted terms found in the unit and, at half weight, above it."""

    @property
    def text(self) -> str:
        """What is embedded: the unit below the heading that gives it its sense."""
        heading = self.unit.heading.rsplit(" > ", 1)[-1]
        return f"{heading}\n{self.unit.quote}" if heading else self.unit.quote


@dataclass(frozen=True, slots=True)
class Extract:
    """The three fields of a reply."""

    status: Literal["answered", "insufficient"]
    answer: str
    citations: tuple[str, ...]


def quotables(
    question: str, passages: Sequence[Passage], limit: int = MAX_UNITS
) -> tuple[Quotable, ...]:
    """The units of all passages in reading order; when there are more than `limit`, those with
    the most overlap, and the first of each passage before later ones."""
    units = [
        (source, place, unit)
        for source, passage in enumerate(passages)
        for place, unit in enumerate(split_units(passage.content))
    ]
    asked = question_terms(question)
    held = [frozenset(content_terms(unit.quote)) for _, _, unit in units]
    above = [
        frozenset(content_terms(f"{passages[source].title}\n{unit.heading}"))
        for source, _, unit in units
    ]
    weights = _weights(asked, held)
    total = sum(weights.values()) or 1.0
    found = [
        Quotable(
            unit,
            source,
            place,
            sum(
                weight * (1.0 if term in own else 0.5 if term in top else 0.0)
                for term, weight in weights.items()
            )
            / total,
        )
        for (source, place, unit), own, top in zip(units, held, above, strict=True)
    ]
    if len(found) <= limit:
        return tuple(found)
    best = sorted(found, key=lambda one: (-one.overlap, one.place, one.source))[:limit]
    return tuple(sorted(best, key=lambda one: (one.source, one.place)))


def question_terms(question: str) -> frozenset[str]:
    """What the question is about: its terms without those that only ask."""
    return frozenset(term for term in content_terms(_ASKING_ZH.sub(" ", _simplified(question))))


def content_terms(text: str) -> list[str]:
    """Index terms that carry content: no function words, and of Chinese only pairs of characters
    unless a character stands alone."""
    terms = analyze(text)
    paired = {char for term in terms if len(term) == 2 for char in term}
    return [
        term
        for term in terms
        if term not in _ASKING_EN and not (_HAN_CHARACTER.match(term) and term in paired)
    ]


def _simplified(text: str) -> str:
    from rag.core.fold import fold_script

    return fold_script(text)


def _weights(terms: frozenset[str], units: Sequence[frozenset[str]]) -> dict[str, float]:
    """Rarer among these units means more telling (the smoothed idf of BM25)."""
    counts = Counter(term for unit in units for term in unit & terms)
    total = len(units)
    return {
        term: math.log(1 + (total - counts[term] + 0.5) / (counts[term] + 0.5)) for term in terms
    }


# The cosines of e5 between a question and sentences lie in this range on the data sets.
_LOW, _HIGH = 0.75, 0.90


def extract(
    question: str,
    passages: Sequence[Passage],
    found: Sequence[Quotable],
    similarities: Sequence[float],
) -> Extract:
    """The reply. `similarities[i]` is the cosine of the question and `found[i].text`."""
    scores = [
        0.5 * (similarity - _LOW) / (_HIGH - _LOW) + 0.5 * one.overlap
        for one, similarity in zip(found, similarities, strict=True)
    ]
    if not found or max(scores) < _THRESHOLD:
        return insufficient(question, passages)
    best = max(scores)
    ranked = sorted(range(len(found)), key=lambda i: (-scores[i], i))
    chosen = sorted(i for i in ranked[:3] if scores[i] >= best - _MARGIN)
    return quoted([found[i] for i in chosen], passages)


_THRESHOLD = 0.45
_MARGIN = 0.08


def quoted(chosen: Sequence[Quotable], passages: Sequence[Passage]) -> Extract:
    """The units as they stand, each with its marker right behind it, in the order given."""
    parts: list[str] = []
    citations: list[str] = []
    listing = sum(one.unit.kind != "sentence" for one in chosen) > 1
    for one in chosen:
        marker = passages[one.source].marker
        bullet = "- " if listing and one.unit.kind != "sentence" else ""
        parts.append(f"{bullet}{one.unit.quote}[{marker}]")
        if marker not in citations:
            citations.append(marker)
    return Extract("answered", "\n".join(parts), tuple(citations))


def insufficient(question: str, passages: Sequence[Passage]) -> Extract:
    """Says what the sources lack, in the question's language and script."""
    held = frozenset(
        term for passage in passages for term in analyze(f"{passage.title}\n{passage.content}")
    )
    missing = [name for name in names(question) if not held.issuperset(analyze(name))]
    said = _WORDS[detect_language(question)]
    if missing:
        return Extract("insufficient", said.missing(missing[:_NAMED]), ())
    return Extract("insufficient", said.nothing, ())


_NAMED = 3
# What a question names: quoted text, identifiers and versions, numbers, capitalised words, Latin
# words within Chinese.
_NAME = re.compile(
    r"[「『“\"`‘](?P<quoted>[^「」『』“”\"`‘’]{1,60})[」』”\"`’]"
    r"|(?P<word>[A-Za-z0-9À-ɏ]+(?:[._/\-][A-Za-z0-9À-ɏ]+)*)"
)


def names(question: str) -> list[str]:
    """Identifiers, numbers, quoted texts and proper names of a question, in order, each once."""
    found: list[str] = []
    chinese = detect_language(question) != "en"
    for match in _NAME.finditer(question):
        name = match["quoted"] or match["word"]
        telling = (
            match["quoted"] is not None
            or any(char.isdigit() for char in name)
            or re.search(r"[._/]", name) is not None
            or any(char.isupper() for char in name[1:])
            or ((chinese or name[0].isupper()) and match.start() > 0)
        )
        if telling and name.casefold() not in _ASKING_EN and name not in found:
            found.append(name)
    return found


@dataclass(frozen=True, slots=True)
class _Words:
    nothing: str
    about: str
    quotes: tuple[str, str]
    comma: str

    def missing(self, names: Sequence[str]) -> str:
        first, last = self.quotes
        return self.about.format(self.comma.join(f"{first}{name}{last}" for name in names))


_WORDS = {
    "en": _Words(
        "The sources do not answer this question.",
        "The sources say nothing of {}.",
        ("“", "”"),
        ", ",
    ),
    "zh-Hant": _Words("來源沒有回答這個問題的內容。", "來源沒有提到{}。", ("「", "」"), "、"),
    "zh-Hans": _Words("来源没有回答这个问题的内容。", "来源没有提到{}。", ("“", "”"), "、"),
}
