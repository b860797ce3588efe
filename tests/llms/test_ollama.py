"""Bugs B35, B57, B58 and B59 of the case file: what users of other systems met with Ollama."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from rag.config import Settings
from rag.domain.errors import ModelError
from rag.domain.models import GenerationParameters, Message, ModelRequest
from rag.domain.ports import Embedder, LanguageModel
from rag.llms.ollama import OllamaModel, ollama_has_model, open_model

Script = Callable[["Handler"], None]
TAGS = {"models": [{"name": "tiny:latest", "digest": "abc123"}]}


class Handler(BaseHTTPRequestHandler):
    server: Stub
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.server.mute:
            self.server.released.wait(20)
            return
        body = {"/api/tags": TAGS, "/api/ps": {"models": self.server.in_memory}}.get(self.path)
        self.send_json(200 if body else 404, body or {"error": "not found"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append({"path": self.path, **body})
        if not body["messages"]:
            self.server.in_memory = TAGS["models"]
            self.send_json(200, {"done": True, "done_reason": "load"})
            return
        self.server.script(self)
        self.close_connection = True

    def send_json(self, status: int, body: object, kind: str = "application/json") -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def begin(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Connection", "close")
        self.end_headers()

    def say(self, *parts: str) -> None:
        for part in parts:
            self.raw(json.dumps({"message": {"role": "assistant", "content": part}}) + "\n")

    def done(self, reason: str = "stop", content: str = "") -> None:
        end = {
            "message": {"role": "assistant", "content": content},
            "done": True,
            "done_reason": reason,
            "prompt_eval_count": 7,
            "eval_count": 3,
        }
        self.raw(json.dumps(end) + "\n")

    def raw(self, text: str) -> None:
        self.wfile.write(text.encode())
        self.wfile.flush()

    def log_message(self, *args: object) -> None:
        pass


class Stub(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: Script, family: socket.AddressFamily) -> None:
        self.address_family = family
        self.script = script
        self.bodies: list[dict[str, Any]] = []
        self.in_memory: list[dict[str, str]] = TAGS["models"]
        self.mute = False
        self.released = threading.Event()
        super().__init__(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0), Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # the client went away: what some tests are about

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def stub(script: Script, family: socket.AddressFamily = socket.AF_INET) -> Iterator[Stub]:
    server = Stub(script, family)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def request(timeout: float = 20, **parameters: int) -> ModelRequest:
    return ModelRequest(
        messages=(
            Message(role="system", content="Rules."),
            Message(role="user", content='Answer {"this"}'),
        ),
        reply_schema={"type": "object"},
        parameters=GenerationParameters(**parameters),
        timeout=timeout,
    )


def failure(script: Script, timeout: float = 20) -> ModelError:
    with stub(script) as server, pytest.raises(ModelError) as caught:
        OllamaModel(server.url, "tiny").complete(request(timeout))
    return caught.value


def well(handler: Handler) -> None:
    handler.begin()
    handler.say('{"status"', ": 1}")
    handler.done()


def test_sends_everything_that_decides_the_reply_and_returns_it_whole() -> None:
    counts: list[int] = []
    with stub(well) as server:
        model: LanguageModel = OllamaModel(server.url, "tiny")
        reply = model.complete(request(num_ctx=4096, num_predict=99, seed=5), counts.append)
        identity = model.identity
    assert (reply.text, reply.finish_reason) == ('{"status": 1}', "stop")
    assert (reply.prompt_tokens, reply.completion_tokens) == (7, 3)
    assert counts[:2] == [1, 2]
    assert str(identity) == "ollama:tiny@abc123"
    (sent,) = server.bodies
    assert sent["options"] == {"temperature": 0.0, "seed": 5, "num_ctx": 4096, "num_predict": 99}
    assert (sent["format"], sent["think"], sent["stream"]) == ({"type": "object"}, False, True)
    assert [m["role"] for m in sent["messages"]] == ["system", "user"]
    assert sent["messages"][1]["content"] == 'Answer {"this"}'
    assert sent["keep_alive"]


def test_reasoning_never_gets_into_the_text() -> None:
    def thinking(handler: Handler) -> None:
        handler.begin()
        handler.raw('{"message": {"role": "assistant", "content": "", "thinking": "hm"}}\n')
        handler.say("yes")
        handler.done()

    with stub(thinking) as server:
        assert OllamaModel(server.url, "tiny").complete(request()).text == "yes"


# B57: a cut stream is no answer


def cut(handler: Handler) -> None:
    handler.begin()
    handler.say("The fee ", "is waived")


def cut_within_a_line(handler: Handler) -> None:
    cut(handler)
    handler.raw('{"message": {"role": "assis')


def error_in_the_stream(handler: Handler) -> None:
    cut(handler)
    handler.raw('{"error": "model runner stopped"}\n')


def promised_more_bytes(handler: Handler) -> None:
    line = json.dumps({"message": {"role": "assistant", "content": "The fee is waived"}}) + "\n"
    handler.send_response(200)
    handler.send_header("Content-Length", "5000")
    handler.end_headers()
    handler.raw(line)


@pytest.mark.parametrize(
    "script", [cut, cut_within_a_line, error_in_the_stream, promised_more_bytes]
)
def test_a_cut_stream_fails_and_keeps_the_partial_text_apart(script: Script) -> None:
    error = failure(script)
    assert (error.reason, error.partial) == ("incomplete", "The fee is waived")


def test_done_without_a_reason_or_only_loaded_is_incomplete() -> None:
    def loaded(handler: Handler) -> None:
        handler.begin()
        handler.done("load")

    def unexplained(handler: Handler) -> None:
        handler.begin()
        handler.say("half")
        handler.raw('{"message": {"role": "assistant", "content": ""}, "done": true}\n')

    assert failure(loaded).reason == "incomplete"
    assert failure(unexplained).reason == "incomplete"


def test_an_empty_reply_fails() -> None:
    def empty(handler: Handler) -> None:
        handler.begin()
        handler.say(" ", "\n")
        handler.done()

    assert failure(empty).reason == "empty"


def test_an_error_page_is_an_http_error_in_one_line() -> None:
    page = b"<html>\n<h1>Bad Gateway</h1>" + b"<p>x</p>" * 500
    error = failure(lambda handler: handler.send_json(502, page, "text/html"))
    assert error.reason == "http_error"
    assert "502" in error.message
    assert "\n" not in error.message and len(error.message) < 400


def test_a_connection_closed_without_a_word_is_a_connection_failure() -> None:
    assert failure(lambda handler: None).reason == "connection"


def test_html_with_status_200_is_not_taken_for_a_reply() -> None:
    error = failure(lambda handler: handler.send_json(200, b"<html>login</html>", "text/html"))
    assert error.reason in ("incomplete", "connection")


# B35: a reply at its limit, or nothing but blanks


def test_a_reply_at_the_token_limit_says_so() -> None:
    def at_limit(handler: Handler) -> None:
        handler.begin()
        handler.say('{"answer": "Yes"}')
        handler.done("length")

    with stub(at_limit) as server:
        assert OllamaModel(server.url, "tiny").complete(request()).finish_reason == "length"


def test_endless_white_space_ends_the_call_early() -> None:
    gone = threading.Event()

    def blanks(handler: Handler) -> None:
        handler.begin()
        handler.say("{")
        try:
            while True:
                handler.say("\n")
        except OSError:
            gone.set()

    with stub(blanks) as server:
        reply = OllamaModel(server.url, "tiny").complete(request())
        assert gone.wait(10), "the connection stays open, so the model goes on generating"
    assert reply.finish_reason == "length"
    assert len(reply.text) < 1000


# B58: limits


def mute(handler: Handler) -> None:
    handler.server.released.wait(20)


def test_a_server_that_never_answers_is_given_up() -> None:
    error = failure(mute, timeout=0.3)
    assert (error.reason, error.partial) == ("timeout", "")


def test_a_server_mute_on_every_path_costs_no_more_than_the_limit_of_a_call() -> None:
    with stub(mute) as server:
        server.mute = True
        begun = time.monotonic()
        with pytest.raises(ModelError) as caught:
            OllamaModel(server.url, "tiny").complete(request(0.3))
    assert caught.value.reason == "timeout"
    assert time.monotonic() - begun < 15  # far below the limit for loading


@pytest.mark.parametrize("drop", ["\n", " ", "x"])
def test_a_drip_is_cut_by_the_limit_of_the_whole_call(drop: str) -> None:
    def drip(handler: Handler) -> None:
        handler.begin()
        while not handler.server.released.wait(0.05):
            handler.raw(drop)

    assert failure(drip, timeout=0.5).reason in ("timeout", "connection", "incomplete")


def test_tokens_that_never_end_are_cut_by_the_limit_of_the_whole_call() -> None:
    def endless(handler: Handler) -> None:
        handler.begin()
        while not handler.server.released.wait(0.02):
            handler.say("word ")

    error = failure(endless, timeout=0.5)
    assert error.reason == "timeout"
    assert error.partial.startswith("word ")


def test_a_cold_model_is_loaded_outside_the_limit_of_the_call() -> None:
    with stub(well) as server:
        server.in_memory = []
        OllamaModel(server.url, "tiny").complete(request(num_ctx=4096))
    load, call = server.bodies
    assert load["messages"] == [] and load["options"]["num_ctx"] == 4096
    assert call["messages"]


# B59: set-up mistakes


def test_no_server_is_told_with_the_address() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ModelError, match=f"127.0.0.1:{port}") as caught:
        OllamaModel(f"http://127.0.0.1:{port}", "tiny").complete(request())
    assert caught.value.reason == "connection"
    assert "ollama serve" in (caught.value.hint or "")
    assert not ollama_has_model(f"http://127.0.0.1:{port}", "tiny")


def test_a_model_that_is_not_installed_is_told_with_the_command() -> None:
    error = failure(lambda handler: handler.send_json(404, {"error": "model 'tiny' not found"}))
    assert error.reason == "no_model"
    assert "ollama pull tiny" in (error.hint or "")


def test_an_embedding_model_cannot_chat() -> None:
    error = failure(lambda handler: handler.send_json(400, {"error": '"x" does not support chat'}))
    assert (error.reason, error.message) == ("no_model", "model tiny cannot chat")


def test_another_kind_of_server_is_an_http_error() -> None:
    error = failure(lambda handler: handler.send_json(404, b"404 page not found", "text/plain"))
    assert error.reason == "http_error"


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
def test_this_machine_is_reached_without_the_proxy(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:9")
    with stub(well) as server:
        assert OllamaModel(server.url, "tiny").complete(request()).text
        assert ollama_has_model(server.url, "tiny")


@pytest.mark.parametrize(
    "written",
    [
        "http://127.0.0.1:{}/",
        "http://127.0.0.1:{}/v1",
        "127.0.0.1:{}",
        "0.0.0.0:{}",
        "localhost:{}",
    ],
)
def test_any_way_of_writing_the_address_works(written: str) -> None:
    with stub(well) as server:
        host = written.format(server.server_address[1])
        assert OllamaModel(host, "tiny").complete(request()).text


def test_an_ipv6_address_works() -> None:
    try:
        server = stub(well, socket.AF_INET6)
        with server as running:
            host = f"[::1]:{running.server_address[1]}"
            assert OllamaModel(host, "tiny").complete(request()).text
    except OSError as error:
        pytest.skip(f"no IPv6 here: {error}")


def test_auto_finds_the_model_only_when_it_is_installed() -> None:
    with stub(well) as server:
        assert ollama_has_model(server.url, "tiny")
        assert ollama_has_model(server.url, "tiny:latest")
        assert not ollama_has_model(server.url, "tiny:1b")
        assert not ollama_has_model(server.url, "gemma4:e4b")


# B55: nothing leaves this machine


def test_no_call_leaves_this_machine_though_tracing_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from langchain_core.tracers.langchain import wait_for_all_tracers
    from langsmith import utils

    outside: list[object] = []
    connect = socket.socket.connect

    def watched(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            outside.append(address)
            raise OSError("no network in this test")
        connect(self, address)

    look_up = socket.getaddrinfo

    def asked(host: Any, *args: Any, **kwargs: Any) -> Any:
        if host not in ("127.0.0.1", "localhost", "::1", None, b"127.0.0.1"):
            outside.append(host)
            raise OSError("no network in this test")
        return look_up(host, *args, **kwargs)

    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGCHAIN_TRACING_V2", "true")
    monkeypatch.setenv("LANGSMITH_API_KEY", "lsv2_test")
    utils.get_env_var.cache_clear()  # type: ignore[attr-defined]  # it remembers the environment of its first call
    monkeypatch.setattr(socket.socket, "connect", watched)
    monkeypatch.setattr(socket, "getaddrinfo", asked)
    try:
        assert utils.tracing_is_enabled(), "the test must ask for tracing"
        with stub(well) as server:
            OllamaModel(server.url, "tiny").complete(request())
        wait_for_all_tracers()  # runs are posted by a thread of their own
    finally:
        monkeypatch.undo()
        utils.get_env_var.cache_clear()  # type: ignore[attr-defined]
    assert outside == []


def test_is_chosen_by_settings(tmp_path: Path) -> None:
    def no_embedder() -> Embedder:
        raise AssertionError("a chat model needs no embedder")

    with stub(well) as server:
        settings = Settings(root=tmp_path, ollama_host=server.url, model="tiny")
        assert open_model(settings, no_embedder).complete(request()).text
