from hypothesis import given
from hypothesis import strategies as st

from rag.core.plain import inline, one_line, printable, well_formed


def test_terminal_sequences_vanish_whole_and_words_stay() -> None:
    assert printable("a\x1b[2Jb\x1b]8;;http://x\x1b\\c\x1b[31mred\x1b[0m\u202edrow") == "abcreddrow"
    assert printable("\x1b]0;never ended\nnext line") == "0;never ended\nnext line"


def test_brackets_emoji_names_and_backslashes_are_untouched() -> None:
    text = "items[i], [slug], [/INST], [bold]no[/bold], :warning: C:\\new\\[x] [S1]\ttab\nline"
    assert printable(text) == text


@given(st.text())
def test_nothing_that_moves_a_cursor_is_left(text: str) -> None:
    left = printable(text)
    assert not any(ord(char) < 32 and char not in "\t\n" for char in left)
    assert "\x7f" not in left and "\x9b" not in left


@given(st.text(alphabet=st.characters(categories=["Cs", "L", "N"])))
def test_half_characters_become_replacement_signs(text: str) -> None:
    well_formed(text).encode("utf-8")


def test_one_line_is_cut_with_an_ellipsis() -> None:
    assert one_line("a\n  b\tc", 4) == "a b…"


@given(st.text())
def test_a_part_of_a_line_is_one_line(text: str) -> None:
    assert len(inline(text).splitlines()) <= 1


def test_a_part_of_a_line_keeps_its_blanks() -> None:
    assert inline("two  blanks\nand a\tbreak\u2028.md") == "two  blanks and a break .md"
