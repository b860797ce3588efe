import pytest

from rag.core.support.names import Mentions


@pytest.mark.parametrize(
    ("flat", "name"),
    [
        ("the united states of america", "usa"),
        ("the department of energy", "doe"),
        ("a read-only file system", "rofs"),
        ("a central processing unit", "cpu"),
        ("frequently asked questions", "faq"),
        ("managers are asked first", "manager"),
        ("the managers are asked first", "managing"),
        ("the office in 台北 and nowhere else", "台北"),
    ],
)
def test_a_text_mentions_a_word_in_any_form_and_what_an_acronym_is_short_for(
    flat: str, name: str
) -> None:
    assert Mentions(flat).has(name)


@pytest.mark.parametrize(
    ("flat", "name"),
    [
        ("united. states. there the two were. america", "uta"),
        ("a unit that is central for processing", "cpu"),
        ("united ----- states", "us"),
        ("frequently asked", "faq"),
        ("", "faq"),
        ("no such word", "x"),
    ],
)
def test_words_apart_or_out_of_order_are_no_long_form(flat: str, name: str) -> None:
    assert not Mentions(flat).has(name)
