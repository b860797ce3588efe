"""Many questions: what is asked, what became of each, and what the answers rest on."""

from typing import Literal

from rag.domain.answer import Answer, Outcome
from rag.domain.base import Value

RowId = str | int
"""As the input gives it, so that results can be joined to it; `1` and `"1"` are one id."""


class RowError(Value):
    """Why a row has no answer."""

    message: str
    hint: str | None = None


class Row(Value):
    """One row of the input. `number` is where a person finds it: the line of JSON Lines, the row
    of a spreadsheet, whose header is row 1. A row without an id has its number for one."""

    number: int
    id: RowId
    question: str | None
    """None where the row could not be read; `fault` then says why."""
    fault: RowError | None = None


class RowResult(Value):
    """What became of a row: an answer, which may be a refusal or a rejection, or an error."""

    row: Row
    answer: Answer | None = None
    error: RowError | None = None


class PastResult(Value):
    """A result that an earlier run left behind."""

    place: int
    """Which one of that file it is, from 0."""
    id: RowId
    question: str | None
    status: Outcome | Literal["error"]
    model: str | None = None
    prompt_version: str | None = None
    knowledge_version: str | None = None


class Basis(Value):
    """What the answers of one run rest on."""

    knowledge_version: str
    model: str
    prompt_versions: tuple[str, ...]
    """One for each language that a question may be in."""
    degraded: tuple[str, ...] = ()
    """What a search has to do without, one line each."""
