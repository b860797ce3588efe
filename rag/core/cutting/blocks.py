"""The pieces that a document's outline consists of, whatever its syntax."""

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import Literal

# Characters of a title that are kept: longer ones are not titles, and they are repeated in the
# context of every chunk below them.
LONGEST_HEADING = 300

BlockKind = Literal["heading", "lead", "prose", "code", "table"]


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of a document that belong together. Offsets index the document text."""

    start: int
    end: int
    kind: BlockKind
    """`heading` and `lead` (a directive's first line, a link target) go with what follows."""
    path: tuple[str, ...] = ()
    """Headings above it, its own included, outermost first; for code the names it is inside."""
    depth: int = 0
    """Levels of indentation or nesting: the deeper, the worse a place to begin a chunk."""
    header: str = ""
    """What a later part of this block needs to be understood: a table's header row, the first
    line of a definition."""
    header_end: int = 0
    """Where the header rows end in the document; the rest of a table is rows."""
    rows: tuple[int, ...] = ()
    """Offsets at which a table's rows begin; empty: every line is a row."""
    node_kind: str | None = None
    page: int = 0
    """1-based page it begins on; 0 where there are none. Chunks do not run over pages."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A document as blocks in order. Together they hold every character but white space."""

    blocks: tuple[Block, ...]
    title: str | None = None


class Lines:
    """Line numbers to offsets and back. A line ends with LF, as in the document text."""

    def __init__(self, text: str) -> None:
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._length = len(text)

    def __len__(self) -> int:
        return len(self.starts)

    def start(self, line: int) -> int:
        """Offset where 0-based `line` begins; the text's length for a line behind the last."""
        return self.starts[line] if line < len(self.starts) else self._length

    def at(self, offset: int) -> int:
        """0-based number of the line that holds `offset`."""
        return bisect_right(self.starts, offset) - 1


def fill_gaps(text: str, blocks: list[Block]) -> list[Block]:
    """The same blocks with prose put in wherever text between them would be lost."""
    filled: list[Block] = []
    position = 0
    path: tuple[str, ...] = ()
    for block in blocks:
        start = max(block.start, position)
        if start >= block.end or text[start : block.end].isspace():
            continue
        filled += _prose(text, position, start, path)
        filled.append(block if start == block.start else replace(block, start=start))
        position, path = block.end, block.path
    filled += _prose(text, position, len(text), path)
    return filled


def _prose(text: str, start: int, end: int, path: tuple[str, ...]) -> list[Block]:
    return [Block(start, end, "prose", path)] if text[start:end].strip() else []
