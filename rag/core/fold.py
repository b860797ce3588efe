"""Traditional and Simplified Chinese as one script, character by character.

A folded text has the length of the original, so its offsets are the original's. Words that the
regions name differently (檔案, 文件) stay different: that is vocabulary, not script.
"""

import unicodedata
from functools import cache

# Unified ideographs, extension A and the compatibility block: what documents contain.
_BLOCKS = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00))

# One character where the Traditional script has two uses and the Simplified one two characters
# (看著/看着, 著名). Converting single characters leaves it alone, so it is folded by hand.
_SPLIT_USES = {"著": "着"}

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


def fold_script(text: str) -> str:
    """`text` with every Han character in its Simplified form, variants (臺 and 台, 衞 and 衛) made
    one. Same length as `text`; idempotent; everything but Han is left alone."""
    if text.isascii():
        return text
    return text.translate(_table())


@cache
def _table() -> dict[int, str]:
    """OpenCC's character tables, general first, then the Hong Kong variants it leaves alone."""
    import opencc

    characters = [chr(code) for first, end in _BLOCKS for code in range(first, end)]
    plain = [unicodedata.normalize("NFKC", char) for char in characters]
    joined = "\n".join(plain)
    general = opencc.OpenCC("t2s").convert(joined).split("\n")
    variant = opencc.OpenCC("hk2s").convert(joined).split("\n")
    table: dict[int, str] = {}
    for char, own, first, second in zip(characters, plain, general, variant, strict=True):
        folded = first if first != own else second
        folded = _SPLIT_USES.get(folded, folded)
        if folded != char and len(folded) == 1:
            table[ord(char)] = folded
    return table


def flatten(text: str) -> str:
    """`text` as support compares it: lower case, full-width forms narrow, typographic quotes and
    dashes plain, one Chinese script. Same length as `text`, so offsets carry over."""
    if text.isascii():
        return text.lower()
    return text.translate(_flat_table())


@cache
def _flat_table() -> dict[int, str]:
    """Character-wise NFKC, lower case and script, wherever one character stays one character."""
    scripts = _table()
    table = dict(scripts)
    for code in range(0x10000):
        if 0xD800 <= code < 0xE000:
            continue
        char = chr(code)
        flat = _PLAIN_SIGNS.get(char) or unicodedata.normalize("NFKC", char).lower()
        if len(flat) == 1 and flat != char:
            table[code] = scripts.get(ord(flat), flat)
    return table
