"""Source code: whole definitions with their comments, named."""

import pytest

from rag.core.chunk import chunk_document
from rag.domain.documents import Chunk, LoadedDocument
from tests.chunk.soundness import assert_sound

PYTHON = '''"""Sends things.

More about it.
"""
import os
import sys

LIMIT = 3


# Says hello.
@cached
def hello(name):
    """Greets."""
    return name


class Client:
    """A client."""

    limit = 2

    # Sends it.
    def send(self, x):
        """Sends x."""
        return 1

    def close(self):
        pass
'''


def code(text: str, language: str | None, size: int = 320) -> list[Chunk]:
    document = LoadedDocument(text=text, syntax="code", code_language=language)
    chunks = chunk_document("a.py", document, size=size)
    assert_sound(document, chunks, size=size)
    return chunks


def named(chunks: list[Chunk]) -> list[tuple[str | None, str | None]]:
    return [(chunk.symbol, chunk.node_kind) for chunk in chunks]


def test_a_definition_is_a_chunk_with_its_comment_and_decorator() -> None:
    chunks = code(PYTHON, "python")
    assert named(chunks) == [(None, "module"), ("hello", "function"), ("Client", "class")]
    assert chunks[1].text.startswith("# Says hello.\n@cached\ndef hello(name):")
    assert chunks[0].title == "Sends things."
    assert chunks[1].context == "hello"
    assert chunks[1].heading == ()


def test_a_class_that_does_not_fit_is_taken_apart_into_methods() -> None:
    chunks = code(PYTHON, "python", size=32)
    assert named(chunks)[-3:] == [
        ("Client", "class"),
        ("Client.send", "method"),
        ("Client.close", "method"),
    ]
    assert chunks[-2].text.startswith("    # Sends it.\n    def send(self, x):")


def test_every_part_of_a_long_function_carries_its_first_line() -> None:
    body = "".join(f"    value_{n} = compute(value, {n})\n" for n in range(60))
    chunks = code(f"def long_one(value):\n{body}", "python", size=80)
    assert len(chunks) > 3
    assert {chunk.symbol for chunk in chunks} == {"long_one"}
    assert all("def long_one(value):" in chunk.context for chunk in chunks[1:])
    assert "def long_one" not in chunks[0].context


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "go",
            "package x\n\n// Send sends.\nfunc (c *Client) Send(n int) error {\n\treturn nil\n}\n",
            [(None, "module"), ("Client.Send", "method")],
        ),
        (
            "rust",
            "use std::fmt;\n\n/// New.\n#[inline]\npub fn new(x: i32) -> i32 { x }\n",
            [(None, "import"), ("new", "function")],
        ),
        (
            "java",
            "import a.B;\n\n/** Doc. */\n@Deprecated\nclass Client {\n  void send() {}\n}\n",
            [(None, "import"), ("Client", "class")],
        ),
        (
            "typescript",
            "import { x } from 'y';\n\n// Sends.\nexport const send = async () => {\n  x();\n};\n",
            [(None, "import"), ("send", "function")],
        ),
        (
            "javascript",
            "const LIMIT = 3;\n\nexport class Client {\n  send() {}\n}\n",
            [(None, "constant"), ("Client", "class")],
        ),
        (
            "cpp",
            "#include <a>\n\nvoid ns::Client::send(int x) {\n  return;\n}\n",
            [(None, "import"), ("ns.Client.send", "function")],
        ),
        (
            "c",
            "#include <a.h>\n\n/* Finds. */\nstatic int *find(void)\n{\n  return 0;\n}\n",
            [(None, "import"), ("find", "function")],
        ),
        (
            "bash",
            "#!/bin/sh\nset -e\n\n# Starts.\nstart() {\n  echo hi\n}\n",
            [(None, "module"), ("start", "function")],
        ),
    ],
)
def test_definitions_are_named_in_each_language(
    language: str, text: str, expected: list[tuple[str | None, str]]
) -> None:
    chunks = code(text, language)
    assert named(chunks) == expected
    assert "\n}" in chunks[-1].text or chunks[-1].text.endswith("}")


def test_what_follows_the_last_member_stays_with_it() -> None:
    chunks = code("namespace ns {\n\nint f() { return 1; }\n\n}  // namespace ns\n", "cpp")
    assert named(chunks) == [("ns.f", "function")]


def test_a_language_without_grammar_is_cut_at_unindented_lines() -> None:
    text = "".join(f"key{n}:\n  a: 1\n\n  b: {n}\n\n" for n in range(20))
    chunks = code(text, "yaml", size=40)
    assert len(chunks) > 3
    assert all(chunk.text.startswith("key") for chunk in chunks)


@pytest.mark.parametrize("language", ["cpp", "java", "python", "bash"])
def test_deep_nesting_does_not_exhaust_the_stack(language: str) -> None:
    code("class A { " * 400 + "\n", language)
    code("#if 1\n" * 400 + "int x;\n", language)
