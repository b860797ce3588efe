"""`rag init`, `rag config`, `rag doctor`: set a folder up, see settings, find what is missing."""

from pathlib import Path
from typing import Annotated

import typer

from rag.cli.console import emit_json, out
from rag.cli.options import AsJson
from rag.cli.session import workspace_root

_SETTINGS_TEMPLATE = """\
# Settings of this citebound workspace. Every line that begins with # shows a default.
# `rag config` prints all settings and where each came from.

# knowledge = "knowledge"     # the folder of documents
# llm = "auto"                # auto, ollama, extractive, static
# model = "gemma4:e4b"        # the model's name at Ollama
# ollama_host = "http://localhost:11434"
# max_sources = 5             # sources handed to the model
# support = "strict"          # strict: a claim that its source does not hold rejects the answer
# coverage = "warn"           # strict: every checkable sentence needs a source

# [trace]
# content = "full"            # refs: keep hashes of the sources instead of their text
"""
_EXAMPLE = """\
# Visitor rules

Visitors sign in at the front desk and wear a yellow badge. A badge is valid for one day.

## Parking

Visitors park on level 2. The first 90 minutes are free; after that an hour costs 40 TWD.

## 訪客停車

訪客請停在地下二樓，前 90 分鐘免費，之後每小時新臺幣 40 元。
"""


def register(app: typer.Typer) -> None:
    app.command("init", help="Set this folder up: rag.toml and a knowledge/ to fill.")(init)
    app.command("config", help="All settings and where each came from.")(config)
    app.command("doctor", help="What is set up, what is missing and what mends it.")(doctor)


def init(
    context: typer.Context,
    folder: Annotated[Path | None, typer.Argument(help="The folder; here when missing.")] = None,
) -> None:
    from rag.config import SETTINGS_FILE

    # Not the nearest workspace above: a new one is wanted exactly here.
    root = folder or (context.obj or {}).get("root") or Path.cwd()
    written = [
        _write_new(root / SETTINGS_FILE, _SETTINGS_TEMPLATE),
        _write_new(root / "knowledge" / "visitors.md", _EXAMPLE)
        if not any((root / "knowledge").glob("*"))
        else None,
    ]
    for file in filter(None, written):
        out(f"wrote {file.relative_to(root)}")
    if not any(written):
        out("already set up: nothing was changed")
    out("\nNext:")
    out("  put documents into knowledge/ (Markdown, text, HTML, PDF, Word, code)")
    out("  rag index")
    out('  rag ask "How long is parking free for visitors?"')


def config(
    context: typer.Context,
    as_json: AsJson = False,
) -> None:
    from rag.config import load_settings

    resolved = load_settings(workspace_root(context))
    rows = [
        (key, value, resolved.origins.get(key, "default"))
        for key, value in _flatten(resolved.settings.model_dump(mode="json"))
    ]
    if as_json:
        emit_json({key: {"value": value, "origin": origin} for key, value, origin in rows})
        return
    for key, value, origin in rows:
        shown = "unset" if value is None else value
        out(f"{key:<18} {shown!s:<28} {origin}")


def doctor(
    context: typer.Context,
    as_json: AsJson = False,
) -> int:
    from rag.cli import EXIT_ERROR
    from rag.config import load_settings
    from rag.diagnosis import diagnose

    settings = load_settings(workspace_root(context)).settings
    checks = diagnose(settings)
    if as_json:
        emit_json([check.model_dump(mode="json") for check in checks])
    else:
        styles = {"ok": "green", "note": "yellow", "missing": "bold red"}
        for check in checks:
            out(f"{check.status:<8} {check.name:<14} {check.message}", style=styles[check.status])
            if check.remedy and check.status != "ok":
                out(f"{'':<8} {'':<14} {check.remedy}")
    return EXIT_ERROR if any(check.status == "missing" for check in checks) else 0


def _write_new(file: Path, text: str) -> Path | None:
    if file.exists():
        return None
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def _flatten(values: dict[str, object], prefix: str = "") -> list[tuple[str, object]]:
    rows: list[tuple[str, object]] = []
    for key, value in values.items():
        if isinstance(value, dict):
            rows += _flatten(value, f"{prefix}{key}.")
        else:
            rows.append((prefix + key, value))
    return rows
