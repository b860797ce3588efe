"""What a workspace has and what it lacks. A check is data: name, status, message, remedy."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from rag.config import Settings
from rag.domain.base import Value
from rag.domain.batch import Basis
from rag.domain.errors import RagError
from rag.domain.retrieval import Filter, Mode
from rag.wire import Workspace, backends


class Check(Value):
    name: str
    status: Literal["ok", "note", "missing"]
    """`note`: works, but not as it could. `missing`: something will fail."""
    message: str
    remedy: str | None = None
    """The command or setting that mends it."""


def diagnose(settings: Settings) -> list[Check]:
    """Every check, in the order in which a newcomer meets what it is about. None raises."""
    workspace = Workspace(settings)
    checks: list[Callable[[Workspace], Check]] = [
        _python,
        _knowledge,
        _index,
        _embedder,
        _model,
        _prompts,
        _traces,
    ]
    return [_safely(check, workspace) for check in checks]


def require_ready(workspace: Workspace, mode: Mode, filter: Filter) -> Basis:
    """Opens and tries everything that a question needs, so that what is broken for all of many is
    told before the first. Only the model is not called: a large one takes minutes to load.

    Raises:
        RagError: no question could be answered.
    """
    found = workspace.searcher.search("ready", mode=mode, limit=1, filter=filter)
    workspace.model.require_ready()
    version = workspace.settings.prompt
    prompts = [workspace.prompts.get("answer", name, version) for name in ("en", "zh-Hant")]
    return Basis(
        knowledge_version=workspace.catalog.knowledge_version(),
        model=str(workspace.model.identity),
        prompt_versions=tuple(prompt.version for prompt in prompts),
        degraded=found.degraded,
    )


def _safely(check: Callable[[Workspace], Check], workspace: Workspace) -> Check:
    try:
        return check(workspace)
    except RagError as error:
        name = check.__name__.strip("_")
        return Check(name=name, status="missing", message=error.message, remedy=error.hint)


def _python(workspace: Workspace) -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    return Check(name="python", status="ok", message=version)


def _knowledge(workspace: Workspace) -> Check:
    folder = workspace.settings.knowledge_dir
    if not folder.is_dir():
        return Check(
            name="knowledge",
            status="missing",
            message=f"no folder {workspace.settings.knowledge}/",
            remedy="rag init",
        )
    if why := _unreadable(folder):
        return Check(
            name="knowledge",
            status="missing",
            message=f"{workspace.settings.knowledge}/ cannot be read: {why}",
            remedy="let this user read the folder",
        )
    files = sum(1 for file in folder.rglob("*") if file.is_file())
    if not files:
        return Check(
            name="knowledge",
            status="missing",
            message=f"{workspace.settings.knowledge}/ is empty",
            remedy="put documents into it, then rag index",
        )
    return Check(name="knowledge", status="ok", message=f"{files} files")


def _unreadable(folder: Path) -> str | None:
    """Why nothing of `folder` can be listed. Walking it would pass that over in silence."""
    try:
        with os.scandir(folder):
            return None
    except OSError as error:
        return error.strerror or type(error).__name__


def _index(workspace: Workspace) -> Check:
    catalog = workspace.catalog
    documents, chunks = len(catalog.documents()), catalog.chunk_count()
    told = f"{documents} documents, {chunks} passages, {catalog.knowledge_version()}"
    if pending := catalog.vectors_pending():
        return Check(
            name="index",
            status="note",
            message=f"{told}; {pending} passages have no vector yet",
            remedy="rag index",
        )
    return Check(name="index", status="ok" if chunks else "note", message=told, remedy="rag index")


def _embedder(workspace: Workspace) -> Check:
    embedder = workspace.embedder
    embedder.embed_query("ready")
    return Check(name="embedder", status="ok", message=embedder.identity)


def _model(workspace: Workspace) -> Check:
    notices: list[str] = []
    probe = Workspace(workspace.settings, notify=notices.append)
    identity = str(probe.model.identity)
    if notices:
        return Check(
            name="model",
            status="note",
            message=f"{identity}; {notices[0]}",
            remedy=f"ollama pull {workspace.settings.model}",
        )
    if workspace.settings.llm not in ("auto", *backends("llms")):
        return Check(name="model", status="missing", message=f"no {workspace.settings.llm}")
    return Check(name="model", status="ok", message=identity)


def _prompts(workspace: Workspace) -> Check:
    versions = [prompt.version for prompt in workspace.prompts.all()]
    return Check(name="prompts", status="ok", message=f"{len(versions)} prompt files")


def _traces(workspace: Workspace) -> Check:
    folder = workspace.settings.traces_dir
    if folder.exists() and (why := _unreadable(folder)):
        return Check(
            name="traces",
            status="note",
            message=f"{workspace.settings.traces}/ cannot be used, so that no trace is kept: {why}",
            remedy="move it away, or let this user read and write it",
        )
    damaged: list[str] = []
    count = sum(1 for _ in workspace.journal.traces(damaged))
    if damaged:
        return Check(
            name="traces",
            status="note",
            message=f"{count} traces, {len(damaged)} damaged lines, the first at {damaged[0]}",
            remedy="delete the damaged lines",
        )
    return Check(name="traces", status="ok", message=f"{count} traces")
