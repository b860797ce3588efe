"""`rag index` as a script sees it: exit codes, JSON, and paths from wherever a person stands."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rag.cli import run as run_command
from rag.wire import Workspace
from tests.doubles import HashEmbedder

Rag = Callable[..., int]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(Workspace, "embedder", HashEmbedder())
    (tmp_path / "rag.toml").touch()
    (tmp_path / "knowledge" / "guide").mkdir(parents=True)
    (tmp_path / "knowledge" / "a.md").write_text("Badge X1 expires in 90 days.")
    (tmp_path / "knowledge" / "guide" / "b.md").write_text("Room B2 seats 12.")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_prints_what_it_did(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["index"]) == 0
    printed = capsys.readouterr()
    assert "indexed 2, failed 0" in printed.out
    assert printed.err == ""  # no progress bar where nobody watches


def test_json_has_the_documented_shape(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "knowledge" / "bad.txt").write_bytes(b"\xff\xfe\x00\x81\xfd")
    assert run_command(["index", "--json"]) == 5
    shape = json.loads(capsys.readouterr().out)
    assert (shape["indexed"], shape["unchanged"], shape["removed"]) == (2, 0, 0)
    assert [set(line) for line in shape["failed"]] == [{"path", "reason", "hint"}]
    assert (shape["chunks"], shape["vectors_pending"]) == (2, 0)
    assert shape["knowledge_version"].startswith("kb-")


def test_a_file_that_failed_is_told_with_what_mends_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "rag.toml").write_text("max_file_mb = 1\n")
    (folder / "knowledge" / "long.txt").write_text("word " * 300_000)
    assert run_command(["index"]) == 5
    told = capsys.readouterr().err
    assert "failed: long.txt: larger than 1 MB (raise max_file_mb or split the file)" in told


def test_a_line_of_a_document_with_a_line_end_in_its_name_is_shown(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "knowledge" / "new\nline.md").write_text("First.\nSecond.\n")
    assert run_command(["index"]) == 0
    assert run_command(["show", "new\nline.md:2"]) == 0
    assert "Second." in capsys.readouterr().out


def test_an_empty_folder_is_nothing_to_index(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # B20
    (folder / "empty").mkdir()
    assert run_command(["index", "--knowledge", "empty"]) == 0
    assert capsys.readouterr().out.strip() == "nothing to index"


@pytest.mark.parametrize(
    "here, path",
    [
        (".", "knowledge/guide"),
        (".", "knowledge/guide/b.md"),
        (".", "guide/b.md"),
        ("knowledge", "guide"),
        ("knowledge/guide", "b.md"),
        ("knowledge/guide", "../guide/b.md"),
    ],
)
def test_a_path_is_understood_from_here_or_from_the_knowledge_folder(
    folder: Path, capsys: pytest.CaptureFixture[str], here: str, path: str
) -> None:
    os.chdir(folder / here)
    assert run_command(["index", "--json", path]) == 0
    shape = json.loads(capsys.readouterr().out)
    assert (shape["indexed"], shape["documents"]) == (1, 1)


@pytest.mark.parametrize("path", [".", "knowledge"])
def test_the_folder_itself_is_everything(
    folder: Path, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    if path == ".":
        os.chdir(folder / "knowledge")
    assert run_command(["index", "--json", path]) == 0
    assert json.loads(capsys.readouterr().out)["indexed"] == 2


@pytest.mark.parametrize("path", ["nowhere.md", "/etc", "../other.md"])
def test_a_path_that_is_no_knowledge_is_a_usage_error(
    folder: Path, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    assert run_command(["index", path]) == 2
    printed = capsys.readouterr().err
    assert "error:" in printed and "hint:" in printed and "Traceback" not in printed


def test_a_deleted_file_can_be_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["index"]) == 0
    capsys.readouterr()
    (folder / "knowledge" / "a.md").unlink()
    assert run_command(["index", "--json", "knowledge/a.md"]) == 0
    assert json.loads(capsys.readouterr().out)["removed"] == 1


def test_another_embedder_is_refused_with_the_command(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:  # B15
    assert run_command(["index"]) == 0
    monkeypatch.setattr(Workspace, "embedder", HashEmbedder(name="other"))
    capsys.readouterr()
    assert run_command(["index"]) == 1
    printed = capsys.readouterr().err
    assert "hash:d32" in printed and "other:d32" in printed
    assert "rag index --rebuild" in printed
    assert run_command(["index", "--rebuild"]) == 0
