"""Results on disk: whole or absent, in order in the end, and never in place of something else."""

import csv
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.batchfiles.results import ResultFile, open_results
from rag.batchfiles.table import COLUMNS, Table
from rag.domain.batch import PastResult
from rag.domain.errors import UsageError

NAMES = ["out.jsonl", "out.csv", "out.tsv", "no-suffix"]


def row(number: int, answer: str = "Yes.[S1]", status: str = "answered") -> dict[str, Any]:
    return {
        "id": f"q{number}",
        "question": f"第 {number} 題？",
        "status": status,
        "answer": answer,
        "citations": [
            {"marker": "S1", "path": "a.md", "start_line": 1, "end_line": 3, "page": None}
        ],
        "violations": [{"code": "no_citation", "marker": None, "message": "cites nothing"}],
        "model": "m",
    }


def write(path: Path, *numbers: int, finish: bool = True) -> None:
    results = ResultFile(path)
    for number in numbers:
        results.append(number, row(number))
    if finish:
        results.finish()


def ids(path: Path) -> list[object]:
    return [result.id for result in ResultFile(path).past]


@pytest.mark.parametrize("name", NAMES)
def test_in_the_end_results_stand_in_the_order_of_their_rows(name: str, tmp_path: Path) -> None:
    write(tmp_path / name, 3, 1, 2, finish=False)
    assert ids(tmp_path / name) == ["q3", "q1", "q2"]
    write(tmp_path / f"other-{name}", 3, 1, 2)
    assert ids(tmp_path / f"other-{name}") == ["q1", "q2", "q3"]
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([name, f"other-{name}"])


@pytest.mark.parametrize("name", NAMES)
def test_a_file_cut_off_anywhere_holds_all_results_before_and_can_go_on(
    name: str, tmp_path: Path
) -> None:
    """A killed process, a full disk, a lost machine: at every byte."""
    write(tmp_path / name, 1, 2, 3)
    whole = (tmp_path / name).read_bytes()
    file = tmp_path / f"cut-{name}"
    before = 0
    for size in range(len(whole) + 1):
        file.write_bytes(whole[:size])
        results = ResultFile(file)
        found = len(results.past)
        assert before <= found <= 3
        before = found
        results.keep(dict(enumerate(results.past, start=1)))
        for number in range(found + 1, 4):
            results.append(number, row(number))
        assert ids(file) == ["q1", "q2", "q3"]
        results.finish()
        assert file.read_bytes() == whole
    assert before == 3


@pytest.mark.parametrize(
    "content",
    [
        "a letter to a friend",
        "a letter\nof two lines\n",
        '{"id": "1", "question": "Why?"}',
        '{"id": "1", "question": "Why?"}\n{"id": "2", "question": "Who?"}\n',
        '{"id": "1", "status": "open", "question": "Why?"}\n',
        "[1, 2]\n",
        '{"id": "1", "question": "a", "status": "answered"}\nand a note\n',
        "\x00\x01\x02\n",
    ],
)
@pytest.mark.parametrize("fresh", [False, True])
def test_a_file_that_holds_something_else_is_refused(
    content: str, fresh: bool, tmp_path: Path
) -> None:
    file = tmp_path / "notes.jsonl"
    file.write_text(content)
    with pytest.raises(UsageError, match="not written by") as caught:
        ResultFile(file, fresh=fresh)
    assert caught.value.hint
    assert file.read_text() == content


@pytest.mark.parametrize(
    "content", ["id,question\n1,Why?\n", "name\n", '"', "id,question,status\n", 'a,b\n"c']
)
def test_a_table_of_something_else_is_refused(content: str, tmp_path: Path) -> None:
    file = tmp_path / "prices.csv"
    file.write_text(content)
    with pytest.raises(UsageError, match="not written by"):
        ResultFile(file)


def test_starting_over_replaces_nothing_until_there_is_something(tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    write(file, 1, 2)
    before = file.read_bytes()
    results = ResultFile(file, fresh=True)
    assert results.past == []
    results.finish()
    assert file.read_bytes() == before
    results = ResultFile(file, fresh=True)
    results.append(5, row(5))
    results.finish()
    assert ids(file) == ["q5"]


def test_results_that_are_not_kept_are_gone_in_the_end(tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    write(file, 1, 2, 3)
    results = ResultFile(file)
    results.keep({1: results.past[1]})
    results.append(2, row(9))
    results.finish()
    assert ids(file) == ["q2", "q9"]


def test_a_result_that_a_newer_version_wrote_is_kept_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    line = '{"id": 7, "status": "answered", "question": "a", "later": {"x": 1}}\n'
    file.write_text(line)
    results = ResultFile(file)
    assert results.past == [PastResult(place=0, id=7, question="a", status="answered")]
    results.keep({1: results.past[0]})
    results.finish()
    assert file.read_text() == line


def test_a_second_process_is_told_to_wait(tmp_path: Path) -> None:
    with (
        open_results(tmp_path / "out.jsonl", fresh=False, locks=tmp_path),
        pytest.raises(UsageError, match="another"),
        open_results(tmp_path / "out.jsonl", fresh=False, locks=tmp_path),
    ):
        pass
    with open_results(tmp_path / "out.jsonl", fresh=False, locks=tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes, as Linux has them")
def test_a_name_that_is_no_text_is_written(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"out\xff.jsonl")
    with open_results(file, fresh=False, locks=tmp_path) as results:
        results.append(1, row(1))
        results.finish()
    assert ids(file) == ["q1"]


def test_a_link_keeps_pointing_at_its_file(tmp_path: Path) -> None:
    (tmp_path / "real.jsonl").touch(mode=0o600)
    (tmp_path / "link.jsonl").symlink_to("real.jsonl")
    write(tmp_path / "link.jsonl", 1)
    assert (tmp_path / "link.jsonl").is_symlink()
    assert ids(tmp_path / "real.jsonl") == ["q1"]
    assert (tmp_path / "real.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_link_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    (tmp_path / "loop.jsonl").symlink_to("loop.jsonl")
    with pytest.raises(UsageError, match="leads nowhere"):
        ResultFile(tmp_path / "loop.jsonl")
    (tmp_path / "far.jsonl").symlink_to("missing/out.jsonl")
    with pytest.raises(UsageError, match=r"no folder .*missing"):
        ResultFile(tmp_path / "far.jsonl")


def test_a_name_as_long_as_names_can_be_is_written(tmp_path: Path) -> None:
    name = "n" * (255 - len(".jsonl")) + ".jsonl"
    write(tmp_path / name, 2, 1)
    assert ids(tmp_path / name) == ["q1", "q2"]


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "'=", "''@"])
def test_no_cell_can_act_as_a_formula(begin: str, tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    results = ResultFile(file)
    text = f'{begin}HYPERLINK("http://x")'
    results.append(1, {"id": text, "question": text, "status": "answered", "answer": text})
    results.finish()
    with file.open(encoding="utf-8-sig", newline="") as table:
        (found,) = csv.DictReader(table)
    assert found["id"] == found["question"] == found["answer"] == f"'{text}"
    (past,) = ResultFile(file).past
    assert (past.id, past.question) == (text, text)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text())
def test_what_a_cell_holds_is_read_back(question: str, answer: str) -> None:
    table = Table(",")
    line = table.encode({"id": 1, "question": question, "status": "answered", "answer": answer})
    ((past,), (span,)) = table.read(table.opening + line)
    assert past.question == (question or None)
    assert span == (len(table.opening), len(line))


def test_a_table_says_what_was_cited_and_why_something_failed(tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    results = ResultFile(file)
    results.append(1, row(1))
    error = {"message": "it did not finish in time", "hint": "raise `timeout`"}
    results.append(2, {"id": 0, "question": None, "status": "error", "error": error})
    results.finish()
    with file.open(encoding="utf-8-sig", newline="") as table:
        first, second = csv.DictReader(table)
    assert tuple(first) == COLUMNS
    assert first["sources"] == "[S1] a.md:1-3"
    assert first["violations"] == "no_citation: cites nothing"
    assert (second["id"], second["question"], second["status"]) == ("0", "", "error")
    assert (second["error"], second["hint"]) == (error["message"], error["hint"])


def test_half_a_character_can_be_written(tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    results = ResultFile(file)
    results.append(1, {**row(1), "answer": "cut \ud83d off"})
    results.finish()
    assert json.loads(file.read_text())["answer"] == "cut \ufffd off"
