"""`rag batch` as the person who starts it and comes back later sees it."""

import csv
import json
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import fields
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import typer

from rag.cli import build_app
from rag.cli import run as run_command
from rag.cli.asking import AskFlags

QUESTIONS = [
    "How long is an access token valid?",
    "特休最多可以遞延幾日？",
    "特休最多可以递延几天？",
    "Who may take parental leave?",
    "What does the code QS-AUTH-1011 mean?",
    "What does the code QS-AUTH-1007 mean?",
]
GOOD = '{"status": "answered", "answer": "Room B2 seats 12.[S1]", "citations": ["S1"]}'
BAD = '{"status": "answered", "answer": "Room B2 seats 14.[S1]", "citations": ["S1"]}'


@pytest.fixture(scope="module")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of four notes, quick to search."""
    folder = tmp_path_factory.mktemp("rooms")
    (folder / "rag.toml").write_text("retries = 0\n")
    for name in ("A1", "B2", "C3", "D4"):
        note = folder / "knowledge" / f"{name}.md"
        note.parent.mkdir(exist_ok=True)
        note.write_text(f"# Room {name}\n\nRoom {name} seats {int(name[1]) * 6}.\n")
    assert run_command(["-C", str(folder), "index"]) == 0
    return folder


class Desk:
    """Runs commands in one workspace."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys
        self.out = self.err = ""

    def ask(self, name: str, rows: list[Any] | str | bytes) -> Path:
        """A file of questions."""
        file = self.folder / name
        if isinstance(rows, list):
            rows = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        file.write_bytes(rows.encode() if isinstance(rows, str) else rows)
        return file

    def replies(self, *replies: Any) -> tuple[str, ...]:
        (self.folder / "replies.json").write_text(json.dumps(replies))
        return ("--llm", "static", "--replies", "replies.json")

    def batch(self, *arguments: str) -> int:
        self._capsys.readouterr()
        code = run_command(["batch", *arguments])
        self.out, self.err = self._capsys.readouterr()
        return code

    def rows(self, name: str) -> list[dict[str, Any]]:
        text = (self.folder / name).read_text(encoding="utf-8")
        assert text.endswith("\n")
        return [json.loads(line) for line in text.split("\n")[:-1]]

    def traces(self, run: str) -> list[dict[str, Any]]:
        text = (self.folder / "traces" / f"{run}.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.split("\n") if line]


@pytest.fixture
def desk(
    rooms: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Desk:
    folder = tmp_path / "workspace"
    shutil.copytree(rooms, folder)
    monkeypatch.chdir(folder)
    return Desk(folder, capsys)


def asked(count: int) -> list[dict[str, str]]:
    return [{"id": f"q{n}", "question": "How many does room B2 seat?"} for n in range(count)]


def test_each_question_gets_the_answer_that_ask_gives(
    handbook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    shutil.copytree(handbook, tmp_path / "workspace")
    monkeypatch.chdir(tmp_path / "workspace")
    desk = Desk(tmp_path / "workspace", capsys)
    desk.ask("in.jsonl", [{"id": n, "text": text} for n, text in enumerate(QUESTIONS)])
    extract = ("--llm", "extractive")
    assert desk.batch("in.jsonl", "--out", "one.jsonl", *extract) == 0
    assert desk.out == ("6 rows: 5 answered, 1 insufficient, 0 rejected, 0 error; one.jsonl\n")
    assert desk.err == ""
    found = desk.rows("one.jsonl")
    assert [next(iter(row.items())) for row in found] == [("id", n) for n in range(6)]
    assert len(desk.traces("one")) == 6

    capsys.readouterr()
    assert run_command(["ask", "--json", *extract, QUESTIONS[1]]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert _lasting(found[1]) == {"id": 1, **_lasting(alone)}

    assert desk.batch("in.jsonl", "--out", "three.jsonl", *extract, "--jobs", "3") == 0
    assert list(map(_lasting, desk.rows("three.jsonl"))) == list(map(_lasting, found))


def test_a_batch_takes_every_setting_of_ask() -> None:
    commands = typer.main.get_command(build_app()).commands  # type: ignore[attr-defined]
    told = {
        name: {option.name: (option.opts, option.help) for option in commands[name].params}
        for name in ("ask", "batch")
    }
    shared = {field.name for field in fields(AskFlags)}
    assert shared > {"path", "lang", "mode", "model", "rerank", "max_sources", "run"}
    for name in shared:
        assert told["ask"][name] == told["batch"][name]
    assert set(told["ask"]) - shared == {"question", "as_json"}


def _lasting(row: dict[str, Any]) -> dict[str, Any]:
    """What does not change from one run to the next."""
    return {key: value for key, value in row.items() if key not in ("trace_id", "timings_ms")}


def test_a_bad_row_is_a_result_and_stops_no_other(desk: Desk) -> None:
    lines = [
        '{"id": "a", "question": "How many does room B2 seat?"}',
        "no JSON",
        "",
        '{"id": "b", "question": "???"}',
        '{"id": "c"}',
        '{"question": "How many does room D4 seat?"}',
    ]
    desk.ask("in.jsonl", "\ufeff" + "\r\n".join(lines))
    assert desk.batch("in.jsonl", "--out", "out.jsonl", "--llm", "extractive") == 5
    found = desk.rows("out.jsonl")
    assert [(row["id"], row["status"]) for row in found] == [
        ("a", "answered"),
        ("2", "error"),
        ("b", "error"),
        ("c", "error"),
        ("6", "answered"),
    ]
    failed = found[1]
    assert list(failed) == ["id", "question", "status", "error"]
    assert list(failed["error"]) == ["message", "hint"]
    assert "line 2 is not JSON" in failed["error"]["message"]
    assert "no letter or digit" in found[2]["error"]["message"]
    assert "2 answered" in desk.out
    assert "3 error" in desk.out


def test_failed_rows_are_asked_again_and_others_are_kept(desk: Desk) -> None:
    """Case B57: what a model did not finish is an error, and another run asks for it again."""
    desk.ask("in.jsonl", asked(4))
    cut = {"error": "incomplete", "text": '{"status": "answered", "answer": "Room B2 seats 12.'}
    first = desk.replies(GOOD, cut, BAD, {"error": "timeout"})
    assert desk.batch("in.jsonl", "--out", "out.jsonl", *first) == 5
    before = desk.rows("out.jsonl")
    assert [row["status"] for row in before] == ["answered", "error", "rejected", "error"]
    assert "rejected_text" not in before[2]
    assert len(desk.traces("out")) == 4
    assert desk.traces("out")[1]["attempts"][0]["raw"] == cut["text"]

    assert desk.batch("in.jsonl", "--out", "out.jsonl", *desk.replies(GOOD, GOOD), "--json") == 0
    assert json.loads(desk.out) == {
        "rows": 4,
        "answered": 3,
        "insufficient": 0,
        "rejected": 1,
        "error": 0,
        "kept": 2,
        "warnings": {},
        "out": "out.jsonl",
    }
    after = desk.rows("out.jsonl")
    assert [row["id"] for row in after] == ["q0", "q1", "q2", "q3"]
    assert (after[0], after[2]) == (before[0], before[2])
    assert len(desk.traces("out")) == 6


def test_a_row_whose_question_changed_is_asked_again(desk: Desk) -> None:
    rows = asked(3)
    desk.ask("in.jsonl", rows)
    assert desk.batch("in.jsonl", "--out", "out.jsonl", *desk.replies(GOOD, GOOD, GOOD)) == 0
    changed = {"id": "q1", "question": "How many does room D4 seat?"}
    desk.ask("in.jsonl", [{"id": "new", "question": "And A1?"}, changed, rows[0]])
    assert desk.batch("in.jsonl", "--out", "out.jsonl", *desk.replies(GOOD, GOOD)) == 0
    assert "1 kept" in desk.out
    assert "not in the input: 1 results" in desk.err
    assert [row["id"] for row in desk.rows("out.jsonl")] == ["new", "q1", "q0"]
    assert desk.rows("out.jsonl")[1]["question"] == changed["question"]


def test_starting_over_asks_everything_again(desk: Desk) -> None:
    desk.ask("in.jsonl", asked(2))
    assert desk.batch("in.jsonl", "--out", "out.jsonl", *desk.replies(GOOD, GOOD)) == 0
    assert desk.batch("in.jsonl", "--out", "out.jsonl", *desk.replies(BAD, GOOD), "--fresh") == 0
    assert [row["status"] for row in desk.rows("out.jsonl")] == ["rejected", "answered"]
    assert "kept" not in desk.out


def test_a_rejected_text_is_shown_when_it_is_asked_for(desk: Desk) -> None:
    desk.ask("in.jsonl", asked(1))
    assert desk.batch("in.jsonl", "--out", "out.jsonl", *desk.replies(BAD), "--show-rejected") == 0
    (row,) = desk.rows("out.jsonl")
    assert (row["answer"], row["rejected_text"]) == (None, BAD)


def test_kept_results_of_another_model_or_other_documents_are_told(desk: Desk) -> None:
    desk.ask("in.jsonl", asked(2))
    assert (
        desk.batch("in.jsonl", "--out", "out.jsonl", *desk.replies(GOOD, {"error": "empty"})) == 5
    )
    (desk.folder / "knowledge" / "E5.md").write_text("# Room E5\n\nRoom E5 seats 30.\n")
    assert run_command(["index"]) == 0
    assert desk.batch("in.jsonl", "--out", "out.jsonl", "--llm", "extractive") == 0
    (line,) = desk.err.splitlines()
    assert line.startswith("kept results rest on something else: knowledge kb-")
    assert "model static:replies.json, now extractive:" in line


def test_a_broken_reranker_stops_no_batch(desk: Desk) -> None:
    """Case B30."""
    desk.ask("in.jsonl", asked(100))
    assert (
        desk.batch("in.jsonl", "--out", "out.jsonl", "--llm", "extractive", "--rerank", "ids") == 0
    )
    assert "answers with a warning: 100 not_reranked" in desk.err
    found = desk.rows("out.jsonl")
    assert len(found) == 100
    assert {row["status"] for row in found} == {"answered"}
    assert all(row["warnings"][-1]["code"] == "not_reranked" for row in found)
    statuses = [trace["rerank"]["status"] for trace in desk.traces("out")]
    assert statuses[:3] == ["fallback"] * 3
    assert set(statuses[3:]) == {"skipped"}


def test_nothing_relevant_is_insufficient_without_citations(desk: Desk) -> None:
    """Case B43."""
    questions = ["What is the capital of France?", "法國首都是哪裡？", "hi"]
    desk.ask("in.jsonl", [{"question": question} for question in questions])
    assert desk.batch("in.jsonl", "--out", "out.jsonl", "--llm", "extractive") == 0
    for row in desk.rows("out.jsonl"):
        assert row["status"] == "insufficient"
        assert row["citations"] == []


class _Silent(BaseHTTPRequestHandler):
    """An Ollama that has a model and never answers with it."""

    def do_GET(self) -> None:
        listed = json.dumps({"models": [{"name": "tiny:latest", "digest": "0" * 64}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(listed)))
        self.end_headers()
        self.wfile.write(listed)

    def do_POST(self) -> None:
        self.server.gone.wait(60)  # type: ignore[attr-defined]

    def log_message(self, format: str, *arguments: object) -> None: ...


@pytest.fixture
def silent_server() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Silent)
    server.gone = threading.Event()  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.gone.set()  # type: ignore[attr-defined]
    server.shutdown()
    server.server_close()


def test_a_server_that_never_answers_costs_each_row_its_limit(
    desk: Desk, silent_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case B58."""
    monkeypatch.setenv("RAG_OLLAMA_HOST", silent_server)
    monkeypatch.setenv("RAG_TIMEOUT", "0.2")
    desk.ask("in.jsonl", asked(3))
    ollama = ("--llm", "ollama", "--model", "tiny", "--jobs", "2")
    assert desk.batch("in.jsonl", "--out", "out.jsonl", *ollama) == 5
    for row in desk.rows("out.jsonl"):
        assert row["status"] == "error"
        assert row["error"]["message"] == "tiny did not finish in time"
    assert len(desk.traces("out")) == 3

    assert desk.batch("in.jsonl", "--out", "more.jsonl", "--llm", "ollama", "--model", "big") == 1
    assert "ollama pull big" in desk.err
    assert not (desk.folder / "more.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--llm", "nonesuch"), "no llm named 'nonesuch'"),
        (("--llm", "static"), "needs a file of replies"),
        (("--llm", "ollama"), "not reachable"),
    ],
)
def test_broken_machinery_is_one_error_and_nothing_is_written(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], told: str
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    desk.ask("in.jsonl", asked(3))
    assert desk.batch("in.jsonl", "--out", "out.jsonl", *arguments) == 1
    assert told in desk.err
    assert desk.err.count("error: ") == 1
    assert "hint: " in desk.err
    assert not (desk.folder / "out.jsonl").exists()
    assert not (desk.folder / "traces").exists()


def test_no_index_is_told_with_the_command_that_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.jsonl").write_text('{"question": "Why?"}')
    assert run_command(["batch", "in.jsonl", "--out", "out.jsonl"]) == 1
    assert "rag index" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["in.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("in.jsonl",), "no file for the results"),
        (("nonesuch.jsonl", "--out", "out.jsonl"), "cannot read nonesuch.jsonl"),
        (("in.jsonl", "--out", "in.jsonl"), "holds the questions"),
        (("in.jsonl", "--out", "knowledge"), "is a folder"),
        (("in.jsonl", "--out", "nonesuch/out.jsonl"), "no folder nonesuch"),
        (("in.jsonl", "--out", "rag.toml"), "was not written by"),
        (("in.jsonl", "--out", "rag.toml", "--fresh"), "was not written by"),
        (("in.jsonl", "--out", "-", "--json"), "standard output"),
        (("in.jsonl", "--out", "out.jsonl", "--jobs", "0"), "jobs"),
        (("in.jsonl", "--out", "out.jsonl", "--lang", "klingon"), "no language"),
        (("twice.jsonl", "--out", "out.jsonl"), "lines 1 and 3"),
    ],
)
def test_a_wrong_argument_is_named_before_anything_is_asked(
    desk: Desk, arguments: tuple[str, ...], told: str
) -> None:
    desk.ask("in.jsonl", asked(1))
    desk.ask("twice.jsonl", '{"id": 1, "question": "a"}\n\n{"id": "1", "question": "b"}')
    settings = (desk.folder / "rag.toml").read_text()
    assert desk.batch(*arguments) == 2
    assert desk.err.startswith("error: ")
    assert told in desk.err
    assert "hint: " in desk.err
    assert not (desk.folder / "out.jsonl").exists()
    assert not (desk.folder / "traces").exists()
    assert (desk.folder / "rag.toml").read_text() == settings


def test_results_can_be_printed(desk: Desk) -> None:
    desk.ask("in.jsonl", asked(2))
    assert desk.batch("in.jsonl", "--out", "-", *desk.replies(GOOD, GOOD)) == 0
    assert [json.loads(line)["id"] for line in desk.out.splitlines()] == ["q0", "q1"]
    assert desk.err == "2 rows: 2 answered, 0 insufficient, 0 rejected, 0 error\n"
    assert len(desk.traces("in")) == 2


def test_a_spreadsheet_goes_in_and_out(desk: Desk) -> None:
    text = 'id;question\r\n7;"How many does room B2 seat,\r\nand who says so?"\r\n=1+1;Room D4?\r\n'
    desk.ask("in.csv", text.encode("utf-8-sig"))
    for kept in (0, 2):  # the second run reads what the first has written
        assert desk.batch("in.csv", "--out", "out.csv", "--llm", "extractive", "--json") == 0
        assert json.loads(desk.out)["kept"] == kept
    with (desk.folder / "out.csv").open(encoding="utf-8-sig", newline="") as table:
        first, second = csv.DictReader(table)
    assert (first["id"], second["id"]) == ("7", "'=1+1")
    assert first["question"] == "How many does room B2 seat,\nand who says so?"
    assert first["sources"].startswith("[S1] B2.md:")


def _start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = (sys.executable, "-m", "rag", "batch", "in.jsonl", "--out", "out.jsonl", *arguments)
    return subprocess.Popen(
        [*command, "--llm", "extractive"],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        # A shell's background job would ignore Ctrl-C, and so would what it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def _wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")
@pytest.mark.parametrize(
    ("how", "jobs", "code"),
    [
        (signal.SIGKILL, "1", -signal.SIGKILL),
        (signal.SIGINT, "1", 130),
        (signal.SIGINT, "3", 130),
        (signal.SIGTERM, "3", 128 + signal.SIGTERM),
        (signal.SIGHUP, "1", 128 + signal.SIGHUP),
    ],
)
def test_a_run_that_was_ended_goes_on_where_it_was(
    desk: Desk, how: signal.Signals, jobs: str, code: int
) -> None:
    desk.ask("in.jsonl", asked(400))
    out = desk.folder / "out.jsonl"
    process = _start(desk.folder, "--jobs", jobs)
    _wait_for(lambda: out.exists() and out.read_bytes().count(b"\n") >= 5)
    process.send_signal(how)
    _, told = process.communicate(timeout=60)
    assert process.returncode == code
    done = len(out.read_bytes().split(b"\n")) - 1
    assert 5 <= done < 400
    if how is not signal.SIGKILL:
        assert f"stopped: {done} of 400 rows are in out.jsonl" in told
        assert "the same command goes on from there" in told
        assert "Traceback" not in told
        assert len(desk.rows("out.jsonl")) == done
    with out.open("ab") as file:  # as if it had been killed within a write
        file.write(b'{"id": "q399", "question": "How many do')

    # The rest need not be asked to see that it goes on.
    desk.ask("in.jsonl", asked(done + 3))
    assert desk.batch("in.jsonl", "--out", "out.jsonl", "--llm", "extractive", "--json") == 0
    assert json.loads(desk.out)["answered"] == done + 3
    assert json.loads(desk.out)["kept"] >= done - int(jobs)
    assert [row["id"] for row in desk.rows("out.jsonl")] == [f"q{n}" for n in range(done + 3)]
    left = {file.name for file in desk.folder.iterdir()}
    assert left <= {"in.jsonl", "out.jsonl", "rag.toml", "knowledge", "traces", ".rag"}
