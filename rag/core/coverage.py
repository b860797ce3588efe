"""How much of a claim's content a source holds, and where it holds it best."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rag.core.span import Span
from rag.core.words import content_words

# A short form and its word share at least this many letters: admin, administrator.
_SHORTEST_ABBREVIATION = 4


@dataclass(frozen=True, slots=True)
class Window:
    """`share` (0..1) of the claim's words is in the sentences `first` to `last`, or in the context
    that goes with each of them."""

    share: float
    first: int
    last: int


class WordIndex:
    """Which sentence of a source holds which word. Linear in the source."""

    def __init__(self, flat: str, sentences: Sequence[Span], context: str) -> None:
        self._context = frozenset(word.stem for word in content_words(context))
        self._where: dict[str, list[int]] = defaultdict(list)
        self._by_prefix: dict[str, list[str]] = defaultdict(list)
        for number, span in enumerate(sentences):
            for word in content_words(flat[span.start : span.end]):
                places = self._where[word.stem]
                if not places or places[-1] != number:
                    places.append(number)
        for stem in {*self._where, *self._context}:
            if stem.isascii() and len(stem) >= _SHORTEST_ABBREVIATION:
                self._by_prefix[stem[:_SHORTEST_ABBREVIATION]].append(stem)
        self._sentences = len(sentences)

    def best_window(self, words: Iterable[str], longest: int = 2) -> Window:
        """The window of at most `longest` sentences that holds the largest share of `words`; the
        shortest and earliest of equals."""
        wanted = list(dict.fromkeys(words))
        if not wanted or not self._sentences:
            return Window(1.0 if not wanted else 0.0, 0, 0)
        held: dict[int, set[int]] = defaultdict(set)
        given = 0
        for number, word in enumerate(wanted):
            forms = self._forms(word)
            if any(form in self._context for form in forms):
                given += 1
                continue
            for form in forms:
                for place in self._where.get(form, ()):
                    held[place].add(number)
        best = Window(given / len(wanted), 0, 0)
        for place in sorted(held):
            found: set[int] = set()
            for last in range(place, min(place + longest, self._sentences)):
                if last > place and last not in held:
                    continue
                found |= held[last]
                share = (given + len(found)) / len(wanted)
                if share > best.share + 1e-9:
                    best = Window(share, place, last)
        return best

    def _forms(self, word: str) -> list[str]:
        """`word` and what the source has in its place: a longer or shorter form of it."""
        if not word.isascii() or len(word) < _SHORTEST_ABBREVIATION:
            return [word]
        return [word] + [
            form
            for form in self._by_prefix.get(word[:_SHORTEST_ABBREVIATION], ())
            if form != word and (form.startswith(word) or word.startswith(form))
        ]
