import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.core.code_spans import code_spans
from rag.core.sentences import is_checkable, split_sentences


def sentences(text: str, wrapped: bool = True) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text, wrapped=wrapped)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "未登入會收到 401。[S1]無權限會收到 403。[S2]",
            ["未登入會收到 401。[S1]", "無權限會收到 403。[S2]"],
        ),
        ("Kept 30 days.[S3] Then gone.", ["Kept 30 days.[S3]", "Then gone."]),
        ("Kept 30 days. [S3] Then gone [S1].", ["Kept 30 days. [S3]", "Then gone [S1]."]),
        ("Kept.[S1] [S2][S3] Gone.", ["Kept.[S1] [S2][S3]", "Gone."]),
        ("[S3] Kept 30 days.", ["[S3] Kept 30 days."]),
        ("[S1] A holds. [S2] B holds.", ["[S1] A holds.", "[S2] B holds."]),
        ("[S1] A holds. [S2]", ["[S1] A holds. [S2]"]),
        ("Kept.\n[S3] Gone.", ["Kept.", "[S3] Gone."]),
        ("Kept 30 days.\n\n[S3]", ["Kept 30 days.\n\n[S3]"]),
        ("[S3]\n\nKept 30 days.", ["[S3]\n\nKept 30 days."]),
        ("他說「好。」[S1]再見。", ["他說「好。」[S1]", "再見。"]),
        ("真的？是！[S2]", ["真的？", "是！[S2]"]),
        ('It says "no." [S1] Fine.', ['It says "no." [S1]', "Fine."]),
    ],
)
def test_gives_each_sentence_its_markers(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "It takes 3.5 seconds.",
        "Use v1.2.3 or 10.0.0.1 now.",
        "See https://example.org/a.b?c=d.e#f for more.",
        "Put it in config.toml or .env first.",
        "Use e.g. a file, i.e. one of Dr. Smith vs. none.",
        "Set limits etc. on it.",
        "It opens at 9 a.m. on weekdays.",
        "See No. 5 and Fig. 3 there.",
        "Run `a. B. c` at once.",
        "A wrapped\nsentence goes on.",
        "版本 3.5 與 v1.2.3 都可以。",
        "Node.js and .NET are fine.",
        "x != y!=z holds",
        "-5 degrees is cold.",
        "**Archived** in 2024.",
    ],
)
def test_breaks_no_sentence_in_the_middle(text: str) -> None:
    assert sentences(text) == [text]


def test_lists_headings_and_tables_stand_alone() -> None:
    text = (
        "# Limits\nThere are two:\n- one [S1]\n- two\n1. first\n2. second\n"
        "| a | b |\n|---|---|\n| 1 | 2 |"
    )
    assert sentences(text) == [
        "# Limits",
        "There are two:",
        "one [S1]",
        "two",
        "first",
        "second",
        "| a | b |\n|---|---|",
        "| 1 | 2 |",
    ]
    assert sentences("（一）甲\n（二）乙\n三、丙") == ["甲", "乙", "丙"]


def test_a_line_of_a_document_may_go_on_and_a_line_of_an_answer_stands_alone() -> None:
    text = "備份保留三十天\n還原要四小時[S1]"
    assert sentences(text) == [text]
    assert sentences(text, wrapped=False) == ["備份保留三十天", "還原要四小時[S1]"]
    for text in ("Kept for\nthirty days.", "三十天\n，接下去。", "Kept 30 days.\n[S1]"):
        assert sentences(text, wrapped=False) == [text]


def test_a_capital_before_a_full_stop_need_not_be_an_initial() -> None:
    assert sentences("Use plan B. Then go.") == ["Use plan B.", "Then go."]
    assert sentences("Ask J. R. Smith or George W. Bush.") == ["Ask J. R. Smith or George W. Bush."]
    assert sentences("It is in the U.S. Others are not.") == [
        "It is in the U.S.",
        "Others are not.",
    ]


def test_an_ellipsis_pauses_or_ends() -> None:
    assert sentences("Wait... and see. Well... Done.") == ["Wait... and see.", "Well...", "Done."]


def test_a_line_that_ends_with_its_marker_is_complete() -> None:
    assert sentences("Backups: 30 days [S1]\nRestores: 4 hours [S2]") == [
        "Backups: 30 days [S1]",
        "Restores: 4 hours [S2]",
    ]


def test_a_code_block_is_one_piece() -> None:
    text = "Run this:\n```sh\na. b\n\nc [S1]. d\n```\nThen wait. Done."
    assert sentences(text) == ["Run this:", "```sh\na. b\n\nc [S1]. d\n```", "Then wait.", "Done."]
    assert sentences("Run:\n~~~\na. b") == ["Run:", "~~~\na. b"]


@pytest.mark.parametrize(
    "sentence", ["Backups stay 30 days.", "備份保留 30 天。", "30 days", "| 1 | 2 |", "Yes.", "是"]
)
def test_statements_are_checkable(sentence: str) -> None:
    assert is_checkable(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        *(
            "",
            "...",
            "[S1]",
            "# Limits",
            "**Limits**",
            "There are two:",
            "步驟如下：",
            "Is it? [S1]",
        ),
        *("是嗎？", "```\nx = 1\n```", "| a | b |\n|---|:-:|", "**Steps:**"),
    ],
)
def test_what_states_nothing_is_not_checkable(sentence: str) -> None:
    assert not is_checkable(sentence)


SCRAPS = st.lists(
    st.sampled_from(
        [
            *(
                "a",
                "B",
                "。",
                ".",
                "! ",
                "? ",
                " ",
                "\n",
                "\n\n",
                "[S1]",
                "[S2] ",
                "`",
                "```\n",
                "- ",
            ),
            *("1. ", "e.g.", "」", '"', "| ", "# ", "甲", "3.5", "~~~\n", "…", "(", ")"),
        ]
    ),
    max_size=30,
).map("".join)


@settings(deadline=None)
@given(SCRAPS | st.text())
def test_sentences_cover_every_word_in_order(text: str) -> None:
    spans = split_sentences(text)
    done = 0
    for start, end in spans:
        assert done <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        done = end
    covered = {place for start, end in spans for place in range(start, end)}
    left_out = "".join(char for place, char in enumerate(text) if place not in covered)
    assert "[S" not in left_out
    assert "甲" not in left_out


@settings(deadline=None)
@given(SCRAPS | st.text(alphabet="`~\n a\\"))
def test_code_spans_are_in_order_and_hold_their_signs(text: str) -> None:
    done = 0
    for span in code_spans(text):
        assert done <= span.start < span.end <= len(text)
        assert ("`" in text[span.start : span.end]) or ("~~~" in text[span.start : span.end])
        done = span.end
