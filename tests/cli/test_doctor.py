"""`rag doctor`: what is broken is not called empty or in order."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rag.config import load_settings
from rag.diagnosis import Check, diagnose


def checks(root: Path) -> dict[str, Check]:
    found = diagnose(load_settings(root, {"llm": "extractive"}).settings)
    return {check.name: check for check in found}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "rag.toml").touch()
    (tmp_path / "knowledge").mkdir()
    return tmp_path


def test_an_empty_folder_is_told_from_one_that_cannot_be_read(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "is empty" in checks(workspace)["knowledge"].message
    listed = os.scandir

    def refused(path: Any = ".") -> Iterator[os.DirEntry[str]]:
        if Path(path).name == "knowledge":  # as for anyone but root
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", refused)
    knowledge = checks(workspace)["knowledge"]
    assert knowledge.status == "missing"
    assert "knowledge/ cannot be read: Permission denied" in knowledge.message
    assert str(workspace) not in knowledge.message


def test_a_file_in_the_place_of_the_traces_is_told(workspace: Path) -> None:
    assert checks(workspace)["traces"].status == "ok"  # there is none yet
    (workspace / "traces").write_text("notes")
    traces = checks(workspace)["traces"]
    assert traces.status == "note" and "no trace is kept" in traces.message
