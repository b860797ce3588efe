"""Everything the commands print goes through here.

Results go to standard output, progress and notices to standard error. Text from documents, models
and file names is data: it is never read as markup and cannot carry terminal control codes.
"""

import json
import os
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from rag.core.plain import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


def prepare_streams() -> None:
    """Let no stream end a command: one that was closed (`2>&-`, a service without a terminal) is
    the null device, and what the terminal's encoding lacks is replaced."""
    # In the order of their numbers: each takes its own, so that no file opened later can be taken
    # for the terminal by a library that writes there.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def console(stream: IO[str] | None = None) -> "Console":
    """A console that prints text as it is: no markup, emoji names, highlighting or hard wraps."""
    from rich.console import Console

    class PipeConsole(Console):
        """A reader that has gone ends the command as any closed pipe does; rich alone would end
        the process with 1, as if something had failed."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return PipeConsole(
        file=stream or sys.stdout, markup=False, emoji=False, highlight=False, soft_wrap=True
    )


def out(text: "str | Text" = "", *, style: str | None = None) -> None:
    """One line, or several, to standard output."""
    console().print(printable(text) if isinstance(text, str) else text, style=style)


def err(text: str, *, style: str | None = None) -> None:
    """A notice to standard error."""
    console(sys.stderr).print(printable(text), style=style)


def emit_json(value: Any) -> None:
    """One JSON document to standard output, Chinese unescaped, NaN refused."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def emit_json_line(value: Any) -> None:
    """One JSON object on one line, for streams of results."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")


def show_error(message: str, hint: str | None = None) -> None:
    err(f"error: {message}", style="bold red")
    if hint:
        err(f"hint: {hint}")


def interactive() -> bool:
    """Whether standard error is a terminal that can redraw a line."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def read_text(file: Path | None) -> str:
    """A file's text, or standard input for None and `-`; UTF-8, whatever the locale."""
    from rag.domain.errors import UsageError

    if file is None or str(file) == "-":
        if file is None and sys.stdin.isatty():
            raise UsageError("nothing to read", "name a file, or pipe the text in")
        return sys.stdin.buffer.read().decode("utf-8-sig", errors="replace")
    try:
        return file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}", "check the path") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8 text", "save it as UTF-8") from error


def parse_json(text: str) -> Any:
    """JSON that a person or another program wrote, strictly: what could not be printed again (NaN,
    infinity) or is nested without end is a ValueError like any other fault."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


class StageLine:
    """One line on standard error that says what is going on, redrawn in place; nothing when
    standard error is no terminal."""

    def __init__(self) -> None:
        self._live = interactive()
        self._drawn = False

    def __enter__(self) -> "StageLine":
        return self

    def __exit__(self, *failure: object) -> None:
        self.clear()

    def show(self, stage: str, tokens: int) -> None:
        if self._live:
            self.clear()
            counted = f" {tokens} token{'s' if tokens > 1 else ''}" if tokens else ""
            sys.stderr.write(f"{stage} …{counted}")
            sys.stderr.flush()
            self._drawn = True

    def clear(self) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._drawn = False
