"""What a server says of itself: the models it has, and those in memory."""

from __future__ import annotations

import time
from typing import Any

import httpx

from rag.llms._ollama.transport import DeadlineTransport

# Answered from memory, also while the server generates.
STATUS_SECONDS = 2.0


def full_name(model: str) -> str:
    """The name with its tag, as the server lists it: `gemma4` is `gemma4:latest`."""
    return model if ":" in model.rsplit("/", 1)[-1] else f"{model}:latest"


def installed(url: str, seconds: float = STATUS_SECONDS) -> dict[str, str | None] | None:
    """Digest by full name of each installed model; None when the server does not tell."""
    models = _models(url, "/api/tags", seconds)
    if models is None:
        return None
    return {full_name(_text(model, "name")): _text(model, "digest") or None for model in models}


def is_gone(url: str) -> bool:
    """Whether nothing listens there. One that is slow to answer does."""
    try:
        with _client(url, STATUS_SECONDS) as client:
            client.get("/api/version")
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError):
        return True
    except httpx.HTTPError:
        return False
    return False


def in_memory(url: str) -> frozenset[str] | None:
    """Full names of the models in memory; None when the server does not tell."""
    models = _models(url, "/api/ps", STATUS_SECONDS)
    return None if models is None else frozenset(full_name(_text(m, "name")) for m in models)


def load(url: str, model: str, num_ctx: int, keep_alive: str, seconds: float) -> None:
    """Has the server read `model` into memory; returns when it did, or said why not.

    Raises:
        httpx.TransportError: it did not answer within `seconds`.
    """
    body = {
        "model": model,
        "messages": [],
        "keep_alive": keep_alive,
        "options": {"num_ctx": num_ctx},
    }
    with _client(url, seconds) as client:
        client.post("/api/chat", json=body)


def _models(url: str, path: str, seconds: float) -> list[dict[str, Any]] | None:
    try:
        with _client(url, seconds) as client:
            answer = client.get(path)
            found = answer.json()["models"] if answer.status_code == 200 else None
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        return None
    if not isinstance(found, list):
        return None
    return [model for model in found if isinstance(model, dict)]


def _client(url: str, seconds: float) -> httpx.Client:
    transport = DeadlineTransport(url, time.monotonic() + seconds)
    return httpx.Client(base_url=url, transport=transport, follow_redirects=False)


def _text(model: dict[str, Any], key: str) -> str:
    value = model.get(key)
    return value if isinstance(value, str) else ""
