"""`rag trace`: look at past requests."""

from typing import TYPE_CHECKING, Annotated

import typer

from rag.cli.console import emit_json, err, out
from rag.cli.options import AsJson
from rag.cli.session import settings_of, workspace_of

if TYPE_CHECKING:
    from rag.journal import Journal


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Look at past requests.", rich_markup_mode=None)
    group.command("list", help="The latest requests, newest first.")(list_traces)
    group.command("show", help="One request, from the question to the outcome.")(show)
    group.command("stats", help="How requests end, and what a retry mends.")(stats)
    group.command("verify", help="Decide recorded requests again; end with 4 on a difference.")(
        verify
    )
    app.add_typer(group, name="trace", no_args_is_help=True)


def list_traces(
    context: typer.Context,
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, help="How many.")] = 20,
    as_json: AsJson = False,
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
    as_json: AsJson = False,
) -> None:
    from rag.cli.render import print_lines
    from rag.core.trace_view import trace_lines

    trace = _journal(context).read(trace_id)
    if as_json:
        emit_json(trace.model_dump(mode="json"))
    else:
        print_lines(trace_lines(trace))


def stats(
    context: typer.Context,
    run: Annotated[str | None, typer.Option(help="Only this run.")] = None,
    as_json: AsJson = False,
) -> None:
    from rag.core.trace_stats import summarize

    told = summarize(
        trace for trace in _journal(context).traces() if run is None or trace.run == run
    )
    if as_json:
        emit_json(told.model_dump(mode="json"))
        return
    out(f"requests {told.requests}", style="bold")
    for name, count in told.outcomes.items():
        out(f"  {name:<14} {count}")
    out(f"{told.called} called a model", style="bold")
    out(f"  first reply held     {told.first_try}")
    out(f"  retried              {told.retried}, of which {told.mended} then held")
    if told.codes:
        out("violations of first replies", style="bold")
    for code in told.codes:
        out(f"  {code.code:<26} {code.seen:>4}  retried {code.retried}, mended {code.mended}")
    if told.repairs:
        out("repairs of first replies", style="bold")
    for name, count in told.repairs.items():
        out(f"  {name:<26} {count:>4}")


def verify(
    context: typer.Context,
    trace_id: Annotated[
        str | None, typer.Argument(help="One request; all of them when missing.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    from rag.cli import EXIT_REGRESSION
    from rag.core.replay import replay

    workspace = workspace_of(context)
    journal = workspace.journal
    traces = [journal.read(trace_id)] if trace_id else list(journal.traces())
    replays = [replay(trace, workspace.find_source) for trace in traces]
    if as_json:
        emit_json([one.model_dump(mode="json") for one in replays])
    else:
        for one in replays:
            for line in one.mismatches:
                out(f"{one.trace_id}  {line}", style="red")
            if one.missing:
                lost = ", ".join(one.missing)
                out(f"{one.trace_id}  not verifiable: the text of {lost} is gone", style="yellow")
        reproduced = sum(one.reproduced for one in replays)
        out(f"{reproduced} of {len(replays)} requests reproduced")
    return EXIT_REGRESSION if any(one.mismatches for one in replays) else 0


def _journal(context: typer.Context) -> "Journal":
    from rag.journal import Journal

    return Journal(settings_of(context).traces_dir)
