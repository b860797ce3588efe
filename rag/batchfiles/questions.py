"""Reads the questions of a batch. Every row that is not blank becomes a row, readable or not."""

import csv
import io
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rag.batchfiles.table import DELIMITERS, read_cells
from rag.core.decoding import decode
from rag.core.plain import well_formed
from rag.domain.batch import Row, RowError, RowId
from rag.domain.errors import LoadError, UsageError

# `text` is what evaluation sets call it.
_QUESTION_FIELDS = ("question", "text")
_USUAL_DELIMITERS = (",", ";", "\t")
_SHAPE = 'write {"id": "...", "question": "..."}, one object a line'


def read_rows(path: Path) -> list[Row]:
    """The rows of a file of JSON Lines, of a `.csv` or `.tsv`, or of standard input (`-`, JSON
    Lines).

    Raises:
        UsageError: the file cannot be read, is no text in a known encoding, is a table without a
            column of questions or with a quote that never closes, or holds no row at all.
    """
    name, data = _bytes(path)
    try:
        text = decode(data)
    except LoadError as error:
        raise UsageError(f"{name}: {error.message}", error.hint) from error
    table = path.suffix.lower() in DELIMITERS
    rows = list(_table_rows(text, name) if table else _json_rows(text))
    if not rows:
        raise UsageError(f"{name} holds no question", _SHAPE)
    return rows


def _bytes(path: Path) -> tuple[str, bytes]:
    if str(path) == "-":
        return "standard input", sys.stdin.buffer.read()
    try:
        return path.name, path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "check the path") from error


def _json_rows(text: str) -> Iterator[Row]:
    # Not `splitlines`: a JSON string may hold U+2028, which is no line end in JSON Lines. Files
    # with a byte order mark that were put together have one in front of each part.
    for number, line in enumerate(text.split("\n"), start=1):
        if (line := line.lstrip("\ufeff")).strip():
            yield _json_row(number, line)


def _json_row(number: int, line: str) -> Row:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return _unreadable(number, f"line {number} is not JSON")
    if not isinstance(fields, dict):
        return _unreadable(number, f"line {number} is not a JSON object")
    named = (fields.get(name) for name in _QUESTION_FIELDS)
    question = next((well_formed(text) for text in named if isinstance(text, str)), None)
    id_ = _id(fields.get("id"), number)
    if id_ is None:
        why = f'line {number} has an "id" that is neither text nor a whole number'
        return _unreadable(number, why, question)
    if question is None:
        return _unreadable(number, f'line {number} has no text "question"', id_=id_)
    return Row(number=number, id=id_, question=question)


def _id(value: Any, number: int) -> RowId | None:
    """The row's own id, its number where it has none, None for what cannot be one."""
    if value is None or value == "":
        return str(number)
    if isinstance(value, str):
        return well_formed(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _table_rows(text: str, name: str) -> Iterator[Row]:
    delimiter, columns = _header(text, name)
    question = next(columns.index(field) for field in _QUESTION_FIELDS if field in columns)
    id_ = columns.index("id") if "id" in columns else None
    number, above = 0, True
    try:
        for number, cells in enumerate(read_cells(io.StringIO(text, newline=""), delimiter), 1):
            if not any(cell.strip() for cell in cells):
                continue
            if above:
                above = False  # that was the header
            else:
                own = cells[id_] if id_ is not None and id_ < len(cells) else ""
                yield _table_row(number, own or str(number), cells, question, len(columns))
    except csv.Error as error:
        # What follows a quote that never closes would all be one cell: rows would be lost.
        raise UsageError(
            f"{name} cannot be read beyond row {number}: {error}",
            "look for a double quote that is not closed, or not doubled inside a cell",
        ) from error


def _table_row(number: int, id_: str, cells: Sequence[str], question: int, width: int) -> Row:
    if any(cells[width:]):
        return _unreadable(
            number,
            f"row {number} has {len(cells)} cells, the header {width}",
            id_=id_,
            hint="put a cell that holds the delimiter in double quotes",
        )
    if question >= len(cells):
        return _unreadable(number, f"row {number} ends before the question", id_=id_)
    return Row(number=number, id=id_, question=cells[question])


def _header(text: str, name: str) -> tuple[str, list[str]]:
    """The delimiter that shows a column of questions, and the names of all columns."""
    found: list[str] = []
    for delimiter in _USUAL_DELIMITERS:
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        cells = next((cells for cells in lines if any(cell.strip() for cell in cells)), [])
        columns = [cell.strip().casefold() for cell in cells]
        if any(field in columns for field in _QUESTION_FIELDS):
            return delimiter, columns
        found = max(found, cells, key=len)
    raise UsageError(
        f"{name} has no column 'question'; found: {', '.join(map(repr, found)) or 'none'}",
        "name the columns in the first row",
    )


def _unreadable(
    number: int,
    why: str,
    question: str | None = None,
    *,
    id_: RowId | None = None,
    hint: str = _SHAPE,
) -> Row:
    own = str(number) if id_ is None else id_
    return Row(number=number, id=own, question=question, fault=RowError(message=why, hint=hint))
