"""Evaluation sets as people keep them on disk."""

import json
from pathlib import Path
from typing import Any

import pytest

from rag.datasets import CorpusFolder, load_corpus_file, read_dataset
from rag.domain.errors import LoadError, UsageError


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "tiny"
    root.mkdir()
    write_rows(
        root / "corpus.jsonl",
        [
            {"id": "one/1", "title": "Trains", "text": "Employees travel by train."},
            {"id": "two 2", "title": "", "text": "部門報銷上限為五百元。"},
        ],
    )
    write_rows(
        root / "queries.jsonl",
        [
            {"id": "q1", "text": "How do employees travel?"},
            {"id": "q2", "text": "报销上限", "category": "keyword"},
            {"id": "q3", "text": "unanswerable", "answerable": False},
        ],
    )
    (root / "qrels.tsv").write_text(
        "query-id\tdoc-id\trelevance\nq1\tone/1\t1\nq2\ttwo 2\t2\nq3\tone/1\t0\n", encoding="utf-8"
    )
    return root


def test_a_folder_gives_the_judged_queries(folder: Path) -> None:
    found = read_dataset(folder)
    assert found.name == "tiny"
    assert [query.id for query in found.queries] == ["q1", "q2"]
    assert [query.language for query in found.queries] == ["en", "zh-Hans"]
    assert found.queries[1].category == "keyword"
    assert found.queries[1].relevant == {"two 2": 2}


def test_other_files_may_be_named_as_the_folder_knows_them(folder: Path) -> None:
    write_rows(folder / "queries_zh.jsonl", [{"id": "q1", "text": "員工如何出差？"}])
    found = read_dataset(folder, queries=Path("queries_zh.jsonl"))
    assert [query.text for query in found.queries] == ["員工如何出差？"]
    assert found.corpus == folder / "corpus.jsonl"


def test_questions_over_the_knowledge_are_judged_by_their_documents(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    write_rows(
        file,
        [
            {"id": "a", "text": "How long?", "documents": ["guide.md"], "answerable": True},
            {"id": "b", "text": "Who?", "documents": [], "answerable": False},
        ],
    )
    found = read_dataset(file)
    assert found.corpus is None
    assert [(query.id, query.relevant) for query in found.queries] == [("a", {"guide.md": 1})]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("qrels.tsv", "header\nq1 one 1\n", "line 2"),
        ("queries.jsonl", '{"id": "q1"}\n', "no text"),
        ("queries.jsonl", "not json\n", "line 1"),
        ("queries.jsonl", "[1]\n", "not a JSON object"),
    ],
)
def test_a_broken_line_is_named(folder: Path, name: str, content: str, told: str) -> None:
    (folder / name).write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=told):
        read_dataset(folder)


def test_two_queries_of_one_id_are_refused(folder: Path, tmp_path: Path) -> None:
    questions = tmp_path / "twice.jsonl"
    questions.write_text('{"id": "a", "text": "One?", "documents": ["x.md"]}\n' * 2)
    with pytest.raises(UsageError, match="two queries have the id 'a'"):
        read_dataset(questions)
    queries = (folder / "queries.jsonl").read_text(encoding="utf-8")
    (folder / "queries.jsonl").write_text(queries + queries, encoding="utf-8")
    with pytest.raises(UsageError, match="two queries have the id"):
        read_dataset(folder)


def test_a_missing_set_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        read_dataset(tmp_path / "absent")
    with pytest.raises(UsageError):
        read_dataset(tmp_path)


def test_a_corpus_is_spread_out_without_giving_ids_away(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    corpus = CorpusFolder(folder / "corpus.jsonl", "settings")
    corpus.unpack()
    files = sorted(path.name for path in corpus.documents.iterdir())
    assert files == ["0.json", "1.json"]
    assert [corpus.document_id(name) for name in files] == ["one/1", "two 2"]
    document = load_corpus_file(corpus.documents / "0.json")
    assert (document.text, document.title) == ("Employees travel by train.", "Trains")


def test_content_and_settings_decide_the_cache(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    first = CorpusFolder(folder / "corpus.jsonl", "a").root
    assert CorpusFolder(folder / "corpus.jsonl", "a").root == first
    assert CorpusFolder(folder / "corpus.jsonl", "b").root != first
    write_rows(folder / "corpus.jsonl", [{"id": "x", "text": "y"}])
    assert CorpusFolder(folder / "corpus.jsonl", "a").root != first


def test_a_file_that_is_no_row_cannot_be_loaded(tmp_path: Path) -> None:
    broken = tmp_path / "0.json"
    broken.write_text("{", encoding="utf-8")
    with pytest.raises(LoadError):
        load_corpus_file(broken)
