"""Small deterministic stand-ins for the parts that need a model."""

import hashlib
from collections.abc import Sequence

import numpy as np

from rag.domain.ports import Vectors


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
