"""What reaches a terminal, a file or a pipe: the stored text, and nothing that can act."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HOSTILE = (
    "Use items[i], [slug], [x7], [/INST], [bold]no[/bold], :warning: and C:\\new\\[x] with "
    "café 上限 ✓."
)


def run(
    folder: Path, *arguments: str, text: bytes | None = None, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "rag", *arguments],
        cwd=folder,
        input=text,
        env={**os.environ, **environment},
        capture_output=True,
        timeout=120,
    )


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("printing")
    knowledge = folder / "knowledge"
    knowledge.mkdir()
    (folder / "rag.toml").touch()
    (knowledge / "[red]x.md").write_text(
        f"# Brackets [b]\n\n{HOSTILE}\x1b[2J\x1b]0;title\x07\n", encoding="utf-8"
    )
    reply = json.dumps({"status": "answered", "answer": f"{HOSTILE}[S1]", "citations": ["S1"]})
    (folder / "replies.json").write_text(json.dumps([reply] * 2), encoding="utf-8")
    assert run(folder, "index").returncode == 0
    return folder


ASK = ("ask", "--llm", "static", "--replies", "replies.json", "How are items used? café 上限?")


def test_brackets_names_and_backslashes_are_printed_as_they_are_stored(workspace: Path) -> None:
    shown = run(workspace, *ASK, PYTHONIOENCODING="utf-8").stdout.decode()
    assert f"{HOSTILE}[S1]" in shown
    assert "[red]x.md:" in shown
    listed = run(workspace, "search", "items", PYTHONIOENCODING="utf-8").stdout.decode()
    assert "Use items[i], [slug], [x7], [/INST], [bold]no[/bold], :warning: and C:\\new" in listed


@pytest.mark.parametrize("command", [ASK, ("search", "items"), ("show", "[red]x.md")])
def test_terminal_sequences_of_a_document_do_not_reach_the_terminal(
    workspace: Path, command: tuple[str, ...]
) -> None:
    done = run(workspace, *command, PYTHONIOENCODING="utf-8")
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout
    assert b"\x07" not in done.stdout


@pytest.mark.parametrize("encoding", ["cp950", "cp1252", "ascii"])
def test_a_character_the_console_lacks_is_replaced_not_fatal(
    workspace: Path, encoding: str
) -> None:
    done = run(workspace, *ASK, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    assert b"items[i], [slug]" in done.stdout


def test_a_plain_locale_and_a_dumb_terminal_work(workspace: Path) -> None:
    done = run(workspace, *ASK, LC_ALL="C", TERM="dumb", NO_COLOR="1")
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout + done.stderr


def test_a_closed_pipe_ends_quietly(workspace: Path) -> None:
    command = f"{sys.executable} -m rag config | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=workspace, capture_output=True, timeout=60, env=os.environ
    )
    assert done.stderr == b""
    assert done.returncode in (0, 141)


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell closes them")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_was_closed_ends_no_command(workspace: Path, closed: str) -> None:
    command = f"{sys.executable} -m rag config --json {closed}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=workspace, capture_output=True, timeout=60, env=os.environ
    )
    assert done.returncode == 0
    assert done.stderr == b""
    assert (done.stdout == b"") == (">&-" in closed.replace("2>&-", ""))


def test_json_is_alone_on_standard_output_and_not_wrapped(workspace: Path) -> None:
    done = run(workspace, *ASK, "--json")
    answer = json.loads(done.stdout)
    assert answer["answer"] == f"{HOSTILE}[S1]"
    long = run(workspace, *ASK).stdout.decode().splitlines()
    assert any(HOSTILE[:90] in line for line in long)


def test_what_the_program_writes_is_utf_8_whatever_the_locale(workspace: Path) -> None:
    run(workspace, *ASK, "--run", "locale", LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="latin-1")
    trace = json.loads((workspace / "traces" / "locale.jsonl").read_bytes())
    assert "上限" in trace["verdict"]["answer"]
