"""One list from two: order, not floats."""

from math import hypot

from hypothesis import given
from hypothesis import strategies as st

from rag.core.fuse import DEPTH, fuse
from tests.retrieval.passages import hits

SCORES = st.dictionaries(
    st.sampled_from([f"c{n}" for n in range(60)]), st.floats(0.1, 50.0), max_size=DEPTH
)
COSINES = st.dictionaries(
    st.sampled_from([f"c{n}" for n in range(60)]), st.floats(-1.0, 1.0), max_size=DEPTH
)


def order(lexical: dict[str, float], vector: dict[str, float]) -> list[str]:
    return [hit.chunk_id for hit in fuse(hits(lexical), hits(vector))]


def test_one_list_alone_keeps_its_order() -> None:
    scores = {"a": 9.0, "b": 5.0, "c": 1.0}
    assert order(scores, {}) == ["a", "b", "c"]
    assert order({}, {"a": 0.9, "b": 0.88, "c": 0.7}) == ["a", "b", "c"]


def test_a_passage_that_both_lists_hold_beats_one_that_leads_neither() -> None:
    assert order({"both": 8.0, "x": 7.0}, {"both": 0.9, "y": 0.89})[0] == "both"


def test_much_lexical_evidence_outweighs_a_flat_vector_list() -> None:
    vector = {f"v{n}": 0.84 - 0.001 * n for n in range(10)}
    assert order({"exact": 60.0, "v5": 5.0}, vector)[0] == "exact"


def test_a_stray_word_does_not_outweigh_a_sharp_vector_list() -> None:
    vector = {"near": 0.95} | {f"v{n}": 0.80 - 0.001 * n for n in range(10)}
    assert order({"stray": 2.0}, vector)[0] == "near"


def test_the_only_lexical_hit_counts() -> None:
    """Nothing else shares a word with the query, which is evidence too."""
    vector = {f"v{n}": 0.84 - 0.001 * n for n in range(10)}
    assert order({"v9": 40.0}, vector)[0] == "v9"


def test_vector_order_does_not_depend_on_the_embedders_scale() -> None:
    wide = {f"v{n}": 0.9 - 0.1 * n for n in range(8)}
    narrow = {name: 0.8 + cosine / 100 for name, cosine in wide.items()}
    lexical = {"v3": 6.0, "v5": 9.0}
    assert order(lexical, wide) == order(lexical, narrow)


def test_what_leads_one_list_clearly_beats_what_is_middling_in_both() -> None:
    """As a sum, `both` would come first."""
    vector = {"sharp": 0.95, "both": 0.88} | {f"v{n}": 0.80 - 0.001 * n for n in range(10)}
    (first, second, *_) = fuse(hits({"both": 12.0}), hits(vector))
    assert (first.chunk_id, second.chunk_id) == ("sharp", "both")
    assert first.lexical + first.vector < second.lexical + second.vector


def test_the_order_does_not_depend_on_how_much_is_asked_for() -> None:
    lexical = {f"c{n}": 40.0 - n / 2 for n in range(60)}
    vector = {f"c{7 * n % 60}": 0.95 - n / 100 for n in range(60)}
    deep, usual = (
        [hit.chunk_id for hit in fuse(hits(lexical)[:depth], hits(vector)[:depth])]
        for depth in (60, DEPTH)
    )
    assert deep[:40] == usual[:40]


def test_each_hit_says_how_high_it_is_in_each_list() -> None:
    (first, *_) = fuse(hits({"a": 8.0, "b": 2.0}), hits({"a": 0.9, "b": 0.8}))
    assert first.score == hypot(first.lexical, first.vector)
    assert (first.lexical_rank, first.vector_rank, first.similarity) == (1, 1, 0.9)


@given(SCORES, COSINES)
def test_nothing_is_lost_and_nothing_invented(
    lexical: dict[str, float], vector: dict[str, float]
) -> None:
    fused = order(lexical, vector)
    assert len(fused) == len(set(fused))
    assert set(fused) == lexical.keys() | vector.keys()


@given(SCORES, COSINES)
def test_fusing_twice_gives_the_same_order(
    lexical: dict[str, float], vector: dict[str, float]
) -> None:
    assert order(lexical, vector) == order(lexical, vector)
