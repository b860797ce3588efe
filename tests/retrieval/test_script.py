"""Traditional and Simplified Chinese as one, for search."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.fold import fold_script
from rag.core.script import is_traditional, one_script, readings, simplify
from rag.core.vocabulary import MAINLAND


@pytest.mark.parametrize(
    ("traditional", "simplified"),
    [
        ("這個檔案", "这个文件"),
        ("應用程式", "应用程序"),
        ("資料庫連線", "数据库连接"),
        ("自訂的預設回應", "自定义的默认响应"),
        ("執行緒的序列化與查詢", "线程的序列化与查询"),
    ],
)
def test_regional_words_become_one(traditional: str, simplified: str) -> None:
    assert simplify(traditional) == simplified


def test_the_table_of_regional_words_leads_from_one_script_to_the_other() -> None:
    assert len(MAINLAND) > 50
    for taiwan, mainland in MAINLAND.items():
        assert simplify(f"這個{taiwan}") == f"这个{mainland}"
        assert simplify(mainland) == mainland


@pytest.mark.parametrize(
    ("traditional", "simplified"),
    [
        ("路線上的車站，線上的會議", "路线上的车站，在线的会议"),
        ("租約符合約定，簽了合約", "租约符合约定，签了合同"),
        ("進行程式碼審查，另一行程式", "进行代码审查，另一行程序"),
        ("確實作好這個實作", "确实作好这个实现"),
        ("個人資料與法人資格", "个人数据与法人资格"),
        ("請回應該員的回應", "请回应该员的响应"),
        ("恢復原狀，復原檔案", "恢复原状，恢复文件"),
        ("產品質量與品質管理", "产品质量与质量管理"),
        ("推進階段與進階功能", "推进阶段与高级功能"),
    ],
)
def test_characters_that_only_meet_are_no_word(traditional: str, simplified: str) -> None:
    assert simplify(traditional) == simplified


@pytest.mark.parametrize("shared", ["作業程序", "績效指標", "核心價值", "序列"])
def test_words_of_both_sides_stay(shared: str) -> None:
    assert simplify(f"這個{shared}") == f"这个{fold_script(shared)}"


def test_a_word_in_a_longer_one_is_the_same_word() -> None:
    """Else a question about 例外處理 would not find what is written about a 例外."""
    assert simplify("例外處理") == simplify("例外") + simplify("處理")


def test_simplified_text_is_left_alone() -> None:
    """Converted again, 文件 (a file) would become 文档 (a document)."""
    text = "应用程序的数据文件，默认在这个目录。"
    assert not is_traditional(text)
    assert simplify(text) == text


def test_one_traditional_name_does_not_make_a_text_traditional() -> None:
    text = "这个项目由臺灣的团队维护，应用程序的数据文件默认在这个目录。"
    assert simplify(text) == text
    assert "台湾" in one_script(text)


def test_a_telling_text_has_one_reading_and_another_two() -> None:
    assert len(readings("檔案")) == 1
    assert len(readings("压缩文件")) == 1
    assert readings("文件") == ("文件", "文档")
    assert readings("hello") == ("hello",)


@given(st.text())
def test_any_text_is_taken(text: str) -> None:
    assert simplify(text) in readings(text)
    assert isinstance(one_script(text), str)
