"""Replies as models have written them, each with the verdict it must get."""

import json
from pathlib import Path
from typing import Any

import pytest

from rag.core.contract import judge

CASES = Path(__file__).parents[1] / "cases" / "answers.jsonl"


def read_cases() -> list[dict[str, Any]]:
    return [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: str(case["id"]))
def test_gives_each_reply_its_verdict(case: dict[str, Any]) -> None:
    verdict = judge(case["raw"], case["markers"], finish_reason=case.get("finish_reason"))
    expected = case["expect"]
    codes = {violation.code for violation in verdict.violations}

    assert (verdict.accept, verdict.status, verdict.answer, list(verdict.citations)) == (
        expected["accept"],
        expected["status"],
        expected["answer"],
        expected["citations"],
    ), codes
    assert set(expected.get("codes", ())) <= codes
    if expected["accept"]:
        assert set(verdict.repairs) == set(expected.get("repairs", ()))
    elif "repairs" in expected:
        assert set(expected["repairs"]) <= set(verdict.repairs)


def test_warns_of_the_sentence_that_cites_nothing() -> None:
    case = next(case for case in read_cases() if case["id"] == "A170")
    lenient = judge(case["raw"], case["markers"])
    strict = judge(case["raw"], case["markers"], coverage="strict")
    assert [warning.code for warning in lenient.warnings] == ["uncited_claim"]
    assert not strict.accept
    assert [violation.code for violation in strict.violations] == ["uncited_claim"]
