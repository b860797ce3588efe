"""`rag index`: brings the index up to date with the knowledge folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag.cli.console import emit_json, err, interactive, out
from rag.cli.options import AsJson
from rag.cli.session import workspace_of
from rag.core.plain import inline

if TYPE_CHECKING:
    from rag.domain.index import Failure, IngestReport
    from rag.domain.ports import Progress

# A folder full of pictures should not scroll the result away; `--json` lists them all.
_SHOWN_SKIPPED = 10


def register(app: typer.Typer) -> None:
    app.command("index", help="Bring the index up to date with the knowledge folder.")(index)


def index(
    context: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files or folders; other documents are untouched.", metavar="[PATH]..."
        ),
    ] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Read and embed everything again.")
    ] = False,
    knowledge: Annotated[
        Path | None, typer.Option("--knowledge", help="The folder of documents.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    from rag.cli import EXIT_PARTIAL

    if knowledge is not None:
        knowledge = Path.cwd() / knowledge
    workspace = workspace_of(context, knowledge=knowledge)
    scope = [_in_knowledge(path, workspace.settings.knowledge_dir) for path in paths or ()]
    with progress_bar() as progress:
        # The whole folder is no narrowing.
        report = workspace.index([] if "." in scope else scope, rebuild=rebuild, progress=progress)
    if as_json:
        emit_json(report.model_dump(mode="json"))
    else:
        _print_report(report)
    if report.vectors_stopped:
        err(f"error: vectors are not finished: {report.vectors_stopped}", style="bold red")
        err("hint: searching by words works; run `rag index` again for the rest")
    if report.failed or report.vectors_stopped:
        raise typer.Exit(EXIT_PARTIAL)


def _in_knowledge(path: Path, knowledge: Path) -> str:
    """A path as a person names it, from the current folder or from the knowledge folder, relative
    to the latter. The last part may be a link: what it leads to is not asked for."""
    from rag.domain.errors import UsageError

    root = knowledge.resolve()
    named = [start / path for start in (Path.cwd(), root)]
    inside = [place for place in map(_resolved, named) if place.is_relative_to(root)]
    # A file that was deleted may be named, to have it forgotten.
    for place in [*filter(Path.exists, inside), *inside]:
        return place.relative_to(root).as_posix()
    raise UsageError(
        f"{path} is not in {knowledge.name}/", "move it there, or name its folder by --knowledge"
    )


def _resolved(path: Path) -> Path:
    return path.resolve() if path.name == ".." else path.parent.resolve() / path.name


def _print_report(report: "IngestReport") -> None:
    if not (report.documents or report.removed or report.failed):
        out("nothing to index")
    else:
        parts = [f"indexed {report.indexed}", f"failed {len(report.failed)}"]
        parts += [f"unchanged {report.unchanged}", f"removed {report.removed}"]
        out(", ".join(parts))
        pending = f", {report.vectors_pending} without a vector" if report.vectors_pending else ""
        out(
            f"{report.documents} documents, {report.chunks} passages{pending},"
            f" {report.knowledge_version}"
        )
    _print_list("failed", report.failed, "red", len(report.failed))
    _print_list("warning", report.warnings, "yellow", len(report.warnings))
    _print_list("skipped", report.skipped, "dim", _SHOWN_SKIPPED)


def _print_list(label: str, lines: "tuple[Failure, ...]", style: str, shown: int) -> None:
    for line in lines[:shown]:
        hint = f" ({inline(line.hint)})" if line.hint else ""
        err(f"{label}: {inline(line.path)}: {inline(line.reason)}{hint}", style=style)
    if len(lines) > shown:
        err(f"{label}: {len(lines) - shown} more", style=style)


@contextmanager
def progress_bar() -> Iterator["Progress | None"]:
    """One bar for the stage at work, on standard error; nothing where that is no terminal."""
    if not interactive():
        yield None
        return
    import sys

    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeRemainingColumn,
    )

    from rag.cli.console import console

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console(sys.stderr),
        transient=True,
    )
    tasks: dict[str, TaskID] = {}
    with bar:

        def show(stage: str, done: int, total: int, detail: str = "") -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done, total=total)

        yield show
