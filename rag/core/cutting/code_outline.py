"""The outline of source code: definitions with their comments, from tree-sitter grammars.

Only grammars that ship inside their wheels are used; nothing is downloaded. A language without
one is cut at unindented lines behind empty ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from rag.core.cutting.blocks import Block, BlockKind, Lines, Outline, fill_gaps

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_SCRIPT_KINDS = {
    "import_statement": "import",
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "class_declaration": "class",
    "abstract_class_declaration": "class",
    "method_definition": "method",
    "lexical_declaration": "constant",
    "variable_declaration": "constant",
    "interface_declaration": "interface",
    "type_alias_declaration": "type",
    "enum_declaration": "enum",
    "internal_module": "namespace",
    "public_field_definition": "constant",
    "field_definition": "constant",
}
_C_KINDS = {
    "preproc_include": "import",
    "using_declaration": "import",
    "preproc_def": "constant",
    "preproc_function_def": "macro",
    "function_definition": "function",
    "struct_specifier": "class",
    "union_specifier": "class",
    "class_specifier": "class",
    "enum_specifier": "enum",
    "type_definition": "type",
    "alias_declaration": "type",
    "namespace_definition": "namespace",
    "declaration": "constant",
}

# Node types of each grammar that are definitions, and the kind shown to people.
_KINDS: dict[str, dict[str, str]] = {
    "python": {
        "import_statement": "import",
        "import_from_statement": "import",
        "future_import_statement": "import",
        "function_definition": "function",
        "class_definition": "class",
        "expression_statement": "constant",
        "type_alias_statement": "type",
    },
    "javascript": _SCRIPT_KINDS,
    "typescript": _SCRIPT_KINDS,
    "tsx": _SCRIPT_KINDS,
    "go": {
        "import_declaration": "import",
        "function_declaration": "function",
        "method_declaration": "method",
        "type_declaration": "type",
        "const_declaration": "constant",
        "var_declaration": "constant",
    },
    "rust": {
        "use_declaration": "import",
        "extern_crate_declaration": "import",
        "function_item": "function",
        "function_signature_item": "function",
        "struct_item": "class",
        "union_item": "class",
        "enum_item": "enum",
        "trait_item": "trait",
        "impl_item": "class",
        "mod_item": "namespace",
        "const_item": "constant",
        "static_item": "constant",
        "type_item": "type",
        "macro_definition": "macro",
    },
    "java": {
        "package_declaration": "import",
        "import_declaration": "import",
        "class_declaration": "class",
        "record_declaration": "class",
        "interface_declaration": "interface",
        "annotation_type_declaration": "interface",
        "enum_declaration": "enum",
        "method_declaration": "method",
        "constructor_declaration": "method",
        "field_declaration": "constant",
    },
    "c": _C_KINDS,
    "cpp": _C_KINDS,
    "bash": {"function_definition": "function", "variable_assignment": "constant"},
}

# Nodes that only wrap a definition: decorators, `export`, templates.
_WRAPPERS = frozenset({"decorated_definition", "export_statement", "template_declaration"})
# Nodes around statements that are not a definition themselves but hold some.
_TRANSPARENT = frozenset(
    {"preproc_ifdef", "preproc_if", "preproc_else", "linkage_specification", "declaration_list"}
)
_ATTACHED = frozenset(
    {"comment", "line_comment", "block_comment", "attribute_item", "decorator", "marker_annotation"}
)
_CONTAINERS = frozenset({"class", "interface", "trait", "namespace", "enum"})
_BODY_FIELDS = ("body", "declaration_list")

_GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "bash": ("tree_sitter_bash", "language"),
}

# Levels of members inside members; code written by people has five or six. Bounds the recursion.
_DEEPEST = 20

# Characters of a file that is parsed; a longer one is data or generated. The scanner of the shell
# grammar takes quadratic time on hostile here-documents: 3 s at this length.
_LONGEST_PARSED = 500_000
_LONGEST_SHELL = 50_000
# A longer line is data or minified; several scanners take quadratic time on one long line of signs.
_LONGEST_LINE = 5_000

# What is left of a body behind its last member: brackets, perhaps with a remark.
_CLOSING = re.compile(r"[\s})\];]*(?:(?://|#|/\*)[^\n]*)?")

# A run of lines up to the next unindented line that follows an empty one.
_SECTION = re.compile(r"\n[ \t\r]*\n(?=[^\s}\])])")


def outline_code(text: str, language: str | None, fits: Callable[[str], bool]) -> Outline:
    """Blocks of source code. `fits` says whether a definition can stay whole in one chunk; one that
    does not is taken apart into its members."""
    if language not in _GRAMMARS or not _parsable(text, language):
        return Outline(tuple(fill_gaps(text, list(_sections(text)))))
    root = _parser(language).parse(text.encode("utf-8", "replace")).root_node
    reader = _Reader(text, _KINDS[language], fits)
    blocks = reader.members(root, (), None, 0, len(text))
    return Outline(tuple(fill_gaps(text, blocks)), _docstring_title(text, language, root))


def _parsable(text: str, language: str) -> bool:
    limit = _LONGEST_SHELL if language == "bash" else _LONGEST_PARSED
    return len(text) <= limit and max(map(len, text.split("\n"))) <= _LONGEST_LINE


def _sections(text: str) -> Iterator[Block]:
    start = 0
    for gap in _SECTION.finditer(text):
        yield Block(start, gap.end(), "code", node_kind="module")
        start = gap.end()
    yield Block(start, len(text), "code", node_kind="module")


@dataclass(frozen=True, slots=True)
class _Definition:
    """A statement of a body with what is written right above it."""

    node: Node
    """The definition itself, without decorators or `export`."""
    first_line: int
    end_line: int
    """Behind its last line."""
    kind: str | None


class _Reader:
    def __init__(self, text: str, kinds: dict[str, str], fits: Callable[[str], bool]) -> None:
        self._text = text
        self._kinds = kinds
        self._fits = fits
        self.lines = Lines(text)

    def members(
        self, body: Node, path: tuple[str, ...], inside: str | None, start: int, end: int
    ) -> list[Block]:
        """Blocks that cover the document from `start` to `end`, where `body` stands."""
        blocks: list[Block] = []
        for definition in self._definitions(body, inside):
            first = max(start, self.lines.start(definition.first_line))
            last = min(end, self.lines.start(definition.end_line))
            if first >= last:
                continue
            if self._text[start:first].strip():
                # `namespace a {` says nothing without what it opens
                kind: BlockKind = "lead" if inside == "namespace" and not blocks else "code"
                blocks.append(self._statement(kind, start, first, path, inside))
            blocks += self._definition(definition, path, inside, first, last)
            start = last
        rest = self._text[start:end]
        if blocks and _CLOSING.fullmatch(rest.strip()):
            blocks[-1] = replace(blocks[-1], end=end)
        elif rest.strip():
            blocks.append(self._statement("code", start, end, path, inside))
        return blocks

    def _definition(
        self,
        definition: _Definition,
        path: tuple[str, ...],
        inside: str | None,
        start: int,
        end: int,
    ) -> Iterator[Block]:
        node, kind = definition.node, definition.kind
        if kind is None or kind in ("import", "constant"):
            yield Block(start, end, "code", path, len(path), node_kind=inside or kind or "module")
            return
        name = _name(node)
        own = (*path, *name)
        body = next((b for f in _BODY_FIELDS if (b := node.child_by_field_name(f))), None)
        whole = kind != "namespace" and self._fits(self._text[start:end])
        if whole or kind not in _CONTAINERS or body is None or len(path) > _DEEPEST:
            yield Block(
                start,
                end,
                "code",
                own,
                len(path),
                header=self._signature(node),
                header_end=self.lines.start(node.start_point.row + 1),
                node_kind=kind,
            )
            return
        yield from self.members(body, own, kind, start, end)

    def _statement(
        self, kind: BlockKind, start: int, end: int, path: tuple[str, ...], inside: str | None
    ) -> Block:
        return Block(start, end, kind, path, len(path), node_kind=inside or "module")

    def _signature(self, node: Node) -> str:
        row = node.start_point.row
        return self._text[self.lines.start(row) : self.lines.start(row + 1)].strip()

    def _definitions(self, body: Node, inside: str | None, depth: int = 0) -> Iterator[_Definition]:
        attached: int | None = None  # first line of the comments right above the next statement
        previous_end = -1
        for child in body.named_children:
            first, last = child.start_point.row, _last_row(child)
            if child.type in _ATTACHED:
                if first == previous_end:  # behind a statement, on its line
                    continue
                if attached is None or first > previous_end + 1:
                    attached = first
                previous_end = last
                continue
            if attached is None or first > previous_end + 1:
                attached = first
            if child.type in _TRANSPARENT and depth < _DEEPEST:
                yield from self._definitions(child, inside, depth + 1)
            else:
                node = _unwrap(child)
                yield _Definition(node, attached, last + 1, self._kind(node, inside))
            attached = None
            previous_end = last

    def _kind(self, node: Node, inside: str | None) -> str | None:
        kind = self._kinds.get(node.type)
        if kind == "function" and inside in _CONTAINERS and inside != "namespace":
            return "method"
        if node.type == "expression_statement":
            is_assignment = any(c.type == "assignment" for c in node.named_children)
            return "constant" if is_assignment else None
        if kind == "constant" and _holds_function(node):
            return "function"
        return kind


def _unwrap(node: Node) -> Node:
    while node.type in _WRAPPERS:
        inner = (
            node.child_by_field_name("definition")
            or node.child_by_field_name("declaration")
            or (node.named_children[-1] if node.named_children else None)
        )
        if inner is None:
            return node
        node = inner
    return node


def _last_row(node: Node) -> int:
    """Last line a node reaches; one that ends with its line break does not reach the next."""
    row, column = node.end_point.row, node.end_point.column
    return row - 1 if column == 0 and row > node.start_point.row else row


def _holds_function(node: Node) -> bool:
    """`const f = () => ...`, a function in all but syntax."""
    return any(
        (value := child.child_by_field_name("value")) is not None
        and value.type in ("arrow_function", "function_expression", "function")
        for child in node.named_children
    )


def _name(node: Node) -> tuple[str, ...]:
    """The names a definition adds to the path: a Go method adds its receiver's type too."""
    receiver = node.child_by_field_name("receiver")
    named = node.child_by_field_name("type" if node.type == "impl_item" else "name")
    named = named or node.child_by_field_name("declarator")
    if named is None:  # the name is one level down: `type T struct`, `const f = ...`
        inner = [child for child in node.named_children if child.child_by_field_name("name")]
        named = inner[0].child_by_field_name("name") if inner else None
    while named is not None and (deeper := named.child_by_field_name("declarator")) is not None:
        named = deeper
    own = _words(named)
    if receiver is None:
        return own
    owner = re.search(r"(\w+)(?:\[[^\]]*\])?\s*\)\s*$", _source(receiver))
    return (owner[1], *own) if owner else own


def _words(node: Node | None) -> tuple[str, ...]:
    name = _source(node) if node is not None else ""
    name = re.sub(r"<.*>", "", name, flags=re.DOTALL)
    return tuple(part for part in re.split(r"::|\.", name.strip()) if part)


def _source(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _docstring_title(text: str, language: str, root: Node) -> str | None:
    """First line of a Python module's docstring."""
    if language != "python":
        return None
    first = next((n for n in root.named_children if n.type != "comment"), None)
    if first is None or first.type != "expression_statement" or not first.named_children:
        return None
    string = first.named_children[0]
    if string.type != "string":
        return None
    body = re.sub(r"^[rRuU]*(?:'''|\"\"\"|'|\")|(?:'''|\"\"\"|'|\")$", "", _source(string))
    return next((line.strip() for line in body.splitlines() if line.strip()), None)


@cache
def _parser(language: str) -> Parser:
    import importlib

    from tree_sitter import Language, Parser

    module, function = _GRAMMARS[language]
    return Parser(Language(getattr(importlib.import_module(module), function)()))
