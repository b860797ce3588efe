"""What happened, as the trace and the answer tell it. Pure translation, no decisions."""

import hashlib
from collections.abc import Sequence

from rag.core.context import place_in_document
from rag.core.query_terms import QueryTerms, query_terms
from rag.domain.answer import Citation, SourceText
from rag.domain.documents import Chunk
from rag.domain.retrieval import Candidate, ContextBundle, Retrieved, Source
from rag.domain.trace import CandidateTrace, ContextTrace, RetrievalTrace, SourceTrace


def record_retrieval(
    retrieved: Retrieved, candidates: Sequence[Candidate], mode: str
) -> RetrievalTrace:
    terms = QueryTerms((), ()) if mode == "vector" else query_terms(retrieved.query)
    return RetrievalTrace(
        query=retrieved.query,
        mode=mode,
        terms_used=terms.used,
        terms_dropped=terms.dropped,
        candidates=tuple(
            CandidateTrace(
                chunk_id=candidate.chunk.chunk_id,
                path=candidate.chunk.path,
                score=candidate.score,
                ranks=candidate.ranks,
                similarity=candidate.similarity,
            )
            for candidate in candidates
        ),
        degraded=retrieved.degraded,
    )


def record_context(bundle: ContextBundle, *, keep_text: bool) -> ContextTrace:
    return ContextTrace(
        sources=tuple(_record_source(source, keep_text) for source in bundle.sources),
        omitted=bundle.omitted,
        token_budget=bundle.token_budget,
        tokens_used=bundle.tokens_used,
    )


def source_texts(bundle: ContextBundle) -> tuple[SourceText, ...]:
    """The sources as support sees them: the documents' own text."""
    return tuple(
        SourceText(
            marker=source.marker,
            text=source.chunk.text,
            context=support_context(source.chunk),
            offset=source.chunk.start,
            start_line=source.chunk.start_line,
            page=source.chunk.page,
        )
        for source in bundle.sources
    )


def citations_of(markers: Sequence[str], bundle: ContextBundle) -> tuple[Citation, ...]:
    """The cited sources, located, in order of first use."""
    by_marker = {source.marker: source.chunk for source in bundle.sources}
    return tuple(
        Citation(
            marker=marker,
            chunk_id=chunk.chunk_id,
            title=chunk.title,
            path=chunk.path,
            heading=chunk.heading,
            start=chunk.start,
            end=chunk.end,
            start_line=chunk.start_line,
            end_line=chunk.end_line,
            page=chunk.page,
            end_page=chunk.end_page,
            flags=tuple(dict.fromkeys(flag.kind for flag in chunk.flags)),
        )
        for marker in markers
        if (chunk := by_marker.get(marker)) is not None
    )


def content_hash(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _record_source(source: Source, keep_text: bool) -> SourceTrace:
    chunk = source.chunk
    return SourceTrace(
        marker=source.marker,
        chunk_id=chunk.chunk_id,
        path=chunk.path,
        title=chunk.title,
        heading=chunk.heading,
        content_hash=content_hash(chunk.text),
        start=chunk.start,
        end=chunk.end,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        page=chunk.page,
        end_page=chunk.end_page,
        text=chunk.text if keep_text else None,
        context=support_context(chunk) if keep_text else None,
        flags=tuple(dict.fromkeys(flag.kind for flag in chunk.flags)),
    )


def support_context(chunk: Chunk) -> str:
    """What stands above a passage: it may hold words of a claim, and is never quoted."""
    return f"{place_in_document(chunk.title, chunk.heading)}\n{chunk.context}".strip()
