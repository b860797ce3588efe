"""Literal facts: code, identifiers, versions, paths, addresses and quoted words.

A claim may only use one that a source has, letter for letter apart from case and typography.
Reads text flattened by `core.fold.flatten`, with the original beside it for camelCase.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rag.core.code_spans import code_spans
from rag.core.span import Span

Kind = Literal["code", "address", "path", "version", "name", "quotation"]


@dataclass(frozen=True, slots=True)
class Literally:
    """`text` (flat) has to occur in a source; it stands at `flat[start:end]`, marks included."""

    kind: Kind
    text: str
    start: int
    end: int


_ADDRESS = re.compile(
    r"(?:https?|ftp|ssh|git|file|s3)://[^\s\"'<>()（）「」，。；、|`\\]+|(?<![\w.+\-])[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+"
)
_PATH = re.compile(
    # Not the end of an HTML element: <sup>[S1]</sup>.
    r"(?!(?<=<)/[a-z][a-z0-9]*>)(?<![\w/.])(?:~|\.{1,2})?/(?:[a-z0-9_.\-{}*]+/)*[a-z0-9_.\-{}*]*[a-z0-9_}*](?![a-z0-9_])"
    r"|(?<![\w\\])[a-z]:\\[^\s\"'<>|，。；]+|(?<![\w/.\-])[a-z0-9_.\-]+(?:/[a-z0-9_.\-]+)+/?"
    r"|(?<![\w/.\-])[a-z0-9_\-]+(?:\.[a-z0-9_\-]+)*\.(?:py|js|ts|md|rst|txt|toml|ya?ml|json|jsonl|csv|xml|html"
    r"|ini|cfg|conf|sh|bat|exe|log|env|lock|sql|db|java|go|rs|c|h|cpp|pdf|docx?|xlsx?|pptx?|zip"
    r"|gz|tar)(?![a-z0-9_])"
)
_VERSION = re.compile(
    r"(?<![\w.])v?\d+(?:\.\d+){2,}(?:[-.]?(?:a|b|rc|dev|post|alpha|beta)\.?\d*)?(?!\w)"
    r"|(?<![\w.])v\d+(?:\.\d+)*(?!\w)"
)
_VERSION_NUMBER = re.compile(
    r"(?:\b(?:version|versions|release|python|java|node|tls|ssl|http|api|php|ruby|go|django|ver\.?)"
    r"|版本?|版次) ?(?P<number>\d+(?:\.\d+)+)(?!\d)"
    r"|(?<![\w.])(?P<before>\d+(?:\.\d+)+) ?(?:版|release\b|or (?:newer|later)\b)"
)
# snake_case, --flags, dotted.names, camelCase, letters with digits, CONSTANT-like-1.
_NAME = re.compile(
    r"(?<![\w\-])--?[a-z][a-z0-9\-]+(?![\w])(?<=[a-z0-9])"
    r"|(?<![\w.])[a-z_]\w*(?:\.[a-z_]\w*)+(?:\(\))?"
    r"|(?<!\w)\w*[a-z0-9]_\w+|(?<!\w)_+[a-z]\w*"
    r"|(?<![\w\-])(?:[a-z]+\d|\d+[a-z]+\d|[a-z]+(?:-[a-z]+)*-\d)[a-z0-9]*(?:-[a-z0-9]+)*(?![\w])"
    r"|(?<!\w)[a-z]\w*\(\)",
    re.ASCII,
)
_CAMEL = re.compile(
    r"(?<!\w)(?:[A-Z]{2,}[a-z]{2,}\w*|[a-z]+[A-Z][A-Za-z0-9]*"
    r"|[A-Z][a-z0-9]+[A-Z][A-Za-z0-9]*)(?!\w)",
    re.ASCII,
)
# Signs that these cannot do without, looked for first: most claims have none of them.
_BY_SIGN: tuple[tuple[Kind, re.Pattern[str], re.Pattern[str]], ...] = (
    ("address", re.compile("://|@"), _ADDRESS),
    ("path", re.compile(r"[/\\]|\.\w"), _PATH),
    ("version", re.compile(r"\d\.\d|v\d"), _VERSION),
)
_POINT = re.compile(r"\d\.\d")
_NAME_SIGN = re.compile(r"[-_(]|\.\w|[a-z]\d|\d[a-z]")
_INNER_CAPITAL = re.compile("[A-Za-z0-9][A-Z]")
_QUOTED = re.compile(
    r"\"(?P<double>[^\"\n]{1,200})\"|「(?P<corner>[^「」\n]{1,200})」|『(?P<white>[^『』\n]{1,200})』"
    r"|《(?P<title>[^《》\n]{1,200})》|(?<!\w)'(?P<single>[^'\n]{2,200})'(?!\w)"
)
_ABBREVIATIONS = re.compile(
    r"(?:[a-z]\.)+[a-z]?$|^(?:and/or|n/a|w/o|i/o|a/b|24/7|he/she|yes/no|on/off)$"
)
_LOST_SPACE = re.compile(r"[a-z]{2,}\.[A-Z]|[A-Z]{2,}\.[A-Z][a-z]")  # "days.It"
_CODE_WORD = re.compile(r"[a-z0-9_][a-z0-9_\-./:@$#\\]*|[㐀-鿿]+")
_LETTER_FIGURE = re.compile(r"(?<=[a-z])-?(?=\d)")
_EDGE_SIGNS = re.compile(r"\A[.,;:!?。、]+|[.,;:!?。、]+\Z")
_LOOSE = re.compile(r"[\s*_`~]+")
_MOST_PLACES = 8
# Occurrences inside longer words that are passed over before a literal counts as absent.
_MOST_TRIES = 1_000


def find_literals(flat: str, original: str) -> list[Literally]:
    """The literal facts of a claim, by position; none lies inside another but quotations."""
    found: list[Literally] = []
    taken = bytearray(len(flat))

    def add(kind: Kind, text: str, start: int, end: int) -> None:
        if text and not any(taken[start:end]):
            taken[start:end] = b"\1" * (end - start)
            found.append(Literally(kind, text, start, end))

    for span in code_spans(original):
        for word in _code_words(flat, Span(span.start, span.end)):
            found.append(Literally("code", word, span.start, span.end))
        taken[span.start : span.end] = b"\1" * (span.end - span.start)
    for kind, hint, pattern in _BY_SIGN:
        for match in pattern.finditer(flat) if hint.search(flat) else ():
            text = match.group().rstrip(".,;:!?/")
            if not (kind == "path" and _is_plain_alternative(text)):
                add(kind, text, match.start(), match.start() + len(text))
    for match in _VERSION_NUMBER.finditer(flat) if _POINT.search(flat) else ():
        group = "number" if match["number"] else "before"
        add("version", match[group], match.start(group), match.end(group))
    for match in _NAME.finditer(flat) if _NAME_SIGN.search(flat) else ():
        written = original[match.start() : match.end()]
        if not _ABBREVIATIONS.search(match.group()) and not _LOST_SPACE.search(written):
            add("name", match.group().removesuffix("()"), match.start(), match.end())
    for match in _CAMEL.finditer(original) if _INNER_CAPITAL.search(original) else ():
        add("name", flat[match.start() : match.end()], match.start(), match.end())
    for match in _QUOTED.finditer(flat):
        text = next(group for group in match.groups() if group is not None)
        if not any(taken[match.start() : match.end()]):
            found.append(Literally("quotation", text, match.start(), match.end()))
    return sorted(found, key=lambda item: item.start)


def _code_words(flat: str, span: Span) -> Iterator[str]:
    inside = flat[span.start : span.end].strip("`~ \n")
    for match in _CODE_WORD.finditer(inside):
        word = match.group().rstrip("-./:@$#\\")
        if word:
            yield word


def _is_plain_alternative(text: str) -> bool:
    """`and/or`, `24/7`, `read/write`: two plain words with one stroke between them are no path."""
    if text.startswith(("/", "~", ".")) or "\\" in text:
        return False
    parts = text.split("/")
    return len(parts) == 2 and all(part.isalnum() for part in parts)


class Literals:
    """What a source has, ready to be asked. Built once per source, linear in its length."""

    def __init__(self, flat: str) -> None:
        self._flat = flat
        self._words = frozenset(re.findall(r"[a-z0-9_]+", flat))
        self._versions = frozenset(re.findall(r"\d+(?:\.\d+)+|(?<=v)\d+", flat))
        self._loose = _loose(flat)

    def holds(self, literal: Literally) -> bool:
        """Whether the source has it: a version also in a more exact form (3.11 in 3.11.2), a path
        or name also as the end of a longer one, a quotation also across line ends and emphasis."""
        text = literal.text
        if literal.kind == "version":
            number = text.removeprefix("v")
            return (
                number in self._versions
                or self._occurs(text)
                or any(version.startswith(number + ".") for version in self._versions)
            )
        if literal.kind == "quotation":
            wanted = _EDGE_SIGNS.sub("", _loose(text))
            return not wanted or wanted in self._loose
        if text in self._words:
            return True
        spaced = _LETTER_FIGURE.sub(" ", text)  # SR99 is SR 99
        return any(self._occurs(form) for form in (text, text.rstrip("/"), spaced))

    def places(self, literal: Literally) -> list[Span]:
        """Where `literal` stands, the first few times."""
        found: list[Span] = []
        position = self._flat.find(literal.text)
        while position >= 0 and len(found) < _MOST_PLACES:
            found.append(Span(position, position + len(literal.text)))
            position = self._flat.find(literal.text, position + 1)
        return found

    def _occurs(self, text: str) -> bool:
        """Whether `text` stands in the source with no letter, figure or underscore against it."""
        position = self._flat.find(text)
        for _ in range(_MOST_TRIES):
            if position < 0:
                return False
            before = self._flat[position - 1 : position] if position else ""
            after = self._flat[position + len(text) : position + len(text) + 1]
            if not _joins(before, text[:1]) and not _joins(after, text[-1:]):
                return True
            position = self._flat.find(text, position + 1)
        return False


def _joins(neighbour: str, edge: str) -> bool:
    def sticks(char: str) -> bool:
        return char.isascii() and (char.isalnum() or char == "_")

    return bool(neighbour) and sticks(neighbour) and sticks(edge)


def _loose(flat: str) -> str:
    return _LOOSE.sub("", flat).replace("「", '"').replace("」", '"')
