"""`rag search`: the passages that an answer would be built from."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag.cli.console import emit_json, err, out, read_text
from rag.cli.options import (
    AsJson,
    Languages,
    Mode,
    PathGlobs,
    QueryText,
    Rerank,
    Without,
    search_filter,
)
from rag.cli.session import MOST_RESULTS, workspace_of

if TYPE_CHECKING:
    from rag.domain.retrieval import Candidate
    from rag.domain.trace import RerankTrace

_SNIPPET = 160


def register(app: typer.Typer) -> None:
    app.command("search", help="The best passages for a query, without a model.")(search)


def search(
    context: typer.Context,
    query: QueryText = None,
    limit: Annotated[
        int, typer.Option("-k", "--limit", min=1, max=MOST_RESULTS, help="How many.")
    ] = 10,
    mode: Mode = "hybrid",
    path: PathGlobs = None,
    lang: Languages = None,
    rerank: Rerank = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each feature adds to a score.")
    ] = False,
    without: Without = None,
    as_json: AsJson = False,
) -> None:
    from rag.assistant import Assistant

    text = (query if query not in (None, "-") else read_text(None).strip()) or ""
    workspace = workspace_of(context, rerank=rerank)
    found = Assistant(workspace).search(
        text,
        mode=mode,
        limit=limit,
        filter=search_filter(path, lang),
        without=without or (),
    )
    for line in found.degraded:
        err(f"degraded: {line}", style="yellow")
    if found.rerank is not None and found.rerank.status != "ok":
        err(f"not reranked by the model: {found.rerank.reason}", style="yellow")
    if as_json:
        shape: dict[str, Any] = {
            "query": found.query,
            "knowledge_version": workspace.catalog.knowledge_version(),
            "candidates": [candidate_json(candidate) for candidate in found.candidates],
            "degraded": list(found.degraded),
        }
        stage = {} if found.rerank is None else {"rerank": rerank_json(found.rerank)}
        emit_json(shape | stage)
        return
    if not found.candidates:
        out("nothing found")
    for place, candidate in enumerate(found.candidates, start=1):
        print_candidate(place, candidate, explain)


def rerank_json(trace: "RerankTrace") -> dict[str, Any]:
    """The `rerank` part of the `search-rerank` shape; `raw` is what the model returned, the
    replies of several calls one below the other."""
    replies = [call.raw for call in trace.calls if call.raw is not None]
    return {**trace.model_dump(mode="json"), "raw": "\n".join(replies) if replies else None}


def candidate_json(candidate: "Candidate") -> dict[str, Any]:
    """The `search` shape: the chunk's own fields beside score and ranks."""
    chunk = candidate.chunk.model_dump(mode="json")
    return {
        **chunk,
        "score": candidate.score,
        "similarity": candidate.similarity,
        "ranks": candidate.ranks.model_dump(),
        "parts": dict(candidate.parts),
        "relevance": candidate.relevance,
        "reason": candidate.reason,
    }


def print_candidate(place: int, candidate: "Candidate", explain: bool) -> None:
    from rag.cli.console import console
    from rag.core.context import place_in_document
    from rag.core.plain import inline, one_line

    chunk, ranks = candidate.chunk, candidate.ranks
    where = f"{chunk.path}:{chunk.start_line}-{chunk.end_line}"
    if chunk.page is not None:
        where += f" page {chunk.page}"
    out(f"{place}. {one_line(place_in_document(chunk.title, chunk.heading))}", style="bold")
    out(f"   {inline(where)}", style="cyan")
    out(f"   {one_line(chunk.text, _SNIPPET)}")
    places = f"lexical {ranks.lexical or '-'}  vector {ranks.vector or '-'}"
    if ranks.reranked is not None:  # the score is the first stage's, and no longer the order
        places += f"  was {ranks.fused or '-'}, reranked {ranks.reranked}"
    console().print(f"   score {candidate.score:.4f}  {places}", style="dim")
    if explain:
        parts = "  ".join(f"{name} {value:+.4f}" for name, value in candidate.parts)
        console().print(f"   {parts}", style="dim")
