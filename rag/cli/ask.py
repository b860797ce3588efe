"""`rag ask`: one grounded answer."""

from typing import Annotated

import typer

from rag.cli.asking import AskFlags, takes_ask_flags
from rag.cli.console import StageLine, emit_json, err, read_text
from rag.cli.options import AsJson


def register(app: typer.Typer) -> None:
    app.command("ask", help="One grounded answer, each claim bound to a checked source.")(ask)


@takes_ask_flags
def ask(
    context: typer.Context,
    *,
    question: Annotated[
        str | None, typer.Argument(help="The question; standard input when missing or '-'.")
    ] = None,
    flags: AskFlags,
    as_json: AsJson = False,
) -> int:
    from rag.cli import EXIT_REJECTED
    from rag.core.view import answer_lines

    text = question if question not in (None, "-") else read_text(None).strip()
    assistant = flags.assistant(context)
    with StageLine() as line:
        answer = flags.ask(assistant, text or "", on_stage=line.show)
    if as_json:
        emit_json(flags.answer_json(answer))
    else:
        from rag.cli.render import print_lines

        lines = answer_lines(answer, show_rejected=flags.show_rejected)
        print_lines(lines, assistant.settings.knowledge_dir)
        err(f"trace {answer.trace_id}", style="dim")
    return EXIT_REJECTED if answer.status == "rejected" else 0
