"""reStructuredText. Roles and directives stay as they are written."""

from pathlib import Path

from rag.core.decoding import decode
from rag.domain.documents import Limits, LoadedDocument
from rag.loaders import read_file

SUFFIXES = frozenset({".rst", ".rest"})
VERSION = "1"


def load(path: Path, limits: Limits) -> LoadedDocument:
    """The file's own text. Raises `LoadError`."""
    return LoadedDocument(text=decode(read_file(path, limits)), syntax="rst")
