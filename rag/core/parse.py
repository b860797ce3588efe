"""A model's reply read into the contract's three fields, and every repair that took.

Repairs cannot change what was said; each is recorded by name. Whatever would have to be guessed is
a violation instead: no status is inferred, no citation added or dropped, nothing cut is closed.
"""

import re
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from rag.core.json_reader import JsonObject, JsonValue
from rag.core.markers import CanonicalText, TooManyMarkersError, canonicalize, read_listed
from rag.core.reply import FIELDS, field_name, find_reply
from rag.core.violations import violation
from rag.domain.answer import Draft, Parsed, Violation

REPAIRS = (
    *("outer_text", "fence", "reasoning", "bom", "control_tokens", "control_characters"),
    *("json_syntax", "wrapper", "duplicate_object", "duplicate_key", "extra_field", "key_case"),
    *("surrogate", "status_case", "status_punctuation"),
    *("marker_width", "marker_case", "marker_padding", "marker_spaces", "marker_invisible"),
    *("marker_brackets", "marker_group", "marker_range"),
    *("citations_string", "citations_objects", "citations_brackets"),
    *("citations_order", "citations_duplicates"),
)
"""Every repair by name, in the order in which a verdict lists them."""

# Around a status only: what a sentence or an emphasis would put there. `?` would change it.
_STATUS_EDGES = " \t\r\n.,;:!。，；：！\"'`*_“”‘’「」"
# Nothing that can be seen or said; left in, they could steer a terminal. Tab and line ends stay.
# The colour codes of a terminal go whole, so that no half of one is left as noise.
_CONTROL = re.compile(r"\x1b\[[\d;]*m|[\x00-\x07\x0b\x0e-\x1f\x7f-\x9f]")
# In an answer these come from one slip only: a path's `\b` or `\f`, its backslash not escaped.
_SWALLOWED_LETTER = re.compile(r"[\x08\x0c]")


# Ends of sentences and lines, and backticks, that an answer may have. A page holds a hundred; a
# reply that ran on for ever is refused before time goes into taking it apart.
_MOST_BREAKS = 2000
_BREAKS = "\n.!?。！？｡`"


Read = TypeVar("Read")


class _Fault(Exception):
    """A field that breaks the schema. Never leaves this module."""

    def __init__(self, name: str, field: str) -> None:
        self.name = name
        self.field = field


class _Listed(NamedTuple):
    """The ids of `citations` as listed, repeated ones included."""

    ids: tuple[str, ...]
    repairs: frozenset[str]


def parse_reply(raw: str, finish_reason: str | None = None, *, language: str = "en") -> Parsed:
    """The draft that `raw` holds, or the violations that prevented one; repairs in order.

    `finish_reason` is the backend's: with `length` the reply is `truncated`, whatever it looks
    like. Never raises; time is linear in the length of `raw`.
    """
    found = find_reply(raw)
    repairs = set(found.repairs)
    violations: list[Violation] = []
    cut = found.cut or finish_reason == "length"
    if cut:
        violations.append(violation("truncated", language))
    if len(found.candidates) > 1 or (found.candidates and found.broken):
        violations.append(violation("multiple_objects", language))
    elif not found.candidates and not found.cut:
        name = "schema.fields" if found.other_objects and not found.broken else "not_json"
        violations.append(violation(name, language))
    if len(found.candidates) != 1 or found.cut or found.broken:
        return Parsed(draft=None, violations=tuple(violations), repairs=_in_order(repairs))
    draft = _read_draft(found.candidates[0].value, repairs, violations, language)
    return Parsed(draft=draft, violations=tuple(violations), repairs=_in_order(repairs))


def _in_order(repairs: set[str]) -> tuple[str, ...]:
    return tuple(name for name in REPAIRS if name in repairs)


def _read_draft(
    value: JsonObject, repairs: set[str], violations: list[Violation], language: str
) -> Draft | None:
    fields, faults = _collect(value, repairs)

    def read(name: str, reader: Callable[[JsonValue, set[str]], Read]) -> Read | None:
        if name not in fields:
            return None
        try:
            return reader(fields[name], repairs)
        except _Fault as fault:
            faults.append(fault)
            return None

    status = read("status", _read_status)
    answer = read("answer", _read_answer)
    listed = read("citations", _read_citations)
    violations += [violation(fault.name, language, field=fault.field) for fault in faults]
    if "status" in fields and status is None:
        violations.append(violation("bad_status", language, value="-"))
    if status is None or answer is None or listed is None:
        return None
    return _draft(status, answer, listed, repairs)


def _draft(status: str, text: CanonicalText, listed: _Listed, repairs: set[str]) -> Draft:
    citations = tuple(dict.fromkeys(listed.ids))
    repairs |= listed.repairs
    if len(citations) < len(listed.ids):
        repairs.add("citations_duplicates")
    if set(citations) == set(text.markers) and citations != text.markers:
        citations = text.markers
        repairs.add("citations_order")
    return Draft(status=status, answer=text.text, citations=citations, spans=text.spans)


class _Collected(NamedTuple):
    fields: dict[str, JsonValue]
    faults: list[_Fault]


def _collect(value: JsonObject, repairs: set[str]) -> _Collected:
    """The contract's fields by name; what is missing or given twice is a fault."""
    fields: dict[str, JsonValue] = {}
    conflicts: dict[str, _Fault] = {}
    for key, item in value.members:
        name = field_name(key)
        if name not in FIELDS:
            repairs.add("extra_field")
            continue
        if name != key:
            repairs.add("key_case")
        if name in fields:
            repairs.add("duplicate_key")
            if fields[name] != item:
                conflicts[name] = _Fault("schema.conflict", name)
        fields[name] = item
    missing = [_Fault("schema.missing", name) for name in FIELDS if name not in fields]
    return _Collected(
        {name: item for name, item in fields.items() if name not in conflicts},
        [*missing, *conflicts.values()],
    )


def _read_status(value: JsonValue, repairs: set[str]) -> str:
    if not isinstance(value, str):
        raise _Fault("schema.type", "status")
    bare = value.strip(_STATUS_EDGES)
    status = bare.lower()
    if status not in ("answered", "insufficient"):
        return value
    if bare != value:
        repairs.add("status_punctuation")
    if status != bare:
        repairs.add("status_case")
    return status


def _read_answer(value: JsonValue, repairs: set[str]) -> CanonicalText:
    if not isinstance(value, str):
        raise _Fault("schema.type", "answer")
    if _SWALLOWED_LETTER.search(value):
        raise _Fault("schema.control", "answer")
    if _is_reply(value):
        raise _Fault("schema.nested", "answer")
    if sum(map(value.count, _BREAKS)) > _MOST_BREAKS:
        raise _Fault("schema.long", "answer")
    clean = _CONTROL.sub("", value)
    if clean != value:
        repairs.add("control_characters")
    try:
        text = canonicalize(clean)
    except TooManyMarkersError:
        raise _Fault("schema.long", "answer") from None
    repairs |= text.repairs
    return text


def _is_reply(answer: str) -> bool:
    """Whether an answer is itself an object of the contract, rather than text that shows one."""
    if not answer.lstrip().startswith(("{", "[", "`", "~", '"')):
        return False
    found = find_reply(answer)
    named = {
        field_name(key) for candidate in found.candidates for key, _ in candidate.value.members
    }
    return "outer_text" not in found.repairs and len(named.intersection(FIELDS)) > 1


def _read_citations(value: JsonValue, repairs: set[str]) -> _Listed:
    found: set[str] = set()
    if isinstance(value, str):
        found.add("citations_string")
        value = _items_of(value)
    if not isinstance(value, tuple):
        raise _Fault("schema.type", "citations")
    ids: list[str] = []
    for item in value:
        if isinstance(item, JsonObject):
            found.add("citations_objects")
            item = _only_id(item)
        if not isinstance(item, str):
            raise _Fault("schema.type", "citations")
        listed = read_listed(item)
        ids += [item] if listed is None else listed.markers
        found |= frozenset() if listed is None else listed.repairs
    return _Listed(tuple(ids), frozenset(found))


def _items_of(text: str) -> tuple[JsonValue, ...]:
    """What a string in the place of the list lists: nothing, ids, or a list spelled out."""
    if not text.strip():
        return ()
    if text.lstrip().startswith("["):
        found = find_reply(f'{{"citations": {text}}}')
        if len(found.candidates) == 1 and not found.repairs:
            (_, spelled), *more = found.candidates[0].value.members
            if isinstance(spelled, tuple) and not more:
                return spelled
    return (text,)


def _only_id(item: JsonObject) -> str:
    """The one id that an object in `citations` holds, whatever the key; else a fault."""
    ids = {
        listed.markers[0]: member
        for _, member in item.members
        if isinstance(member, str)
        and (listed := read_listed(member)) is not None
        and len(listed.markers) == 1
    }
    if len(ids) != 1:
        raise _Fault("schema.type", "citations")
    return next(iter(ids.values()))
