"""Word: tables in their place, running headers, and archives that are attacks."""

import io
import zipfile
from pathlib import Path

import docx
import pytest

from rag.core.chunk import chunk_document
from rag.domain.documents import Limits
from rag.domain.errors import LoadError
from rag.loaders import word

LIMITS = Limits()


def saved(document: object, path: Path) -> Path:
    document.save(str(path))  # type: ignore[attr-defined]
    return path


def fill(table: object, rows: list[list[str]]) -> None:
    for r, row in enumerate(rows):
        for c, value in enumerate(row):
            table.cell(r, c).text = value  # type: ignore[attr-defined]


def test_a_table_stands_between_its_paragraphs_with_its_header(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Fees are below.")
    fill(document.add_table(3, 2), [["Card", "Fee"], ["Silver", "120"], ["Gold", "300"]])
    document.add_paragraph("End.")
    document.sections[0].header.paragraphs[0].text = "Effective 2026-01-01"
    document.sections[0].footer.paragraphs[0].text = "Confidential"
    text = word.load(saved(document, tmp_path / "fees.docx"), LIMITS).text
    assert text == (
        "Effective 2026-01-01\n\nFees are below.\n\n"
        "| Card | Fee |\n| --- | --- |\n| Silver | 120 |\n| Gold | 300 |\n\nEnd.\n\nConfidential"
    )


def test_a_chunk_holds_the_row_and_its_column_names(tmp_path: Path) -> None:
    document = docx.Document()
    rows = [["Card", "Fee"], *([f"Card {n}", f"{n}00"] for n in range(60))]
    fill(document.add_table(len(rows), 2), rows)
    loaded = word.load(saved(document, tmp_path / "fees.docx"), LIMITS)
    for chunk in chunk_document("fees.docx", loaded, size=100):
        assert "| Card | Fee |" in chunk.text + chunk.context


def test_merged_cells_keep_their_columns_and_are_said_once(tmp_path: Path) -> None:
    document = docx.Document()
    table = document.add_table(3, 3)
    fill(table, [["A", "", ""], ["", "1", ""], ["", "", "2"]])
    table.cell(0, 1).merge(table.cell(0, 2)).text = "wide"
    table.cell(1, 0).merge(table.cell(2, 0)).text = "tall"
    text = word.load(saved(document, tmp_path / "a.docx"), LIMITS).text
    assert text.splitlines() == [
        "| A | wide |  |",
        "| --- | --- | --- |",
        "| tall | 1 |  |",
        "|  |  | 2 |",
    ]


def test_a_nested_table_stays_in_its_cell(tmp_path: Path) -> None:
    document = docx.Document()
    table = document.add_table(2, 2)
    fill(table, [["A", "B"], ["x", ""]])
    fill(table.cell(1, 1).add_table(2, 2), [["n1", "n2"], ["n3", "n4"]])
    text = word.load(saved(document, tmp_path / "a.docx"), LIMITS).text
    assert text.splitlines()[-1] == "| x | n1: n2; n3: n4 |"


def test_headings_and_title_are_kept(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Leave policy", level=0)
    document.add_heading("Duration", level=1)
    document.add_paragraph("Fourteen days.")
    (chunk,) = chunk_document(
        "a.docx", word.load(saved(document, tmp_path / "a.docx"), LIMITS), size=320
    )
    assert chunk.title == "Leave policy"
    assert chunk.heading[-1] == "Duration"
    document.core_properties.title = "Stated title"
    assert word.load(saved(document, tmp_path / "b.docx"), LIMITS).title == "Stated title"


def archive(path: Path, parts: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in parts.items():
            target.writestr(name, content)
    return path


def plain(path: Path) -> dict[str, bytes]:
    stream = io.BytesIO()
    document = docx.Document()
    document.add_paragraph("Text.")
    document.save(stream)
    with zipfile.ZipFile(stream) as source:
        return {name: source.read(name) for name in source.namelist()}


def refusal(path: Path, limits: Limits = LIMITS) -> str:
    with pytest.raises(LoadError) as caught:
        word.load(path, limits)
    return caught.value.message


@pytest.mark.parametrize("name", ["word/document.xml", "word/media/picture.png"])
def test_what_expands_beyond_the_limit_is_refused(tmp_path: Path, name: str) -> None:
    parts = plain(tmp_path) | {name: b"A" * 60_000_000}
    path = archive(tmp_path / "bomb.docx", parts)
    assert path.stat().st_size < 200_000
    assert "expands" in refusal(path)


def test_a_false_declared_size_does_not_help(tmp_path: Path) -> None:
    path = archive(
        tmp_path / "bomb.docx", plain(tmp_path) | {"word/document.xml": b"A" * 20_000_000}
    )
    size = (20_000_000).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (10).to_bytes(4, "little")))
    assert refusal(path)


def test_tens_of_thousands_of_parts_are_refused(tmp_path: Path) -> None:
    path = archive(tmp_path / "many.docx", {f"p{n}": b"" for n in range(6000)})
    assert "parts" in refusal(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused(tmp_path: Path, encoding: str) -> None:
    xml = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'
    path = archive(
        tmp_path / "e.docx", plain(tmp_path) | {"word/document.xml": xml.encode(encoding)}
    )
    assert "entities" in refusal(path)


def test_each_unreadable_file_has_its_own_reason(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(b"only notes")
    assert refusal(path) == "not a Word document"
    path.write_bytes(b"")
    assert refusal(path) == "empty file"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old or encrypted")
    assert "encrypted" in refusal(path)
    whole = archive(path, plain(tmp_path)).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert refusal(path) == "damaged"
    assert refusal(archive(path, {"xl/workbook.xml": b"<a/>"})) == "not a Word document"
    assert refusal(archive(path, plain(tmp_path) | {"word/document.xml": b"<a"})) == "damaged"
