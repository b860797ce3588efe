"""Traditional Chinese to Simplified, phrase by phrase, for search.

`fold` maps single characters and keeps offsets; here words that the regions name differently
become one too (檔案 and 文件, 預設 and 默认), at the price of lengths.
"""

import re
from functools import cache
from typing import Any

_HAN = re.compile(r"[㐀-䶿一-鿿豈-﫿]")


def simplify(text: str) -> str:
    """`text` in Simplified characters and mainland vocabulary; other scripts are left alone."""
    if text.isascii() or not _HAN.search(text):
        return text
    converted: str = _converter().convert(text)
    return converted


@cache
def _converter() -> Any:
    import opencc

    return opencc.OpenCC("tw2sp")
