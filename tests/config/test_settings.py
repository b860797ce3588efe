from pathlib import Path

import pytest

from rag.config import find_root, load_settings
from rag.domain.errors import SetupError, UsageError


@pytest.fixture(autouse=True)
def _no_server_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OLLAMA_HOST", raising=False)


def test_flags_win_over_the_environment_and_that_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rag.toml").write_text(
        'max_sources = 2\nretries = 2\ncoverage = "strict"\n[chunk]\nsize = 100\noverlap = 20\n'
    )
    monkeypatch.setenv("RAG_MAX_SOURCES", "3")
    monkeypatch.setenv("RAG_RETRIES", "0")
    monkeypatch.setenv("RAG_CHUNK__SIZE", "150")

    resolved = load_settings(tmp_path, {"max_sources": 4, "llm": None})

    settings = resolved.settings
    assert (settings.max_sources, settings.retries, settings.coverage) == (4, 0, "strict")
    assert (settings.chunk.size, settings.chunk.overlap) == (150, 20)
    assert resolved.origins == {
        "max_sources": "flag",
        "retries": "environment",
        "coverage": "rag.toml",
        "chunk.size": "environment",
        "chunk.overlap": "rag.toml",
    }


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("max_source = 3", "max_source"),
        ("max_sources = 0", "max_sources"),
        ('[trace]\ncontents = "refs"', "trace.contents"),
        ("[chunk]\nsize = 100\noverlap = 100", "chunk.overlap (100) must be smaller"),
        ("retries = 5", "retries"),
        ('root = "/elsewhere"', "root"),
        ("timeout = inf", "timeout"),
        ('model = ""', "model"),
        ("not toml", "not valid TOML"),
    ],
)
def test_a_setting_that_cannot_work_is_named(tmp_path: Path, text: str, named: str) -> None:
    (tmp_path / "rag.toml").write_text(text)
    with pytest.raises(SetupError) as caught:
        load_settings(tmp_path)
    assert named in caught.value.message
    assert caught.value.hint


def test_a_typo_in_the_environment_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_MAX_SOURCE", "3")
    with pytest.raises(SetupError, match="max_source"):
        load_settings(tmp_path)


def test_ollama_host_is_read_as_ollama_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    assert load_settings(tmp_path).settings.ollama_host == "127.0.0.1:9"
    monkeypatch.setenv("RAG_OLLAMA_HOST", "http://box:1")
    assert load_settings(tmp_path).settings.ollama_host == "http://box:1"


def test_a_file_saved_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    (tmp_path / "rag.toml").write_bytes("﻿max_sources = 2\n".encode())
    assert load_settings(tmp_path).settings.max_sources == 2


def test_the_workspace_is_found_from_a_folder_inside_it(tmp_path: Path) -> None:
    (tmp_path / "rag.toml").touch()
    inside = tmp_path / "knowledge" / "deep"
    inside.mkdir(parents=True)
    assert find_root(inside) == tmp_path


@pytest.mark.parametrize("name", ["RAG_CHUNK", "RAG_ROOT"])
def test_an_environment_variable_that_cannot_be_a_setting_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "x")
    with pytest.raises(SetupError, match="environment"):
        load_settings(tmp_path)


def test_a_flag_that_cannot_work_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="retries"):
        load_settings(tmp_path, {"retries": 7})
