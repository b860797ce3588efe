"""PDF: the text layer page by page, lines put together into paragraphs."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rag.core.pages import join_pages
from rag.domain.documents import Limits, LoadedDocument
from rag.domain.errors import LoadError
from rag.loaders import read_file

if TYPE_CHECKING:
    import pypdfium2

SUFFIXES = frozenset({".pdf"})
VERSION = "1"

# Readers accept some bytes before the header; the PDF specification's own note says 1,024.
_HEADER_WITHIN = 1024
# A whole file ends with `startxref`, an offset and `%%EOF`; some tools append a little after it.
_TRAILER_WITHIN = 2048

_NO_TITLE = re.compile(
    r"^(?:untitled\b|microsoft \w+ - |slide 1$)|\.(?:docx?|pptx?|xlsx?|odt|pdf|tex|dvi|indd|rtf)$",
    re.IGNORECASE,
)

_DAMAGED = ("damaged", "the file is cut off or broken; fetch it again")


def load(path: Path, limits: Limits) -> LoadedDocument:
    """The text of every page and where each page begins.

    Raises:
        LoadError: `encrypted`, `damaged`, `not a PDF`, too many pages, or out of time.
    """
    import pypdfium2

    started = time.monotonic()
    data = read_file(path, limits)
    if b"%PDF-" not in data[:_HEADER_WITHIN]:
        raise LoadError("not a PDF" if data else "empty file")
    if b"startxref" not in data[-_TRAILER_WITHIN:]:
        raise LoadError(*_DAMAGED)  # pdfium would show what is left of it as if it were all
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise LoadError(*_reason(error)) from error
    try:
        if len(document) > limits.max_pages:
            raise LoadError(f"more than {limits.max_pages} pages", "raise max_pages")
        pages = []
        for number in range(len(document)):
            if time.monotonic() - started > limits.timeout:
                raise LoadError(f"not read within {limits.timeout:g} s", "raise file_timeout")
            pages.append(_page_text(document, number))
        title = document.get_metadata_value("Title")
    finally:
        document.close()
    if not any(page.strip() for page in pages):
        raise LoadError("no text layer", "run OCR on it first, for example with ocrmypdf")
    joined = join_pages(pages)
    return LoadedDocument(
        text=joined.text,
        syntax="text",
        title=_title(title),
        page_starts=joined.page_starts,
        warnings=joined.warnings,
    )


def _title(stated: str) -> str | None:
    """The title in the file's properties, unless a program only put a file's name there."""
    title = " ".join(stated.split())
    if _NO_TITLE.search(title):
        return None
    return title or None


def _reason(error: pypdfium2.PdfiumError) -> tuple[str, str]:
    from pypdfium2.raw import FPDF_ERR_PASSWORD

    if error.err_code == FPDF_ERR_PASSWORD:
        return "encrypted", "save it without a password"
    return _DAMAGED


def _page_text(document: pypdfium2.PdfDocument, number: int) -> str:
    import pypdfium2

    try:
        page = document[number]
        text_page = page.get_textpage()
    except pypdfium2.PdfiumError as error:
        raise LoadError("damaged", f"page {number + 1} cannot be read") from error
    try:
        return str(text_page.get_text_range())
    finally:
        text_page.close()
        page.close()
