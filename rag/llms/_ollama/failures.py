"""The failures of httpx, ollama and langchain in this program's words."""

from __future__ import annotations

import httpx
from ollama import ResponseError

from rag.core.endpoint import without_login
from rag.domain.errors import ModelError

# A line of a message, not a page of HTML from a proxy.
_SHOWN = 200


def translate(error: Exception, *, url: str, model: str, partial: str) -> ModelError:
    """The `ModelError` for what a call raised. `partial` is the text that had arrived."""
    shown = without_login(url)
    match error:
        case ModelError():
            return error
        case httpx.ConnectError() | httpx.ConnectTimeout() | httpx.ProxyError() | ConnectionError():
            return unreachable(url)
        case httpx.TimeoutException():
            return ModelError(
                f"{model} did not finish in time",
                "raise `timeout`, or use a smaller model",
                reason="timeout",
                partial=partial,
            )
        case ResponseError() if error.status_code > 0:
            return _refused(error, shown, model, partial)
        case ResponseError():
            # In the midst of a stream that had begun well.
            return ModelError(
                f"Ollama broke off with an error: {_one_line(error.error)}",
                "Ollama's log says more",
                reason="incomplete",
                partial=partial,
            )
        case httpx.TransportError() if not partial:
            return ModelError(
                f"Ollama at {shown} closed the connection without a reply",
                f"is {shown} an Ollama server? its log says more",
                reason="connection",
            )
        case httpx.HTTPError() | ValueError():
            # Cut between two lines, within one, or no lines of JSON at all.
            return incomplete("the reply broke off", partial)
    return ModelError(
        f"the call to Ollama failed: {type(error).__name__}: {_one_line(str(error))}",
        reason="error",
        partial=partial,
    )


def unreachable(url: str) -> ModelError:
    return ModelError(
        f"Ollama is not reachable at {without_login(url)}",
        "start it with `ollama serve`, or set `ollama_host`",
        reason="connection",
    )


def not_installed(model: str) -> ModelError:
    return ModelError(
        f"model {model} is not installed", f"run `ollama pull {model}`", reason="no_model"
    )


def incomplete(what: str, partial: str) -> ModelError:
    return ModelError(
        f"{what} before its end",
        "ask again; if it stays so, Ollama's log says more",
        reason="incomplete",
        partial=partial,
    )


def _refused(error: ResponseError, shown: str, model: str, partial: str) -> ModelError:
    said = error.error.casefold()
    if error.status_code == 404 and "model" in said:
        return not_installed(model)
    if error.status_code == 400 and "does not support chat" in said:
        return ModelError(
            f"model {model} cannot chat",
            "set `model` to a chat model; `ollama list` shows what is installed",
            reason="no_model",
        )
    return ModelError(
        f"Ollama answered with HTTP {error.status_code}: {_one_line(error.error)}",
        f"is {shown} an Ollama server? its log says more",
        reason="http_error",
        partial=partial,
    )


def _one_line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN else f"{flat[:_SHOWN]}…"
