"""Reads the lists and objects out of a ranking reply: the form of the text, not its meaning.

One tokenizer and one stack machine for everything that models write instead of a JSON array:
Python literals, curly quotes, full-width signs, missing brackets, reasoning and prose around. No
recursion, no look back, and a bound on the work, so that any text is read in linear time.
"""

import re
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Literal, NamedTuple, TypeAlias


@dataclass
class Budget:
    """Tokens that may still be read. What lies beyond is not read, as if the text ended there."""

    left: int


class Number(NamedTuple):
    """A number as written. `cut`: the text ends right behind it, so digits may be missing."""

    written: str
    cut: bool = False


class Text(NamedTuple):
    """A quoted string."""

    value: str


class Other(NamedTuple):
    """Anything that is no number, string, list or object: `true`, `null`, `0x2`, half an object."""

    written: str = ""


class Elision(NamedTuple):
    """Dots that stand for what was left out."""


class Listing(NamedTuple):
    """A list. `cut`: its closing bracket is missing."""

    items: tuple["Item", ...]
    cut: bool = False


class Record(NamedTuple):
    """An object: members in order, repeated keys included."""

    members: tuple[tuple[str, "Item"], ...]


Item: TypeAlias = Number | Text | Other | Elision | Listing | Record
_KINDS = Literal["prose", "number", "ordinal", "separator", "chain", "newline", "list", "record"]


class Mark(NamedTuple):
    """One thing outside every bracket, in the order of the text. Fences, tags, labels, bullets
    and bold signs are decoration and leave no mark."""

    kind: _KINDS
    item: Item | None = None
    announces: bool = False
    """Prose that ends its line, or with a colon: what follows stands on its own."""


class _Expect(Enum):
    KEY = auto()
    COLON = auto()
    VALUE = auto()
    COMMA = auto()


_REASONING = r"(?:seed:)?(?:think|thinking|thoughts?|reasoning|analysis|reflection|scratchpad)"
_REASONING_ENDS = (
    rf"</{_REASONING}\s{{0,9}}>|\[/THINK\]|◁/think▷"
    r"|<\|(?:end_of_thought|END_THINKING)\|>|<channel\|>"
)
_TURN = r"<\|im_start\|>|<\|start\|>|<\|turn>|<start_of_turn>|<\|start_header_id\|>"
_SHARED = rf"""
    (?P<space>\s++)
  | (?P<separator>[,，、;；|｜])
  | (?P<brace>[{{｛])
  | (?P<close>[\]］】〕〗⟧)）])
  | (?P<unbrace>[}}｝])
  | (?P<fence>(?:`{{3,}}+|~{{3,}}+)[ \t]*+[A-Za-z]*+)
  | (?=[<\[◁])(?i:
        (?P<opens><{_REASONING}(?:\s[^<>\n]{{0,80}})?>|\[THINK\]|◁think▷
          |<\|(?:begin_of_thought|START_THINKING)\|>|<\|channel>(?:thought)?)
      | (?P<closes>{_REASONING_ENDS})
      | <\|channel\|>(?P<channel>[^<>]{{0,80}}+)<\|message\|>
      | (?P<tag>(?:{_TURN})\s*+(?:assistant|model|system|user)?
          |<[|｜]?[\w:▁-]{{1,40}}+[|｜]?>|</?[a-z][^<>\[\]{{}}\n]{{0,80}}+>)
    )
  | (?P<open>[\[［【〔〖⟦])
  | (?P<chain>[>＞→≻»]++|[-=]{{1,3}}+>)
"""
MINUS = "-−－﹣‐‑–"
"""Every sign that stands for a minus before a number."""
_SIGN = rf"(?<![\w.])[{MINUS}+＋]"
_LABEL = (
    r"(?:ranked[ \t]+json[ \t]+(?:array|object)|ranking|ranked(?:[_ ]ids)?|order"
    r"|排序(?:結果|结果)?|排名)"
    r"[\s*_\"']{0,9}[:：=]|json\b"
)
_OUTSIDE = re.compile(
    rf"""{_SHARED}
  | (?P<label>(?i:{_LABEL}))
  | (?P<ordinal>[0-9]{{1,3}}[.)、](?=\s))
  | (?P<bullet>[-*+•‣·–—](?=\s))
  | (?P<decoration>[*_`\\"'“”‘’$(（]++)
  | (?P<number>(?:{_SIGN})?[0-9]++(?:\.[0-9]++)?(?![\w.]))
  | (?P<prose>(?:[^\W\d]|[^\x00-\u02ff\W])[^\[\]［］【】〔〕〖〗⟦⟧{{}}｛｝<>＞→≻»`~◁&]*+|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_INSIDE = re.compile(
    rf"""{_SHARED}
  | (?P<atom>(?:{_SIGN})?\.?\w(?:[{MINUS}\w%/]|\.(?!\.))*+)
  | (?P<colon>[:：])
  | (?P<quote>["'“‘„«「『”’])
  | (?P<comment>//[^\n]*+|/\*(?:[^*]|\*(?!/)){{0,200}}+\*/|\#[ \t][^\n]*+)
  | (?P<dots>(?:\.{{2,}}+|[…⋯]++)(?!\w))
  | (?P<decoration>[*`\\]++)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_CLOSES = re.compile(_REASONING_ENDS, re.IGNORECASE)
_NEXT_CHANNEL = re.compile(r"(?=<\|(?:channel|start)\|>)")
# A quote ends a string only where something could follow it, so that one inside a remark does not.
_STRINGS = {
    sign: re.compile(
        rf"{sign}((?:[^{sign}\\]++|\\.|{sign}(?!\s*+(?:[,，:：;；}}\]］】]|\Z)|\s++{sign}))*+){sign}",
        re.DOTALL,
    )
    for sign in ('"', "'")
} | {
    opening: re.compile(f"{opening}([^{opening}{closing}]*+){closing}")
    for opening, closing in ("“”", "‘’", "„“", "«»", "「」", "『』", "””", "’’")
}
_NUMBER = re.compile(
    rf"[{MINUS}+＋]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d{{1,9}}+)?|[⁰¹²³⁴-⁹]++|[₀-₉]++"
)
_LITERAL = re.compile(r"-?(?:true|false|null|none|undefined|nan|infinity|inf)", re.IGNORECASE)
_WORD = re.compile(rf"[{MINUS}+＋]?\w++%?")
# Of no width: zero-width and joining signs, soft hyphen, marks of direction, variation selectors,
# the keycap that turns a digit into a picture.
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\u20e3]"
)


@dataclass
class _Frame:
    """A list or an object that is being read."""

    is_record: bool
    items: list[Item] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    expect: _Expect = _Expect.KEY
    broken: bool = False
    """An object whose syntax failed: it is skipped up to its brace and counts as nothing."""
    separated: bool = True
    """A separator came since the last item."""
    newline: bool = False
    """A line ended since the last item."""

    def add(self, item: Item) -> None:
        self.items.append(item)
        self.expect = _Expect.COMMA
        self.separated = self.newline = False


def visible(text: str) -> str:
    """`text` without the characters that nobody sees."""
    return _INVISIBLE.sub("", text)


def read_marks(text: str, budget: Budget) -> tuple[Mark, ...]:
    """What stands in `text` outside reasoning: lists, objects, bare numbers, and that there is
    prose. Any text, in time linear in its length."""
    reader = _Reader(text)
    reader.read(budget)
    return tuple(reader.marks)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.marks: list[Mark] = []
        self.stack: list[_Frame] = []
        self.lists = 0
        """How many of the open brackets are lists."""
        self.unended: set[str] = set()
        """Quotes for which no further end was found: looking again would take square time."""

    def read(self, budget: Budget) -> None:
        while self.place < len(self.text) and budget.left > 0:
            budget.left -= 1
            grammar = _INSIDE if self.stack else _OUTSIDE
            match = grammar.match(self.text, self.place)
            assert match is not None  # the last alternative takes any character
            self.place = match.end()
            kind = match.lastgroup or ""
            if not self._reasoning(kind, match):
                if self.stack:
                    self._inside(kind, match[kind], match.start())
                else:
                    self._outside(kind, match[kind])
        self._cut()

    def _reasoning(self, kind: str, match: re.Match[str]) -> bool:
        """Leave out what the model thought aloud."""
        if kind == "channel":
            final = match[kind].strip().lower().startswith("final")
            following = None if final else _NEXT_CHANNEL.search(self.text, match.end())
            if not final:
                self.place = len(self.text) if following is None else following.start()
            return True
        if kind == "opens":
            closing = _CLOSES.search(self.text, match.end())
            self.place = len(self.text) if closing is None else closing.end()
            return True
        if kind == "closes":
            # Its opening tag stood in the prompt: all before was reasoning. Unless the reply had
            # begun with its list: then the tag is only a leftover.
            self._cut()
            if not (self.marks and self.marks[0].kind in ("list", "record")):
                self.marks.clear()
            return True
        return kind == "tag"

    # Outside every bracket ----------------------------------------------------------------------

    def _outside(self, kind: str, token: str) -> None:
        match kind:
            case "open" | "brace":
                self._open(is_record=kind == "brace")
            case "space":
                if "\n" in token:
                    self.marks.append(Mark("newline"))
            case "ordinal":
                at_line_start = not self.marks or self.marks[-1].kind == "newline"
                self.marks.append(Mark("ordinal" if at_line_start else "prose", Number(token[:-1])))
            case "number":
                self.marks.append(Mark("number", Number(token)))
            case "separator":
                self.marks.append(Mark("separator"))
            case "chain":
                self.marks.append(Mark("chain"))
            case "prose":
                bare = token.rstrip()
                announces = bare.endswith((":", "：", "=")) or "\n" in token[len(bare) :]
                self.marks.append(Mark("prose", announces=announces))
            case _:
                pass  # decoration

    # Inside a list or an object -----------------------------------------------------------------

    def _inside(self, kind: str, token: str, start: int) -> None:
        frame = self.stack[-1]
        match kind:
            case "space" | "comment":
                frame.newline |= "\n" in token
            case "decoration":
                pass
            case "fence":
                self._cut()
            case "open" | "brace":
                self._push(frame, kind == "brace")
            case "close" | "unbrace":
                self._close(frame, kind == "unbrace", token)
            case "quote":
                self._string(frame, token, start)
            case _ if frame.is_record:
                self._in_record(frame, kind, token)
            case _:
                self._in_list(frame, kind, token, start)

    def _push(self, frame: _Frame, is_record: bool) -> None:
        if frame.is_record and not frame.broken and frame.expect is not _Expect.VALUE:
            self._fail(frame)
        self._open(is_record)

    def _open(self, is_record: bool) -> None:
        self.stack.append(_Frame(is_record))
        self.lists += not is_record

    def _close(self, frame: _Frame, unbrace: bool, token: str) -> None:
        if token in ")）" and (frame.is_record or not frame.items):
            self._odd(frame)
        elif frame.is_record == unbrace:
            self._finish(cut=False)
        elif len(self.stack) > 1 and self.stack[-2].is_record == unbrace:
            # `{"ranking": [2, 0}`: the inner one was never closed.
            self._finish(cut=True)
            self._finish(cut=False)
        elif not frame.is_record:
            self._finish(cut=True)
        else:
            self._fail(frame)

    def _string(self, frame: _Frame, quote: str, start: int) -> None:
        match = None if quote in self.unended else _STRINGS[quote].match(self.text, start)
        if match is None:
            self.unended.add(quote)
            # The rest of the text is inside this string, and no half of one counts.
            self.place = len(self.text)
            frame.add(Other())
            return
        self.place = match.end()
        if not frame.is_record:
            frame.add(Text(match[1]))
        elif not frame.broken:
            self._in_record(frame, "string", match[1])

    def _in_list(self, frame: _Frame, kind: str, token: str, start: int) -> None:
        if kind in ("separator", "chain"):
            frame.separated = True
        elif kind == "dots":
            frame.add(Elision())
        elif kind == "atom" and _is_number(token):
            frame.add(Number(token, cut=self.place == len(self.text)))
        elif kind == "atom" and (_LITERAL.fullmatch(token) or _begins_as_number(token)):
            frame.add(Other(token))
        elif frame.items and frame.newline and not frame.separated:
            # The list ended with its line, and its bracket was forgotten.
            self._cut()
            self.place = start
        else:
            self._collapse()

    def _in_record(self, frame: _Frame, kind: str, token: str) -> None:
        if frame.broken:
            return
        after_value = frame.expect is _Expect.COMMA
        if after_value and (kind == "string" or (kind == "atom" and not _is_bare(frame))):
            frame.expect = _Expect.KEY  # a comma was forgotten
        match frame.expect:
            case _Expect.KEY if kind in ("string", "atom"):
                frame.keys.append(token)
                frame.expect = _Expect.COLON
            case _Expect.KEY if kind == "separator":
                pass
            case _Expect.COLON if kind == "colon":
                frame.expect = _Expect.VALUE
            case _Expect.VALUE if kind == "separator":
                frame.add(Other())
                frame.expect = _Expect.KEY
            case _Expect.VALUE:
                frame.add(_value(kind, token))
            case _Expect.COMMA if kind == "separator":
                frame.expect = _Expect.KEY
            case _Expect.COMMA if _is_bare(frame):
                pass  # more words of an unquoted text
            case _:
                self._fail(frame)

    def _odd(self, frame: _Frame) -> None:
        if not frame.is_record:
            self._collapse()
        elif not _is_bare(frame):
            self._fail(frame)

    def _fail(self, frame: _Frame) -> None:
        """An object that cannot be read: skipped as a list's element, else it was no object."""
        if self.lists:
            frame.broken = True
        else:
            self._collapse()

    # Ends ---------------------------------------------------------------------------------------

    def _finish(self, *, cut: bool) -> None:
        """The innermost list or object is complete, or as complete as it will be."""
        frame = self.stack.pop()
        self.lists -= not frame.is_record
        item: Item
        if not frame.is_record:
            item = Listing(tuple(frame.items), cut)
        elif frame.broken or (cut and self.stack and not self.stack[-1].is_record):
            item = Other()
        else:
            item = Record(tuple(zip(frame.keys, frame.items, strict=False)))
        if self.stack:
            self.stack[-1].add(item)
        elif cut and isinstance(item, Listing) and _only_wraps(item):
            self._mark(item.items[0])
        else:
            self._mark(item)

    def _cut(self) -> None:
        while self.stack:
            self._finish(cut=True)

    def _collapse(self) -> None:
        """The brackets that are open were prose; what was complete within them stands by itself."""
        inner = [item for frame in self.stack for item in frame.items]
        self.stack.clear()
        self.lists = 0
        self.marks.append(Mark("prose"))
        for item in inner:
            if isinstance(item, Listing | Record):
                self._mark(item)

    def _mark(self, item: Item) -> None:
        self.marks.append(Mark("record" if isinstance(item, Record) else "list", item))


def _is_bare(frame: _Frame) -> bool:
    return bool(frame.items) and isinstance(frame.items[-1], Other)


def _is_number(token: str) -> bool:
    """In figures of any script, or one sign such as a circled two; not a numeral that is a word."""
    single = len(token) == 1 and token.isnumeric() and not token.isalpha()
    return single or _NUMBER.fullmatch(token) is not None


def _begins_as_number(token: str) -> bool:
    """`0x2`, `1_0`, `90%`: no number, but no word of a sentence either."""
    first = token.lstrip(f"{MINUS}+＋")[:1]
    return first.isnumeric() and not first.isalpha() and _WORD.fullmatch(token) is not None


def _value(kind: str, token: str) -> Item:
    if kind == "string":
        return Text(token)
    if kind == "atom" and _is_number(token):
        return Number(token)
    return Other(token)


def _only_wraps(listing: Listing) -> bool:
    """An opening bracket too many before a whole list."""
    return len(listing.items) == 1 and isinstance(listing.items[0], Listing)
