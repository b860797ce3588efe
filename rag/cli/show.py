"""`rag show`: a cited source in its document, the span marked."""

import re
from typing import TYPE_CHECKING, Annotated

import typer

from rag.cli.console import console, emit_json, out
from rag.cli.options import AsJson
from rag.cli.session import workspace_of

if TYPE_CHECKING:
    from rag.domain.ports import Catalog

_LINE_SUFFIX = re.compile(r"^(?P<path>.+?):(?P<first>\d+)(?:-(?P<last>\d+))?$", re.DOTALL)


def register(app: typer.Typer) -> None:
    app.command("show", help="A cited source in its document, the span marked.")(show)


def show(
    context: typer.Context,
    target: Annotated[str, typer.Argument(help="A chunk id, PATH, PATH:LINE or PATH:FROM-TO.")],
    around: Annotated[int, typer.Option("-n", "--around", min=0, help="Lines around it.")] = 5,
    as_json: AsJson = False,
) -> None:
    catalog = workspace_of(context).catalog
    path, first, last = _locate(catalog, target)
    lines = (catalog.document_text(path) or "").split("\n")
    last = min(last or len(lines), len(lines))
    if as_json:
        text = "\n".join(lines[first - 1 : last])
        emit_json({"path": path, "start_line": first, "end_line": last, "text": text})
        return
    print_span(path, lines, first, last, around)


def print_span(path: str, lines: list[str], first: int, last: int, around: int) -> None:
    from rag.core.plain import inline, printable

    whole = first == 1 and last == len(lines)
    out(inline(path), style="cyan")
    target = console()
    begin, end = max(1, first - around), min(len(lines), last + around)
    for number in range(begin, end + 1):
        inside = first <= number <= last
        mark = ">" if inside and not whole else " "
        style = None if inside else "dim"
        target.print(f"{mark}{number:>5}  {printable(lines[number - 1])}", style=style)


def _locate(catalog: "Catalog", target: str) -> tuple[str, int, int | None]:
    """Path, first and last line (None: to the end of the document)."""
    from rag.domain.errors import UsageError

    if found := catalog.chunks([target]):
        return found[0].path, found[0].start_line, found[0].end_line
    documents = catalog.documents()
    if target in documents:
        return target, 1, None
    if (match := _LINE_SUFFIX.match(target)) and match["path"] in documents:
        first = int(match["first"])
        last = int(match["last"] or first)
        count = (catalog.document_text(match["path"]) or "").count("\n") + 1
        if not 1 <= first <= last <= count:
            raise UsageError(
                f"{match['path']} has no lines {first}-{last}", f"it has {count} lines"
            )
        return match["path"], first, last
    raise UsageError(
        f"no passage or document {target!r} in the index", "`rag search` shows paths and ids"
    )
