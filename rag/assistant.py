"""The public Python API, used by the command line itself.

>>> from rag import Assistant
>>> answer = Assistant.open("handbook").ask("How long are backups kept?")
>>> answer.status, answer.answer, [citation.path for citation in answer.citations]
"""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.config import Settings, load_settings
from rag.domain.answer import Answer
from rag.domain.models import Turn
from rag.domain.retrieval import Filter, Mode
from rag.wire import Workspace

if TYPE_CHECKING:
    from rag.flows.ask import OnStage
    from rag.flows.rerank import Found


class Assistant:
    """Answers over one workspace. Opening is cheap: index and models load on first use. Several
    threads may share one."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    @classmethod
    def open(
        cls,
        folder: str | Path = ".",
        *,
        notify: Callable[[str], None] = lambda line: None,
        **settings: Any,
    ) -> "Assistant":
        """The assistant of the workspace in `folder` (where `rag.toml` and `.rag/` are).

        `settings` override the file and the environment: `Assistant.open(".", llm="extractive")`.

        Raises:
            SetupError: a setting cannot work.
        """
        return cls(Workspace(load_settings(Path(folder), settings).settings, notify))

    @property
    def settings(self) -> Settings:
        return self.workspace.settings

    def ask(
        self,
        question: str,
        *,
        mode: Mode = "hybrid",
        filter: Filter | None = None,
        history: Sequence[Turn] = (),
        search_query: str | None = None,
        run: str | None = None,
        on_stage: "OnStage" = lambda stage, tokens: None,
    ) -> Answer:
        """One grounded answer, a refusal or a rejection; see `Answer.status`.

        Raises:
            UsageError: the question has no letter or digit.
            RagError: there is no index, or the model failed.
        """
        from rag.flows.ask import ask

        return ask(
            question,
            self.workspace.ask_ports(run),
            self.workspace.ask_options(mode=mode, filter=filter or Filter(), run=run),
            history=history,
            search_query=search_query,
            on_stage=on_stage,
        )

    def search(
        self,
        query: str,
        *,
        mode: Mode = "hybrid",
        limit: int = 10,
        filter: Filter | None = None,
        without: Collection[str] = (),
    ) -> "Found":
        """The best passages for `query`, in the order of the second stage where the settings switch
        it on; see `Found.rerank` for what it did. `without` names parts of the score to leave out,
        as `rag search --explain` shows them.

        Raises:
            UsageError: the query has no letter or digit.
            IndexUnusable: there is no index, or another embedder made it.
        """
        from rag.flows.rerank import search

        return search(
            query,
            self.workspace.searcher,
            self.workspace.reranker,
            mode=mode,
            limit=limit,
            filter=filter or Filter(),
            without=without,
        )
