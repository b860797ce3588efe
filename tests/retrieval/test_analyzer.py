"""What a text is searched by."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.analyzer import analyze


@given(st.text())
def test_a_letter_or_digit_always_yields_a_term(text: str) -> None:
    plain = unicodedata.normalize("NFKC", text)
    assert bool(analyze(text)) == any(char.isalnum() for char in plain)


@given(st.text())
def test_terms_can_be_joined_by_spaces_and_split_again(text: str) -> None:
    terms = analyze(text)
    assert " ".join(terms).split() == terms
    assert all(0 < len(term) <= 64 for term in terms)


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("报销上限", "部門報銷上限為五百元"),
        ("卡", "申請X1級門禁卡需主管批准"),
        ("X1", "申請X1級門禁卡需主管批准"),
        ("文件", "這個檔案"),
        ("默认参数", "預設參數"),
        ("台灣", "臺湾"),
        ("ＡＰＩ１", "api1"),
        ("max-sources", "max_sources"),
        ("maxSources", "max_sources"),
        ("HTTPException", "httpexception"),
        ("join", "os.path.join(a, b)"),
        ("http exception", "HTTPException"),
        ("responses", "a response"),
        ("C++", "written in c++."),
        ("20.04", "v20.04?"),
        ("Straße", "STRASSE"),
    ],
)
def test_a_query_finds_a_document_written_otherwise(query: str, document: str) -> None:
    assert set(analyze(query)) & set(analyze(document))


@pytest.mark.parametrize("text", ["", "   ", "????", "🙂🙂", "「」…—", "___", "-.-"])
def test_text_without_letter_or_digit_has_no_term(text: str) -> None:
    assert analyze(text) == []


def test_words_that_touch_chinese_stand_alone() -> None:
    assert "x1" in analyze("申請X1級門禁卡")


def test_a_contraction_leaves_no_stray_letters() -> None:
    assert analyze("don't") == ["don"]


def test_identifiers_are_kept_whole_and_split() -> None:
    terms = analyze("os.path.join getUserId")
    assert {"os.path.join", "os", "path", "join", "getuserid", "get", "user", "id"} <= set(terms)
