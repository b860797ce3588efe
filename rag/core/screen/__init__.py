"""Text in a document that speaks to the model instead of to the reader.

A pure scan with general patterns, in English and both Chinese scripts: orders that lift rules or
dictate the answer, claims of a role or an authority, chat templates' control tokens, text that a
reader cannot see. What it finds is recorded and shown beside the passage. It is never removed, and
nothing relies on its being complete: the contract and the support check do not trust a source
either way.

The kinds of attack follow Greshake et al., "Not what you've signed up for" (2023), and the BIPIA
benchmark (Yi et al., 2023). An order to do some unrelated task in plain prose ("Explain how solar
panels work.") cannot be told from a document's own sentences and is not looked for; the same order
in a comment, under a role heading or behind an alarm word is.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from rag.core.screen.chinese import CHINESE, SIMPLIFIED, TRADITIONAL
from rag.core.screen.english import ENGLISH
from rag.core.screen.forms import ALARM, COMMENT, CONTROL_TOKEN, ROLE
from rag.core.screen.pattern import words_of
from rag.domain.documents import Flag

# Characters without a glyph. One between words is a line-break hint; runs carry hidden text, and
# those inside a word keep it from being recognised.
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2060-\u2064\u206a-\u206f\ufeff"
)
_INVISIBLE_CHAR = re.compile(f"[{_INVISIBLE}\U000e0000-\U000e007f]")
# A zero-width joiner holds emoji together and variation selectors follow them: never alone a sign.
_ZERO_WIDTH_RUN = re.compile(f"[{_INVISIBLE}]{{4,}}")
# Tag characters spell ASCII invisibly. Their one use is in flags such as that of Scotland, behind
# the black flag.
_TAGS = re.compile("(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0020-\U000e007f]{2,}")
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]+[^\n\u202a-\u202e\u2066-\u2069]{0,80}")

# Letters that only look different, each one for one: full-width and mathematical ones to plain,
# Traditional characters to Simplified.
_LOOK_ALIKES = [*range(0xFF01, 0xFF5F), *range(0x1D400, 0x1D800)]
_FOLD = {code: unicodedata.normalize("NFKC", chr(code)).lower() for code in _LOOK_ALIKES} | (
    str.maketrans(TRADITIONAL + "「」『』“”", SIMPLIFIED + '"' * 6)
)

# A file name or an identifier has these where a sentence has spaces.
_NAME_SPACES = str.maketrans("_-+./\\", " " * 6)

# The longest quote kept with a flag, in characters.
_LONGEST_QUOTE = 200


@dataclass(frozen=True, slots=True)
class _Find:
    kind: str
    start: int
    end: int


def screen(text: str) -> tuple[Flag, ...]:
    """Flags in order of position; offsets index `text`, none overlap. Time linear in its length."""
    finds = [*_unseen(text), *_spoken(text)]
    return tuple(
        Flag(
            kind=find.kind,
            quote=text[find.start : find.end][:_LONGEST_QUOTE],
            start=find.start,
            end=find.end,
        )
        for find in _without_overlaps(finds)
    )


def _unseen(text: str) -> Iterator[_Find]:
    """Characters that hide text or turn its direction."""
    if text.isascii():
        return
    for pattern, kind in ((_ZERO_WIDTH_RUN, "hidden"), (_TAGS, "hidden"), (_BIDI, "bidi")):
        for match in pattern.finditer(text):
            yield _Find(kind, match.start(), match.end())


def _spoken(text: str) -> Iterator[_Find]:
    """Words to the model, read as they look: without invisible characters, case or script."""
    visible, positions = _visible(text)
    folded = visible.lower() if visible.isascii() else _lower(visible).translate(_FOLD)
    sentences = folded if _SPACE.search(folded) else folded.translate(_NAME_SPACES)
    words = words_of(folded)

    def place(kind: str, start: int, end: int) -> _Find:
        if positions is None:
            return _Find(kind, start, end)
        return _Find(kind, positions[start], positions[end - 1] + 1)

    for pattern in CONTROL_TOKEN:
        yield from (
            place("control_token", *match.span()) for match in pattern.finditer(folded, words)
        )
    for pattern in ROLE:
        yield from (place("role", *match.span()) for match in pattern.finditer(folded, words))
    for pattern in (*ENGLISH, *CHINESE, *ALARM):
        for match in pattern.finditer(sentences, words):
            yield place("instruction", *_sentence(sentences, *match.span()))
    for match in COMMENT.finditer(folded, words):
        yield place("hidden", *match.span())


def _visible(text: str) -> tuple[str, list[int] | None]:
    """The text without invisible characters, and where each one left was; None if unchanged."""
    if text.isascii() or not _INVISIBLE_CHAR.search(text):
        return text, None
    positions = [i for i, char in enumerate(text) if not _INVISIBLE_CHAR.match(char)]
    return "".join(text[i] for i in positions), positions


def _lower(text: str) -> str:
    """Lower case, length unchanged: a few capitals have a lower case of two characters."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(c.lower()[:1] for c in text)


_SPACE = re.compile(r"\s")
_STOP = re.compile(r"[\n。.!?！？]")


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """The match, on to the end of its sentence, at most as far as a quote goes."""
    stop = _STOP.search(text, end, min(len(text), start + _LONGEST_QUOTE))
    return start, stop.start() if stop else min(len(text), max(end, start + _LONGEST_QUOTE))


def _without_overlaps(finds: list[_Find]) -> Iterator[_Find]:
    """The first of those that overlap; at one place the longest."""
    reached = 0
    for find in sorted(finds, key=lambda find: (find.start, -find.end)):
        if find.start >= reached:
            yield find
            reached = find.end


def flags_between(flags: tuple[Flag, ...], start: int, end: int) -> tuple[Flag, ...]:
    """Those of a document's flags that touch `document_text[start:end]`."""
    first = bisect_left(flags, start, key=lambda flag: flag.end)
    found = []
    for flag in flags[first:]:
        if flag.start >= end:
            break
        if flag.end > start:
            found.append(flag)
    return tuple(found)
