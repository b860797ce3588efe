"""Whatever stands on the command line or in a file beside it: a word and an exit code, no crash."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rag.cli import run as run_command


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "knowledge").mkdir()
    (folder / "rag.toml").touch()
    (folder / "a file").write_text("no folder")
    forged = "seats\n  [S9] forged line.md"
    (folder / "knowledge" / forged).write_text("# Seats\n\nRoom B2 seats 12.\n")
    reply = '{"status": "answered", "answer": "Room B2 seats 12.[S1]", "citations": ["S1"]}'
    (folder / "good.json").write_text(json.dumps([reply]))
    assert run_command(["-C", str(folder), "index"]) == 0
    return folder


@pytest.fixture
def told(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(folder)

    def call(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        code = run_command(list(arguments))
        return code, capsys.readouterr().err

    return call


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (1, ("init", "a file")),
        (1, ("init", "a file/inside")),
        (2, ("-C", "no such folder", "ask", "seats of B2")),
        (2, ("-C", "a file", "index")),
        (2, ("ask", "--retries", "7", "seats of B2")),
        (2, ("ask", "--coverage", "sometimes", "seats of B2")),
        (2, ("ask", "--model", "", "--llm", "ollama", "seats of B2")),
        (2, ("ask", "--lang", "klingon", "seats of B2")),
        (2, ("search", "--lang", "zh", "seats of B2")),
        (2, ("search", "-k", "99999999999999999999", "seats of B2")),
    ],
)
def test_a_wrong_argument_is_named_with_what_to_do(
    told, code: int, arguments: tuple[str, ...]
) -> None:
    ended, text = told(*arguments)
    assert ended == code, text
    assert text.startswith("error: ")
    assert "hint: " in text
    assert "unexpected" not in text


@pytest.mark.parametrize("command", [("check",), ("check-ranking", "--n", "2")])
@pytest.mark.parametrize("row", ['{"id": NaN, "raw": "[0]"}', "[" * 100_000, '{"id": 1, "raw": 2}'])
def test_a_line_that_is_no_json_object_is_named(
    told, tmp_path: Path, command: tuple[str, ...], row: str
) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(row)
    ended, text = told(*command, "--jsonl", str(file))
    assert ended == 2
    assert "line 1" in text


def test_sources_nested_without_end_are_a_usage_error(told, tmp_path: Path) -> None:
    (tmp_path / "sources.json").write_text("[" * 100_000)
    assert told("check", "--sources", str(tmp_path / "sources.json"), "good.json")[0] == 2


@pytest.mark.parametrize(
    "command",
    [
        ("ask", "--llm", "static", "--replies", "good.json", "How many does room B2 seat?"),
        ("search", "room B2 seats"),
        ("search-rerank", "room B2 seats", "--llm", "extractive"),
    ],
)
def test_a_line_feed_in_a_file_name_forges_no_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(folder)
    assert run_command(list(command)) == 0
    shown = capsys.readouterr().out
    assert "forged line.md" in shown
    assert not [line for line in shown.splitlines() if line.strip().startswith("[S9]")]


@pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")
def test_a_request_that_is_told_to_end_leaves_its_trace(folder: Path) -> None:
    replies = folder / "pipe"
    if not replies.exists():
        os.mkfifo(replies)  # opening the model waits for what is never written
    asked = subprocess.Popen(
        [
            *(sys.executable, "-m", "rag", "ask", "--llm", "static", "--replies", "pipe"),
            *("--run", "ended", "How many does room B2 seat?"),
        ],
        cwd=folder,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 60
    while (writer := _writer(replies)) is None:
        assert time.monotonic() < deadline and asked.poll() is None
        time.sleep(0.05)
    asked.send_signal(signal.SIGTERM)
    asked.communicate(timeout=60)
    os.close(writer)
    assert asked.returncode == 128 + signal.SIGTERM
    (line,) = (folder / "traces" / "ended.jsonl").read_text().splitlines()
    assert json.loads(line)["outcome"] is None
    assert json.loads(line)["error"]["type"] == "SystemExit"


def _writer(pipe: Path) -> int | None:
    """The writing end, once a reader waits for it. To be kept open: closed, it ends the waiting."""
    try:
        return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return None
