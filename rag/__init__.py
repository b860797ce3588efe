"""citebound: answers over your own documents, each bound to sources that the program checked."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rag.assistant import Assistant

__version__ = "0.1.0"
__all__ = ["Assistant", "__version__"]


def __getattr__(name: str) -> Any:
    """Import `Assistant` on first use: `rag --help` must not load an index or a model."""
    if name == "Assistant":
        from rag.assistant import Assistant

        return Assistant
    raise AttributeError(f"module 'rag' has no attribute {name!r}")
