import json
import multiprocessing
import os
from pathlib import Path

import pytest

from rag.domain.errors import RagError, UsageError
from rag.domain.retrieval import Ranks
from rag.domain.trace import CandidateTrace, DecidingSettings, RetrievalTrace, Trace
from rag.journal import Journal

SETTINGS = DecidingSettings(
    coverage="warn", support="strict", retries=1, max_sources=5, context_tokens=4000
)


def make_trace(trace_id: str, question: str = "q", **fields: object) -> Trace:
    return Trace(
        trace_id=trace_id,
        time="2026-03-01T10:00:00+00:00",
        question=question,
        language="en",
        knowledge_version="kb-1",
        code_version="0",
        settings=SETTINGS,
        **fields,
    )


def test_a_record_after_a_torn_line_stands_on_its_own(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.write(make_trace("a1"))
    file = tmp_path / "2026-03-01.jsonl"
    file.write_bytes(file.read_bytes() + b'{"trace_id": "a2", "q": "ab')

    journal.write(make_trace("a3"))

    damaged: list[str] = []
    assert [trace.trace_id for trace in journal.traces(damaged)] == ["a1", "a3"]
    assert len(damaged) == 1
    assert damaged[0].startswith("2026-03-01.jsonl:2:")


def test_line_separators_in_a_question_do_not_split_its_record(tmp_path: Path) -> None:
    question = "one\u2028two\u0085three\nfour\u001efive"
    Journal(tmp_path).write(make_trace("a1", question))
    assert Journal(tmp_path).read("a1").question == question


def test_every_line_is_strict_json_also_with_nan(tmp_path: Path) -> None:
    candidate = CandidateTrace(chunk_id="c", path="p", score=float("nan"), ranks=Ranks())
    retrieval = RetrievalTrace(query="q", mode="hybrid", candidates=(candidate,))
    assert Journal(tmp_path).write(make_trace("a1", retrieval=retrieval)) is None

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    for line in (tmp_path / "2026-03-01.jsonl").read_bytes().split(b"\n")[:-1]:
        json.loads(line, parse_constant=refuse)


def _append(folder: Path, writer: int) -> None:
    journal = Journal(folder, run="many")
    for number in range(250):
        assert journal.write(make_trace(f"{writer}-{number}", "x" * 20_000)) is None


def test_writers_in_two_processes_lose_nothing(tmp_path: Path) -> None:
    writers = [
        multiprocessing.get_context("spawn").Process(target=_append, args=(tmp_path, number))
        for number in (1, 2)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    damaged: list[str] = []
    assert len({trace.trace_id for trace in Journal(tmp_path).traces(damaged)}) == 500
    assert damaged == []


def test_a_folder_that_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "traces").write_text("a file where the folder should be")
    warning = Journal(tmp_path / "traces").write(make_trace("a1"))
    assert warning is not None
    assert "could not be written" in warning


@pytest.mark.parametrize("run", ["r" * 300, "長" * 90, "../../out", "a/b", "not utf-8 \udcff"])
def test_any_name_of_a_run_is_that_of_a_file_in_the_folder(tmp_path: Path, run: str) -> None:
    assert Journal(tmp_path / "traces", run=run).write(make_trace("a1", run=run)) is None
    assert Journal(tmp_path / "traces").read("a1").trace_id == "a1"
    assert [file.name for file in tmp_path.iterdir()] == ["traces"]


def test_a_trace_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.write(make_trace("abc1"))
    journal.write(make_trace("abd1"))
    assert journal.read("abc").trace_id == "abc1"
    with pytest.raises(UsageError, match="2 traces begin"):
        journal.read("ab")
    with pytest.raises(UsageError, match="no trace"):
        journal.read("zz")


def test_a_trace_of_a_newer_program_is_refused_by_name(tmp_path: Path) -> None:
    Journal(tmp_path).write(make_trace("a1", schema_version=99))
    with pytest.raises(RagError, match="schema version 99"):
        Journal(tmp_path).read("a1")


def test_a_trace_of_a_newer_program_does_not_hide_the_others(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.write(make_trace("a1", schema_version=99))
    journal.write(make_trace("a2"))
    damaged: list[str] = []
    assert [trace.trace_id for trace in journal.traces(damaged)] == ["a2"]
    assert len(damaged) == 1 and "schema version 99" in damaged[0]


def test_only_files_are_read(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.write(make_trace("a1"))
    os.mkfifo(tmp_path / "2026-01-01.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    assert [trace.trace_id for trace in journal.traces()] == ["a1"]


def test_why_a_trace_could_not_be_kept_names_no_place_outside(tmp_path: Path) -> None:
    (tmp_path / "traces").write_text("a file")
    told = Journal(tmp_path / "traces").write(make_trace("a1"))
    assert told is not None and str(tmp_path) not in told and "Errno" not in told


def test_the_name_of_a_run_cannot_leave_the_folder(tmp_path: Path) -> None:
    Journal(tmp_path / "traces", run="../../x/y").write(make_trace("a1"))
    assert [file.parent for file in tmp_path.rglob("*.jsonl")] == [tmp_path / "traces"]
