"""`rag chat`: questions one after another."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from rag.cli.console import StageLine, err, out
from rag.cli.options import Llm, ModelName, Replies, Rerank
from rag.cli.session import settings_of
from rag.core.plain import inline

if TYPE_CHECKING:
    from rag.assistant import Assistant
    from rag.flows.chat import Conversation

_PROMPT = "> "
_HISTORY_LINES = 1000
_HELP = """\
/sources     the sources of the last answer, cited or not
/show S2     a source in its document
/trace       the last request in full
/new         begin anew: earlier turns are forgotten
/quit        leave (Ctrl-D too); Ctrl-C ends an answer, not the session"""


def register(app: typer.Typer) -> None:
    app.command("chat", help="Ask in a conversation; earlier turns only help to understand.")(chat)


def chat(
    context: typer.Context,
    llm: Llm = None,
    model: ModelName = None,
    replies: Replies = None,
    rerank: Rerank = None,
) -> None:
    from rag.assistant import Assistant
    from rag.flows.chat import Conversation
    from rag.wire import Workspace

    settings = settings_of(
        context,
        llm=llm,
        model=model,
        static_replies=replies.absolute() if replies else None,
        rerank=rerank,
    )
    assistant = Assistant(Workspace(settings, notify=err))
    assistant.workspace.catalog  # noqa: B018  no index is told at once, not after the first question
    with StageLine() as line:
        conversation = Conversation(
            lambda question, *, history, search_query: assistant.ask(
                question,
                history=history,
                search_query=search_query,
                run="chat",
                on_stage=line.show,
            )
        )
        _Session(assistant, conversation, line).run()


class _Session:
    """Reads lines and carries them out, until the end of input."""

    def __init__(
        self, assistant: "Assistant", conversation: "Conversation", line: StageLine
    ) -> None:
        self._assistant = assistant
        self._conversation = conversation
        self._line = line

    def run(self) -> None:
        if sys.stdin.isatty():
            _edit_lines(self._assistant.settings.index_dir / "chat_history")
            out("Ask a question. /help lists the commands.")
        while (text := self._read()) is not None:
            if text in ("/quit", "/exit"):
                return
            if text:
                self._carry_out(text)

    def _read(self) -> str | None:
        """The next line; None at the end of input. Ctrl-C drops the line being typed."""
        while True:
            try:
                return input(_PROMPT if sys.stdin.isatty() else "").strip()
            except EOFError:
                if sys.stdin.isatty():
                    out()
                return None
            except KeyboardInterrupt:
                out()

    def _carry_out(self, text: str) -> None:
        from rag.domain.errors import RagError

        try:
            if text.startswith("/"):
                self._command(*text.split())
            else:
                self._question(text)
        except RagError as error:
            self._line.clear()
            err(f"error: {error.message}", style="bold red")
            if error.hint:
                err(f"hint: {error.hint}")
        except KeyboardInterrupt:
            self._line.clear()
            err("stopped; the conversation goes on")

    def _question(self, text: str) -> None:
        from rag.cli.render import print_lines
        from rag.core.view import answer_lines

        answer = self._conversation.ask(text)
        self._line.clear()
        print_lines(answer_lines(answer), self._assistant.settings.knowledge_dir)
        out()

    def _command(self, name: str, *arguments: str) -> None:
        if name == "/new":
            self._conversation.forget()
            out("a new conversation")
        elif name == "/sources":
            self._sources()
        elif name == "/trace":
            self._trace()
        elif name == "/show" and arguments:
            self._show(arguments[0].strip("[]").upper())
        else:
            out(_HELP)

    def _sources(self) -> None:
        if (answer := self._conversation.last) is None:
            out("no answer yet")
            return
        cited = {citation.marker for citation in answer.citations}
        for source in self._assistant.workspace.journal.read(answer.trace_id).context.sources:
            mark = "cited" if source.marker in cited else "     "
            place = f"{source.path}:{source.start_line}  {source.title}"
            out(f"[{source.marker}] {mark}  {inline(place)}")

    def _trace(self) -> None:
        from rag.cli.render import print_lines
        from rag.core.trace_view import trace_lines

        if (answer := self._conversation.last) is None:
            out("no answer yet")
            return
        print_lines(trace_lines(self._assistant.workspace.journal.read(answer.trace_id)))

    def _show(self, marker: str) -> None:
        from rag.cli.show import print_span

        if (answer := self._conversation.last) is None:
            out("no answer yet")
            return
        workspace = self._assistant.workspace
        sources = workspace.journal.read(answer.trace_id).context.sources
        found = next((source for source in sources if source.marker == marker), None)
        if found is None:
            out(f"the last answer had no source {marker}")
            return
        text = workspace.catalog.document_text(found.path) or ""
        print_span(found.path, text.split("\n"), found.start_line, found.end_line, around=3)


def _edit_lines(history: Path) -> None:
    """Line editing and a history kept between sessions, where the platform has readline."""
    try:
        import atexit
        import readline
    except ImportError:
        return
    if history.is_file():
        readline.read_history_file(history)
    readline.set_history_length(_HISTORY_LINES)

    def save() -> None:
        try:
            readline.write_history_file(history)
        except OSError as error:
            err(f"the history could not be kept: {error.strerror}")

    atexit.register(save)
