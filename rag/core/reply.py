"""Finds the object in a reply: what stands around it is told apart from it, never mixed up with it.

A reply may hold reasoning, chat-template tokens, code fences and prose around the object, or the
object inside a list, another object or a string. Tags and fences inside the object's own strings
are text and stay.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from rag.core.fences import strip_fences
from rag.core.json_reader import (
    Budget,
    JsonObject,
    JsonValue,
    ReadObject,
    Unread,
    read_object,
)

FIELDS = ("status", "answer", "citations")

# A reply within the contract needs some twenty tokens; one with extra fields, prose and broken
# braces a few hundred. More than this is refused unread, which bounds the time for any reply.
_MOST_TOKENS = 5000
# How often one character may be looked at, by braces tried one after the other.
_MOST_PASSES = 8
# A list in an object in a string: what adapters between a model and this program have been seen to
# wrap. Deeper than this is not looked into.
_DEEPEST_WRAPPER = 4

# What the envelope of a chat message or a tool call says of itself, beside what it carries.
_ENVELOPE = frozenset(
    ("role", "name", "type", "id", "tool", "tool_name", "recipient", "index", "model", "object")
)

_REASONING = r"(?:seed:)?(?:think|thinking|thought|reasoning|reflection|scratchpad)"
_ROLE = r"(?:assistant|model|system|user|tool|developer)"
_EVENT = re.compile(
    rf"""(?=[{{｛◁\ufeff\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|<[\w|｜/]|<</?SYS|\[[/IT])(?:
    (?P<object>[{{｛])
  | (?P<opens><{_REASONING}(?:\s[^<>]{{0,80}})?>|\[THINK\]|◁think▷
      |<\|(?:begin_of_thought|START_THINKING)\|>|<\|channel>(?:thought)?)
  | (?P<closes></{_REASONING}\s*>|\[/THINK\]|◁/think▷
      |<\|(?:end_of_thought|END_THINKING)\|>|<channel\|>)
  | <\|channel\|>(?P<channel>[^<>{{}}]{{0,80}})(?:<\|constrain\|>[^<>{{}}]{{0,40}})?<\|message\|>
  | (?P<token>
        (?:<\|im_start\|>|<\|start\|>|<\|turn>|<start_of_turn>|<\|start_header_id\|>)[ \t]*+{_ROLE}?
      | <\|[\w:▁-]{{1,40}}+\|?>|<[\w:▁-]{{1,40}}+\|>|<｜[^｜<>\s]{{1,40}}+｜>
      | </?s>|<(?:bos|eos|pad|unk|end_of_turn)>|\[/?INST\]|<</?SYS>>)
  | (?P<bom>\ufeff)
  | (?P<control>[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]))
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CLOSES = re.compile(
    rf"</{_REASONING}\s*>|\[/THINK\]|◁/think▷|<\|(?:end_of_thought|END_THINKING)\|>|<channel\|>",
    re.IGNORECASE,
)
_NEXT_CHANNEL = re.compile(r"(?=<\|(?:channel|start)\|>)")


class Candidate(NamedTuple):
    """An object that has a field of the contract."""

    value: JsonObject
    repairs: frozenset[str]


class FoundReply(NamedTuple):
    """What a reply holds. Exactly one candidate, nothing cut or broken, is what can be held to the
    contract."""

    candidates: tuple[Candidate, ...] = ()
    """The objects with a field of the contract, in order, equal ones once."""
    repairs: frozenset[str] = frozenset()
    other_objects: bool = False
    """An object without any field of the contract was read."""
    cut: bool = False
    """The end of the text cuts an object off."""
    broken: bool = False
    """An object of the contract begins that cannot be read on."""


@dataclass
class _Scan:
    """What was met so far outside objects, and the objects met."""

    outer: list[list[str]] = field(default_factory=lambda: [[]])
    """Text before, between and behind the candidates, in pieces: one more than candidates."""
    candidates: list[Candidate] = field(default_factory=list)
    repairs: set[str] = field(default_factory=set)
    other_objects: bool = False
    cut: bool = False
    broken: bool = False


def find_reply(raw: str, depth: int = 0) -> FoundReply:
    """The objects of a reply that could be the contract's, and what stood around them.

    `depth` counts the strings that were opened to get here. Any text, in time linear in its length.
    """
    budget = Budget(_MOST_TOKENS, _MOST_PASSES * len(raw) + 1000)
    scan = _scan(raw, budget, depth)
    if budget.exhausted:
        # What was not read may hold another object, so nothing found so far counts.
        return FoundReply(cut=scan.cut)
    outer = ["".join(pieces) for pieces in scan.outer]
    if not scan.candidates and depth < _DEEPEST_WRAPPER:
        inner = _json_string(outer[0])
        if inner is not None:
            found = find_reply(inner, depth + 1)
            return found._replace(repairs=found.repairs | scan.repairs | {"wrapper"})
    return _settle(scan, outer)


def _scan(raw: str, budget: Budget, depth: int) -> _Scan:
    scan = _Scan()
    place = 0
    while place < len(raw) and not budget.exhausted:
        event = _EVENT.search(raw, place)
        if event is None:
            scan.outer[-1].append(raw[place:])
            break
        scan.outer[-1].append(raw[place : event.start()])
        place = _handle(scan, raw, event, budget, depth)
    return scan


def _handle(scan: _Scan, raw: str, event: re.Match[str], budget: Budget, depth: int) -> int:
    """Take note of one event; where to go on reading."""
    kind = event.lastgroup
    if kind == "object":
        return _handle_object(scan, raw, event.start(), budget, depth)
    if kind == "opens":
        scan.repairs.add("reasoning")
        closing = _CLOSES.search(raw, event.end())
        return len(raw) if closing is None else closing.end()
    if kind == "closes":
        _forget(scan)
        return event.end()
    if kind == "channel":
        scan.repairs.add("control_tokens")
        if event["channel"].strip().lower().startswith("final"):
            return event.end()
        scan.repairs.add("reasoning")
        following = _NEXT_CHANNEL.search(raw, event.end())
        return len(raw) if following is None else following.start()
    scan.repairs.add(
        {"token": "control_tokens", "bom": "bom"}.get(kind or "", "control_characters")
    )
    return event.end()


def _forget(scan: _Scan) -> None:
    """A closing tag whose opening tag was in the prompt: all before it was reasoning."""
    scan.outer[:] = [[]]
    scan.candidates.clear()
    scan.other_objects = scan.cut = scan.broken = False
    scan.repairs = {"reasoning"}


def _handle_object(scan: _Scan, raw: str, start: int, budget: Budget, depth: int) -> int:
    read = read_object(raw, start, budget)
    if isinstance(read, Unread):
        if read.cut and not scan.candidates:
            scan.cut = True
            if _CLOSES.search(raw, start) is None:
                return len(raw)  # whatever comes lies inside the object that is cut off
        if _names_field(read.keys):
            scan.cut |= read.cut
            scan.broken |= not read.cut
        scan.outer[-1].append(raw[start])
        return start + 1
    candidate = _candidate(read, depth)
    if candidate is None:
        scan.other_objects = True
        scan.outer[-1].append(raw[start : read.end])
    else:
        scan.candidates.append(candidate)
        scan.outer.append([])
    return read.end


def _candidate(read: ReadObject, depth: int) -> Candidate | None:
    """The object itself, or the one that it does nothing but wrap."""
    content = _content(read.value)
    if content is not None and (inner := _unwrap(content, depth)) is not None:
        return Candidate(inner.value, read.repairs | inner.repairs | {"wrapper"})
    if _names_field(key for key, _ in read.value.members):
        return Candidate(read.value, read.repairs)
    return None


def _content(value: JsonObject) -> JsonValue:
    """What an envelope carries: the one member that is no label of its own; None without one."""
    carried = [
        item
        for key, item in value.members
        if field_name(key) not in _ENVELOPE or isinstance(item, JsonObject | tuple)
    ]
    return carried[0] if len(carried) == 1 else None


def _unwrap(value: JsonValue, depth: int) -> Candidate | None:
    """The whole contract object that `value` is, holds alone, or spells as a string."""
    for level in range(depth, _DEEPEST_WRAPPER):
        if isinstance(value, JsonObject):
            if {field_name(key) for key, _ in value.members} >= set(FIELDS):
                return Candidate(value, frozenset())
            value = _content(value)
        elif isinstance(value, tuple):
            value = value[0] if len(value) == 1 else None
        elif isinstance(value, str):
            found = find_reply(value, level + 1)
            whole = len(found.candidates) == 1 and not found.cut and not found.broken
            if not whole or "outer_text" in found.repairs:
                return None
            inner = _unwrap(found.candidates[0].value, level + 1)
            return inner and Candidate(inner.value, inner.repairs | found.repairs)
        else:
            return None
    return None


def field_name(key: str) -> str:
    """A key as the contract would write it."""
    return key.strip().lower()


def _names_field(keys: Iterable[str]) -> bool:
    return any(field_name(key) in FIELDS for key in keys)


def _settle(scan: _Scan, outer: list[str]) -> FoundReply:
    """Name what stood around the candidates, and count equal ones once."""
    repairs = scan.repairs
    cut = scan.cut
    if scan.candidates:
        outer, fenced = strip_fences(outer)
        if fenced:
            repairs.add("fence")
        first, *between, last = outer
        if first.endswith("[") and set(between) <= {","}:
            repairs.add("wrapper")
            # A list that is not closed may have been about to name another object.
            cut |= last in ("", ",")
            if last.startswith("]"):
                first, between, last = first[:-1].strip(), [], last[1:].strip()
        if any((first, *between, last)):
            repairs.add("outer_text")
    distinct = {_said(candidate): candidate for candidate in scan.candidates}
    if len(distinct) < len(scan.candidates):
        repairs.add("duplicate_object")
    for candidate in scan.candidates:
        repairs |= candidate.repairs
    return FoundReply(
        tuple(distinct.values()), frozenset(repairs), scan.other_objects, cut, scan.broken
    )


def _said(candidate: Candidate) -> frozenset[tuple[str, JsonValue]]:
    """What of an object counts: two that differ elsewhere say the same."""
    named = ((field_name(key), item) for key, item in candidate.value.members)
    return frozenset((name, item) for name, item in named if name in FIELDS)


def _json_string(text: str) -> str | None:
    """What a reply that is one JSON string spells."""
    text = text.strip("`~ \t\r\n").removeprefix("json").lstrip()
    if not (text.startswith('"') and text.endswith('"') and "{" in text):
        return None
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return None
