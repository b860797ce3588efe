"""What several threads share: each of them gets what it would get alone."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from rag.assistant import Assistant
from rag.domain.answer import Answer
from rag.domain.errors import ModelError
from rag.domain.models import GenerationParameters, Message, ModelRequest
from rag.journal import Journal
from rag.llms.static import StaticLlmClient
from rag.promptbook import PromptBook
from rag.rerankers._cache import RankingCache
from rag.rerankers.llm import LLMReranker, RerankOptions
from rag.wire import Workspace
from tests.conftest import ROOT
from tests.ranking.doubles import candidate

THREADS = 6


def at_once(work: Any) -> list[Any]:
    """`work(0)` to `work(THREADS - 1)`, begun at the same moment."""
    begin = Barrier(THREADS, timeout=60)

    def begun(number: int) -> Any:
        begin.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begun, range(THREADS)))


def test_answers_are_those_of_one_thread_from_the_first_use_on(
    handbook: Path, tmp_path: Path
) -> None:
    """Searcher, catalog, both indexes, embedder, model and journal, none of them opened before."""
    lines = (ROOT / "evals" / "handbook.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["text"] for line in lines[::4]]

    def lasting(answer: Answer) -> dict[str, Any]:
        return answer.model_dump(exclude={"trace_id", "timings_ms"})

    def opened() -> Assistant:
        return Assistant.open(handbook, llm="extractive", traces=tmp_path)

    alone, shared = opened(), opened()
    expected = {question: lasting(alone.ask(question)) for question in questions}

    def work(number: int) -> dict[str, Any]:
        return {
            question: lasting(shared.ask(question, run="threads"))
            for question in questions[number::THREADS]
        }

    found = {key: value for part in at_once(work) for key, value in part.items()}
    assert found == expected
    assert len(list(Journal(tmp_path).traces())) == 2 * len(questions)


def test_each_part_of_a_workspace_is_opened_once(
    handbook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = Assistant.open(handbook, llm="extractive").workspace
    opened: list[object] = []
    monkeypatch.setattr(
        Workspace, "_open_model", lambda self, settings: opened.append(settings) or object()
    )
    parts = at_once(lambda number: (workspace.model, workspace.catalog, workspace.searcher))
    assert len(opened) == 1
    assert len(set(map(id, (part for found in parts for part in found)))) == 3


class Hesitant(list[ModelRequest]):
    """Another thread comes in between a look at it and a change."""

    def __len__(self) -> int:
        length = super().__len__()
        time.sleep(0.001)
        return length


def test_each_thread_gets_a_prepared_reply_of_its_own() -> None:
    model = StaticLlmClient([str(number) for number in range(THREADS * 10)])
    model.requests = Hesitant()
    request = ModelRequest(
        messages=(Message(role="user", content="?"),), parameters=GenerationParameters(), timeout=1
    )
    found = at_once(lambda _: [model.complete(request).text for _ in range(10)])
    assert sorted(int(text) for part in found for text in part) == list(range(THREADS * 10))


def test_the_reranker_counts_every_failure_of_every_thread() -> None:
    def clock() -> float:  # another thread comes in whenever it is looked at
        time.sleep(0.001)
        return 0.0

    # Each failure is tried once more.
    model = StaticLlmClient([{"error": "http_error"}] * (2 * (THREADS * 5 + 1)))
    patience = THREADS * 5 + 1
    reranker = LLMReranker(
        lambda: model, PromptBook(), RerankOptions(patience=patience), clock=clock
    )
    two = (candidate(0, "a"), candidate(1, "b"))
    found = at_once(lambda _: [reranker.rerank("q?", two)[1] for _ in range(5)])
    assert {trace.status for part in found for trace in part} == {"fallback"}
    assert reranker.rerank("q?", two)[1].status == "fallback"
    assert reranker.rerank("q?", two)[1].status == "skipped"


def test_the_cache_of_rankings_loses_nothing_that_it_took(tmp_path: Path) -> None:
    cache = RankingCache(tmp_path / "rankings.sqlite")

    def work(number: int) -> None:
        for place in range(20):
            key = f"{number}-{place}"
            cache.put(key, key)
            assert cache.get(key) in (key, None)  # a busy cache is an empty one

    at_once(work)
    for number in range(THREADS):
        for place in range(20):
            assert cache.get(f"{number}-{place}") in (f"{number}-{place}", None)


def test_no_thread_loses_a_trace(handbook: Path, tmp_path: Path) -> None:
    assistant = Assistant.open(handbook, llm="ollama", ollama_host="127.0.0.1:9", traces=tmp_path)

    def work(number: int) -> None:
        for _ in range(5):
            with pytest.raises(ModelError):
                assistant.ask("How long is an access token valid?", run="gone")

    at_once(work)
    assert len(list(Journal(tmp_path).traces())) == THREADS * 5
