"""Finds a claim that quotes its source word for word."""

import re
from functools import cached_property

from rag.core.span import Span

# Layout and emphasis say nothing; a claim may wrap its lines otherwise or drop the asterisks.
_IGNORED = re.compile(r"[\s*`|>#]+")
_LONGEST_MARK = 3
_MARKS = re.compile(r"\*{1,3}|`{1,3}")
_MARKS_AT_END = re.compile(rf"(?:{_MARKS.pattern})$")
_LIST_SIGN = re.compile(r"^\s*(?:[-*+•>]|\(?\d{1,3}[.)、])\s+")
_ENDS = " .,;:!?。、…\"'"
_STICKS = re.compile(r"[a-z0-9_]")
_HAN_NUMERAL = frozenset("〇零一二三四五六七八九十百千万亿两")
# A quotation that begins right behind a denial, or a word after it, would turn it round: "no longer
# supports", 不得刪除.
_DENIED = re.compile(
    r"(?:(?:\b(?:not|nor|no|neither|never|cannot|without|unless)|n't)(?: [a-z]+)?"
    r"|[不未无没勿非别][得可能应会要准许须需有曾]?|禁止|严禁)\s*$"
)
_DENIAL_REACH = 20
# Positions of one phrase looked at; beyond this it is no quotation but noise.
_TRIES = 50


class Squeezed:
    """A flat text without layout, to look for quotations in."""

    def __init__(self, flat: str) -> None:
        self._flat = flat
        self._text = _IGNORED.sub("", flat)

    @cached_property
    def _places(self) -> list[int]:
        """Where each character of the squeezed text stands in the flat one."""
        places: list[int] = []
        start = 0
        for gap in [*_IGNORED.finditer(self._flat), None]:
            places.extend(range(start, gap.start() if gap else len(self._flat)))
            start = gap.end() if gap else start
        return places

    def find(self, claim: str) -> Span | None:
        """Where the flat `claim` stands in this text word for word, or None. It must begin and end
        at the edge of a word or number, and not right behind a negation."""
        wanted = _IGNORED.sub("", _LIST_SIGN.sub("", claim)).strip(_ENDS)
        position = self._text.find(wanted) if wanted else -1
        for _ in range(_TRIES):
            if position < 0:
                return None
            start = self._places[position]
            end = self._places[position + len(wanted) - 1] + 1
            if self._is_whole(start, end):
                return self._with_marks(start, end)
            position = self._text.find(wanted, position + 1)
        return None

    def _with_marks(self, start: int, end: int) -> Span:
        """With the marks of emphasis or code around it whose other half is inside."""
        inside = self._flat[start:end]
        before = self._flat[max(0, start - _LONGEST_MARK) : start]
        opening, closing = _MARKS_AT_END.search(before), _MARKS.match(self._flat, end)
        if opening and inside.count(opening.group()) % 2:
            start -= len(opening.group())
        elif closing and inside.count(closing.group()) % 2:
            end = closing.end()
        return Span(start, end)

    def _is_whole(self, start: int, end: int) -> bool:
        flat = self._flat
        before, after = flat[max(0, start - _DENIAL_REACH) : start], flat[end : end + 2]
        if before and (_joined(before[-1], flat[start]) or _DENIED.search(before)):
            return False
        if (
            len(before) > 1
            and flat[start].isdigit()
            and before[-1] in ".,"
            and before[-2].isdigit()
        ):
            return False
        if after and _joined(flat[end - 1], after[0]):
            return False
        return not (
            flat[end - 1].isdigit() and len(after) > 1 and after[0] in ".," and after[1].isdigit()
        )


def _joined(left: str, right: str) -> bool:
    if left in _HAN_NUMERAL and right in _HAN_NUMERAL:
        return True
    return bool(_STICKS.match(left) and _STICKS.match(right))
