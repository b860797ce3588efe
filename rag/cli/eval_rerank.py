"""`rag eval rerank`: is the second stage worth its time, on these questions, with this model?"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rag.cli.console import emit_json, err, out
from rag.cli.eval import corpus_workspace, group, read_saved, tell_unknown, write_file
from rag.cli.options import (
    AsJson,
    Baseline,
    Corpus,
    DatasetPath,
    FailBelow,
    Mode,
    ModelName,
    Queries,
    Replies,
)
from rag.cli.session import settings_of

if TYPE_CHECKING:
    from rag.core.metrics import Difference
    from rag.domain.evaluation import EvalQuery

# Candidates per query: passages of one document share a place, so more than the deepest metric.
_DEPTH = 50
# Each call of an evaluation is to be measured, not skipped after a few that failed.
_NEVER = 1_000_000
_STYLES = {"worth it": "bold green", "not worth it": "bold yellow"}


def register(app: typer.Typer) -> None:
    group.command("rerank", help="Is reranking worth its time?")(rerank)


def rerank(
    context: typer.Context,
    dataset: DatasetPath,
    corpus: Corpus = None,
    queries: Queries = None,
    rerank: Annotated[
        Literal["ids", "scored", "rubric"], typer.Option(help="How the model is asked.")
    ] = "ids",
    form: Annotated[
        Literal["array", "object", "both"],
        typer.Option(help="Output as a plain list, as an object under a schema, or both compared."),
    ] = "both",
    depth: Annotated[
        int, typer.Option("--candidates", min=2, max=_DEPTH, help="How many the model orders.")
    ] = 20,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only so many of the questions, evenly spread.")
    ] = None,
    mode: Mode = "hybrid",
    llm: Annotated[str | None, typer.Option(help="auto, ollama or static.")] = None,
    model: ModelName = None,
    replies: Replies = None,
    reverse_too: Annotated[
        bool,
        typer.Option(
            "--reversed",
            help="Show each list in reverse as well: how much does the order received decide?",
        ),
    ] = False,
    timeout: Annotated[float | None, typer.Option(help="Seconds for one call.")] = None,
    save: Annotated[
        Path | None,
        typer.Option(help="Keep the result, and a picture of it beside it, as SVG."),
    ] = None,
    chart: Annotated[
        Path | None, typer.Option(help="Draw the result into this .png or .svg file.")
    ] = None,
    baseline: Baseline = None,
    fail_below: FailBelow = None,
    as_json: AsJson = False,
) -> int:
    from rag.cli import EXIT_REGRESSION
    from rag.cli.index import progress_bar
    from rag.datasets import read_dataset
    from rag.domain.errors import UsageError
    from rag.flows.evaluate import compare, regressions
    from rag.flows.evaluate_rerank import first_stage, report, second_stage
    from rag.wire import Workspace

    if fail_below is not None and baseline is None:
        raise UsageError("--fail-below needs something to fall below", "add --baseline FILE")
    before = read_saved(baseline) if baseline else None
    chosen = read_dataset(dataset, corpus=corpus, queries=queries)
    settings = settings_of(
        context,
        llm=llm,
        model=model,
        static_replies=replies.absolute() if replies else None,
        rerank_timeout=timeout,
    )
    ranking = Workspace(settings, notify=err)
    searching, document_of = ranking, _path_itself
    if chosen.corpus is not None:
        searching, folder = corpus_workspace(settings, chosen.corpus)
        document_of = folder.document_id
    tell_unknown(chosen.queries, map(document_of, searching.catalog.paths()))
    usual = ranking.rerank_form
    forms = [usual, "array" if usual == "object" else "object"] if form == "both" else [form]
    with progress_bar() as progress:
        candidates = first_stage(
            _spread(chosen.queries, limit),
            lambda text: searching.searcher.search(text, mode=mode, limit=_DEPTH),
            document_of,
            depth,
            progress,
        )
        results = [
            second_stage(
                candidates,
                ranking.open_reranker(rerank, cached=False, form=name, patience=_NEVER),
                document_of,
                name,
                progress,
                reverse_too=reverse_too,
            )
            for name in forms
        ]
    told = {
        "rerank": rerank,
        "model": str(ranking.rerank_model.identity),
        "candidates": depth,
        "search": mode,
        "timeout": settings.rerank_timeout,
    }
    result = report(chosen.name, candidates, results, told)
    measured = results[0].reranked
    changes = compare(before, measured) if before else {}
    fallen = regressions(changes, fail_below) if fail_below is not None else []
    if changes:
        result["baseline"] = {name: change.model_dump() for name, change in changes.items()}
        result["regressions"] = fallen
    if save:
        kept = {**result, "per_query": measured}
        write_file(save, json.dumps(kept, ensure_ascii=False, indent=1) + "\n")
    for picture in filter(None, (save.with_suffix(".svg") if save else None, chart)):
        from rag.cli.rerank_chart import draw

        draw(result, picture)
    if as_json:
        emit_json(result)
    else:
        _print(result, changes)
    for name in fallen:
        err(f"regression: {name} fell by {-changes[name].value:.3f}", style="bold red")
    return EXIT_REGRESSION if fallen else 0


def _path_itself(path: str) -> str:
    """Questions over the knowledge name their documents by path."""
    return path


def _spread(queries: "Sequence[EvalQuery]", limit: int | None) -> "Sequence[EvalQuery]":
    """At most `limit` queries from the whole length of the set: sets are often sorted by kind."""
    if limit is None or limit >= len(queries):
        return queries
    return [queries[place * len(queries) // limit] for place in range(limit)]


def _print(result: dict[str, Any], changes: "dict[str, Difference]") -> None:
    from rag.flows.evaluate_rerank import DECIDING

    settings = result["settings"]
    out(f"{result['dataset']}  {result['n']} queries, best {settings['candidates']} reranked")
    out(f"{settings['model']}  ({settings['rerank']})")
    out(f"\n  {'':<14}{'first stage':>12}{'reranked':>12}{'gain':>9}  {'95 %':<18}{'ideal':>7}")
    for form, told in result["forms"].items():
        out(f"{form}", style="bold")
        for name, gain in told["gain"].items():
            interval = f"[{gain['low']:+.3f}, {gain['high']:+.3f}]"
            ideal = result["ideal"][name]["value"]
            out(
                f"  {name:<14}{gain['before']:>12.3f}{gain['after']:>12.3f}"
                f"{gain['value']:>+9.3f}  {interval:<18}{ideal:>7.3f}"
            )
        _print_replies(told)
        _print_verdicts(told)
    if (second := result["second_form"]) is not None:
        gain = second["gain"][DECIDING]
        out(
            f"\n{second['form']} against {second['against']}: {DECIDING} {gain['value']:+.3f} "
            f"[{gain['low']:+.3f}, {gain['high']:+.3f}]",
            style="bold",
        )
    misses = result["near_misses"]
    out(f"\nfound in the top 5 but not first: {len(misses)}", style="bold")
    for miss in misses:
        moved = f"{miss['before']} -> {miss['after']}"
        out(f"  {moved:<8} {miss['id']}  {miss['text']}")
    for name, change in changes.items():
        out(f"since the baseline, {name}: {change.value:+.3f}")


def _print_replies(told: dict[str, Any]) -> None:
    replies, added = told["replies"], told["added_ms"]
    names = ("clean", "repaired", "fallback", "malformed", "unchanged")
    shares = "  ".join(f"{name} {replies[name]:.0%}" for name in names)
    why = ", ".join(f"{reason} {count}" for reason, count in replies["reasons"].items())
    out(f"  replies       {shares}{f'  ({why})' if why else ''}")
    if (order := told["order"]) is not None:
        tau = order["tau"]
        out(
            f"  order         tau {tau['value']:+.2f} [{tau['low']:+.2f}, {tau['high']:+.2f}], "
            f"n={order['n']}: 1 when the order received does not matter, -1 when only that does"
        )
    out(f"  added time    p50 {added['p50']:.0f} ms, p95 {added['p95']:.0f} ms")
    if replies["warning"]:
        err(f"warning: {replies['warning']}", style="yellow")


def _print_verdicts(told: dict[str, Any]) -> None:
    verdict = told["verdict"]
    out(
        f"  verdict       {verdict['worth']}: {verdict['why']}", style=_STYLES.get(verdict["worth"])
    )
    for kind, members in told["by"].items():
        for name, member in members.items():
            if len(members) > 1:
                judged = member["verdict"]
                out(f"    {kind} {name:<16} {judged['worth']}: {judged['why']}")
