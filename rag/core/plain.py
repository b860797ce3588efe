"""Text made safe to print: nothing in it can move a cursor, hide a word or reverse a line."""

import re

# A terminal sequence is dropped whole, so that no half of it is left as noise: CSI (ESC [ up to a
# letter), OSC and its kin (ESC ] up to BEL or ESC \), and short escapes. An unended OSC must not
# take the rest of the text with it: only a short one on a single line counts.
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\n\x07\x1b\x9c]{0,200}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
# What remains of control characters, and the bidirectional controls that can make a line read
# other than it is stored. Tab and line feed are layout, and stay.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f‪-‮⁦-⁩؜‎‏]")

_BREAK = re.compile(r"[\t\n\u2028\u2029]")


def printable(text: str) -> str:
    """`text` without terminal sequences, control characters and bidirectional controls."""
    return _CONTROL.sub("", _SEQUENCE.sub("", text))


def inline(text: str) -> str:
    """`text` as part of one line: printable, each line break or tab a space, other blanks as they
    are, so that a path can still be copied. A file name may hold a line feed: printed as it is, it
    would forge a line of its own."""
    return _BREAK.sub(" ", printable(text))


def one_line(text: str, width: int | None = None) -> str:
    """`text` on one line, printable, cut to `width` characters with an ellipsis."""
    flat = " ".join(printable(text).split())
    return flat if width is None or len(flat) <= width else flat[: width - 1] + "…"


def well_formed(text: str) -> str:
    """`text` with each lone surrogate (half a character, from a cut reply or a shell argument in
    another encoding) replaced by U+FFFD, so that it can be stored and printed."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
