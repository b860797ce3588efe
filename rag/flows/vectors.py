"""Vectors for the passages that wait for one: in batches, resumable, one bad text at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rag.core.passage import passage_text
from rag.domain.errors import ModelError
from rag.domain.index import PendingVector
from rag.domain.ports import CatalogWriter, Embedder, Vectors, VectorWriter

# Passages sorted by length together, so that a batch holds texts of about one length: little
# padding, even times.
_WINDOW = 1024
# Passages embedded and committed at once. With the bundled embedder about two seconds of work,
# which is all that an interruption loses.
_BATCH = 64
# Failures that say nothing about the text: asking again with half the texts would fail again.
_EMBEDDER_GONE = frozenset({"connection", "no_model", "timeout"})
_PROBE = "Is the embedder there?"


@dataclass
class VectorRun:
    embedded: int = 0
    """Passages that went through the embedder."""
    reused: int = 0
    """Passages that another one with the same wording lent its vector."""
    stopped: str | None = None
    """Why the rest waits for another run."""


def fill_vectors(
    catalog: CatalogWriter,
    vectors: VectorWriter,
    embedder: Embedder,
    paths: Sequence[str] | None,
    on_progress: Callable[[int, int], None],
    require_space: Callable[[], None],
) -> VectorRun:
    """Embeds what waits, of `paths` only when given, then drops vectors of passages that are gone.

    Dropping comes last: a moved document's old vectors serve its new passages.
    """
    run = VectorRun()
    catalog.retry_failed_vectors()
    total, done = catalog.vectors_pending(paths), 0
    while run.stopped is None and (window := catalog.vectors_to_write(_WINDOW, paths)):
        window.sort(key=lambda pending: len(pending.chunk.text))
        for start in range(0, len(window), _BATCH):
            require_space()
            batch = window[start : start + _BATCH]
            try:
                _fill_batch(catalog, vectors, embedder, batch, run)
            except ModelError as error:
                run.stopped = error.message
                break
            done += len(batch)
            on_progress(done, total)
    while gone := catalog.vectors_to_drop(_WINDOW):
        vectors.drop(gone)
        catalog.vectors_done(gone)
    return run


def _fill_batch(
    catalog: CatalogWriter,
    vectors: VectorWriter,
    embedder: Embedder,
    batch: Sequence[PendingVector],
    run: VectorRun,
) -> None:
    rows = _lent(catalog, vectors, batch)
    run.reused += len(rows)
    rest = [pending for pending in batch if pending.chunk.chunk_id not in rows]
    failures: dict[str, str] = {}
    if rest:
        results = embed_each(embedder, [passage_text(pending.chunk) for pending in rest])
        for pending, result in zip(rest, results, strict=True):
            if isinstance(result, str):
                failures[pending.chunk.chunk_id] = result
            else:
                rows[pending.chunk.chunk_id] = result
                run.embedded += 1
    filled = [pending.chunk for pending in batch if pending.chunk.chunk_id in rows]
    ids = [chunk.chunk_id for chunk in filled]
    if filled:
        catalog.vectors_begun(ids)
        vectors.put(filled, np.stack([rows[chunk_id] for chunk_id in ids]))
        catalog.vectors_done(ids)
    if failures:
        catalog.vectors_failed(failures)


def _lent(
    catalog: CatalogWriter, vectors: VectorWriter, batch: Sequence[PendingVector]
) -> dict[str, Vectors]:
    """Vectors that the index holds already for the same wording, by the chunk id in need."""
    donors = catalog.vector_donors([pending.passage for pending in batch])
    if not donors:
        return {}
    held = vectors.get(list(donors.values()))
    return {
        pending.chunk.chunk_id: held[donor]
        for pending in batch
        if (donor := donors.get(pending.passage)) in held and donor is not None
    }


def embed_each(embedder: Embedder, texts: Sequence[str]) -> list[Vectors | str]:
    """For each text its vector, or a one-line reason why it has none.

    A batch that fails is halved until the bad text is alone. When no text of a batch succeeds, a
    plain sentence tells whether texts or embedder are to blame.

    Raises:
        ModelError: the embedder itself does not work.
    """
    results = _halve(embedder, texts)
    if all(isinstance(result, str) for result in results):
        probe = _halve(embedder, [_PROBE])[0]
        if isinstance(probe, str):
            raise ModelError(f"the embedder does not work: {probe}")
    return results


def _halve(embedder: Embedder, texts: Sequence[str]) -> list[Vectors | str]:
    try:
        vectors = np.asarray(embedder.embed_passages(texts), dtype=np.float32)
        expected = (len(texts), embedder.dimension)
        if vectors.shape != expected:
            raise ModelError(f"vectors of shape {vectors.shape} instead of {expected}")
    except Exception as error:
        if isinstance(error, ModelError) and error.reason in _EMBEDDER_GONE:
            raise
        if len(texts) == 1:
            return [str(error).strip().split("\n")[0] or type(error).__name__]
        middle = len(texts) // 2
        return _halve(embedder, texts[:middle]) + _halve(embedder, texts[middle:])
    return [_checked(vector) for vector in vectors]


def _checked(vector: Vectors) -> Vectors | str:
    if not np.isfinite(vector).all():
        return "the embedder gave a vector that is not finite"
    if not np.linalg.norm(vector) > 0:
        return "the embedder gave a zero vector"
    return vector
