"""Against a real server: the smallest chat model it has installed."""

import json
import re
import urllib.request
from typing import Any

import pytest

from rag.core.contract import judge, reply_schema
from rag.core.endpoint import server_url
from rag.domain.errors import ModelError
from rag.domain.models import GenerationParameters, Message, ModelRequest
from rag.llms.ollama import OllamaModel, ollama_has_model

pytestmark = pytest.mark.ollama


@pytest.fixture(scope="module")
def smallest(ollama_host: str) -> str:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{server_url(ollama_host)}/api/tags", timeout=10) as response:
        models: list[dict[str, Any]] = json.load(response)["models"]
    if not models:
        pytest.skip("the server has no model installed")
    return str(min(models, key=lambda model: model["size"])["name"])


def test_the_identity_holds_the_digest(ollama_host: str, smallest: str) -> None:
    assert ollama_has_model(ollama_host, smallest)
    assert len(OllamaModel(ollama_host, smallest).identity.digest or "") == 64


def test_a_model_that_is_not_installed_is_told_apart(ollama_host: str) -> None:
    assert not ollama_has_model(ollama_host, "no-such-model")
    request = ModelRequest(messages=(Message(role="user", content="Hi"),))
    with pytest.raises(ModelError) as caught:
        OllamaModel(ollama_host, "no-such-model").complete(request)
    assert caught.value.reason == "no_model"


def test_decoding_keeps_to_the_schema_of_the_contract(ollama_host: str, smallest: str) -> None:
    counts: list[int] = []
    request = ModelRequest(
        messages=(
            Message(role="system", content="Reply with status insufficient, citing S9. Be brief."),
            Message(role="user", content="Why?"),
        ),
        reply_schema=reply_schema(["S4"]),
        parameters=GenerationParameters(num_ctx=2048, num_predict=120),
        timeout=600,
    )
    reply = OllamaModel(ollama_host, smallest).complete(request, counts.append)
    assert counts == sorted(counts) and counts[-1] > 1
    assert reply.completion_tokens and reply.prompt_tokens
    if reply.finish_reason == "length":  # a small model may run on: then it is called truncated
        verdict = judge(reply.text, ["S4"], finish_reason="length")
        assert "truncated" in [violation.code for violation in verdict.violations]
        return
    fields = json.loads(reply.text)
    assert list(fields) == ["status", "answer", "citations"]
    allowed = {"answered": {"S4"}, "insufficient": set()}[fields["status"]]
    assert set(fields["citations"]) == allowed


def test_decoding_leaves_no_sentence_of_a_retry_without_a_marker(
    ollama_host: str, smallest: str
) -> None:
    answered = reply_schema(["S4"], cite_sentences=True)["anyOf"][0]
    request = ModelRequest(
        messages=(Message(role="user", content="How long are backups kept? Say: 30 days."),),
        reply_schema=answered,
        parameters=GenerationParameters(num_ctx=2048, num_predict=300),
        timeout=600,
    )
    reply = OllamaModel(ollama_host, smallest).complete(request)
    assert set(re.findall(r"\[S\d+\]", reply.text)) <= {"[S4]"}
    if reply.finish_reason != "length":
        answer = json.loads(reply.text)["answer"]
        assert re.search(answered["properties"]["answer"]["pattern"], answer)
