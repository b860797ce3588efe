"""Searching: two retrievers, either of which may fail, and questions of every shape."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.passage import passage_text
from rag.domain.documents import Chunk
from rag.domain.errors import IndexUnusable, ModelError, SetupError, UsageError
from rag.domain.index import IndexState
from rag.domain.ports import Embedder, Vectors
from rag.domain.retrieval import Filter, Hit
from rag.flows.search import Searcher
from rag.stores.lexical import LexicalIndex
from tests.doubles import HashEmbedder, MemoryLexical, MemoryVectors
from tests.retrieval.passages import passage

ZH = passage("部門報銷上限為五百元，申請X1級門禁卡需主管批准。", path="zh.md", language="zh-Hant")
CHUNKS = [
    ZH,
    passage("Employees travel by train whenever that is possible.", path="travel.md"),
    passage("Don't wait: plan-b is in C++, see v20.04 of the owner's notes.", path="plan.md"),
    passage("食堂每天中午十二點開門，週末休息。", path="cafe.md", language="zh-Hant"),
]


class Shelf:
    """A catalog of a few chunks."""

    def __init__(self, chunks: Sequence[Chunk], pending: int = 0) -> None:
        self._chunks = {chunk.chunk_id: chunk for chunk in chunks}
        self._pending = pending

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        return [self._chunks[key] for key in chunk_ids if key in self._chunks]

    def languages(self) -> frozenset[str]:
        return frozenset(chunk.language for chunk in self._chunks.values())

    def vectors_pending(self) -> int:
        return self._pending

    def state(self) -> IndexState:
        return IndexState(embedder=HashEmbedder().identity)


class Broken:
    """An index, or an embedder, that cannot serve."""

    identity = HashEmbedder().identity

    def search(self, query: object, limit: int, filter: Filter) -> list[Hit]:
        raise IndexUnusable("the index is missing", "run `rag index`")

    def embed_query(self, text: str) -> Vectors:
        raise ModelError("no answer", reason="timeout")


def searcher(chunks: Sequence[Chunk] = CHUNKS, *, pending: int = 0, **replaced: object) -> Searcher:
    embedder = HashEmbedder()
    lexical, vectors = MemoryLexical(), MemoryVectors()
    lexical.rebuild(chunks)
    if chunks:
        vectors.put(chunks, embedder.embed_passages([passage_text(chunk) for chunk in chunks]))
    parts = {"lexical": lexical, "vectors": vectors, "embedder": embedder} | replaced
    return Searcher(
        Shelf(chunks, pending),  # type: ignore[arg-type]
        parts["lexical"],  # type: ignore[arg-type]
        lambda: parts["vectors"],  # type: ignore[arg-type,return-value]
        lambda: parts["embedder"],  # type: ignore[arg-type,return-value]
    )


# B24
@pytest.mark.parametrize("query", ["", "   ", "????", "🙂", "。、「」", "--- ***"])
def test_a_query_without_letter_or_digit_is_refused(query: str) -> None:
    with pytest.raises(UsageError):
        searcher().search(query)


# B24
@pytest.mark.parametrize(
    "query",
    [
        *("don't wait", "plan-b", '"half quote', "C++ OR", "owner:me", "v20.04?", "NEAR(a b)"),
        *(
            "x*",
            "NULL",
            "a" * 30_000,
            "報銷上限 " * 6_000,
            "卡",
            "AND",
            "(((a",
            "^a~2",
            "\\a",
            "a\0b",
        ),
    ],
)
def test_no_query_is_syntax(query: str, tmp_path: Path) -> None:
    index = LexicalIndex.open(tmp_path)
    index.rebuild(CHUNKS)
    assert searcher(lexical=index).search(query).degraded == ()


@given(st.text(alphabet=st.characters(max_codepoint=0x7F), min_size=1))
def test_any_ascii_query_is_answered_or_refused(query: str) -> None:
    try:
        assert searcher().search(query).query == query
    except UsageError:
        assert not any(char.isalnum() for char in query)


# B24, B26 and B27, by words alone
@pytest.mark.parametrize(
    ("query", "path"),
    [
        *((query, "zh.md") for query in ("報銷上限", "X1", "門禁卡", "上限是多少", "报销上限")),
        *((query, "zh.md") for query in ("報銷", "上限", "卡", "報銷 X1")),
        *((query, "plan.md") for query in ("don't wait", "plan-b", "C++", "v20.04?", "owner:me")),
    ],
)
def test_words_find_their_passage(query: str, path: str, tmp_path: Path) -> None:
    index = LexicalIndex.open(tmp_path)
    index.rebuild(CHUNKS)
    found = searcher(lexical=index).search(query, mode="lexical")
    assert found.candidates[0].chunk.path == path


# B25
def test_no_shared_word_is_no_lexical_hit() -> None:
    assert searcher().search("zyzzyva", mode="lexical").candidates == ()


# B25
def test_an_empty_index_finds_nothing() -> None:
    assert searcher([]).search("anything at all").candidates == ()


# B25
def test_similarity_is_the_cosine_and_no_fused_score() -> None:
    found = searcher().search(CHUNKS[1].text)
    assert found.candidates[0].chunk == CHUNKS[1]
    assert found.candidates[0].similarity == pytest.approx(1.0, abs=1e-5)
    assert all(-1.0 <= (c.similarity or 0.0) <= 1.0 + 1e-6 for c in found.candidates)


class ByLanguage:
    """Vectors of two numbers for what is meant and one for the language, which weighs more."""

    identity = HashEmbedder().identity
    MEANT: ClassVar = {
        "train": (1.0, 0.0),
        "火车": (1.0, 0.0),
        "lunch": (0.0, 1.0),
        "午餐": (0.0, 1.0),
    }

    def embed_query(self, text: str) -> Vectors:
        meant = next((place for word, place in self.MEANT.items() if word in text), (0.0, 0.0))
        vector = np.array([*meant, 4.0 if text.isascii() else -4.0], dtype=np.float32)
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def by_language(*texts: str) -> Searcher:
    """Over passages of these texts, a path each in order."""
    chunks = [
        passage(text, path=f"{n}.md", language="en" if text.isascii() else "zh-Hans")
        for n, text in enumerate(texts)
    ]
    vectors = MemoryVectors()
    vectors.put(chunks, np.stack([ByLanguage().embed_query(text) for text in texts]))
    return searcher(chunks, vectors=vectors, embedder=ByLanguage())


@pytest.mark.parametrize("query", ["Can I go by train?", "可以坐火车吗？"])
def test_a_question_finds_its_answer_in_the_other_language(query: str) -> None:
    """Though everything in the question's own language is nearer."""
    own, other = ("lunch", "火车") if query.isascii() else ("午餐", "train")
    found = by_language(*[own] * 60, other).search(query, mode="vector")
    assert found.candidates[0].chunk.text == other


def test_an_index_of_one_language_is_searched_in_that_language() -> None:
    found = by_language("午餐", "火车").search("train", mode="vector")
    assert found.candidates[0].chunk.text == "火车"
    assert (found.candidates[0].similarity or 0.0) > 0.9


def test_a_filter_by_language_decides_how_the_question_is_put() -> None:
    both = by_language("lunch", "train", "午餐", "火车")
    (first, *_) = both.search("train", filter=Filter(languages=("en",))).candidates
    assert first.chunk.text == "train"


def test_a_failed_vector_side_leaves_the_words_and_says_so() -> None:
    for broken in ({"vectors": Broken()}, {"embedder": Broken()}):
        found = searcher(**broken).search("travel by train")
        assert found.candidates[0].chunk.path == "travel.md"
        assert [line.partition(":")[0] for line in found.degraded] == ["vector"]


def test_an_embedder_that_cannot_be_opened_leaves_the_words() -> None:
    def unavailable() -> Embedder:
        raise SetupError("no such model")

    found = replace(searcher(), embedder=unavailable).search("travel by train")
    assert found.candidates[0].chunk.path == "travel.md"
    assert found.degraded == ("vector: no such model",)


def test_vectors_of_another_embedder_are_refused_not_passed_over() -> None:
    foreign = HashEmbedder(name="another")
    with pytest.raises(IndexUnusable, match="another"):
        searcher(embedder=foreign).search("travel by train")
    assert searcher(embedder=foreign).search("travel", mode="lexical").candidates


def test_a_failed_lexical_side_leaves_the_vectors_and_says_so() -> None:
    found = searcher(lexical=Broken()).search(CHUNKS[1].text)
    assert found.candidates[0].chunk.path == "travel.md"
    assert [line.partition(":")[0] for line in found.degraded] == ["lexical"]


def test_two_failures_are_an_error() -> None:
    with pytest.raises(IndexUnusable):
        searcher(lexical=Broken(), vectors=Broken()).search("travel")


def test_pending_vectors_are_told() -> None:
    (line,) = searcher(pending=7).search("travel").degraded
    assert "7" in line


def test_a_mode_asks_only_its_own_index() -> None:
    lexical = searcher(vectors=Broken(), embedder=Broken()).search("travel", mode="lexical")
    vector = searcher(lexical=Broken()).search("travel", mode="vector")
    assert lexical.degraded == vector.degraded == ()
    assert all(c.ranks.vector is None for c in lexical.candidates)
    assert all(c.ranks.lexical is None for c in vector.candidates)


def test_ranks_tell_each_list() -> None:
    best = searcher().search("travel by train").candidates[0]
    assert (best.ranks.lexical, best.ranks.fused) == (1, 1)
    assert best.ranks.vector is not None


def test_the_limit_is_kept() -> None:
    assert len(searcher().search("the employees wait", limit=2).candidates) == 2
