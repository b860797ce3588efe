"""What must hold for the chunks of any document."""

import re
from collections.abc import Sequence

from rag.core.tokens import count_tokens
from rag.domain.documents import Chunk, LoadedDocument

WORD = re.compile(r"[^\W_]")


def assert_sound(
    document: LoadedDocument, chunks: Sequence[Chunk], *, size: int, overlap: int = 0
) -> None:
    """Offsets, order, sizes, lines, identity and coverage of all chunks of one document."""
    text = document.text
    covered = bytearray(len(text))
    previous_start, previous_end, line = 0, 0, 1
    for ordinal, chunk in enumerate(chunks):
        assert chunk.ordinal == ordinal
        assert text[chunk.start : chunk.end] == chunk.text
        assert WORD.search(chunk.text), "a chunk without a letter or digit"
        assert chunk.start >= previous_start
        if not overlap:
            assert chunk.start >= previous_end
        assert count_tokens(chunk.text) <= size
        line += text.count("\n", previous_start, chunk.start)
        assert chunk.start_line == line
        assert chunk.end_line == line + text.count("\n", chunk.start, chunk.end - 1)
        assert (chunk.page is None) == (not document.page_starts)
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
        previous_start, previous_end = chunk.start, chunk.end
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
    lost = "".join(char for char, seen in zip(text, covered, strict=True) if not seen)
    assert not WORD.search(lost), f"lost: {lost[:80]!r}"
