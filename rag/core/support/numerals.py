"""Numerals of running text, in figures or in words, English and Chinese, as exact fractions.

Everything here reads text flattened by `core.fold.flatten`: lower case, narrow, Simplified.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Form = Literal["figures", "word", "han"]


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number as written: `flat[start:end]` reads as `value`."""

    value: Fraction
    start: int
    end: int
    form: Form


_ONES = {
    word: value
    for value, word in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
            *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"),
            *("seventeen", "eighteen", "nineteen"),
        )
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(
        ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), start=2
    )
}
_SCALES = {
    "hundred": 100,
    "dozen": 12,
    "thousand": 1_000,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
_HAN_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
}
_HAN_SCALES = {"十": 10, "廿": 20, "卅": 30, "百": 100, "千": 1_000, "万": 10**4, "亿": 10**8}

_WORD = "|".join(sorted([*_ONES, *_TENS, *_SCALES], key=len, reverse=True))
_HAN = "零〇一二三四五六七八九十百千万亿两廿卅"

# A figure group, thousands separated or not. A letter, underscore or dot right before it makes it
# part of a name or a version, which `core.identifiers` reads.
_FIGURES = r"(?<![a-z0-9_.])(?<![a-z_]-)(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?!\.?\d)"
_NUMERAL = re.compile(
    rf"(?P<mixed>(?<![a-z0-9_.])\d+(?:\.\d+)?\s?[十百千万亿](?:[{_HAN}\d]*[{_HAN}\d])?)"
    rf"|(?P<figures>{_FIGURES})(?:\s?(?P<scale>hundred|thousand|million|billion|trillion|dozen"
    r"|(?:k|bn|mn)(?![a-z0-9]))(?:s?\b))?"
    rf"|(?P<han>[{_HAN}]+(?:点[{_HAN}]+)?)"
    rf"|(?P<word>\b(?:an?[ -](?=(?:hundred|thousand|million|billion|trillion|dozen)\b)"
    rf"|half[ -]an?[ -](?=(?:million|billion|dozen)\b))?"
    rf"(?:{_WORD})s?(?:(?:[ -]|(?<=hundred) and |(?<=thousand) and )(?:{_WORD}))*"
    rf"(?:[ ]point(?:[ ](?:{'|'.join(_ONES)}))+)?\b)"
)
_SUFFIX_SCALES = {"k": 1_000, "mn": 10**6, "bn": 10**9} | _SCALES

# Longer runs of numeral words are no number but noise; the limit keeps their value small.
_LONGEST = 80

# Chinese words that merely contain a numeral character. 十分 ("very") gives way to 十分钟.
_NOT_NUMERALS = re.compile(
    "万一|统一|一律|一般|一起|一样|一直|一定|一旦|一些|唯一|同一|之一|任一|逐一|单一|进一步|一致|一并"
    "|一切|一方面|一下|一边|一面|一同|一共|一向|一概|再一|一再|一时|一心|一如|一经|不一|划一|专一|合一"
    "|第一时间|第一手|十分(?!钟|之)|千万(?=不|别|要|勿|记|请)|万能|万用|万象|万事|百科|百姓|百货|三明治"
    "|三角|零下|四周|四处|二手|一手|十字|一流|一齐|一应|一系列|一连串|一部分|一带|一度|一词|一名|一位|一等"
    "|一致|一番|一味|一说|一举|一道|一路|一项|一种|一类|零件|零售|零钱|零碎|零食|五金|七夕|八卦|九龙"
)


def find_numerals(flat: str) -> Iterator[Numeral]:
    """The numerals of `flat` in order. Numbers inside names, versions and idioms are left out."""
    idiom_end = 0
    idioms = {match.start(): match.end() for match in _NOT_NUMERALS.finditer(flat)}
    covered = sorted(idioms.items())
    position = 0
    for match in _NUMERAL.finditer(flat):
        start, end = match.span()
        while position < len(covered) and covered[position][0] < end:
            idiom_end = max(idiom_end, covered[position][1])
            position += 1
        if match["han"] and start < idiom_end:
            continue
        numeral = _read(match)
        if numeral is not None:
            yield numeral


def _read(match: re.Match[str]) -> Numeral | None:
    start, end = match.span()
    if end - start > _LONGEST:
        return None
    if match["mixed"] or match["han"]:
        value = read_han(match.group())
        form: Form = "han" if match["han"] else "figures"
    elif match["figures"]:
        written = match["figures"].replace(",", "")
        value = Fraction(int(written) if written.isdigit() else written)  # an int is not parsed
        if match["scale"]:
            value *= _SUFFIX_SCALES[match["scale"]]
        form = "figures"
    else:
        value = _read_words(match.group())
        form = "word"
    return None if value is None else Numeral(value, start, end, form)


def read_han(text: str) -> Fraction | None:
    """`一万二千` is 12000, `一百零五` 105, `三百五` 350, `1.2万` 12000, `一九八四` 1984."""
    whole, _, fraction = text.replace(" ", "").partition("点")
    if fraction:
        digits = "".join(str(_HAN_DIGITS[char]) for char in fraction if char in _HAN_DIGITS)
        left = read_han(whole)
        return None if left is None or not digits else left + Fraction(f"0.{digits}")
    if len(whole) > 1 and all(char in _HAN_DIGITS for char in whole):
        return Fraction("".join(str(_HAN_DIGITS[char]) for char in whole))
    total: Fraction = Fraction(0)
    section: Fraction = Fraction(0)
    pending: Fraction | None = None
    last_scale = 0
    after_zero = False
    for piece in re.findall(r"\d+(?:\.\d+)?|.", whole):
        if piece[0].isascii():
            pending = Fraction(piece)
        elif piece in _HAN_DIGITS:
            pending = Fraction(_HAN_DIGITS[piece])
            after_zero = after_zero or pending == 0
        elif (scale := _HAN_SCALES[piece]) in (20, 30):
            section, pending, last_scale = section + scale, None, 10
        elif scale < 10**4:
            section += (Fraction(1) if pending is None else pending) * scale
            pending, last_scale, after_zero = None, scale, False
        else:
            section += pending or Fraction(0)
            if scale == 10**8:
                section, total = total + section, Fraction(0)
            total += (section or Fraction(1)) * scale
            section, pending, last_scale, after_zero = Fraction(0), None, scale, False
    if pending is not None:
        # 三百五 means 350: a last digit without a scale takes the next lower one.
        colloquial = last_scale >= 100 and not after_zero and whole[-1] in _HAN_DIGITS
        section += pending * (last_scale // 10 if colloquial else 1)
    return total + section


def _read_words(text: str) -> Fraction | None:
    words, _, decimals = text.partition(" point ")
    total, current = Fraction(0), Fraction(0)
    for word in re.split(r"[ ,-]+", words):
        if word == "and":
            continue
        if word in ("a", "an"):
            current = current or Fraction(1)
        elif word == "half":
            current = Fraction(1, 2)
        elif (singular := word.removesuffix("s")) in _SCALES and word not in _ONES:
            scale = _SCALES[singular]
            current = (current or Fraction(1)) * scale
            if scale >= 1_000:
                total, current = total + current, Fraction(0)
        elif word in _ONES or word in _TENS:
            current += _ONES.get(word, _TENS.get(word, 0))
        else:
            return None
    if decimals:
        current += Fraction("0." + "".join(str(_ONES[word]) for word in decimals.split()))
    return total + current
