"""`rag eval answers`: what counts as found, as refused, and what a question is not eligible for."""

import json
from pathlib import Path

import pytest

from rag.cli import run as run_command
from rag.core.answer_metrics import holds_answer, refusal_metrics, score_answer
from rag.domain.answer import Answer, Citation, Claim, Timings
from rag.domain.evaluation import EvalQuery


def query(**fields: object) -> EvalQuery:
    values: dict[str, object] = {"id": "q", "text": "?", "language": "en", "relevant": {"a.md": 1}}
    return EvalQuery.model_validate(values | fields)


def answer(status: str, text: str | None = None, *paths: str, **fields: object) -> Answer:
    values: dict[str, object] = {
        "question": "?",
        "status": status,
        "answer": text,
        "decided_by": "model",
        "citations": tuple(
            Citation(
                marker=f"S{n}",
                chunk_id="c",
                title="t",
                path=path,
                start=0,
                end=1,
                start_line=1,
                end_line=1,
            )
            for n, path in enumerate(paths, start=1)
        ),
        "attempts": 1,
        "model": "m",
        "prompt_version": None,
        "knowledge_version": "kb",
        "trace_id": "t",
        "timings_ms": Timings(),
    }
    return Answer.model_validate(values | fields)


@pytest.mark.parametrize(
    ("expected", "text", "found"),
    [
        (["30 days"], "Kept for ３０ days.[S1]", True),
        (["30 days"], "Kept for 36 days.[S1]", False),
        (["資料庫備份"], "资料库备份保留 35 天", True),
        (["quayctl webhook pause"], "Run `quayctl  webhook pause`.", True),
        (["S1"], "Nothing of the kind.[S1]", False),
    ],
)
def test_an_answer_is_found_whatever_its_width_spacing_and_script(
    expected: list[str], text: str, found: bool
) -> None:
    assert holds_answer(query(answers=expected), text) is found


def test_every_answer_is_needed_where_the_question_asks_for_all() -> None:
    both = query(answers=("EUR 45", "EUR 30"), every_answer=True)
    assert not holds_answer(both, "EUR 45 a day")
    assert holds_answer(both, "EUR 45 for one, EUR 30 for the other")


def test_a_refusal_is_no_answer_with_precision_nought() -> None:
    scores = score_answer(query(answers=("x",)), answer("insufficient", "The sources do not say."))
    assert scores["false_refusal"] == 1.0
    assert scores["answer_found"] == 0.0
    assert "citation_precision" not in scores
    assert "supported" not in scores


def test_citations_are_held_against_the_right_documents() -> None:
    scores = score_answer(query(), answer("answered", "x", "a.md", "b.md"))
    assert (scores["citation_precision"], scores["citation_recall"]) == (0.5, 1.0)


def test_claims_give_the_shares_of_uncited_and_supported_ones() -> None:
    claims = [
        Claim(text="x", start=0, end=1, markers=("S1",), verdict="supported"),
        Claim(text="x", start=0, end=1, markers=("S1",), verdict="weak"),
        Claim(text="x", start=0, end=1, verdict="uncited"),
        Claim(text="x", start=0, end=1, verdict="uncited"),
    ]
    scores = score_answer(query(), answer("answered", "x", "a.md", claims=claims))
    assert (scores["uncited_share"], scores["supported"]) == (0.5, 0.5)


def test_refusals_have_precision_recall_and_f1() -> None:
    queries = [query(id=str(n), answerable=n < 6) for n in range(10)]
    refused = {str(n): n >= 7 or n == 0 for n in range(10)}  # 7, 8, 9 rightly; 0 wrongly; 6 missed
    told = refusal_metrics(refused, queries)
    assert told == pytest.approx(
        {"refusal_precision": 0.75, "refusal_recall": 0.75, "refusal_f1": 0.75}
    )


def test_the_command_asks_every_question_and_counts_a_failed_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "knowledge").mkdir()
    (tmp_path / "rag.toml").touch()
    (tmp_path / "knowledge" / "rooms.md").write_text("# Rooms\n\nRoom B2 seats 12.\n")
    rows = [
        {
            "id": "1",
            "text": "Seats of B2?",
            "answers": ["12"],
            "answerable": True,
            "documents": ["rooms.md"],
        },
        {"id": "2", "text": "Who owns B2?", "answers": None, "answerable": False, "documents": []},
        {
            "id": "3",
            "text": "How large is B2?",
            "answers": ["12"],
            "answerable": True,
            "documents": ["rooms.md"],
        },
    ]
    (tmp_path / "q.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    good = '{"status": "answered", "answer": "Room B2 seats 12.[S1]", "citations": ["S1"]}'
    no = '{"status": "insufficient", "answer": "The sources do not say.", "citations": []}'
    (tmp_path / "replies.json").write_text(json.dumps([good, no, {"error": "timeout"}]))
    (tmp_path / "rag.toml").write_text('llm = "static"\nstatic_replies = "replies.json"\n')
    root = ["-C", str(tmp_path)]
    assert run_command([*root, "index"]) == 0
    capsys.readouterr()

    out = tmp_path / "out.jsonl"
    command = ["eval", "answers", str(tmp_path / "q.jsonl"), "--json", "--out", str(out)]
    assert run_command([*root, *command]) == 0

    told = json.loads(capsys.readouterr().out)
    assert told["outcomes"] == {
        "answerable": {"answered": 1, "error": 1},
        "unanswerable": {"insufficient": 1},
    }
    assert told["metrics"]["answer_found"]["value"] == 1.0
    assert told["metrics"]["refusal_f1"]["value"] == 1.0
    assert [row["id"] for row in told["errors"]] == ["3"]
    assert len(out.read_text(encoding="utf-8").splitlines()) == 3
