"""Results as JSON Lines: the object that `rag ask --json` prints, one a line, its id first."""

import json
from typing import Any

from rag.batchfiles.written import NotResults, Span, Written, past_result
from rag.core.plain import well_formed

_BEGIN = b'{"id": '
"""How every line begins, by which one that was cut off is known for ours."""


class JsonLines:
    opening = b""
    end = b"\n"

    def encode(self, row: dict[str, Any]) -> bytes:
        """`row` has its id first."""
        return well_formed(json.dumps(row, ensure_ascii=False, allow_nan=False)).encode() + self.end

    def read(self, data: bytes) -> Written:
        """The results in `data`.

        Raises:
            NotResults: some whole line is none, so the file is another.
        """
        written, start = Written([], []), 0
        for number, line in enumerate(data.split(b"\n"), start=1):
            last = start + len(line) == len(data)
            if line.strip():
                try:
                    fields = json.loads(line)
                except (ValueError, RecursionError) as error:
                    if last and _is_torn(line):
                        break
                    raise NotResults(f"line {number} is not JSON") from error
                if not isinstance(fields, dict):
                    raise NotResults(f"line {number} is not a JSON object")
                place = len(written.past)
                written.past.append(past_result(place, fields, f"line {number}"))
                written.spans.append(Span(start, len(line)))
            start += len(line) + 1
        return written


def _is_torn(line: bytes) -> bool:
    return line.startswith(_BEGIN) or _BEGIN.startswith(line)
