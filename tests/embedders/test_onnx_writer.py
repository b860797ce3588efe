"""Models written by hand are read by onnxruntime as meant."""

import numpy as np
import pytest

from rag.embedders._e5.graph import Layers, build
from rag.embedders._e5.network import start_session
from rag.embedders._e5.onnx_writer import Graph
from rag.embedders._e5.weights import PackedFile


def test_constants_attributes_and_free_sizes_survive() -> None:
    graph = Graph()
    weights = graph.constant("weights", np.arange(6, dtype=np.float32).reshape(2, 3))
    product = graph.node("Gemm", ["x", weights], "product", alpha=0.5, transB=1)
    graph.node("Concat", [product, product], "y", axis=-1)
    session = start_session(graph.model("m", {"x": ("rows", 3)}, {"y": ("rows", 4)}))
    for rows in (1, 5):
        x = np.ones((rows, 3), np.float32)
        (y,) = session.run(["y"], {"x": x})
        assert y.tolist() == [[1.5, 6.0, 1.5, 6.0]] * rows


@pytest.fixture(scope="module")
def model(packed: PackedFile) -> bytes:
    return build(packed)


def test_the_whole_model_is_below_25_megabytes(model: bytes) -> None:
    assert len(model) < 25e6


def test_two_builds_are_the_same_bytes(model: bytes, packed: PackedFile) -> None:
    assert build(packed) == model


def test_the_written_norm_is_a_layer_norm(packed: PackedFile) -> None:
    layers = Layers(packed)
    layers.norm("x", "emb.ln")
    model = layers.graph.model("m", {"x": (1, "n", 384)}, {"emb.ln": (1, "n", 384)})
    x = np.random.default_rng(0).normal(3, 2, (1, 7, 384)).astype(np.float32)
    (found,) = start_session(model).run(None, {"x": x})
    unit = (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)
    expected = unit * packed.floats("emb.ln.w") + packed.floats("emb.ln.b")
    assert found == pytest.approx(expected, abs=1e-4)


def test_the_model_has_one_input_and_one_output(model: bytes) -> None:
    session = start_session(model)
    assert [i.name for i in session.get_inputs()] == ["tokens"]
    assert [o.name for o in session.get_outputs()] == ["mean"]
