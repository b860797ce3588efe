"""Word documents (.docx): checked as an archive first, then converted to Markdown.

Page headers come first and page footers last, each said once; both are part of the text.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from rag.core.markup import html_to_markdown
from rag.domain.documents import Limits, LoadedDocument
from rag.domain.errors import LoadError
from rag.loaders import read_file

if TYPE_CHECKING:
    from lxml import etree

SUFFIXES = frozenset({".docx"})
VERSION = "1"

# A long report with a picture on each page has some hundreds of parts; an archive of tens of
# thousands is an attack on whoever lists it.
_MAX_ENTRIES = 5_000

# The converter builds several trees of Python objects. Paragraphs without any markup, the worst
# case, take 80 bytes of memory and 5 us for each byte of XML: this bounds them to 400 MB and half a
# minute. Word writes about 10 kB a page.
_MAX_XML_BYTES = 5_000_000

_BLOCK = 1 << 16
_OLE_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DOCTYPE = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_DAMAGED = (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, ValueError, OSError)

# Besides the converter's own: the document's title is its first heading.
_STYLES = "p[style-name='Title'] => h1:fresh"

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def load(path: Path, limits: Limits) -> LoadedDocument:
    """The document as Markdown, tables in place. Raises `LoadError`."""
    data = read_file(path, limits)
    parts = _unpack(data, limits)
    if "word/document.xml" not in parts:
        raise LoadError("not a Word document", "the archive has no word/document.xml")
    body = html_to_markdown(_to_html(parts)).text
    header = _running_text(parts, "header")
    footer = _running_text(parts, "footer")
    return LoadedDocument(
        text="\n\n".join(part for part in (header, body, footer) if part),
        syntax="markdown",
        title=_title(parts),
    )


def _unpack(data: bytes, limits: Limits) -> dict[str, bytes]:
    """The XML parts by name. Counts the bytes that really come out, whatever the archive says."""
    if data.startswith(_OLE_FILE):
        raise LoadError("encrypted or an old .doc", "save it as .docx without a password")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _read_parts(archive, limits)
    except (*_DAMAGED, RuntimeError) as error:  # RuntimeError: an entry has a password
        if isinstance(error, RuntimeError) and not isinstance(error, NotImplementedError):
            raise LoadError("encrypted", "save it without a password") from error
        reason = "damaged" if data.startswith(b"PK") else "not a Word document"
        raise LoadError(reason if data else "empty file") from error


def _read_parts(archive: zipfile.ZipFile, limits: Limits) -> dict[str, bytes]:
    entries = archive.infolist()
    if len(entries) > _MAX_ENTRIES:
        raise LoadError(f"more than {_MAX_ENTRIES} parts in the archive")
    parts: dict[str, bytes] = {}
    total = xml = 0
    for entry in entries:
        is_xml = entry.filename.endswith((".xml", ".rels"))
        content = bytearray()
        with archive.open(entry) as stream:
            while block := stream.read(_BLOCK):
                total += len(block)
                if is_xml:
                    xml += len(block)
                    content += block
                if total > limits.max_bytes or xml > _MAX_XML_BYTES:
                    raise LoadError("expands to more than the size limit")
        if is_xml:
            parts[entry.filename] = bytes(content)
            _refuse_entities(parts[entry.filename])
    return parts


def _refuse_entities(xml: bytes) -> None:
    """Word never writes a document type; one is there to expand entities or to fetch something."""
    plain = xml.replace(b"\0", b"")  # the same letters in UTF-16
    if _DOCTYPE.search(plain):
        raise LoadError("contains a document type or entities")


def _to_html(parts: dict[str, bytes]) -> str:
    """HTML of the body. Pictures never reach the converter: only the XML parts are handed over."""
    import mammoth
    from markitdown.converter_utils.docx.pre_process import pre_process_docx

    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as target:
        for name, content in parts.items():
            target.writestr(name, content)
    try:
        html: str = mammoth.convert_to_html(
            pre_process_docx(archive),
            style_map=_STYLES,
            convert_image=mammoth.images.img_element(lambda image: {}),
            include_embedded_style_map=False,
        ).value
    except RecursionError as error:
        raise LoadError("elements nested too deep") from error
    except Exception as error:  # the converter has no exceptions of its own for bad documents
        raise LoadError("damaged") from error
    return html


def _running_text(parts: dict[str, bytes], kind: str) -> str:
    """Text of the page headers or footers, one paragraph each, none twice."""
    found: dict[str, None] = {}
    for name in sorted(parts):
        if re.fullmatch(rf"word/{kind}\d*\.xml", name):
            for paragraph in _parse(parts[name]).iter(f"{_WORD}p"):
                words = (
                    element.text or "" if element.tag == f"{_WORD}t" else " "
                    for element in paragraph.iter(f"{_WORD}t", f"{_WORD}tab", f"{_WORD}br")
                )
                found[" ".join("".join(words).split())] = None
    found.pop("", None)
    return "\n\n".join(found)


def _title(parts: dict[str, bytes]) -> str | None:
    if "docProps/core.xml" not in parts:
        return None
    title = _parse(parts["docProps/core.xml"]).findtext("{http://purl.org/dc/elements/1.1/}title")
    return " ".join(title.split()) or None if title else None


def _parse(xml: bytes) -> etree._Element:
    from lxml import etree

    try:
        return etree.fromstring(xml, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError as error:
        raise LoadError("damaged") from error
