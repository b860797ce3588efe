from hypothesis import given
from hypothesis import strategies as st

from rag.core.rewrite import SIGN, protect, restore

HOSTILE = st.text(
    alphabet=st.sampled_from(list(f"[]［］【】()^\\ \u200bSsＳｓ0123９³<>|/{SIGN}abINSTthinkim_")),
    max_size=60,
)


@given(st.text() | HOSTILE)
def test_restoring_what_was_protected_gives_the_text_back(text: str) -> None:
    assert restore(protect(text)) == text


@given(
    HOSTILE,
    st.sampled_from(["[S1]", "【S2】", "［Ｓ３］", "[ s4 ]", "[^S5]", "\\[S6\\]", "[[S7]]"]),
)
def test_no_marker_survives_in_the_models_copy(around: str, marker: str) -> None:
    from rag.core.markers import scan_markers

    assert not list(scan_markers(protect(f"{around} {marker} {around}")))


def test_chat_template_tokens_are_broken_and_ordinary_brackets_are_not() -> None:
    for token in ("<|im_start|>", "</think>", "[INST]", "<<SYS>>", "<start_of_turn>", "</s>"):
        assert token not in protect(f"a {token} b")
    for plain in ("list[i] < 3 | x > 2", "[see S1 below]", "<b>bold</b>", "{answer} {{x}}", "[1]"):
        assert protect(plain) == plain
