"""Which of the three languages a text is in, told by its script."""

import re
from functools import cache

from rag.domain.documents import Language

_HAN = re.compile(r"[㐀-䶿一-鿿豈-﫿]")
_LETTER = re.compile(r"[^\W\d_]")

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
    traditional = sum(char in traditional_only for char in han)
    return "zh-Hans" if simplified > traditional else "zh-Hant"


@cache
def _script_tables() -> tuple[frozenset[str], frozenset[str]]:
    """Characters that only one script uses: those that conversion one way changes and whose
    result conversion the other way does not leave alone."""
    import opencc

    to_simplified, to_traditional = opencc.OpenCC("t2s"), opencc.OpenCC("s2t")
    common = "".join(chr(code) for code in range(0x4E00, 0x9FFF + 1))
    as_simplified, as_traditional = to_simplified.convert(common), to_traditional.convert(common)
    traditional = {c for c, s in zip(common, as_simplified, strict=True) if c != s}
    simplified = {c for c, t in zip(common, as_traditional, strict=True) if c != t}
    return frozenset(simplified - traditional), frozenset(traditional - simplified)
