"""Documents and the passages cut from them. All offsets index the document text."""

from typing import Literal

from rag.domain.base import Value

Language = Literal["en", "zh-Hant", "zh-Hans"]
Syntax = Literal["markdown", "rst", "text", "code"]


class Limits(Value):
    """How much of one file is read before it is refused. Every loader keeps all of them."""

    max_bytes: int = 50_000_000
    """Of the file, and of everything unpacked from it."""
    max_pages: int = 2000
    timeout: float = 60.0
    """Seconds."""


class LoadedDocument(Value):
    """What a loader makes of one file.

    `text` is the document text: Unicode, LF line ends, no BOM. For text, Markdown, reST and code
    it is the file's own text; for HTML, Word and PDF the converted text.
    """

    text: str
    syntax: Syntax
    title: str | None = None
    """The document's own title where the format states one; otherwise the chunker finds it."""
    code_language: str | None = None
    """The grammar's name, such as `python`, when `syntax` is `code`."""
    page_starts: tuple[int, ...] = ()
    """Offset where each page begins, first page first; empty where the format has no pages."""
    warnings: tuple[str, ...] = ()
    """What was lost on the way, one line each: `3 undecodable bytes replaced`."""


class Flag(Value):
    """Text in a document that addresses the model. Recorded and shown, never removed."""

    kind: str
    """`instruction`, `role`, `control_token`, `hidden` or `bidi`."""
    quote: str
    start: int
    end: int
    where: Literal["text", "title", "path"] = "text"
    """What `start` and `end` index: the document text, or its title or path as a whole."""


class Chunk(Value):
    """A passage: `document_text[start:end] == text`, always.

    `chunk_id` hashes path, context, text and how many equal ones came before, so a passage that
    did not change keeps its id (and its vector) when the document around it does.
    """

    chunk_id: str
    path: str
    """Relative to the knowledge folder, `/` on every platform."""
    title: str
    heading: tuple[str, ...] = ()
    ordinal: int
    """0-based position among the document's chunks."""
    start: int
    end: int
    start_line: int
    """1-based, of the first character."""
    end_line: int
    """1-based, of the last character."""
    page: int | None = None
    """1-based page of the first character; None where the format has no pages."""
    end_page: int | None = None
    text: str
    context: str = ""
    """Heading path, table header or symbol: searched and shown to the model, never quoted."""
    language: Language
    symbol: str | None = None
    """Qualified name of the definition that a code chunk belongs to, such as `Client.send`."""
    node_kind: str | None = None
    """`function`, `class`, `method`, `import`, `constant`, `module` or another kind of code."""
    flags: tuple[Flag, ...] = ()


class Document(Value):
    """One file of the knowledge base as the catalog knows it."""

    path: str
    title: str
    content_hash: str
    """sha256 of the file's bytes."""
    size: int
    """Bytes."""
    mtime_ns: int
    language: Language
    syntax: Syntax
    chunk_count: int
    warnings: tuple[str, ...] = ()
