"""PDF: pages, joined lines, and a reason for each file that cannot be read."""

from pathlib import Path

import pytest
from fpdf import FPDF

from rag.core.chunk import chunk_document
from rag.domain.documents import Limits, LoadedDocument
from rag.domain.errors import LoadError
from rag.loaders import pdf

LIMITS = Limits()


def write(path: Path, pages: list[str], password: str | None = None) -> Path:
    document = FPDF()
    document.set_font("helvetica", size=12)
    if password is not None:
        document.set_encryption(owner_password="owner", user_password=password)
    for page in pages:
        document.add_page()
        document.multi_cell(0, 8, page)
    document.output(str(path))
    return path


def load(path: Path) -> LoadedDocument:
    return pdf.load(path, LIMITS)


def test_pages_begin_where_the_document_says(tmp_path: Path) -> None:
    document = load(write(tmp_path / "a.pdf", ["Alpha is 1.", "Beta is 2.", "Gamma is 3."]))
    places = [document.text.index(word) for word in ("Alpha", "Beta", "Gamma")]
    assert document.page_starts == tuple(places)
    chunks = chunk_document("a.pdf", document, size=320)
    assert [(chunk.text, chunk.page) for chunk in chunks] == [
        ("Alpha is 1.", 1),
        ("Beta is 2.", 2),
        ("Gamma is 3.", 3),
    ]


def test_a_sentence_over_a_page_break_is_whole(tmp_path: Path) -> None:
    pages = ["First one. The refund is paid within", "thirty days of the request. More."]
    document = load(write(tmp_path / "a.pdf", pages))
    chunk = chunk_document("a.pdf", document, size=320)[0]
    assert "The refund is paid within thirty days of the request." in chunk.text
    assert (chunk.page, chunk.end_page) == (1, 2)


def test_wrapped_lines_become_paragraphs(tmp_path: Path) -> None:
    words = "The quick brown fox jumps over the lazy dog. " * 7 + "An end."
    document = load(write(tmp_path / "a.pdf", [f"{words}\n\nShort.\n- one\n- two"]))
    first, *rest = document.text.split("\n")
    assert first == words.strip()
    assert [line for line in rest if line] == ["Short.", "- one", "- two"]


def test_an_empty_page_keeps_the_numbers_right(tmp_path: Path) -> None:
    document = load(write(tmp_path / "a.pdf", ["One.", "", "Three."]))
    chunks = chunk_document("a.pdf", document, size=320)
    assert [(chunk.text, chunk.page) for chunk in chunks] == [("One.", 1), ("Three.", 3)]


@pytest.mark.parametrize(
    ("stated", "title"),
    [("Leave  policy", "Leave policy"), ("Microsoft Word - leave.docx", None), ("", None)],
)
def test_the_title_is_the_stated_one_if_it_is_a_title(
    tmp_path: Path, stated: str, title: str | None
) -> None:
    document = FPDF()
    document.set_title(stated)
    document.set_font("helvetica", size=12)
    document.add_page()
    document.cell(text="Text.")
    document.output(str(tmp_path / "a.pdf"))
    assert load(tmp_path / "a.pdf").title == title


def test_an_empty_user_password_is_no_obstacle(tmp_path: Path) -> None:
    assert load(write(tmp_path / "a.pdf", ["Alpha is 1."], password="")).text == "Alpha is 1."


@pytest.fixture
def sound(tmp_path: Path) -> bytes:
    return write(tmp_path / "sound.pdf", ["Some words on a page."] * 5).read_bytes()


def refusal(path: Path, limits: Limits = LIMITS) -> str:
    with pytest.raises(LoadError) as caught:
        pdf.load(path, limits)
    return caught.value.message


def test_each_unreadable_file_has_its_own_reason(tmp_path: Path, sound: bytes) -> None:
    locked = write(tmp_path / "lock.pdf", ["x"], password="secret")
    assert refusal(locked) == "encrypted"
    cut = tmp_path / "cut.pdf"
    cut.write_bytes(sound[: len(sound) * 6 // 10])
    assert refusal(cut) == "damaged"
    fake = tmp_path / "fake.pdf"
    fake.write_text("only notes")
    assert refusal(fake) == "not a PDF"
    empty = tmp_path / "empty.pdf"
    empty.write_bytes(b"")
    assert refusal(empty) == "empty file"


def test_pages_and_time_are_limited(tmp_path: Path, sound: bytes) -> None:
    path = tmp_path / "sound.pdf"
    assert "pages" in refusal(path, Limits(max_pages=4))
    assert "within" in refusal(path, Limits(timeout=0))


@pytest.mark.parametrize("share", [n / 20 for n in range(1, 20)])
def test_any_broken_file_is_a_reason_not_a_crash(
    tmp_path: Path, sound: bytes, share: float
) -> None:
    path = tmp_path / "broken.pdf"
    place = int(len(sound) * share)
    path.write_bytes(sound[:place] + b"\0\xff garbage" + sound[place + 10 :])
    try:
        document = pdf.load(path, LIMITS)
    except LoadError as error:
        assert "\n" not in error.message
    else:
        assert document.page_starts


def assembled(objects: list[bytes], trailer: bytes = b"") -> bytes:
    """A PDF of numbered objects, the first one its catalog."""
    body = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    table += b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(body)
    return (
        body
        + table
        + b"trailer\n<< /Size %d /Root 1 0 R %s >>\n" % (len(objects) + 1, trailer)
        + b"startxref\n%d\n%%%%EOF\n" % start
    )


@pytest.mark.parametrize(
    ("kids", "trailer"),
    [(b"[2 0 R]", b""), (b"[3 0 R]", b"/Prev 9"), (b"[3 0 R 2 0 R 3 0 R]", b"")],
)
def test_a_file_that_refers_to_itself_ends(tmp_path: Path, kids: bytes, trailer: bytes) -> None:
    path = tmp_path / "loop.pdf"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids " + kids + b" /Count 3 /Parent 2 0 R >>",
        b"<< /Type /Pages /Kids [2 0 R] /Count 1 /Parent 2 0 R >>",
    ]
    path.write_bytes(assembled(objects, trailer))
    assert refusal(path)
