"""`rag search-rerank`: both stages side by side, whether reranking is switched on or not."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from rag.cli.console import emit_json, err, out, read_text
from rag.cli.options import (
    AsJson,
    Languages,
    Llm,
    Mode,
    ModelName,
    PathGlobs,
    QueryText,
    Replies,
    search_filter,
)
from rag.cli.search import candidate_json, rerank_json
from rag.cli.session import workspace_of

if TYPE_CHECKING:
    from rag.domain.trace import RerankCall, RerankTrace
    from rag.flows.rerank import Found

_RAW_WIDTH = 400
_SNIPPET = 120


def register(app: typer.Typer) -> None:
    app.command("search-rerank", help="A search with both stages: ranks before and after.")(
        search_rerank
    )


def search_rerank(
    context: typer.Context,
    query: QueryText = None,
    limit: Annotated[int, typer.Option("-k", "--limit", min=1, help="How many to show.")] = 5,
    depth: Annotated[
        int, typer.Option("--candidates", min=1, max=200, help="How many the model orders.")
    ] = 20,
    rerank: Annotated[
        Literal["ids", "scored", "rubric"] | None,
        typer.Option(help="ids unless the settings name another."),
    ] = None,
    mode: Mode = "hybrid",
    path: PathGlobs = None,
    lang: Languages = None,
    llm: Llm = None,
    model: ModelName = None,
    replies: Replies = None,
    as_json: AsJson = False,
) -> None:
    from rag.flows.rerank import search

    text = query if query not in (None, "-") else read_text(None).strip()
    workspace = workspace_of(
        context,
        llm=llm,
        model=model,
        static_replies=replies.absolute() if replies else None,
        rerank=rerank,
    )
    setting = workspace.settings.rerank
    found = search(
        text or "",
        workspace.searcher,
        workspace.open_reranker("ids" if setting == "off" else setting),
        mode=mode,
        limit=limit,
        depth=depth,
        filter=search_filter(path, lang),
    )
    stage = cast("RerankTrace", found.rerank)  # it always runs here
    for line in found.degraded:
        err(f"degraded: {line}", style="yellow")
    if as_json:
        emit_json(
            {
                "query": found.query,
                "knowledge_version": workspace.catalog.knowledge_version(),
                "candidates": _candidates_json(found),
                "degraded": list(found.degraded),
                "rerank": rerank_json(stage),
            }
        )
    else:
        _show_stage(stage)
        _show_candidates(found)


def _candidates_json(found: "Found") -> list[dict[str, Any]]:
    return [
        {
            **candidate_json(candidate),
            "rank_before": candidate.ranks.fused,
            "rank_after": place,
        }
        for place, candidate in enumerate(found.candidates, start=1)
    ]


def _show_candidates(found: "Found") -> None:
    from rag.core.context import place_in_document
    from rag.core.plain import inline, one_line

    if not found.candidates:
        out("nothing found")
    for place, candidate in enumerate(found.candidates, start=1):
        chunk = candidate.chunk
        before = cast("int", candidate.ranks.fused)
        move = "=" if before == place else f"{before - place:+d}"
        title = one_line(place_in_document(chunk.title, chunk.heading))
        out(f"{place:>3}. was {before:>2} ({move})  {title}", style="bold")
        out(f"     {inline(chunk.path)}:{chunk.start_line}-{chunk.end_line}", style="cyan")
        out(f"     {one_line(chunk.text, _SNIPPET)}")
        if candidate.relevance is not None:
            reason = f"  {one_line(candidate.reason)}" if candidate.reason else ""
            out(f"     score {candidate.relevance:.2f}{reason}", style="dim")


def _show_stage(trace: "RerankTrace") -> None:
    out(f"model      {trace.model or '-'}")
    out(f"prompt     {trace.prompt_version or '-'}  ({trace.mode}, {trace.form})")
    for number, call in enumerate(trace.calls, start=1):
        _show_call(number, len(trace.calls), call)
    told = {"ok": "no", "partial": "in part", "fallback": "yes", "skipped": "yes"}[trace.status]
    why = f" ({trace.reason})" if trace.reason else ""
    if trace.status == "skipped":
        why = f" (skipped for {trace.pause_seconds:.0f} s more after failures: {trace.reason})"
    cached = ", from the cache" if trace.cached and trace.calls else ""
    out(f"fallback   {told}{why}", style="yellow" if trace.reason else None)
    out(f"time       {trace.ms:.0f} ms{cached}\n", style="dim")


def _show_call(number: int, total: int, call: "RerankCall") -> None:
    from rag.core.plain import one_line

    label = "returned" if total == 1 else f"returned {number}"
    out(f"{label:<10} {one_line(call.raw, _RAW_WIDTH) if call.raw else '-'}")
    filtered = ", ".join(f"{name} {count}" for name, count in call.counts.items() if count)
    form = "clean" if call.clean else "repaired"
    if call.fallback:
        form = "no reply" if call.raw is None else "refused"
    out(f"{'':<10} {form}{f'; {filtered}' if filtered else ''}", style="dim")
