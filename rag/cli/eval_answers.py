"""`rag eval answers`: are the answers right, cited, and refused where they should be?"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag.cli.console import emit_json, err, out
from rag.cli.eval import corpus_workspace, group, write_file
from rag.cli.options import AsJson, DatasetPath, Llm, ModelName
from rag.cli.session import settings_of

if TYPE_CHECKING:
    from rag.flows.evaluate_answers import Graded

_SHOWN = (
    "answer_found",
    "false_refusal",
    "refusal_precision",
    "refusal_recall",
    "citation_precision",
    "contract_pass",
)


def register(app: typer.Typer) -> None:
    group.command("answers", help="Are answers right, cited, and refused where they should be?")(
        answers
    )


def answers(
    context: typer.Context,
    dataset: DatasetPath,
    llm: Llm = None,
    model: ModelName = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only the first questions of the set.")
    ] = None,
    answers_out: Annotated[
        Path | None, typer.Option("--out", help="Write every question with its answer, as JSONL.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    from rag.assistant import Assistant
    from rag.cli.index import progress_bar
    from rag.datasets import read_dataset
    from rag.flows.evaluate_answers import measure_answers, report
    from rag.wire import Workspace

    settings = settings_of(context, llm=llm, model=model)
    chosen = read_dataset(dataset, keep_unanswerable=True)
    workspace = Workspace(settings, notify=err)
    document_of: Callable[[str], str] = str
    if chosen.corpus is not None:
        workspace, folder = corpus_workspace(settings, chosen.corpus)
        document_of = folder.document_id
    assistant = Assistant(workspace)
    with progress_bar() as progress:
        graded = measure_answers(
            chosen.queries[:limit],
            lambda question: assistant.ask(question, run=f"eval-{chosen.name}"),
            document_of,
            progress,
        )
    result = report(chosen.name, graded, {"model": str(workspace.model.identity)})
    if answers_out:
        write_file(answers_out, "".join(_row(one) for one in graded))
    if as_json:
        emit_json(result)
    else:
        _print(result)


def _row(graded: "Graded") -> str:
    row = {
        "id": graded.query.id,
        "expected": list(graded.query.answers),
        "answerable": graded.query.answerable,
        "scores": graded.scores,
        "error": graded.error,
        "result": graded.answer.model_dump(mode="json") if graded.answer else None,
    }
    return json.dumps(row, ensure_ascii=False) + "\n"


def _print(result: dict[str, Any]) -> None:
    out(
        f"{result['dataset']}  {result['n']} questions  {result['settings']['model']}", style="bold"
    )
    for kind, row in result["outcomes"].items():
        out(f"  {kind:<14} " + "  ".join(f"{name} {count}" for name, count in sorted(row.items())))
    for name, metric in result["metrics"].items():
        line = f"  {name:<20} {metric['value']:.3f}"
        if "low" in metric:
            line += f"  [{metric['low']:.3f}, {metric['high']:.3f}]  n={metric['n']}"
        out(line)
    for kind, members in result["by"].items():
        out(f"by {kind}", style="bold")
        for name, member in members.items():
            figures = "  ".join(
                f"{metric} {member['metrics'][metric]['value']:.2f}"
                for metric in _SHOWN
                if metric in member["metrics"]
            )
            out(f"  {name:<12} n={member['n']:<4} {figures}")
    for failed in result["errors"]:
        err(f"failed: {failed['id']}: {failed['message']}", style="red")
