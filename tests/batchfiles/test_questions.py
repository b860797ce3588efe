"""Questions as people save them: every row that is not blank comes out, in order."""

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.batchfiles.questions import read_rows
from rag.domain.errors import UsageError

# Case B47: what a spreadsheet exports.
EXPORT = 'question,id\r\n"上限是多少, 含稅?",1\r\n\r\n"two\nlines",2\r\n'


def read(folder: Path, name: str, data: bytes | str) -> list[tuple[int, object, str | None, bool]]:
    file = folder / name
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    return [(row.number, row.id, row.question, row.fault is None) for row in read_rows(file)]


@pytest.mark.parametrize(
    "data",
    [EXPORT.encode(), EXPORT.encode("utf-8-sig"), EXPORT.encode("utf-16")],
    ids=["utf-8", "with a mark", "utf-16"],
)
def test_a_spreadsheets_export_keeps_each_question_exactly(data: bytes, tmp_path: Path) -> None:
    assert read(tmp_path, "q.csv", data) == [
        (2, "1", "上限是多少, 含稅?", True),
        (4, "2", "two\nlines", True),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "id;question\n1;Why, and how?\n",
        "ID\tQuestion\n1\tWhy, and how?\n",
        '\n id,text\n1,"Why, and how?"',
    ],
)
def test_the_delimiter_is_the_one_that_shows_a_column_of_questions(
    text: str, tmp_path: Path
) -> None:
    ((_, own, question, readable),) = read(tmp_path, "q.csv", text)
    assert (own, question, readable) == ("1", "Why, and how?", True)


def test_a_table_in_big5_is_read(tmp_path: Path) -> None:
    asked = ["請問特別休假最多可以遞延幾日到次一年度？", "員工的差旅費用如何申請報銷？"]
    text = "\n".join(["編號,question", *(f"7,{question}" for question in asked)])
    assert [row[2] for row in read(tmp_path, "q.csv", text.encode("big5"))] == asked


def test_an_encoding_that_cannot_be_told_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a text file") as caught:
        read(tmp_path, "q.csv", EXPORT.encode("utf-16-le"))
    assert "UTF-16" in (caught.value.hint or "")
    with pytest.raises(UsageError, match="UTF-8"):
        read(tmp_path, "q.csv", b"question\n\xff\xfe\xfd caf\xe9")


def test_a_missing_column_is_told_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read(tmp_path, "q.csv", "frage,id \nWarum?,1\n")
    assert "'frage', 'id '" in caught.value.message


def test_a_row_with_a_cell_too_many_is_not_cut_short(tmp_path: Path) -> None:
    found = read(tmp_path, "q.csv", "question\nWhy, and how?\nWhen?\n")
    assert found == [(2, "2", None, False), (3, "3", "When?", True)]
    assert read(tmp_path, "q.csv", "question\nWhen?,,\n") == [(2, "2", "When?", True)]


def test_a_quote_that_never_closes_swallows_no_row(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="beyond row 2"):
        read(tmp_path, "q.csv", 'question\nWhy?\n"Who\nWhen?\nWhere?\n')


def test_blank_lines_and_a_mark_shift_no_number(tmp_path: Path) -> None:
    text = '\ufeff{"question": "Why?"}\r\n\r\n  \n{"id": 7, "text": "何時？"}'
    assert read(tmp_path, "q.jsonl", text) == [(1, "1", "Why?", True), (4, 7, "何時？", True)]


def test_files_with_a_mark_can_be_put_together(tmp_path: Path) -> None:
    text = '\ufeff\ufeff{"question": "Why?"}\n\ufeff{"question": "何時？"}\n\ufeff\n'
    assert read(tmp_path, "q.jsonl", text) == [(1, "1", "Why?", True), (2, "2", "何時？", True)]


@pytest.mark.parametrize(
    "line",
    [
        "why?",
        "[1]",
        "{}",
        '{"question": 7}',
        '{"question": null, "id": "a"}',
        '{"id": [1], "question": "Why?"}',
        '{"id": true, "question": "Why?"}',
        '{"id": 1.5, "question": "Why?"}',
        "[" * 100_000,
        "{" + '"question": "cut off',
    ],
)
def test_a_bad_line_is_a_row_that_says_why(line: str, tmp_path: Path) -> None:
    text = f'{{"question": "a"}}\n{line}\n{{"question": "b"}}'
    first, bad, last = read(tmp_path, "q.jsonl", text)
    assert (first[2], last[2]) == ("a", "b")
    assert (bad[0], bad[3]) == (2, False)
    fault = read_rows(tmp_path / "q.jsonl")[1].fault
    assert fault is not None and "line 2" in fault.message


def test_a_bad_row_keeps_the_id_it_has(tmp_path: Path) -> None:
    assert read(tmp_path, "q.jsonl", '{"id": 0}') == [(1, 0, None, False)]
    assert read(tmp_path, "q.csv", "id,question\na\n") == [(2, "a", None, False)]


def test_what_is_called_text_is_a_question_too(tmp_path: Path) -> None:
    text = '{"question": null, "text": "Why?"}\n{"question": "Who?", "text": "no"}'
    assert [row[2] for row in read(tmp_path, "q.jsonl", text)] == ["Why?", "Who?"]


def test_nothing_to_ask_is_told(tmp_path: Path) -> None:
    for name, text in (("q.jsonl", "\n \n"), ("q.csv", "question,id\n\n"), ("q.jsonl", "")):
        with pytest.raises(UsageError, match="no question"):
            read(tmp_path, name, text)


_TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)


@given(st.lists(st.one_of(st.none(), _TEXTS), min_size=1))
def test_reading_json_lines_never_loses_a_row(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str | None]
) -> None:
    """None stands for a line that is no question."""
    file = tmp_path_factory.mktemp("rows") / "q.jsonl"
    lines = [
        "no JSON" if t is None else json.dumps({"question": t}, ensure_ascii=False) for t in texts
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    found = read_rows(file)
    assert [row.question for row in found] == texts
    assert [row.number for row in found] == list(range(1, len(texts) + 1))


_CELLS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n"), max_size=20
)


@given(st.lists(st.tuples(_CELLS, _CELLS), min_size=1), st.sampled_from([",", ";", "\t"]))
def test_reading_a_table_never_loses_a_row(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str]], delimiter: str
) -> None:
    file = tmp_path_factory.mktemp("rows") / "q.csv"
    text = io.StringIO()
    table = csv.writer(text, delimiter=delimiter)
    table.writerows([("note", "question"), *cells])
    file.write_text(text.getvalue(), encoding="utf-8", newline="")
    wanted = [question for note, question in cells if note.strip() or question.strip()]
    if not wanted:
        with pytest.raises(UsageError):
            read_rows(file)
        return
    assert [row.question for row in read_rows(file)] == wanted
