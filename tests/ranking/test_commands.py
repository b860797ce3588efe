"""The commands around reranking, as a person or a script sees them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rag.assistant import Assistant
from rag.cli import run as run_command

RagCall = Callable[..., Any]


@pytest.fixture(scope="module")
def rooms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rooms")
    (folder / "knowledge").mkdir()
    (folder / "rag.toml").touch()
    for letter, seats in zip("abcd", (4, 8, 12, 16), strict=True):
        text = f"# Room {letter.upper()}\n\nRoom {letter.upper()} has {seats} seats.\n"
        (folder / "knowledge" / f"{letter}.md").write_text(text)
    rows = [
        {"id": f"q{n}", "text": "Which room has seats?", "documents": [f"{letter}.md"]}
        for n, letter in enumerate("abcd" * 3)
    ]
    (folder / "questions.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    assert run_command(["-C", str(folder), "index"]) == 0
    return folder


@pytest.fixture
def rag(
    rooms: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> RagCall:
    """Runs a command with a model that plays back `replies`; its exit code and standard output."""
    monkeypatch.chdir(rooms)

    def call(*arguments: str, replies: list[object] | None = None) -> Any:
        if arguments[0] in ("search", "search-rerank", "ask", "eval"):
            arguments += ("--mode", "lexical")  # no embedder to load: the order is not the subject
        if replies is not None:
            Path("replies.json").write_text(json.dumps(replies))
            arguments += ("--llm", "static", "--replies", "replies.json")
        code = run_command(list(arguments))
        return code, capsys.readouterr().out

    return call


# check-ranking -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "code"), [("[2, 0, 1]", 0), ("[2]", 0), ("I cannot.", 3), ("[3, 1, 2]", 3), ("", 3)]
)
def test_a_refused_ranking_ends_with_3(rag: RagCall, reply: str, code: int) -> None:
    Path("reply.txt").write_text(reply)
    assert rag("check-ranking", "--n", "3", "reply.txt")[0] == code


def test_the_json_of_a_ranking_has_the_documented_fields(rag: RagCall) -> None:
    Path("reply.txt").write_text("Here: [2, 2, 9, true]")
    code, shown = rag("check-ranking", "--n", "3", "reply.txt", "--json")
    told = json.loads(shown)
    assert code == 0
    assert told["order"] == [2, 0, 1]
    assert told["kept"] == [2]
    assert (told["accept"], told["clean"], told["scores"], told["reason"]) == (
        True,
        False,
        None,
        None,
    )
    assert told["counts"] == {"out_of_range": 1, "duplicates": 1, "invalid": 1, "missing": 2}


def test_scores_are_shown_with_the_words_of_the_model(rag: RagCall) -> None:
    scored = [{"id": 1, "score": 0.9, "reason": "說的\n正是這個"}, {"id": 0, "score": 0.2}]
    Path("reply.txt").write_text(json.dumps(scored))
    code, shown = rag("check-ranking", "--n", "2", "--mode", "scored", "reply.txt")
    assert code == 0
    assert "1. candidate 1  score 0.90  說的 正是這個\n" in shown
    assert "2. candidate 0  score 0.20\n" in shown


def test_many_rankings_are_read_a_line_each(rag: RagCall) -> None:
    rows = [
        {"id": "a", "raw": "[1, 0]", "n": 2},
        {"id": "b", "raw": "nothing", "n": 2},
        {"id": "c", "raw": '[{"id": 1, "score": 0.9}]', "n": 2, "mode": "scored"},
        {"raw": "[0]"},
    ]
    Path("rows.jsonl").write_text("\n".join(json.dumps(row) for row in rows) + "\n\n")
    code, shown = rag("check-ranking", "--jsonl", "rows.jsonl", "--n", "1")
    told = [json.loads(line) for line in shown.splitlines()]
    assert code == 0
    assert [one["id"] for one in told] == ["a", "b", "c", None]
    assert [one["accept"] for one in told] == [True, False, True, True]
    assert told[2]["scores"] == [[1, 0.9]]
    assert rag("check-ranking", "--jsonl", "rows.jsonl", "--n", "1", "--fail")[0] == 3


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        '{"n": 2}',
        '{"raw": "[0]", "n": "2"}',
        '{"raw": "[0]", "n": true}',
        '{"raw": "[0]", "n": -1}',
        '{"raw": "[0]", "n": 100000}',
        '{"raw": "", "n": 1, "mode": "x"}',
    ],
)
def test_a_line_that_cannot_be_read_is_named(
    line: str, rag: RagCall, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("rows.jsonl").write_text('{"raw": "[0]", "n": 1}\n' + line)
    assert run_command(["check-ranking", "--jsonl", "rows.jsonl"]) == 2
    assert "line 2" in capsys.readouterr().err


def test_the_number_of_candidates_must_be_told(rag: RagCall) -> None:
    Path("reply.txt").write_text("[0]")
    assert rag("check-ranking", "reply.txt")[0] == 2


# search-rerank -----------------------------------------------------------------------------------

QUERY = "Which room has seats?"


def test_shows_both_ranks_of_each_candidate_and_what_was_dropped(rag: RagCall) -> None:
    code, shown = rag("search-rerank", QUERY, replies=["[3, 3, 77, 0, 1]"])
    assert code == 0
    assert "returned   [3, 3, 77, 0, 1]" in shown
    assert "out_of_range 1, duplicates 1, missing 1" in shown
    assert "fallback   no" in shown
    assert "1. was  4 (+3)" in shown


def test_the_json_holds_everything(rag: RagCall) -> None:
    before = json.loads(rag("search", QUERY, "--json")[1])["candidates"]
    code, shown = rag("search-rerank", QUERY, "--json", "-k", "3", replies=["[3, 3, 77, 0, 1]"])
    told = json.loads(shown)
    assert code == 0
    assert {"query", "knowledge_version", "candidates", "rerank"} <= told.keys()
    expected = [before[3]["path"], before[0]["path"], before[1]["path"]]
    assert [c["path"] for c in told["candidates"]] == expected
    assert [(c["rank_before"], c["rank_after"]) for c in told["candidates"]] == [
        (4, 1),
        (1, 2),
        (2, 3),
    ]
    assert [c["ranks"]["reranked"] for c in told["candidates"]] == [1, 2, 3]
    rerank = told["rerank"]
    assert (rerank["raw"], rerank["fallback"], rerank["reason"]) == (
        "[3, 3, 77, 0, 1]",
        False,
        None,
    )
    assert rerank["counts"]["duplicates"] == rerank["counts"]["out_of_range"] == 1
    assert rerank["model"] == "static:replies.json"
    assert rerank["cached"] is False
    assert rerank["ms"] > 0


def test_scores_and_reasons_are_shown(rag: RagCall) -> None:
    rows = [{"id": i, "score": i / 10, "reason": f"because {i}"} for i in range(4)]
    asked = ("search-rerank", QUERY, "--rerank", "scored")
    _, shown = rag(*asked, replies=[json.dumps(rows)])
    assert "score 0.30  because 3" in shown
    told = json.loads(rag(*asked, "--json", replies=[json.dumps(rows)])[1])
    assert told["candidates"][0]["reason"] == "because 3"
    assert told["candidates"][0]["relevance"] == 0.3


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("Sorry.", "no_array"),
        ("[4, 3, 2, 1]", "one_based"),
        ({"error": "timeout"}, "timeout"),
    ],
)
def test_a_fallback_shows_the_first_stage_and_the_reason(
    reply: object, reason: str, rag: RagCall
) -> None:
    before = json.loads(rag("search", QUERY, "--json")[1])["candidates"]
    code, shown = rag("search-rerank", QUERY, "--json", replies=[reply])
    told = json.loads(shown)
    assert code == 0
    assert [c["chunk_id"] for c in told["candidates"]] == [c["chunk_id"] for c in before]
    assert (told["rerank"]["fallback"], told["rerank"]["reason"]) == (True, reason)
    _, shown = rag("search-rerank", QUERY, replies=[reply])
    assert f"fallback   yes ({reason})" in shown


def test_without_a_language_model_the_first_stage_order_stays(rag: RagCall) -> None:
    code, shown = rag("search-rerank", QUERY, "--llm", "extractive", "--json")
    rerank = json.loads(shown)["rerank"]
    assert code == 0
    assert (rerank["fallback"], rerank["reason"], rerank["raw"]) == (True, "no_model", None)


def test_nothing_found_is_no_failure(rag: RagCall) -> None:
    code, _ = rag("search-rerank", QUERY, "--path", "none/*", replies=["[0]"])
    assert code == 0


# The settings ------------------------------------------------------------------------------------


def test_reranking_is_off_unless_asked_for(rag: RagCall, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "rerank" not in json.loads(rag("search", QUERY, "--json")[1])
    monkeypatch.setenv("RAG_LLM", "static")
    monkeypatch.setenv("RAG_STATIC_REPLIES", "replies.json")
    Path("replies.json").write_text(json.dumps(["[3, 2, 1, 0]"]))
    before = json.loads(rag("search", QUERY, "--json")[1])
    after = json.loads(rag("search", QUERY, "--json", "--rerank", "ids")[1])
    assert [c["path"] for c in after["candidates"]] == [
        c["path"] for c in reversed(before["candidates"])
    ]
    assert after["rerank"]["status"] == "ok"
    assert "reranked 1\n" in rag("search", QUERY, "--rerank", "ids")[1]
    assert "reranked" not in rag("search", QUERY)[1]
    monkeypatch.setenv("RAG_RERANK", "ids")
    assert "rerank" in json.loads(rag("search", QUERY, "--json")[1])
    assert "rerank" not in json.loads(rag("search", QUERY, "--json", "--rerank", "off")[1])


def test_a_question_is_answered_from_the_reranked_passages(rag: RagCall) -> None:
    answer = {"status": "insufficient", "answer": "It is not said.", "citations": []}
    code, shown = rag(
        "ask", QUERY, "--rerank", "ids", "--json", replies=["[3, 2, 1, 0]", json.dumps(answer)]
    )
    told = json.loads(shown)
    assert code == 0
    assert told["status"] == "insufficient"
    assert told["warnings"] == []
    assert told["timings_ms"]["rerank"] > 0


# eval rerank -------------------------------------------------------------------------------------


def evaluate(rag: RagCall, replies: list[object], *arguments: str) -> Any:
    pytest.importorskip("ir_measures", reason="needs the extra eval")
    return rag("eval", "rerank", "questions.jsonl", "--form", "array", *arguments, replies=replies)


def test_an_evaluation_tells_what_the_stage_is_worth(rag: RagCall) -> None:
    code, shown = evaluate(rag, ["[0, 1, 2, 3]"] * 12)
    assert code == 0
    assert "clean 100%" in shown
    assert "not worth it" in shown
    assert "found in the top 5 but not first: 9" in shown


def test_an_evaluation_is_kept_drawn_and_compared(rag: RagCall) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra eval")
    code, _ = evaluate(rag, ["[0, 1, 2, 3]"] * 12, "--save", "kept.json", "--chart", "chart.png")
    assert code == 0
    assert Path("kept.svg").read_text().startswith("<?xml")
    assert Path("chart.png").read_bytes().startswith(b"\x89PNG")
    kept = json.loads(Path("kept.json").read_text())
    assert kept["forms"]["array"]["verdict"]["worth"] == "not worth it"
    same, _ = evaluate(
        rag, ["[0, 1, 2, 3]"] * 12, "--baseline", "kept.json", "--fail-below", "0.02"
    )
    assert same == 0
    found = json.loads(rag("search", QUERY, "--json")[1])["candidates"]
    places = [[c["path"] for c in found].index(f"{letter}.md") for letter in "abcd" * 3]
    code, _ = evaluate(rag, [f"[{place}]" for place in places], "--save", "better.json")
    assert code == 0
    worse = [f"[{(place + 1) % 4}]" for place in places]
    fallen, _ = evaluate(rag, worse, "--baseline", "better.json", "--fail-below", "0.02")
    assert fallen == 4


def test_both_forms_of_output_are_compared(rag: RagCall) -> None:
    pytest.importorskip("ir_measures", reason="needs the extra eval")
    replies: list[object] = ["[0, 1, 2, 3]"] * 4 + ['{"ranking": [0, 1, 2, 3]}'] * 4
    code, shown = rag(
        "eval", "rerank", "questions.jsonl", "--limit", "4", "--json", replies=replies
    )
    told = json.loads(shown)
    forms = told["forms"]
    assert code == 0
    assert (told["second_form"]["form"], told["second_form"]["against"]) == ("object", "array")
    assert told["second_form"]["gain"]["ndcg@10"]["value"] == 0.0
    assert {form: told["replies"]["clean"] for form, told in forms.items()} == {
        "array": 1.0,
        "object": 1.0,
    }


def test_the_better_form_shows(rag: RagCall) -> None:
    pytest.importorskip("ir_measures", reason="needs the extra eval")
    found = json.loads(rag("search", QUERY, "--json")[1])["candidates"]
    places = [[c["path"] for c in found].index(f"{letter}.md") for letter in "abcd"]
    backwards: list[object] = [f"[{(place + 1) % 4}]" for place in places]
    right: list[object] = [f'{{"ranking": [{place}]}}' for place in places]
    Path("four.jsonl").write_text(
        "".join(Path("questions.jsonl").read_text().splitlines(keepends=True)[:4])
    )
    code, shown = rag("eval", "rerank", "four.jsonl", replies=[*backwards, *right])
    assert code == 0
    assert "object against array: ndcg@10 +" in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ("--fail-below", "0.1"),
        ("--baseline", "missing.json"),
        ("--chart", "chart.gif"),
        ("--chart", "missing/chart.png"),
    ],
)
def test_arguments_that_cannot_work_end_with_2(arguments: tuple[str, ...], rag: RagCall) -> None:
    assert evaluate(rag, ["[0]"] * 12, *arguments)[0] == 2


def test_an_evaluation_without_a_model_says_what_is_missing(
    rag: RagCall, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run_command(["eval", "rerank", "questions.jsonl", "--llm", "extractive"])
    assert code == 1
    assert "no language model" in capsys.readouterr().err


def test_the_model_orders_no_more_than_it_is_asked_to(rag: RagCall) -> None:
    plain = [one["path"] for one in json.loads(rag("search", QUERY, "--json")[1])["candidates"]]
    shown = json.loads(
        rag("search-rerank", QUERY, "--candidates", "2", "--json", replies=["[1, 0]"])[1]
    )
    assert [one["path"] for one in shown["candidates"]] == [plain[1], plain[0], *plain[2:]]
    assert [one["ranks"]["reranked"] for one in shown["candidates"]] == [1, 2, None, None]
    assert len(shown["rerank"]["calls"][0]["ids"]) == 2
    assert shown["rerank"]["counts"]["clean"] == 1


# Python ------------------------------------------------------------------------------------------


def test_python_searches_through_the_stages_that_the_settings_switch_on(
    rag: RagCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = "Which room has seats?"
    plain = Assistant.open(".").search(query, mode="lexical")
    assert plain.rerank is None

    Path("order.json").write_text(json.dumps(["[3, 2, 1, 0]"]))
    played = {"llm": "static", "static_replies": "order.json", "rerank": "ids"}
    found = Assistant.open(".", **played).search(query, mode="lexical")
    assert found.rerank is not None
    assert found.rerank.status == "ok"
    assert [one.chunk for one in found.candidates] == [
        one.chunk for one in reversed(plain.candidates)
    ]

    for name, value in played.items():
        monkeypatch.setenv(f"RAG_{name.upper()}", value)
    shown = json.loads(rag("search", query, "--json")[1])
    assert [one["chunk_id"] for one in shown["candidates"]] == [
        one.chunk.chunk_id for one in found.candidates
    ]
    assert shown["rerank"]["status"] == "ok"


def test_a_ranking_that_fails_leaves_python_the_order_of_the_search(rag: RagCall) -> None:
    query = "Which room has seats?"
    Path("refusal.json").write_text(json.dumps(["I cannot rank these."]))
    found = Assistant.open(".", llm="static", static_replies="refusal.json", rerank="ids").search(
        query, mode="lexical", limit=2
    )
    assert found.rerank is not None
    assert found.rerank.reason == "no_array"
    plain = Assistant.open(".").search(query, mode="lexical", limit=2)
    assert [one.chunk for one in found.candidates] == [one.chunk for one in plain.candidates]
