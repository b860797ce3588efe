"""Chat models of an Ollama server, through langchain-ollama."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, cast

from rag.config import Settings
from rag.core.endpoint import server_url
from rag.domain.errors import ModelError
from rag.domain.models import ModelIdentity, ModelReply, ModelRequest
from rag.domain.ports import Embedder

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessageChunk

# Loading reads gigabytes from a disk that may be slow; Ollama itself gives up after 5 minutes.
_LOAD_SECONDS = 300.0
# `auto` asks before every command: a server that runs answers from memory within milliseconds.
_AUTO_SECONDS = 0.8
# Long enough for a person to read an answer and ask on without another load.
_KEEP_ALIVE = "15m"
# In JSON mode some models emit blanks until the token limit. The longest run of white space that
# an answer needs is the indentation of nested code, some tens of blanks.
_LONGEST_BLANK = 200


def open_model(settings: Settings, embedder: Callable[[], Embedder]) -> OllamaModel:
    """The model that `model` and `ollama_host` name. Nothing is sent before the first call."""
    return OllamaModel(settings.ollama_host, settings.model)


def ollama_has_model(host: str, model: str) -> bool:
    """Whether a server answers at `host`, quickly, and has `model` installed."""
    from rag.llms._ollama.server import full_name, installed

    return full_name(model) in (installed(server_url(host), _AUTO_SECONDS) or {})


class OllamaModel:
    """One model of one server. Each call has its own connection, closed however the call ends, so
    that a call given up never goes on generating beside the next one."""

    def __init__(self, host: str, model: str) -> None:
        self._url = server_url(host)
        self._model = model
        self._digest: str | None = None

    @property
    def identity(self) -> ModelIdentity:
        """The digest is asked for until the server has told it; without a server it is None."""
        from rag.llms._ollama.server import full_name, installed

        if self._digest is None:
            self._digest = (installed(self._url) or {}).get(full_name(self._model))
        return ModelIdentity(provider="ollama", name=self._model, digest=self._digest)

    def require_ready(self) -> None:
        """A server that is busy or says nothing of itself passes: a call may still be answered.

        Raises:
            ModelError: `connection`, nothing listens there; `no_model`, it is not installed.
        """
        from rag.llms._ollama import failures, server

        models = server.installed(self._url)
        if models is None and server.is_gone(self._url):
            raise failures.unreachable(self._url)
        if models is not None and server.full_name(self._model) not in models:
            raise failures.not_installed(self._model)

    def complete(
        self, request: ModelRequest, on_token: Callable[[int], None] | None = None
    ) -> ModelReply:
        """One reply, whole. Its `finish_reason` is `length` too when it was stopped because it had
        become nothing but white space.

        Raises:
            ModelError: `timeout`, `connection`, `http_error`, `incomplete` (no proper end),
                `empty`, `no_model` (not installed, or it cannot chat) or `error`; `partial` is what
                had arrived.
        """
        from rag.llms._ollama.failures import translate

        started = time.monotonic()
        reading = _Reading()
        try:
            self._load(request)
            deadline = time.monotonic() + request.timeout
            with self._stream(request, deadline) as chunks:
                for chunk in chunks:
                    reading.take(chunk)
                    if on_token is not None:
                        on_token(reading.pieces)
                    if reading.finish_reason:
                        break
        except Exception as error:
            raise translate(
                error, url=self._url, model=self._model, partial=reading.text
            ) from error
        return reading.reply((time.monotonic() - started) * 1000)

    def _load(self, request: ModelRequest) -> None:
        """Has the model in memory before the time limit of the call begins to run.

        Only a server that tells what it has in memory is waited for: one that does not answer
        should cost the limit of one call, not the far longer one of a cold start.
        """
        from rag.llms._ollama import server

        present = server.in_memory(self._url)
        if present is not None and server.full_name(self._model) not in present:
            num_ctx = request.parameters.num_ctx
            # A refusal is not looked at: the call itself is refused the same way.
            server.load(self._url, self._model, num_ctx, _KEEP_ALIVE, _LOAD_SECONDS)

    @contextmanager
    def _stream(
        self, request: ModelRequest, deadline: float
    ) -> Iterator[Iterator[BaseMessageChunk]]:
        import httpx
        from langchain_ollama import ChatOllama
        from langsmith import tracing_context

        from rag.llms._ollama.grammar import as_written
        from rag.llms._ollama.transport import DeadlineTransport

        parameters = request.parameters
        transport = DeadlineTransport(self._url, deadline)
        chat = ChatOllama(
            model=self._model,
            base_url=self._url,
            temperature=parameters.temperature,
            seed=parameters.seed,
            num_ctx=parameters.num_ctx,
            num_predict=parameters.num_predict,
            format=as_written(request.reply_schema),
            keep_alive=_KEEP_ALIVE,
            reasoning=False,
            sync_client_kwargs={"transport": transport, "follow_redirects": False},
            # Never used; with a transport of its own its making reads no certificates.
            async_client_kwargs={"transport": httpx.AsyncHTTPTransport(verify=False)},
        )
        messages = [(message.role, message.content) for message in request.messages]
        with tracing_context(enabled=False), closing(transport):
            stream = cast("Generator[BaseMessageChunk]", chat.stream(messages))
            with closing(stream):
                yield stream


class _Reading:
    """A reply as it arrives."""

    def __init__(self) -> None:
        self.text = ""
        self.pieces = 0
        self.finish_reason = ""
        self._reasoning = ""
        self._blank = 0
        self._prompt_tokens: int | None = None
        self._completion_tokens: int | None = None

    def take(self, chunk: BaseMessageChunk) -> None:
        content = chunk.content if isinstance(chunk.content, str) else ""
        self.text += content
        self.pieces += bool(content)
        self._reasoning += chunk.additional_kwargs.get("reasoning_content") or ""
        solid = content.rstrip()
        self._blank = len(content) - len(solid) + (0 if solid else self._blank)
        usage = getattr(chunk, "usage_metadata", None)
        if usage:
            self._prompt_tokens = usage["input_tokens"]
            self._completion_tokens = usage["output_tokens"]
        if chunk.response_metadata.get("done"):
            self.finish_reason = chunk.response_metadata.get("done_reason") or ""
        elif self._blank > _LONGEST_BLANK:
            self.finish_reason = "length"

    def reply(self, duration_ms: float) -> ModelReply:
        """The reply, if the server said that it is whole."""
        from rag.llms._ollama.failures import incomplete

        if not self.finish_reason or self.finish_reason in ("load", "unload"):
            raise incomplete("the reply broke off", self.text)
        if not self.text.strip():
            raise ModelError(
                "the model's reply is empty",
                "ask again; if it stays so, use another model",
                reason="empty",
                partial=self.text,
            )
        return ModelReply(
            text=self.text,
            finish_reason=self.finish_reason,
            reasoning=self._reasoning,
            prompt_tokens=self._prompt_tokens,
            completion_tokens=self._completion_tokens,
            duration_ms=duration_ms,
        )
