"""Holds `evals/handbook.jsonl` to the documents that it asks about."""

import importlib
import json
import pkgutil
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import rag.loaders
from rag.core.language import detect_language
from rag.domain.documents import Limits

ROOT = Path(__file__).parents[2]
KNOWLEDGE = ROOT / "knowledge"
FIELDS = {
    "id", "text", "language", "category", "answerable", "documents", "answers",
    "match", "accept", "cross_language", "partial", "absent", "near", "note",
}  # fmt: skip
QUESTIONS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (ROOT / "evals" / "handbook.jsonl").read_text(encoding="utf-8").splitlines()
]
ANSWERABLE = [question for question in QUESTIONS if question["answerable"]]
UNANSWERABLE = [question for question in QUESTIONS if not question["answerable"]]


def by_id(questions: list[dict[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("question", questions, ids=[row["id"] for row in questions])


@cache
def texts() -> dict[str, str]:
    """Document text of every file of the sample knowledge, as the loaders give it."""
    names = [module.name for module in pkgutil.iter_modules(rag.loaders.__path__)]
    modules = [importlib.import_module(f"rag.loaders.{name}") for name in names]
    loaders = {suffix: module.load for module in modules for suffix in module.SUFFIXES}
    files = [
        path
        for path in sorted(KNOWLEDGE.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    ]
    return {
        path.relative_to(KNOWLEDGE).as_posix(): loaders[path.suffix](path, Limits()).text
        for path in files
    }


def test_fields_are_those_described_and_ids_are_unique() -> None:
    assert [row["id"] for row in QUESTIONS if set(row) - FIELDS] == []
    assert len({row["id"] for row in QUESTIONS}) == len(QUESTIONS)
    assert len({row["text"] for row in QUESTIONS}) == len(QUESTIONS)


def test_shares_of_languages_categories_and_unanswerable_questions() -> None:
    total = len(QUESTIONS)
    languages = Counter(row["language"] for row in QUESTIONS)
    categories = Counter(row["category"] for row in QUESTIONS)
    assert total >= 80
    assert set(languages) == {"en", "zh-Hant", "zh-Hans"}
    assert 0.4 <= languages["en"] / total <= 0.6
    assert languages["zh-Hans"] / total >= 0.1
    assert set(categories) == {"identifier", "keyword", "intent", "comparison", "listing"}
    assert min(categories.values()) / total >= 0.1
    assert 0.3 <= len(UNANSWERABLE) / total <= 0.37
    assert sum(row.get("partial", False) for row in QUESTIONS) >= 8


@pytest.mark.parametrize("question", QUESTIONS, ids=[row["id"] for row in QUESTIONS])
def test_question_is_in_the_language_that_it_states(question: dict[str, Any]) -> None:
    assert detect_language(question["text"]) == question["language"]


@by_id(ANSWERABLE)
def test_each_expected_string_stands_in_an_expected_document(question: dict[str, Any]) -> None:
    documents = [texts()[path] for path in question["documents"]]
    assert documents
    assert question["answers"]
    assert [a for a in question["answers"] if not any(a in text for text in documents)] == []


@by_id(ANSWERABLE)
def test_each_expected_document_holds_an_expected_string(question: dict[str, Any]) -> None:
    accepted = [*question["answers"], *question.get("accept", [])]
    assert [
        path
        for path in question["documents"]
        if not any(answer in texts()[path] for answer in accepted)
    ] == []


@by_id(ANSWERABLE)
def test_questions_that_cross_the_language_say_so(question: dict[str, Any]) -> None:
    asked = question["language"].startswith("zh")
    documents = {detect_language(texts()[path]).startswith("zh") for path in question["documents"]}
    assert question.get("cross_language", False) == (documents != {asked})


@by_id(UNANSWERABLE)
def test_terms_of_unanswerable_questions_stand_nowhere(question: dict[str, Any]) -> None:
    assert question["answers"] is None
    assert question["documents"] == []
    assert question["absent"]
    found = [
        (term, path)
        for term in question["absent"]
        for path, text in texts().items()
        if term.casefold() in text.casefold()
    ]
    assert found == []
    assert [path for path in question["near"] if path not in texts()] == []


def test_knowledge_is_half_english_and_half_traditional_chinese() -> None:
    pages = {path: text for path, text in texts().items() if not path.startswith("tools/")}
    languages = Counter(detect_language(text) for text in pages.values())
    assert set(languages) == {"en", "zh-Hant"}
    assert len(pages) >= 25
    assert 0.4 <= languages["en"] / len(pages) <= 0.6


def test_every_document_is_asked_about_or_lies_near_a_question() -> None:
    named = {path for row in QUESTIONS for path in (*row["documents"], *row.get("near", []))}
    support = {"tools/backupctl/__init__.py"}
    assert set(texts()) - named - support == set()


def test_generated_files_are_small() -> None:
    files = [p for p in KNOWLEDGE.rglob("*") if p.suffix in {".pdf", ".docx"}]
    assert len(files) >= 4
    assert [path.name for path in files if path.stat().st_size > 300_000] == []
