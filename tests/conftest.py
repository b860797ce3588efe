"""What tests may need from outside, and how they say that it is not there.

`@pytest.mark.shared` needs the data sets in a folder `shared` beside the checkout,
`@pytest.mark.ollama` a server that answers at OLLAMA_HOST. Both skip with a reason when that is
missing. With CITEBOUND_REQUIRE_ALL=1, as continuous integration sets it, a skipped test fails the
run: a check that did not happen must not look like one that passed.
"""

import os
import shutil
import urllib.request
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run: a change is told from luck. Look for new ones with
# HYPOTHESIS_PROFILE=default.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of data sets; only for tests marked `shared`."""
    return SHARED


@pytest.fixture(scope="session")
def ollama_host() -> str:
    """The server's address; only for tests marked `ollama`."""
    return _ollama_address()


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings of the person who runs the tests, or of the test before, must not decide them."""
    for name in list(os.environ):
        if name.startswith(("RAG_", "LANGSMITH_", "LANGCHAIN_")):
            monkeypatch.delenv(name)


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("shared") and not (SHARED / "data").is_dir():
        pytest.skip("needs the data sets in ../shared")
    if item.get_closest_marker("ollama") and not _ollama_answers():
        pytest.skip("needs an Ollama that answers at OLLAMA_HOST")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if os.environ.get("CITEBOUND_REQUIRE_ALL") != "1" or hasattr(session.config, "workerinput"):
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = len(reporter.stats.get("skipped", [])) if reporter else 0
    if skipped and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        reporter.write_line(f"{skipped} skipped although CITEBOUND_REQUIRE_ALL=1", red=True)


def _ollama_address() -> str:
    host = os.environ.get("OLLAMA_HOST", "")
    return host if "://" in host or not host else f"http://{host}"


@cache
def _ollama_answers() -> bool:
    if not (address := _ollama_address()):
        return False
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{address}/api/version", timeout=2) as response:
            return bool(response.status == 200)
    except OSError:
        return False


@pytest.fixture(scope="session")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the sample knowledge, indexed with the real embedder once for all workers
    of a run. Not to be changed: copy it first."""
    from filelock import FileLock

    from rag.assistant import Assistant

    shared_by_workers = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        shared_by_workers = shared_by_workers.parent
    folder = shared_by_workers / "handbook"
    with FileLock(shared_by_workers / "handbook.lock"):
        if not (folder / "indexed").exists():
            shutil.copytree(ROOT / "knowledge", folder / "knowledge")
            (folder / "rag.toml").touch()
            report = Assistant.open(folder).workspace.index()
            assert report.failed == ()
            (folder / "indexed").touch()
    return folder
