"""Lengths in tokens, as far as cutting relies on them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.tokens import count_tokens

texts = st.one_of(st.text(), st.text(st.sampled_from("abcdé12-=.。年 \n\u3000👩‍👩"), max_size=60))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n\t\u3000", 0),
        ("word", 1),
        ("identifiers", 3),
        ("2026", 2),
        ("年假十四天。", 6),
        ("a, b", 3),
        ("----------", 3),
        ("|---|---|", 5),
    ],
)
def test_words_digits_and_signs_count_as_documented(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


@given(texts, texts)
def test_cutting_never_lowers_the_sum(first: str, second: str) -> None:
    assert count_tokens(first) + count_tokens(second) >= count_tokens(first + second)


@given(texts)
def test_a_text_never_has_more_tokens_than_characters(text: str) -> None:
    assert count_tokens(text) <= len(text)
