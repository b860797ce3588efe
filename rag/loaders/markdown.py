"""Markdown. Front matter stays in the text; the chunker takes the title from it."""

from pathlib import Path

from rag.core.decoding import decode
from rag.domain.documents import Limits, LoadedDocument
from rag.loaders import read_file

SUFFIXES = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"})
VERSION = "1"


def load(path: Path, limits: Limits) -> LoadedDocument:
    """The file's own text. Raises `LoadError`."""
    return LoadedDocument(text=decode(read_file(path, limits)), syntax="markdown")
