"""`rag` alone: what to do next in this folder."""

from pathlib import Path

from rag.cli.console import out


def welcome(root: Path | None) -> None:
    from rag.config import SETTINGS_FILE, find_root

    folder = root or find_root(Path.cwd())
    out("citebound: answers over your own documents, each bound to checked sources.\n")
    if (folder / ".rag" / "catalog.sqlite").is_file():
        out('  rag ask "your question"     ask the documents that are indexed here')
        out("  rag index                   bring the index up to date")
    elif (folder / SETTINGS_FILE).is_file() or (folder / "knowledge").is_dir():
        out("  rag index                   index the documents in knowledge/")
        out('  rag ask "your question"     then ask')
    else:
        out("  rag init                    set this folder up with a knowledge/ to fill")
        out("  rag index                   then index it")
        out('  rag ask "your question"     and ask')
    out("\n  rag --help                  all commands")
