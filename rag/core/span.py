"""A stretch of text."""

from typing import NamedTuple


class Span(NamedTuple):
    """`text[start:end]`."""

    start: int
    end: int
