"""Exit codes, errors and help: what a script relies on."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rag.cli import run as run_command

GOOD = '{"status": "answered", "answer": "Room B2 seats 12.[S1]", "citations": ["S1"]}'
BAD = '{"status": "answered", "answer": "Room B2 seats 14.[S1]", "citations": ["S1"]}'


@pytest.fixture(scope="module")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rooms")
    (folder / "knowledge").mkdir()
    (folder / "rag.toml").touch()
    (folder / "knowledge" / "rooms.md").write_text("# Rooms\n\nRoom B2 seats 12.\n")
    (folder / "good.json").write_text(json.dumps([GOOD]))
    (folder / "bad.json").write_text(json.dumps([BAD, BAD]))
    assert run_command(["-C", str(folder), "index"]) == 0
    return folder


@pytest.fixture
def rag(rooms: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(rooms)

    def call(*arguments: str) -> int:
        return run_command(list(arguments))

    return call


def test_an_answer_ends_with_0_and_shows_its_source(rag, capsys) -> None:
    assert rag("ask", "--llm", "static", "--replies", "good.json", "How many does B2 seat?") == 0
    shown = capsys.readouterr().out
    assert "ANSWER" in shown
    assert "Room B2 seats 12.[S1]" in shown
    assert "rooms.md:1" in shown or "rooms.md:3" in shown
    assert "“Room B2 seats 12" in shown


def test_a_rejection_ends_with_3_and_shows_no_answer(rag, capsys) -> None:
    question = ("ask", "--llm", "static", "--replies", "bad.json", "How many does B2 seat?")
    assert rag(*question) == 3
    shown = capsys.readouterr().out
    assert "REJECTED" in shown
    assert "Room B2 seats 14.[S1]" not in shown.replace("“", "").split("unsupported_claim")[0]

    assert rag(*question, "--show-rejected") == 3
    labelled = capsys.readouterr().out
    assert labelled.index("REFUSED REPLY, not an answer") < labelled.rindex("Room B2 seats 14")


def test_json_of_a_rejection_holds_no_answer(rag, capsys) -> None:
    assert (
        rag("ask", "--llm", "static", "--replies", "bad.json", "--json", "How many seats has B2?")
        == 3
    )
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == "rejected"
    assert answer["answer"] is None
    assert answer["citations"] == []
    assert "rejected_text" not in answer


@pytest.mark.parametrize("question", ["", "   ", "????", "。", "🙂"])
@pytest.mark.parametrize("command", ["ask", "search"])
def test_a_question_without_a_letter_or_digit_is_a_usage_error(
    rag, capsys, command: str, question: str
) -> None:
    assert rag(command, question) == 2
    told = capsys.readouterr().err
    assert told.startswith("error: ")
    assert "hint: " in told
    assert "Traceback" not in told


@pytest.mark.parametrize(
    "query",
    [
        "don't wait",
        "plan-b",
        '"half quote',
        "C++ OR",
        "owner:me",
        "v20.04?",
        "NEAR(a b)",
        "x*",
        "NULL",
        "室",
        "room " * 6000,
        "B2 🙂",
    ],
)
def test_any_text_with_a_letter_or_digit_can_be_searched(rag, query: str) -> None:
    assert rag("search", query, "--json") == 0


def test_no_index_is_an_error_with_the_command_that_mends_it(tmp_path: Path, capsys) -> None:
    assert run_command(["-C", str(tmp_path), "ask", "anything?"]) == 1
    told = capsys.readouterr().err
    assert "error: there is no index" in told
    assert "rag index" in told


def test_an_unknown_backend_is_named_with_those_there_are(rag, capsys) -> None:
    assert rag("ask", "--llm", "nonesuch", "How many does B2 seat?") == 1
    told = capsys.readouterr().err
    assert "nonesuch" in told
    assert "extractive" in told


def test_wrong_usage_ends_with_2(rag, capsys) -> None:
    assert rag("ask", "--no-such-option") == 2
    assert rag("nonesuch") == 2
    capsys.readouterr()
    assert rag("search", "B2", "--mode", "sideways") == 2
    told = capsys.readouterr().err
    assert "`rag search --help`" in told
    assert "Value error" not in told


@pytest.mark.parametrize("command", ["search", "ask"])
def test_paths_that_no_document_matches_are_told(rag, capsys, command) -> None:
    assert rag(command, "B2", "--path", "guide/*") == 0
    printed = capsys.readouterr()
    assert "no document matches guide/*" in printed.out + printed.err
    assert rag(command, "zebra", "--path", "rooms.md") == 0
    printed = capsys.readouterr()
    assert "no document matches" not in printed.out + printed.err


def test_the_trace_of_a_request_is_listed_and_shown(rag, capsys) -> None:
    rag("ask", "--llm", "static", "--replies", "good.json", "--json", "Seats of room B2?")
    trace_id = json.loads(capsys.readouterr().out)["trace_id"]
    assert rag("trace", "list") == 0
    assert trace_id in capsys.readouterr().out
    assert rag("trace", "show", trace_id[:10]) == 0
    shown = capsys.readouterr().out
    for part in ("Seats of room B2?", "rooms.md", "attempt 1", "answered", "supported"):
        assert part in shown


def test_show_marks_the_lines_of_a_passage(rag, capsys) -> None:
    assert rag("show", "rooms.md:3") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith(">")] == [">    3  Room B2 seats 12."]
    assert rag("show", "rooms.md:99") == 2
    assert rag("show", "nonesuch.md") == 2


def test_init_writes_once_and_keeps_what_is_there(tmp_path: Path, capsys) -> None:
    assert run_command(["init", str(tmp_path / "new")]) == 0
    (tmp_path / "new" / "rag.toml").write_text("retries = 0\n")
    assert run_command(["init", str(tmp_path / "new")]) == 0
    assert "nothing was changed" in capsys.readouterr().out
    assert (tmp_path / "new" / "rag.toml").read_text() == "retries = 0\n"


def test_rag_alone_says_what_to_do_next(tmp_path: Path, rooms: Path, capsys) -> None:
    assert run_command(["-C", str(tmp_path)]) == 0
    assert "rag init" in capsys.readouterr().out
    assert run_command(["-C", str(rooms)]) == 0
    assert "rag ask" in capsys.readouterr().out


def test_help_and_check_load_no_index_no_model_and_no_vendor() -> None:
    code = (
        "import sys; from rag.cli import run; run(['--help']); "
        "heavy = {'chromadb', 'tantivy', 'langchain_core', 'onnxruntime', 'numpy', 'markitdown',"
        " 'opencc', 'httpx'} & set(sys.modules); sys.exit(f'loaded: {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_part_of_the_score_is_left_out_on_demand(rag, capsys) -> None:
    def parts(*flags: str) -> dict[str, float]:
        assert rag("search", "How many does room B2 seat?", "--json", *flags) == 0
        found: dict[str, float] = json.loads(capsys.readouterr().out)["candidates"][0]["parts"]
        return found

    assert "proximity" in parts() and "proximity" not in parts("--without", "proximity")
    assert rag("search", "B2", "--without", "luck") == 2
    assert "proximity" in capsys.readouterr().err
