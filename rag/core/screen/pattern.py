"""One pattern of `core.screen`: a regular expression that is tried only where it can match.

Every gap in the expressions is bounded and no repetition is nested in another, so matching takes
linear time. Each pattern names literals of which its matches hold at least one; it is tried around
those only, which is many times faster than trying it everywhere.
"""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass

_WORD = re.compile(r"[a-z]+|[一-鿿]")

# Characters around a literal in which a match that holds it must lie; the longest matches, with
# every gap at its widest, stay below this.
_REACH = 400


@dataclass(frozen=True, slots=True)
class Pattern:
    needs: tuple[tuple[str, frozenset[str]], ...]
    """Literals, each with its words: where one of those is missing, so is the literal."""
    regex: re.Pattern[str]

    def finditer(self, text: str, words: Set[str]) -> Iterator[re.Match[str]]:
        """Matches in `text`, which is folded as `core.screen` does it and consists of `words`."""
        for low, high in self._windows(text, words):
            yield from self.regex.finditer(text, low, high)

    def _windows(self, text: str, words: Set[str]) -> Iterator[tuple[int, int]]:
        """Spans around the literals, apart from each other, in order."""
        places = sorted(
            at
            for literal, its_words in self.needs
            if its_words <= words
            for at in _occurrences(literal, text)
        )
        low = high = 0
        for at in places:
            if at - _REACH > high:
                if high:
                    yield low, high
                low = at - _REACH
            high = min(len(text), at + _REACH)
        if high:
            yield low, high


def words_of(text: str) -> frozenset[str]:
    """The Latin words and single ideographs of a folded text."""
    return frozenset(_WORD.findall(text))


def _occurrences(literal: str, text: str) -> Iterator[int]:
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))


def pattern(needs: str, regex: str) -> Pattern:
    """`needs`: the literals, apart by `|`."""
    literals = tuple((literal, words_of(literal)) for literal in needs.split("|"))
    return Pattern(literals, re.compile(regex, re.MULTILINE))
