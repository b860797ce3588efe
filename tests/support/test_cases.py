import json
from pathlib import Path
from typing import Any

import pytest

from rag.core.support import check_support
from rag.domain.answer import Claim, SourceText

CASES = Path(__file__).parents[1] / "cases" / "support.jsonl"
# Policy cases that stay as they are, each with its reason.
KNOWN_MISSES = {"P264": "打電話 for 寄信 cannot be told from a synonym without a model"}


def read_cases() -> list[dict[str, Any]]:
    return [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: str(case["id"]))
def test_tells_supported_from_unsupported(case: dict[str, Any]) -> None:
    text = f"{case['claim']} [S1]"
    claim = Claim(text=text, start=0, end=len(text), markers=("S1",), verdict="supported")
    source = SourceText(marker="S1", text=case["source"])
    (checked,) = check_support([claim], [source])
    if case["id"] in KNOWN_MISSES:
        pytest.xfail(KNOWN_MISSES[case["id"]])
    assert (checked.verdict != "unsupported") == case["supported"], checked.why
