"""HTML: the page's text as Markdown, nothing run or fetched."""

import socket
from pathlib import Path

import pytest

from rag.core.chunk import chunk_document
from rag.domain.documents import Limits, LoadedDocument
from rag.domain.errors import LoadError
from rag.loaders import html

LIMITS = Limits()


def load(folder: Path, page: str | bytes) -> LoadedDocument:
    path = folder / "page.html"
    path.write_bytes(page.encode() if isinstance(page, str) else page)
    return html.load(path, LIMITS)


def test_structure_is_kept_as_markdown(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        "<html><head><title>Fees &amp; cards</title></head><body><h1>Fees</h1><p>See <b>below</b>."
        "<table><tr><th>Card<th>Fee<tr><td>Gold<td>300</table>"
        "<pre><code>x = 1\ny = 2</code></pre><ul><li>a<li>b</ul></body></html>",
    )
    assert document.title == "Fees & cards"
    assert document.text == (
        "# Fees\n\nSee **below**.\n\n| Card | Fee |\n| --- | --- |\n| Gold | 300 |\n\n"
        "```\nx = 1\ny = 2\n```\n\n* a\n* b"
    )
    (chunk,) = chunk_document("page.html", document, size=320)
    assert (chunk.title, chunk.heading) == ("Fees & cards", ("Fees",))


def test_scripts_styles_and_comments_are_no_text(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        "<body><script>alert(1)</script><style>p{}</style><!-- note -->"
        "<noscript></noscript><svg><text>drawn</text></svg><p>Shown.</p></body>",
    )
    assert document.text == "Shown."


def test_nothing_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    page = (
        '<!DOCTYPE html SYSTEM "http://example.invalid/x.dtd"><head>'
        '<link rel=stylesheet href="http://example.invalid/a.css"><base href="http://example.invalid">'
        '</head><body><img src="http://example.invalid/a.png" alt="plan">'
        '<iframe src="http://example.invalid"></iframe><p>Text.'
    )
    assert "Text." in load(tmp_path, page).text


def test_cells_that_span_rows_and_columns_keep_their_place(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        "<table><tr><th>A<th>B<th>C<tr><td rowspan=2>tall<td colspan=2>wide<tr><td>1<td>2"
        "<tr><td colspan=9999999>x</table>",
    )
    rows = document.text.splitlines()
    assert rows[2] == "| tall | wide |  |"
    assert rows[3] == "|  | 1 | 2 |"


def test_unclosed_paragraphs_are_not_deep(tmp_path: Path) -> None:
    document = load(tmp_path, "<body>" + "<p>Text." * 3000 + "<ul>" + "<li>x" * 3000)
    assert document.text.count("Text.") == 3000


@pytest.mark.parametrize("tag", ["div", "blockquote", "ul><li", "table><tr><td", "b", "span"])
def test_deep_nesting_is_refused_or_read_but_never_a_crash(tmp_path: Path, tag: str) -> None:
    for depth in (60, 190, 100_000):
        page = f"<{tag}>" * depth + "bottom"
        try:
            assert "bottom" in load(tmp_path, page).text
        except LoadError as error:
            assert "nested" in error.message


def test_a_page_in_its_declared_encoding_is_read(tmp_path: Path) -> None:
    page = '<meta charset="iso-8859-1"><p>Café à la crème'.encode("latin-1")
    assert load(tmp_path, page).text == "Café à la crème"


def test_an_empty_page_is_an_empty_document(tmp_path: Path) -> None:
    assert load(tmp_path, "").text == ""
    assert load(tmp_path, "<!-- only a comment -->").text == ""
