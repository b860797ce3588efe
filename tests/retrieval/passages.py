"""Chunks and hits for tests, with as little said as a test needs."""

from collections.abc import Mapping, Sequence

from rag.domain.documents import Chunk, Language
from rag.domain.retrieval import Hit


def passage(
    text: str,
    *,
    path: str = "guide.md",
    title: str = "",
    context: str = "",
    symbol: str | None = None,
    node_kind: str | None = None,
    language: Language = "en",
) -> Chunk:
    return Chunk(
        chunk_id=f"{path}#{symbol or ''}#{text}",
        path=path,
        title=title,
        ordinal=0,
        start=0,
        end=len(text),
        start_line=1,
        end_line=1,
        text=text,
        context=context,
        language=language,
        symbol=symbol,
        node_kind=node_kind,
    )


def hits(scores: Mapping[str, float]) -> list[Hit]:
    ordered = sorted(scores.items(), key=lambda item: -item[1])
    return [Hit(chunk_id=chunk_id, score=score) for chunk_id, score in ordered]


def by_id(chunks: Sequence[Chunk]) -> dict[str, Chunk]:
    return {chunk.chunk_id: chunk for chunk in chunks}
