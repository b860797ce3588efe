"""The deterministic end of the first stage: what each feature does, and that it can be left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.arrange import LOOKED_AT, WEIGHTS, arrange
from rag.core.features import FEATURES, Query
from rag.core.fuse import FusedHit
from rag.domain.documents import Chunk
from rag.domain.retrieval import Candidate
from tests.retrieval.passages import by_id, passage


def arranged(query: str, chunks: list[Chunk], **options: object) -> tuple[Candidate, ...]:
    """`chunks` as if fused in this order, all nearly equal: features decide."""
    fused = [
        FusedHit(chunk_id=chunk.chunk_id, score=5.0 - place / 100, vector=5.0 - place / 100)
        for place, chunk in enumerate(chunks)
    ]
    return arrange(query, fused, by_id(chunks), **options)  # type: ignore[arg-type]


def first(query: str, chunks: list[Chunk], **options: object) -> Chunk:
    return arranged(query, chunks, **options)[0].chunk


CASES = {
    "identifiers": (
        "What does QS-AUTH-1010 mean?",
        passage("QS-AUTH-1011: the key has expired.", path="a.md"),
        passage("QS-AUTH-1010: the key is unknown.", path="b.md"),
    ),
    "phrases": (
        'Who said "green on Friday"?',
        passage("On Friday green was said by all who came.", path="a.md"),
        passage("Builds are green on Friday, said the lead.", path="b.md"),
    ),
    "title": (
        "backup schedule",
        passage("It runs at night.", path="a.md", title="Storage"),
        passage("It runs at night, daily.", path="b.md", title="Backup schedule"),
    ),
    "proximity": (
        "rotate the signing key",
        passage("Rotate tyres." + " Other matters." * 40 + " The signing. A key.", path="a.md"),
        passage("Rotate the signing key each month." + " Other matters." * 40, path="b.md"),
    ),
    "definition": (
        "where is parse_run defined",
        passage("from trec import parse_run", path="a.py", node_kind="module"),
        passage(
            "def parse_run(text): ...", path="b.py", symbol="trec.parse_run", node_kind="function"
        ),
    ),
    "names_only": (
        "how is a chunk cut",
        passage("import chunk, cut", path="a.py", node_kind="import"),
        passage("chunk is cut here", path="b.py", node_kind="function", symbol="split"),
    ),
}


@pytest.mark.parametrize("feature", CASES)
def test_each_feature_decides_and_can_be_switched_off(feature: str) -> None:
    query, worse, better = CASES[feature]
    alone = {feature: WEIGHTS[feature]}
    assert first(query, [worse, better], weights=alone) == better
    assert first(query, [worse, better], weights=alone | {feature: 0.0}) == worse
    assert first(query, [worse, better], weights={}) == worse


def test_every_feature_has_a_weight_and_a_case() -> None:
    assert FEATURES.keys() == CASES.keys()
    assert WEIGHTS.keys() == FEATURES.keys() | {"crowding", "repeated"}


def test_a_copy_stands_behind_everything_that_says_something_else() -> None:
    text = "Backups are kept for thirty days in two regions."
    chunks = [passage(text, path="a.md"), passage(text, path="b.md"), passage("x", path="c.md")]
    assert [c.chunk.path for c in arranged("backups", chunks)] == ["a.md", "c.md", "b.md"]
    kept = arranged("backups", chunks, weights={**WEIGHTS, "repeated": 0.0})
    assert [c.chunk.path for c in kept] == ["a.md", "b.md", "c.md"]


def test_of_copies_the_one_under_the_heading_asked_for_stays() -> None:
    text = "Now run the check and see that it passes."
    chunks = [
        passage(text, path="a.md", title="Uploads"),
        passage(text, path="b.md", title="Static files"),
        passage("Other matters.", path="c.md"),
    ]
    folded = {"repeated": WEIGHTS["repeated"]}
    found = [c.chunk.path for c in arranged("check static files", chunks, weights=folded)]
    assert found == ["b.md", "c.md", "a.md"]


def test_versions_that_differ_in_a_figure_are_no_copies() -> None:
    chunks = [
        passage("Backups are kept for 30 days in two regions, by the night run.", path="a.md"),
        passage("Backups are kept for 60 days in two regions, by the night run.", path="b.md"),
        passage("unrelated", path="c.md"),
    ]
    assert [c.chunk.path for c in arranged("backups", chunks)] == ["a.md", "b.md", "c.md"]


def test_no_document_crowds_out_another_that_is_as_good() -> None:
    chunks = [passage(f"part {word}", path="long.md") for word in ("one", "two", "three")]
    other = passage("part of another", path="other.md")
    assert [c.chunk.path for c in arranged("x", [*chunks, other])][:2] == ["long.md", "other.md"]
    assert first("x", [*chunks, other], weights={**WEIGHTS, "crowding": 0.0}).path == "long.md"
    paths = [
        c.chunk.path for c in arranged("x", [*chunks, other], weights={**WEIGHTS, "crowding": 0.0})
    ]
    assert paths == ["long.md"] * 3 + ["other.md"]


def test_rare_terms_count_more_than_common_ones() -> None:
    common = passage("Python here." + " Other matters." * 40 + " Threads.", path="a.md")
    rare = passage("Threads here." + " Other matters." * 40, path="b.md")
    fused = [
        FusedHit(chunk_id=chunk.chunk_id, score=1.0, vector=1.0, lexical=1.0)
        for chunk in (common, rare)
    ]
    alone = {"proximity": 3.0}
    usual, weighted = (
        {
            candidate.chunk.path: dict(candidate.parts)["proximity"]
            for candidate in arrange(
                "python threads", fused, by_id([common, rare]), weights=alone, rarity=rarity
            )
        }
        for rarity in ({}, {"python": 6.0, "thread": 2.0})
    )
    assert usual["a.md"] == usual["b.md"]
    assert weighted["a.md"] > weighted["b.md"]


def test_words_of_an_english_question_count_less_in_a_chinese_passage() -> None:
    """They are parts of names and code there. Latin words of a Chinese question are names."""
    chunk = passage("SharedMemoryManager 管理共享記憶體。", language="zh-Hant")
    hit = FusedHit(chunk_id=chunk.chunk_id, score=2.0, lexical=2.0)

    def lexical(query: str, passage: Chunk = chunk) -> float:
        found = arrange(query, [hit], {chunk.chunk_id: passage}, weights={})
        return dict(found[0].parts)["lexical"]

    english = chunk.model_copy(update={"language": "en"})
    assert lexical("How is memory managed?") < lexical("How is memory managed?", english)
    assert lexical("SharedMemoryManager 如何管理記憶體？") == lexical("How is it?", english)
    assert lexical("SharedMemoryManager 做什麼？", english) == lexical("How is it?", english)
    for named in ("shared memory", "What is SMM?", "Where is shared_memory described?"):
        assert lexical(named) == lexical(named, english)


def test_words_add_less_the_more_a_vector_stands_out() -> None:
    chunk = passage("Rotate the signing key.")
    fused = FusedHit(chunk_id=chunk.chunk_id, score=0.0, lexical=1.0)
    shares = [
        dict(arrange("rotate key", [hit], by_id([chunk]), weights={})[0].parts)["lexical"]
        for hit in (fused.model_copy(update={"vector": height}) for height in (0.0, 1.0, 4.0))
    ]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == pytest.approx(1.0)


def test_parts_add_up_to_the_score() -> None:
    query, worse, better = CASES["identifiers"]
    for candidate in arranged(query, [worse, better]):
        assert candidate.score == pytest.approx(sum(value for _, value in candidate.parts))
    names = {name for candidate in arranged(query, [worse, better]) for name, _ in candidate.parts}
    assert {"vector", "identifiers", "proximity"} <= names


def test_ranks_are_places() -> None:
    found = arranged("part", [passage(f"part {n}", path=f"{n}.md") for n in range(5)])
    assert [candidate.ranks.fused for candidate in found] == [1, 2, 3, 4, 5]


def test_a_hit_that_the_catalog_does_not_know_is_left_out() -> None:
    chunk = passage("known")
    fused = [FusedHit(chunk_id="gone", score=9.0), FusedHit(chunk_id=chunk.chunk_id, score=1.0)]
    assert [c.chunk for c in arrange("known", fused, by_id([chunk]))] == [chunk]


@given(st.text(), st.lists(st.text(min_size=1), unique=True, max_size=LOOKED_AT + 5))
def test_nothing_is_lost_whatever_the_texts(query: str, texts: list[str]) -> None:
    chunks = [passage(text, path=f"{n}.md") for n, text in enumerate(texts)]
    found = arranged(query, chunks)
    assert sorted(c.chunk.path for c in found) == sorted(chunk.path for chunk in chunks)


@pytest.mark.parametrize(
    ("query", "identifiers"),
    [
        ("What does QS-AUTH-1007 mean?", ("qs-auth-1007",)),
        ("use os.path.join with MAX_SIZE", ("os.path.join", "max_size")),
        ("the `foo bar` of getUserId()", ("foo bar", "getuserid")),
        ("FastAPI and e.g. OpenAPI in 2024", ()),
        ("plan-b for the state-of-the-art", ()),
    ],
)
def test_identifiers_of_a_query(query: str, identifiers: tuple[str, ...]) -> None:
    assert Query(query).identifiers == identifiers


def test_quotes_of_both_languages_are_phrases() -> None:
    assert Query('「兩天以內」 or “five days” or "a week"').phrases == (
        "两天以内",
        "five days",
        "a week",
    )
