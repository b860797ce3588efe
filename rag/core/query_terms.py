"""Which terms of a query the lexical index is asked for, and which are left out."""

from typing import NamedTuple

from rag.core.analyzer import analyze
from rag.core.keywords import keywords

# A whole page pasted as a question: beyond this many distinct terms the ranking no longer changes,
# and each costs time.
_MOST_TERMS = 128


class QueryTerms(NamedTuple):
    """Each term once, in order."""

    used: tuple[str, ...]
    dropped: tuple[str, ...]


def looked_up(text: str) -> tuple[str, ...]:
    """The terms of `text` that the index is asked for."""
    return tuple(dict.fromkeys(analyze(text)))[:_MOST_TERMS]


def query_terms(query: str) -> QueryTerms:
    """What a search makes of `query`: dropped are the words that only ask, the pairs of characters
    that reach into one, and what a very long query has too many of. No term is too short."""
    searched = keywords(query)
    used = looked_up(searched)
    every = dict.fromkeys((*analyze(query), *analyze(searched)))
    kept = frozenset(used)
    return QueryTerms(used, tuple(term for term in every if term not in kept))
