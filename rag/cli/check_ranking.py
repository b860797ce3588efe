"""`rag check-ranking`: read any model's ranking reply as the reranker would. No index, no model."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rag.cli.console import emit_json, emit_json_line, out, parse_json, read_text
from rag.cli.options import AsJson

if TYPE_CHECKING:
    from rag.domain.ranking import Ranking

# Far above any number of candidates that a search returns; the answer holds one id for each.
_MOST_CANDIDATES = 10_000
_REASON_WIDTH = 120


def register(app: typer.Typer) -> None:
    app.command("check-ranking", help="Hold a model's ranking reply against the rules.")(
        check_ranking
    )


def check_ranking(
    file: Annotated[
        Path | None, typer.Argument(help="The reply; standard input when missing or '-'.")
    ] = None,
    n: Annotated[
        int | None,
        typer.Option(
            "--n", min=0, max=_MOST_CANDIDATES, help="Candidates shown to the model: ids 0..n-1."
        ),
    ] = None,
    mode: Annotated[
        Literal["ids", "scored"], typer.Option(help="Ids only, or ids with scores.")
    ] = "ids",
    form: Annotated[
        Literal["array", "object"],
        typer.Option(help='What was asked for: a plain array or {"ranking": [...]}.'),
    ] = "array",
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help='Many: {"id", "raw", "n", "mode"?} a line.')
    ] = False,
    as_json: AsJson = False,
    fail: Annotated[
        bool, typer.Option("--fail", help="With --jsonl: end with 3 when any reply is refused.")
    ] = False,
) -> int:
    from rag.cli import EXIT_REJECTED
    from rag.core.ranking import parse_ranking

    if jsonl:
        refused = False
        for row in _rows(read_text(file), n):
            ranking = parse_ranking(row["raw"], row["n"], row.get("mode") or mode, form)
            refused |= not ranking.accept
            emit_json_line({"id": row.get("id"), **ranking.model_dump(mode="json")})
        return EXIT_REJECTED if fail and refused else 0

    if n is None:
        raise _usage("how many candidates were there?", "name the number: --n 5")
    ranking = parse_ranking(read_text(file), n, mode, form)
    if as_json:
        emit_json(ranking.model_dump(mode="json"))
    else:
        _show(ranking)
    return 0 if ranking.accept else EXIT_REJECTED


def _show(ranking: "Ranking") -> None:
    from rag.core.plain import one_line

    if ranking.accept:
        out(f"accepted: {'clean' if ranking.clean else 'repaired'}", style="bold green")
    else:
        out(f"refused: {ranking.reason}; the first-stage order stays", style="bold red")
    scores = dict(ranking.scores or ())
    for place, candidate in enumerate(ranking.order, start=1):
        shown = scores.get(candidate)
        score = "" if shown is None else f"  score {shown:.2f}"
        if candidate in ranking.reasons:
            score += f"  {one_line(ranking.reasons[candidate], _REASON_WIDTH)}"
        note = "" if candidate in ranking.kept else "  not in the reply"
        out(f"  {place}. candidate {candidate}{score}{note}")
    dropped = [f"{name} {count}" for name, count in ranking.counts if count]
    if dropped:
        out(f"  {', '.join(dropped)}", style="dim")


def _rows(text: str, n: int | None) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = parse_json(line)
        except ValueError as error:
            raise _usage(f"line {number} is not JSON: {error}", "one object a line") from error
        if not isinstance(row, dict) or not isinstance(row.get("raw"), str):
            raise _usage(f'line {number} has no text "raw"', '{"id": ..., "raw": "...", "n": 5}')
        count = row.setdefault("n", n)
        if type(count) is not int or not 0 <= count <= _MOST_CANDIDATES:
            raise _usage(
                f'line {number}: "n" is no number of candidates', f"0 to {_MOST_CANDIDATES}"
            )
        if row.get("mode") not in (None, "ids", "scored"):
            raise _usage(f"line {number}: unknown mode {row['mode']!r}", "ids or scored")
        yield row


def _usage(message: str, hint: str) -> Exception:
    from rag.domain.errors import UsageError

    return UsageError(message, hint)
