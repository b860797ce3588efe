"""Traditional and Simplified Chinese as one script, character by character.

A folded text has the length of the original, so its offsets are the original's. Words that the
regions name differently (檔案, 文件) stay different: that is vocabulary, not script.
"""

import unicodedata
from collections.abc import Callable
from functools import cache
from typing import NamedTuple, Protocol

# Unified ideographs, extension A and the compatibility block: what documents contain.
_BLOCKS = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00))

# One character where the Traditional script has two uses and the Simplified one two characters
# (看著/看着, 著名). Converting single characters leaves it alone, so it is folded by hand.
_SPLIT_USES = {"著": "着"}

# Beyond it stand styled letters of mathematics and emoji, which mean what they look like.
_LAST_OF_PLANE = "\uffff"

# Signs that look alike and mean the same. Corner quotes stay: they pair up, unlike `"`.
_PLAIN_SIGNS = {
    **dict.fromkeys("“”„‟″＂", '"'),
    **dict.fromkeys("‘’‚‛′＇", "'"),
    **dict.fromkeys("‐‑‒–—―−－﹣", "-"),
    **dict.fromkeys("〜～∼", "~"),
    **dict.fromkeys("○◯", "〇"),  # the round zero of 一○五
    "\u3000": " ",
    "\u00a0": " ",
}


class _CharacterTable(dict[int, str]):
    """What each character becomes, for `str.translate`: found when it is first met, then kept. A
    text holds some hundreds of the 65,000 that there are."""

    def __init__(self, fold: Callable[[str], str]) -> None:
        super().__init__()
        self._fold = fold

    def __missing__(self, code: int) -> str:
        folded = self[code] = self._fold(chr(code))
        return folded


class _Converter(Protocol):
    def convert(self, text: str) -> str: ...


class _Converters(NamedTuple):
    """OpenCC's character tables: the general one, and the Hong Kong variants it leaves alone."""

    general: _Converter
    variants: _Converter


@cache
def _converters() -> _Converters:
    import opencc

    return _Converters(opencc.OpenCC("t2s"), opencc.OpenCC("hk2s"))


def _simplified(char: str) -> str:
    if not any(first <= ord(char) < end for first, end in _BLOCKS):
        return char
    own = unicodedata.normalize("NFKC", char)
    folded = _converters().general.convert(own)
    if folded == own:
        folded = _converters().variants.convert(own)
    folded = _SPLIT_USES.get(folded, folded)
    return folded if len(folded) == 1 else char


def _flat(char: str) -> str:
    """NFKC, lower case and script, wherever one character stays one character."""
    if char > _LAST_OF_PLANE:
        return char
    flat = _PLAIN_SIGNS.get(char) or unicodedata.normalize("NFKC", char).lower()
    return _simplified(flat if len(flat) == 1 else char)


_SIMPLIFIED = _CharacterTable(_simplified)
_FLAT = _CharacterTable(_flat)


def fold_script(text: str) -> str:
    """`text` with every Han character in its Simplified form, variants (臺 and 台, 衞 and 衛) made
    one. Same length as `text`; idempotent; everything but Han is left alone."""
    return text if text.isascii() else text.translate(_SIMPLIFIED)


def flatten(text: str) -> str:
    """`text` as support compares it: lower case, full-width forms narrow, typographic quotes and
    dashes plain, one Chinese script. Same length as `text`, so offsets carry over."""
    return text.lower() if text.isascii() else text.translate(_FLAT)
