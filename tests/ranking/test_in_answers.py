"""Reranking inside an answer: it may help, and can never stop one."""

from pathlib import Path

import pytest

from rag.core.trace_view import trace_lines
from rag.core.violations import violation
from rag.domain.answer import Answer
from rag.domain.retrieval import Retrieved
from rag.domain.trace import Trace
from rag.flows.ask import AskPorts, ask
from rag.journal import Journal
from rag.llms.static import Reply, StaticLlmClient
from rag.promptbook import PromptBook
from rag.rerankers.llm import LLMReranker
from tests.ranking.doubles import Clock, candidate

GOOD = '{"status": "answered", "answer": "Backups are kept for 30 days.[S1]", "citations": ["S1"]}'
PASSAGES = [
    "Lunch is at noon.",
    "Parking is free.",
    "Backups are kept for 30 days.",
    "Badges are yellow.",
]


class Desk:
    """`ask` over four passages, with one model that ranks and one that answers."""

    def __init__(self, folder: Path, ranking: list[Reply]) -> None:
        self.journal = Journal(folder)
        self.ranker = StaticLlmClient(ranking)
        self.clock = Clock()
        self.reranker = LLMReranker(lambda: self.ranker, PromptBook(), clock=self.clock)

    def ask(self) -> Answer:
        candidates = tuple(candidate(place, text) for place, text in enumerate(PASSAGES))
        ports = AskPorts(
            search=lambda query, **options: Retrieved(query=query, candidates=candidates),
            model=lambda: StaticLlmClient([GOOD]),
            prompts=PromptBook(),
            journal=self.journal,
            knowledge_version=lambda: "kb-test",
            code_version="0",
            reranker=self.reranker,
        )
        return ask("How long are backups kept?", ports)

    def traces(self) -> list[Trace]:
        return list(self.journal.traces())


def test_the_best_passage_becomes_the_first_source(tmp_path: Path) -> None:
    desk = Desk(tmp_path, ["[2, 0, 1, 3]"])
    answer = desk.ask()
    assert answer.status == "answered"
    assert answer.citations[0].path == "doc/2.md"
    assert answer.warnings == ()
    (trace,) = desk.traces()
    assert trace.rerank is not None
    assert trace.rerank.calls[0].raw == "[2, 0, 1, 3]"
    assert trace.retrieval is not None
    assert [c.ranks.reranked for c in trace.retrieval.candidates] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("reply", "status", "reason"),
    [
        ("", "fallback", "empty"),
        ("Sure! I think passage two is best.", "fallback", "no_array"),
        ("```json\n[2,1]\n```", "ok", None),
        ("[2, 1", "ok", None),
        ({"error": "timeout"}, "fallback", "timeout"),
    ],
)
def test_a_small_models_ranking_never_stops_the_answer(
    reply: Reply, status: str, reason: str | None, tmp_path: Path
) -> None:
    """Case B30: prose, an apology, an empty reply or a timeout from the ranking model."""
    desk = Desk(tmp_path, [reply, reply])
    answer = desk.ask()
    (trace,) = desk.traces()
    assert trace.rerank is not None
    assert (trace.rerank.status, trace.rerank.reason) == (status, reason)
    assert len(desk.ranker.requests) <= 2
    cited = {"ok": "doc/2.md", "fallback": "doc/0.md"}[status]
    assert trace.context.sources[0].path == cited
    assert [w.code for w in answer.warnings].count("not_reranked") == (status == "fallback")
    shown = "\n".join("".join(span.text for span in line) for line in trace_lines(trace))
    told = {"ok": "order by the model", "fallback": f"order of the search: {reason}"}[status]
    assert f"reranked   {told}" in shown
    # The reply cites the first source: it holds only where reranking brought the right one there.
    assert answer.status == ("answered" if status == "ok" else "rejected")


def test_a_hundred_questions_with_a_broken_ranker_all_finish(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [{"error": "timeout"}] * 100)
    for _ in range(100):
        desk.ask()
    assert len(desk.ranker.requests) == 3  # then the stage is skipped
    last = desk.traces()[-1]
    shown = "\n".join("".join(span.text for span in line) for line in trace_lines(last))
    assert "reranked   order of the search, skipped after failures: timeout" in shown
    statuses = [trace.rerank.status for trace in desk.traces() if trace.rerank]
    assert sorted(statuses) == ["fallback"] * 3 + ["skipped"] * 97


@pytest.mark.parametrize("status", ["fallback", "partial", "skipped"])
@pytest.mark.parametrize(
    ("language", "told"), [("en", "order of the search"), ("zh-Hant", "搜尋的順序")]
)
def test_a_ranking_that_failed_is_told_in_the_language_of_the_question(
    status: str, language: str, told: str
) -> None:
    warning = violation(f"not_reranked.{status}", language, reason="timeout", seconds="60")
    assert warning.code == "not_reranked"
    assert told in warning.message and "timeout" in warning.message
    assert ("60" in warning.message) == (status == "skipped")
