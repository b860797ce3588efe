"""The network of multilingual-e5-small as an ONNX model, made from the packed weights.

A post-norm BERT (Devlin et al. 2019): twelve times x = norm(x + attention(x)), then x = norm(x +
feed_forward(x)); last the mean over all tokens. The word table is not in it: its rows come in.

Products are of integers. What keeps them exact enough (cosine to float32 vectors, 14 passages):

* the input of the second feed-forward layer is scaled token by token: single tokens reach 60 there
  where others stay below 5, and one scale for all left 0.9970 instead of 0.9988;
* all other inputs have no such tokens and are scaled by their extremes over the text. One text is
  one run, so its vector does not depend on its neighbours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rag.embedders._e5.onnx_writer import Graph
from rag.embedders._e5.weights import Floats, PackedFile

PRECISION = "w7a8t"
"""Weights of 7 bits by output, activations of 8 by text or token: part of what decides a vector."""

_MICROSOFT = "com.microsoft"

# 63, not 127: processors without VNNI add pairs of products in 16 bits, and 2 * 255 * 63 still
# fits, so no sum is cut off anywhere. The eighth bit would buy 0.0001: these weights had four.
_LARGEST_WEIGHT = 63

# A GELU is never below -0.17. With zero at 32 of 255 and a row's largest value at 255, of at least
# 1.2, the lowest still fits: 1.2 * 32 / 223 = 0.172.
_GELU_ZERO = 32
_GELU_STEPS = 255 - _GELU_ZERO
_GELU_LEAST_PEAK = 1.2


class Quantised(NamedTuple):
    """Names of an 8-bit tensor, its scale and its zero."""

    value: str
    scale: str
    zero: str


def build(packed: PackedFile) -> bytes:
    """The whole network, in integers."""
    return assemble(Layers(packed), packed)


def assemble(network: Layers, packed: PackedFile) -> bytes:
    """Input `tokens`, float (1, length, hidden): word + position + type. Output `mean`, float (1,
    hidden), of any norm."""
    hidden = packed.shape.hidden
    x = network.norm("tokens", "emb.ln")
    for layer in range(packed.shape.layers):
        x = network.attention(x, f"l{layer}")
        x = network.feed_forward(x, f"l{layer}")
    network.mean_of_tokens(x, "mean")
    return network.graph.model(
        "multilingual-e5-small", {"tokens": (1, "length", hidden)}, {"mean": (1, hidden)}
    )


class Layers:
    """The parts of the network. Each adds its operations and returns the name of its result."""

    def __init__(self, packed: PackedFile) -> None:
        self.graph = graph = Graph()
        self._packed = packed
        self._last_axis = graph.constant("last axis", np.array([-1], np.int64))
        self._one = graph.constant("one", np.array(1, np.float32))
        self._width = graph.constant("width", np.array(packed.shape.hidden, np.float32))
        self._epsilon = graph.constant("epsilon", np.array(packed.shape.epsilon, np.float32))
        self._least_peak = graph.constant("least peak", np.array(_GELU_LEAST_PEAK, np.float32))
        self._step = graph.constant("step", np.array(1 / _GELU_STEPS, np.float32))
        self._zero = graph.constant("zero", np.array(_GELU_ZERO, np.uint8))

    def norm(self, value: str, name: str) -> str:
        """Layer norm in single operations: twice as fast as onnxruntime's kernel for the whole,
        which is not vectorised (a fifth of the time of a text)."""
        node = self.graph.node
        mean = node("ReduceMean", [value, self._last_axis], f"{name}.mean", keepdims=1)
        centred = node("Sub", [value, mean], f"{name}.centred")
        squares = node("ReduceSumSquare", [centred, self._last_axis], f"{name}.squares", keepdims=1)
        variance = node("Div", [squares, self._width], f"{name}.variance")
        variance = node("Add", [variance, self._epsilon], f"{name}.positive")
        deviation = node("Sqrt", [variance], f"{name}.deviation")
        inverse = node("Div", [self._one, deviation], f"{name}.inverse")
        unit = node("Mul", [centred, inverse], f"{name}.unit")
        weighted = node("Mul", [unit, self._floats(f"{name}.w")], f"{name}.weighted")
        return node("Add", [weighted, self._floats(f"{name}.b")], name)

    def attention(self, x: str, layer: str) -> str:
        node = self.graph.node
        shared = self.quantise(x)
        heads = [self.product(shared, f"{layer}.{part}", bias=True) for part in "qkv"]
        attended = node(
            "MultiHeadAttention",
            heads,
            f"{layer}.attended",
            domain=_MICROSOFT,
            num_heads=self._packed.shape.heads,
        )
        output = self.product(self.quantise(attended), f"{layer}.ao", bias=True)
        return self.norm(node("Add", [x, output], f"{layer}.ao.sum"), f"{layer}.aln")

    def feed_forward(self, x: str, layer: str) -> str:
        node = self.graph.node
        inner = self.product(self.quantise(x), f"{layer}.fi", bias=True)
        inner = node("Gelu", [inner], f"{layer}.gelu", domain=_MICROSOFT)
        peak = node("ReduceMax", [inner, self._last_axis], f"{layer}.largest", keepdims=1)
        peak = node("Max", [peak, self._least_peak], f"{layer}.peak")
        level = node("Div", [inner, peak], f"{layer}.level")
        steps = node("QuantizeLinear", [level, self._step, self._zero], f"{layer}.steps")
        output = self.product(Quantised(steps, self._step, self._zero), f"{layer}.fo", bias=False)
        output = node("Mul", [output, peak], f"{layer}.fo.scaled")
        output = node("Add", [output, self._floats(f"{layer}.fo.b")], f"{layer}.fo.biased")
        return self.norm(node("Add", [x, output], f"{layer}.fo.sum"), f"{layer}.oln")

    def mean_of_tokens(self, x: str, name: str) -> str:
        axis = self.graph.constant("token axis", np.array([1], np.int64))
        return self.graph.node("ReduceMean", [x, axis], name, keepdims=0)

    def quantise(self, value: str) -> Quantised:
        """`value` in 8 bits between its extremes."""
        parts = Quantised(f"{value}.8bit", f"{value}.8bit.scale", f"{value}.8bit.zero")
        self.graph.node("DynamicQuantizeLinear", [value], parts)
        return parts

    def product(self, value: Quantised, name: str, *, bias: bool) -> str:
        """`value` times the weights of `name`, as floats."""
        weights = self._packed.matrix(f"{name}.w")
        scales: Floats = np.abs(weights).max(axis=1) / np.float32(_LARGEST_WEIGHT)
        weights /= scales[:, np.newaxis]
        rounded = np.rint(weights, out=weights).astype(np.int8)
        inputs = [
            value.value,
            self.graph.constant(f"{name}.weights", rounded.T),
            value.scale,
            self.graph.constant(f"{name}.scales", scales),
            value.zero,
            "",
            self._floats(f"{name}.b") if bias else "",
        ]
        return self.graph.node("MatMulIntegerToFloat", inputs, name, domain=_MICROSOFT)

    def _floats(self, name: str) -> str:
        return self.graph.constant(name, self._packed.floats(name))
