"""Globs over the relative paths of documents."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache


def select_paths(paths: Iterable[str], globs: Sequence[str]) -> list[str]:
    """Those of `paths` that match any of `globs`, in the order given.

    `*` and `?` stay within one folder, `**` crosses folders, `[...]` is a set of characters. A glob
    without a slash matches a file or folder name at any depth; one that names a folder matches
    everything in it.
    """
    patterns = [_compile(glob) for glob in globs]
    return [
        path
        for path in paths
        if any(pattern.fullmatch(unicodedata.normalize("NFC", path)) for pattern in patterns)
    ]


@lru_cache(maxsize=256)
def _compile(glob: str) -> re.Pattern[str]:
    glob = unicodedata.normalize("NFC", glob).replace("\\", "/").removeprefix("./")
    anchored = "/" in glob.rstrip("/")
    body = _translate(glob.strip("/"))
    start = "" if anchored else "(?:.*/)?"
    return re.compile(f"{start}{body}(?:/.*)?", re.DOTALL)


_PIECE = re.compile(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\]|.", re.DOTALL)


def _translate(glob: str) -> str:
    out = []
    for piece in _PIECE.findall(glob):
        if piece == "**/":
            out.append("(?:.*/)?")
        elif piece == "**":
            out.append(".*")
        elif piece == "*":
            out.append("[^/]*")
        elif piece == "?":
            out.append("[^/]")
        elif len(piece) > 2 and piece.startswith("["):
            negated = piece[1] == "!"
            inner = piece[2:-1] if negated else piece[1:-1]
            inner = re.sub(r"([\\\[\]^&~|])", r"\\\1", inner)
            out.append(f"[{'^' if negated else ''}{inner}]")
        else:
            out.append(re.escape(piece))
    return "".join(out)
