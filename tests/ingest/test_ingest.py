"""Which documents a run reads, keeps, forgets and reports."""

import os
from pathlib import Path

import pytest

from rag.domain.documents import Chunk, LoadedDocument
from rag.domain.errors import IndexUnusable, SetupError, UsageError
from rag.domain.retrieval import Filter
from tests.doubles import HashEmbedder
from tests.ingest import workbench
from tests.ingest.workbench import Workbench, keep_times


def reasons(report: object, kind: str = "failed") -> dict[str, str]:
    return {line.path: line.reason for line in getattr(report, kind)}


def test_bad_files_are_reported_and_stop_nothing(bench: Workbench) -> None:  # B01
    bench.write("a.md", "Badge X1 expires in 90 days.")
    (bench.knowledge / "b.txt").write_bytes(b"\xff\xfe\x00\x81\xfd")
    (bench.knowledge / "c.pdf").touch()
    bench.write("d.md", "Room B2 seats 12.")

    report = bench.index()

    assert report.indexed == 2
    assert set(reasons(report)) == {"b.txt", "c.pdf"}
    assert all(reason and "\n" not in reason for reason in reasons(report).values())
    assert bench.found("badge") == ["a.md"]
    assert bench.found("room") == ["d.md"]


def test_whatever_is_raised_over_a_file_fails_that_file_only(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write("a.md", "Alpha.")
    bench.write("b.md", "Beta.")
    cut = workbench.cut

    def fragile(path: str, document: LoadedDocument) -> list[Chunk]:
        if path == "a.md":
            raise RecursionError("too deep\nsecond line")
        return cut(path, document)

    monkeypatch.setattr(workbench, "cut", fragile)
    report = bench.index()
    assert reasons(report) == {"a.md": "RecursionError: too deep second line"}
    assert report.indexed == 1


def test_an_empty_folder_and_an_empty_file_are_fine(bench: Workbench) -> None:  # B20
    report = bench.index()
    assert (report.documents, report.chunks, report.failed) == (0, 0, ())

    bench.write("empty.md", "")
    report = bench.index()
    assert (report.indexed, report.chunks, report.failed) == (1, 0, ())
    assert bench.index().unchanged == 1


def test_a_missing_folder_is_a_setup_error(bench: Workbench) -> None:
    bench.knowledge.rmdir()
    with pytest.raises(SetupError, match="knowledge"):
        bench.index()


def test_nothing_changed_reads_and_embeds_nothing(bench: Workbench) -> None:
    bench.write("a.md", "One.\n\nTwo.")
    first = bench.index()
    bench.loaded.clear()
    bench.embedder.embedded.clear()

    second = bench.index()

    assert (second.indexed, second.unchanged, second.removed) == (0, 1, 0)
    assert bench.loaded == [] and bench.embedder.embedded == []
    assert second.knowledge_version == first.knowledge_version


def test_an_edit_that_keeps_size_and_time_is_seen(bench: Workbench) -> None:  # B21
    file = bench.write("f.md", "Cap is 500.")
    before = bench.index()
    keep_times(file, "Cap is 900.")

    after = bench.index()

    assert after.indexed == 1
    assert after.knowledge_version != before.knowledge_version
    assert bench.found("900") == ["f.md"]
    assert bench.found("500") == []


def test_touching_a_file_changes_nothing(bench: Workbench) -> None:  # B21
    file = bench.write("f.md", "Cap is 500.")
    bench.index()
    bench.embedder.embedded.clear()
    os.utime(file, ns=(1, 2))

    report = bench.index()

    assert (report.indexed, report.unchanged) == (0, 1)
    assert bench.embedder.embedded == []
    with bench.stores() as stores:
        assert stores.catalog.documents()["f.md"].mtime_ns == 2


@pytest.mark.parametrize("what", ["cutting", "loader"])
def test_another_recipe_reads_again_but_embeds_only_what_came_out_new(  # B21
    bench: Workbench, what: str
) -> None:
    bench.write("f.md", "Cap is 500.")
    bench.write("g.txt", "Dogs are welcome.")
    before = bench.index()
    bench.loaded.clear()
    bench.embedder.embedded.clear()
    if what == "cutting":
        bench.cutting = "paragraphs-2"
    else:
        bench.loaders[".md"] = "text-2"

    after = bench.index()

    assert bench.loaded == (["f.md", "g.txt"] if what == "cutting" else ["f.md"])
    assert bench.embedder.embedded == []
    assert after.knowledge_version != before.knowledge_version


def test_unchanged_chunks_of_an_edited_document_keep_id_and_vector(bench: Workbench) -> None:
    file = bench.write("a.md", "First stays.\n\nSecond goes.\n\nThird stays.")
    bench.index()
    with bench.stores() as stores:
        before = {c.text: c.chunk_id for c in stores.catalog.chunks_of("a.md")}
    bench.embedder.embedded.clear()
    file.write_text("New opening.\n\nFirst stays.\n\nThird stays.")

    report = bench.index()

    assert report.embedded == 1 and len(bench.embedder.embedded) == 1
    with bench.stores() as stores:
        after = {c.text: c for c in stores.catalog.chunks_of("a.md")}
        text = stores.catalog.document_text("a.md")
    assert after["First stays."].chunk_id == before["First stays."]
    assert after["Third stays."].chunk_id == before["Third stays."]
    assert text is not None
    assert all(text[c.start : c.end] == c.text for c in after.values())
    bench.require_whole()


def test_a_removed_file_leaves_every_index(bench: Workbench) -> None:
    file = bench.write("a.md", "Secret handshake.")
    bench.write("b.md", "Public greeting.")
    bench.index()
    file.unlink()

    report = bench.index()

    assert (report.removed, report.documents) == (1, 1)
    assert bench.found("handshake") == []
    bench.require_whole()


def test_a_moved_file_is_found_under_its_new_path_without_embedding(bench: Workbench) -> None:
    file = bench.write("a.md", "Parking is free.\n\nOn Sundays too.")
    bench.index()
    bench.embedder.embedded.clear()
    (bench.knowledge / "deep").mkdir()
    file.rename(bench.knowledge / "deep" / "a.md")

    report = bench.index()

    assert (report.indexed, report.removed, report.embedded) == (1, 1, 0)
    assert bench.embedder.embedded == []
    assert bench.found("parking") == ["deep/a.md"]
    bench.require_whole()


def test_a_file_that_became_unreadable_does_not_answer_with_its_old_content(
    bench: Workbench,
) -> None:
    file = bench.write("a.md", "Old fact.")
    bench.index()
    file.write_bytes(b"\xff\xfe\x00\x81\xfd")

    report = bench.index()

    assert set(reasons(report)) == {"a.md"}
    assert report.removed == 0
    assert bench.found("fact") == []
    bench.require_whole()


def test_a_file_that_may_not_be_read_keeps_what_was_indexed(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write("a.md", "Old fact.")
    bench.index()

    def refuse(location: Path, size: int) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("rag.flows.changes.hash_file", refuse)
    report = bench.index()
    assert reasons(report) == {"a.md": "cannot be read: Permission denied"}
    assert bench.found("fact") == ["a.md"]


def test_a_path_narrows_the_run(bench: Workbench) -> None:
    a, b = bench.write("in/a.md", "Alpha one."), bench.write("b.md", "Beta one.")
    gone = bench.write("gone.md", "Gamma.")
    bench.index()
    a.write_text("Alpha two.")
    b.write_text("Beta two.")
    gone.unlink()

    report = bench.index(["in"])

    assert (report.indexed, report.unchanged, report.removed) == (1, 0, 0)
    assert bench.found("alpha two")[0] == "in/a.md"
    assert bench.found("gamma") == ["gone.md"]
    with bench.stores() as stores:
        assert stores.catalog.document_text("b.md") == "Beta one."

    assert bench.index(["gone.md"]).removed == 1
    assert bench.index().indexed == 1
    bench.require_whole()


def test_a_path_that_is_nowhere_is_a_usage_error(bench: Workbench) -> None:
    bench.write("a.md", "Alpha.")
    with pytest.raises(UsageError, match=r"nowhere\.md"):
        bench.index(["nowhere.md"])


def test_rebuild_reads_and_embeds_everything_again(bench: Workbench) -> None:
    bench.write("a.md", "Alpha.")
    first = bench.index()
    bench.embedder.embedded.clear()

    report = bench.index(rebuild=True)

    assert (report.indexed, report.unchanged, report.embedded) == (1, 0, 1)
    assert report.knowledge_version == first.knowledge_version
    bench.require_whole()


@pytest.mark.parametrize("name, dimension", [("hash", 64), ("other", 32)])
def test_another_embedder_is_refused_before_any_write(  # B15
    bench: Workbench, name: str, dimension: int
) -> None:
    bench.write("a.md", "Alpha.")
    bench.index()
    file = bench.write("b.md", "Beta.")
    old = bench.embedder
    bench.embedder = HashEmbedder(dimension, name)

    with pytest.raises(IndexUnusable) as refusal:
        bench.index()
    assert old.identity in refusal.value.message
    assert bench.embedder.identity in refusal.value.message
    assert "rag index --rebuild" in (refusal.value.hint or "")
    with pytest.raises(IndexUnusable):
        bench.index(["b.md"], rebuild=True)
    with bench.stores() as stores, pytest.raises(IndexUnusable, match="embedder"):
        stores.vectors.search([bench.embedder.embed_query("alpha")], 5, Filter())
    assert bench.embedder.embedded == []

    file.unlink()
    bench.embedder, refused = old, bench.embedder
    bench.require_whole()

    bench.embedder = refused
    bench.index(rebuild=True)
    bench.require_whole()


def test_chunks_longer_than_the_embedder_reads_are_refused(bench: Workbench) -> None:  # B60
    bench.write("a.md", "Alpha.")
    bench.embedder.max_tokens = 200
    with pytest.raises(SetupError, match=r"chunk\.size 300"):
        bench.index()


def test_another_process_indexing_is_named(bench: Workbench) -> None:
    from rag.stores.guard import writer_lock

    bench.write("a.md", "Alpha.")
    with writer_lock(bench.index_dir), pytest.raises(IndexUnusable, match="another process"):
        bench.index()
    assert bench.index().indexed == 1


def test_a_full_disk_stops_the_run_with_a_sentence(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:  # B23
    import shutil

    from rag.stores.guard import require_disk_space

    usage = shutil.disk_usage(bench.root)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1_000_000))
    with pytest.raises(SetupError, match="1 MB are free"):
        require_disk_space(bench.root)


def test_another_analyzer_rebuilds_the_lexical_index_but_no_vector(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rag.stores.lexical import LexicalIndex

    bench.write("a.md", "Alpha.")
    bench.index()
    bench.embedder.embedded.clear()
    bench.loaded.clear()
    rebuilt = []
    original = LexicalIndex.rebuild
    monkeypatch.setattr("rag.stores.lexical.LEXICAL_VERSION", "another")
    monkeypatch.setattr(
        LexicalIndex, "rebuild", lambda self, chunks: (rebuilt.append(1), original(self, chunks))
    )
    bench.index()
    bench.index()
    assert rebuilt == [1]
    assert bench.loaded == [] and bench.embedder.embedded == []


def test_another_wording_of_passages_renews_only_the_vectors_it_changes(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write("a.md", "Alpha.\n\nBeta.")
    bench.index()
    bench.embedder.embedded.clear()

    def worded(chunk: object) -> str:
        return "changed" if chunk.text == "Beta." else original(chunk)  # type: ignore[attr-defined]

    from rag.core import passage

    original = passage.passage_hash
    monkeypatch.setattr("rag.flows.ingest.PASSAGE_VERSION", "passage-next")
    monkeypatch.setattr("rag.flows.ingest.passage_hash", worded)
    bench.index()
    assert bench.embedder.embedded == ["Title\nBeta."]


@pytest.mark.parametrize("lost", ["chroma", "lexical"])
def test_an_index_folder_that_was_deleted_is_made_again(bench: Workbench, lost: str) -> None:
    import shutil

    bench.write("a.md", "Alpha.\n\nBeta.")
    bench.index()
    shutil.rmtree(bench.index_dir / lost)

    assert bench.index().indexed == 0
    bench.require_whole()


def test_a_lexical_index_with_damaged_files_is_made_again(bench: Workbench) -> None:
    bench.write("a.md", "Alpha.\n\nBeta.")
    bench.index()
    (bench.index_dir / "lexical" / "meta.json").write_text("{")

    bench.index()
    bench.require_whole()


def test_rebuild_replaces_an_index_that_cannot_be_read(bench: Workbench) -> None:
    bench.write("a.md", "Alpha.")
    bench.index()
    for file in (bench.index_dir / "catalog.sqlite", bench.index_dir / "chroma/chroma.sqlite3"):
        file.write_bytes(b"not a database" * 1000)
    with pytest.raises(IndexUnusable) as refusal:
        bench.index()
    assert "rag index --rebuild" in (refusal.value.hint or "")

    assert bench.index(rebuild=True).indexed == 1
    bench.require_whole()


def test_search_works_before_the_vectors_are_there(bench: Workbench) -> None:
    bench.write("a.md", "Alpha.")
    seen: list[list[str]] = []

    class Watching:
        def __init__(self, embedder: object) -> None:
            self._embedder = embedder

        def embed_passages(self, texts: list[str]) -> object:
            from rag.stores.catalog import Catalog
            from rag.stores.lexical import LexicalIndex

            reader = Catalog.open(bench.index_dir)
            hits = LexicalIndex.open(bench.index_dir).search("alpha", 5, Filter())
            seen.append([chunk.path for chunk in reader.chunks([h.chunk_id for h in hits])])
            assert reader.vectors_pending() == 1
            reader.close()
            return self._embedder.embed_passages(texts)  # type: ignore[attr-defined]

        def __getattr__(self, name: str) -> object:
            return getattr(self._embedder, name)

    bench.index(wrap=lambda name, part: Watching(part) if name == "embedder" else part)
    assert seen == [["a.md"]]


def test_names_that_no_text_can_hold_are_reported(bench: Workbench) -> None:
    bench.write("a.md", "Alpha.")
    try:
        Path(os.fsdecode(os.fsencode(bench.knowledge) + b"/b\xff.md")).write_text("Beta.")
    except OSError:
        pytest.skip("this file system takes no such names")
    report = bench.index()
    assert report.indexed == 1
    assert [line.reason for line in report.failed] == ["file name is not valid UTF-8"]
