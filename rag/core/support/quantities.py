"""Numbers with what they count: `30 days`, `USD 500`, `百分之五`, `第三次`, `半小時`, `an hour`.

Reads text flattened by `core.fold.flatten`. Values are exact fractions in the base of their
dimension, so that 90 seconds and a minute and a half are equal.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from rag.core.span import Span
from rag.core.support.measures import (
    CURRENCIES,
    CURRENCY_AFTER,
    CURRENCY_BEFORE,
    LONGEST_CURRENCY,
    UNIT_AFTER,
    UNITS,
    Unit,
)
from rag.core.support.numerals import Numeral, find_numerals
from rag.core.support.quantity import COUNT, CURRENCY, ORDINAL, Quantity
from rag.core.support.spoken_quantities import find_spoken
from rag.core.words import stems

_HALF_AFTER = re.compile(r" and a half\b| ?(?:个)?半(?=(?:个)?(?:小时|钟头|天|月|年|分钟|世纪))")
_AND_A_HALF = re.compile(r" and a half\b")
_HAN_HALF_AFTER_UNIT = re.compile(r"半(?![年月天日夜价])")
_PERCENT_BEFORE = re.compile(r"(?P<base>百|千|万)分之$")
_FRACTION_AFTER = re.compile(r"分之")
# A sign counts where it stands free: 5-10 is a range, and `x-1` a name.
_BELOW_ZERO = re.compile(r"(?:(?:^|[ (:=])-|\bminus |零下) ?$")
_LONGEST_SIGN = 8
_SIGNED = frozenset({"celsius", "fahrenheit", "degree"})
_RANGE = re.compile(r" ?(?:-|~|to|and|or|through|up to|至|到|或|与|和|、) ?第?")
_MILLIONS = re.compile(r" ?(?:m|mil|mio)(?![a-z0-9])")
_HAN_MEASURE = re.compile(
    r"\s?[个名位台次份人件项条种笔组张把支间层页章节款字行列步级倍座辆部本篇场届批股颗棵块片匹栋户席"
    r"集期号点只员例家隻盒瓶包袋套代回轮门则题段句词处站轨核]"
)
_HAN = re.compile(r"[㐀-鿿]")
_DIGIT_NEIGHBOUR = re.compile(r"[a-z_]")
# What is counted: up to two words behind the number ("5 open licences"), not past grammar.
_HAN_NOUN = re.compile(r"\s?(?!以[上下内前后]|最|之)(?P<noun>[㐀-鿿]{1,2})")
_LATIN_NOUNS = re.compile(
    r"[ -]?(?:(?:more|additional|other|different|of the|of) )?"
    r"(?P<noun>(?!(?:to|and|or|per|an?|in|on|at|for|of|is|are|was|from|by|with|if|when)\b)[a-z]+"
    r"(?:[ -](?!(?:to|and|or|per|an?|in|on|at|for|of|is|are|was|from|by|with|if|when|each|every|may"
    r"|can|must|will)\b)[a-z]+)?)"
)
# 哪一年, 這一天, 另一個: the 一 points, it does not count.
_DETERMINED_ONE = re.compile(r"[哪某任这那同每另上下前后该此首末近]$")
_FREE_SINGLE_HAN = re.compile(r"(?:[为是达共约等至到=:>≥≤<]|设定|上限|下限) ?$")


def find_quantities(flat: str, skip: Sequence[Span] = ()) -> list[Quantity]:
    """The quantities of `flat` by position, `skip` left out (dates, identifiers). Parts that add
    up, as in "1 hour 30 minutes", are followed by their sum."""
    starts = [span.start for span in skip]

    def skipped(start: int, end: int) -> bool:
        before = bisect_right(starts, end - 1) - 1
        return before >= 0 and skip[before].end > start

    found = find_spoken(flat)
    taken = sorted(Span(item.start, item.end) for item in found)
    taken_starts = [span.start for span in taken]
    for item in _numbers(flat):
        before = bisect_right(taken_starts, item.end - 1) - 1
        if before < 0 or taken[before].end <= item.start:
            found.append(item)
    kept = [item for item in found if not skipped(item.start, item.end)]
    kept.sort(key=lambda item: item.start)
    return _with_sums(flat, _with_ranges(flat, kept))


def _numbers(flat: str) -> Iterator[Quantity]:
    numerals = list(find_numerals(flat))
    consumed = -1
    for position, numeral in enumerate(numerals):
        if numeral.start < consumed:
            continue
        following = numerals[position + 1] if position + 1 < len(numerals) else None
        quantity = _quantity(flat, numeral, following)
        if quantity is not None:
            consumed = quantity.end
            yield quantity


def _quantity(flat: str, numeral: Numeral, following: Numeral | None) -> Quantity | None:
    start, end, value = numeral.start, numeral.end, numeral.value
    before = flat[max(0, start - LONGEST_CURRENCY) : start]
    if match := _PERCENT_BEFORE.search(before):
        base = {"百": 100, "千": 1_000, "万": 10_000}[match["base"]]
        return Quantity(
            frozenset({value / base}), "ratio", start - len(match.group()), end, number=value
        )
    if _FRACTION_AFTER.match(flat, end):
        if following is not None and following.start == end + 2 and value:
            ratio = following.value / value
            return Quantity(frozenset({ratio}), "ratio", start, following.end, number=ratio)
        return None
    if numeral.form == "han" and value == 1 and _DETERMINED_ONE.search(before):
        return None
    if before.rstrip().endswith("第"):
        return Quantity(frozenset({value}), ORDINAL, flat.rindex("第", 0, start), end, number=value)
    if match := _HALF_AFTER.match(flat, end):
        value, end = value + Fraction(1, 2), match.end()
    if money := _money(flat, start, end, value, before):
        return money
    if match := UNIT_AFTER.match(flat, end):
        unit = UNITS[match["unit"].replace("-", " ") if " " in match["unit"] else match["unit"]]
        if _unit_applies(flat, numeral, match):
            return _measured(flat, start, match.end(), value, unit, numeral)
    return _count(flat, numeral, value, end)


def _money(flat: str, start: int, end: int, value: Fraction, before: str) -> Quantity | None:
    codes: list[str] = []
    if match := CURRENCY_BEFORE.search(before):
        codes.append(CURRENCIES[match["unit"]])
        start -= len(match.group())
        if millions := _MILLIONS.match(flat, end):
            value, end = value * 10**6, millions.end()
    while match := CURRENCY_AFTER.match(flat, end):
        codes.append(CURRENCIES[match["unit"] or match["sign"]])
        end = match.end()
    if not codes:
        return None
    specific = [code for code in codes if code.isupper()]
    code = (specific or codes)[0]
    if code == "cent":
        value, code = value / 100, "dollar"
    return Quantity(frozenset({value}), CURRENCY, start, end, currency=code, number=value)


def _unit_applies(flat: str, numeral: Numeral, match: re.Match[str]) -> bool:
    """A one-letter unit needs figures before it; 時 and 分 are hours and minutes only there, or
    before a sign that ends them."""
    name = match["unit"]
    if len(name) == 1 and name.isascii() and name.isalpha():
        return numeral.form == "figures"
    if name in ("成", "度", "时", "分", "升", "码", "瓦", "克", "尺", "寸", "米", "磅"):
        nothing_follows = not _HAN.match(flat, match.end())
        return (
            numeral.form == "figures"
            or len(flat[numeral.start : numeral.end]) > 1
            or (nothing_follows or name in ("升", "克", "米", "尺", "码"))
        )
    return True


def _measured(
    flat: str, start: int, end: int, value: Fraction, unit: Unit, numeral: Numeral
) -> Quantity:
    if match := _HAN_HALF_AFTER_UNIT.match(flat, end):
        if flat[end - 1] > "一":
            value, end = value + Fraction(1, 2), match.end()
    elif match := _AND_A_HALF.match(flat, end):
        value, end = value + Fraction(1, 2), match.end()
    value *= _sign(flat, start, unit.dimension)
    return Quantity(_in_base(value, unit), unit.dimension, start, end, unit=unit.name, number=value)


def _sign(flat: str, start: int, dimension: str) -> int:
    """-1 for degrees below zero."""
    if dimension not in _SIGNED:
        return 1
    return -1 if _BELOW_ZERO.search(flat[max(0, start - _LONGEST_SIGN) : start]) else 1


@lru_cache(maxsize=4_096)  # texts repeat their numbers, and fractions multiply slowly
def _in_base(value: Fraction, unit: Unit) -> frozenset[Fraction]:
    return frozenset(value * factor for factor in unit.factors)


def _count(flat: str, numeral: Numeral, value: Fraction, end: int) -> Quantity | None:
    start = numeral.start
    text = flat[start:end]
    if numeral.form == "figures" and _DIGIT_NEIGHBOUR.match(flat, end):
        return None  # 3rd, x86, 4xx: no number of its own
    measure = _HAN_MEASURE.match(flat, end)
    if numeral.form == "han" and len(text) == 1 and not measure and flat[end : end + 1] != "楼":
        following = flat[end : end + 1]
        free = not following or not _HAN.match(following)
        if not free and not _FREE_SINGLE_HAN.search(flat[max(0, start - 4) : start]):
            return None  # 三 of 三角, 一 of 一些: part of a word
    nouns_from = measure.end() if measure else end
    match = _LATIN_NOUNS.match(flat, nouns_from) or _HAN_NOUN.match(flat, nouns_from)
    nouns = frozenset(stems(match["noun"])) if match else frozenset()
    return Quantity(
        frozenset({value}), COUNT, start, end, nouns=nouns, article=value == 1, number=value
    )


def _with_ranges(flat: str, found: list[Quantity]) -> list[Quantity]:
    """In "5 to 10 minutes" the 5 is minutes too; in "$5 to 10" the 10 is dollars."""
    for position in range(len(found) - 2, -1, -1):
        low, high = found[position], found[position + 1]
        if not _RANGE.fullmatch(flat, low.end, high.start):
            continue
        if low.dimension == COUNT and high.dimension not in (COUNT, ORDINAL):
            found[position] = _as_unit_of(low, high, flat)
        elif low.dimension == CURRENCY and high.dimension == COUNT:
            found[position + 1] = replace(high, dimension=CURRENCY, currency=low.currency)
    return found


def _as_unit_of(low: Quantity, high: Quantity, flat: str) -> Quantity:
    if high.dimension == CURRENCY:
        return replace(low, dimension=CURRENCY, currency=high.currency, article=False)
    match = UNIT_AFTER.search(flat[high.start : high.end])
    factors = UNITS[match["unit"]].factors if match and match["unit"] in UNITS else (Fraction(1),)
    sign = _sign(flat, low.start, high.dimension)
    values = frozenset(sign * value * factor for value in low.values for factor in factors)
    return replace(low, values=values, dimension=high.dimension, nouns=frozenset(), article=False)


def _with_sums(flat: str, found: list[Quantity]) -> list[Quantity]:
    whole: list[Quantity] = []
    for position, item in enumerate(found):
        whole.append(item)
        if position == 0 or item.dimension not in ("time", "calendar", "imperial length"):
            continue
        before = found[position - 1]
        gap = flat[before.end : item.start]
        if (
            before.dimension == item.dimension
            and gap in ("", " ", " and ", ", ", "又", "零")
            and max(item.values) < max(before.values)
        ):
            values = frozenset({max(before.values) + max(item.values)})
            whole.append(replace(before, values=values, end=item.end, parts=(before, item)))
    return whole
