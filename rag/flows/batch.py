"""Many questions, one after another or some at a time. One that fails never stops the rest."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import Field

from rag.domain.answer import Answer
from rag.domain.base import Value
from rag.domain.batch import Basis, PastResult, Row, RowError, RowResult
from rag.domain.errors import IndexUnusable, ModelError, RagError, SetupError, UsageError
from rag.domain.ports import Progress
from rag.flows.ask import OnStage, Stage


class AskRow(Protocol):
    """Answers one question; safe to call from several threads at once."""

    def __call__(self, question: str, *, on_stage: OnStage) -> Answer: ...


class Results(Protocol):
    """Where results are kept. What was appended outlives the process."""

    def keep(self, kept: Mapping[int, PastResult]) -> None:
        """Earlier results that stay, by the number of their row."""
        ...

    def append(self, number: int, row: dict[str, Any]) -> None:
        """The result of row `number`."""
        ...

    def finish(self) -> None:
        """Nothing more comes."""
        ...


class Dropped(BaseException):
    """The run has ended while this question was being answered. No failure of the question: like
    an interrupt it passes whatever catches failures, and the request leaves its trace."""


@dataclass(frozen=True)
class Plan:
    """Which rows have their answer already, and which are to be asked."""

    kept: Mapping[int, PastResult]
    """By the number of the row."""
    asked: Sequence[Row]
    gone: int
    """Earlier results whose id is no longer in the input."""


class Summary(Value):
    """How the rows of a batch ended, those of earlier runs included."""

    rows: int
    answered: int = 0
    insufficient: int = 0
    rejected: int = 0
    error: int = 0
    kept: int = 0
    """How many of them an earlier run had answered."""
    warnings: Mapping[str, int] = Field(default_factory=dict)
    """How many of this run's answers carry a warning, by its code."""


def require_distinct_ids(rows: Sequence[Row]) -> None:
    """Results are told apart by their id.

    Raises:
        UsageError: two rows have the same one.
    """
    seen: dict[str, int] = {}
    for row in rows:
        if row.fault is not None and str(row.id) == str(row.number):
            continue  # it could not be read, and took its number for want of an id
        first = seen.setdefault(str(row.id), row.number)
        if first != row.number:
            raise UsageError(
                f"lines {first} and {row.number} have the same id {str(row.id)!r}",
                "give each row its own; a row without an id has its number for one",
            )


def plan(rows: Sequence[Row], past: Sequence[PastResult]) -> Plan:
    """Rows answered before, to the same question under the same id, are kept; failed ones are asked
    again.

    Raises:
        UsageError: none of the earlier results is of this input: they belong to another.
    """
    known = {(str(result.id), result.question): result for result in past}
    kept: dict[int, PastResult] = {}
    asked: list[Row] = []
    related = False
    for row in rows:
        result = known.get((str(row.id), row.question))
        related |= result is not None
        if result is None or result.status == "error" or row.fault is not None:
            asked.append(row)
        else:
            kept[row.number] = result
    if past and not related:
        raise UsageError(
            "the results there are of other questions than these",
            "name another file by --out, or replace it with --fresh",
        )
    gone = {str(result.id) for result in past} - {str(row.id) for row in rows}
    return Plan(kept=kept, asked=asked, gone=len(gone))


def run_batch(
    todo: Plan,
    ask: AskRow,
    results: Results,
    shape: Callable[[RowResult], dict[str, Any]],
    jobs: int = 1,
    progress: Progress | None = None,
) -> Summary:
    """Asks what is to be asked, `jobs` questions at a time, and puts each result away at once, as
    the object that `shape` makes of it. However this ends, what is done is in `results`.

    Raises:
        RagError: something that every question needs is broken.
    """
    results.keep(todo.kept)
    counts: Counter[str] = Counter(result.status for result in todo.kept.values())
    warned: Counter[str] = Counter()
    tell = progress or (lambda stage, done, total: None)
    total = len(todo.asked)
    ended, writing = threading.Event(), threading.Lock()

    def heed(stage: Stage, tokens: int) -> None:
        if ended.is_set():
            raise Dropped("the batch ended while this was being answered")

    def work(row: Row) -> None:
        result = _result(row, ask, heed)
        with writing:  # here, not where they are waited for: what is done is kept however it ends
            results.append(row.number, shape(result))
            counts[result.answer.status if result.answer else "error"] += 1
            if result.answer:
                warned.update({warning.code for warning in result.answer.warnings})
            tell("asking", counts.total() - len(todo.kept), total)

    if total:
        tell("asking", 0, total)
    try:
        if jobs == 1:  # in this thread, where an interrupt ends a request at once
            for row in todo.asked:
                work(row)
        else:
            _in_threads(work, todo.asked, jobs, ended)
    finally:
        results.finish()
    return Summary(rows=counts.total(), kept=len(todo.kept), warnings=dict(warned), **counts)


def _in_threads(
    work: Callable[[Row], None], rows: Sequence[Row], jobs: int, ended: threading.Event
) -> None:
    """Returns, or raises, when no thread works any more."""
    pool = ThreadPoolExecutor(jobs)
    try:
        for done in as_completed([pool.submit(work, row) for row in rows]):
            done.result()
    finally:
        ended.set()
        pool.shutdown(cancel_futures=True)


def differences(kept: Iterable[PastResult], basis: Basis) -> list[str]:
    """What kept results rest on that new ones do not, each in words: results of two models or two
    states of the documents should not stand side by side unnoticed."""
    results = list(kept)
    compared = {
        "knowledge": ({one.knowledge_version for one in results}, {basis.knowledge_version}),
        "model": ({one.model for one in results}, {basis.model}),
        "prompt": ({one.prompt_version for one in results}, set(basis.prompt_versions)),
    }
    told = []
    for name, (then, now) in compared.items():
        if other := sorted(value for value in then - now if value):
            told.append(f"{name} {', '.join(other)}, now {', '.join(sorted(now))}")
    return told


def _result(row: Row, ask: AskRow, on_stage: OnStage) -> RowResult:
    if row.question is None or row.fault is not None:
        return RowResult(row=row, error=row.fault)
    try:
        return RowResult(row=row, answer=ask(row.question, on_stage=on_stage))
    except RagError as error:
        if _hits_every_row(error):
            raise
        return RowResult(row=row, error=RowError(message=error.message, hint=error.hint))
    except Exception as error:  # a fault of ours in one of 500 questions must not cost the others
        message = f"unexpected {type(error).__name__}: {error}"
        hint = "ask it alone with `rag --debug ask`, and report this"
        return RowResult(row=row, error=RowError(message=message, hint=hint))


def _hits_every_row(error: RagError) -> bool:
    """A question may be too long, a server busy or cut off; but what must be set up, indexed or
    installed first fails the next row too."""
    missing = isinstance(error, ModelError) and error.reason == "no_model"
    return missing or isinstance(error, SetupError | IndexUnusable)
