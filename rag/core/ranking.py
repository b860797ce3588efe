"""The guard of the reranker: any reply and any n give a permutation of 0..n-1, or a reason.

Nothing is guessed: a label is no id, a title is no id, an order that counts from one is not
shifted. What was dropped is counted, what is missing is appended in first-stage order.
"""

import html
import json
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from rag.core.ranking_tokens import (
    MINUS,
    Budget,
    Elision,
    Item,
    Listing,
    Mark,
    Number,
    Record,
    Text,
    read_marks,
    visible,
)
from rag.domain.ranking import Ranking, RankingCounts, RankingForm, RankingMode, RankingRefusal

PARSER_VERSION = "ranking-2"
"""Raise it whenever the same reply may be read another way: cached rankings are then made anew."""

# Keys of an object that hold the ranking, the surest first. Compared without case, spaces and
# joining signs.
_LIST_KEYS = (
    "ranking",
    "rankings",
    "ranked",
    "rankedids",
    "rankedlist",
    "rankedjsonarray",
    "order",
    "ids",
    "results",
    "result",
    "documents",
    "passages",
    "indices",
    "indexes",
    "answer",
    "output",
)
_ID_KEYS = (
    "id",
    "index",
    "idx",
    "docid",
    "documentid",
    "passageid",
    "candidateid",
    "chunkid",
    "document",
    "doc",
    "passage",
    "candidate",
)
_SCORE_KEYS = ("score", "relevancescore", "relevance")
_REASON_KEYS = ("reason", "explanation", "rationale")
# A JSON schema sent back instead of data: its lists are bounds and names, not ids.
_SCHEMA_TYPES = ("array", "object", "integer", "number", "string")
# Objects around the list, and lists spelt as strings, deeper than any wrapper seen.
_DEEPEST = 4
# Digits of an id, zeros in front of it included. What is longer is no id of any list.
_LONGEST_NUMBER = 100
_BEYOND: int = 10**_LONGEST_NUMBER
# Tokens that the list itself needs for each candidate (an id, a comma and a space; an object with
# three members), and tokens for all around it, where a run of prose is one. A long reply with a
# second list has some hundred; what comes after these many is not read.
_ELEMENT_TOKENS = {"ids": 4, "scored": 40}
_PROSE_TOKENS = 2000
# A token takes two to four microseconds: this bounds any reply for any n to some 30 ms.
_MOST_TOKENS = 8000
_JSON_SPACE = str.maketrans("", "", " \t\r\n")
_NOT_IN_KEY = re.compile(r"[\s_-]+")


class _Found(NamedTuple):
    """A list that may be the ranking."""

    items: tuple[Item, ...]
    keyed: bool = False
    """It stood in an object under a key that names a ranking."""
    cited: bool = False
    """One id in brackets within a sentence: a reference to a passage, not a ranking."""
    leading: bool = False


class _Read(NamedTuple):
    """The elements of one list, read as ids."""

    integers: tuple[int, ...]
    """All of them, in or out of range."""
    kept: tuple[int, ...]
    counts: RankingCounts
    scores: dict[int, float | None]
    reasons: dict[int, str]


def parse_ranking(
    reply: str, n: int, mode: RankingMode = "ids", form: RankingForm = "array"
) -> Ranking:
    """The order that `reply` gives to the candidates 0..n-1, or why it gives none.

    `form` is what the prompt asked for; both are read, but only that one is clean. Never raises,
    and takes time linear in the reply.
    """
    if not visible(reply).strip():
        return _refused("empty", n, RankingCounts(missing=n))
    found: list[_Found] = []
    read = _read((), n)
    budget = Budget(min(_PROSE_TOKENS + _ELEMENT_TOKENS[mode] * n, _MOST_TOKENS))
    for text in _spellings(reply):
        found = _candidates(read_marks(text, budget), budget)
        chosen = _choose(found, n)
        if chosen is not None:
            read = _read(chosen.items, n)
            if read.kept or _one_based(read.integers, n):
                break
    return _judge(reply, found, read, n, mode, form)


def _judge(
    reply: str, found: list[_Found], read: _Read, n: int, mode: RankingMode, form: RankingForm
) -> Ranking:
    reason: RankingRefusal | None = None
    clean = False
    if _one_based(read.integers, n):
        reason = "one_based"
    elif not read.kept:
        lists = [one for one in found if not one.cited]
        filled = any(one.items for one in lists)
        reason = "no_valid_ids" if filled else "empty_array" if lists else "no_array"
    else:
        clean = _is_clean(reply, read, mode, form)
        if mode == "scored" and _uninformative(read):
            reason = "uninformative_scores"
    if reason is not None:
        return _refused(reason, n, read.counts, clean=clean)
    kept = read.kept
    if mode == "scored":
        kept = tuple(sorted(kept, key=lambda i: (-_or_below(read.scores[i]), i)))
    listed = set(kept)
    return Ranking(
        accept=True,
        order=kept + tuple(i for i in range(n) if i not in listed),
        kept=kept,
        clean=clean,
        scores=tuple((i, read.scores[i]) for i in kept) if mode == "scored" else None,
        reasons=read.reasons,
        counts=read.counts,
    )


def _or_below(score: float | None) -> float:
    """A score to sort by: none comes below every score."""
    return -1.0 if score is None else score


def _refused(
    reason: RankingRefusal, n: int, counts: RankingCounts, *, clean: bool = False
) -> Ranking:
    return Ranking(accept=False, order=tuple(range(n)), clean=clean, reason=reason, counts=counts)


# Which list -------------------------------------------------------------------------------------


def _spellings(reply: str) -> Iterator[str]:
    """The reply, then what it says if it was escaped once too often."""
    text = visible(reply)
    yield text
    if "&" in text:
        yield html.unescape(text)
    if "\\" in text:
        yield text.replace("\\n", "\n").replace('\\"', '"').replace("\\'", "'")


def _candidates(marks: Sequence[Mark], budget: Budget, depth: int = 0) -> list[_Found]:
    """Every list of the reply, in order."""
    if (bare := _bare_list(marks)) is not None:
        return [_Found(bare, leading=True)]
    found: list[_Found] = []
    chained = _chains(marks)
    first = next((i for i, mark in enumerate(marks) if mark.kind not in ("newline", "chain")), -1)
    records = [mark.item for mark in marks if isinstance(mark.item, Record)]
    for place, mark in enumerate(marks):
        leading = place == first
        if place in chained:
            found += [_Found(chain, leading=leading) for chain in chained[place]]
        elif isinstance(mark.item, Listing):
            cited = _is_single(mark.item) and not _stands_alone(marks, place)
            found.append(_Found(mark.item.items, cited=cited, leading=leading and not cited))
        elif isinstance(mark.item, Record):
            found += [one._replace(leading=leading) for one in _lists_of(mark.item, budget, depth)]
    if not found and len(records) > 1:
        # One object a line, without the list around them.
        found.append(_Found(tuple(records), leading=True))
    return found


def _choose(found: Sequence[_Found], n: int) -> _Found | None:
    """The list that the reply means: one at its start, else one under a key that names it, else
    the one with most ids, ties to the last. A list of all ids in order is an echo of the question
    when another list follows."""
    sizes = [len(_read(one.items, n).kept) for one in found]
    eligible = [i for i, one in enumerate(found) if not one.cited]
    for i in eligible:
        if found[i].leading and (sizes[i] or not found[i].items):
            return found[i]
    pool = [i for i in eligible if found[i].keyed and sizes[i]] or eligible
    last_of_many = max((i for i in pool if sizes[i] > 1), default=-1)
    pool = [i for i in pool if i >= last_of_many or not _is_echo(found[i].items, n)]
    best = max(pool, key=lambda i: (sizes[i], i), default=None)
    return None if best is None else found[best]


def _bare_list(marks: Sequence[Mark]) -> tuple[Item, ...] | None:
    """Ids without the brackets of a list, when the reply is nothing else: `2, 0, 1`, one a line,
    bulleted, or each in brackets of its own. Numbers in front of lines, with a dot, are ordinals;
    without ids in brackets they must count 1, 2, 3, or they could be ids themselves."""
    kinds = {mark.kind for mark in marks}
    if kinds & {"prose", "record"}:
        return None
    lists = [mark.item for mark in marks if isinstance(mark.item, Listing)]
    if lists:
        if len(lists) < 2 or "number" in kinds or not all(map(_is_single, lists)):
            return None
        return _joined(lists)
    numbers = [mark.item for mark in marks if mark.kind == "number" and mark.item is not None]
    ordinals = [mark.item for mark in marks if mark.kind == "ordinal"]
    if len(numbers) < 2:
        return None
    if ordinals:
        content = [mark.kind for mark in marks if mark.kind in ("ordinal", "number")]
        counted = [Number(str(place)) for place in range(1, len(numbers) + 1)]
        if content != ["ordinal", "number"] * len(numbers) or ordinals != counted:
            return None
    return tuple(numbers)


def _chains(marks: Sequence[Mark]) -> dict[int, list[tuple[Item, ...]]]:
    """`[2] > [0] > [1]`, or `[2] > [0, 1]`: the joined ids at the place of the first, nothing at
    the others'. A list in front of the sign is an order of its own (`[0, 1] -> [1, 0]`)."""
    places = [i for i, mark in enumerate(marks) if mark.kind != "newline"]
    chains: dict[int, list[tuple[Item, ...]]] = {}
    run: list[int] = []
    for position, place in enumerate(places):
        item = marks[place].item
        if not isinstance(item, Listing):
            continue
        signed = position > 1 and marks[places[position - 1]].kind == "chain"
        if not (signed and run and places[position - 2] == run[-1]):
            run = []
        if run or _is_single(item):
            run.append(place)
        if len(run) > 1:
            chains.update({member: [] for member in run[1:]})
            chains[run[0]] = [_joined(marks[member].item for member in run)]
        if not _is_single(item):
            run = []
    return chains


def _joined(lists: Iterable[Item | None]) -> tuple[Item, ...]:
    return tuple(item for one in lists if isinstance(one, Listing) for item in one.items)


def _is_single(listing: Listing) -> bool:
    return len(listing.items) == 1 and isinstance(listing.items[0], Number)


def _stands_alone(marks: Sequence[Mark], place: int) -> bool:
    """Nothing else on its line but what announces it."""
    before = marks[place - 1] if place else None
    after = marks[place + 1] if place + 1 < len(marks) else None
    return (before is None or before.kind in ("newline", "chain") or before.announces) and (
        after is None or after.kind == "newline"
    )


def _is_echo(items: Sequence[Item], n: int) -> bool:
    read = _read(items, n)
    return len(items) == n and read.kept == tuple(range(n))


def _lists_of(record: Record, budget: Budget, depth: int) -> list[_Found]:
    """The list that an object holds under the surest key, else the only one in it. An object with
    several lists under unknown keys says nothing."""
    if _is_schema(record):
        return []
    members = {_key(name): item for name, item in reversed(record.members)}
    for key in _LIST_KEYS:
        item = members.get(key)
        if isinstance(item, Listing):
            return [_Found(item.items, keyed=True)]
        if isinstance(item, Text) and depth < _DEEPEST:
            spelt = _candidates(read_marks(item.value, budget), budget, depth + 1)
            if spelt:
                return [one._replace(keyed=True) for one in spelt]
        if isinstance(item, Record) and depth < _DEEPEST:
            return _lists_of(item, budget, depth + 1)
    lists = [_Found(item.items) for item in members.values() if isinstance(item, Listing)]
    for item in members.values():
        if isinstance(item, Record) and depth < _DEEPEST:
            lists += _lists_of(item, budget, depth + 1)
    return lists if len(lists) == 1 else []


def _is_schema(record: Record) -> bool:
    return any(
        _key(name) == "type" and isinstance(item, Text) and item.value in _SCHEMA_TYPES
        for name, item in record.members
    )


def _key(name: str) -> str:
    return _NOT_IN_KEY.sub("", name).casefold()


# What it holds ----------------------------------------------------------------------------------


def _read(items: Iterable[Item], n: int) -> _Read:
    integers: list[int] = []
    scores: dict[int, float | None] = {}
    reasons: dict[int, str] = {}
    dropped = {"out_of_range": 0, "duplicates": 0, "invalid": 0}
    elided = False
    for item in items:
        # What comes behind dots has a place, but nobody knows which.
        elided = elided or _is_elision(item)
        integer = None if elided else _integer(item, n)
        if integer is None:
            dropped["invalid"] += 1
            continue
        integers.append(integer)
        if not 0 <= integer < n:
            dropped["out_of_range"] += 1
        elif integer in scores:
            dropped["duplicates"] += 1
        else:
            scores[integer] = _score(item)
            if (remark := _remark(item)) is not None:
                reasons[integer] = remark
    counts = RankingCounts(**dropped, missing=n - len(scores))
    return _Read(tuple(integers), tuple(scores), counts, scores, reasons)


def _is_elision(item: Item) -> bool:
    return isinstance(item, Elision) or (
        isinstance(item, Text) and bool(item.value) and not item.value.strip(" .…⋯")
    )


def _integer(item: Item | None, n: int) -> int | None:
    """The id that an element of a list stands for; None when it is none."""
    if isinstance(item, Record):
        value = _member(item, _ID_KEYS)
        return None if isinstance(value, Record) else _integer(value, n)
    if isinstance(item, Text):
        return _whole(_unescaped(item.value).strip(), fractions=False)
    if not isinstance(item, Number):
        return None
    whole = _whole(item.written)
    half = item.cut and whole is not None and whole > 0 and whole * 10 < n
    return None if half else whole


def _whole(written: str, *, fractions: bool = True) -> int | None:
    """The integer written, in the digits of any script; `_BEYOND` for one that is too long."""
    sign = -1 if written[:1] and written[0] in MINUS else 1
    digits = written[1:] if written[:1] and written[0] in f"{MINUS}+＋" else written
    if digits.isdecimal():
        return sign * int(digits) if len(digits) <= _LONGEST_NUMBER else _BEYOND
    if digits.isdigit() and len(digits) <= _LONGEST_NUMBER:  # superscripts and their like
        return sign * int("".join(str(unicodedata.digit(char)) for char in digits))
    if len(digits) == 1 and unicodedata.category(digits) == "No":  # one sign, such as a circled 10
        value: float = unicodedata.numeric(digits)
        return sign * int(value) if value.is_integer() else None
    if not fractions or len(digits) > _LONGEST_NUMBER:
        return None
    try:
        exact = Decimal(digits)
    except InvalidOperation:
        return None
    if exact.adjusted() > _LONGEST_NUMBER:
        return _BEYOND
    whole = int(exact)
    return sign * whole if whole == exact else None


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text


def _score(item: Item) -> float | None:
    """The score of an element: a finite number in 0..1, plain or as a string."""
    value = _member(item, _SCORE_KEYS)
    written = value.written if isinstance(value, Number) else None
    if isinstance(value, Text):
        written = value.value.strip()
    try:
        score = float(written) if written and "_" not in written else math.nan
    except ValueError:
        return None
    return score if 0 <= score <= 1 else None


def _remark(item: Item) -> str | None:
    value = _member(item, _REASON_KEYS)
    return _unescaped(value.value) if isinstance(value, Text) else None


def _member(item: Item, keys: Sequence[str]) -> Item | None:
    if not isinstance(item, Record):
        return None
    return next((value for key in keys for name, value in item.members if _key(name) == key), None)


# What it is worth -------------------------------------------------------------------------------


def _one_based(integers: Sequence[int], n: int) -> bool:
    """Exactly 1..n, each once: every id is off by one, and shifting them would be a guess."""
    return n > 0 and len(integers) == n and sorted(integers) == list(range(1, n + 1))


def _uninformative(read: _Read) -> bool:
    """No score at all, or the same for all of several candidates."""
    values = set(read.scores.values())
    return values == {None} or (len(read.scores) > 1 and len(values) == 1)


def _is_clean(reply: str, read: _Read, mode: RankingMode, form: RankingForm) -> bool:
    if any(read.counts.model_dump().values()):
        return False
    if mode == "ids":
        canonical = json.dumps(read.kept, separators=(",", ":"))
        asked = canonical if form == "array" else f'{{"ranking":{canonical}}}'
        return reply.translate(_JSON_SPACE) == asked
    try:
        rows = json.loads(reply)
    except (ValueError, RecursionError):
        return False
    if form == "object":
        rows = rows.get("ranking") if isinstance(rows, dict) and len(rows) == 1 else None
    return isinstance(rows, list) and all(
        isinstance(row, dict)
        and type(row.get("id")) is int
        and type(row.get("score")) in (int, float)
        and read.scores[row["id"]] is not None
        for row in rows
    )
