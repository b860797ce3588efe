import json
from pathlib import Path

import pytest

from rag.config import Settings
from rag.domain.errors import ModelError, SetupError
from rag.domain.models import Message, ModelRequest
from rag.domain.ports import Embedder, LanguageModel
from rag.llms.static import StaticLlmClient, open_model, read_replies

REQUEST = ModelRequest(messages=(Message(role="user", content="Q?"),))


def no_embedder() -> Embedder:
    raise AssertionError("the static model needs no embedder")


def test_plays_back_in_order_and_keeps_the_requests() -> None:
    model = StaticLlmClient(["one", {"text": "two", "finish_reason": "length"}])
    port: LanguageModel = model
    assert port.complete(REQUEST).text == "one"
    second = port.complete(REQUEST)
    assert (second.text, second.finish_reason) == ("two", "length")
    assert model.requests == [REQUEST, REQUEST]


def test_running_out_is_a_clear_failure() -> None:
    model = StaticLlmClient(["one"])
    model.complete(REQUEST)
    with pytest.raises(ModelError, match="call 2, but only 1 repl"):
        model.complete(REQUEST)


@pytest.mark.parametrize("reason", ["timeout", "connection", "incomplete", "no_model"])
def test_plays_back_failures_with_what_had_arrived(reason: str) -> None:
    with pytest.raises(ModelError) as caught:
        StaticLlmClient([{"error": reason, "text": "half"}]).complete(REQUEST)
    assert (caught.value.reason, caught.value.partial) == (reason, "half")


@pytest.mark.parametrize(
    "reply", [{"error": "tired"}, {"text": 1}, {"txt": "typo", "text": "fine"}]
)
def test_a_malformed_reply_is_refused_when_the_model_is_made(reply: dict[str, object]) -> None:
    with pytest.raises(SetupError):
        StaticLlmClient(["fine", reply])


def test_reads_json_lines_json_and_plain_text() -> None:
    answer = {"status": "insufficient", "answer": "Nein.", "citations": []}
    jsonl = '"one\u2028"\n\n{"error": "timeout"}\n' + json.dumps(answer)
    texts = read_replies(jsonl, ".jsonl")
    assert texts[:2] == ["one\u2028", {"error": "timeout"}]
    assert json.loads(str(texts[2])) == answer
    assert read_replies('["a", {"text": "b"}]', ".json") == ["a", {"text": "b"}]
    assert read_replies("two\nlines", ".txt") == ["two\nlines"]


def test_is_chosen_by_settings(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text('"hello"\n', encoding="utf-8")
    settings = Settings(root=tmp_path, llm="static", static_replies=Path("replies.jsonl"))
    model = open_model(settings, no_embedder)
    assert model.complete(REQUEST).text == "hello"
    assert str(model.identity) == "static:replies.jsonl"


@pytest.mark.parametrize("name", [None, "absent.jsonl", "broken.jsonl"])
def test_a_missing_or_broken_file_is_a_setup_fault(tmp_path: Path, name: str | None) -> None:
    (tmp_path / "broken.jsonl").write_text("{", encoding="utf-8")
    settings = Settings(root=tmp_path, static_replies=Path(name) if name else None)
    with pytest.raises(SetupError):
        open_model(settings, no_embedder)
