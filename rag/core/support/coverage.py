"""How much of a claim's content a source holds, and where it holds it best."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

# A short form and its word share at least this many letters: admin, administrator.
_SHORTEST_ABBREVIATION = 4
# Words of one prefix looked at: real texts have a handful, and hostile ones shall not cost more.
_MOST_FORMS = 32


@dataclass(frozen=True, slots=True)
class Window:
    """`share` (0..1) of the claim's words is in the sentences `first` to `last`, or in the context
    that goes with each of them."""

    share: float
    first: int
    last: int


class _Held:
    """Where the distinct words of one claim stand in a source."""

    def __init__(self, asked: int, given: int, at: dict[int, int]) -> None:
        """`given` of the `asked` words are in the context; `at` has, for every sentence that holds
        any of the others, which: a bit for each word."""
        self.asked = asked
        self.given = given
        self.at = at
        self._best: dict[int, Window] = {}

    def best(self, longest: int) -> Window:
        if longest not in self._best:
            self._best[longest] = self._find_best(longest)
        return self._best[longest]

    def _find_best(self, longest: int) -> Window:
        most, first, end = 0, 0, 0
        for place in sorted(self.at):
            found = 0
            for last in range(place, place + longest):
                found |= self.at.get(last, 0)
                if (size := found.bit_count()) > most:
                    most, first, end = size, place, last
            if self.given + most == self.asked:
                break
        return Window((self.given + most) / self.asked, first, end)


class WordIndex:
    """Which sentence of a source holds which word. Linear in the source."""

    def __init__(self, sentences: Sequence[Sequence[str]], context: Iterable[str]) -> None:
        """`sentences` and `context` as stems."""
        self._context = frozenset(context)
        self._where: dict[str, list[int]] = {}
        for number, words in enumerate(sentences):
            for word in set(words):
                self._where.setdefault(word, []).append(number)
        self._sentences = len(sentences)
        self._last: tuple[Sequence[str], _Held] | None = None

    @cached_property
    def _by_prefix(self) -> dict[str, list[str]]:
        table: dict[str, list[str]] = {}
        for stem in {*self._where, *self._context}:
            if stem.isascii() and len(stem) >= _SHORTEST_ABBREVIATION:
                table.setdefault(stem[:_SHORTEST_ABBREVIATION], []).append(stem)
        return table

    def _held(self, words: Sequence[str]) -> _Held:
        """A claim asks several times in a row; only the first costs."""
        if self._last is None or self._last[0] is not words:
            self._last = (words, self._find(dict.fromkeys(words)))
        return self._last[1]

    def _find(self, words: dict[str, None]) -> _Held:
        given = 0
        at: dict[int, int] = {}
        bit = 1
        for word in words:
            forms = self._forms(word)
            if any(form in self._context for form in forms):
                given += 1
                continue
            for form in forms:
                for place in self._where.get(form, ()):
                    at[place] = at.get(place, 0) | bit
            bit <<= 1
        return _Held(len(words), given, at)

    def best_window(self, words: Sequence[str], longest: int = 2) -> Window:
        """The window of at most `longest` sentences that holds the largest share of `words`; the
        shortest and earliest of equals."""
        if not words or not self._sentences:
            return Window(0.0 if words else 1.0, 0, 0)
        return self._held(words).best(longest)

    def nearest(self, words: Sequence[str], limit: int) -> list[int]:
        """The sentences that hold most of `words`, at most `limit`, best first."""
        at = self._held(words).at
        return sorted(at, key=lambda place: (-at[place].bit_count(), place))[:limit]

    def _forms(self, word: str) -> list[str]:
        """`word` and what the source has in its place: a longer or shorter form of it."""
        if word in self._where or not word.isascii() or len(word) < _SHORTEST_ABBREVIATION:
            return [word]
        near = self._by_prefix.get(word[:_SHORTEST_ABBREVIATION], [])[:_MOST_FORMS]
        return [form for form in near if form.startswith(word) or word.startswith(form)] or [word]
