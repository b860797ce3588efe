"""The Ollama embedder, against a server that misbehaves in every way, and against a real one."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rag.config import Settings
from rag.domain.errors import ModelError, RagError, SetupError
from rag.domain.ports import Embedder
from rag.embedders import ollama

_MODEL = "embeddinggemma"
_DIGEST = "d" * 64

Answer = tuple[int, Any]
Handle = Callable[[str, dict[str, Any]], Answer]


class Server:
    """Answers every request with what `handle(path, body)` returns, and remembers the requests."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.embed: Handle = lambda path, body: (
            200,
            {"model": _MODEL, "embeddings": [[3.0, 4.0] for _ in body["input"]]},
        )
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._send(200, {"models": [{"model": f"{_MODEL}:latest", "digest": _DIGEST}]})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                owner.requests.append((self.path, body))
                if self.path == "/api/show":
                    info = {"general.architecture": "gemma3", "gemma3.context_length": 2048}
                    self._send(200, {"model_info": info})
                else:
                    self._send(*owner.embed(self.path, body))

            def _send(self, status: int, body: Any) -> None:
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


def _open(host: str, model: str = _MODEL, timeout: float = 20) -> Embedder:
    return ollama.open_embedder(
        Settings(root=Path(), ollama_host=host, embed_model=model, timeout=timeout)
    )


def test_vectors_are_made_unit_length_and_keep_their_order(server: Server) -> None:
    server.embed = lambda path, body: (
        200,
        {"embeddings": [[float(len(text)), 0.0, 1.0] for text in body["input"]]},
    )
    texts = ["a" * n for n in range(40)]
    vectors = _open(server.address, "other").embed_passages(texts)
    assert vectors.shape == (40, 3)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert (np.diff(vectors[1:, 0]) > 0).all()
    assert len(server.requests) > 1  # no request holds them all


def test_the_identity_holds_the_digest_and_the_dimension(server: Server) -> None:
    embedder = _open(server.address)
    assert _DIGEST in embedder.identity
    assert embedder.identity.startswith("ollama:embeddinggemma:latest@")
    assert embedder.dimension == 2
    assert embedder.max_tokens == 2048


def test_a_model_trained_with_prefixes_gets_them(server: Server) -> None:
    embedder = _open(server.address)
    embedder.embed_query("key?")
    embedder.embed_passages(["key"])
    sent = [body["input"] for path, body in server.requests if path == "/api/embed"]
    assert sent == [["task: search result | query: key?"], ["title: none | text: key"]]


def test_no_text_is_no_request_but_the_one_for_the_dimension(server: Server) -> None:
    assert _open(server.address).embed_passages([]).shape == (0, 2)


@pytest.mark.parametrize(
    "vectors",
    [
        [[1.0, 0.0]],
        [[1.0, 0.0], [0.0, 0.0]],
        [[1.0, 0.0], [float("nan"), 1.0]],
        [[1.0, 0.0], [float("inf"), 1.0]],
        [[1.0, 0.0], [1.0]],
        [[], []],
        [],
    ],
    ids=["too few", "zero", "nan", "infinite", "ragged", "empty vectors", "none"],
)
def test_vectors_that_cannot_be_compared_are_refused(server: Server, vectors: Any) -> None:
    server.embed = lambda path, body: (200, {"embeddings": vectors})
    with pytest.raises(ModelError, match="returned") as caught:
        _open(server.address).embed_passages(["a", "b"])
    assert caught.value.hint


@pytest.mark.parametrize("body", [b"<html>hello</html>", b"", {"unexpected": 1}, [1]])
def test_an_answer_of_another_kind_of_server_is_a_model_error(server: Server, body: Any) -> None:
    server.embed = lambda path, _: (200, body)
    with pytest.raises(ModelError):
        _open(server.address).embed_query("a")


def test_a_missing_model_names_the_command_that_brings_it(server: Server) -> None:
    server.embed = lambda path, body: (404, {"error": 'model "embeddinggemma" not found'})
    with pytest.raises(ModelError) as caught:
        _open(server.address).embed_query("a")
    assert caught.value.reason == "no_model"
    assert "ollama pull embeddinggemma" in (caught.value.hint or "")


def test_a_model_missing_from_the_list_has_no_identity(server: Server) -> None:
    with pytest.raises(ModelError, match="not installed"):
        _ = _open(server.address, "bge-m3").identity


def test_a_model_without_embeddings_is_a_matter_of_settings(server: Server) -> None:
    server.embed = lambda path, body: (501, {"error": "this model does not support embeddings"})
    with pytest.raises(SetupError, match="makes no embeddings"):
        _open(server.address).embed_query("a")


def test_a_failing_server_is_an_http_error(server: Server) -> None:
    server.embed = lambda path, body: (500, {"error": "llama runner\nprocess has terminated"})
    with pytest.raises(ModelError, match="HTTP 500: llama runner process") as caught:
        _open(server.address).embed_query("a")
    assert caught.value.reason == "http_error"


def test_a_silent_server_is_a_timeout(server: Server) -> None:
    def sleep(path: str, body: dict[str, Any]) -> Answer:
        time.sleep(1.5)
        return 200, {"embeddings": []}

    server.embed = sleep
    with pytest.raises(ModelError) as caught:
        _open(server.address, timeout=0.3).embed_query("a")
    assert caught.value.reason == "timeout"


def test_no_server_is_a_refused_connection_with_a_way_out() -> None:
    for ask in (lambda e: e.embed_query("a"), lambda e: e.identity, lambda e: e.max_tokens):
        with pytest.raises(ModelError) as caught:
            ask(_open("127.0.0.1:9"))
        assert caught.value.reason == "connection"
        assert "ollama serve" in (caught.value.hint or "")


def test_no_proxy_stands_before_this_machine(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert _open(server.address).embed_query("a").shape == (2,)


def test_an_address_that_is_none_is_refused_at_once() -> None:
    with pytest.raises(RagError):
        _open("http://a b")


@pytest.mark.ollama
def test_a_real_server_embeds_any_text(ollama_host: str) -> None:
    embedder = _open(ollama_host, "smollm2:135m", timeout=120)
    vectors = embedder.embed_passages(["Backups are kept.", "資料備份", "", "\ud800"])
    assert vectors.shape == (4, embedder.dimension)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert "smollm2:135m@" in embedder.identity
    assert embedder.max_tokens > 512


@pytest.mark.ollama
def test_a_real_server_says_which_model_is_missing(ollama_host: str) -> None:
    with pytest.raises(ModelError, match="not installed"):
        _open(ollama_host, "no-such-model", timeout=120).embed_query("a")
