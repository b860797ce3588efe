"""Times of day, in the ways English and Chinese texts write them.

Reads text flattened by `core.fold.flatten`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.core.support.dates import RANGE, Date, DateSpans, small_number


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day in minutes after midnight; two where morning or evening is not said."""

    minutes: frozenset[int]
    start: int
    end: int


_PERIOD = r"凌晨|清晨|早上|早晨|上午|中午|正午|下午|傍晚|晚上|晚间|夜间|夜里|深夜|半夜|午夜"
_AFTERNOON = frozenset({"下午", "傍晚", "晚上", "晚间", "夜间", "夜里", "深夜"})
_MORNING = frozenset({"凌晨", "清晨", "早上", "早晨", "上午"})
_HOUR_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_FIGURE = r"(?<![\d:.])"
_PREPOSITIONS = ("at", "by", "until", "till", "from", "to", "before", "after", "since", "around")
_BEFORE_HOUR = "|".join(rf"(?<=\b{word} )" for word in _PREPOSITIONS)
_DAY_PARTS = {"morning": "a", "afternoon": "p", "evening": "p"}
_HALF = r" ?(?P<{name}>[ap])\.?m\b\.?"
_CLOCK = re.compile(
    rf"(?P<period>{_PERIOD})?的? ?"
    # 22:00, 9:30 pm
    rf"(?:{_FIGURE}(?P<hour>[0-2]?\d)(?::(?P<minute>[0-5]\d)(?::[0-5]\d)?(?!\d|:))"
    rf"(?:{_HALF.format(name='half')})?"
    # 9 am, 9.30 pm
    rf"|{_FIGURE}(?P<hour12>1[0-2]|0?[1-9])(?:\.(?P<minute12>[0-5]\d))?{_HALF.format(name='half12')}"
    # ten o'clock in the evening
    rf"|{_FIGURE}(?P<oclock>1[0-2]|[1-9]|{_HOUR_WORDS}) o'clock"
    r"(?: in the (?P<part>morning|afternoon|evening))?"
    # at two in the morning; "take two in the morning" is no time
    rf"|(?:{_BEFORE_HOUR})(?P<bare>1[0-2]|[1-9]|{_HOUR_WORDS}) in the "
    r"(?P<day_part>morning|afternoon|evening)\b"
    # 十點, 9點30分, 三時一刻
    r"|(?P<han>(?<![\d.])\d{1,2}|[零〇一二两三四五六七八九十廿]{1,3}) ?"
    r"(?P<sign>[点时])(?!间|候|代|数|名|播)(?:(?P<quarter>半|[一三]刻|整|钟)"
    r"|(?P<hanminute>\d{1,2}|[零〇一二三四五六七八九十]{1,3}) ?分?(?!\d|之|钟[内后前]))?)"
    # half past three, a quarter to nine
    rf"|\b(?P<part_of>half past|quarter past|quarter to) (?P<past>1[0-2]|[1-9]|{_HOUR_WORDS})\b"
    r"|(?P<word>\b(?:noon|midnight)\b|正午|午夜)"
    # the 9 of "9-11 am"
    rf"|{_FIGURE}(?P<lead>1[0-2]|[1-9])"
    r"(?= ?(?:-|~|to|and|until) ?\d{1,2}(?:[:.]\d\d)? ?[ap]\.?m\b)"
)
_CLOCK_HINT = re.compile(
    r"\d:\d|\d ?[ap]\.?m|[点时]|o'clock|noon|midnight|正午|午夜|half past|quarter (?:to|past)"
    r"|in the (?:morning|afternoon|evening)"
)
_HAN_CLOCK_BEFORE = re.compile(
    r"(?:于|在|自|从|至|到|~|-|每天|每日|[周期拜][一二三四五六日]|前|后|日|号|天) ?$"
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


def find_clocks(flat: str, dates: Sequence[Date]) -> tuple[Clock, ...]:
    """Times of day by position; what lies inside one of `dates` is left out."""
    found: list[Clock] = []
    if not _CLOCK_HINT.search(flat):
        return ()
    inside = DateSpans(dates)
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
    return bool(found) and RANGE.fullmatch(flat, found[-1].end, match.start()) is not None


def _clock_minutes(flat: str, match: re.Match[str], period_before: str) -> frozenset[int] | None:
    if word := match["word"]:
        return frozenset({12 * 60}) if word in ("noon", "正午") else frozenset({0, _DAY_MINUTES})
    period = match["period"] or ""
    if match["lead"]:
        return _on_half(int(match["lead"]), 0, "")
    if match["hour12"]:
        return _on_half(int(match["hour12"]), int(match["minute12"] or 0), match["half12"])
    if match["part_of"]:
        hour = _O_CLOCK_WORDS.get(match["past"]) or int(match["past"])
        minute = {"half past": 30, "quarter past": 15, "quarter to": -15}[match["part_of"]]
        return frozenset((at + minute) % _DAY_MINUTES for at in _on_half(hour, 0, ""))
    if text := match["oclock"] or match["bare"]:
        half = _DAY_PARTS.get(match["part"] or match["day_part"] or "", "")
        return _on_half(_O_CLOCK_WORDS.get(text) or int(text), 0, half)
    if match["hour"]:
        hour, minute = int(match["hour"]), int(match["minute"])
        if hour > 24:
            return None
        half = match["half"] or _half_of(period, hour)
        if not half and (match["hour"].startswith("0") or hour > 12 or hour == 0):
            return frozenset({hour * 60 + minute})
        return _on_half(hour, minute, half)
    hour = small_number(match["han"]) or 0
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
        minute = small_number(match["hanminute"]) or 0
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
        if len(first.minutes) != 2 or len(second.minutes) != 1:
            continue
        if RANGE.fullmatch(flat, first.end, second.start):
            (end,) = second.minutes
            earlier = frozenset(minute for minute in first.minutes if minute < end)
            kept = frozenset({max(earlier)}) if earlier else first.minutes
            found[position] = Clock(kept, first.start, first.end)
    return tuple(found)
