"""The catalog: versions, several processes, and the note of what the indexes still owe."""

import sqlite3
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.domain.documents import Chunk, Document, Flag
from rag.domain.errors import IndexUnusable
from rag.domain.index import IndexedDocument, IndexState
from rag.stores.catalog import CATALOG_FILE, Catalog


def entry(path: str, *texts: str, passages: tuple[str, ...] | None = None) -> IndexedDocument:
    chunks = tuple(
        Chunk(
            chunk_id=f"{path}#{text}",
            path=path,
            title="標題",
            ordinal=number,
            start=0,
            end=len(text),
            start_line=1,
            end_line=1,
            text=text,
            language="zh-Hant",
            flags=(Flag(kind="role", quote="x", start=0, end=1),),
        )
        for number, text in enumerate(texts)
    )
    document = Document(
        path=path,
        title="標題",
        content_hash="0" * 64,
        size=1,
        mtime_ns=1,
        language="zh-Hant",
        syntax="markdown",
        chunk_count=len(chunks),
    )
    return IndexedDocument(
        document=document,
        text="\n".join(texts),
        recipe="r1",
        chunks=chunks,
        passages=passages or tuple(f"passage of {text}" for text in texts),
    )


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    made = Catalog.create(tmp_path)
    yield made
    made.close()


def test_gives_back_what_was_put(catalog: Catalog) -> None:
    given_entry = entry("a.md", "報銷", "上限")
    catalog.put([given_entry])
    assert catalog.documents() == {"a.md": given_entry.document}
    assert catalog.document_text("a.md") == "報銷\n上限"
    assert tuple(catalog.chunks_of("a.md")) == given_entry.chunks
    assert list(catalog.all_chunks()) == list(given_entry.chunks)
    assert catalog.chunks(["unknown", "a.md#上限", "a.md#報銷"]) == [*given_entry.chunks[::-1]]
    assert catalog.document_text("b.md") is None


def test_a_missing_catalog_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusable) as refusal:
        Catalog.open(tmp_path)
    assert "rag index" in (refusal.value.hint or "")
    assert not (tmp_path / CATALOG_FILE).exists()


@pytest.mark.parametrize("version, word", [(0, "older"), (99, "newer")])
def test_another_schema_version_is_refused_with_a_word_and_the_command(
    tmp_path: Path, version: int, word: str
) -> None:
    Catalog.create(tmp_path).close()
    connection = sqlite3.connect(tmp_path / CATALOG_FILE)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    for opening in (Catalog.open, Catalog.create):
        with pytest.raises(IndexUnusable, match=word) as refusal:
            opening(tmp_path)
        assert "rag index --rebuild" in (refusal.value.hint or "")
    Catalog.create(tmp_path, rebuild=True).close()
    Catalog.open(tmp_path).close()


def test_a_first_run_killed_before_its_schema_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / CATALOG_FILE).touch()
    Catalog.create(tmp_path).close()


def test_a_failing_entry_leaves_none_of_its_batch(catalog: Catalog) -> None:
    twice = entry("b.md", "same", "same")
    with pytest.raises(IndexUnusable):
        catalog.put([entry("a.md", "x"), twice])
    assert catalog.documents() == {}
    assert catalog.lexical_outbox() == []


def test_removing_a_document_removes_its_chunks(catalog: Catalog) -> None:
    catalog.put([entry("a.md", "x"), entry("b.md", "y")])
    catalog.remove(["a.md"])
    assert catalog.chunk_count() == 1
    assert catalog.chunks(["a.md#x"]) == []


def test_many_thousand_ids_are_no_problem(catalog: Catalog) -> None:  # B19
    texts = [f"t{n}" for n in range(40_000)]
    catalog.put([entry("big.md", *texts)])
    ids = [f"big.md#{text}" for text in texts]
    assert len(catalog.chunks(ids)) == 40_000
    assert len(catalog.vector_donors([f"passage of {text}" for text in texts])) == 0
    catalog.vectors_done(ids)
    assert len(catalog.vector_donors([f"passage of {text}" for text in texts])) == 40_000
    catalog.vectors_present(ids[1:])
    assert catalog.vectors_pending() == 1
    catalog.remove(["big.md"])
    assert catalog.vectors_due() == 40_000


def test_a_reader_sees_whole_batches_while_another_process_writes(tmp_path: Path) -> None:
    Catalog.create(tmp_path).close()
    child = """
        import sys
        from pathlib import Path
        from rag.stores.catalog import Catalog
        from tests.stores.test_catalog import entry
        catalog = Catalog.create(Path(sys.argv[1]))
        for round in range(40):
            catalog.put([entry(f"d{n}.md", f"{round} x", f"{round} y") for n in range(20)])
    """
    reader = Catalog.open(tmp_path)
    writer = subprocess.Popen([sys.executable, "-c", textwrap.dedent(child), str(tmp_path)])
    versions = set()
    while writer.poll() is None:
        assert reader.chunk_count() in (0, 40)
        rounds = {chunk.text.split()[0] for chunk in reader.chunks_of("d3.md")}
        assert len(rounds) <= 1
        versions.add(reader.knowledge_version())
    assert writer.returncode == 0
    assert reader.chunk_count() == 40
    reader.close()


def test_one_catalog_serves_several_threads(catalog: Catalog) -> None:
    catalog.put([entry("a.md", *(f"t{n}" for n in range(200)))])
    ids = [f"a.md#t{n}" for n in range(200)]
    results: list[int] = []
    threads = [
        threading.Thread(target=lambda: results.append(len(catalog.chunks(ids)))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [200] * 8


def test_languages_are_those_of_the_documents_there_now(catalog: Catalog) -> None:
    assert catalog.languages() == frozenset()
    english = entry("b.md", "two")
    document = english.document.model_copy(update={"language": "en"})
    catalog.put([entry("a.md", "one"), english.model_copy(update={"document": document})])
    assert catalog.languages() == {"zh-Hant", "en"}
    catalog.remove(["b.md"])
    assert catalog.languages() == {"zh-Hant"}


def test_the_knowledge_version_follows_content_recipe_path_and_embedder(catalog: Catalog) -> None:
    seen = [catalog.knowledge_version()]

    def changed() -> bool:
        seen.append(catalog.knowledge_version())
        return seen.count(seen[-1]) == 1

    first = entry("a.md", "x")
    catalog.put([first])
    assert changed()
    catalog.put([first.model_copy(update={"recipe": "r2"})])
    assert changed()
    document = first.document.model_copy(update={"content_hash": "1" * 64})
    catalog.put([first.model_copy(update={"document": document})])
    assert changed()
    catalog.set_state(IndexState(embedder="E2", dimension=3, lexical="l", passage="p"))
    assert changed()
    catalog.put([entry("b.md", "x")])
    assert changed()
    catalog.touch({"b.md": (5, 6)})
    assert not changed()
    assert all(version.startswith("kb-") and len(version) == 15 for version in seen)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b"]),
            st.dictionaries(st.sampled_from("uvwxyz"), st.sampled_from("123"), max_size=4),
            st.sampled_from(["nothing", "cut off", "all"]),
        ),
        max_size=8,
    )
)
def test_working_off_the_outbox_always_gives_the_vectors_of_the_catalog(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[str, dict[str, str], str]]
) -> None:
    """`held` is a model of the vector index: chunk id to passage. Donors must hold what they lend,
    also after a run that was cut off between writing a vector and noting it."""
    catalog = Catalog.create(tmp_path_factory.mktemp("catalog"))
    held: dict[str, str] = {}

    def work_off(how: str) -> None:
        for pending in catalog.vectors_to_write(100):
            donors = catalog.vector_donors([pending.passage])
            assert all(held[donor] == passage for passage, donor in donors.items())
            key = pending.chunk.chunk_id
            catalog.vectors_begun([key])
            held[key] = pending.passage
            if how == "cut off":
                return
            catalog.vectors_done([key])
        gone = catalog.vectors_to_drop(100)
        for key in gone:
            held.pop(key, None)
        catalog.vectors_done(gone)

    for path, content, how in changes:
        if content:
            catalog.put([entry(path, *content, passages=tuple(content.values()))])
        else:
            catalog.remove([path])
        if how != "nothing":
            work_off(how)
    work_off("all")
    assert held == dict(catalog._all("SELECT chunk_id, passage FROM chunks"))
    assert catalog.vectors_due() == 0
    catalog.close()
