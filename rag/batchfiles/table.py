"""Results as a table that a spreadsheet opens: one row of cells for each question.

What documents and models wrote is data there too: a cell that a spreadsheet would run as a formula
gets an apostrophe in front ("CSV injection", OWASP), taken away again when the file is read.
"""

import codecs
import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rag.batchfiles.written import NotResults, Span, Written, past_result
from rag.core.plain import well_formed
from rag.domain.batch import PastResult

if TYPE_CHECKING:
    from _csv import Reader

DELIMITERS = {".csv": ",", ".tsv": "\t"}
"""By the suffix of the file."""

COLUMNS = (
    *("id", "question", "status", "answer", "sources", "violations", "error", "hint"),
    *("model", "prompt_version", "knowledge_version", "trace_id", "rejected_text"),
)
# Python's reader stops at 131,072 characters a cell unless told otherwise.
_LONGEST_CELL = 2**31 - 1
# What begins a formula, or is skipped on the way to one; full-width signs count too. Apostrophes in
# front belong to it, so that each guard can be told from a text's own.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")


def read_cells(lines: Iterable[str], delimiter: str) -> "Reader":
    """A strict `csv.reader`: what is no table is an error, not one long cell."""
    csv.field_size_limit(_LONGEST_CELL)
    return csv.reader(lines, delimiter=delimiter, strict=True)


class Table:
    """Results as values in columns, in UTF-8 with the mark by which spreadsheets know it. Cells
    hold what a person reads; the rest of an answer is in its trace."""

    end = b"\r\n"

    def __init__(self, delimiter: str) -> None:
        self._delimiter = delimiter
        self.opening = codecs.BOM_UTF8 + self._line(COLUMNS)

    def encode(self, row: dict[str, Any]) -> bytes:
        error = row.get("error") or {}
        cells = {
            **row,
            "sources": "\n".join(map(_source, row.get("citations", ()))),
            "violations": "\n".join(
                f"{one['code']}: {one['message']}" for one in row.get("violations", ())
            ),
            "error": error.get("message"),
            "hint": error.get("hint"),
        }
        values = (cells.get(name) for name in COLUMNS)
        return self._line("" if value is None else _guarded(str(value)) for value in values)

    def read(self, data: bytes) -> Written:
        """The results in `data`.

        Raises:
            NotResults: it has other columns or is no table, so the file is another.
        """
        written, start, read = Written([], []), 0, 0
        if self.opening.startswith(data):  # cut off before the first result
            return written
        lines = io.BytesIO(data).readlines()
        reader = read_cells((line.decode(errors="replace") for line in lines), self._delimiter)
        try:
            for number, cells in enumerate(reader, start=1):
                record, read = b"".join(lines[read : reader.line_num]), reader.line_num
                if not record.endswith(b"\n"):
                    break
                if number == 1:
                    if [cell.removeprefix("\ufeff") for cell in cells] != list(COLUMNS):
                        raise NotResults("it has other columns")
                elif cells:
                    written.past.append(_past(len(written.past), cells, f"row {number}"))
                    written.spans.append(Span(start, len(record)))
                start += len(record)
        except csv.Error as error:
            # The end of the file within a quote is a torn result; anything before it is not ours.
            if not start or reader.line_num < len(lines):
                raise NotResults(f"it is no table beyond line {read}") from error
        return written

    def _line(self, cells: Iterable[str]) -> bytes:
        line = io.StringIO()
        csv.writer(line, delimiter=self._delimiter).writerow(cells)
        return well_formed(line.getvalue()).encode()


def _past(place: int, cells: Sequence[str], where: str) -> PastResult:
    if len(cells) != len(COLUMNS):
        raise NotResults(f"{where} has {len(cells)} cells")
    fields = {name: _plain(cell) or None for name, cell in zip(COLUMNS, cells, strict=True)}
    return past_result(place, fields, where)


def _source(citation: dict[str, Any]) -> str:
    page = f" page {citation['page']}" if citation.get("page") else ""
    lines = f"{citation['start_line']}-{citation['end_line']}"
    return f"[{citation['marker']}] {citation['path']}:{lines}{page}"


def _guarded(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _plain(cell: str) -> str:
    """What `_guarded` was given."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
