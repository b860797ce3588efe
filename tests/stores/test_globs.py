"""Path globs as people write them."""

import pytest

from rag.core.globs import select_paths

PATHS = ["a.md", "guide/a.md", "guide/deep/b.md", "guide/deep/b.txt", "guides/a.md", "報銷/上限.md"]


@pytest.mark.parametrize(
    "glob, expected",
    [
        ("a.md", ["a.md", "guide/a.md", "guides/a.md"]),
        ("/a.md", ["a.md"]),
        ("*.txt", ["guide/deep/b.txt"]),
        ("guide/*.md", ["guide/a.md"]),
        ("guide/*", ["guide/a.md", "guide/deep/b.md", "guide/deep/b.txt"]),
        ("guide", ["guide/a.md", "guide/deep/b.md", "guide/deep/b.txt"]),
        ("guide/", ["guide/a.md", "guide/deep/b.md", "guide/deep/b.txt"]),
        ("./guide/a.md", ["guide/a.md"]),
        ("guide/**", ["guide/a.md", "guide/deep/b.md", "guide/deep/b.txt"]),
        ("**/b.*", ["guide/deep/b.md", "guide/deep/b.txt"]),
        ("guide/**/a.md", ["guide/a.md"]),
        ("guide?/a.md", ["guides/a.md"]),
        ("[!g]*/*", ["報銷/上限.md"]),
        ("報銷/*", ["報銷/上限.md"]),
        ("guide/a.m", []),
        ("GUIDE/*", []),
        ("guide\\a.md", ["guide/a.md"]),
        ("[", []),
        ("a.md(", []),
    ],
)
def test_selects(glob: str, expected: list[str]) -> None:
    assert select_paths(PATHS, [glob]) == expected


def test_any_of_several_globs_is_enough() -> None:
    assert select_paths(PATHS, ["*.txt", "報銷"]) == ["guide/deep/b.txt", "報銷/上限.md"]


def test_a_name_typed_composed_finds_one_stored_decomposed() -> None:
    assert select_paths(["cafe\u0301.md"], ["caf\u00e9.md"]) == ["cafe\u0301.md"]
