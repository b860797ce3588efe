"""The one grammar of markers: what in an answer cites a source, in whatever form a model wrote it.

A marker is `S` and a number in square brackets. Read as well, each with the repair that says so:

| written | repair |
|---|---|
| `【S1】`, `［Ｓ１］`, `「S1」`, `[S³]` | `marker_width` |
| `[s1]` / `[S01]` / `[ S1 ]`, `[S 1]` | `marker_case` / `marker_padding` / `marker_spaces` |
| zero-width signs inside | `marker_invisible` |
| `[[S1]]`, `[^S1]`, `\\[S1\\]` | `marker_brackets` |
| `[S1, S2]`, `[S1; S2 and S3]`, `[S1 S3]`, `[S1、S2]` | `marker_group` |
| `[S1-S3]`, `[S1–3]` | `marker_range` |

No marker: bare `S1`, `(S1)`, `[1]`, `[Source 1]`, `[S1, p. 4]`, `[S3-S1]`, and anything inside code
spans and code blocks. What stands before the bracket does not matter: `days[S3]` is how models
glue a marker to a word, so `arr[S1]` outside code cites S1 as well. Subscripts belong in code.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from rag.core.code_spans import code_spans
from rag.core.span import Span
from rag.domain.answer import MarkerSpan

_PAIRS = ("[]", "［］", "【】", "〔〕", "〖〗", "「」", "『』")
_OPEN, _CLOSE = (re.escape("".join(pair[side] for pair in _PAIRS)) for side in (0, 1))
# Two brackets with none between them. Full-width square brackets are square brackets of another
# width, so those two pair up.
_BRACKETED = re.compile(rf"(?P<open>[{_OPEN}])(?P<inner>[^{_OPEN}{_CLOSE}]*+)(?P<close>[{_CLOSE}])")
_PARTNERS = {pair[0]: "]］" if pair == "［］" else pair[1] for pair in _PAIRS} | {"[": "]］"}
_PLAIN = re.compile(r"S[1-9][0-9]*")

# Soft hyphen, joiners, zero-width spaces, direction marks, variation selectors, byte order mark.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)

_ID = r"(?P<{0}>[Ss])(?P<{0}gap>\s*)(?P<{0}digits>[0-9]+)"
_ITEM = re.compile(
    _ID.format("first")
    + r"(?:\s*[-‐‑‒–—―−~〜]\s*(?P<last>[Ss]?)(?P<lastgap>\s*)(?P<lastdigits>[0-9]+))?"
)
_SEPARATOR = re.compile(
    r"\s*+(?:[,;、]\s*+(?:and\b\s*+|[和與与及]\s*+)?|and\b\s*+|[和與与及]\s*+)?", re.I
)

# No request offers more sources than this (settings allow 50), so a wider range names a marker
# that was not offered, and need not be written out to be refused.
_WIDEST_RANGE = 64
# Ranges may make a text longer than it was written; past this many members in one text they are
# treated as too wide, which bounds time and memory for a hostile reply.
_MOST_RANGE_MEMBERS = 2000
# Four times what a request can offer: a bracket with more ids is no citation.
_LONGEST_GROUP = 256
# Markers in one text. An answer of a thousand sentences with five each is still read.
MOST_MARKERS = 5000


class TooManyMarkersError(ValueError):
    """A text cites more often than `MOST_MARKERS` times."""


class Occurrence(NamedTuple):
    """`text[start:end]` stands for these markers, in this order."""

    start: int
    end: int
    markers: tuple[str, ...]
    repairs: frozenset[str]


class CanonicalText(NamedTuple):
    """A text whose markers are all written `[S1][S2]`."""

    text: str
    spans: tuple[MarkerSpan, ...]
    repairs: frozenset[str]

    @property
    def markers(self) -> tuple[str, ...]:
        """Each marker once, in order of first use."""
        return tuple(dict.fromkeys(span.marker for span in self.spans))


_NO_REPAIRS: frozenset[str] = frozenset()


# The blocks of Unicode whose signs are other forms of plain letters, figures and punctuation:
# Latin-1, long s, spaces, super- and subscripts, enclosed, ideographic space, small and full-width
# forms, mathematical letters. Sign by sign, so that no text grows.
_COMPATIBILITY: tuple[tuple[int, int], ...] = (
    *((0xA0, 0xBF), (0x17F, 0x17F), (0x2000, 0x209F), (0x2460, 0x24FF), (0x3000, 0x3000)),
    *((0xFE50, 0xFE6F), (0xFF01, 0xFF65), (0x1D400, 0x1D7FF), (0x1F100, 0x1F189)),
)
_PLAIN_FORM = {
    code: plain
    for first, last in _COMPATIBILITY
    for code in range(first, last + 1)
    if len(plain := unicodedata.normalize("NFKC", chr(code))) == 1 and plain != chr(code)
}


class _Ids(NamedTuple):
    markers: tuple[str, ...]
    repairs: frozenset[str]


def scan_markers(text: str) -> Iterator[Occurrence]:
    """Every marker of a text in order, groups and ranges as one occurrence. Linear in the text."""
    code = code_spans(text)
    next_code = range_members = done = 0
    for match in _BRACKETED.finditer(text):
        while next_code < len(code) and code[next_code].end <= match.start():
            next_code += 1
        if next_code < len(code) and code[next_code].start < match.end():
            continue
        opened, inner, closed = match.groups()
        if closed not in _PARTNERS[opened]:
            continue
        escaped = inner[-1:] == "\\" and text[match.start() - 1 : match.start()] == "\\"
        bare = inner[:-1] if escaped else inner
        ids = _read_ids(bare.removeprefix("^"), wide=range_members >= _MOST_RANGE_MEMBERS)
        if ids is None:
            continue
        start, end = _outermost(text, match.start() - escaped, match.end(), done)
        repairs = ids.repairs
        if (start, end) != match.span() or inner[:1] == "^":
            repairs |= {"marker_brackets"}
        if opened != "[" or closed != "]":
            repairs |= {"marker_width"}
        if "marker_range" in repairs:
            range_members += len(ids.markers)
        done = end
        yield Occurrence(start, end, ids.markers, repairs)


def canonicalize(text: str) -> CanonicalText:
    """`text` with each marker in its canonical form; all else, code included, as it was.

    Raises:
        TooManyMarkersError: more than `MOST_MARKERS`.
    """
    pieces: list[str] = []
    spans: list[MarkerSpan] = []
    repairs: set[str] = set()
    done = length = 0
    for occurrence in scan_markers(text):
        pieces.append(text[done : occurrence.start])
        length += occurrence.start - done
        for marker in occurrence.markers:
            pieces.append(f"[{marker}]")
            spans.append(MarkerSpan(marker=marker, start=length, end=length + len(marker) + 2))
            length += len(marker) + 2
        if len(spans) > MOST_MARKERS:
            raise TooManyMarkersError
        repairs |= occurrence.repairs
        done = occurrence.end
    pieces.append(text[done:])
    return CanonicalText("".join(pieces), tuple(spans), frozenset(repairs))


def read_listed(text: str) -> Occurrence | None:
    """The markers that one string of `citations` names: `S3`, `[S3]`, `S1, S3`. None when it holds
    anything else; a range too, for the list must name every member itself."""
    ids = _read_ids(text)
    repairs: set[str] = set()
    if ids is not None:
        markers, repairs = ids.markers, set(ids.repairs)
    else:
        found = tuple(scan_markers(text))
        rest = _without(text, found)
        if not found or rest.strip(" \t\n,;，；、"):
            return None
        markers = tuple(marker for occurrence in found for marker in occurrence.markers)
        repairs = set().union(*(occurrence.repairs for occurrence in found), {"citations_brackets"})
        repairs -= {"marker_brackets"}
    if "marker_range" in repairs:
        return None
    if len(markers) > 1:
        repairs = (repairs - {"marker_group"}) | {"citations_string"}
    return Occurrence(0, len(text), markers, frozenset(repairs))


def _without(text: str, occurrences: tuple[Occurrence, ...]) -> str:
    starts = [0, *(occurrence.end for occurrence in occurrences)]
    ends = [*(occurrence.start for occurrence in occurrences), len(text)]
    return "".join(text[start:end] for start, end in zip(starts, ends, strict=True))


def _outermost(text: str, start: int, end: int, floor: int) -> Span:
    """The brackets at `start` and `end` with the further pairs directly around them, escaped or
    not: `[[S1]]`. Nothing before `floor` is taken."""
    while start > floor:
        opener, closer = text[start - 1], text[end : end + 1]
        if opener in _PARTNERS and closer and closer in _PARTNERS[opener]:
            start, end = start - 1, end + 1
        elif text[start - 2 : start] == "\\[" and text[end : end + 2] == "\\]":
            start, end = start - 2, end + 2
        else:
            break
    return Span(start, end)


def _read_ids(inner: str, *, wide: bool = False) -> _Ids | None:
    """The ids between two brackets, if there is nothing else between them. With `wide`, every
    range counts as too wide."""
    if _PLAIN.fullmatch(inner):
        return _Ids((inner,), _NO_REPAIRS)
    visible = _INVISIBLE.sub("", inner)
    folded = visible if visible.isascii() else visible.translate(_PLAIN_FORM)
    content = folded.strip()
    markers: list[str] = []
    repairs: set[str] = set()
    place = 0
    items = 0
    while True:
        item = _ITEM.match(content, place)
        if item is None or items == _LONGEST_GROUP:
            return None
        named = _expand(item, wide)
        if not named:
            return None
        markers += named
        repairs |= _spelling(item)
        items += 1
        place = item.end()
        if place == len(content):
            break
        separator = _SEPARATOR.match(content, place)
        if separator is None or separator.end() == place:
            return None
        place = separator.end()
    if len(visible) < len(inner):
        repairs.add("marker_invisible")
    if any(old != new and new.isalnum() for old, new in zip(visible, folded, strict=True)):
        repairs.add("marker_width")
    if len(content) < len(folded):
        repairs.add("marker_spaces")
    if items > 1:
        repairs.add("marker_group")
    return _Ids(tuple(markers), frozenset(repairs))


def _spelling(item: re.Match[str]) -> set[str]:
    repairs: set[str] = set()
    if "s" in (item["first"], item["last"]):
        repairs.add("marker_case")
    if item["firstgap"] or item["lastgap"]:
        repairs.add("marker_spaces")
    if item["lastdigits"] is not None:
        repairs.add("marker_range")
    if any(len(d) > 1 and d[0] == "0" for d in (item["firstdigits"], item["lastdigits"] or "")):
        repairs.add("marker_padding")
    return repairs


def _expand(item: re.Match[str], wide: bool) -> list[str]:
    """The markers of one id or range; empty for a range that runs backwards. A range too wide for
    any request stays one marker that none can offer, such as `S1-S999`."""
    first = item["firstdigits"].lstrip("0") or "0"
    if item["lastdigits"] is None:
        return [f"S{first}"]
    last = item["lastdigits"].lstrip("0") or "0"
    if (len(first), first) > (len(last), last):
        return []
    if wide or len(last) > len(str(_WIDEST_RANGE)) + 2 or int(last) - int(first) >= _WIDEST_RANGE:
        return [f"S{first}-S{last}"]
    return [f"S{number}" for number in range(int(first), int(last) + 1)]
