"""What `ask` and `batch` have in common: the flags that decide an answer, and what they come to."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag.cli.options import (
    Languages,
    Llm,
    Mode,
    ModelName,
    PathGlobs,
    Replies,
    Rerank,
    search_filter,
)
from rag.cli.session import workspace_of

if TYPE_CHECKING:
    from rag.assistant import Assistant
    from rag.domain.answer import Answer
    from rag.flows.ask import OnStage


@dataclass(frozen=True)
class AskFlags:
    """Each field is an option of every command that `takes_ask_flags`."""

    path: PathGlobs = None
    lang: Languages = None
    mode: Mode = "hybrid"
    llm: Llm = None
    model: ModelName = None
    replies: Replies = None
    rerank: Rerank = None
    max_sources: Annotated[int | None, typer.Option(help="Sources handed over at most.")] = None
    retries: Annotated[int | None, typer.Option(help="0 to 2.")] = None
    coverage: Annotated[str | None, typer.Option(help="strict or warn.")] = None
    support: Annotated[str | None, typer.Option(help="strict, warn or off.")] = None
    run: Annotated[str | None, typer.Option(help="Name the trace file.")] = None
    show_rejected: Annotated[
        bool, typer.Option("--show-rejected", help="Show a refused reply, labelled as such.")
    ] = False

    def assistant(self, context: typer.Context) -> "Assistant":
        from rag.assistant import Assistant

        return Assistant(
            workspace_of(
                context,
                llm=self.llm,
                model=self.model,
                static_replies=self.replies.absolute() if self.replies else None,
                rerank=self.rerank,
                max_sources=self.max_sources,
                retries=self.retries,
                coverage=self.coverage,
                support=self.support,
            )
        )

    def ask(
        self,
        assistant: "Assistant",
        question: str,
        *,
        run: str | None = None,
        on_stage: "OnStage" = lambda stage, tokens: None,
    ) -> "Answer":
        """`run` names the trace file where no flag does."""
        return assistant.ask(
            question,
            mode=self.mode,
            filter=search_filter(self.path, self.lang),
            run=self.run or run,
            on_stage=on_stage,
        )

    def answer_json(self, answer: "Answer") -> dict[str, Any]:
        """The `ask` shape. The refused reply stays out of machine output unless it was asked for by
        name."""
        shape = answer.model_dump(mode="json")
        if not self.show_rejected:
            shape.pop("rejected_text")
        return shape


def takes_ask_flags(command: Callable[..., int]) -> Callable[..., int]:
    """`command` with its parameter `flags` spread out, as Typer reads options from a signature."""
    shared = [
        Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=field.type)
        for field in fields(AskFlags)
    ]
    parameters: list[Parameter] = []
    for own in signature(command).parameters.values():
        spread_out = shared if own.name == "flags" else [own.replace(kind=Parameter.KEYWORD_ONLY)]
        parameters += spread_out

    @wraps(command)
    def spread(**given: Any) -> int:
        flags = AskFlags(**{field.name: given.pop(field.name) for field in fields(AskFlags)})
        return command(**given, flags=flags)

    spread.__signature__ = signature(command).replace(parameters=parameters)  # type: ignore[attr-defined]
    spread.__annotations__ = {one.name: one.annotation for one in parameters}
    return spread
