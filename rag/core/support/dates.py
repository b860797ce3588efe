"""Dates, months, years and weekdays, in the ways English and Chinese texts write them.

Reads text flattened by `core.fold.flatten`, with the original beside it where a capital tells the
month May from the verb.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from rag.core.support.numerals import read_han


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
_HAN_NUMBER = re.compile("[〇零一二两三四五六七八九十百廿卅]+")
_MINGUO = 1911  # year 1 of the Republic is 1912

# Each pattern behind a sign that it cannot do without, looked for first: most texts have no date.
_DATE_PATTERNS = tuple(
    (re.compile(hint), re.compile(pattern))
    for hint, pattern in (
        (
            r"\d",
            r"(?<![\d.\-/])(?P<year>[12]\d{3})(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)"
            r"(?P<day>\d{1,2})(?!\d|[-/.]\d)",
        ),
        (
            "年",
            rf"(?P<era>民国)?(?P<year>{_N}) ?年(?!代)(?:度"
            rf"|(?: ?(?P<month>{_N}) ?月(?:份|底|初)?(?!份)(?: ?(?P<day>{_N}) ?[日号])?))?",
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
_BARE_YEAR = re.compile(r"(?<![\w.,/$€£\-])(?P<year>1[5-9]\d\d|20\d\d)(?![\d,.]\d|[\w%/:\-]| 年代)")

_WEEKDAY = re.compile(
    rf"\b(?P<name>{'|'.join(sorted(_DAYS, key=len, reverse=True))})\b"
    r"|(?:每|本|下|上|隔|当|这)?(?:个)?(?:星期|礼拜|周)(?P<han>[一二三四五六日天1-7])(?![个次年月期间天])"
    r"|(?P<weekend>\bweekends?\b|周末)"
)
_SHORT_DAY = frozenset({"mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun"})
RANGE = re.compile(r" ?(?:-|~|to|through|thru|until|至|到) ?")


def find_dates(flat: str, original: str) -> tuple[Date, ...]:
    """Dates by position, as far as each is given; a year alone is left to `bare_years`."""
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
        first, second, stated = int(groups["first"]), int(groups["second"]), int(groups["year"])
        pairs = {(first, second), (second, first)}
        return tuple((stated, one, two) for one, two in sorted(pairs) if one <= 12 and two <= 31)
    year = small_number(groups.get("year"))
    month_text = groups.get("month")
    month = small_number(month_text)
    if month_text in _MONTHS:
        month = _MONTHS[month_text]
    day = small_number(groups.get("day"))
    if year is not None and "era" in groups:
        if groups["era"] or (80 <= year < 200 and month):
            year += _MINGUO
        elif year < 1000 or year > 2999:
            return ()  # 十二年 lasts; it names no year
    if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
        return ()
    return ((year, month, day),)


def small_number(text: str | None) -> int | None:
    """The whole number that `text` writes, in figures or Chinese."""
    if not text:
        return None
    if text.isdigit() and text.isascii():
        return int(text)
    if not _HAN_NUMBER.fullmatch(text):
        return None
    value = read_han(text)
    return None if value is None or value != Fraction(int(value)) else int(value)


def bare_years(flat: str, taken: Iterable[Date]) -> list[Date]:
    """Four figures that can only be a year, where no date holds them: "since 1998"."""
    inside = DateSpans(taken)
    return [
        Date(((int(match["year"]), None, None),), match.start(), match.end())
        for match in _BARE_YEAR.finditer(flat)
        if not inside.overlap(match.start(), match.end())
    ]


@dataclass(frozen=True, slots=True)
class Decade:
    """`year` is the decade's first, without its century (70) where that is not said."""

    year: int
    start: int
    end: int

    def holds(self, year: int | None) -> bool:
        """Whether a year is one of the ten."""
        if year is None:
            return False
        first = year - year % 10
        return self.year == (first if self.year >= 100 else first % 100)

    def agrees(self, other: "Decade") -> bool:
        if self.year >= 100 and other.year >= 100:
            return self.year == other.year
        return self.year % 100 == other.year % 100


_DECADE = re.compile(
    r"(?<![\d.])(?P<years>[12]\d\d0)(?:'?s\b| ?年代)|(?:'|\bthe )(?P<short>\d0)s\b"
    r"|(?:(?P<century>\d{1,2}|[一二三四五六七八九十廿]{1,3}) ?世纪)? ?"
    r"(?P<tens>\d0|[一二三四五六七八九]十) ?年代"
)
_DECADE_HINT = re.compile(r"0'?s\b|年代")


def find_decades(flat: str) -> list[Decade]:
    """The 1970s, 1970年代, 20世紀70年代, 七十年代."""
    if not _DECADE_HINT.search(flat):
        return []
    found = []
    for match in _DECADE.finditer(flat):
        if match["years"]:
            year = int(match["years"])
        else:
            year = small_number(match["short"] or match["tens"]) or 0
            if century := small_number(match["century"]):
                year += 100 * (century - 1)
        found.append(Decade(year, match.start(), match.end()))
    return found


class DateSpans:
    """Dates in order, to ask whether something lies inside one."""

    def __init__(self, dates: Iterable[Date]) -> None:
        self._spans = [(date.start, date.end) for date in dates]
        self._starts = [start for start, _ in self._spans]

    def overlap(self, start: int, end: int) -> bool:
        before = bisect_left(self._starts, end) - 1
        return before >= 0 and self._spans[before][1] > start


def find_weekdays(flat: str, original: str) -> tuple[Weekday, ...]:
    """Weekdays by position; a range such as Monday to Friday has every day in it."""
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
        if found and RANGE.fullmatch(flat, found[-1].end, start):
            first = found[-1].day
            between = (day - first - 1) % 7
            found += [Weekday((first + step) % 7, start, start) for step in range(1, between + 1)]
        found.append(Weekday(day, start, end))
    return tuple(found)
