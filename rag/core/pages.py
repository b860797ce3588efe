"""Pages of positioned lines to one running text.

A page description has lines, not paragraphs. Lines that only wrapped are joined, words that were
hyphenated at a line's end are closed, and a sentence that runs over a page break stays whole.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.core.tokens import columns

# pdfium marks a hyphen that it takes for a line-end hyphen with one of these.
_SOFT_HYPHEN = re.compile("[\ufffe\u00ad\x02]\n?")
_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-‐]$")
_WIDE = re.compile(r"[⺀-鿿豈-﫿぀-ヿ가-힯＀-￯]")
_SENTENCE_END = re.compile(r"[.!?:;。！？：；…][\"'”’」』）)\]]*$")
_LIST_ITEM = re.compile(
    r"\s*(?:[-*•‣◦▪–—·]|\(?(?:\d{1,3}|[a-zA-Z])[.)、]|[一二三四五六七八九十]+、)\s*"
)

# A line was wrapped if the next word had no room on it. Letters differ in width, so a line that
# would be this full with that word had none; the page's longest line stands for the full width.
_FULL_LINE = 0.85


@dataclass(frozen=True, slots=True)
class JoinedPages:
    text: str
    page_starts: tuple[int, ...]
    """Offset in `text` where each page begins; an empty page begins where the next one does."""
    warnings: tuple[str, ...] = ()


def join_pages(pages: Sequence[str]) -> JoinedPages:
    """One text from the lines of each page, paragraphs apart by an empty line."""
    parts: list[str] = []
    length = 0
    starts: list[int] = []
    last = ""
    width = 0
    for page in pages:
        lines = [line.rstrip() for line in _SOFT_HYPHEN.sub("", _line_ends(page)).split("\n")]
        page_width = max(map(columns, lines), default=0)
        started = False
        blank = False
        for line in lines:
            if not line.strip():
                blank = True
                continue
            wrapped_at = width if not started else page_width
            if not parts:
                joint = ""
            elif blank and started:
                joint = "\n\n"
            else:
                joint = _joint(last, line, wrapped_at, new_page=not started)
            if joint == "-":
                parts[-1] = parts[-1][:-1]
                length -= 1
                # An empty page in between began behind the hyphen that is gone.
                starts = [min(start, length) for start in starts]
                joint = ""
            line = line.strip() if joint in ("", " ") else line
            length += len(joint)
            if not started:
                starts.append(length)
                started = True
            parts += (joint, line)
            length += len(line)
            last = line
            blank = False
        if not started:
            starts.append(length)
        width = page_width
    text = "".join(parts)
    return JoinedPages(text, tuple(starts))


def _joint(above: str, below: str, width: int, *, new_page: bool) -> str:
    """What stands between two lines: nothing, a space, a line break, or `-` to close a hyphen."""
    if _HYPHENATED.search(above) and below.strip()[:1].islower():
        return "-"
    ended = bool(_SENTENCE_END.search(above))
    if new_page and ended:
        return "\n\n"
    full = columns(above) + 1 + columns(_first_word(below)) >= _FULL_LINE * width
    if not full or _LIST_ITEM.match(below):
        return "\n\n" if new_page and not full else "\n"
    both_wide = _WIDE.match(above[-1]) and _WIDE.match(below.strip()[0])
    return "" if both_wide else " "


def _first_word(line: str) -> str:
    """What a line break would have moved: a word, or one wide character."""
    word = line.split(None, 1)[0]
    return word[0] if _WIDE.match(word) else word


def _line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
