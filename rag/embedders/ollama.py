"""Any embedding model of an Ollama server, through langchain-ollama."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from rag.config import Settings
from rag.core.endpoint import is_loopback, server_url, without_login
from rag.domain.errors import ModelError, SetupError
from rag.domain.ports import Embedder, Vectors

if TYPE_CHECKING:
    import ollama

_T = TypeVar("_T")

# Texts a request: long enough to keep the server busy, short enough to lose little to a failure.
_BATCH = 16
_CONNECT_SECONDS = 5.0
# What Ollama's embedding models read when the server does not say: that of the BERT family.
_USUAL_CONTEXT = 512


class _Prefixes(NamedTuple):
    query: str
    passage: str


# Models trained with a word in front of each text, by family; from their model cards. Ollama's
# templates do not add them. Others get the text as it is.
_PREFIXES = {
    "embeddinggemma": _Prefixes("task: search result | query: ", "title: none | text: "),
    "nomic-embed-text": _Prefixes("search_query: ", "search_document: "),
    "mxbai-embed-large": _Prefixes("Represent this sentence for searching relevant passages: ", ""),
}


def open_embedder(settings: Settings) -> Embedder:
    """The model that `embed_model` and `ollama_host` name. Nothing is sent before it is used."""
    return OllamaEmbedder(server_url(settings.ollama_host), settings.embed_model, settings.timeout)


class OllamaEmbedder:
    """An `Embedder` over one model of one server. Whatever it asks raises `ModelError` when the
    server does not answer (`connection`, `timeout`, `http_error`) or lacks the model
    (`no_model`)."""

    def __init__(self, url: str, model: str, timeout: float) -> None:
        self._url = url
        self._model = model
        self._timeout = timeout
        family = model.rsplit("/", 1)[-1].partition(":")[0]
        self._prefixes = _PREFIXES.get(family, _Prefixes("", ""))

    @cached_property
    def identity(self) -> str:
        """With the digest: `ollama pull` may bring other weights under the same name."""
        name = self._model if ":" in self._model.rsplit("/", 1)[-1] else f"{self._model}:latest"
        models = self._ask(lambda: self._client.list().models)
        digest = next((model.digest for model in models if model.model == name), None)
        if digest is None:
            raise self._not_installed()
        prefixes = "+".join(part.strip() for part in self._prefixes if part)
        return f"ollama:{name}@{digest}/{self.dimension}" + (f"/{prefixes}" if prefixes else "")

    @cached_property
    def dimension(self) -> int:
        return len(self.embed_query("dimension"))

    @cached_property
    def max_tokens(self) -> int:
        """The context that the model was trained with; the server cuts off what is beyond."""
        about = self._ask(lambda: self._client.show(self._model).modelinfo) or {}
        lengths = (about[key] for key in about if key.endswith(".context_length"))
        return int(next(lengths, _USUAL_CONTEXT))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        parts = [
            self._embed([self._prefixes.passage + text for text in texts[start : start + _BATCH]])
            for start in range(0, len(texts), _BATCH)
        ]
        if not parts:
            return np.empty((0, self.dimension), np.float32)
        if len({part.shape[1] for part in parts}) > 1:
            raise self._useless("vectors of different lengths")
        return np.concatenate(parts)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self._embed([self._prefixes.query + text])[0]
        return vector

    def _embed(self, texts: list[str]) -> Vectors:
        """Unit vectors, or an error: what cannot be compared must not reach an index."""
        import numpy as np

        # Half a surrogate pair has no UTF-8, and for an empty text the server has no vector.
        sent = [text.encode("utf-8", "replace").decode("utf-8") or " " for text in texts]
        answer = self._ask(lambda: self._embeddings.embed_documents(sent))
        try:
            vectors: Vectors = np.array(answer, np.float32)
        except (TypeError, ValueError) as error:
            raise self._useless("something that is no list of vectors") from error
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise self._useless(f"{len(answer)} vectors for {len(texts)} texts")
        norms = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not norms.all():
            raise self._useless("a vector that is zero or not finite")
        unit: Vectors = (vectors / norms).astype(np.float32)
        return unit

    @cached_property
    def _embeddings(self) -> Any:
        from langchain_ollama import OllamaEmbeddings

        return OllamaEmbeddings(
            model=self._model, base_url=self._url, client_kwargs=self._connection()
        )

    @cached_property
    def _client(self) -> ollama.Client:
        import ollama

        return ollama.Client(host=self._url, **self._connection())

    def _connection(self) -> dict[str, Any]:
        import httpx

        return {
            "timeout": httpx.Timeout(self._timeout, connect=_CONNECT_SECONDS),
            # No proxy may stand between two programs of one machine.
            "trust_env": not is_loopback(self._url),
            # Reading the certificates takes 30 ms, and plain HTTP needs none.
            "verify": self._url.startswith("https:"),
            "follow_redirects": False,
        }

    def _ask(self, call: Callable[[], _T]) -> _T:
        """`call()` untraced, its failures in this program's words."""
        import httpx
        import ollama
        from langsmith import tracing_context

        try:
            # Set or not, LANGSMITH_TRACING sends nothing out.
            with tracing_context(enabled=False):
                return call()
        except ollama.ResponseError as error:
            raise self._refused(error) from error
        except httpx.TimeoutException as error:
            raise ModelError(
                f"{self._model} did not embed in time",
                "raise `timeout`, or use a smaller model",
                reason="timeout",
            ) from error
        except (ConnectionError, httpx.TransportError) as error:
            raise ModelError(
                f"Ollama is not reachable at {without_login(self._url)}",
                'start it with `ollama serve`, set `ollama_host`, or set `embedder = "e5"`',
                reason="connection",
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            # No JSON, or none of the expected fields: something else listens there.
            raise self._useless("no embeddings") from error

    def _refused(self, error: ollama.ResponseError) -> ModelError | SetupError:
        said = " ".join(error.error.split())
        if error.status_code == 404 and "model" in said.casefold():
            return self._not_installed()
        if "does not support embed" in said.casefold():
            return SetupError(
                f"model {self._model} makes no embeddings",
                "set `embed_model` to an embedding model such as `embeddinggemma`",
            )
        return ModelError(
            f"Ollama answered with HTTP {error.status_code}: {said[:200]}",
            "its log says more",
            reason="http_error",
        )

    def _not_installed(self) -> ModelError:
        return ModelError(
            f"embedding model {self._model} is not installed",
            f'run `ollama pull {self._model}`, or set `embedder = "e5"`',
            reason="no_model",
        )

    def _useless(self, what: str) -> ModelError:
        return ModelError(
            f"{self._model} at {without_login(self._url)} returned {what}",
            "is it an embedding model, and an Ollama server? its log says more",
        )
