"""Bounds on a number or a moment: at least, at most, before, after, 最多, 以上, 以內.

Reads text flattened by `core.fold.flatten`.
"""

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache


class Side(Enum):
    """Which side of the number is meant."""

    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Bound:
    """`firm` bounds change a statement by themselves ("at least 30 days" is not "30 days");
    the others ("within", "after") often only restate what the sentence says anyway. Its words
    stand at `flat[start:end]`."""

    side: Side
    firm: bool
    start: int
    end: int


# Between the cue and its number. Names of a limit may be followed by what is limited ("maximum
# upload size is 512"), comparisons stand right before the number ("over 5", not "over the last 5").
_NEAR = r"(?: (?:of|a|an|the|about|roughly|around))* ?"
_FAR = r"[^,;.!?。]{0,30}"
_HAN_NEAR = r"(?:为|是|:|了|约|达|于|新?台币|美金|美元)*[ ]?(?:[$€£]|nt\$|us\$)?"
_HAN_FAR = r"[^,;.!?。\d]{0,8}"
_NOT = r"(?:no|not|never|cannot|can't|n't)(?: be| [a-z]+){0,2}"

_BEFORE: tuple[tuple[Side, bool, str, str], ...] = (
    # Checked in this order: "no more than" before "more than", 不得少于 before 少于.
    (
        Side.UP,
        True,
        rf"{_NOT} (?:less|fewer|lower|shorter|smaller|earlier|younger|sooner) than",
        _NEAR,
    ),
    (Side.UP, True, rf"{_NOT} (?:below|under)", _NEAR),
    (
        Side.DOWN,
        True,
        rf"{_NOT} (?:more|greater|larger|longer|higher|later|older|bigger) than",
        _NEAR,
    ),
    (Side.DOWN, True, rf"{_NOT} (?:over|above|beyond|exceed|exceeding)", _NEAR),
    (
        Side.UP,
        True,
        r"more than|greater than|larger than|longer than|higher than|older than",
        _NEAR,
    ),
    (Side.UP, True, r"over|above|exceed|exceeds|exceeded|exceeding|beyond|upwards? of|>", _NEAR),
    (
        Side.DOWN,
        True,
        r"less than|fewer than|lower than|shorter than|smaller than|younger than",
        _NEAR,
    ),
    (Side.DOWN, True, r"under|below|<", _NEAR),
    (Side.UP, True, r"at (?:the )?(?:very )?least|starting (?:at|from)|>=|≥", _NEAR),
    (Side.DOWN, True, r"at (?:the )?(?:very )?(?:most|latest)|up to|<=|≤", _NEAR),
    (Side.DOWN, True, r"as (?:many|much|long) as|(?:limited|restricted|capped) (?:to|at)", _NEAR),
    (Side.UP, True, r"minimum|min\b\.?|lower limit", _FAR),
    (Side.DOWN, True, r"maximum|max\b\.?", _FAR),
    (Side.DOWN, False, r"limit|cap(?:s|ped|acity)?\b|ceiling", _FAR),
    (
        Side.UP,
        True,
        r"(?:不得|不可|不能|不应|不会|不|没有)[^,;.!?。\d]{0,4}(?:少于|低于|小于|短于|早于)",
        _HAN_NEAR,
    ),
    (
        Side.DOWN,
        True,
        r"(?:不得|不可|不能|不应|不会|不|未|没有)[^,;.!?。\d]{0,4}(?:超过|多于|大于|高于|长于|晚于|逾|超出)",
        _HAN_NEAR,
    ),
    (Side.DOWN, True, "少于|低于|小于|短于|不到|不足|不满|未满|未达", _HAN_NEAR),
    (Side.UP, True, "超过|多于|大于|高于|长于|超出|逾|突破|(?<!年)满", _HAN_NEAR),
    (Side.UP, False, "年满", _HAN_NEAR),
    (Side.UP, True, "至少|最少|最低|最短|最小|起码|下限", _HAN_FAR),
    (Side.DOWN, True, "最多|至多|最高|最长|最大|最迟|最晚|顶多", _HAN_FAR),
    (Side.DOWN, False, "上限|限额|限制", _HAN_FAR),
    (Side.DOWN, False, r"within|in under|inside", _NEAR),
)
_BEFORE_MOMENT: tuple[tuple[Side, bool, str, str], ...] = (
    (Side.UP, True, rf"{_NOT} (?:before|until|till)", r"(?: [a-z]+)? ?"),
    (Side.DOWN, False, r"before|by|until|till|prior to|earlier than|through", r"(?: [a-z]+)? ?"),
    (
        Side.UP,
        False,
        r"after|since|from|as of|later than|following|starting|effective",
        r"(?: [a-z]+)? ?",
    ),
    (Side.UP, False, "自|从|自从", ""),
)
_BEFORE_DURATION: tuple[tuple[Side, bool, str, str], ...] = ((Side.UP, False, r"after", _NEAR),)
_AFTER: tuple[tuple[Side, bool, str, str], ...] = (
    (
        Side.UP,
        True,
        r"[ ]?\+(?!\d)|(?: [a-z]+)?,? (?:or|and) (?:more|above|greater|higher|longer|later|newer|up"
        r"|over|larger)\b|(?: [a-z]+)? (?:minimum|at least|at the least)\b",
        "",
    ),
    (
        Side.DOWN,
        True,
        r"(?: [a-z]+)?,? (?:or|and) (?:less|below|fewer|lower|shorter|earlier|under|older)\b"
        r"|(?: [a-z]+)? (?:maximum|max|at most|at the most)\b",
        "",
    ),
    (Side.UP, True, r" ?[个\w]{0,4}?(?:\(含\))?或?(?:以上|之上|更多|更新|更高|起跳)", ""),
    (Side.DOWN, True, r" ?[个\w]{0,4}?(?:\(含\))?或?(?:以下|之下|更少|更低|为限|为上限)", ""),
    (
        Side.DOWN,
        False,
        r" ?(?:\(含\))?(?:以内|之内|内(?!容|部|存)|以前|之前|前(?!端|往)|止|截止)",
        "",
    ),
    (Side.UP, False, r" ?(?:\(含\))?(?:以后|之后|后(?!端|台)|起|开始)", ""),
)


_Cues = tuple[tuple[Side, bool, re.Pattern[str]], ...]
_AHEAD_FRAME = r"(?<![a-z])(?P<cue>{cue}){gap}$"
_BEHIND_FRAME = r"(?P<cue>{cue}){gap}"


def _compiled(frame: str, rows: tuple[tuple[Side, bool, str, str], ...]) -> _Cues:
    return tuple(
        (side, firm, re.compile(frame.format(cue=f"(?:{cue})", gap=gap)))
        for side, firm, cue, gap in rows
    )


# Most numbers have no bound: one look for any cue spares them all the others, and texts without
# bounds the time to compile them.
_ANY_CUE = re.compile(
    "|".join(cue for _, _, cue, _ in (*_BEFORE, *_BEFORE_MOMENT, *_BEFORE_DURATION))
)
_AFTER_CUES = _compiled(_BEHIND_FRAME, _AFTER)


@cache
def _cues_ahead(*, moment: bool) -> _Cues:
    return _compiled(_AHEAD_FRAME, _BEFORE + (_BEFORE_MOMENT if moment else _BEFORE_DURATION))


# How far before a number its bound may begin: "must not be later than the ..." in characters.
_REACH = 40
# "Max. 5" and "limit: 5" are one clause.
_CLAUSE_END = re.compile(r"[,;!?。](?= )|(?<!\bmin)(?<!\bmax)\.(?= )|[,;!?。，；\n|](?!\d)")


# "3 to 5" is at least three, and at most five; a score of 2-1 is no range.
_FIGURES = r"\d+(?:\.\d+)?"
_HAN_FIGURE = "一二两三四五六七八九十百"
_JOINT = r" ?(?:-|~|to|至|到) ?"
_NUMBER = re.compile(_FIGURES)
_RANGE_BEHIND = re.compile(rf"{_JOINT}(?P<other>{_FIGURES}|[{_HAN_FIGURE}])")
_RANGE_AHEAD = re.compile(rf"(?P<other>{_FIGURES}|[{_HAN_FIGURE}]){_JOINT}$")


def find_bound(flat: str, start: int, end: int, *, moment: bool = False) -> Bound | None:
    """The bound on the number (or, with `moment`, the date or time) at `flat[start:end]`, read from
    the words around it."""
    before = flat[max(0, start - _REACH) : start]
    cut = 0
    for boundary in _CLAUSE_END.finditer(before):
        cut = boundary.end()
    before = before[cut:]
    skipped = start - len(before)
    loose: Bound | None = None
    for side, firm, pattern in _cues_ahead(moment=moment) if _ANY_CUE.search(before) else ():
        if match := pattern.search(before):
            bound = Bound(side, firm, skipped + match.start("cue"), skipped + match.end("cue"))
            if firm:
                return bound
            loose = loose or bound
    for side, firm, pattern in _AFTER_CUES:
        if match := pattern.match(flat, end):
            return Bound(side, firm, *match.span("cue"))
    return loose or (None if moment else _end_of_range(flat, before, start, end))


def _end_of_range(flat: str, before: str, start: int, end: int) -> Bound | None:
    number = _NUMBER.match(flat, start, end)
    match = _RANGE_BEHIND.match(flat, end)
    if match and _ascends(number, match["other"]):
        return Bound(Side.UP, False, *match.span())
    match = _RANGE_AHEAD.search(before)
    if match and _ascends(number, match["other"], falling=True):
        skipped = start - len(before)
        return Bound(Side.DOWN, False, skipped + match.start(), skipped + match.end())
    return None


def _ascends(number: re.Match[str] | None, other: str, *, falling: bool = False) -> bool:
    """Whether `number` comes before `other`, or behind it; taken for granted of Chinese numerals,
    which write no scores."""
    if number is None or other in _HAN_FIGURE:
        return number is None and other in _HAN_FIGURE
    low, high = float(number.group()), float(other)
    return low > high if falling else low < high


_AHEAD = re.compile(r" (?:before|prior to|ahead of|in advance|earlier)\b|前(?!端|往|台)|之前|以前")
_BEHIND = re.compile(r" (?:of|after|following|from|later)\b|后(?!端|台)|之后|以后|内|以内|之内")


def find_anchor(flat: str, end: int) -> Side | None:
    """Whether a duration that ends at `end` runs up to an event (DOWN: "30 days before the trip")
    or starts with it (UP: "within 30 days of the trip")."""
    if _AHEAD.match(flat, end):
        return Side.DOWN
    if _BEHIND.match(flat, end):
        return Side.UP
    return None
