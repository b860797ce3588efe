"""`rag ask`: one grounded answer."""

from typing import Annotated, Any, get_args

import typer

from rag.cli.console import StageLine, emit_json, err, read_text
from rag.cli.options import AsJson, Languages, Llm, Mode, ModelName, PathGlobs, Replies, Rerank
from rag.cli.session import settings_of


def register(app: typer.Typer) -> None:
    app.command("ask", help="One grounded answer, each claim bound to a checked source.")(ask)


def ask(
    context: typer.Context,
    question: Annotated[
        str | None, typer.Argument(help="The question; standard input when missing or '-'.")
    ] = None,
    path: PathGlobs = None,
    lang: Languages = None,
    mode: Mode = "hybrid",
    llm: Llm = None,
    model: ModelName = None,
    replies: Replies = None,
    rerank: Rerank = None,
    max_sources: Annotated[int | None, typer.Option(help="Sources handed over at most.")] = None,
    retries: Annotated[int | None, typer.Option(help="0 to 2.")] = None,
    coverage: Annotated[str | None, typer.Option(help="strict or warn.")] = None,
    support: Annotated[str | None, typer.Option(help="strict, warn or off.")] = None,
    run: Annotated[str | None, typer.Option(help="Name the trace file.")] = None,
    show_rejected: Annotated[
        bool, typer.Option("--show-rejected", help="Show a refused reply, labelled as such.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    from rag.assistant import Assistant
    from rag.cli import EXIT_REJECTED
    from rag.core.view import answer_lines
    from rag.wire import Workspace

    text = question if question not in (None, "-") else read_text(None).strip()
    settings = settings_of(
        context,
        llm=llm,
        model=model,
        static_replies=replies.absolute() if replies else None,
        rerank=rerank,
        max_sources=max_sources,
        retries=retries,
        coverage=coverage,
        support=support,
    )
    assistant = Assistant(Workspace(settings, notify=err))
    with StageLine() as line:
        answer = assistant.ask(
            text or "", mode=mode, filter=search_filter(path, lang), run=run, on_stage=line.show
        )
    if as_json:
        emit_json(answer_json(answer.model_dump(mode="json"), show_rejected))
    else:
        from rag.cli.render import print_lines

        print_lines(answer_lines(answer, show_rejected=show_rejected), settings.knowledge_dir)
        err(f"trace {answer.trace_id}", style="dim")
    return EXIT_REJECTED if answer.status == "rejected" else 0


def search_filter(path: list[str] | None, lang: list[str] | None) -> Any:
    """The filter of a search; a language that no passage can be in is refused."""
    from rag.domain.documents import Language
    from rag.domain.errors import UsageError
    from rag.domain.retrieval import Filter

    languages = get_args(Language)
    if unknown := [name for name in lang or () if name not in languages]:
        raise UsageError(f"no language {unknown[0]!r}", f"there are: {', '.join(languages)}")
    return Filter(paths=tuple(path or ()), languages=tuple(lang or ()))


def answer_json(answer: dict[str, Any], show_rejected: bool) -> dict[str, Any]:
    """The refused reply stays out of machine output unless it was asked for by name."""
    if not show_rejected:
        answer.pop("rejected_text")
    return answer
