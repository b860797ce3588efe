"""Small deterministic stand-ins for the parts that need a model."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from math import log

import numpy as np

from rag.core.analyzer import analyze
from rag.domain.documents import Chunk
from rag.domain.ports import Vectors
from rag.domain.retrieval import Filter, Hit


class HashEmbedder:
    """Each distinct word is one direction, so that texts sharing words are near each other."""

    def __init__(self, dimension: int = 32, name: str = "hash") -> None:
        self.dimension = dimension
        self.identity = f"{name}:d{dimension}"
        self.max_tokens = 512
        self.embedded: list[str] = []
        """Every passage that was embedded, in order."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.embedded.extend(texts)
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        total = np.zeros(self.dimension, dtype=np.float32)
        for word in text.lower().split() or [text]:
            seed = int.from_bytes(hashlib.sha256(f"{self.identity} {word}".encode()).digest()[:8])
            total += np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)
        return np.asarray(total / np.linalg.norm(total), dtype=np.float32)


class MemoryLexical:
    """A `LexicalWriter` that outlives a run that was cut off, as files would."""

    version = "memory-1"

    def __init__(self) -> None:
        self.chunks: dict[str, Chunk] = {}

    def search(self, query: str, limit: int, filter: Filter) -> list[Hit]:
        terms = set(analyze(query))
        shared = {key: len(terms & {*analyze(c.text)}) for key, c in self.chunks.items()}
        hits = [Hit(chunk_id=key, score=count) for key, count in shared.items() if count]
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[:limit]

    def rarity(self, query: str) -> dict[str, float]:
        texts = [{*analyze(chunk.text)} for chunk in self.chunks.values()]
        return {
            term: log((len(texts) + 1) / (sum(term in text for text in texts) + 0.5))
            for term in analyze(query)
        }

    def replace(self, paths: Sequence[str], chunks: Iterable[Chunk]) -> None:
        kept = {key: chunk for key, chunk in self.chunks.items() if chunk.path not in paths}
        self.chunks = kept | {chunk.chunk_id: chunk for chunk in chunks}

    def rebuild(self, chunks: Iterable[Chunk]) -> None:
        self.chunks = {chunk.chunk_id: chunk for chunk in chunks}

    def count(self) -> int:
        return len(self.chunks)

    def close(self) -> None: ...


class MemoryVectors:
    """A `VectorWriter` that outlives a run that was cut off, as files would."""

    def __init__(self) -> None:
        self.rows: dict[str, Vectors] = {}

    def search(self, vectors: Sequence[Vectors], limit: int, filter: Filter) -> list[Hit]:
        hits = [
            Hit(chunk_id=key, score=max(float(vector @ row) for vector in vectors))
            for key, row in self.rows.items()
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[:limit]

    def put(self, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        self.rows.update(zip((chunk.chunk_id for chunk in chunks), vectors, strict=True))

    def get(self, chunk_ids: Sequence[str]) -> dict[str, Vectors]:
        return {key: self.rows[key] for key in chunk_ids if key in self.rows}

    def drop(self, chunk_ids: Sequence[str]) -> None:
        for key in chunk_ids:
            self.rows.pop(key, None)

    def ids(self) -> Iterator[str]:
        yield from list(self.rows)

    def count(self) -> int:
        return len(self.rows)

    def reset(self) -> None:
        self.rows.clear()

    def close(self) -> None: ...
