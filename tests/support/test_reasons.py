"""Reasons are told in the language asked for, each in both."""

from typing import get_args

import pytest

from rag.core.support import check_support
from rag.core.support.reasons import Name, Reason, tell
from rag.domain.answer import Claim, SourceText

HAN = ("沒有", "不在", "對", "說", "只")


@pytest.mark.parametrize("name", get_args(Name))
def test_every_reason_is_told_in_english_and_chinese(name: Name) -> None:
    reason = Reason(name, words="w", told="t", bound="b")
    english, chinese = tell(reason, ["S1", "S2"], "en"), tell(reason, ["S1", "S2"], "zh-Hans")
    assert english.isascii() and "S1 or S2" in english
    assert "S1 或 S2" in chinese and any(word in chinese for word in HAN)


@pytest.mark.parametrize(
    ("source", "claim", "why"),
    [
        (
            "密碼至少需要 12 個字元。",
            "密碼至多 12 個字元。",
            "S1 對「12」說的不是「至多」，而是「至少」",
        ),
        ("存取金鑰不得外借。", "存取金鑰可以外借。", "S1 的說法與「存取金鑰可以外借」相反"),
        (
            "報銷單須於每月五日前送出。",
            "報銷單須於每月五日後送出。",
            "S1 對「每月五日」說的不是「後」，而是「前」",
        ),
    ],
)
def test_a_reason_quotes_claim_and_source_in_their_own_script(
    source: str, claim: str, why: str
) -> None:
    stated = Claim(text=claim, start=0, end=len(claim), markers=("S1",), verdict="unchecked")
    (checked,) = check_support([stated], [SourceText(marker="S1", text=source)], "zh-Hant")
    assert checked.why == why
