"""Lines of pages put together as a reader would."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.pages import join_pages


@pytest.mark.parametrize(
    ("pages", "text"),
    [
        (["One line that is\nwrapped here and\nends."], "One line that is wrapped here and ends."),
        (["An exam-\nple of it."], "An example of it."),
        (["An exam\ufffe\nple of it."], "An example of it."),
        (
            ["員工須於離職前七日交\n還門禁卡並辦理手續完\n畢。"],
            "員工須於離職前七日交還門禁卡並辦理手續完畢。",
        ),
        (["A title\n\nA paragraph of text."], "A title\n\nA paragraph of text."),
        (["One.\r\n", "Two."], "One.\n\nTwo."),
        (["It is paid within", "thirty days."], "It is paid within thirty days."),
        (["員工須於離職前", "七日交還。"], "員工須於離職前七日交還。"),
        (["Items of the list:\n1. first\n2. second"], "Items of the list:\n1. first\n2. second"),
    ],
)
def test_lines_are_joined_as_they_read(pages: list[str], text: str) -> None:
    assert join_pages(pages).text == text


@given(st.lists(st.text(st.sampled_from("ab -.。年\n\r "), max_size=40), max_size=6))
def test_page_starts_are_in_order_and_no_letter_is_lost(pages: list[str]) -> None:
    joined = join_pages(pages)
    assert len(joined.page_starts) == len(pages)
    assert list(joined.page_starts) == sorted(joined.page_starts)
    assert all(0 <= start <= len(joined.text) for start in joined.page_starts)
    letters = [char for char in "".join(pages) if char.isalpha()]
    assert [char for char in joined.text if char.isalpha()] == letters
    for page, start in zip(pages, joined.page_starts, strict=True):
        first = page.strip()[:1]
        assert not first.isalpha() or joined.text[start:].lstrip().startswith(first)
