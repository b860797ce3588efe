"""`rag eval`: measured quality, of one run or against an earlier one."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag.cli.console import emit_json, err, out
from rag.cli.options import (
    AsJson,
    Baseline,
    Corpus,
    DatasetPath,
    FailBelow,
    Mode,
    Queries,
    SearchMode,
    Without,
)
from rag.cli.session import settings_of

if TYPE_CHECKING:
    from rag.config import Settings
    from rag.core.metrics import Difference
    from rag.datasets import CorpusFolder
    from rag.domain.evaluation import Dataset, EvalQuery
    from rag.flows.evaluate import Measurement
    from rag.wire import Workspace

group = typer.Typer(help="Measured quality over a set of questions.", no_args_is_help=True)

# Candidates per query: passages of one document share a place, so more than the deepest metric.
_DEPTH = 50
# Of the names of documents that are not there: enough to recognise a path that has changed.
_UNKNOWN_WIDTH = 200


def register(app: typer.Typer) -> None:
    group.command("retrieval", help="Does a search find the documents that answer?")(retrieval)
    app.add_typer(group, name="eval")


def retrieval(
    context: typer.Context,
    dataset: DatasetPath,
    corpus: Corpus = None,
    queries: Queries = None,
    mode: Mode = "hybrid",
    without: Without = None,
    run_out: Annotated[
        Path | None, typer.Option(help="Write the ranked documents as a TREC run.")
    ] = None,
    run_in: Annotated[
        Path | None, typer.Option(help="Measure this TREC run instead of searching.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Keep the result, to compare a later run with.")
    ] = None,
    baseline: Baseline = None,
    fail_below: FailBelow = None,
    as_json: AsJson = False,
) -> int:
    from rag.cli import EXIT_REGRESSION
    from rag.core.arrange import weights_without
    from rag.core.trec import format_run
    from rag.datasets import read_dataset
    from rag.domain.errors import UsageError
    from rag.flows.evaluate import compare, regressions, report

    if fail_below is not None and baseline is None:
        raise UsageError("--fail-below needs something to fall below", "add --baseline FILE")
    weights_without(without or ())  # a slip is told before anything is indexed
    before = read_saved(baseline) if baseline else None
    chosen = read_dataset(dataset, corpus=corpus, queries=queries)
    if run_in:
        measured, told = _measure_file(chosen, run_in), {"run": str(run_in)}
    else:
        measured, told = _measure_search(settings_of(context), chosen, mode, without or ())
    result = report(chosen.name, chosen.queries, measured, told)
    if run_out:
        write_file(run_out, format_run(measured.run, tag=f"citebound-{mode}"))
    if save:
        kept = {**result, "per_query": measured.per_query}
        write_file(save, json.dumps(kept, ensure_ascii=False, indent=1) + "\n")
    changes = compare(before, measured.per_query) if before else {}
    fallen = regressions(changes, fail_below) if fail_below is not None else []
    if changes:
        result["baseline"] = {name: change.model_dump() for name, change in changes.items()}
        result["regressions"] = fallen
    if as_json:
        emit_json(result)
    else:
        _print(result, changes)
    for name in fallen:
        err(f"regression: {name} fell by {-changes[name].value:.3f}", style="bold red")
    return EXIT_REGRESSION if fallen else 0


def _measure_file(dataset: "Dataset", run: Path) -> "Measurement":
    from rag.cli.console import read_text
    from rag.core.trec import parse_run
    from rag.flows.evaluate import measure_run

    return measure_run(dataset.queries, parse_run(read_text(run)))


def _measure_search(
    settings: "Settings", dataset: "Dataset", mode: SearchMode, without: Sequence[str]
) -> tuple["Measurement", dict[str, Any]]:
    """The measurement, and what it was made with."""
    from rag.cli.index import progress_bar
    from rag.core.analyzer import ANALYZER_VERSION
    from rag.flows.evaluate import measure_search
    from rag.wire import Workspace

    if dataset.corpus is None:
        workspace = Workspace(settings, notify=err)
        document_of: Callable[[str], str] = str
    else:
        workspace, folder = corpus_workspace(settings, dataset.corpus)
        document_of = folder.document_id
    tell_unknown(dataset.queries, map(document_of, workspace.catalog.paths()))
    with progress_bar() as progress:
        measured = measure_search(
            dataset.queries,
            lambda text: workspace.searcher.search(text, mode=mode, limit=_DEPTH, without=without),
            document_of,
            progress,
        )
    return measured, {
        "mode": mode,
        "without": list(without),
        "embedder": workspace.embedder.identity if mode != "lexical" else None,
        "analyzer": ANALYZER_VERSION,
        "chunk": settings.chunk.model_dump(),
    }


def corpus_workspace(settings: "Settings", corpus: Path) -> tuple["Workspace", "CorpusFolder"]:
    """A workspace of its own in the user's cache, indexed; at once when it was before."""
    from rag.cli.index import progress_bar
    from rag.datasets import CORPUS_LOADER, CORPUS_SUFFIX, CorpusFolder, load_corpus_file
    from rag.wire import Workspace, reading

    embedder = Workspace(settings).embedder.identity
    folder = CorpusFolder(corpus, f"{embedder} {settings.chunk.model_dump_json()}")
    folder.unpack()
    workspace = Workspace(
        settings.model_copy(update={"root": folder.root, "knowledge": Path("documents")}),
        notify=err,
    )
    read = replace(reading(settings), load=load_corpus_file, loaders={CORPUS_SUFFIX: CORPUS_LOADER})
    with progress_bar() as progress:
        report = workspace.index(progress=progress, read=read)
    for failure in report.failed:
        err(f"not indexed: {folder.document_id(failure.path)}: {failure.reason}", style="yellow")
    return workspace, folder


def tell_unknown(queries: "Sequence[EvalQuery]", known: Iterable[str]) -> None:
    from rag.core.plain import one_line
    from rag.flows.evaluate import unknown_documents

    if unknown := unknown_documents(queries, known):
        named = one_line(", ".join(unknown), _UNKNOWN_WIDTH)
        err(f"named by queries, but not in the index ({len(unknown)}): {named}", style="yellow")


def read_saved(path: Path) -> dict[str, dict[str, float]]:
    from rag.cli.console import read_text
    from rag.domain.errors import UsageError

    try:
        saved: dict[str, dict[str, float]] = json.loads(read_text(path))["per_query"]
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} is no result of this command", "make one with --save") from error
    return saved


def write_file(path: Path, text: str) -> None:
    from rag.domain.errors import UsageError

    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", "check the path") from error


def _print(result: dict[str, Any], changes: dict[str, "Difference"]) -> None:
    out(f"{result['dataset']}  {result['n']} queries", style="bold")
    for name, metric in result["metrics"].items():
        line = f"  {name:<14} {metric['value']:.3f}"
        if "low" in metric:
            line += f"  [{metric['low']:.3f}, {metric['high']:.3f}]"
        if change := changes.get(name):
            line += f"  {change.value:+.3f} [{change.low:+.3f}, {change.high:+.3f}]"
            line += "  clear" if change.clear else ""
        out(line)
    for kind, members in result["by"].items():
        if len(members) < 2:
            continue
        out(f"by {kind}", style="bold")
        for name, member in members.items():
            figures = "  ".join(
                f"{metric} {member['metrics'][metric]['value']:.3f}"
                for metric in ("hit@1", "recall@5", "mrr@10", "ndcg@10")
            )
            out(f"  {name:<14} n={member['n']:<5} {figures}")
    for line in result["degraded"]:
        err(f"degraded: {line}", style="yellow")
