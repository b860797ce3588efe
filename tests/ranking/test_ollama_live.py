"""Against a real server, with the smallest chat model it has: too small to rank well, so what holds
is the guard."""

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from rag.core.endpoint import server_url
from rag.llms.ollama import OllamaModel
from rag.promptbook import PromptBook
from rag.rerankers._cache import RankingCache
from rag.rerankers.llm import LLMReranker, Mode, RerankOptions
from tests.ranking.doubles import candidate

pytestmark = pytest.mark.ollama

PASSAGES = [
    "Lunch is served at noon.",
    "Backups are kept for 30 days.",
    "備份保留三十天。",
    "Visitors wear a yellow badge.",
]


@pytest.fixture(scope="module")
def model(ollama_host: str) -> OllamaModel:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{server_url(ollama_host)}/api/tags", timeout=10) as response:
        models: list[dict[str, Any]] = json.load(response)["models"]
    if not models:
        pytest.skip("the server has no model installed")
    return OllamaModel(ollama_host, min(models, key=lambda one: one["size"])["name"])


@pytest.mark.parametrize("mode", ["ids", "rubric", "scored"])
@pytest.mark.parametrize("query", ["How long are backups kept?", "備份保留多久？"])
def test_every_candidate_comes_back_once_whatever_the_model_says(
    mode: Mode, query: str, model: OllamaModel
) -> None:
    options = RerankOptions(mode=mode, form="object", num_ctx=2048, timeout=600)
    received = [candidate(place, text) for place, text in enumerate(PASSAGES)]
    ranked, trace = LLMReranker(lambda: model, PromptBook(), options).rerank(query, received, 10)
    assert {c.chunk.chunk_id for c in ranked} == {c.chunk.chunk_id for c in received}
    (call,) = trace.calls
    assert call.raw
    assert trace.reason not in ("connection", "http_error", "no_model", "error")
    if mode != "scored" and not trace.fallback:
        # The server enforces the closed set: no id but 0..3 can be written.
        assert call.counts["out_of_range"] == call.counts["invalid"] == 0


def test_a_ranking_is_kept_under_the_models_digest(model: OllamaModel, tmp_path: Path) -> None:
    cache = RankingCache(tmp_path / "rankings.sqlite")
    options = RerankOptions(form="object", num_ctx=2048, timeout=600)
    reranker = LLMReranker(lambda: model, PromptBook(), options, cache=cache)
    received = [candidate(place, text) for place, text in enumerate(PASSAGES)]
    first, told = reranker.rerank("How long are backups kept?", received)
    if told.fallback:
        pytest.skip(f"the model gave no ranking: {told.reason}")
    again, trace = reranker.rerank("How long are backups kept?", received)
    assert again == first
    assert trace.cached
    assert trace.model == told.model
    assert "@" in str(trace.model)
