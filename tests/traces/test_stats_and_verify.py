"""What traces say together, and whether each can be decided again."""

import json
from pathlib import Path

import pytest

from rag.cli import run as run_command
from rag.core.replay import replay
from rag.core.trace_stats import summarize
from rag.domain.trace import Trace
from rag.journal import Journal

GOOD = '{"status": "answered", "answer": "Room B2 seats 12.[S1]", "citations": ["S1"]}'
FENCED = f"```json\n{GOOD}\n```"
WRONG = '{"status": "answered", "answer": "Room B2 seats 14.[S1]", "citations": ["S1"]}'
UNCITED = '{"status": "answered", "answer": "Room B2 seats 12.", "citations": []}'


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("traces")
    (folder / "knowledge").mkdir()
    (folder / "rag.toml").touch()
    (folder / "knowledge" / "rooms.md").write_text("# Rooms\n\nRoom B2 seats 12.\n")
    assert run_command(["-C", str(folder), "index"]) == 0
    for run, replies in (
        ("clean", [GOOD]),
        ("fenced", [FENCED]),
        ("mended", [UNCITED, GOOD]),
        ("rejected", [WRONG, UNCITED]),
        ("failed", [{"error": "timeout"}]),
    ):
        (folder / f"{run}.json").write_text(json.dumps(replies))
        ask = ["ask", "--llm", "static", "--replies", str(folder / f"{run}.json"), "--run", run]
        run_command(["-C", str(folder), *ask, "How many does room B2 seat?"])
    return folder


def traces(workspace: Path) -> dict[str, Trace]:
    return {trace.run or "": trace for trace in Journal(workspace / "traces").traces()}


def test_statistics_say_how_requests_end_and_what_a_retry_mends(workspace: Path) -> None:
    told = summarize(traces(workspace).values())
    assert told.outcomes == {"answered": 3, "rejected": 1, "error": 1}
    assert (told.called, told.first_try, told.retried, told.mended) == (5, 2, 2, 1)
    codes = {code.code: (code.seen, code.retried, code.mended) for code in told.codes}
    assert codes["no_citation"] == (1, 1, 1)
    assert codes["unsupported_claim"] == (1, 1, 0)
    assert codes["call_failed"] == (1, 0, 0)
    assert told.repairs == {"fence": 1}


def test_every_request_is_reproduced_from_its_trace_alone(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for trace in traces(workspace).values():
        assert replay(trace).reproduced
    assert run_command(["-C", str(workspace), "trace", "verify"]) == 0
    assert "5 of 5 requests reproduced" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data: data["attempts"][0].update(raw=WRONG), "attempt 1: another"),
        (lambda data: data.update(outcome="insufficient"), "outcome: recorded insufficient"),
        (
            lambda data: data["attempts"][0]["verdict"].update(answer="Room B2 seats 13.[S1]"),
            "answer",
        ),
    ],
)
def test_a_trace_that_was_altered_is_found_out(workspace: Path, change, told: str) -> None:
    data = traces(workspace)["clean"].model_dump(mode="json")
    change(data)
    assert any(told in line for line in replay(Trace.model_validate(data)).mismatches)


def test_altered_source_text_makes_a_trace_unverifiable(workspace: Path) -> None:
    data = traces(workspace)["clean"].model_dump(mode="json")
    data["context"]["sources"][0]["text"] = "Room B2 seats 14."
    assert replay(Trace.model_validate(data)).missing == ("S1",)


def test_a_trace_of_hashes_is_verified_from_the_index_until_the_text_changes(
    workspace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_TRACE__CONTENT", "refs")
    replies = str(workspace / "clean.json")
    ask = ["ask", "--llm", "static", "--replies", replies, "--run", "refs", "Seats of room B2?"]
    root = ["-C", str(workspace)]
    assert run_command([*root, *ask, "--json"]) == 0
    trace_id = json.loads(capsys.readouterr().out)["trace_id"]
    assert "Room B2 seats 12.\n" not in (workspace / "traces" / "refs.jsonl").read_text()
    assert run_command([*root, "trace", "verify", trace_id]) == 0

    (workspace / "knowledge" / "rooms.md").write_text("# Rooms\n\nRoom B2 seats 20.\n")
    assert run_command([*root, "index"]) == 0
    assert run_command([*root, "trace", "verify", trace_id]) == 0
    assert "not verifiable: the text of S1 is gone" in capsys.readouterr().out
