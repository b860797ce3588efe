"""Evaluation sets on disk: folders in the form of BEIR, or questions over a knowledge base."""

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from rag.core.language import detect_language
from rag.domain.documents import LoadedDocument
from rag.domain.errors import LoadError, UsageError
from rag.domain.evaluation import Dataset, EvalQuery

CORPUS_SUFFIX = ".json"
CORPUS_LOADER = "corpus-1"
"""Raise it whenever a row of a corpus would be read otherwise."""

_CORPUS, _QUERIES, _QRELS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"


def read_dataset(
    path: Path,
    *,
    corpus: Path | None = None,
    queries: Path | None = None,
    keep_unanswerable: bool = False,
) -> Dataset:
    """The set at `path`.

    Args:
        keep_unanswerable: keep queries without a relevant document, which no ranking can be held
            to, but a refusal can.
        path: a folder with `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`, or a questions file.
        corpus, queries: other files than the folder's, for sets in parallel languages; found in the
            folder as well as from the current one.

    Raises:
        UsageError: a file is missing or a line of it cannot be read.
    """
    if path.is_file():
        questions = _each_once(_questions(path, keep_unanswerable))
        return Dataset(name=path.stem, queries=tuple(questions))
    if not path.is_dir():
        raise UsageError(f"there is no dataset {path}", "name a folder or a .jsonl of questions")
    judged = _judgements(path / _QRELS)
    rows = _rows(_beside(path, queries, _QUERIES))
    return Dataset(
        name=path.resolve().name,
        queries=tuple(
            _each_once(
                _query(number, row, judged.get(str(row["id"]), {}))
                for number, row in rows
                if keep_unanswerable or str(row.get("id")) in judged
            )
        ),
        corpus=_beside(path, corpus, _CORPUS),
    )


class CorpusFolder:
    """A corpus spread out as files that can be indexed like a knowledge folder. Files are named by
    number: a document id would be searched as part of the path, and give the answer away."""

    def __init__(self, corpus: Path, settings_key: str) -> None:
        """`settings_key` is whatever else decides the index; another key is another folder."""
        self._corpus = corpus
        digest = hashlib.sha256(corpus.read_bytes())
        digest.update(f"\0{CORPUS_LOADER}\0{settings_key}".encode())
        self.root = cache_folder() / "datasets" / f"{corpus.stem}-{digest.hexdigest()[:16]}"
        self._ids: list[str] | None = None

    @property
    def documents(self) -> Path:
        return self.root / "documents"

    def unpack(self) -> None:
        """Writes the files once; a run that was cut off is done again."""
        done = self.root / "unpacked"
        if done.is_file():
            return
        self.documents.mkdir(parents=True, exist_ok=True)
        for place, row in enumerate(self._read()):
            target = self.documents / f"{place}{CORPUS_SUFFIX}"
            target.write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
        done.touch()

    def document_id(self, path: str) -> str:
        """From the path of an indexed file back to the id of its row."""
        if self._ids is None:
            self._ids = [str(row["id"]) for row in self._read()]
        return self._ids[int(path.removesuffix(CORPUS_SUFFIX))]

    def _read(self) -> Iterator[dict[str, Any]]:
        for number, row in _rows(self._corpus):
            if "id" not in row or not isinstance(row.get("text"), str):
                raise _bad_line(self._corpus, number, "a row needs id and text")
            yield row


def load_corpus_file(path: Path) -> LoadedDocument:
    """A `LoadDocument` for the files of a `CorpusFolder`."""
    try:
        row = json.loads(path.read_bytes())
        # No title at all would become the file's name.
        return LoadedDocument(text=row["text"], syntax="text", title=row.get("title") or " ")
    except (OSError, ValueError, KeyError) as error:
        raise LoadError(f"no row of a corpus: {error}") from error


def cache_folder() -> Path:
    """Where this system keeps what can be made again."""
    if root := os.environ.get("XDG_CACHE_HOME"):
        return Path(root) / "citebound"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "citebound" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "citebound"
    return Path.home() / ".cache" / "citebound"


def _questions(path: Path, keep_unanswerable: bool) -> Iterator[EvalQuery]:
    for number, row in _rows(path):
        documents = row.get("documents") or []
        if not isinstance(documents, list):
            raise _bad_line(path, number, "documents must be a list of paths")
        if keep_unanswerable or (documents and row.get("answerable", True)):
            yield _query(number, row, {str(document): 1 for document in documents})


def _each_once(queries: Iterable[EvalQuery]) -> Iterator[EvalQuery]:
    """Results are kept by the id of the query: two with one id would count as one."""
    seen: set[str] = set()
    for query in queries:
        if query.id in seen:
            raise UsageError(f"two queries have the id {query.id!r}", "give each its own")
        seen.add(query.id)
        yield query


def _query(number: int, row: dict[str, Any], relevant: dict[str, int]) -> EvalQuery:
    text = row.get("text")
    if not isinstance(text, str) or not any(char.isalnum() for char in text):
        raise UsageError(f"query {number} has no text", 'each line needs "id" and "text"')
    return EvalQuery(
        id=str(row.get("id", number)),
        text=text,
        language=row.get("language") or detect_language(text),
        category=row.get("category"),
        relevant=relevant,
        answerable=bool(row.get("answerable", relevant)),
        answers=(*(row.get("answers") or ()), *(row.get("accept") or ())),
        every_answer=row.get("match") == "all" and not row.get("accept"),
    )


def _judgements(path: Path) -> dict[str, dict[str, int]]:
    """Relevant documents by query, from lines of query, document, relevance below a header."""
    judged: dict[str, dict[str, int]] = {}
    for number, line in enumerate(_text(path).splitlines()[1:], start=2):
        if not line.strip():
            continue
        try:
            query, document, relevance = line.split("\t")
            if int(relevance) > 0:
                judged.setdefault(query, {})[document] = int(relevance)
        except ValueError as error:
            raise _bad_line(path, number, "expected: query, document, relevance") from error
    return judged


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise _bad_line(path, number, "it is not JSON") from error
        if not isinstance(row, dict):
            raise _bad_line(path, number, "it is not a JSON object")
        yield number, row


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "check the path") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text", "save it as UTF-8") from error


def _beside(folder: Path, named: Path | None, usual: str) -> Path:
    chosen = named or Path(usual)
    return folder / chosen if named is None or not named.is_file() else chosen


def _bad_line(path: Path, number: int, why: str) -> UsageError:
    return UsageError(f"{path.name}, line {number}: {why}", "mend the line")
