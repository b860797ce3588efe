"""`rag check`: hold any model's reply against the contract. No index, no model, no workspace."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rag.cli.console import emit_json, emit_json_line, out, parse_json, read_text
from rag.cli.options import AsJson

if TYPE_CHECKING:
    from rag.domain.answer import SourceText, Verdict

_WORDS = {
    "en": {
        "accepted": "accepted: {}",
        "refused": "refused",
        "warning": "warning, {}",
        "line": "{}, line {}",
        "repaired": "repaired without loss: {}",
    },
    "zh-Hant": {
        "accepted": "通過：{}",
        "refused": "不通過",
        "warning": "警告，{}",
        "line": "{}，第 {} 行",
        "repaired": "已在不改變意思下修正：{}",
    },
}


def register(app: typer.Typer) -> None:
    app.command("check", help="Hold a model's reply against the contract.")(check)


def check(
    file: Annotated[
        Path | None, typer.Argument(help="The reply; standard input when missing or '-'.")
    ] = None,
    markers: Annotated[
        str | None,
        typer.Option(help="Markers that were offered, such as S1,S2,S3; else those of --sources."),
    ] = None,
    sources: Annotated[
        Path | None,
        typer.Option(help='JSON file {"S1": "text of the source"}: support is checked as well.'),
    ] = None,
    jsonl: Annotated[
        bool,
        typer.Option(
            "--jsonl",
            help='Many: {"id", "raw", "markers", "sources"?, "finish_reason"?} a line.',
        ),
    ] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON schema of a reply and stop.")
    ] = False,
    as_json: AsJson = False,
    coverage: Annotated[
        Literal["strict", "warn"],
        typer.Option(help="strict refuses uncited claims, warn tells of them."),
    ] = "warn",
    support: Annotated[
        Literal["strict", "warn", "off"],
        typer.Option(help="What an unsupported claim is: a violation, a warning, not looked for."),
    ] = "strict",
    language: Annotated[
        Literal["en", "zh-Hant"], typer.Option(help="Language of what is told.")
    ] = "en",
    fail: Annotated[
        bool, typer.Option("--fail", help="With --jsonl: end with 3 when any reply is refused.")
    ] = False,
) -> int:
    from rag.cli import EXIT_REJECTED
    from rag.core.contract import judge, reply_schema

    texts = _read_sources(sources) if sources else None
    offered = _read_markers(markers) if markers else tuple(texts) if texts else None
    if schema:
        emit_json(reply_schema(offered or ("S1", "S2", "S3")))
        return 0

    def verdict_of(row: dict[str, Any]) -> "Verdict":
        given: dict[str, str] | None = row.get("sources", texts)
        return judge(
            row["raw"],
            row.get("markers") or offered or tuple(given or ()),
            _source_texts(given) if given is not None else None,
            finish_reason=row.get("finish_reason"),
            coverage=coverage,
            support=support,
            language=language,
        )

    if jsonl:
        refused = False
        for row in _rows(read_text(file)):
            verdict = verdict_of(row)
            refused |= not verdict.accept
            emit_json_line({"id": row.get("id"), **verdict.model_dump(mode="json")})
        return EXIT_REJECTED if fail and refused else 0

    if offered is None:
        raise _usage("no markers to check against", "name what was offered: --markers S1,S2,S3")
    verdict = verdict_of({"raw": _read_reply(file)})
    if as_json:
        emit_json(verdict.model_dump(mode="json"))
    else:
        _show(verdict, language)
    return 0 if verdict.accept else EXIT_REJECTED


def _show(verdict: "Verdict", language: Literal["en", "zh-Hant"]) -> None:
    words = _WORDS[language]
    if verdict.accept:
        out(words["accepted"].format(verdict.status), style="bold green")
        out(f"\n{verdict.answer}\n")
    else:
        out(words["refused"], style="bold red")
    for found in verdict.violations:
        out(f"  {found.code}: {found.message}", style="red")
    for found in verdict.warnings:
        out(f"  {words['warning'].format(found.code)}: {found.message}", style="yellow")
    for claim in verdict.claims:
        for evidence in claim.evidence:
            quote = " ".join(evidence.quote.split())
            place = words["line"].format(evidence.marker, evidence.line)
            out(f"  {place}: {quote}", style="dim")
    if verdict.repairs:
        out(f"  {words['repaired'].format(', '.join(verdict.repairs))}", style="dim")


def _read_reply(file: Path | None) -> str:
    """The reply as it came, byte order mark included: that one is the contract's to record."""
    if file is None and sys.stdin.isatty():
        raise _usage("nothing to read", "name a file, or pipe the reply in")
    if file is None or str(file) == "-":
        return sys.stdin.buffer.read().decode("utf-8", errors="replace")
    try:
        return file.read_bytes().decode("utf-8", errors="replace")
    except OSError as error:
        raise _usage(f"cannot read {file}: {error.strerror}", "check the path") from error


def _read_markers(text: str) -> tuple[str, ...]:
    from rag.core.markers import read_listed

    listed = read_listed(text)
    if listed is None:
        raise _usage(f"--markers {text!r} is not a list of markers", "write them as S1,S2,S3")
    return tuple(dict.fromkeys(listed.markers))


def _read_sources(file: Path) -> dict[str, str]:
    hint = 'it must be one JSON object: {"S1": "text of the source", ...}'
    try:
        texts = parse_json(read_text(file))
    except ValueError as error:
        raise _usage(f"{file} is not JSON: {error}", hint) from error
    if not _maps_to_text(texts):
        raise _usage(f"{file} does not map markers to texts", hint)
    return dict(texts)


def _source_texts(texts: dict[str, str]) -> "Sequence[SourceText]":
    from rag.domain.answer import SourceText

    return [SourceText(marker=marker, text=text) for marker, text in texts.items()]


def _rows(text: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = parse_json(line)
        except ValueError as error:
            raise _usage(
                f"line {number} is not JSON: {error}", "write one object a line"
            ) from error
        if not isinstance(row, dict) or not isinstance(row.get("raw"), str):
            raise _usage(f'line {number} has no text "raw"', 'write {"id": ..., "raw": "..."}')
        markers = row.get("markers") or []
        if not isinstance(markers, list) or not all(isinstance(item, str) for item in markers):
            raise _usage(f"line {number}: markers is no list of strings", 'write ["S1", "S2"]')
        if row.get("sources") is None:
            row.pop("sources", None)
        elif not _maps_to_text(row["sources"]):
            raise _usage(f"line {number}: sources do not map markers to texts", '{"S1": "..."}')
        yield row


def _maps_to_text(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


def _usage(message: str, hint: str) -> Exception:
    from rag.domain.errors import UsageError

    return UsageError(message, hint)
