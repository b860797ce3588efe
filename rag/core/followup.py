"""What to search for when a question only makes sense in its conversation.

"And for contractors?" names no subject: its documents are found by the subject of the question
before it. The rewriting is by rule, so it is instant, repeatable and can be shown: the earlier
question's words, then the new one's. It only ever changes the search, never the question.
"""

import re
from collections.abc import Sequence

from rag.core.analyzer import analyze
from rag.domain.models import Turn

# A question that opens like this continues the one before it.
_OPENING = re.compile(
    r"^\s*(?:and|but|or|so|also|then|what about|how about|what if|same for|why not|why is that"
    r"|why\?"
    r"|那麼|那么|那|還有|还有|另外|如果是|換成|换成|至於|至于|同樣|同样|又|再)(?=\W|[一-鿿]|$)",
    re.IGNORECASE,
)
# Words that stand for something said before. "There are" and a "that" which opens a clause stand
# for nothing, so "that" counts only behind a verb or a preposition.
_REFERENCE = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|she|him|her|his|hers)\b"
    r"|\bthe (?:same|other|former|latter)\b|\b(?:this|that|these|those)\s*[?？]?\s*$"
    r"|\b(?:is|are|was|were|do|does|did|can|of|for|to|in|about|with|after|before|than)"
    r" (?:this|that|these|those|ones)\b(?! (?:a|an|any|no|some)\b)"
    r"|它|牠|他們|她們|它們|他们|它们|這個|這些|那個|那些|这个|这些|那个|該|该|此|前者|後者|后者|其中|上述",
    re.IGNORECASE,
)
# 「約聘人員呢？」: a noun and 呢 ask the question before again, for that noun.
_ELLIPSIS = re.compile(r"呢\s*[?？]?\s*$")
# With fewer distinct content terms than this a question has no subject of its own: "Why?", "How
# many?". With two it may ("Who is the CEO of Tidewell?"), and a needless subject drowns the search.
_FEW_TERMS = 2
# How far back the subject is looked for: a chain of follow-ups leans on one opening question.
_REACH = 4


def search_query(question: str, history: Sequence[Turn]) -> str:
    """`question` itself, or with the subject it leans on put before it."""
    if not history or not depends_on_history(question):
        return question
    subject: list[str] = []
    for turn in reversed(history[-_REACH:]):
        subject.insert(0, turn.question)
        if not depends_on_history(turn.question):
            break
    return " ".join([*subject, question])


def depends_on_history(question: str) -> bool:
    """Whether the question leans on an earlier one for its subject."""
    return bool(
        _OPENING.search(question)
        or _ELLIPSIS.search(question)
        or _REFERENCE.search(question)
        or len(_content_terms(question)) < _FEW_TERMS
    )


def _content_terms(question: str) -> set[str]:
    return {term for term in analyze(question) if len(term) > 1 and term not in _FUNCTION_WORDS}


# What question words and auxiliaries leave is what a question is about.
_FUNCTION_WORDS = frozenset(
    """
    a an the is are was were be been do does did have has had can could may might must shall should
    will would to of in on at for from by with about as and or not no what which who whom whose
    when where why how many much long i we you me us my our your please
    什麼 什么 多少 怎麼 怎么 如何 哪些 可以 是否 有沒 沒有 為何 请问 請問
    """.split()  # noqa: SIM905  one list of words reads better than fifty quoted ones
)
