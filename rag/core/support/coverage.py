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


_Held = tuple[int, dict[int, set[str]]]


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

    def held(self, words: Sequence[str]) -> _Held:
        """How many of the distinct `words` the context holds, and for every sentence the others
        that it holds. A claim asks several times in a row; only the first costs."""
        if self._last is None or self._last[0] is not words:
            self._last = (words, self._find(words))
        return self._last[1]

    def _find(self, words: Sequence[str]) -> _Held:
        given = 0
        held: dict[int, set[str]] = {}
        for word in dict.fromkeys(words):
            forms = self._forms(word)
            if any(form in self._context for form in forms):
                given += 1
                continue
            for form in forms:
                for place in self._where.get(form, ()):
                    held.setdefault(place, set()).add(word)
        return given, held

    def best_window(self, words: Sequence[str], longest: int = 2) -> Window:
        """The window of at most `longest` sentences that holds the largest share of `words`; the
        shortest and earliest of equals."""
        count = len(set(words))
        if not count or not self._sentences:
            return Window(0.0 if count else 1.0, 0, 0)
        given, held = self.held(words)
        best = Window(given / count, 0, 0)
        for place in sorted(held):
            found: set[str] = set()
            for last in range(place, min(place + longest, self._sentences)):
                if last not in held:
                    continue
                found |= held[last]
                share = (given + len(found)) / count
                if share > best.share + 1e-9:
                    best = Window(share, place, last)
        return best

    def nearest(self, words: Sequence[str], limit: int) -> list[int]:
        """The sentences that hold most of `words`, at most `limit`, best first."""
        _, held = self.held(words)
        return sorted(held, key=lambda place: (-len(held[place]), place))[:limit]

    def _forms(self, word: str) -> list[str]:
        """`word` and what the source has in its place: a longer or shorter form of it."""
        if word in self._where or not word.isascii() or len(word) < _SHORTEST_ABBREVIATION:
            return [word]
        near = self._by_prefix.get(word[:_SHORTEST_ABBREVIATION], [])[:_MOST_FORMS]
        return [form for form in near if form.startswith(word) or word.startswith(form)] or [word]
