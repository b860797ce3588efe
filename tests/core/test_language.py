import pytest

from rag.core.language import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How long are backups kept?", "en"),
        ("備份保留三十天", "zh-Hant"),
        ("备份保留三十天", "zh-Hans"),
        ("QE-052 是什么故障？", "zh-Hans"),
        ("QE-052 是什麼故障？", "zh-Hant"),
        ("出差到台北市住宿一晚上限是多少？", "zh-Hant"),
        ("高雄办公室有哪些会议室？", "zh-Hans"),
        ("公里", "zh-Hant"),
        ("Use `arr[0]` and read 說明 in the long English page about arrays and lists", "en"),
        ("", "en"),
    ],
)
def test_a_text_is_told_by_its_script(text: str, language: str) -> None:
    assert detect_language(text) == language
