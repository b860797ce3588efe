"""Source code and structured settings files."""

from pathlib import Path

from rag.core.decoding import decode
from rag.domain.documents import Limits, LoadedDocument
from rag.loaders import read_file

# `.h` may be C or C++; the C++ grammar reads both.
_LANGUAGES = {
    "bash": (".sh", ".bash", ".zsh", ".ksh"),
    "c": (".c",),
    "cpp": (".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".ipp"),
    "css": (".css", ".scss", ".less"),
    "csharp": (".cs",),
    "go": (".go",),
    "ini": (".ini", ".cfg", ".conf", ".properties"),
    "java": (".java",),
    "javascript": (".js", ".mjs", ".cjs", ".jsx"),
    "json": (".json", ".jsonl", ".ndjson"),
    "kotlin": (".kt", ".kts"),
    "lua": (".lua",),
    "perl": (".pl", ".pm"),
    "php": (".php",),
    "powershell": (".ps1", ".psm1"),
    "proto": (".proto",),
    "python": (".py", ".pyi"),
    "r": (".r",),
    "ruby": (".rb",),
    "rust": (".rs",),
    "scala": (".scala",),
    "sql": (".sql",),
    "swift": (".swift",),
    "terraform": (".tf", ".hcl"),
    "toml": (".toml",),
    "tsx": (".tsx",),
    "typescript": (".ts", ".mts", ".cts"),
    "xml": (".xml", ".xsd", ".wsdl"),
    "yaml": (".yaml", ".yml"),
}
_BY_SUFFIX = {suffix: name for name, suffixes in _LANGUAGES.items() for suffix in suffixes}

SUFFIXES = frozenset(_BY_SUFFIX)
VERSION = "1"


def load(path: Path, limits: Limits) -> LoadedDocument:
    """The file's own text, with the name of its language. Raises `LoadError`."""
    text = decode(read_file(path, limits))
    return LoadedDocument(text=text, syntax="code", code_language=_BY_SUFFIX[path.suffix.lower()])
