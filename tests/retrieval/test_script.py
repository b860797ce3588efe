"""Traditional and Simplified Chinese as one, for search."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
