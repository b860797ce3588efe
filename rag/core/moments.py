"""Dates, months, weekdays and clock times, in the ways English and Chinese texts write them.

Reads text flattened by `core.fold.flatten`, with the original beside it where a capital tells the
month May from the verb.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from rag.core.numerals import read_han


@dataclass(frozen=True, slots=True)
class Date:
    """A date as far as it is given. `readings` are (year, month, day), None where not stated; more
    than one where the order of the figures is open (3/1/2026)."""

    readings: tuple[tuple[int | None, int | None, int | None], ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Weekday:
    """Monday is 0."""

    day: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day in minutes after midnight; two where morning or evening is not said."""

    minutes: frozenset[int]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Moments:
    dates: tuple[Date, ...]
    weekdays: tuple[Weekday, ...]
    clocks: tuple[Clock, ...]


_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, start=1)}
_MONTHS |= {name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9}
_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAYS = {name: number for number, name in enumerate(_DAY_NAMES)}
_DAYS |= {name + "s": number for number, name in enumerate(_DAY_NAMES)}
_DAYS |= {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4}
_DAYS |= {"sat": 5, "sun": 6}
_HAN_DAYS = (
    {char: day for day, char in enumerate("一二三四五六")}
    | {"日": 6, "天": 6}
    | {str(day + 1): day for day in range(7)}
)

_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?(?!\d|:\d)"
_YEAR = r"(?P<year>[12]\d{3})(?!\d)"
_MONTH_HINT = r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_N = r"(?:\d{1,4}|[〇零一二三四五六七八九十百廿卅]{1,6})"
_MINGUO = 1911  # year 1 of the Republic is 1912

# Each pattern behind a sign without which it cannot match, looked for first: most texts have no date.
_DATE_PATTERNS = tuple(
    (re.compile(hint), re.compile(pattern))
    for hint, pattern in (
        (
            r"\d",
            r"(?<![\d.\-/])(?P<year>[12]\d{3})(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})"
            r"(?!\d|[-/.]\d)",
        ),
        (
            "年",
            rf"(?P<era>民国)?(?P<year>{_N}) ?年(?:度|(?: ?(?P<month>{_N}) ?月(?:份|底|初)?(?!份)"
            rf"(?: ?(?P<day>{_N}) ?[日号])?))?",
        ),
        ("月", rf"(?P<month>{_N}) ?月(?: ?(?P<day>{_N}) ?[日号]|份|底|初|中旬|上旬|下旬|)"),
        (
            "月",
            rf"(?:每|每个|当|次|同|该|隔|下|上|本)月的?第? ?(?P<day>{_N}) ?[日号]",
        ),
        (_MONTH_HINT, rf"(?<![\d.])(?:the )?{_DAY}(?: of)?[ -]{_MONTH}(?:,?[ -]{_YEAR})?"),
        (_MONTH_HINT, rf"\b{_MONTH} (?:the )?{_DAY}(?:,? {_YEAR})?"),
        (_MONTH_HINT, rf"\b{_MONTH},? {_YEAR}"),
        (
            "/",
            r"(?<![\d/.])(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>[12]\d{3})(?!\d|/)",
        ),
        (
            r"\d-",
            r"(?<![\d\-])(?P<year>[12]\d{3})-(?P<month>0[1-9]|1[0-2])(?![\d\-])",
        ),
        (_MONTH_HINT, rf"\b{_MONTH}(?![a-z0-9])"),
    )
)
_MONTH_ALONE = len(_DATE_PATTERNS) - 1
# "may" and "march" are verbs; a month alone has a capital and often a word of time before it.
_VERBS = frozenset({"may", "march"})
_BEFORE_MONTH = re.compile(
    r"\b(?:in|of|by|since|until|till|from|to|before|after|last|next|this|every|each|early|late|mid"
    r"|during|through|and|or|for|between)[ -]$"
)
_BARE_YEAR = re.compile(r"(?<![\w.,/$€£\-])(?P<year>1[5-9]\d\d|20\d\d)(?![\d,.]\d|[\w%/:\-])")

_WEEKDAY = re.compile(
    rf"\b(?P<name>{'|'.join(sorted(_DAYS, key=len, reverse=True))})\b"
    r"|(?:每|本|下|上|隔|当|这)?(?:个)?(?:星期|礼拜|周)(?P<han>[一二三四五六日天1-7])(?![个次年月期间天])"
    r"|(?P<weekend>\bweekends?\b|周末)"
)
_SHORT_DAY = frozenset({"mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun"})
_DAY_RANGE = re.compile(r" ?(?:-|~|to|through|thru|until|至|到) ?")

_PERIOD = r"凌晨|清晨|早上|早晨|上午|中午|正午|下午|傍晚|晚上|晚间|夜间|夜里|深夜|半夜|午夜"
_AFTERNOON = frozenset({"下午", "傍晚", "晚上", "晚间", "夜间", "夜里", "深夜"})
_MORNING = frozenset({"凌晨", "清晨", "早上", "早晨", "上午"})
_CLOCK = re.compile(
    rf"(?P<period>{_PERIOD})?(?:的)? ?"
    r"(?:(?<![\d:.])(?P<hour>[0-2]?\d)(?::(?P<minute>[0-5]\d)(?::[0-5]\d)?(?!\d|:))(?: ?(?P<half>[ap])\.?m\b\.?)?"
    r"|(?<![\d:.])(?P<hour12>1[0-2]|0?[1-9])(?:\.(?P<minute12>[0-5]\d))? ?(?P<half12>[ap])\.?m\b\.?"
    r"|(?<![\d:.])(?P<oclock>1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve) o'clock(?: in the (?P<part>morning|afternoon|evening))?"
    r"|(?P<han>(?<![\d.])\d{1,2}|[零〇一二两三四五六七八九十廿]{1,3}) ?(?P<sign>[点时])(?!间|候|代|数|名|播)"
    r"(?:(?P<quarter>半|[一三]刻|整|钟)|(?P<hanminute>\d{1,2}|[零〇一二三四五六七八九十]{1,3}) ?分?(?!\d|之|钟[内后前]))?)"
    r"|(?P<word>\b(?:noon|midnight)\b|正午|午夜)"
    r"|(?<![\d:.])(?P<lead>1[0-2]|[1-9])(?= ?(?:-|~|to|and|until) ?\d{1,2}(?:[:.]\d\d)? ?[ap]\.?m\b)"
)
_CLOCK_HINT = re.compile(r"\d:\d|\d ?[ap]\.?m|[点时]|o'clock|noon|midnight|正午|午夜")
_HAN_CLOCK_BEFORE = re.compile(
    r"(?:于|在|自|从|至|到|~|-|每天|每日|每[周星期礼拜]{1,2}[一二三四五六日]|前|后|日|号|天) ?$"
)
_HAN_CLOCK_AFTER = re.compile(
    r" ?(?:整|钟|半|前|后|以前|以后|之前|之后|至|到|~|-|起|开始|止|结束|准时)"
)
_O_CLOCK_WORDS = {
    word: hour
    for hour, word in enumerate(
        (
            *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
            *("eleven", "twelve"),
        ),
        start=1,
    )
}
_DAY_MINUTES = 24 * 60


def find_moments(flat: str, original: str) -> Moments:
    """Everything in `flat` that names a date, a weekday or a time of day."""
    dates = _dates(flat, original)
    return Moments(dates, _weekdays(flat, original), _clocks(flat, dates))


def _dates(flat: str, original: str) -> tuple[Date, ...]:
    found: list[Date] = []
    taken = bytearray(len(flat) + 1)
    for number, (hint, pattern) in enumerate(_DATE_PATTERNS):
        if not hint.search(flat):
            continue
        for match in pattern.finditer(flat):
            start, end = match.span()
            if any(taken[start:end]):
                continue
            if number == _MONTH_ALONE and not _is_month(flat, original, match):
                continue
            readings = _date_readings(match)
            if not readings:
                continue
            taken[start:end] = b"\1" * (end - start)
            found.append(Date(readings, start, end))
    return tuple(sorted(found, key=lambda date: date.start))


def _is_month(flat: str, original: str, match: re.Match[str]) -> bool:
    name = match["month"]
    if not original[match.start()].isupper():
        return False
    before = flat[max(0, match.start() - 10) : match.start()]
    in_time = _BEFORE_MONTH.search(before) is not None
    if name == "sept" or (len(name) == 3 and name != "may"):
        return match.group().endswith(".") and in_time
    return in_time or name not in _VERBS


def _date_readings(match: re.Match[str]) -> tuple[tuple[int | None, int | None, int | None], ...]:
    groups = match.groupdict()
    if "first" in groups:
        first, second, year = int(groups["first"]), int(groups["second"]), int(groups["year"])
        pairs = {(first, second), (second, first)}
        return tuple(
            (year, month, day) for month, day in sorted(pairs) if month <= 12 and day <= 31
        )
    year = _number(groups.get("year"))
    month_text = groups.get("month")
    month = _MONTHS.get(month_text) or _number(month_text) if month_text else None
    day = _number(groups.get("day"))
    if year is not None and "era" in groups:
        if groups["era"] or (80 <= year < 200 and month):
            year += _MINGUO
        elif year < 1000 or year > 2999:
            return ()  # 十二年 lasts; it names no year
    if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
        return ()
    return ((year, month, day),)


def _number(text: str | None) -> int | None:
    if not text:
        return None
    if text.isdigit() and text.isascii():
        return int(text)
    value = read_han(text)
    return None if value is None or value != Fraction(int(value)) else int(value)


def bare_years(flat: str, taken: Iterable[Date]) -> list[Date]:
    """Four figures that can only be a year, where no date holds them: "since 1998"."""
    inside = _Spans(taken)
    return [
        Date(((int(match["year"]), None, None),), match.start(), match.end())
        for match in _BARE_YEAR.finditer(flat)
        if not inside.overlap(match.start(), match.end())
    ]


class _Spans:
    """Dates in order, to ask whether something lies inside one."""

    def __init__(self, dates: Iterable[Date]) -> None:
        self._spans = [(date.start, date.end) for date in dates]
        self._starts = [start for start, _ in self._spans]

    def overlap(self, start: int, end: int) -> bool:
        before = bisect_left(self._starts, end) - 1
        return before >= 0 and self._spans[before][1] > start


def _weekdays(flat: str, original: str) -> tuple[Weekday, ...]:
    found: list[Weekday] = []
    for match in _WEEKDAY.finditer(flat):
        start, end = match.span()
        if match["weekend"]:
            found += [Weekday(5, start, end), Weekday(6, start, end)]
            continue
        name = match["name"]
        if name:
            if name in _SHORT_DAY and not original[start].isupper():
                continue
            day = _DAYS[name]
        else:
            day = _HAN_DAYS[match["han"]]
        if found and _DAY_RANGE.fullmatch(flat, found[-1].end, start):
            first = found[-1].day
            between = (day - first - 1) % 7
            found += [Weekday((first + step) % 7, start, start) for step in range(1, between + 1)]
        found.append(Weekday(day, start, end))
    return tuple(found)


def _clocks(flat: str, dates: tuple[Date, ...]) -> tuple[Clock, ...]:
    found: list[Clock] = []
    if not _CLOCK_HINT.search(flat):
        return ()
    inside = _Spans(dates)
    period_before = ""
    for match in _CLOCK.finditer(flat):
        clock = _clock_minutes(flat, match, period_before if _follows(flat, found, match) else "")
        if clock is None:
            continue
        start, end = match.span()
        while start < end and flat[start] == " ":
            start += 1
        if inside.overlap(start, end):
            continue
        period_before = match["period"] or ""
        found.append(Clock(clock, start, end))
    return _with_shared_half(flat, found)


def _follows(flat: str, found: list[Clock], match: re.Match[str]) -> bool:
    return bool(found) and _DAY_RANGE.fullmatch(flat, found[-1].end, match.start()) is not None


def _clock_minutes(flat: str, match: re.Match[str], period_before: str) -> frozenset[int] | None:
    if word := match["word"]:
        return frozenset({12 * 60}) if word in ("noon", "正午") else frozenset({0, _DAY_MINUTES})
    period = match["period"] or ""
    if match["lead"]:
        return _on_half(int(match["lead"]), 0, "")
    if match["hour12"]:
        return _on_half(int(match["hour12"]), int(match["minute12"] or 0), match["half12"])
    if match["oclock"]:
        text = match["oclock"]
        half = {"morning": "a", "afternoon": "p", "evening": "p"}.get(match["part"] or "", "")
        return _on_half(_O_CLOCK_WORDS.get(text) or int(text), 0, half)
    if match["hour"]:
        hour, minute = int(match["hour"]), int(match["minute"])
        if hour > 24:
            return None
        half = match["half"] or _half_of(period, hour)
        if not half and (match["hour"].startswith("0") or hour > 12 or hour == 0):
            return frozenset({hour * 60 + minute})
        return _on_half(hour, minute, half)
    hour = _number(match["han"]) or 0
    if hour > 24 or flat[max(0, match.start() - 1) : match.start()] == "第":
        return None
    if match["sign"] == "时" and not period and not match["hanminute"]:
        return None  # 三時 is no usual clock time on its own, and 小時 none at all
    is_clock = (
        period
        or match["quarter"]
        or match.group().endswith("分")
        or _HAN_CLOCK_BEFORE.search(flat[max(0, match.start() - 6) : match.start()])
        or _HAN_CLOCK_AFTER.match(flat, match.end())
    )
    if not is_clock:
        return None
    minute = {"半": 30, "一刻": 15, "三刻": 45}.get(match["quarter"] or "", 0)
    if match["hanminute"]:
        minute = _number(match["hanminute"]) or 0
    half = _half_of(period, hour) or _half_of(period_before, hour)
    return _on_half(hour, minute, half) if minute < 60 else None


def _half_of(period: str, hour: int) -> str:
    if period in _MORNING:
        return "a"
    if period in _AFTERNOON:
        return "p"
    if period in ("中午", "正午"):
        return "p" if hour in (12, 1, 2) else "a"
    if period in ("半夜", "午夜"):
        return "a"
    return ""


def _on_half(hour: int, minute: int, half: str) -> frozenset[int]:
    if hour > 12 or hour == 0:
        return frozenset({hour % 24 * 60 + minute})
    morning = hour % 12 * 60 + minute
    if half == "a":
        return frozenset({morning})
    if half == "p":
        return frozenset({morning + 12 * 60})
    return frozenset({morning, morning + 12 * 60})


def _with_shared_half(flat: str, found: list[Clock]) -> tuple[Clock, ...]:
    """In "9-11 am" the first is morning too, unless that would turn the range round."""
    for position in range(len(found) - 1):
        first, second = found[position], found[position + 1]
        if len(first.minutes) == 2 and len(second.minutes) == 1:
            if _DAY_RANGE.fullmatch(flat, first.end, second.start):
                (end,) = second.minutes
                earlier = frozenset(minute for minute in first.minutes if minute < end)
                kept = frozenset({max(earlier)}) if earlier else first.minutes
                found[position] = Clock(kept, first.start, first.end)
    return tuple(found)
