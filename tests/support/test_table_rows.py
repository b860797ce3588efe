"""A table row told with its column names: each cell is a clause of its own."""

import pytest

from rag.core.support import check_support
from rag.domain.answer import Claim, SourceText

CODES = (
    "| 代碼 | 說明 | 處理 |\n|---|---|---|\n"
    "| PB-101 | 磁碟空間不足 | 清理後執行 `backup run --full` |\n"
    "| PB-107 | 金鑰無法讀取 | 檢查檔案權限是否為 0400 |\n"
)
PLANS = (
    "| 方案 | 帳號數 | 月費（未稅） |\n|---|---|---|\n"
    "| 基本 | 3 | 1,800 元 |\n| 企業 | 不限 | 依合約 |\n"
)
STATUSES = (
    "| Status | Code | Meaning | What to do |\n|---|---|---|---|\n"
    "| 403 | `QS-1006` | the token is valid but lacks the scope | ask an administrator |\n"
    "| 423 | `QS-1007` | the account is locked | wait for 15 minutes |\n"
)


def verdict(text: str, source: str) -> str:
    claim = Claim(text=text, start=0, end=len(text), markers=("S1",), verdict="unchecked")
    (checked,) = check_support([claim], [SourceText(marker="S1", text=source)])
    return checked.verdict


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("方案: 企業 | 帳號數: 不限 | 月費（未稅）: 依合約[S1]", PLANS),
        ("代碼: PB-101 | 說明: 磁碟空間不足 | 處理: 清理後執行 `backup run --full`[S1]", CODES),
        ("代碼: PB-107 | 說明: 金鑰無法讀取 | 處理: 檢查檔案權限是否為 0400[S1]", CODES),
        (
            "Status: 403 | Code: `QS-1006` | Meaning: the token is valid but lacks the scope |"
            " What to do: ask an administrator[S1]",
            STATUSES,
        ),
    ],
)
def test_a_negation_in_one_cell_says_nothing_of_the_next(text: str, source: str) -> None:
    assert verdict(text, source) == "supported"


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("代碼: PB-107 | 說明: 金鑰可以讀取[S1]", CODES),
        (
            "Status: 423 | Meaning: the account is locked | What to do: wait for 50 minutes[S1]",
            STATUSES,
        ),
    ],
)
def test_a_cell_that_says_otherwise_is_not_supported(text: str, source: str) -> None:
    assert verdict(text, source) == "unsupported"
