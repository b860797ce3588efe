"""Our own cases of every kind, beside the given ones: a source, claims, which are supported."""

import json
from pathlib import Path

import pytest

from rag.core.support import check_support
from rag.domain.answer import Claim, SourceText

CASES = Path(__file__).parents[1] / "cases" / "support_own.jsonl"


def read_cases() -> list[tuple[str, str, bool]]:
    rows = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    return [
        (row["source"], case["claim"], case["supported"]) for row in rows for case in row["claims"]
    ]


@pytest.mark.parametrize(("source", "text", "supported"), read_cases())
def test_tells_true_claims_from_false_ones(source: str, text: str, supported: bool) -> None:
    claim = Claim(text=text, start=0, end=len(text), markers=("S1",), verdict="supported")
    (checked,) = check_support([claim], [SourceText(marker="S1", text=source)])
    assert (checked.verdict != "unsupported") is supported, checked.why
