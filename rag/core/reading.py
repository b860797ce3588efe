"""A text read for everything that support compares: facts, sentences, clauses, words."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property

from rag.core.code_spans import code_spans
from rag.core.coverage import WordIndex
from rag.core.fold import flatten
from rag.core.identifiers import Literally, Literals, find_literals
from rag.core.language import detect_language
from rag.core.moments import Date, Moments, bare_years, find_moments
from rag.core.polarity import Clause, clauses
from rag.core.quantities import Quantity, find_quantities
from rag.core.rates import Rate, find_rates, find_units
from rag.core.sentences import split_sentences
from rag.core.span import Span
from rag.core.verbatim import Squeezed
from rag.domain.answer import SourceText

_MARKER = re.compile(r"\[S\d+\]")
_FIGURES = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)*")
_LINE = re.compile(r"[^\n]+")


def without_markers(text: str) -> str:
    """`text` with its markers blanked, same length. Inside code nothing is a marker."""
    if "[S" not in text:
        return text
    code = code_spans(text)
    return _MARKER.sub(
        lambda match: (
            match.group()
            if any(span.start <= match.start() < span.end for span in code)
            else " " * len(match.group())
        ),
        text,
    )


@dataclass(frozen=True)
class ClaimReading:
    """What a claim states. Literal facts are taken out before numbers are read."""

    text: str

    @cached_property
    def flat(self) -> str:
        return flatten(self.text)

    @cached_property
    def literals(self) -> list[Literally]:
        return find_literals(self.flat, self.text)

    @cached_property
    def moments(self) -> Moments:
        return find_moments(self.flat, self.text)

    @cached_property
    def years(self) -> list[Date]:
        return bare_years(self.flat, self.moments.dates)

    @cached_property
    def quantities(self) -> list[Quantity]:
        moments = self.moments
        taken = [
            Span(item.start, item.end) for item in (*moments.dates, *moments.clocks, *self.years)
        ]
        taken += [Span(item.start, item.end) for item in self.literals if item.kind != "quotation"]
        return find_quantities(self.flat, sorted(taken))

    @cached_property
    def rates(self) -> list[Rate]:
        return find_rates(self.flat)

    @cached_property
    def clauses(self) -> list[Clause]:
        return clauses(self.flat)

    @cached_property
    def is_chinese(self) -> bool:
        return detect_language(self.text) != "en"


class SourceReading:
    """What a source states, its context included. Every part is read once, when first asked for."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.flat = flatten(source.text)
        self.context = flatten(source.context)
        self._whole = f"{source.context}\n{source.text}" if source.context else source.text

    @cached_property
    def whole(self) -> str:
        """Context and text, flat."""
        return flatten(self._whole)

    @cached_property
    def sentences(self) -> tuple[Span, ...]:
        """Sentences, list items, table rows and code lines of the text; at least one."""
        found: list[Span] = []
        for span in split_sentences(self.source.text):
            if self.source.text.startswith(("```", "~~~"), span.start):
                lines = _LINE.finditer(self.source.text, span.start, span.end)
                found += [Span(line.start(), line.end()) for line in lines if line.group().strip()]
            else:
                found.append(span)
        return tuple(found) or (Span(0, len(self.source.text)),)

    @cached_property
    def squeezed(self) -> Squeezed:
        return Squeezed(self.flat)

    @cached_property
    def words(self) -> WordIndex:
        return WordIndex(self.flat, self.sentences, self.context)

    @cached_property
    def literals(self) -> Literals:
        return Literals(self.whole)

    @cached_property
    def moments(self) -> Moments:
        return find_moments(self.whole, self._whole)

    @cached_property
    def dates(self) -> list[Date]:
        return [*self.moments.dates, *bare_years(self.whole, self.moments.dates)]

    @cached_property
    def quantities(self) -> list[Quantity]:
        spans = [Span(item.start, item.end) for item in (*self.moments.dates, *self.moments.clocks)]
        return find_quantities(self.whole, sorted(spans))

    @cached_property
    def by_number(self) -> dict[object, list[Quantity]]:
        """Quantities by each of their values, and by the number as written."""
        table: dict[object, list[Quantity]] = defaultdict(list)
        for quantity in self.quantities:
            for value in quantity.values:
                table[quantity.dimension, value].append(quantity)
            table["number", quantity.number].append(quantity)
        return table

    @cached_property
    def figures(self) -> frozenset[str]:
        return frozenset(figure.replace(",", "") for figure in _FIGURES.findall(self.whole))

    @cached_property
    def rates(self) -> frozenset[str]:
        return frozenset(rate.unit for rate in find_rates(self.whole))

    @cached_property
    def units(self) -> frozenset[str]:
        """Names of all units of measure that occur, with or without a number."""
        return find_units(self.whole)

    @cached_property
    def clauses(self) -> list[Clause]:
        return clauses(self.flat, self.sentences)

    @cached_property
    def _clauses_by_word(self) -> dict[str, list[int]]:
        table: dict[str, list[int]] = defaultdict(list)
        for number, clause in enumerate(self.clauses):
            for stem in clause.signs:
                table[stem].append(number)
        return table

    def clauses_sharing(self, clause: Clause) -> list[tuple[int, Clause]]:
        """Clauses with words of `clause`, each behind the number of words shared."""
        shared: Counter[int] = Counter()
        for stem in clause.signs:
            shared.update(self._clauses_by_word.get(stem, ()))
        return [(count, self.clauses[number]) for number, count in shared.items()]

    @cached_property
    def is_chinese(self) -> bool:
        return detect_language(self._whole) != "en"
