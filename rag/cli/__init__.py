"""The command line. One file per command group; each adds its commands with `register(app)`.

This is the only place that catches errors and sets exit codes.
"""

import importlib
import os
import pkgutil
import signal
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from rag import __version__
from rag.cli.console import prepare_streams, show_error
from rag.domain.errors import RagError, UsageError

# Before its first import (in commands, when they need it) pydantic would read the metadata of every
# installed package to look for plugins: a tenth of the time that `rag check` takes to start.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

EXIT_ERROR, EXIT_USAGE, EXIT_REJECTED, EXIT_REGRESSION, EXIT_PARTIAL = 1, 2, 3, 4, 5
EXIT_INTERRUPTED = 130
EXIT_CLOSED_PIPE = 141


def build_app() -> typer.Typer:
    app = typer.Typer(
        name="rag",
        help="Answers over your own documents, each bound to sources that the program checked.",
        no_args_is_help=False,
        invoke_without_command=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_globals)
    for found in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        module = importlib.import_module(f"{__name__}.{found.name}")
        if hasattr(module, "register"):  # the others are what commands share
            module.register(app)
    return app


def _globals(
    context: typer.Context,
    root: Annotated[
        Path | None,
        typer.Option("--root", "-C", help="Work in this folder instead of the current one."),
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        typer.echo(f"citebound {__version__}")
        raise typer.Exit
    context.obj = {"root": root, "debug": debug}
    if context.invoked_subcommand is None:
        from rag.cli.welcome import welcome

        welcome(root)
        raise typer.Exit


def main(arguments: list[str] | None = None) -> None:
    """Run one command and end the process with the exit code of design section 5."""
    prepare_streams()
    signal.signal(signal.SIGTERM, _stop)
    # A terminal that is closed ends a command in the same way, unless `nohup` said to go on.
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, _stop)
    arguments = sys.argv[1:] if arguments is None else arguments
    sys.exit(run(arguments))


def _stop(signal_number: int, frame: object) -> NoReturn:
    """Unwind when asked to end (`timeout`, a container that stops), so that a request leaves its
    trace and locks are let go."""
    raise SystemExit(128 + signal_number)


def run(arguments: list[str]) -> int:
    """Carry out one command line and return its exit code."""
    debug = "--debug" in arguments
    # `--debug` counts wherever it stands: people add it to the end of the command that failed.
    if debug:
        arguments = ["--debug", *(word for word in arguments if word != "--debug")]
    try:
        code = build_app()(args=arguments, prog_name="rag", standalone_mode=False)
        sys.stdout.flush()
        return int(code or 0)
    except BrokenPipeError:
        return _closed_pipe()
    except (KeyboardInterrupt, EOFError, typer.Abort):
        show_error("interrupted")
        return EXIT_INTERRUPTED
    except typer.Exit as stop:
        return stop.exit_code
    except RagError as error:
        if debug:
            raise
        show_error(error.message, error.hint)
        return EXIT_USAGE if isinstance(error, UsageError) else EXIT_ERROR
    except OSError as error:  # a folder that is none, no permission, a full disk: not our fault
        if debug:
            raise
        place = f"{error.filename}: " if error.filename else ""
        show_error(
            f"{place}{error.strerror or error}", "check the path, its permissions and the disk"
        )
        return EXIT_ERROR
    except Exception as error:
        if debug:
            raise
        return _show_unexpected(error)


def _show_unexpected(error: Exception) -> int:
    """Click's own usage errors keep their exit code; anything else is ours to answer for."""
    if (format_message := getattr(error, "format_message", None)) is not None:
        context = getattr(error, "ctx", None)
        command = context.command_path if context is not None else "rag"
        told = "what it takes" if command != "rag" else "the commands"
        message = str(format_message()).replace("Value error, ", "")  # pydantic's, in Typer's
        show_error(message, f"`{command} --help` lists {told}")
        return EXIT_USAGE
    show_error(
        f"unexpected {type(error).__name__}: {error}", "run it again with --debug and report this"
    )
    return EXIT_ERROR


def _closed_pipe() -> int:
    """The reader has gone (`rag trace list | head`): say nothing, also not at interpreter exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_CLOSED_PIPE
