"""`rag trace`: look at past requests."""

from typing import TYPE_CHECKING, Annotated

import typer

from rag.cli.console import emit_json, err, out
from rag.cli.session import settings_of

if TYPE_CHECKING:
    from rag.journal import Journal


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Look at past requests.", rich_markup_mode=None)
    group.command("list", help="The latest requests, newest first.")(list_traces)
    group.command("show", help="One request, from the question to the outcome.")(show)
    app.add_typer(group, name="trace", no_args_is_help=True)


def list_traces(
    context: typer.Context,
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, help="How many.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    from rag.cli.render import print_lines
    from rag.core.trace_view import trace_row

    damaged: list[str] = []
    journal = _journal(context)
    traces = sorted(journal.traces(damaged), key=lambda trace: trace.time, reverse=True)[:limit]
    if damaged:
        err(f"{len(damaged)} damaged line(s) skipped, the first at {damaged[0]}")
    if as_json:
        emit_json([trace.model_dump(mode="json") for trace in traces])
    elif traces:
        print_lines(trace_row(trace) for trace in traces)
    else:
        out("no traces yet: `rag ask` writes one for each question")


def show(
    context: typer.Context,
    trace_id: Annotated[str, typer.Argument(help="The id, or as much of it as is unique.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    from rag.cli.render import print_lines
    from rag.core.trace_view import trace_lines

    trace = _journal(context).read(trace_id)
    if as_json:
        emit_json(trace.model_dump(mode="json"))
    else:
        print_lines(trace_lines(trace))


def _journal(context: typer.Context) -> "Journal":
    from rag.journal import Journal

    return Journal(settings_of(context).traces_dir)
