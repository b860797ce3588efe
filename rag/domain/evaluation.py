"""Questions whose right documents are known."""

from pathlib import Path

from rag.domain.base import Value


class EvalQuery(Value):
    """A question and the documents that answer it. `relevant`: document id to relevance; empty
    where nothing does."""

    id: str
    text: str
    language: str
    category: str | None = None
    relevant: dict[str, int]
    answerable: bool = True
    answers: tuple[str, ...] = ()
    """Strings that a right answer holds: any of them, or each with `every_answer`."""
    every_answer: bool = False


class Dataset(Value):
    """Queries with their judgements. `corpus` is None for questions over the indexed knowledge."""

    name: str
    queries: tuple[EvalQuery, ...]
    corpus: Path | None = None
