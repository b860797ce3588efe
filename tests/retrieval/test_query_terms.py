import pytest

from rag.core.query_terms import looked_up, query_terms


# B27
@pytest.mark.parametrize(
    ("query", "used"),
    [
        ("報銷", {"报销"}),
        ("上限", {"上限"}),
        ("卡", {"卡"}),
        ("報銷 X1", {"报销", "x1"}),
        ("上限是多少", {"上限"}),
        ("What is the cap on B2?", {"cap", "b2"}),
    ],
)
def test_no_term_is_dropped_for_being_short(query: str, used: set[str]) -> None:
    assert used <= set(query_terms(query).used)


def test_words_that_only_ask_are_dropped_and_told() -> None:
    terms = query_terms("How long are the backups kept?")
    assert terms.used == ("long", "backup", "kept")
    assert terms.dropped == ("how", "are", "the")
    assert "多少" in query_terms("上限是多少").dropped


def test_a_query_of_asking_words_alone_keeps_them() -> None:
    assert query_terms("what is it?").used == ("what", "is", "it")


def test_a_pasted_page_is_cut_and_says_so() -> None:
    terms = query_terms(" ".join(f"word{n}" for n in range(400)))
    assert len(terms.used) == 128 == len(looked_up(" ".join(terms.used)))
    assert "word399" in terms.dropped
    assert not set(terms.used) & set(terms.dropped)
