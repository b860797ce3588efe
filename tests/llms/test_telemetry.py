import os

import pytest

from rag.telemetry import silence


def test_overrules_what_the_shell_has_set(monkeypatch: pytest.MonkeyPatch) -> None:
    from langsmith import utils

    for name in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "ANONYMIZED_TELEMETRY"):
        monkeypatch.setenv(name, "true")
    before = dict(os.environ)
    utils.get_env_var.cache_clear()  # type: ignore[attr-defined]
    assert utils.tracing_is_enabled()
    try:
        silence()
        utils.get_env_var.cache_clear()  # type: ignore[attr-defined]
        assert not utils.tracing_is_enabled()
        assert os.environ["ANONYMIZED_TELEMETRY"] == "False"
    finally:
        os.environ.clear()
        os.environ.update(before)
        utils.get_env_var.cache_clear()  # type: ignore[attr-defined]
