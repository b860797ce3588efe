"""Lines of the view, printed: roles become colours, citations become links where a terminal
knows them."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rag.cli.console import console
from rag.core.plain import inline

if TYPE_CHECKING:
    from rag.core.view import Line
    from rag.domain.answer import Citation

_STYLES = {
    "plain": "",
    "answered": "bold green",
    "insufficient": "bold yellow",
    "rejected": "bold red",
    "marker": "bold cyan",
    "path": "cyan",
    "quote": "italic",
    "warning": "yellow",
    "dim": "dim",
}


def print_lines(lines: "Iterable[Line]", knowledge: Path | None = None) -> None:
    """Print to standard output, each line as one line. With `knowledge`, spans that cite a
    document link to its file."""
    from rich.style import Style
    from rich.text import Text

    target = console()
    for line in lines:
        text = Text()
        for span in line:
            style = Style.parse(_STYLES[span.role])
            if knowledge is not None and span.citation is not None and target.is_terminal:
                style += Style(link=_link(knowledge, span.citation))
            text.append(inline(span.text), style)
        target.print(text)


def _link(knowledge: Path, citation: "Citation") -> str:
    page = f"#page={citation.page}" if citation.page else ""
    return (knowledge / citation.path).resolve().as_uri() + page
