"""From a command's context and flags to settings and a workspace."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rag.config import Settings
    from rag.wire import Workspace


MOST_RESULTS = 1000
"""The longest list of passages that a command shows; nobody reads further."""


def workspace_root(context: typer.Context) -> Path:
    """The folder named by `--root`, else the nearest one that holds a workspace."""
    from rag.config import find_root
    from rag.domain.errors import UsageError

    named = (context.obj or {}).get("root")
    if named is None:
        return find_root(Path.cwd())
    if not Path(named).is_dir():
        raise UsageError(f"there is no folder {named}", "check --root, or make it with `rag init`")
    return Path(named)


def settings_of(context: typer.Context, **flags: Any) -> "Settings":
    """Settings of the workspace; a flag that is None leaves the setting alone."""
    from rag.config import load_settings

    return load_settings(workspace_root(context), flags).settings


def workspace_of(context: typer.Context, **flags: Any) -> "Workspace":
    from rag.cli.console import err
    from rag.wire import Workspace

    return Workspace(settings_of(context, **flags), notify=err)
