"""From settings to ports: the only place that looks a backend up by its name."""

import importlib
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from functools import cached_property, partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from rag import __version__
from rag.config import Settings
from rag.domain.documents import Limits, LoadedDocument
from rag.domain.errors import SetupError
from rag.domain.index import IngestReport
from rag.domain.models import GenerationParameters
from rag.domain.ports import Embedder, LanguageModel, Progress, Reranker
from rag.domain.ranking import RankingForm
from rag.domain.trace import SourceTrace
from rag.telemetry import silence

if TYPE_CHECKING:
    from rag.flows.ask import AskPorts
    from rag.flows.ingest import Reading
    from rag.flows.request import AskOptions
    from rag.flows.search import Searcher
    from rag.journal import Journal
    from rag.promptbook import PromptBook
    from rag.rerankers.llm import LLMReranker
    from rag.rerankers.llm import Mode as RerankMode
    from rag.stores.catalog import Catalog
    from rag.stores.lexical import LexicalIndex
    from rag.stores.vectors import VectorIndex


_T = TypeVar("_T")


class opened_once(cached_property[_T]):  # named like what it stands for
    """A part that is opened at its first use, by one of the threads that share the workspace: since
    Python 3.12 a plain `cached_property` may be computed by each of them."""

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> _T: ...
    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        if instance is None:
            return self
        with instance.opening:
            return super().__get__(instance, owner)


class Workspace:
    """One knowledge folder with its index, models and traces. Each part is opened on first use, and
    may then be used by several threads at once."""

    def __init__(
        self, settings: Settings, notify: Callable[[str], None] = lambda line: None
    ) -> None:
        """`notify` receives the few lines a person should see, such as which model serves."""
        silence()
        self.opening = threading.RLock()  # some parts open others
        self.settings = settings
        self._notify = notify

    @opened_once
    def catalog(self) -> "Catalog":
        from rag.stores.catalog import Catalog

        return Catalog.open(self.settings.index_dir)

    @opened_once
    def lexical(self) -> "LexicalIndex":
        from rag.stores.lexical import LexicalIndex

        return LexicalIndex.open(self.settings.index_dir)

    @opened_once
    def vectors(self) -> "VectorIndex":
        from rag.stores.vectors import VectorIndex

        return VectorIndex.open(
            self.settings.index_dir,
            embedder=self.embedder.identity,
            paths=self.catalog.paths,
            rows=self.catalog.chunk_count,
        )

    @opened_once
    def embedder(self) -> Embedder:
        module = _backend("embedders", self.settings.embedder)
        embedder: Embedder = module.open_embedder(self.settings)
        return embedder

    @opened_once
    def model(self) -> LanguageModel:
        return self._open_model(self.settings)

    def _open_model(self, settings: Settings) -> LanguageModel:
        name = settings.llm
        if name == "auto":
            name = self._available_model(settings)
        module = _backend("llms", name)
        model: LanguageModel = module.open_model(settings, lambda: self.embedder)
        return model

    def _available_model(self, settings: Settings) -> str:
        """Ollama if it answers and has the configured model, else extraction, saying so."""
        from rag.llms.ollama import ollama_has_model

        if ollama_has_model(settings.ollama_host, settings.model):
            return "ollama"
        self._notify(
            f"no Ollama with {settings.model} at {settings.ollama_host}: answering by extraction, "
            "without a language model"
        )
        return "extractive"

    @opened_once
    def journal(self) -> "Journal":
        from rag.journal import Journal

        return Journal(self.settings.traces_dir)

    @opened_once
    def prompts(self) -> "PromptBook":
        from rag.promptbook import PromptBook

        return PromptBook(self.settings.root / self.settings.prompts)

    @opened_once
    def searcher(self) -> "Searcher":
        from rag.flows.search import Searcher

        return Searcher(self.catalog, self.lexical, lambda: self.vectors, lambda: self.embedder)

    def index(
        self,
        scope: Sequence[str] = (),
        *,
        rebuild: bool = False,
        progress: Progress | None = None,
        read: "Reading | None" = None,
    ) -> IngestReport:
        """Bring the index up to date with the knowledge folder; see `rag.flows.ingest`. `read`
        stands in for the loaders of this workspace."""
        from rag.flows.ingest import IndexPorts, ingest
        from rag.stores.catalog import Catalog
        from rag.stores.guard import require_disk_space, writer_lock
        from rag.stores.lexical import LexicalIndex
        from rag.stores.vectors import VectorIndex

        settings, folder = self.settings, self.settings.index_dir
        if not settings.knowledge_dir.is_dir():
            raise SetupError(f"there is no folder {settings.knowledge}/", "make it, or `rag init`")
        with ExitStack() as opened:
            # The lock comes first: what is opened below may be made anew by `rebuild`.
            opened.enter_context(writer_lock(folder))
            # A run over some paths only must not empty an index that it cannot use.
            whole = rebuild and not scope
            catalog = opened.enter_context(closing(Catalog.create(folder, rebuild=whole)))
            lexical = opened.enter_context(closing(LexicalIndex.open(folder)))
            vectors = VectorIndex.open(
                folder,
                embedder=self.embedder.identity,
                dimension=self.embedder.dimension,
                paths=catalog.paths,
                rows=catalog.chunk_count,
            )
            ports = IndexPorts(
                catalog=catalog,
                lexical=lexical,
                vectors=opened.enter_context(closing(vectors)),
                embedder=self.embedder,
                require_space=partial(require_disk_space, folder),
            )
            return ingest(
                settings.knowledge_dir,
                read or reading(settings),
                ports,
                scope=scope,
                rebuild=rebuild,
                follow_links=settings.follow_links,
                progress=progress,
            )

    @opened_once
    def reranker(self) -> Reranker | None:
        """The second stage of a search; None when it is switched off, as it is by default."""
        mode = self.settings.rerank
        return None if mode == "off" else self.open_reranker(mode)

    def open_reranker(
        self, mode: "RerankMode", *, cached: bool = True, **options: Any
    ) -> "LLMReranker":
        """The reranker in `mode`, whether it is switched on or not. `options` go before those that
        the settings give; see `rag.rerankers.llm.RerankOptions`."""
        from rag.rerankers._cache import RankingCache
        from rag.rerankers.llm import LLMReranker, RerankOptions

        settings = self.settings
        given: dict[str, Any] = {
            "mode": mode,
            "form": self.rerank_form,
            "language": settings.language,
            "timeout": settings.rerank_timeout,
            "batch_size": settings.rerank_batch,
            "num_ctx": settings.num_ctx,
            "seed": settings.seed,
        }
        return LLMReranker(
            lambda: self.rerank_model,
            self.prompts,
            RerankOptions(**given | options),
            cache=RankingCache(settings.index_dir / "rankings.sqlite") if cached else None,
        )

    @property
    def rerank_form(self) -> RankingForm:
        """A backend that enforces a schema is asked for an object, any other for a plain list."""
        return "object" if self._ranking_settings.llm in ("ollama", "auto") else "array"

    @opened_once
    def rerank_model(self) -> LanguageModel:
        """The model that ranks: the one that answers, unless `rerank_model` names another."""
        if self.settings.rerank_model is None:
            return self.model
        return self._open_model(self._ranking_settings)

    @property
    def _ranking_settings(self) -> Settings:
        """A model that is named to rank does so also where answers are quoted without one."""
        settings = self.settings
        if (name := settings.rerank_model) is None:
            return settings
        llm = "ollama" if settings.llm == "extractive" else settings.llm
        return settings.model_copy(update={"model": name, "llm": llm})

    def find_source(self, source: SourceTrace) -> tuple[str, str] | None:
        """Text and context of a recorded source, as the index has them today."""
        from rag.core.record import support_context

        found = self.catalog.chunks([source.chunk_id])
        return (found[0].text, support_context(found[0])) if found else None

    def ask_ports(self, run: str | None = None) -> "AskPorts":
        from rag.flows.ask import AskPorts
        from rag.journal import Journal

        return AskPorts(
            search=self.searcher.search,
            model=lambda: self.model,
            prompts=self.prompts,
            journal=Journal(self.settings.traces_dir, run) if run else self.journal,
            knowledge_version=self.catalog.knowledge_version,
            code_version=__version__,
            reranker=self.reranker,
        )

    def ask_options(self, **per_question: Any) -> "AskOptions":
        from rag.flows.request import AskOptions

        settings = self.settings
        return AskOptions(
            language=settings.language,
            prompt_version=settings.prompt,
            max_sources=settings.max_sources,
            context_tokens=settings.context_tokens,
            retries=settings.retries,
            coverage=settings.coverage,
            support=settings.support,
            parameters=GenerationParameters(
                temperature=settings.temperature,
                seed=settings.seed,
                num_ctx=settings.num_ctx,
                num_predict=settings.num_predict,
            ),
            timeout=settings.timeout,
            keep_text=settings.trace.content == "full",
            **per_question,
        )


def backends(drawer: str) -> list[str]:
    """The names that a setting may take: the files of `rag/<drawer>/`."""
    folder = Path(__file__).parent / drawer
    return sorted(file.stem for file in folder.glob("*.py") if not file.stem.startswith("_"))


def reading(settings: Settings) -> "Reading":
    """How the files of this workspace become chunks."""
    from rag.core.chunk import CHUNKER_VERSION, chunk_document
    from rag.flows.ingest import Reading

    size, overlap = settings.chunk.size, settings.chunk.overlap
    limits = Limits(
        max_bytes=settings.max_file_mb * 1_000_000,
        max_pages=settings.max_pages,
        timeout=settings.file_timeout,
    )
    loaders = {
        suffix: module
        for module in (_backend("loaders", name) for name in backends("loaders"))
        for suffix in module.SUFFIXES
    }

    def load(path: Path) -> LoadedDocument:
        document: LoadedDocument = loaders[path.suffix.lower()].load(path, limits)
        return document

    return Reading(
        load=load,
        loaders={
            suffix: f"{module.__name__.rpartition('.')[2]}-{module.VERSION}"
            for suffix, module in loaders.items()
        },
        cut=lambda path, document: chunk_document(path, document, size=size, overlap=overlap),
        cutting=f"{CHUNKER_VERSION} size={size} overlap={overlap}",
        chunk_size=size,
    )


def _backend(drawer: str, name: str) -> ModuleType:
    if name not in backends(drawer):
        raise SetupError(
            f"no {drawer.removesuffix('s')} named {name!r}",
            f"there are: {', '.join(backends(drawer))}",
        )
    return importlib.import_module(f"rag.{drawer}.{name}")
