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


class Weights(NamedTuple):
    """Names of an 8-bit matrix, the scales of its outputs and their bias."""

    value: str
    scale: str
    bias: str


def build(packed: PackedFile) -> bytes:
    """The whole network, in integers."""
    return assemble(Layers(packed), packed)


def assemble(network: Layers, packed: PackedFile) -> bytes:
    """Input `tokens`, float (1, length, hidden): word + position + type. Output `mean`, float (1,
    hidden), of any norm."""
    hidden = packed.shape.hidden
    x = network.norm("tokens", "emb.ln")
    for layer in range(packed.shape.layers):
        x = network.block(x, f"l{layer}")
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
        self._least_peak = graph.constant("least peak", np.array(_GELU_LEAST_PEAK, np.float32))
        self._step = graph.constant("step", np.array(1 / _GELU_STEPS, np.float32))
        self._zero = graph.constant("zero", np.array(_GELU_ZERO, np.uint8))

    def norm(self, value: str, name: str) -> str:
        inputs = [value, self._floats(f"{name}.w"), self._floats(f"{name}.b")]
        epsilon = self._packed.shape.epsilon
        return self.graph.node("LayerNormalization", inputs, name, axis=-1, epsilon=epsilon)

    def block(self, x: str, layer: str) -> str:
        """One layer. The residual is added by a node of its own: onnxruntime's joint kernel for
        sum and norm takes six times as long as the two."""
        attended = self.graph.node("Add", [x, self.attention(x, layer)], f"{layer}.ao.sum")
        x = self.norm(attended, f"{layer}.aln")
        fed = self.graph.node("Add", [x, self.feed_forward(x, layer)], f"{layer}.fo.sum")
        return self.norm(fed, f"{layer}.oln")

    def attention(self, x: str, layer: str) -> str:
        """By flash attention (Dao et al. 2022), whose blocks stay in cache. `QAttention`, with
        query, key and value in one product, is 6% faster where it has the cache to itself, and
        takes up to 1.5 times as long where other programs use it too."""
        shared = self.quantise(x)
        heads = [self.product(shared, f"{layer}.{part}") for part in "qkv"]
        attended = self.graph.node(
            "MultiHeadAttention",
            heads,
            f"{layer}.attended",
            domain=_MICROSOFT,
            num_heads=self._packed.shape.heads,
        )
        return self.product(self.quantise(attended), f"{layer}.ao")

    def feed_forward(self, x: str, layer: str) -> str:
        node = self.graph.node
        inner = self.product(self.quantise(x), f"{layer}.fi")
        inner = node("Gelu", [inner], f"{layer}.gelu", domain=_MICROSOFT)
        peak = node("ReduceMax", [inner, self._last_axis], f"{layer}.largest", keepdims=1)
        peak = node("Max", [peak, self._least_peak], f"{layer}.peak")
        scale = node("Mul", [peak, self._step], f"{layer}.scale")
        scales = node("Reshape", [scale, self._last_axis], f"{layer}.scales")
        length = node("Shape", [scales], f"{layer}.length")
        zeros = node("Expand", [self._zero, length], f"{layer}.zeros")
        value = node("QuantizeLinear", [inner, scales, zeros], f"{layer}.steps", axis=1)
        # Scales of tokens are no argument of the product: it is made in steps and scaled after.
        weights = self.weights(f"{layer}.fo")
        steps = Quantised(value, self._one, self._zero)
        output = self._multiply(steps, weights, "", f"{layer}.fo")
        output = node("Mul", [output, scale], f"{layer}.fo.scaled")
        return node("Add", [output, weights.bias], f"{layer}.fo.biased")

    def mean_of_tokens(self, x: str, name: str) -> str:
        axis = self.graph.constant("token axis", np.array([1], np.int64))
        return self.graph.node("ReduceMean", [x, axis], name, keepdims=0)

    def quantise(self, value: str) -> Quantised:
        """`value` in 8 bits between its extremes."""
        parts = Quantised(f"{value}.8bit", f"{value}.8bit.scale", f"{value}.8bit.zero")
        self.graph.node("DynamicQuantizeLinear", [value], parts)
        return parts

    def product(self, value: Quantised, name: str) -> str:
        """`value` times the weights of `name` and their bias, as floats."""
        weights = self.weights(name)
        return self._multiply(value, weights, weights.bias, name)

    def _multiply(self, value: Quantised, weights: Weights, bias: str, name: str) -> str:
        inputs = [value.value, weights.value, value.scale, weights.scale, value.zero, "", bias]
        return self.graph.node("MatMulIntegerToFloat", inputs, name, domain=_MICROSOFT)

    def weights(self, name: str) -> Weights:
        """The matrix of `name`, whose scales are by output."""
        matrix = self._packed.matrix(f"{name}.w")
        scales: Floats = np.maximum(matrix.max(axis=0), -matrix.min(axis=0))
        scales /= np.float32(_LARGEST_WEIGHT)
        matrix /= scales
        rounded = np.rint(matrix, out=matrix).astype(np.int8)
        return Weights(
            self.graph.constant(f"{name}.weights", rounded),
            self.graph.constant(f"{name}.scales", scales),
            self._floats(f"{name}.b"),
        )

    def _floats(self, name: str) -> str:
        return self.graph.constant(name, self._packed.floats(name))
