"""Reads one JSON object out of a longer text, with the slips of syntax that have one reading.

Models write Python dictionaries, comments, trailing commas, bare words and curly quotes. Each is
read only where nothing else could be meant; an unescaped quote inside a string, a missing comma or
a missing bracket is not mended, because where the text was to go on is a guess.

No recursion, and never more work than the budget allows.
"""

import json
import re
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple, TypeAlias

from rag.core.plain import well_formed

# A contract object is two levels deep; what a wrapper or an extra field adds stays far below this.
_DEEPEST = 64
# Setting out from a brace takes about as long as four tokens (measured).
_COST_OF_A_TRY = 4


@dataclass(frozen=True, slots=True)
class JsonNumber:
    """A number as it was written. Nothing in the contract is one, so it is never computed."""

    written: str


@dataclass(frozen=True, slots=True)
class JsonObject:
    """Members in order, repeated keys included."""

    members: tuple[tuple[str, "JsonValue"], ...]


JsonValue: TypeAlias = str | bool | JsonNumber | JsonObject | tuple["JsonValue", ...] | None


class ReadObject(NamedTuple):
    """An object that stood at `text[start:end]`, and the repairs its syntax needed."""

    value: JsonObject
    start: int
    end: int
    repairs: frozenset[str]


class Unread(NamedTuple):
    """No object could be read at this brace."""

    cut: bool
    """Everything up to the end of the text was in order: the rest is missing."""
    keys: tuple[str, ...]
    """The outermost keys that were read with their colon."""


@dataclass
class Budget:
    """Work left for one reply, shared by every brace that is tried."""

    tokens: int
    characters: int

    def spend(self, characters: int) -> bool:
        self.tokens -= 1
        self.characters -= characters
        return not self.exhausted

    @property
    def exhausted(self) -> bool:
        return self.tokens < 0 or self.characters < 0


_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r\n]++)
  | (?P<punctuation>[{}\[\]:,])
  | "(?P<string>[^"\\]*+(?:\\.[^"\\]*+)*+)"
  | '(?P<single>[^'\\]*+(?:\\.[^'\\]*+)*+)'
  | “(?P<curly>[^“”\\]*+(?:\\.[^“”\\]*+)*+)”
  | ‘(?P<curly_single>[^‘’\\]*+(?:\\.[^‘’\\]*+)*+)’
  | (?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?(?![\w.]))
  | (?P<odd_number>[-+]?(?:[0-9][0-9_]*+(?:\.[0-9]*+)?|\.[0-9]++|Infinity|NaN)(?![\w.]))
  | (?P<word>[^\W\d]\w*+)
  | (?P<odd_space>\s++|//[^\n]*+|\#[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)
  | (?P<wide>[｛｝［］：，])
    """,
    re.VERBOSE | re.DOTALL,
)
_UNFINISHED = re.compile(r"""["'“‘]|/\*""")
_STRINGS = frozenset(("string", "single", "curly", "curly_single"))
_WIDE_PUNCTUATION = dict(zip("｛｝［］：，", "{}[]:,", strict=True))
# What a bare word means, and whether JSON has it. Any other word is a string without its quotes.
_WORDS: dict[str, tuple[JsonValue, bool]] = {
    "true": (True, True),
    "false": (False, True),
    "null": (None, True),
    "True": (True, False),
    "False": (False, False),
    "None": (None, False),
    "undefined": (None, False),
    "NaN": (JsonNumber("NaN"), False),
    "Infinity": (JsonNumber("Infinity"), False),
}

_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_JSON_ESCAPES = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}
_CONTROL = re.compile(r"[\x00-\x1f]")
_PYTHON_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|[0-9])")


class _Expect(Enum):
    KEY = auto()
    COLON = auto()
    VALUE = auto()
    COMMA = auto()


@dataclass
class _Container:
    """An object or a list that is being read."""

    is_object: bool
    expect: _Expect
    keys: list[str] = field(default_factory=list)
    items: list[JsonValue] = field(default_factory=list)
    after_comma: bool = False

    def value(self) -> JsonValue:
        if self.is_object:
            return JsonObject(tuple(zip(self.keys, self.items, strict=True)))
        return tuple(self.items)


class _Syntax:
    """The grammar as a stack machine. Each `take_...` says whether the token may stand here."""

    def __init__(self) -> None:
        self.outermost = _Container(is_object=True, expect=_Expect.KEY)
        self.stack = [self.outermost]
        self.repairs: set[str] = set()
        self.pending_key = ""

    def take_key(self, key: str) -> bool:
        top = self.stack[-1]
        self.pending_key = key
        top.expect = _Expect.COLON
        top.after_comma = False
        return True

    def take_value(self, value: JsonValue) -> bool:
        top = self.stack[-1]
        if top.expect is not _Expect.VALUE:
            return False
        top.items.append(value)
        top.expect = _Expect.COMMA
        top.after_comma = False
        return True

    def take_sign(self, sign: str) -> bool:
        top = self.stack[-1]
        if sign in "{[":
            return self._open(top, sign == "{")
        if sign in "}]":
            return self._close(top, sign == "}")
        if sign == ":":
            if top.expect is not _Expect.COLON:
                return False
            top.keys.append(self.pending_key)
            top.expect = _Expect.VALUE
            return True
        if top.expect is not _Expect.COMMA:
            return False
        top.expect = _Expect.KEY if top.is_object else _Expect.VALUE
        top.after_comma = True
        return True

    def _open(self, top: _Container, is_object: bool) -> bool:
        if top.expect is not _Expect.VALUE or len(self.stack) == _DEEPEST:
            return False
        self.stack.append(_Container(is_object, _Expect.KEY if is_object else _Expect.VALUE))
        return True

    def _close(self, top: _Container, is_object: bool) -> bool:
        at_start = top.expect is (_Expect.KEY if is_object else _Expect.VALUE)
        complete = len(top.items) == len(top.keys) or not is_object
        if top.is_object is not is_object or not complete:
            return False
        if not (top.expect is _Expect.COMMA or at_start):
            return False
        if top.after_comma:
            self.repairs.add("json_syntax")
        self.stack.pop()
        return not self.stack or self.take_value(top.value())


def read_object(text: str, start: int, budget: Budget) -> ReadObject | Unread:
    """The object that begins at the brace `text[start]`, or why there is none."""
    budget.tokens -= _COST_OF_A_TRY
    syntax = _Syntax()
    if text[start] != "{":
        syntax.repairs.add("json_syntax")
    place = start + 1
    while syntax.stack:
        match = _TOKEN.match(text, place)
        if match is None:
            cut = place >= len(text) or _UNFINISHED.match(text, place) is not None
            budget.spend(len(text) - place if cut else 1)
            return Unread(cut, tuple(syntax.outermost.keys))
        if not (budget.spend(match.end() - place) and _take(syntax, match)):
            return Unread(False, tuple(syntax.outermost.keys))
        place = match.end()
    value = syntax.outermost.value()
    assert isinstance(value, JsonObject)
    return ReadObject(value, start, place, frozenset(syntax.repairs))


def _take(syntax: _Syntax, match: re.Match[str]) -> bool:
    kind = match.lastgroup or ""
    token: str = match[kind]
    if kind == "space":
        return True
    if kind == "punctuation":
        return syntax.take_sign(token)
    if kind not in ("string", "number", "word"):
        syntax.repairs.add("json_syntax")
    if kind == "odd_space":
        return True
    if kind == "wide":
        return syntax.take_sign(_WIDE_PUNCTUATION[token])
    expects_key = syntax.stack[-1].expect is _Expect.KEY
    if kind in _STRINGS:
        text = _decode(token, syntax.repairs)
        if text is None:
            return False
        return syntax.take_key(text) if expects_key else syntax.take_value(text)
    if kind == "word":
        value, strict = (token, False) if expects_key else _WORDS.get(token, (token, False))
        if not strict:
            syntax.repairs.add("json_syntax")
        return syntax.take_key(token) if expects_key else syntax.take_value(value)
    return syntax.take_value(JsonNumber(token))


def _decode(body: str, repairs: set[str]) -> str | None:
    """What stands between two quotes; None when a backslash in it could mean two things."""
    if _CONTROL.search(body):
        repairs.add("control_characters")
    text: str | None = body
    if "\\" in body:
        try:
            text = json.loads(f'"{body}"', strict=False)
        except ValueError:
            text = _unescaped(body, repairs)
    if text is None:
        return None
    # Escaped halves of one character come together here; a half without the other is replaced.
    sound = well_formed(text)
    if sound.count("\ufffd") > text.count("\ufffd"):
        repairs.add("surrogate")
    return sound


def _unescaped(body: str, repairs: set[str]) -> str | None:
    r"""Escapes that JSON lacks: `\'` is the quote, in `\[` and the like the backslash was meant.
    `C:\data` can only mean a backslash while nothing else in the string is escaped: beside a `\n`,
    or where the letter is an escape in other languages, it could be either, and None comes back."""
    escapes = set(_ESCAPE.findall(body))
    odd = {escape for escape in escapes if len(escape) == 1 and escape not in _JSON_ESCAPES}
    if odd:
        repairs.add("json_syntax")
    letters = any(escape.isalnum() for escape in odd)
    meant = escapes - odd - {'"', "/"}
    if "\n" in odd or (letters and (meant or _PYTHON_ESCAPE.search(body))):
        return None
    return _ESCAPE.sub(_unescape, body)


def _unescape(match: re.Match[str]) -> str:
    escape = match[1]
    if len(escape) == 5:
        return chr(int(escape[1:], 16))
    if escape in "'“”‘’":
        return escape
    return _JSON_ESCAPES.get(escape, match.group())
