"""The wiring: what opening and indexing a workspace promise."""

from pathlib import Path

import pytest

from rag.assistant import Assistant
from rag.domain.errors import IndexUnusable, SetupError


def test_a_missing_knowledge_folder_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="no folder knowledge"):
        Assistant.open(tmp_path).workspace.index()
    assert list(tmp_path.iterdir()) == []


def test_an_index_of_another_embedder_is_refused_before_a_search_mixes_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "knowledge").mkdir()
    (tmp_path / "knowledge" / "a.md").write_text("The cap is 500.")
    Assistant.open(tmp_path).workspace.index()
    monkeypatch.setattr("rag.embedders._e5.graph.PRECISION", "another")

    changed = Assistant.open(tmp_path)
    for question in (changed.search, lambda text: changed.ask(text)):
        with pytest.raises(IndexUnusable, match="another") as caught:
            question("What is the cap?")
        assert "rag index --rebuild" in (caught.value.hint or "")
    with pytest.raises(IndexUnusable):
        changed.workspace.index()
    assert changed.search("cap", mode="lexical").candidates

    assert changed.workspace.index(rebuild=True).indexed == 1
    assert Assistant.open(tmp_path).search("What is the cap?").candidates


def test_a_rebuild_of_one_path_keeps_the_other_documents(tmp_path: Path) -> None:
    (tmp_path / "knowledge").mkdir()
    (tmp_path / "knowledge" / "a.md").write_text("The cap is 500.")
    (tmp_path / "knowledge" / "b.md").write_text("Room B2 seats 12.")
    workspace = Assistant.open(tmp_path).workspace
    workspace.index()
    assert workspace.index(["a.md"], rebuild=True).indexed == 1
    assert set(Assistant.open(tmp_path).workspace.catalog.documents()) == {"a.md", "b.md"}


def test_a_model_named_to_rank_does_so_also_where_answers_are_quoted(tmp_path: Path) -> None:
    quoting = Assistant.open(tmp_path, llm="extractive", rerank_model="ranker").workspace
    assert quoting.rerank_model is not quoting.model
    assert quoting.rerank_form == "object"
    bare = Assistant.open(tmp_path, llm="extractive").workspace
    assert bare.rerank_model is bare.model
    assert bare.rerank_form == "array"
