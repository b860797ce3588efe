"""Units without a number: "per minute", "every week", 每日, "the seconds to wait".

Reads text flattened by `core.fold.flatten`.
"""

import re
from dataclasses import dataclass

from rag.core.support.measures import UNITS

_ADVERBS = {
    "hourly": "hour",
    "daily": "day",
    "nightly": "day",
    "weekly": "week",
    "biweekly": "fortnight",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annual": "year",
    "annually": "year",
    "逐日": "day",
    "逐月": "month",
    "逐年": "year",
}
_LATIN = (
    "nanoseconds?|microseconds?|milliseconds?|ms|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?"
    "|weeks?|fortnights?|months?|years?|decades?"
)
_HAN = "毫秒|秒|分钟|小时|天|日|(?:周|星期|礼拜)(?![年一二三四五六日天])|月|个月|季|年"
_RATE = re.compile(
    r"(?:\b(?:per|each|every|once an?|twice an?|times an?)[ -]|(?<=[\da-z一-鿿])/ ?)"
    rf"(?P<unit>{_LATIN}|quarters?|[smh](?![a-z0-9/]))\b"
    rf"|(?P<adverb>\b(?:{'|'.join(word for word in _ADVERBS if word.isascii())})\b|逐[日月年])"
    rf"|每(?:一|个|隔|逢)?(?P<han>{_HAN})"
)
_UNIT = re.compile(
    rf"(?<![a-z])(?:{_LATIN}|bytes?|kb|mb|gb|tb|percent)(?![a-z])|%"
    r"|\d ?(?:ms|s|m|h|d|w|kb|mb|gb|tb)(?![a-z0-9])"
    r"|毫秒|秒|分钟|小时|天|日|周|星期|礼拜|个月|月|季|年|字节|位元组"
)
_BARE = re.compile(
    r"\b(?:(?:milli|micro|nano)?seconds|minutes|hours|(?:kilo|mega|giga)bytes)\b|毫秒|秒|分钟|小时"
)
_EVERY_WEEKDAY = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:周|星期|礼拜)[一二三四五六日天]"
)
_AGE = re.compile(r"\bage[ds]?\b|岁|年龄")
# "30 seconds", "thirty seconds", "a few seconds": the unit belongs to a number.
_NUMBER_BEFORE = re.compile(
    r"(?:\d|[〇零一二三四五六七八九十百千万亿两半几数多个整]|\b(?:few|several|many|some)"
    r"|\b[a-z]+(?:ty|teen|en|ve|ne|wo|ee|ur|ix|ght|hundred|thousand)) ?$"
)


@dataclass(frozen=True, slots=True)
class Rate:
    """`unit` is the canonical name in `core.measures`; the words stand at `flat[start:end]`."""

    unit: str
    start: int
    end: int


def find_rates(flat: str) -> list[Rate]:
    """Units behind per, every, each, 每, and the adverbs that mean the same."""
    found = []
    for match in _RATE.finditer(flat):
        if match["adverb"]:
            unit = _ADVERBS[match["adverb"]]
        elif (match["unit"] or "").startswith("quarter"):  # elsewhere a fraction: a quarter of
            unit = "quarter"
        else:
            unit = UNITS[match["unit"] or match["han"].removeprefix("个")].name
        found.append(Rate("minute" if match["unit"] == "m" else unit, match.start(), match.end()))
    return found


def find_bare_units(flat: str) -> list[Rate]:
    """Small units named without a number: "gives the seconds to wait"."""
    return [
        Rate(UNITS[match.group()].name, match.start(), match.end())
        for match in _BARE.finditer(flat)
        if not _NUMBER_BEFORE.search(flat[max(0, match.start() - 12) : match.start()])
    ]


def find_units(flat: str) -> frozenset[str]:
    """Names of all units that occur in any way, adverbs and "an hour" included."""
    names = {
        UNITS[match.group().lstrip("0123456789 ")].name
        for match in _UNIT.finditer(flat)
        if match.group().lstrip("0123456789 ") in UNITS
    }
    if _EVERY_WEEKDAY.search(flat):
        names.add("week")
    if _AGE.search(flat):
        names.add("year")
    return frozenset(names | {rate.unit for rate in find_rates(flat)})
