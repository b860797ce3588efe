"""Whether something holds before an event or after it: "before the review", "not until the review",
核准前, 核准後.

A denied "before" is turned round: what is not done before the review is done after it. A plain
"until" states none: "locked until" and "not unlocked until" say the same. Reads text flattened by
`core.fold.flatten`.
"""

import re
from typing import NamedTuple

from rag.core.support import cues
from rag.core.words import stem

_ORDER = re.compile(
    r"(?P<side>(?:\bnot|n't|\bcannot)(?: \w+){1,5} (?:until|till)"
    r"|\b(?:before|prior to|after|following))"
    r" (?:(?:the|an?|any|each|every|your|its|their) )?(?P<event>[a-z]+)"
    r"|(?P<han>[一-鿿]{2})(?:之|以)?(?P<han_side>[前后])(?![端台往续])"
)
_EARLIER = frozenset({"before", "prior to", "前"})
# Clauses are shorter than this, in characters; a bound on hostile texts.
_REACH = 200
_CLAUSE = re.compile(r"[^,;.!?。\n]{0,200}(?:[,;.!?。\n]|)")
# 未經核准前: the 未 belongs to the event, which has not happened before it happens.
_OF_EVENT = re.compile(r"未经?(?=[^,;.。]{1,12}前)")

Order = tuple[bool, str]
"""Whether before (else after), and the event, stemmed."""


class Statement(NamedTuple):
    """An order as it is stated at `flat[start:end]`; `turned` by a denial or as it is."""

    start: int
    end: int
    turned: bool


def find_orders(flat: str) -> dict[Order, Statement]:
    """The orders that `flat` states, each where it does so first."""
    found: dict[Order, Statement] = {}
    for match in _ORDER.finditer(flat):
        side = match["side"] or match["han_side"]
        event = stem(match["event"]) if match["event"] else match["han"]
        turned = side in _EARLIER and _is_denied(flat, match)
        earlier = side in _EARLIER and not turned
        found.setdefault((earlier, event), Statement(*match.span(), turned))
    return found


def _is_denied(flat: str, order: re.Match[str]) -> bool:
    """Whether the clause of an order denies, or, where the order opens it, the next: "before the
    review, nothing is sent"."""
    floor = max(0, order.start() - _REACH)
    start = max(floor, *(flat.rfind(sign, floor, order.start()) + 1 for sign in ",;.!?。\n"))
    own = _CLAUSE.match(flat, order.start())
    assert own is not None  # it matches anything
    end = own.end()
    if flat[end - 1 : end] == "," and (following := _CLAUSE.match(flat, end)):
        end = following.end()
    scope = _OF_EVENT.sub(lambda match: " " * len(match.group()), flat[start:end])
    if not cues.NEGATION.occurs(scope):
        return False
    return len(cues.NEGATION.spans(cues.NO_NEGATION.blank(scope))) % 2 == 1
