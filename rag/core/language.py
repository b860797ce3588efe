"""Which of the three languages a text is in, told by its script."""

import re
from functools import cache

from rag.domain.documents import Language

_HAN = re.compile(r"[㐀-䶿一-鿿豈-﫿]")
_LETTER = re.compile(r"[^\W\d_]")
# Big5 has 么 too, for 幺; in these words it is Simplified. Many a question has no other sign.
_SIMPLIFIED_WORD = re.compile("[什怎那这要多]么")

# A Chinese text need not be all Chinese: identifiers and product names are Latin everywhere.
# A tenth of its letters is enough to tell it from an English page that shows a few characters;
# chosen on docs_python zh-TW, whose code-heavy pages go down to 14 % Han letters.
_HAN_SHARE = 0.10


def detect_language(text: str) -> Language:
    """`en`, `zh-Hant` or `zh-Hans`. Chinese with no character that tells the script is `zh-Hant`,
    whose prompt and folding serve both."""
    sample = text[:20_000]
    han = _HAN.findall(sample)
    if not han or len(han) < _HAN_SHARE * len(_LETTER.findall(sample)):
        return "en"
    simplified_only, traditional_only = _script_tables()
    simplified = sum(char in simplified_only for char in han)
    simplified += len(_SIMPLIFIED_WORD.findall(sample))
    traditional = sum(char in traditional_only for char in han)
    return "zh-Hans" if simplified > traditional else "zh-Hant"


@cache
def _script_tables() -> tuple[frozenset[str], frozenset[str]]:
    """Characters that only one script uses, by the two scripts' own character sets: what GB 2312
    has and Big5 lacks, and the other way round. 台, 后 or 里, at home in both, tell nothing."""
    simplified, traditional = set(), set()
    for char in map(chr, range(0x4E00, 0x9FFF + 1)):
        in_gb, in_big5 = _encodable(char, "gb2312"), _encodable(char, "big5")
        if in_gb and not in_big5:
            simplified.add(char)
        elif in_big5 and not in_gb:
            traditional.add(char)
    return frozenset(simplified), frozenset(traditional)


def _encodable(char: str, encoding: str) -> bool:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
