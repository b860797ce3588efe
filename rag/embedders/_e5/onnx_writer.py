"""Writes ONNX models: the few messages of onnx.proto that a plain network needs.

The `onnx` package would do this too, for tens of megabytes more to install; what is needed of it
fits on a page. Field numbers: github.com/onnx/onnx/blob/main/onnx/onnx.proto. Wire format:
protobuf.dev/programming-guides/encoding.
"""

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Versions that onnxruntime 1.20 and all later ones read.
_IR_VERSION = 8
_OPSETS = {"": 18, "com.microsoft": 1}

Shape = Sequence[int | str]

_VARINT, _BYTES, _FIXED32 = 0, 2, 5
_ELEMENT = {
    np.dtype(np.float32): 1,
    np.dtype(np.uint8): 2,
    np.dtype(np.int8): 3,
    np.dtype(np.int64): 7,
}
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT = 1, 2


class Graph:
    """A network under construction. Values are known by name; every method that makes one returns
    its name."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        # Kept as buffers until the model is written: weights are copied once, not once a message.
        self._constants: dict[str, list[bytes | memoryview]] = {}

    def constant(self, name: str, array: NDArray[Any]) -> str:
        dims = b"".join(_integer(1, size) for size in array.shape)
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        head = dims + _integer(2, _ELEMENT[array.dtype]) + _text(8, name) + _opening(9, len(data))
        self._constants[name] = [_opening(5, len(head) + len(data)) + head, data]
        return name

    def node(
        self,
        kind: str,
        inputs: Sequence[str],
        outputs: str | Sequence[str],
        *,
        domain: str = "",
        **attributes: int | float,
    ) -> str:
        """Adds an operation and returns its first output's name. An empty input is left out."""
        outputs = [outputs] if isinstance(outputs, str) else outputs
        body = b"".join(_text(1, name) for name in inputs)
        body += b"".join(_text(2, name) for name in outputs)
        body += _text(4, kind)
        body += b"".join(_binary(5, _attribute(name, value)) for name, value in attributes.items())
        self._nodes.append(_binary(1, body + _text(7, domain)))
        return outputs[0]

    def model(self, name: str, inputs: dict[str, Shape], outputs: dict[str, Shape]) -> bytes:
        """The serialised model. Inputs and outputs are float tensors; a size given as a word is
        one that may differ from run to run."""
        graph: list[bytes | memoryview] = [*self._nodes, _text(2, name)]
        graph += (part for parts in self._constants.values() for part in parts)
        graph += (_binary(11, _value(*item)) for item in inputs.items())
        graph += (_binary(12, _value(*item)) for item in outputs.items())
        opsets = (_text(1, domain) + _integer(2, number) for domain, number in _OPSETS.items())
        head = _integer(1, _IR_VERSION) + _opening(7, sum(map(len, graph)))
        return b"".join([head, *graph, *(_binary(8, opset) for opset in opsets)])


def _attribute(name: str, value: int | float) -> bytes:
    if isinstance(value, int):
        return _text(1, name) + _integer(3, value) + _integer(20, _ATTRIBUTE_INT)
    number = _varint(2 << 3 | _FIXED32) + struct.pack("<f", value)
    return _text(1, name) + number + _integer(20, _ATTRIBUTE_FLOAT)


def _value(name: str, shape: Shape) -> bytes:
    sizes = (_integer(1, size) if isinstance(size, int) else _text(2, size) for size in shape)
    dimensions = b"".join(_binary(1, size) for size in sizes)
    tensor = _integer(1, _ELEMENT[np.dtype(np.float32)]) + _binary(2, dimensions)
    return _text(1, name) + _binary(2, _binary(1, tensor))


def _varint(value: int) -> bytes:
    """Seven bits a byte, low ones first; a negative number as 64 bits in two's complement."""
    value &= 0xFFFF_FFFF_FFFF_FFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _integer(field: int, value: int) -> bytes:
    return _varint(field << 3 | _VARINT) + _varint(value)


def _binary(field: int, value: bytes) -> bytes:
    """Bytes, or a nested message."""
    return _opening(field, len(value)) + value


def _opening(field: int, size: int) -> bytes:
    """What stands before `size` bytes or a nested message of that size."""
    return _varint(field << 3 | _BYTES) + _varint(size)


def _text(field: int, value: str) -> bytes:
    return _binary(field, value.encode("utf-8"))
