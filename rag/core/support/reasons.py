"""What support says of a claim that it does not bear out, for the person who reads it.

A check yields a `Reason`, free of any language; `tell` puts it into words. `{where}` are the
sources that the claim cites, `{words}` are the claim's own, `{told}` the source's instead.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

Name = Literal[
    "no_source",
    "absent",
    "absent_literal",
    "other_value",
    "no_bound",
    "other_bound",
    "opposite",
    "of_some",
    "of_some_only",
    "not_only",
    "of_another",
    "said_of_another",
    "other_topic",
    "in_part",
    "not_compared",
]


class Reason(NamedTuple):
    """One fault of a claim."""

    name: Name
    words: str = ""
    told: str = ""
    bound: str = ""
    """"at least", 以內: the words that make a bound of the number in `words`."""


_ENGLISH: dict[Name, str] = {
    "no_source": "{where} is not among the sources",
    "absent": '"{words}" is not in {where}',
    "absent_literal": "{words} is not in {where}",
    "other_value": '"{words}" is not in {where}, which says "{told}"',
    "no_bound": '{where} does not say "{bound}" of "{words}"',
    "other_bound": '{where} does not say "{bound}" of "{words}", but "{told}"',
    "opposite": '{where} says the opposite of "{words}"',
    "of_some": '{where} says it of some, not of all: "{words}"',
    "of_some_only": '{where} says it of some only: "{words}"',
    "not_only": '{where} does not say "only": "{words}"',
    "of_another": '{where} says "{told}" of this, "{words}" of something else',
    "said_of_another": '{where} says "{words}" of something else',
    "other_topic": "{where} speaks of something else",
    "in_part": "{where} holds only part of what this says",
    "not_compared": "{where} is in another language, and this has no number or name to compare",
}

_CHINESE: dict[Name, str] = {
    "no_source": "{where} 不在提供的來源之中",
    "absent": "{where} 沒有提到「{words}」",
    "absent_literal": "{where} 沒有 {words}",
    "other_value": "{where} 沒有提到「{words}」，寫的是「{told}」",
    "no_bound": "{where} 沒有對「{words}」說「{bound}」",
    "other_bound": "{where} 對「{words}」說的不是「{bound}」，而是「{told}」",
    "opposite": "{where} 的說法與「{words}」相反",
    "of_some": "{where} 只說部分如此，不是全部：「{words}」",
    "of_some_only": "{where} 只限特定對象：「{words}」",
    "not_only": "{where} 沒有說「只有」：「{words}」",
    "of_another": "{where} 對此說的是「{told}」，「{words}」說的是別的事",
    "said_of_another": "{where} 的「{words}」說的是別的事",
    "other_topic": "{where} 說的是別的事",
    "in_part": "{where} 只包含這句的一部分內容",
    "not_compared": "{where} 是另一種語言，這句也沒有可比對的數字或名稱",
}


def tell(reason: Reason, markers: Iterable[str], language: str) -> str:
    """`reason` in words. `language` is `en`, or any Chinese for Traditional Chinese."""
    chinese = language.startswith("zh")
    where = (" 或 " if chinese else " or ").join(markers)
    sentence = (_CHINESE if chinese else _ENGLISH)[reason.name]
    return sentence.format(where=where, words=reason.words, told=reason.told, bound=reason.bound)
