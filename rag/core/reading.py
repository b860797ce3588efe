"""The words of a claim, apart from its markers."""

import re
from bisect import bisect_right

from rag.core.code_spans import code_spans

_MARKER = re.compile(r"\[S\d+\]")
_LAST_MARKER = re.compile(r"\[S\d+\]\Z")
_LONGEST_MARKER = 12


def without_markers(text: str) -> str:
    """`text` with its markers blanked, same length. Inside code nothing is a marker, except at the
    very end of a claim, where it marks the code."""
    if "[S" not in text:
        return text
    text = _without_last_markers(text)
    code = code_spans(text)
    if not code:
        return _MARKER.sub(lambda match: " " * len(match.group()), text)
    starts = [span.start for span in code]

    def blank(match: re.Match[str]) -> str:
        before = bisect_right(starts, match.start()) - 1
        inside = before >= 0 and match.start() < code[before].end
        return match.group() if inside else " " * len(match.group())

    return _MARKER.sub(blank, text)


def _without_last_markers(text: str) -> str:
    end = len(text.rstrip(" \n.。"))
    while match := _LAST_MARKER.search(text, max(0, end - _LONGEST_MARKER), end):
        text = f"{text[: match.start()]}{' ' * len(match.group())}{text[end:]}"
        end = len(text[: match.start()].rstrip())
    return text
