"""A claim that quotes its source is supported, whatever the words are."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.sentences import split_sentences
from rag.core.support import check_support
from rag.domain.answer import Claim, SourceText

SHARED = Path(__file__).parents[3] / "shared" / "data"

PIECES = [
    "Backups are kept for 30 days.",
    "Access keys must not be shared; nobody may use more than 5 at once.",
    "- Set `max_retries` to 5 in /etc/app/config.toml (since v2.3.1).",
    "| Team | $40 | 25 |",
    "| Plan | Price |\n|---|---|",
    "```python\nfor key in cache:  # never empty\n    print(key[0])\n```",
    "The log reads “token expired”, not 'revoked' — see https://a.example/x?y=1.",
    "備份保留三十天，逾期自動刪除。",
    "本辦法自民國115年3月1日起施行；未經核准不得外借！",
    "1. 每週二晚上十點進行系統維護",
    "无论平日或假日，都可以申请（仅限会员）。",
    "He did not only wait 1,200.50 seconds, but 3–4 hours at 10:30 p.m. on Friday.",
]


def claim(text: str, *markers: str) -> Claim:
    return Claim(text=text, start=0, end=len(text), markers=markers or ("S1",), verdict="supported")


def verdict(text: str, source: SourceText) -> str:
    (checked,) = check_support([claim(text)], [source])
    return checked.verdict


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=8), st.data())
def test_every_sentence_of_a_source_is_supported_by_it(
    pieces: list[str], data: st.DataObject
) -> None:
    source = SourceText(marker="S1", text="\n".join(pieces))
    for span in split_sentences(source.text):
        sentence = source.text[span.start : span.end]
        for quoted in (f"{sentence} [S1]", f"[S1] {sentence}", sentence.rstrip(".。") + " [S1]."):
            assert verdict(quoted, source) == "supported", quoted


@given(st.text(max_size=300), st.text(max_size=80), st.text(max_size=300))
def test_quotes_of_any_text_are_supported(before: str, quote: str, after: str) -> None:
    source = SourceText(marker="S1", text=f"{before}\n\n{quote}\n\n{after}")
    assert verdict(f"{quote} [S1]", source) == "supported"


@given(st.sampled_from(PIECES), st.data())
def test_clauses_of_a_sentence_are_supported(piece: str, data: st.DataObject) -> None:
    words = [match.span() for match in re.finditer(r"[^\s;，；。！]+", piece)]
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    part = piece[words[first][0] : words[last][1]]
    denied = re.search(r"(?:not|never|no|nobody|[未不])\W*$", piece[: words[first][0]])
    if not denied:
        assert verdict(f"{part} [S1]", SourceText(marker="S1", text=piece)) == "supported"


def test_a_quotation_that_leaves_out_the_negation_before_it_is_no_quotation() -> None:
    source = SourceText(
        marker="S1", text="Keys must not be shared with contractors. 金鑰不得外借。"
    )
    assert verdict("Keys must be shared with contractors. [S1]", source) == "unsupported"
    assert verdict("金鑰得外借。[S1]", source) == "unsupported"


def test_half_a_number_is_no_quotation() -> None:
    source = SourceText(marker="S1", text="The limit is 1,200.50 requests; 上限三十五次。")
    assert verdict("The limit is 1 [S1]", source) == "unsupported"
    assert verdict("五次 [S1]", source) == "unsupported"


@pytest.mark.parametrize(
    ("text", "said", "quote"),
    [
        (
            "- **機密**：客戶資料、原始碼。",
            "**機密**：客戶資料、原始碼。",
            "**機密**：客戶資料、原始碼",
        ),
        ("Wait for the time in `Retry-After`", "wait for the time in `Retry-After`", None),
        (
            "See **the backup guide** first.",
            "See the backup guide first.",
            "See **the backup guide** first",
        ),
        (
            "**Backups are kept for 30 days.**",
            "Backups are kept for 30 days.",
            "Backups are kept for 30 days",
        ),
    ],
)
def test_a_quotation_keeps_both_halves_of_a_mark_or_none(
    text: str, said: str, quote: str | None
) -> None:
    (checked,) = check_support([claim(f"{said} [S1]")], [SourceText(marker="S1", text=text)])
    assert checked.evidence[0].quote == (quote or text)


def real_texts() -> Iterator[Path]:
    for folder in ("docs_python", "docs_dolphinscheduler"):
        files = sorted(path for path in (SHARED / folder).rglob("*") if path.is_file())
        yield from files[:: max(1, len(files) // 8)]


@pytest.mark.shared
def test_every_sentence_of_real_documents_is_supported_by_its_passage() -> None:
    if not SHARED.is_dir():
        pytest.skip("needs the data sets beside the checkout (../shared)")
    for path in real_texts():
        text = path.read_text(encoding="utf-8", errors="replace")[:6_000]
        source = SourceText(marker="S1", text=text)
        claims = [claim(f"{text[span.start : span.end]} [S1]") for span in split_sentences(text)]
        for checked in check_support(claims, [source]):
            assert checked.verdict == "supported", (path.name, checked.text, checked.why)
            assert checked.evidence[0].quote in text
