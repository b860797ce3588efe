"""B18: whatever the moment a run ends at, the next one leaves all three stores whole."""

import itertools
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.doubles import MemoryLexical, MemoryVectors
from tests.ingest.workbench import Workbench

_WRITES = {
    "catalog": {"put", "remove", "lexical_done", "vectors_begun", "vectors_done", "set_state"},
    "lexical": {"replace", "rebuild"},
    "vectors": {"put", "drop", "reset"},
    "embedder": {"embed_passages"},
}


class Killed(BaseException):
    """Stands for the end of the process: nothing in the flow may catch it."""


class Fuse:
    """Lets `steps` steps pass, then ends the run. Before and after each write is a step."""

    def __init__(self, steps: int, end: Callable[[], None]) -> None:
        self.left = steps
        self._end = end

    def step(self) -> None:
        if self.left == 0:
            self._end()
        self.left -= 1

    def wrap(self, name: str, part: Any) -> Any:
        return _Fused(part, _WRITES[name], self)


class _Fused:
    def __init__(self, part: Any, writes: set[str], fuse: Fuse) -> None:
        self._part, self._writes, self._fuse = part, writes, fuse

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._part, name)
        if name not in self._writes:
            return found

        def write(*args: Any, **kwargs: Any) -> Any:
            self._fuse.step()
            result = found(*args, **kwargs)
            self._fuse.step()
            return result

        return write


def paragraphs(*words: str) -> str:
    return "\n\n".join(f"The {word} paragraph." for word in words)


def prepare(bench: Workbench) -> None:
    """An index of four documents, then an edit, a removal, a move and a new document."""
    bench.write("edited.md", paragraphs("ant", "bee", "cat", "dog", "elk"))
    bench.write("removed.md", paragraphs("fox", "gnu"))
    bench.write("moved.md", paragraphs("hen", "ibis", "jay"))
    bench.write("same.md", paragraphs("koi"))
    bench.index()
    bench.write("edited.md", paragraphs("ant", "lynx", "cat", "mole", "newt", "elk"))
    (bench.knowledge / "removed.md").unlink()
    (bench.knowledge / "moved.md").rename(bench.knowledge / "here.md")
    bench.write("new.md", paragraphs("owl", "pug", "rat"))


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.flows.ingest._BATCH_CHUNKS", 4)
    monkeypatch.setattr("rag.flows.vectors._BATCH", 4)
    monkeypatch.setattr("rag.flows.vectors._CALL", 2)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("rebuild, stride", [(False, 1), (True, 3)])
def test_a_run_that_ends_at_any_write_is_completed_by_the_next(
    tmp_path: Path, rebuild: bool, stride: int
) -> None:
    def end() -> None:
        raise Killed

    for steps in itertools.count(step=stride):
        bench = Workbench(tmp_path / str(steps), memory=(MemoryLexical(), MemoryVectors()))
        bench.knowledge.mkdir(parents=True)
        prepare(bench)
        try:
            bench.index(rebuild=rebuild, wrap=Fuse(steps, end).wrap)
        except Killed:
            report = bench.index()
            assert (report.failed, report.chunks) == ((), 13)
            bench.require_whole()
        else:
            break
    assert steps > 30  # every write of the run was a place to end


_CHILD = """
    import os, sys
    from pathlib import Path
    from tests.ingest.test_interruption import Fuse
    from tests.ingest.workbench import Workbench
    import rag.flows.ingest, rag.flows.vectors
    rag.flows.ingest._BATCH_CHUNKS = rag.flows.vectors._BATCH = 4
    fuse = Fuse(int(sys.argv[2]), lambda: os._exit(9))
    Workbench(Path(sys.argv[1])).index(wrap=fuse.wrap)
"""


@pytest.mark.parametrize("steps", [2, 9, 14, 20, 26])
def test_a_process_that_dies_leaves_a_mendable_index(tmp_path: Path, steps: int) -> None:
    bench = Workbench(tmp_path)
    bench.knowledge.mkdir()
    prepare(bench)
    root = Path(__file__).parents[2]
    died = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(_CHILD), str(tmp_path), str(steps)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        check=False,
    )
    assert died.returncode == 9

    assert bench.index().chunks == 13
    bench.require_whole()
