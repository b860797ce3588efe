"""What of a chunk is searched: the wording behind its vector and its lexical fields."""

import hashlib

from rag.domain.documents import Chunk

PASSAGE_VERSION = "passage-1"
"""Raise it whenever `passage_text` changes: the vectors of passages worded otherwise follow."""

FIELDS_VERSION = "fields-1"
"""Raise it whenever `lexical_fields` changes: the lexical index is then rebuilt."""


def passage_text(chunk: Chunk) -> str:
    """The text that is embedded for a chunk: title and context, then the passage itself."""
    head = [part for part in (chunk.title, chunk.context) if part]
    if len(head) == 2 and chunk.context.startswith(chunk.title):
        head = head[1:]
    return "\n".join([*head, chunk.text])


def passage_hash(chunk: Chunk) -> str:
    """Identifies the vector of a chunk: equal passages have equal vectors under one embedder."""
    return hashlib.sha256(passage_text(chunk).encode()).hexdigest()[:32]


def lexical_fields(chunk: Chunk) -> dict[str, str]:
    """The plain texts whose analysed terms are searched, by field."""
    return {
        "title": chunk.title,
        "heading": chunk.context or " ".join(chunk.heading),
        "text": chunk.text,
        "symbol": chunk.symbol or "",
        "path": chunk.path,
    }
