"""Every command shown in a `console` block of the documentation is run, in order, in a workspace
that holds the sample. `# exit 3` behind a command states its exit code; `sh` blocks are not run."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
_EXIT = re.compile(r"\s+# exit (\d)$")


def commands(page: Path) -> list[str]:
    blocks = _BLOCK.findall(page.read_text(encoding="utf-8"))
    return [
        line.removeprefix("$ ")
        for block in blocks
        for line in block.splitlines()
        if line.startswith("$ ")
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_shown_work(page: Path, handbook: Path, tmp_path: Path) -> None:
    shown = commands(page)
    if not shown:
        return
    workspace = tmp_path / "workspace"
    shutil.copytree(handbook, workspace)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for line in shown:
        code = int(match[1]) if (match := _EXIT.search(line)) else 0
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", _EXIT.sub("", line)],
            cwd=workspace,
            env={**os.environ, "PATH": path, "OLLAMA_HOST": "http://127.0.0.1:9"},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == code, f"{line}\n{done.stdout}\n{done.stderr}"


def test_the_python_example_runs(handbook: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    shutil.copytree(handbook, tmp_path / "workspace")
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path / "workspace",
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "S1" in done.stdout


def test_every_page_is_reached_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for page in PAGES[1:]:
        assert f"docs/{page.name}" in readme, page.name
