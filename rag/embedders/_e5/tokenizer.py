"""Text to token ids as multilingual-e5 reads it: SentencePiece's Unigram, without its library.

The `tokenizers` package gives the same pieces, but takes 1.2 s and 250 MB to learn the vocabulary,
where the search below takes 2 us a character and the vocabulary 30 ms.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from rag.embedders._e5.vocabulary import Vocabulary

_MARK = "▁"  # SentencePiece's sign for "a word begins here"
_SPACES = re.compile(" {2,}")
_UNSPEAKABLE = re.compile("[\0\ud800-\udfff]")
# How far below the rarest piece an unknown character scores: the constant of SentencePiece.
_UNKNOWN_PENALTY = 10.0
# Longer words are rarely seen twice. Ordinary prose has some ten thousand different words.
_CACHED_WORD = 24
_CACHED_WORDS = 16_384


def speakable(text: str) -> str:
    """`text` with blanks for what has no UTF-8 (half a surrogate pair) or ends a text in C."""
    return _UNSPEAKABLE.sub(" ", text)


class Tokenizer:
    """Unigram segmentation (Kudo 2018): the cut whose pieces have the highest total score.

    No piece has a word mark anywhere but in front, so the best cut of a text is the best cuts of
    its words: common words are looked up, and no sum runs long enough to lose precision.
    """

    def __init__(self, vocabulary: Vocabulary, replacements: Mapping[int, str]) -> None:
        self._pieces_at = vocabulary.beginning
        self._replacements = replacements
        self._unknown = vocabulary.unknown
        self._scores = vocabulary.scores
        self._unknown_score = min(self._scores) - _UNKNOWN_PENALTY
        self._common = lru_cache(_CACHED_WORDS)(self._cut)

    def encode(self, text: str) -> list[int]:
        """Ids of `text` without begin and end. Any string has some, the empty one a word mark."""
        text = speakable(text).translate(self._replacements)
        ids: list[int] = []
        for word in _SPACES.sub(" ", text).removeprefix(" ").split(" "):
            cut = self._common if len(word) <= _CACHED_WORD else self._cut
            ids += cut(_MARK + word)
        return ids

    def _cut(self, word: str) -> tuple[int, ...]:
        """The best cut of one word, by Viterbi's algorithm."""
        scores, length = self._scores, len(word)
        best = [float("-inf")] * (length + 1)
        best[0] = 0.0
        # Start and id of the best piece that ends at each place.
        last: list[tuple[int, int]] = [(0, 0)] * (length + 1)
        for start in range(length):
            so_far = best[start]
            ids, longest = self._pieces_at(word[start : start + 2])
            for end in range(start + 1, min(start + longest, length) + 1):
                id_ = ids.get(word[start:end])
                if id_ is not None and so_far + scores[id_] > best[end]:
                    best[end] = so_far + scores[id_]
                    last[end] = start, id_
            if so_far + self._unknown_score > best[start + 1]:
                best[start + 1] = so_far + self._unknown_score
                last[start + 1] = start, self._unknown
        cut: list[int] = []
        while length:
            length, id_ = last[length]
            cut.append(id_)
        return tuple(reversed(cut))
