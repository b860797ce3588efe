"""The pieces that text is cut into, found by their first two characters."""

from array import array
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Pairs of characters whose pieces are kept at hand. Prose of one language has some ten thousand.
_COMMON_PAIRS = 65_536
# The longest character in UTF-8, in bytes: two of them are one 64-bit number.
_LONGEST = 4


class Pieces(NamedTuple):
    """Those that may begin where a pair of characters stands."""

    ids: Mapping[str, int]
    longest: int
    """In characters; 0 if there are none."""


class Vocabulary:
    """A quarter of a million pieces, of which a text meets few: those that begin with one pair of
    characters become Python strings when the pair is first seen. A dictionary of all takes 0.2 s
    and 40 MB, and has nothing to say about how long a piece can get that begins just here."""

    def __init__(
        self, text: bytes, offsets: NDArray[np.uint32], scores: NDArray[np.float32], unknown: int
    ) -> None:
        """All pieces as UTF-8, one behind the other; piece `n` is `text[offsets[n]:offsets[n+1]]`
        and none is empty. `unknown` is the id of the one that stands for no text."""
        self._text = text
        self._offsets = offsets
        self.unknown = unknown
        self.scores = array("f", scores.tobytes())
        """Logarithms of the pieces' probabilities, by id."""
        pairs = _first_pairs(text, offsets)
        self._order = np.argsort(pairs)
        self._pairs = pairs[self._order]
        self.beginning = lru_cache(_COMMON_PAIRS)(self._beginning)

    def _beginning(self, pair: str) -> Pieces:
        """Pieces that begin with `pair`, and the one that is its first character alone."""
        found = self._exactly(pair)
        if len(pair) == 1:
            return Pieces(found, 1 if found else 0)
        first = self.beginning(pair[0])
        if not found:
            return first  # shared: most pairs of Chinese characters begin no piece
        return Pieces({**first.ids, **found}, max(map(len, found)))

    def _exactly(self, pair: str) -> dict[str, int]:
        key = np.uint64(int.from_bytes(pair.encode("utf-8"), "little"))
        start, end = np.searchsorted(self._pairs, [key, key + np.uint64(1)])
        ids = self._order[start:end]
        ids = ids[ids != self.unknown]
        starts, ends = self._offsets[ids].tolist(), self._offsets[ids + 1].tolist()
        texts = (self._text[start:end].decode() for start, end in zip(starts, ends, strict=True))
        return dict(zip(texts, ids.tolist(), strict=True))


def _first_pairs(text: bytes, offsets: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """The first two characters of every piece as one number: their bytes, low ones first."""
    padded = text + bytes(2 * _LONGEST)
    starts, ends = offsets[:-1].astype(np.int64), offsets[1:].astype(np.int64)
    leading = np.frombuffer(padded, np.uint8)
    seconds = starts + _CHARACTER_BYTES[leading[starts]]
    pair_ends = np.minimum(seconds + _CHARACTER_BYTES[leading[seconds]], ends)
    # Eight bytes from every place on, overlapping.
    numbers: NDArray[np.uint64] = np.ndarray((len(text),), "<u8", padded, strides=(1,))
    pairs: NDArray[np.uint64] = numbers[starts] & _MASKS[pair_ends - starts]
    return pairs


def _character_bytes(first: int) -> int:
    """How many bytes the character has that begins with byte `first`."""
    return 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


_CHARACTER_BYTES = np.array([_character_bytes(first) for first in range(256)], np.int64)
_MASKS = np.array([2 ** (8 * size) - 1 for size in range(2 * _LONGEST + 1)], np.uint64)
