"""Whether an index may be searched or written with today's settings."""

from rag.domain.errors import IndexUnusable
from rag.domain.index import IndexState


def require_same_embedder(state: IndexState, embedder: str) -> None:
    """Vectors of two embedders cannot be compared, even where their dimensions agree.

    Raises:
        IndexUnusable: the index holds vectors of another embedder than `embedder`.
    """
    if state.embedder not in (None, embedder):
        raise IndexUnusable(
            f"the index was made by embedder {state.embedder}, the settings name {embedder}",
            "run `rag index --rebuild`, or set the embedder back",
        )
