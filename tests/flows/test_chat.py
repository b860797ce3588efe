import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from rag.cli import run as run_command
from rag.domain.answer import Answer, Timings
from rag.domain.errors import ModelError
from rag.domain.models import Turn
from rag.flows.chat import Conversation


class Recorder:
    """Answers everything with its own number, and keeps what it was asked with."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Turn, ...], str | None]] = []
        self.failing = False

    def __call__(
        self, question: str, *, history: Sequence[Turn], search_query: str | None
    ) -> Answer:
        self.calls.append((question, tuple(history), search_query))
        if self.failing:
            raise ModelError("no answer", reason="timeout")
        return Answer(
            question=question,
            status="answered",
            answer=f"Answer {len(self.calls)}.[S1]",
            decided_by="model",
            attempts=1,
            model="static:x",
            prompt_version=None,
            knowledge_version="kb-1",
            trace_id="t",
            timings_ms=Timings(),
        )


def test_a_follow_up_is_asked_with_what_came_before_and_searched_by_its_subject() -> None:
    ask, told = Recorder(), []
    conversation = Conversation(ask)
    conversation.ask("How many days of leave do employees get?", told.append)
    conversation.ask("And for contractors?", told.append)

    question, history, query = ask.calls[1]
    assert question == "And for contractors?"
    assert [turn.question for turn in history] == ["How many days of leave do employees get?"]
    assert query == "How many days of leave do employees get? And for contractors?"
    assert told == [query]


def test_a_conversation_keeps_only_its_latest_turns() -> None:
    ask = Recorder()
    conversation = Conversation(ask, max_turns=3)
    for number in range(10):
        conversation.ask(f"How large is building number {number} in Taipei?")
    assert len(conversation.turns) == 3
    assert conversation.turns[-1].question.endswith("number 9 in Taipei?")


def test_a_failed_question_leaves_the_conversation_as_it_was() -> None:
    ask = Recorder()
    conversation = Conversation(ask)
    conversation.ask("How large is building 1 in Taipei?")
    ask.failing = True
    with pytest.raises(ModelError):
        conversation.ask("And building 2?")
    assert [turn.question for turn in conversation.turns] == ["How large is building 1 in Taipei?"]


def test_a_new_conversation_knows_nothing_of_the_old() -> None:
    ask = Recorder()
    conversation = Conversation(ask)
    conversation.ask("How large is building 1 in Taipei?")
    conversation.forget()
    conversation.ask("And building 2?")
    assert ask.calls[-1] == ("And building 2?", (), None)


def test_the_chat_command_answers_shows_sources_and_recovers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "knowledge").mkdir()
    (tmp_path / "rag.toml").touch()
    (tmp_path / "knowledge" / "rooms.md").write_text(
        "# Rooms\n\nRoom B2 seats 12 people. Room B3 seats 40 people.\n"
    )
    replies = [
        {
            "text": json.dumps(
                {
                    "status": "answered",
                    "answer": "Room B2 seats 12 people.[S1]",
                    "citations": ["S1"],
                }
            )
        },
        {"error": "timeout"},
        {
            "text": json.dumps(
                {
                    "status": "answered",
                    "answer": "Room B3 seats 40 people.[S1]",
                    "citations": ["S1"],
                }
            )
        },
    ]
    (tmp_path / "replies.json").write_text(json.dumps(replies))
    root = ["-C", str(tmp_path)]
    assert run_command([*root, "index"]) == 0
    lines = iter(
        [
            "/sources",
            "How many people does room B2 seat?",
            "/sources",
            "/show S1",
            "And B3?",
            "and B3?",
            "/trace",
            "/show S9",
            "/nonsense",
            "????",
            "/quit",
        ]
    )
    monkeypatch.setattr("builtins.input", lambda prompt="": next(lines))

    code = run_command(
        [*root, "chat", "--llm", "static", "--replies", str(tmp_path / "replies.json")]
    )

    told = capsys.readouterr()
    assert code == 0
    assert "no answer yet" in told.out
    assert "Room B2 seats 12 people.[S1]" in told.out
    assert "[S1] cited  rooms.md:1" in told.out
    assert "error: " in told.err and "timeout" in told.err
    assert "Room B3 seats 40 people.[S1]" in told.out
    assert "searched for: How many people does room B2 seat? and B3?" in told.out
    assert "attempt 1" in told.out
    assert "no source S9" in told.out
    assert "/sources     the sources" in told.out


def test_an_interrupt_ends_the_answer_and_not_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "knowledge").mkdir()
    (tmp_path / "rag.toml").touch()
    (tmp_path / "knowledge" / "rooms.md").write_text("# Rooms\n\nRoom B2 seats 12 people.\n")
    (tmp_path / "replies.json").write_text('["x"]')
    assert run_command(["-C", str(tmp_path), "index"]) == 0
    lines = iter(["How many people does room B2 seat?", "/quit"])

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", lambda prompt="": next(lines))
    monkeypatch.setattr("rag.llms.static.StaticLlmClient.complete", interrupted)
    replies = str(tmp_path / "replies.json")

    code = run_command(["-C", str(tmp_path), "chat", "--llm", "static", "--replies", replies])

    assert code == 0
    assert "the conversation goes on" in capsys.readouterr().err
    (trace,) = (tmp_path / "traces").glob("*.jsonl")
    assert "KeyboardInterrupt" in trace.read_text(encoding="utf-8")
