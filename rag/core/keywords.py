"""What of a question is worth looking up: the words that only ask are left out.

Documents hardly ever say "why" or 請問, so where one does, BM25 takes the word for a rare and
telling one. Without them nDCG@10 of the lexical list alone rose from .43 to .46 on python_faq_en,
from .06 to .14 for English questions over python_faq_zhtw, and fell by .01 on fastapi_xling en.
"""

import re

from rag.core.script import readings

# In Simplified Chinese, as `simplify` gives it. Longest first, so that 为什么 is not cut to 什么.
_ASKING_CHINESE = re.compile(
    "有没有|能不能|可不可以|是不是|怎么样|为什么"
    "|为何|什么|如何|怎么|怎样|是否|请问|哪些|哪个|哪里|哪儿|哪种|哪一|多少|几个|何时|何种|我们|你们|他们"
    "|可以|应该|谁|吗|呢|的|了|我|你|他|她|它|在|是|有|和|与|及|或|把|被|会|能"
)
_ASKING_ENGLISH = re.compile(
    "what|which|who|whom|whose|when|where|why|how|do|does|did|is|are|was|were|can|could|should|would"
    "|will|i|me|my|we|you|your|it|a|an|the|of|to|in",
    re.IGNORECASE,
)
# A word by itself: `is` in `is_open`, `to` in `to-do` and `C` in `C++` are parts of names.
_ENGLISH_WORD = re.compile(r"(?<![\w.\-])([A-Za-z]+)(?:['’][a-z]+)?(?![\w\-+#]|\.\w)")


def keywords(query: str) -> str:
    """`query` in Simplified Chinese without what only asks; `query` itself when nothing is left.
    One too short to tell its script is there in both readings: 文件 as a file and as a document."""
    return " ".join(_without_asking(reading) for reading in readings(query))


def _without_asking(query: str) -> str:
    kept = _ENGLISH_WORD.sub(_unless_asking, _ASKING_CHINESE.sub(" ", query))
    return kept if any(char.isalnum() for char in kept) else query


def _unless_asking(word: re.Match[str]) -> str:
    # IT, US and WHO are names.
    name = word[1].isupper() and len(word[1]) > 1
    return " " if _ASKING_ENGLISH.fullmatch(word[1]) and not name else word[0]
