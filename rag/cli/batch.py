"""`rag batch`: many questions from a file, results into another."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag.cli.asking import AskFlags, takes_ask_flags
from rag.cli.console import emit_json, err, out
from rag.cli.options import search_filter

if TYPE_CHECKING:
    from rag.assistant import Assistant
    from rag.domain.batch import RowResult
    from rag.flows.batch import Plan, Summary


def register(app: typer.Typer) -> None:
    app.command("batch", help="Many questions from a file; goes on where it was stopped.")(batch)


@takes_ask_flags
def batch(
    context: typer.Context,
    *,
    questions: Annotated[
        Path,
        typer.Argument(
            help='JSON Lines with "question" and, best, an "id"; or a .csv or .tsv with these'
            " columns; or - for JSON Lines from standard input.",
            metavar="IN",
        ),
    ],
    results: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="Where the results go: .csv or .tsv for a table, else JSON Lines; - prints them.",
            metavar="OUT",
        ),
    ] = None,
    flags: AskFlags,
    # One at a time: a local model answers one request after another anyway, and those that wait
    # for it would use up their time limit waiting. A server with several slots gains from more.
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Questions at a time.")] = 1,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ask everything again; OUT is replaced.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> int:
    from rag.batchfiles.questions import read_rows
    from rag.batchfiles.results import open_results
    from rag.cli import EXIT_PARTIAL
    from rag.cli.index import progress_bar
    from rag.domain.errors import RagError
    from rag.flows.batch import plan, require_distinct_ids, run_batch

    target = _target(questions, results, as_json)
    rows = read_rows(questions)
    require_distinct_ids(rows)
    assistant = flags.assistant(context)
    assistant.workspace.catalog  # noqa: B018  no index is told at once
    with open_results(target, fresh=fresh, locks=assistant.settings.index_dir) as written:
        todo = plan(rows, written.past)
        _make_ready(assistant, flags, todo, target)
        ask = partial(flags.ask, assistant, run=_run_name(questions, target))
        try:
            with progress_bar() as progress:
                summary = run_batch(todo, ask, written, partial(_shape, flags), jobs, progress)
        except (KeyboardInterrupt, SystemExit, RagError, OSError):
            _tell_stopped(written.count, len(rows), target, fresh)
            raise
    if as_json:
        emit_json({**summary.model_dump(), "out": str(target)})
    else:
        _print_summary(summary, target)
    return EXIT_PARTIAL if summary.error else 0


def _target(questions: Path, results: Path | None, as_json: bool) -> Path:
    from rag.domain.errors import UsageError

    if results is None:
        raise UsageError(
            "no file for the results", "name one by --out answers.jsonl, or print them by --out -"
        )
    if str(results) == "-" and as_json:
        raise UsageError(
            "results and summary both want standard output", "name a file by --out, or drop --json"
        )
    if results.exists() and questions.exists() and results.samefile(questions):
        raise UsageError(f"{results} holds the questions", "name another file by --out")
    return results


def _run_name(questions: Path, target: Path) -> str:
    """All traces of a batch stand in one file, named after its results."""
    return next((path.stem for path in (target, questions) if path.stem != "-"), "batch")


def _make_ready(assistant: "Assistant", flags: AskFlags, todo: "Plan", target: Path) -> None:
    """What is broken for every row is told once, before the first; and what the person who started
    this should know."""
    from rag.diagnosis import require_ready
    from rag.flows.batch import differences

    where = search_filter(flags.path, flags.lang)
    basis = require_ready(assistant.workspace, flags.mode, where)
    for line in basis.degraded:
        err(f"degraded: {line}", style="yellow")
    if todo.gone:
        err(f"dropped from {target}, for their ids are not in the input: {todo.gone} results")
    if other := differences(todo.kept.values(), basis):
        told = "; ".join(other)
        err(f"kept results rest on something else: {told} (--fresh asks again)", style="yellow")


def _shape(flags: AskFlags, result: "RowResult") -> dict[str, Any]:
    """One row of the results: the `ask` object behind its id, or why there is none."""
    head = {"id": result.row.id}
    if result.answer is not None:
        return head | flags.answer_json(result.answer)
    error = result.error.model_dump() if result.error else None
    return head | {"question": result.row.question, "status": "error", "error": error}


def _tell_stopped(count: int, total: int, target: Path, fresh: bool) -> None:
    if not count or str(target) == "-":
        return
    command = "the same command without --fresh" if fresh else "the same command"
    err(f"stopped: {count} of {total} rows are in {target}; {command} goes on from there")


def _print_summary(summary: "Summary", target: Path) -> None:
    counts = summary.model_dump(exclude={"rows", "kept", "warnings"})
    told = f"{summary.rows} rows: " + ", ".join(f"{count} {name}" for name, count in counts.items())
    if summary.kept:
        told += f"; {summary.kept} kept from before"
    if str(target) == "-":
        err(told)
    else:
        out(f"{told}; {target}")
        if summary.error:
            err("rows with an error say why; the same command asks them again")
    if summary.warnings:
        told = ", ".join(f"{count} {code}" for code, count in sorted(summary.warnings.items()))
        err(f"answers with a warning: {told}", style="yellow")
