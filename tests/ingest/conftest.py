from pathlib import Path

import pytest

from tests.ingest.workbench import Workbench


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    made = Workbench(tmp_path)
    made.knowledge.mkdir()
    return made
