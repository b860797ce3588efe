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
