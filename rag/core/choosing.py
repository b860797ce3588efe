"""Which of the scored units a reply quotes."""

from __future__ import annotations

from collections.abc import Sequence

from rag.core.question import Question, terms, words
from rag.core.quotable import Quotable
from rag.core.source_code import defines

# Up to three units this close to the best: 92 of 100 answers found with 1.6 units a reply; one unit
# finds 83, three always 95.
_MARGIN = 0.04
_MOST = 3
# A question for several things is often answered by several sentences.
_MOST_LISTED = 6
# A list is quoted whole, within reason.
_LONGEST_LIST = 12
# A list below headings that hold half of the question's words is the list asked for, even where
# no entry resembles the question ("Howth, 4 seats" and "Which meeting rooms are there?").
_HEADED = 0.5
# By how much code must be better than prose that answers: half the margin for a second sentence.
_CODE_LEAD = 0.02
# A unit that holds all words of a side may be this much less like the question than one that holds
# none of them; half of that is lost where it speaks of the other side too.
_SIDE = 0.05


def choose(question: Question, found: Sequence[Quotable], scores: Sequence[float]) -> list[int]:
    """Indexes into `found`, in reading order."""
    ranked = sorted(range(len(found)), key=lambda i: (-scores[i], i))
    asked = _asked_for(question, found)
    defined = any(found[i].unit.kind == "code" for i in asked)
    shown = None if defined else _code_to_show(question, found, scores, ranked)
    ranked = [i for i in ranked if i == shown or _may_be_quoted(found, i, asked)] or ranked
    best = ranked[0]
    if question.wants_list and (whole := _list_asked_for(question, found, scores, ranked)):
        return whole
    most = _MOST_LISTED if question.wants_list else _MOST
    chosen = {i for i in ranked[:most] if scores[i] >= scores[best] - _MARGIN}
    chosen.update(best_of_sides(question, found, scores))
    chosen.update([i for i in ranked if i in asked][:1])
    for i in tuple(chosen):
        # A line that introduces something says nothing without it, nor does an item without the
        # line.
        if found[i].unit.leads:
            chosen.update(_list_around(found, i) or _introduced(found, i))
        elif found[i].unit.kind == "item" and (lead := _lead_of(found, i)) is not None:
            chosen.add(lead)
    return sorted(chosen)


def best_of_sides(
    question: Question, found: Sequence[Quotable], scores: Sequence[float]
) -> list[int]:
    """For each side of a comparison the best of the units that speak most of it and not of the
    other; the best of all for none."""
    if question.sides is None:
        return []
    one, other = map(terms, question.sides)
    ranked = sorted(range(len(found)), key=lambda i: (-scores[i], i))
    best: list[int] = []
    for own, foreign in ((one - other or one, other - one), (other - one or other, one - other)):
        best.append(max(ranked, key=lambda i: _side_rank(found[i], scores[i], own, foreign)))
    return best


def _side_rank(
    one: Quotable, score: float, own: frozenset[str], foreign: frozenset[str]
) -> tuple[bool, float]:
    share = len(one.terms & own) / len(own)
    shared = share < 1 and not one.terms.isdisjoint(foreign)
    return share > 0, score + _SIDE * (share - shared / 2)


def _asked_for(question: Question, found: Sequence[Quotable]) -> frozenset[int]:
    """The rows and items that hold an identifier of the question, and the code that defines it:
    their neighbours are about something else however alike they look."""
    return frozenset(
        i
        for i, one in enumerate(found)
        if question.identifiers
        and (
            any(defines(one.unit.code, name) for name in question.identifiers)
            if one.unit.kind == "code"
            else one.unit.kind != "sentence" and words(one.unit.quote) & question.identifiers
        )
    )


def _code_to_show(
    question: Question, found: Sequence[Quotable], scores: Sequence[float], ranked: Sequence[int]
) -> int | None:
    """The best code, where it answers better than any prose: an excerpt shares words with many
    questions that are not about code."""
    code = next((i for i in ranked if found[i].unit.kind == "code"), None)
    prose = next((i for i in ranked if found[i].unit.kind != "code"), None)
    if code is None or prose is None:
        return code
    lead = 0.0 if question.about_code else _CODE_LEAD
    better = scores[prose] < 0 or scores[code] > scores[prose] + lead
    return code if better else None


def _may_be_quoted(found: Sequence[Quotable], i: int, asked: frozenset[int]) -> bool:
    unit = found[i].unit
    if unit.kind == "code":
        return i in asked
    if unit.kind == "sentence":
        return not unit.leads or bool(unit.code or _introduced(found, i))
    return i in asked or all(found[j].unit.kind == "code" for j in asked)


def _list_asked_for(
    question: Question, found: Sequence[Quotable], scores: Sequence[float], ranked: Sequence[int]
) -> list[int]:
    """The list or table with the best entry or, before it, the one below the heading that the
    question names; empty when there is none."""

    def headed(i: int) -> float:
        return len(found[i].above & question.terms) / max(1, len(question.terms))

    # Of another office's rooms the heading says all but the office: a source that holds more of the
    # question's words, or as many and the best sentence, is not passed over.
    speaking = [frozenset[str]()] * (1 + max(one.source for one in found))
    for one in found:
        speaking[one.source] |= one.terms & question.terms
    best = found[ranked[0]].source
    for i in sorted(ranked, key=lambda i: (-headed(i), -scores[i], i)):
        source = found[i].source
        if headed(i) < _HEADED or scores[i] < scores[ranked[0]] - 2 * _MARGIN:
            continue
        if source != best and len(speaking[source]) <= len(speaking[best]):
            continue
        if whole := _list_around(found, i):
            return whole
    return _list_around(found, ranked[0])


def _list_around(found: Sequence[Quotable], i: int) -> list[int]:
    """The list or table that `found[i]` belongs to or introduces, its lead-in first; empty when
    there is none."""
    one = found[i]
    block = one.unit.block + (one.unit.kind == "sentence")
    members = [
        j
        for j, other in enumerate(found)
        if other.source == one.source
        and other.unit.block == block
        and other.unit.kind in ("item", "row")
    ]
    if len(members) < 2:
        return []
    lead = _lead_of(found, members[0])
    return ([lead] if lead is not None else []) + members[:_LONGEST_LIST]


def _introduced(found: Sequence[Quotable], i: int) -> list[int]:
    """The unit right behind a line that introduces it."""
    following = found[i + 1 : i + 2]
    one = found[i]
    return [
        i + 1
        for other in following
        if other.source == one.source and other.unit.block <= one.unit.block + 1
    ]


def _lead_of(found: Sequence[Quotable], i: int) -> int | None:
    """The line that introduces the list of `found[i]`."""
    one = found[i]
    for j in range(i - 1, -1, -1):
        other = found[j]
        if other.source != one.source or other.unit.block < one.unit.block - 1:
            return None
        if other.unit.block == one.unit.block - 1:
            return j if other.unit.leads else None
    return None
