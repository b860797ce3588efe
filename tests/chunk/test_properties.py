"""Claims about the chunks of any document whatever, and of two real trees."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.core.chunk import chunk_document
from rag.domain.documents import LoadedDocument
from tests.chunk.soundness import assert_sound

WORDS = [
    "limit",
    "10",
    "年假十四天。",
    "emoji 👩‍👩‍👧",
    "é",
    "`code`",
    "a_b",
    "x" * 70,
    "，",
    "第二；",
]
LINES = [
    "",
    "",
    "# Heading",
    "## Sub heading",
    "Title\n=====",
    "~~~~\nTop\n~~~~",
    "---",
    "```python",
    "```",
    "    indented",
    "- item",
    "  1. nested",
    "> quote",
    "| a | b |",
    "|---|---|",
    "| 1 | 2 |",
    "+---+---+",
    "| c | d |",
    "+===+===+",
    "=== ===",
    ".. note:: x",
    ".. _target:",
    ".. code-block:: c",
    "   body",
    "literal::",
    "<!-- comment -->",
    "<div>",
    "[ref]: http://x",
    "def f(x):",
    "class A:",
    "    def m(self):",
    "        return 1",
    "# comment",
    "key: value",
    "\t\u3000 \u00a0",
]
line = st.one_of(
    st.sampled_from(LINES), st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
)
structured = st.builds(
    lambda lines, end: end.join(lines),
    st.lists(line, max_size=40),
    st.sampled_from(["\n", "\n", "\r\n"]),
)
texts = st.one_of(structured, st.text(max_size=300), st.text("\n\r ab。#=-|`:.", max_size=200))
documents = st.one_of(
    st.builds(LoadedDocument, text=texts, syntax=st.sampled_from(["markdown", "rst", "text"])),
    st.builds(
        LoadedDocument,
        text=texts,
        syntax=st.just("code"),
        code_language=st.sampled_from(["python", "go", "cpp", "typescript", "bash", "yaml", None]),
    ),
)


@settings(max_examples=150, deadline=None)
@given(documents, st.integers(4, 60), st.floats(0, 0.9))
def test_any_document_is_cut_soundly(document: LoadedDocument, size: int, share: float) -> None:
    overlap = int(size * share)
    chunks = chunk_document("a/b.md", document, size=size, overlap=overlap)
    assert_sound(document, chunks, size=size, overlap=overlap)


@settings(max_examples=60, deadline=None)
@given(documents, st.lists(st.integers(0, 400), max_size=5))
def test_pages_never_decrease(document: LoadedDocument, cuts: list[int]) -> None:
    starts = (0, *sorted(min(cut, len(document.text)) for cut in cuts))
    paged = document.model_copy(update={"page_starts": starts, "syntax": "text"})
    chunks = chunk_document("a.pdf", paged, size=20)
    assert_sound(paged, chunks, size=20)
    pages = [page for chunk in chunks for page in (chunk.page, chunk.end_page)]
    assert pages == sorted(pages)  # type: ignore[type-var]
    assert all(1 <= page <= len(starts) for page in pages if page is not None)


@settings(max_examples=60, deadline=None)
@given(documents)
def test_the_same_document_gives_the_same_chunks(document: LoadedDocument) -> None:
    assert chunk_document("a", document, size=30) == chunk_document("a", document, size=30)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["👩‍👩‍👧‍👦", "e\u0301", "🇩🇪", "각", "क्षि", "👍🏽"]), min_size=30))
def test_no_cut_inside_what_a_person_sees_as_one_character(clusters: list[str]) -> None:
    document = LoadedDocument(text="a" + "".join(clusters), syntax="text")
    ends = {1}
    for cluster in clusters:
        ends.add(max(ends) + len(cluster))
    for chunk in chunk_document("a", document, size=32):
        assert chunk.end in ends


@pytest.mark.shared
@pytest.mark.parametrize(
    ("tree", "overlap"),
    [("docs_python", 0), ("docs_dolphinscheduler", 0), ("docs_dolphinscheduler", 40)],
)
def test_real_trees_are_cut_soundly(shared: Path, tree: str, overlap: int) -> None:
    root = shared / "data" / tree
    paths = sorted(p for p in root.rglob("*") if p.suffix in (".md", ".rst"))
    for path in paths:
        syntax = "rst" if path.suffix == ".rst" else "markdown"
        document = LoadedDocument.model_validate(
            {"text": path.read_text(encoding="utf-8"), "syntax": syntax}
        )
        chunks = chunk_document(path.name, document, size=200, overlap=overlap)
        assert_sound(document, chunks, size=200, overlap=overlap)
        assert overlap or all(not _is_heading_only(document, chunk.text) for chunk in chunks[:-1])


def _is_heading_only(document: LoadedDocument, text: str) -> bool:
    """Whether a Markdown passage is one ATX heading and nothing else."""
    return document.syntax == "markdown" and text.startswith("#") and "\n" not in text
