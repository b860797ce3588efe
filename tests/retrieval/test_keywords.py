"""What of a question is looked up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.analyzer import analyze
from rag.core.keywords import keywords


@pytest.mark.parametrize(
    ("question", "dropped", "kept"),
    [
        ("Why does Python use indentation?", "why", "indentation"),
        ("How do I freeze Tkinter applications?", "how", "tkinter"),
        ("為什麼 Python 使用縮排？", "什么", "縮排"),
        ("报销上限是多少", "多少", "上限"),
        ("請問誰批准門禁卡", "请问", "门禁"),
    ],
)
def test_what_only_asks_is_left_out(question: str, dropped: str, kept: str) -> None:
    terms = analyze(keywords(question))
    assert dropped not in terms
    assert kept in terms or set(analyze(kept)) <= set(terms)


@pytest.mark.parametrize("question", ["what is it?", "為什麼？", "Who are you?", "是的", "a"])
def test_a_question_that_only_asks_is_kept(question: str) -> None:
    assert analyze(keywords(question))


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is the IT policy?", "it"),
        ("Who calls is_open?", "isopen"),
        ("What is a to-do list?", "todo"),
        ("Is it in C++?", "c++"),
        ("What does in.txt hold?", "in.txt"),
    ],
)
def test_names_that_look_like_grammar_stay(question: str, name: str) -> None:
    assert name in analyze(keywords(question))


def test_a_query_too_short_to_tell_its_script_is_read_both_ways() -> None:
    assert {"文件", "文档"} <= set(analyze(keywords("文件")))
    assert "文档" not in analyze(keywords("压缩文件"))


@given(st.text())
def test_a_query_with_a_letter_or_digit_keeps_a_term(query: str) -> None:
    assert bool(analyze(keywords(query))) == bool(analyze(query))
