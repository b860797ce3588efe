"""Replies that models really sent, or could, and the one right reading of each."""

import json
from pathlib import Path
from typing import Any

import pytest

from rag.core.ranking import parse_ranking

CASES = Path(__file__).parents[1] / "cases" / "rankings.jsonl"


def read_cases() -> list[dict[str, Any]]:
    return [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: str(case["id"]))
def test_reads_a_reply_as_the_case_says(case: dict[str, Any]) -> None:
    ranking = parse_ranking(case["raw"], case["n"], case["mode"]).model_dump(mode="json")
    expected = case["expect"]
    assert {key: ranking[key] for key in expected} == expected, case["why"]
