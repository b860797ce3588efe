import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.source_code import code_passages, defines, is_source_code


@pytest.mark.parametrize(
    "text",
    [
        "import os\n\ndef main() -> int:\n    return 0",
        "#!/usr/bin/env bash\nset -euo pipefail\nif [ -z $1 ]; then\n  exit 2\nfi",
        "export const MAX = 300;\n\nfunction f(a: string): void {\n  g(a);\n}",
        "<Ack>\n  <Status>409</Status>\n</Ack>",
        "[store]\nurl = 'x'\ntimeout = 5",
    ],
)
def test_tells_files_of_code(text: str) -> None:
    assert is_source_code(text)


@pytest.mark.parametrize(
    "text",
    [
        "# Backups\n\nIf it fails, call us (day or night).\nFor example, by phone.",
        "| a | b |\n|---|---|\n| x = 1 | y |",
        "To list:\n\n```sh\nlist --all\n```\n\nx = 1;\ny = 2;",
        "特休依到職日起算。\n\n- 滿一年（含）七日\n- 滿兩年十日",
        "",
    ],
)
def test_prose_lists_and_fenced_examples_are_none(text: str) -> None:
    assert not is_source_code(text)


@pytest.mark.parametrize(
    ("code", "name", "expected"),
    [
        ("MAX_AGE = 3", "max_age", True),
        ("timeout: float = 3", "timeout", True),
        ("def load(path):", "load", True),
        ("if now > MAX_AGE:", "MAX_AGE", False),
        ("if MAX_AGE == 3", "MAX_AGE", False),
        ("store.timeout = 3", "timeout", False),
    ],
)
def test_tells_a_definition_from_a_use(code: str, name: str, expected: bool) -> None:
    assert defines(code, name) is expected


@given(st.text(alphabet="ab =({\n\t", max_size=80), st.integers(1, 5))
def test_passages_are_short_and_lose_no_line(text: str, longest: int) -> None:
    passages = code_passages(text, longest)
    assert all(0 < len(one.split("\n")) <= longest for one in passages)
    assert sum(len(one.split("\n")) for one in passages) >= (
        sum(bool(line.strip()) for line in text.split("\n")) - 1
    )
