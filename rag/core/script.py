"""Traditional Chinese to Simplified, phrase by phrase, for search.

`fold` maps single characters and keeps offsets; here words that the regions name differently
become one too (檔案 and 文件, 程式 and 程序), at the price of lengths.
"""

import re
from functools import cache
from typing import Any

from rag.core.fold import fold_script
from rag.core.vocabulary import in_mainland_words

_HAN = re.compile(r"[㐀-䶿一-鿿豈-﫿]+")

# A text tells its script early.
_SAMPLE = 2000
# Share of a text's distinct characters that only Traditional script writes: some 35 % of a
# Traditional page, under 2 % of a Simplified one that quotes a name.
_TRADITIONAL_SHARE = 0.1


def simplify(text: str) -> str:
    """`text` in Simplified characters and mainland vocabulary when it is in Traditional script;
    else as it is, for a Simplified 文件 is a file, a Traditional one a document."""
    return _convert(text) if is_traditional(text) else text


def one_script(text: str) -> str:
    """`simplify`, and single characters in Traditional script within other text as well."""
    if is_traditional(text):
        return _convert(text)
    return str(_converter("t2s").convert(text)) if _HAN.search(text) else text


def readings(text: str) -> tuple[str, ...]:
    """`simplify(text)`, and for a text too short to tell its script the other reading too."""
    if is_traditional(text) or _shows_script(text):
        return (simplify(text),)
    return tuple(dict.fromkeys([text, _convert(text)]))


def is_traditional(text: str) -> bool:
    han = _distinct_han(text)
    return len(han - set(fold_script("".join(han)))) >= max(1, _TRADITIONAL_SHARE * len(han))


def _shows_script(text: str) -> bool:
    """Whether `text` has a character that Traditional script would write otherwise."""
    han = "".join(_distinct_han(text))
    return _converter("s2t").convert(han) != han if han else True


def _distinct_han(text: str) -> set[str]:
    return set() if text.isascii() else set("".join(_HAN.findall(text[:_SAMPLE])))


def _convert(text: str) -> str:
    return in_mainland_words(text, _converter("tw2sp").convert)


@cache
def _converter(configuration: str) -> Any:
    import opencc

    return opencc.OpenCC(configuration)
