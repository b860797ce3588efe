"""Options that several commands share, each said once, so that they mean the same everywhere."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

if TYPE_CHECKING:
    from rag.domain.retrieval import Filter

SearchMode = Literal["hybrid", "lexical", "vector"]
"""`rag.domain.retrieval.Mode` again: importing it would load pydantic for `rag --help`."""

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

QueryText = Annotated[
    str | None, typer.Argument(help="The query; standard input when missing or '-'.")
]
Mode = Annotated[SearchMode, typer.Option(help="How to search.")]
PathGlobs = Annotated[
    list[str] | None, typer.Option(help="Only documents that match this glob; repeatable.")
]
Languages = Annotated[
    list[str] | None, typer.Option(help="Only passages in en, zh-Hant or zh-Hans; repeatable.")
]

Without = Annotated[
    list[str] | None,
    typer.Option(help="Leave this part of the score out, to see what it contributes; repeatable."),
]

Llm = Annotated[str | None, typer.Option(help="auto, ollama, extractive or static.")]
ModelName = Annotated[str | None, typer.Option(help="The model's name, for ollama.")]
Replies = Annotated[
    Path | None, typer.Option(help="File of replies, for static.", show_default=False)
]
Rerank = Annotated[
    Literal["off", "ids", "scored", "rubric"] | None,
    typer.Option(help="Let the model order the passages first."),
]

DatasetPath = Annotated[
    Path,
    typer.Argument(
        help="A folder with corpus.jsonl, queries.jsonl and qrels.tsv, or a .jsonl of questions"
        " over the indexed knowledge."
    ),
]
Corpus = Annotated[Path | None, typer.Option(help="Another corpus than the folder's corpus.jsonl.")]
Queries = Annotated[
    Path | None, typer.Option(help="Other queries than the folder's queries.jsonl.")
]
Baseline = Annotated[Path | None, typer.Option(help="Compare with a result that --save kept.")]
FailBelow = Annotated[
    float | None,
    typer.Option(min=0.0, help="With --baseline: end with 4 when a metric fell by more than this."),
]


def search_filter(path: list[str] | None, lang: list[str] | None) -> "Filter":
    """What `PathGlobs` and `Languages` leave of the index; a language that no passage can be in is
    refused."""
    from rag.domain.documents import Language
    from rag.domain.errors import UsageError
    from rag.domain.retrieval import Filter

    languages = get_args(Language)
    if unknown := [name for name in lang or () if name not in languages]:
        raise UsageError(f"no language {unknown[0]!r}", f"there are: {', '.join(languages)}")
    return Filter(paths=tuple(path or ()), languages=tuple(lang or ()))
