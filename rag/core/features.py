"""What the first stage looks at in a passage besides the two scores. Each feature is one pure
function of query and passage, 0..1, and can be switched off by leaving it out of the weights.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from rag.core.analyzer import analyze
from rag.core.fold import fold_script
from rag.core.keywords import keywords
from rag.core.query_terms import looked_up
from rag.domain.documents import Chunk

# Names that mean something letter for letter: with a digit beside a letter, an inner dot or
# underscore, a hump after a small letter, a call, or a code span. Not FastAPI or OpenAPI:
# such are products, and what is asked about them is told by the other words.
_CODE_SPAN = re.compile(r"`([^`\n]{1,80})`")
_IDENTIFIER = re.compile(
    r"(?<![^\W_])(?=[\w.:\-]*[A-Za-z])"
    r"(?:[A-Za-z_]\w+(?:(?:\.|::)\w+)+|\w+(?:-\w+)*-?\d+(?:[-.]\w+)*|\w*\d\w*|[A-Za-z]+_\w+|_\w+"
    r"|[a-z]+[A-Z]\w*|\w+(?=\(\)))",
    re.ASCII,
)
_ABBREVIATION = re.compile(r"\b[A-Z][A-Z0-9]+\b")
_QUOTED = re.compile(
    r"\"([^\"\n]{2,200})\"|“([^”\n]{2,200})”|「([^」\n]{2,200})」|『([^』\n]{2,200})』"
)
_DEFINITIONS = frozenset({"function", "method", "class"})
_LISTS_OF_NAMES = frozenset({"import", "constant"})

# Terms in a stretch that a person takes in at a glance: two sentences of English, a clause of
# Chinese. 15 and 60 do as well.
_GLANCE = 30
# Characters of a query that are read for names and quotes: a page pasted as a question has too many
# to mean any of them.
_ASKED = 2000
# Analysed passages that are kept, some 20 MB.
_PASSAGES_KEPT = 1024


@dataclass(frozen=True)
class Query:
    """A query as the features read it."""

    text: str
    rarity: Mapping[str, float] = field(default_factory=dict)
    """What its terms weigh in BM25; terms that are not there weigh 1."""

    @cached_property
    def terms(self) -> Mapping[str, float]:
        """Each term's share of the weight of all, which is 1 together."""
        weights = {term: self.rarity.get(term, 1.0) for term in looked_up(keywords(self.text))}
        whole = sum(weights.values())
        return {term: weight / whole for term, weight in weights.items()} if whole else {}

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        asked = self.text[:_ASKED]
        spans = [match[1] for match in _CODE_SPAN.finditer(asked)]
        names = [match[0] for match in _IDENTIFIER.finditer(_CODE_SPAN.sub(" ", asked))]
        return tuple(dict.fromkeys(plain(name) for name in [*spans, *names]))

    @cached_property
    def names_something(self) -> bool:
        """Whether it asks by a name: an identifier, a quoted phrase, an abbreviation, or words
        without a question around them."""
        abbreviated = _ABBREVIATION.search(self.text[:_ASKED]) is not None
        looked_up_as_is = keywords(self.text) == self.text
        return bool(self.identifiers or self.phrases) or abbreviated or looked_up_as_is

    @cached_property
    def phrases(self) -> tuple[str, ...]:
        found = [
            next(filter(None, match.groups())) for match in _QUOTED.finditer(self.text[:_ASKED])
        ]
        return tuple(dict.fromkeys(filter(None, map(plain, found))))


@lru_cache(maxsize=_PASSAGES_KEPT)
def terms_of(text: str) -> tuple[str, ...]:
    """`analyze`, remembered: good passages come up again, and more than one feature reads them."""
    return tuple(analyze(text))


def plain(text: str) -> str:
    """One script, one case, single spaces: what exact matches are compared in."""
    return " ".join(fold_script(unicodedata.normalize("NFKC", text)).casefold().split())


def exact_identifiers(query: Query, chunk: Chunk) -> float:
    """Share of the query's identifiers that stand in the passage letter for letter."""
    if not query.identifiers:
        return 0.0
    text = plain(f"{chunk.context}\n{chunk.symbol or ''}\n{chunk.text}")
    return sum(_stands_in(name, text) for name in query.identifiers) / len(query.identifiers)


def quoted_phrases(query: Query, chunk: Chunk) -> float:
    """Share of the query's quoted phrases that the passage holds as they are."""
    if not query.phrases:
        return 0.0
    text = plain(f"{chunk.context}\n{chunk.text}")
    return sum(phrase in text for phrase in query.phrases) / len(query.phrases)


def title_and_heading(query: Query, chunk: Chunk) -> float:
    """Share of the query's terms that title and headings hold, rare ones counting more."""
    held = query.terms.keys() & terms_of(f"{chunk.title}\n{chunk.context}")
    return sum(query.terms[term] for term in sorted(held))


def proximity(query: Query, chunk: Chunk) -> float:
    """Share of the query's terms that stand together somewhere in the passage, rare ones counting
    more."""
    places = [(at, term) for at, term in enumerate(terms_of(chunk.text)) if term in query.terms]
    best, share, first = 0.0, 0.0, 0
    held: Counter[str] = Counter()
    for at, term in places:
        if not held[term]:
            share += query.terms[term]
        held[term] += 1
        while at - places[first][0] >= _GLANCE:
            gone = places[first][1]
            held[gone] -= 1
            if not held[gone]:
                share -= query.terms[gone]
            first += 1
        best = max(best, share)
    return min(best, 1.0)


def definition(query: Query, chunk: Chunk) -> float:
    """In code: 1 for the function or class whose name the query holds."""
    if chunk.node_kind not in _DEFINITIONS or not chunk.symbol:
        return 0.0
    whole, *parts = analyze(chunk.symbol.rpartition(".")[2]) or [""]
    return float(whole in query.terms or (bool(parts) and query.terms.keys() >= {*parts}))


def names_only(query: Query, chunk: Chunk) -> float:
    """In code: 1 for a block of imports or constants, which mentions everything and says nothing;
    not for a query that asks for imports."""
    return float(chunk.node_kind in _LISTS_OF_NAMES and chunk.node_kind not in query.terms)


def _stands_in(name: str, text: str) -> bool:
    """`name` as a whole: `QS-101` does not stand in `QS-1010`."""
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 1]
        if not (_in_word(before) and _in_word(name[0])) and not (
            _in_word(after) and _in_word(name[-1])
        ):
            return True
        at = text.find(name, at + 1)
    return False


def _in_word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")


Feature = Callable[[Query, Chunk], float]

FEATURES: Mapping[str, Feature] = {
    "identifiers": exact_identifiers,
    "phrases": quoted_phrases,
    "title": title_and_heading,
    "proximity": proximity,
    "definition": definition,
    "names_only": names_only,
}
