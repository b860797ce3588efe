from hypothesis import given
from hypothesis import strategies as st

from rag.core.fold import fold_script


def test_folds_both_scripts_and_variants_to_one() -> None:
    assert fold_script("臺灣備份檔案") == fold_script("台湾备份档案")
    assert fold_script("衞說裏綫看著") == fold_script("卫说里线看着")
    assert fold_script("什麼") == fold_script("什么")


@given(st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0xFFFF)))
def test_folding_keeps_length_and_is_idempotent(text: str) -> None:
    folded = fold_script(text)
    assert len(folded) == len(text)
    assert fold_script(folded) == folded
