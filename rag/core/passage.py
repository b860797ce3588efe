"""What of a chunk is searched: the wording behind its vector and its lexical fields."""

import hashlib

from rag.core.script import readings, simplify
from rag.domain.documents import Chunk

PASSAGE_VERSION = "passage-5"
"""Raise it whenever `passage_text` changes: the vectors of passages worded otherwise follow."""

WORDS_VERSION = "words-2"
"""Raise it whenever `lexical_text` changes: the lexical index is then rebuilt."""


def passage_text(chunk: Chunk) -> str:
    """The text that is embedded for a chunk: title and context, then the passage itself.

    Chinese is embedded in one script. The bundled model knows Simplified better: nDCG@10 of vectors
    alone on fastapi_xling, Traditional passages: .52 as they are, .56 converted; English questions
    over them .32 and .40; Simplified questions .41 and .53.
    """
    return simplify("\n".join([*_head(chunk), chunk.text]))


def query_text(query: str) -> str:
    """The text that is embedded for a query: worded as passages are. One too short to tell its
    script is taken for Traditional; the other reading's words are near it all the same."""
    return readings(query)[-1]


def passage_hash(chunk: Chunk) -> str:
    """Identifies the vector of a chunk: equal passages have equal vectors under one embedder."""
    return hashlib.sha256(passage_text(chunk).encode()).hexdigest()[:32]


def lexical_text(chunk: Chunk) -> str:
    """The plain text whose analysed terms are searched.

    One field for all: with the title in a field of its own a short title that holds one of the
    query's words beats a passage that holds them all (nDCG@10 on fastapi_xling en .60 and .55).
    """
    heading = chunk.context or " ".join(chunk.heading)
    head = dict.fromkeys([chunk.path, chunk.title, heading, chunk.symbol or ""])
    return "\n".join([*head, chunk.text])


def _head(chunk: Chunk) -> list[str]:
    """Title and context; the title once when the context begins with it."""
    title, context = chunk.title.strip(), chunk.context.strip()
    if title and context.startswith(title):
        return [context]
    return [part for part in (title, context) if part]
