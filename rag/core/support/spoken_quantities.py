"""Numbers that no numeral states: the third, a quarter of, an hour, half a year, 半小時.

Reads text flattened by `core.fold.flatten`.
"""

import re
from collections.abc import Iterator
from fractions import Fraction

from rag.core.support.measures import UNITS
from rag.core.support.quantity import COUNT, ORDINAL, Quantity
from rag.core.words import stems

_ORDINAL_WORDS = {
    word: value
    for value, word in enumerate(
        (
            *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"),
            *("ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth"),
            *("sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"),
        ),
        start=1,
    )
}
_FRACTION_WORDS = {"half": 2, "halves": 2} | {
    word + plural: value
    for word, value in (("third", 3), ("quarter", 4), ("fourth", 4), ("fifth", 5), ("tenth", 10))
    for plural in ("", "s")
}
_SINGULAR_UNIT = r"second|minute|hour|day|week|fortnight|month|year|decade"

_ORDINAL = re.compile(
    r"\b(?P<figures>\d+)(?:st|nd|rd|th)\b"
    rf"|\b(?P<word>{'|'.join(_ORDINAL_WORDS)})\b(?! (?:of all|time lucky))"
)
# "The first call" orders; "first, open the file" and "must first open it" do not.
_ORDERING_FIRST = re.compile(r"(?:\b(?:the|each|every|its|their|your|our|his|her)|'s) $")
_SECOND_AS_UNIT = re.compile(r"(?:\b(?:per|a|each|every|one|half a|every few)|\d|/) ?$")
# "A quarter of the users", but not the second half of "a minute and a half".
_FRACTION = re.compile(
    r"\b(?P<top>an?|one|two|three|four|\d+)(?:[ -](?P<bottom>half|halves|thirds?|quarters?|fourths?"
    r"|fifths?|tenths?)(?= (?:of|the|as|its|their)\b)|-(?P<joined>half|thirds?|quarters?|fifths?"
    r"|tenths?)\b)|\b(?P<half>half)(?= (?:of|the)\b)|(?P<han>一半|半数|过半)"
)
_ARTICLE = re.compile(
    r"\b(?P<part>half an?|an? half|half|an?|quarter of an|an? quarter of an|three quarters of an)"
    rf"[ -](?P<unit>{_SINGULAR_UNIT})(?P<half> and a half)?\b"
)
_ARTICLE_PARTS = {"half": Fraction(1, 2), "quarter": Fraction(1, 4), "three": Fraction(3, 4)}
# "1,200 requests an hour", "twice a day": the article means "per".
_RATE_ARTICLE = re.compile(r"(?:\b(?:once|twice|times)|\d[a-z%]*(?: [a-z]+){0,2}|%) $")
# Not the half of 一个半小时, which belongs to the number before it.
_HAN_HALF = re.compile(
    r"(?<![一两二三四五六七八九十\d])(?<![一两二三四五六七八九十\d]个)(?<!\d 个)"
    r"半(?:个)?(?P<unit>小时|钟头|天|日|月|年|分钟|秒)(?!导)"
)
_WORD_FOLLOWS = re.compile(r" [a-z]")
# "Once approved" and "twice as long" count nothing.
_FREQUENCY = re.compile(
    r"\b(?:(?P<once>once)(?= (?:an?|per|each|every|daily|weekly|monthly|yearly)\b)"
    r"|(?P<twice>twice)(?! as\b|-)|thrice)\b"
)
_TIMES = frozenset(stems("times"))


def find_spoken(flat: str) -> list[Quantity]:
    """Ordinals, fractions, frequencies, and single or half units, in no order."""
    return [
        *_ordinals(flat),
        *_fractions(flat),
        *_frequencies(flat),
        *_articles(flat),
        *_han_halves(flat),
    ]


def _ordinals(flat: str) -> Iterator[Quantity]:
    for match in _ORDINAL.finditer(flat):
        word = match["word"]
        before = flat[max(0, match.start() - 12) : match.start()]
        if word == "second" and _SECOND_AS_UNIT.search(before):
            continue
        if word == "first" and not _ORDERING_FIRST.search(before):
            continue
        value = Fraction(_ORDINAL_WORDS[word] if word else int(match["figures"]))
        yield Quantity(frozenset({value}), ORDINAL, match.start(), match.end(), number=value)


def _fractions(flat: str) -> Iterator[Quantity]:
    for match in _FRACTION.finditer(flat):
        if match["han"] or match["half"]:
            value = Fraction(1, 2)
        else:
            top = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4}.get(match["top"])
            bottom = _FRACTION_WORDS[match["bottom"] or match["joined"]]
            value = Fraction(top if top is not None else int(match["top"]), bottom)
        yield Quantity(frozenset({value}), "ratio", match.start(), match.end(), number=value)


def _frequencies(flat: str) -> Iterator[Quantity]:
    for match in _FREQUENCY.finditer(flat):
        value = Fraction(1 if match["once"] else 2 if match["twice"] else 3)
        yield Quantity(
            frozenset({value}),
            COUNT,
            match.start(),
            match.end(),
            nouns=_TIMES,
            article=value == 1,
            number=value,
        )


def _articles(flat: str) -> Iterator[Quantity]:
    for match in _ARTICLE.finditer(flat):
        part = match["part"]
        value = next((size for word, size in _ARTICLE_PARTS.items() if word in part), Fraction(1))
        before = flat[max(0, match.start() - 30) : match.start()]
        if part in ("a", "an"):
            if _RATE_ARTICLE.search(before):
                continue
            if match["unit"] == "second" and _WORD_FOLLOWS.match(flat, match.end()):
                continue  # "a second attempt"
        if match["half"]:
            value += Fraction(1, 2)
        unit = UNITS[match["unit"]]
        values = frozenset(value * factor for factor in unit.factors)
        implied = part in ("a", "an")
        yield Quantity(
            values,
            unit.dimension,
            match.start(),
            match.end(),
            article=implied,
            unit=unit.name,
            number=value,
        )


def _han_halves(flat: str) -> Iterator[Quantity]:
    for match in _HAN_HALF.finditer(flat):
        unit = UNITS[match["unit"]]
        values = frozenset(factor / 2 for factor in unit.factors)
        half = Fraction(1, 2)
        yield Quantity(values, unit.dimension, match.start(), match.end(), number=half)
