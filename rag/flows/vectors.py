"""Vectors for the passages that wait for one: in batches, resumable, one bad text at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rag.core.passage import passage_text
from rag.domain.errors import ModelError
from rag.domain.index import PendingVector
from rag.domain.ports import CatalogWriter, Embedder, Vectors, VectorWriter

# Passages sorted by length together, so that neighbours are of about one length: little padding,
# even times.
_WINDOW = 1024
# Passages written at once: Chroma takes 64 at a time half as fast as 256, and larger batches gain
# nothing more. Some eight seconds of work with the bundled embedder, all that a stop can lose.
_BATCH = 256
# Passages handed to the embedder at once: a second of work, so that progress is seen.
_CALL = 32
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
    catalog.retry_failed_vectors()
    filler = _Filler(catalog, vectors, embedder, on_progress, catalog.vectors_pending(paths))
    while not filler.run.stopped and (window := catalog.vectors_to_write(_WINDOW, paths)):
        window.sort(key=lambda pending: len(pending.chunk.text))
        for start in range(0, len(window), _BATCH):
            require_space()
            filler.fill(window[start : start + _BATCH])
            if filler.run.stopped:
                break
    while gone := catalog.vectors_to_drop(_WINDOW):
        vectors.drop(gone)
        catalog.vectors_done(gone)
    return filler.run


class _Filler:
    def __init__(
        self,
        catalog: CatalogWriter,
        vectors: VectorWriter,
        embedder: Embedder,
        on_progress: Callable[[int, int], None],
        total: int,
    ) -> None:
        self.run = VectorRun()
        self._catalog = catalog
        self._vectors = vectors
        self._embedder = embedder
        self._on_progress = on_progress
        self._total = total
        self._done = 0

    def fill(self, batch: Sequence[PendingVector]) -> None:
        """Writes a vector for each passage of the batch, or the reason why it has none."""
        rows = self._lent(batch)
        self.run.reused += len(rows)
        self._advance(len(rows))
        failures = self._embed([p for p in batch if p.chunk.chunk_id not in rows], rows)
        filled = [pending.chunk for pending in batch if pending.chunk.chunk_id in rows]
        ids = [chunk.chunk_id for chunk in filled]
        if filled:
            self._catalog.vectors_begun(ids)
            self._vectors.put(filled, np.stack([rows[chunk_id] for chunk_id in ids]))
            self._catalog.vectors_done(ids)
        if failures:
            self._catalog.vectors_failed(failures)

    def _lent(self, batch: Sequence[PendingVector]) -> dict[str, Vectors]:
        """Vectors that the index holds already for the same wording, by the chunk id in need."""
        donors = self._catalog.vector_donors([pending.passage for pending in batch])
        if not donors:
            return {}
        held = self._vectors.get(list(donors.values()))
        return {
            pending.chunk.chunk_id: held[donor]
            for pending in batch
            if (donor := donors.get(pending.passage, "")) in held
        }

    def _embed(self, waiting: Sequence[PendingVector], rows: dict[str, Vectors]) -> dict[str, str]:
        """Adds to `rows`; returns the reasons of those that failed. Stops the run when the
        embedder itself does not work; what it did until then is kept."""
        failures: dict[str, str] = {}
        for start in range(0, len(waiting), _CALL):
            call = waiting[start : start + _CALL]
            try:
                results = embed_each(self._embedder, [passage_text(p.chunk) for p in call])
            except ModelError as error:
                self.run.stopped = error.message
                break
            for pending, result in zip(call, results, strict=True):
                if isinstance(result, str):
                    failures[pending.chunk.chunk_id] = result
                else:
                    rows[pending.chunk.chunk_id] = result
                    self.run.embedded += 1
            self._advance(len(call))
        return failures

    def _advance(self, count: int) -> None:
        self._done += count
        self._on_progress(self._done, self._total)


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
