"""reStructuredText: sections by any adornment, directives and tables kept whole."""

from rag.core.chunk import chunk_document
from rag.domain.documents import Chunk, LoadedDocument
from tests.chunk.soundness import assert_sound


def rst(text: str, size: int = 320) -> list[Chunk]:
    document = LoadedDocument(text=text, syntax="rst")
    chunks = chunk_document("a.rst", document, size=size)
    assert_sound(document, chunks, size=size)
    return chunks


def test_levels_follow_the_order_of_adornments() -> None:
    chunks = rst(
        "****\nBook\n****\n\nIntro.\n\nPart\n~~~~\n\nText.\n\nChapter\n^^^^^^^\n\nMore.\n\n"
        "Other\n~~~~~\n\nEnd.\n"
    )
    assert [chunk.heading for chunk in chunks] == [
        ("Book",),
        ("Book", "Part"),
        ("Book", "Part", "Chapter"),
        ("Book", "Other"),
    ]


def test_a_chinese_title_is_as_wide_as_its_underline() -> None:
    (chunk,) = rst("安裝\n====\n\n文字。\n")
    assert chunk.heading == ("安裝",)


def test_roles_stay_in_the_text_and_leave_the_heading() -> None:
    (chunk,) = rst(":mod:`!os` --- Interfaces\n=========================\n\nSee :func:`os.open`.\n")
    assert chunk.heading == ("os --- Interfaces",)
    assert ":func:`os.open`" in chunk.text


def test_a_signature_goes_with_its_description() -> None:
    chunks = rst(
        "Mod\n===\n\n" + "Some text that fills it. " * 8 + "\n\n.. function:: open(path)\n\n"
        "   Opens a file for reading.\n",
        size=60,
    )
    (chunk,) = [chunk for chunk in chunks if "function::" in chunk.text]
    assert "Opens a file" in chunk.text


def test_a_literal_block_that_fits_is_not_cut() -> None:
    code = "   a = 1\n\n   b = 2\n\n   c = 3"
    chunks = rst("Words before. " * 20 + f"Example::\n\n{code}\n\n" + "Words. " * 30, size=50)
    assert sum(code.strip() in chunk.text for chunk in chunks) == 1


def test_rows_of_a_simple_table_carry_its_header() -> None:
    rows = "".join(f"G{n:02}    {n % 30:<5} {n}00\n" for n in range(1, 60))
    rule = "===== ===== =====\n"
    chunks = rst(f"Grades\n======\n\n{rule}Grade Days  Cap\n{rule}{rows}{rule}\nEnd.\n", size=100)
    assert len(chunks) > 3
    assert all("Grade Days Cap" in chunk.context for chunk in chunks[1:-1])


def test_rows_of_a_grid_table_are_not_cut() -> None:
    rule = "+-----+-----+\n"
    head = "+=====+=====+\n"
    rows = "".join(f"| r{n:02} | v{n:02} |\n|     | more|\n{rule}" for n in range(1, 30))
    chunks = rst(f"{rule}| Key | Val |\n{head}{rows}\n", size=100)
    assert len(chunks) > 2
    assert all("| Key | Val |" in chunk.context for chunk in chunks[1:])
    for chunk in chunks:
        assert chunk.text.count("| more|") == chunk.text.count("| r")


def test_rows_of_a_list_table_carry_its_header() -> None:
    rows = "".join(f"   * - G{n:02}\n     - {n}00\n" for n in range(1, 60))
    table = f".. list-table::\n   :header-rows: 1\n\n   * - Grade\n     - Cap\n{rows}"
    chunks = rst(f"T\n==\n\n{table}\nEnd.\n", size=100)
    assert len(chunks) > 3
    assert all("* - Grade - Cap" in chunk.context for chunk in chunks[1:-1])
    assert all(chunk.text.startswith("   * - G") for chunk in chunks[1:-1])
