import json
from pathlib import Path
from typing import Any

import pytest

from rag.config import Settings
from rag.core.contract import reply_schema
from rag.domain.errors import ModelError
from rag.domain.models import Message, ModelReply, ModelRequest
from rag.domain.ports import Embedder, LanguageModel
from rag.embedders.e5 import open_embedder
from rag.llms.extractive import ExtractiveModel, open_model, read_payload

BACKUPS = (
    "Backups",
    "Backups run every night at 02:00. They are kept for 30 days.\n\n"
    "Restores are done by the on-call engineer.",
)
LEAVE = ("特休", "滿一年的員工有十四天特休。未休完的特休可以遞延到次年三月底。")


def request(question: str, *sources: tuple[str, str], **more: Any) -> ModelRequest:
    payload = {
        "question": question,
        "sources": [
            {"id": f"S{n}", "title": title, "chunk_id": f"c{n}", "content": content}
            for n, (title, content) in enumerate(sources, 1)
        ],
        **more,
    }
    content = "Answer from these {sources}.\n" + json.dumps(payload, ensure_ascii=False, indent=2)
    return ModelRequest(
        messages=(
            Message(role="system", content='{"question": "no", "sources": []}'),
            Message(role="user", content=content),
        ),
        reply_schema=reply_schema([f"S{n}" for n in range(1, len(sources) + 1)]),
    )


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    settings = Settings(root=tmp_path_factory.mktemp("workspace"), llm="extractive", threads=2)
    embedder = open_embedder(settings)
    return open_model(settings, lambda: embedder)


def fields(reply: ModelReply) -> dict[str, Any]:
    found = json.loads(reply.text)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("question", "answer", "citations"),
    [
        ("How long are backups kept?", "They are kept for 30 days.[S1]", ["S1"]),
        ("Who restores a backup?", "Restores are done by the on-call engineer.[S1]", ["S1"]),
        ("未休完的特休怎麼辦？", "未休完的特休可以遞延到次年三月底。[S2]", ["S2"]),
        ("未休完的特休怎么办？", "未休完的特休可以遞延到次年三月底。[S2]", ["S2"]),
        ("備份會保留多久？", "They are kept for 30 days.[S1]", ["S1"]),
    ],
)
def test_answers_with_a_quotation_whatever_the_languages(
    model: LanguageModel, question: str, answer: str, citations: list[str]
) -> None:
    reply = fields(model.complete(request(question, BACKUPS, LEAVE)))
    assert reply["status"] == "answered"
    assert answer in reply["answer"].split("\n")
    assert citations[0] in reply["citations"]


@pytest.mark.parametrize(
    "question",
    [
        "Which gRPC port is open?",
        "What is the wifi password?",
        "公司的股票代號是什麼？",
        "公司的食堂几点开门？",
    ],
)
def test_refuses_what_the_sources_do_not_say(model: LanguageModel, question: str) -> None:
    reply = fields(model.complete(request(question, BACKUPS, LEAVE)))
    assert (reply["status"], reply["citations"]) == ("insufficient", [])


def test_the_same_request_gives_the_same_reply(model: LanguageModel) -> None:
    asked = request("How long are backups kept?", BACKUPS, LEAVE)
    assert model.complete(asked).text == model.complete(asked).text


def test_without_sources_the_embedder_is_not_even_opened() -> None:
    def closed() -> Embedder:
        raise AssertionError("not needed")

    reply = fields(ExtractiveModel(closed).complete(request("Why?")))
    assert reply["status"] == "insufficient"


def test_a_retry_reads_the_question_not_the_complaint() -> None:
    first = request("How long?", BACKUPS)
    retry = (
        *first.messages,
        Message(role="assistant", content='{"status": "answered"}'),
        Message(role="user", content="Your reply was not accepted:\n- no_json"),
    )
    assert read_payload(retry) == read_payload(first.messages)


def test_a_conversation_gives_the_previous_question() -> None:
    turns = [{"question": "Are there backups?", "answer": "Yes."}]
    asked = request("How long are they kept?", BACKUPS, conversation_history=turns)
    payload = read_payload(asked.messages)
    assert payload is not None and payload.previous == "Are there backups?"


@pytest.mark.parametrize(
    "content", ["Rank these passages: ...", '{"question": "Why?"}', "Go.\n[1, 2]", "Go.\n{}", ""]
)
def test_anything_but_a_question_with_sources_needs_a_language_model(content: str) -> None:
    def closed() -> Embedder:
        raise AssertionError("not needed")

    asked = ModelRequest(messages=(Message(role="user", content=content),))
    with pytest.raises(ModelError) as caught:
        ExtractiveModel(closed).complete(asked)
    assert caught.value.reason == "no_model"


def test_is_chosen_by_settings_without_opening_anything(tmp_path: Path) -> None:
    def closed() -> Embedder:
        raise AssertionError("not needed")

    chosen = open_model(Settings(root=tmp_path), closed)
    assert chosen.identity.provider == "extractive"
