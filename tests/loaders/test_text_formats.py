"""Text files: read exactly or refused with a reason."""

from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.chunk import chunk_document
from rag.core.decoding import decode
from rag.domain.documents import Limits
from rag.domain.errors import LoadError
from rag.loaders import code, html, markdown, pdf, rst, text, word

LIMITS = Limits()
LOADERS = (code, html, markdown, pdf, rst, text, word)


def write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_every_suffix_belongs_to_one_loader() -> None:
    suffixes = [suffix for loader in LOADERS for suffix in loader.SUFFIXES]
    assert len(suffixes) == len(set(suffixes))
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in suffixes)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_utf_files_are_read_whatever_their_mark(tmp_path: Path, encoding: str) -> None:
    original = "# 假期\nLeave is 14 days. 年假十四天"
    document = markdown.load(write(tmp_path, "leave.md", original.encode(encoding)), LIMITS)
    assert document.text == original


def test_a_byte_order_mark_does_not_hide_a_heading(tmp_path: Path) -> None:
    document = markdown.load(
        write(tmp_path, "bom.md", "# 報銷\n\n文字".encode("utf-8-sig")), LIMITS
    )
    (chunk,) = chunk_document("bom.md", document, size=320)
    assert chunk.heading == ("報銷",)


@pytest.mark.parametrize(
    ("encoding", "original"),
    [
        ("big5", "員工須於離職前七日交還門禁卡，並完成離職手續。\n請洽人事部。"),
        ("gb18030", "员工须于离职前七日交还门禁卡，并完成离职手续。\n请联系人事部。"),
    ],
)
def test_older_chinese_encodings_are_read_when_certain(
    tmp_path: Path, encoding: str, original: str
) -> None:
    document = text.load(write(tmp_path, "old.txt", original.encode(encoding)), LIMITS)
    assert document.text == original


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe\x00\x81\xfd",  # half a character behind a UTF-16 mark
        "naïve café".encode("latin-1"),
        b"text\x00with a zero",
        bytes(range(256)),
        b"\x01\x02\x03\x04 binary",
        "こんにちは、世界。".encode("shift_jis"),
    ],
)
def test_what_is_no_text_for_certain_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(LoadError) as caught:
        text.load(write(tmp_path, "b.txt", data), LIMITS)
    assert caught.value.message
    assert "\n" not in caught.value.message


def test_line_ends_become_lf(tmp_path: Path) -> None:
    document = text.load(write(tmp_path, "a.txt", b"one\r\ntwo\rthree\n"), LIMITS)
    assert document.text == "one\ntwo\nthree\n"


@given(st.binary(max_size=200))
def test_any_bytes_are_a_text_or_a_reason(data: bytes) -> None:
    try:
        decoded = decode(data)
    except LoadError:
        return
    assert "\r" not in decoded
    assert "\0" not in decoded
    assert not decoded.startswith("\ufeff") or data.startswith(b"\xef\xbb\xbf" * 2)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_any_utf8_text_is_read_as_it_is(original: str) -> None:
    assert decode(original.encode("utf-8-sig")) == original


@pytest.mark.parametrize("loader", LOADERS)
def test_a_file_over_the_limit_is_refused(tmp_path: Path, loader: ModuleType) -> None:
    path = write(tmp_path, "big" + min(loader.SUFFIXES), b"a" * 1001)
    with pytest.raises(LoadError, match="larger than"):
        loader.load(path, Limits(max_bytes=1000))


@pytest.mark.parametrize("loader", LOADERS)
def test_what_is_no_file_is_refused(tmp_path: Path, loader: ModuleType) -> None:
    with pytest.raises(LoadError, match="no such file"):
        loader.load(tmp_path / f"none{min(loader.SUFFIXES)}", LIMITS)
    with pytest.raises(LoadError, match="not a regular file"):
        loader.load(tmp_path, LIMITS)


def test_source_code_keeps_its_language(tmp_path: Path) -> None:
    document = code.load(write(tmp_path, "a.PY", b"x = 1\n"), LIMITS)
    assert (document.syntax, document.code_language) == ("code", "python")
