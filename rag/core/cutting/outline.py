"""A document's outline, by the syntax it is written in."""

from collections.abc import Callable

from rag.core.cutting.blocks import Outline
from rag.core.cutting.code_outline import outline_code
from rag.core.cutting.markdown_outline import outline_markdown
from rag.core.cutting.rst_outline import outline_rst
from rag.core.cutting.text_outline import outline_text
from rag.domain.documents import LoadedDocument


def outline(document: LoadedDocument, fits: Callable[[str], bool]) -> Outline:
    """Blocks in order; `fits` says whether a text can stay whole in one chunk."""
    if document.syntax == "markdown":
        return outline_markdown(document.text)
    if document.syntax == "rst":
        return outline_rst(document.text)
    if document.syntax == "code":
        return outline_code(document.text, document.code_language, fits)
    return outline_text(document.text, document.page_starts)
