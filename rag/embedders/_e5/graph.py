"""The network of multilingual-e5-small as an ONNX model, made from the packed weights.

A post-norm BERT (Devlin et al. 2019): twelve times x = norm(x + attention(x)), then x = norm(x +
feed_forward(x)); last the mean over all tokens. The word table is not in it: its rows come in.
"""

import numpy as np

from rag.embedders._e5.onnx_writer import Graph
from rag.embedders._e5.weights import Floats, PackedFile

PRECISION = "w7a8"
"""Weights of 7 bits by output channel, activations of 8 by run: part of what decides a vector."""

# 63, not 127: processors without VNNI add pairs of products in 16 bits, and 2 * 255 * 63 still
# fits, so vectors are the same everywhere. The eighth bit buys nothing: these weights had four.
_LARGEST = 63
_MICROSOFT = "com.microsoft"


def build(packed: PackedFile) -> bytes:
    """Input `tokens`, float (batch, length, hidden): word + position + type. Output `mean`, float
    (batch, hidden), of any length."""
    graph = Graph()
    shape = packed.shape

    def norm(value: str, name: str) -> str:
        weight = graph.constant(f"{name}.w", packed.floats(f"{name}.w"))
        bias = graph.constant(f"{name}.b", packed.floats(f"{name}.b"))
        return graph.node(
            "LayerNormalization", [value, weight, bias], name, axis=-1, epsilon=shape.epsilon
        )

    def linear(value: str, name: str, *parts: str) -> str:
        """Several layers that read the same input are one product."""
        weights = np.concatenate([packed.matrix(f"{part}.w") for part in parts])
        bias = np.concatenate([packed.floats(f"{part}.b") for part in parts])
        return _linear(graph, value, name, weights, bias)

    x = norm("tokens", "emb.ln")
    graph.constant("thirds", np.full(3, shape.hidden, np.int64))
    for layer in range(shape.layers):
        at = f"l{layer}."
        qkv = linear(x, f"{at}qkv", f"{at}q", f"{at}k", f"{at}v")
        heads = [f"{at}heads.{part}" for part in "qkv"]
        graph.node("Split", [qkv, "thirds"], heads, axis=-1)
        attended = graph.node(
            "MultiHeadAttention", heads, f"{at}attended", domain=_MICROSOFT, num_heads=shape.heads
        )
        attended = linear(attended, f"{at}ao", f"{at}ao")
        x = norm(graph.node("Add", [x, attended], f"{at}sum"), f"{at}aln")
        inner = linear(x, f"{at}fi", f"{at}fi")
        inner = graph.node("Gelu", [inner], f"{at}gelu", domain=_MICROSOFT)
        outer = linear(inner, f"{at}fo", f"{at}fo")
        x = norm(graph.node("Add", [x, outer], f"{at}sum2"), f"{at}oln")
    length = graph.constant("length axis", np.array([1], np.int64))
    graph.node("ReduceMean", [x, length], "mean", keepdims=0)
    return graph.model(
        "multilingual-e5-small",
        {"tokens": ("batch", "length", shape.hidden)},
        {"mean": ("batch", shape.hidden)},
    )


def _linear(graph: Graph, value: str, name: str, weights: Floats, bias: Floats) -> str:
    scale = np.abs(weights).max(axis=1) / _LARGEST
    rounded = np.rint(weights / scale[:, None]).astype(np.int8)
    inputs = [
        value,
        graph.constant(f"{name}.weight", rounded.T),
        graph.constant(f"{name}.scale", scale.astype(np.float32)),
        "",
        graph.constant(f"{name}.bias", bias),
    ]
    return graph.node("DynamicQuantizeMatMul", inputs, name, domain=_MICROSOFT)
