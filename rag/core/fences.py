"""Code fences around the object of a reply. A fence counts only where it touches an object; one in
the prose around it is prose."""

import re
from typing import NamedTuple

# Backticks in any number, tildes, and the quotes that some models take for a fence; an info string
# only in front.
_BEFORE = re.compile(r"(?:`+|~{3,}|'{3}|\"{3})[ \t]*[\w+.#-]{0,20}\Z")
_AFTER = re.compile(r"`+|~{3,}|'{3}|\"{3}")
# Enough for a fence with its info string, so that a long text is not searched from its beginning.
_LONGEST = 60
# A fence in a fence in a fence.
_DEEPEST = 3


class Unfenced(NamedTuple):
    """The texts around objects, stripped, and whether a fence was taken off any."""

    texts: list[str]
    fenced: bool


def strip_fences(outer: list[str]) -> Unfenced:
    """`outer` is the text before the first object, between two, and behind the last, in order."""
    texts = [text.strip() for text in outer]
    fenced = False
    for index in range(len(texts)):
        for _ in range(_DEEPEST):
            if index > 0 and (closing := _AFTER.match(texts[index])):
                texts[index] = texts[index][closing.end() :].lstrip()
                fenced = True
            tail = texts[index][-_LONGEST:]
            if index < len(texts) - 1 and (opening := _BEFORE.search(tail)):
                kept = len(texts[index]) - len(tail) + opening.start()
                texts[index] = texts[index][:kept].rstrip()
                fenced = True
    return Unfenced(texts, fenced)
