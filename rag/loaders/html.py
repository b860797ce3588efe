"""HTML pages, converted to Markdown on this machine. What a page refers to is never fetched."""

import re
from pathlib import Path

from rag.core.decoding import decode
from rag.core.markup import html_to_markdown
from rag.domain.documents import Limits, LoadedDocument
from rag.domain.errors import LoadError
from rag.loaders import read_file

SUFFIXES = frozenset({".html", ".htm", ".xhtml"})
VERSION = "1"

# The encoding a page declares for itself, within the first 1,024 bytes as the HTML standard asks.
_DECLARED = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)


def load(path: Path, limits: Limits) -> LoadedDocument:
    """The page as Markdown. Raises `LoadError`."""
    page = html_to_markdown(_decode(read_file(path, limits)))
    return LoadedDocument(text=page.text, syntax="markdown", title=page.title)


def _decode(data: bytes) -> str:
    """As any text; failing that, in the encoding the page names, if every byte agrees with it."""
    try:
        return decode(data)
    except LoadError:
        declared = _DECLARED.search(data[:1024])
        if declared is None:
            raise
        try:
            text = data.decode(declared[1].decode("ascii"))
        except (LookupError, UnicodeDecodeError):
            text = "\0"
        if "\0" in text:
            raise
        return decode(text.encode("utf-8"))
