"""Sentences of English and Chinese text, with the markers that belong to each.

Where a sentence ends is told by punctuation and layout, no model: the same text always splits the
same way, which the trace's replay needs.
"""

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator

from rag.core.code_spans import CodeSpan, code_spans
from rag.core.span import Span

_MARKERS = r"\[S\d+\](?:[ \t]*\[S\d+\])*"
_OPENING_MARKER = re.compile(r"\s*\[S\d+\]")
_MORE = re.compile(r"\s*\S")
_ALL_MARKERS = re.compile(r"\[S\d+\]")

# Closing punctuation, what closes behind it (quotes, parentheses, emphasis), and its markers. ASCII
# signs end a sentence only before white space, a marker or a wide character, so that 3.5, v1.2,
# file.txt and the ? of a URL do not.
_CLOSING = r"""["'”’」』）)》〉*_]*"""
_WIDE = r"⺀-鿿豈-﫿＀-￯「『（【《"
_END = re.compile(
    rf"(?:[。！？｡]+{_CLOSING}"
    rf"|(?P<stop>[.!?]+){_CLOSING}(?=[\s{_WIDE}]|\[S\d|\Z))"
    rf"(?P<marked>(?P<gap>[ \t]*){_MARKERS})?"
)

# Short forms after which a sentence goes on, and those after which it may end: then the next word's
# capital decides. Taken from English technical prose; anything else before a full stop ends one.
_GOES_ON = re.compile(
    r"\b(?:e\.?g|i\.?e|cf|vs|viz|[DM]r|Mrs|Ms|Prof|St|[Ff]igs?|[Ss]ec|[Ee]q|[Cc]h|[Vv]ol|pp|[Ee]ds?"
    r"|approx|est|max|min|resp|incl|esp)\Z"
)
# An initial stands first or behind another capital (J. R. Smith); `plan B.` may end a sentence.
_INITIAL = re.compile(r"(?:\A|[\n\"“(]|(?:\A|\s)[A-Z][\w'.-]*\s)[A-HJ-Z]\Z")
_MAY_END = re.compile(
    r"\b(?:etc|al|Inc|Ltd|Co|Corp|[JS]r|[ap]\.?m|U\.S|U\.K|[Dd]ept|[Nn]os?|[Aa]rt|p)\Z"
)
_LONGEST_SHORT_FORM = 8
_LONGEST_NAME = 24

_LIST_SIGN = (
    r"[-*+–](?=[ \t])|[•·●○▪]|\(?\d{1,3}[.)](?=[ \t])|\d{1,3}、|[A-Za-z][.)](?=[ \t])"
    r"|[（(][一二三四五六七八九十\d]{1,3}[)）]|[一二三四五六七八九十]{1,3}、"
)
_ITEM_START = re.compile(rf"[ \t>]*(?:{_LIST_SIGN})[ \t]*(?=\S)")
_OWN_LINE = re.compile(r"[ \t>]*(?:#{1,6}[ \t]|\|)")
_LINE = re.compile(r"[^\n]+")
_MARKER_AT_LINE_END = re.compile(r"\[S\d+\][ \t.。;；]*\Z")

# How the second of two lines begins when it goes on with the first; markers alone belong to it too.
_CONTINUES = re.compile(r"[\s>]*(?:[a-z,.;:!?)\]，。；：、！？）」』》]|\[S\d+\]\s*\Z)")

_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_TABLE_RULE = re.compile(r"\n[ \t>]*\|?[ \t]*:?-{2,}[-:| \t]*\Z")
_TITLE_LINE = re.compile(r"[ \t>]*(?:#{1,6}[ \t]|\*\*[^*\n]+\*\*[ \t]*\Z|__[^_\n]+__[ \t]*\Z)")


def split_sentences(text: str, *, wrapped: bool = True) -> tuple[Span, ...]:
    """Sentences in order, without the white space and list signs between them.

    Markers right behind closing punctuation belong to the sentence that it closes (`401。[S1]`,
    `days. [S3]`); markers that a line or a sentence opens with belong to that one. List items,
    headings and table rows stand alone; a fenced block is one span.

    With `wrapped`, as documents are, a sentence may go on in the next line. Without, as answers
    are, it does so only where that line begins with a small letter or a comma.
    """
    sentences: list[Span] = []
    code = code_spans(text)
    inline = [span for span in code if not span.block]
    done = 0
    for block in (*(span for span in code if span.block), CodeSpan(len(text), len(text), True)):
        for unit in _units(text, done, block.start, wrapped):
            sentences += _in_unit(text, unit, inline)
        if block.start < block.end:
            sentences.append(_trim(text, block.start, block.end))
        done = block.end
    return tuple(_join_bare_markers(text, sentences))


def is_checkable(sentence: str) -> bool:
    """Whether a sentence states something that a source could bear out: not a heading, a question,
    a line that only introduces a list, a block of code or the head of a table."""
    if sentence.lstrip(" \t>").startswith(("```", "~~~")) or _TITLE_LINE.match(sentence):
        return False
    if _TABLE_RULE.search(sentence):
        return False
    words = _ALL_MARKERS.sub("", sentence).rstrip(" \t\n*_")
    if words.endswith((":", "：", "?", "？")):
        return False
    return _LETTER_OR_DIGIT.search(words) is not None


def _units(text: str, start: int, end: int, wrapped: bool) -> Iterator[Span]:
    """Stretches that no sentence crosses: paragraphs, list items, headings, table rows."""
    begin: int | None = None
    last = start
    previous = ""
    for match in _LINE.finditer(text, start, end):
        line = match.group()
        if not line.strip():
            continue
        item = _ITEM_START.match(line)
        starts_anew = (
            item is not None
            or _OWN_LINE.match(line) is not None
            or "\n\n" in text[last : match.start()].replace(" ", "").replace("\t", "")
            or _OWN_LINE.match(previous) is not None
            or _ends_with_marker(previous)
            or (not wrapped and _CONTINUES.match(line) is None)
        )
        if begin is not None and starts_anew:
            yield Span(begin, last)
            begin = None
        if begin is None:
            begin = match.start() + (item.end() if item else 0)
        last = match.end()
        previous = line
    if begin is not None:
        yield Span(begin, last)


def _ends_with_marker(line: str) -> bool:
    """`- 30 days [S1]` is complete; a line of markers alone is not."""
    found = _MARKER_AT_LINE_END.search(line[-24:])
    return found is not None and _has_words(line)


def _in_unit(text: str, unit: Span, inline: list[CodeSpan]) -> Iterator[Span]:
    begin = unit.start
    for match in _END.finditer(text, unit.start, unit.end):
        if _inside(inline, match.start()):
            continue
        if match["stop"] and not match["marked"] and _goes_on(text, begin, match):
            continue
        end = match.end()
        if match["gap"] and _opens_next(text, begin, match, unit):
            end = match.start("marked")
        yield _trim(text, begin, end)
        begin = end
    if text[begin : unit.end].strip():
        yield _trim(text, begin, unit.end)


def _inside(spans: list[CodeSpan], place: int) -> bool:
    before = bisect_right(spans, (place, sys.maxsize)) - 1
    return before >= 0 and place < spans[before].end


def _goes_on(text: str, begin: int, match: re.Match[str]) -> bool:
    """Whether full stops close a short form, or an ellipsis pauses, within a sentence."""
    stop = match.start()
    following = text[match.end() : match.end() + 2].lstrip()
    if match["stop"] != ".":
        return match["stop"].startswith("..") and following[:1].islower()
    before = text[max(begin, stop - _LONGEST_SHORT_FORM) : stop]
    if not before[-1:].isalpha():
        return False  # every short form ends in a letter; cited sentences end in a marker
    small = not following or following[0].islower() or following[0].isdigit()
    return (
        _GOES_ON.search(before) is not None
        or (_MAY_END.search(before) is not None and small)
        or _INITIAL.search(text[max(begin, stop - _LONGEST_NAME) : stop]) is not None
    )


def _opens_next(text: str, begin: int, match: re.Match[str], unit: Span) -> bool:
    """Whether the markers behind a full stop and a space belong to what follows: only where this
    sentence opened with markers itself, so that the text puts them in front."""
    opened = _OPENING_MARKER.match(text, begin, match.start())
    return opened is not None and _MORE.match(text, match.end(), unit.end) is not None


def _has_words(text: str) -> bool:
    return _LETTER_OR_DIGIT.search(_ALL_MARKERS.sub("", text)) is not None


def _join_bare_markers(text: str, sentences: list[Span]) -> Iterator[Span]:
    """Markers on a line of their own belong to the sentence before, the first to the one after."""
    held: Span | None = None
    held_has_words = False
    for span in sentences:
        has_words = _has_words(text[span.start : span.end])
        if held is None:
            held, held_has_words = span, has_words
        elif not has_words or not held_has_words:
            held, held_has_words = Span(held.start, span.end), held_has_words or has_words
        else:
            yield held
            held, held_has_words = span, has_words
    if held is not None:
        yield held


def _trim(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return Span(start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip()))
