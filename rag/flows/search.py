"""The first stage: one query to the best passages, by words and by meaning."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from rag.core.arrange import LOOKED_AT, arrange, weights_without
from rag.core.compatible import require_same_embedder
from rag.core.crosslingual import moved_question
from rag.core.fuse import DEPTH, fuse
from rag.core.globs import select_paths
from rag.core.keywords import keywords
from rag.core.language import detect_language
from rag.core.passage import query_text
from rag.domain.documents import Chunk
from rag.domain.errors import RagError, UsageError
from rag.domain.ports import Catalog, Embedder, LexicalIndex, VectorIndex
from rag.domain.retrieval import Filter, Hit, Mode, Retrieved


@dataclass(frozen=True)
class Searcher:
    """Searches one index. The vector side is opened on first use: lexical search does without."""

    catalog: Catalog
    lexical: LexicalIndex
    vectors: Callable[[], VectorIndex]
    embedder: Callable[[], Embedder]

    def search(
        self,
        query: str,
        *,
        mode: Mode = "hybrid",
        limit: int = 20,
        filter: Filter = Filter(),  # noqa: B008  # frozen
        without: Collection[str] = (),
    ) -> Retrieved:
        """At most `limit` candidates, best first; none when nothing shares a word or is near.

        Args:
            without: parts of the score to leave out, of those in `arrange.WEIGHTS`.

        Raises:
            UsageError: the query has no letter or digit, or the score no such part.
            IndexUnusable: the index was made by another embedder.
            RagError: every retriever of this mode failed.
        """
        if not any(char.isalnum() for char in query):
            raise UsageError("the query has no letter or digit", "ask with at least one word")
        weights = weights_without(without)
        retrievers: dict[str, Callable[[], list[Hit]]] = {}
        depth, words = max(DEPTH, limit), keywords(query)
        if mode != "vector":
            retrievers["lexical"] = lambda: self.lexical.search(words, depth, filter)
        if mode != "lexical":
            self._require_same_embedder()
            retrievers["vector"] = lambda: self._nearest(query, depth, filter)
        lists, degraded = _gather(retrievers)
        if "vector" in lists and (pending := self.catalog.vectors_pending()):
            degraded.append(f"vector: {pending} passages have no vector yet")
        fused = fuse(lists.get("lexical", []), lists.get("vector", []))
        if not fused and self._is_outside(filter):
            degraded.append(f"no document matches {' or '.join(filter.paths)}")
        chunks = self._known([hit.chunk_id for hit in fused], max(limit, LOOKED_AT))
        rarity = self.lexical.rarity(words) if "lexical" in lists else {}
        candidates = arrange(query, fused, chunks, rarity=rarity, limit=limit, weights=weights)
        return Retrieved(query=query, candidates=candidates, degraded=tuple(degraded))

    def _known(self, chunk_ids: Sequence[str], wanted: int) -> dict[str, Chunk]:
        """The first `wanted` that the catalog knows; a hit that it does not know takes no place."""
        known: dict[str, Chunk] = {}
        for start in range(0, len(chunk_ids), wanted):
            if len(known) >= wanted:
                break
            page = self.catalog.chunks(chunk_ids[start : start + wanted])
            known.update((chunk.chunk_id, chunk) for chunk in page)
        return known

    def _is_outside(self, filter: Filter) -> bool:
        """Whether no document is where the search shall look: a slip in the paths, most likely, not
        a gap in the documents."""
        return bool(filter.paths) and not select_paths(self.catalog.documents(), filter.paths)

    def _require_same_embedder(self) -> None:
        """Not a failure that words could make up for: the settings must be mended. An embedder that
        cannot be opened is one, and is told where it is used."""
        try:
            identity = self.embedder().identity
        except RagError:
            return
        require_same_embedder(self.catalog.state(), identity)

    def _nearest(self, query: str, depth: int, filter: Filter) -> list[Hit]:
        """The nearest passages, best first, by the question's vector or by the same moved into the
        other language, whichever is nearer; in an index of one language by that language's."""
        embed_query = self.embedder().embed_query
        asked = embed_query(query_text(query))
        english = detect_language(query) == "en"
        languages = self.catalog.languages()
        if filter.languages:
            languages = languages.intersection(filter.languages)
        sides = {language == "en" for language in languages} or {english}
        questions = [asked] if english in sides else []
        if (not english) in sides:
            questions.append(moved_question(asked, embed_query, english=english))
        return self.vectors().search(questions, depth, filter)


def _gather(
    retrievers: Mapping[str, Callable[[], list[Hit]]],
) -> tuple[dict[str, list[Hit]], list[str]]:
    """What each retriever found, and a line for each that failed; raises when all did."""
    lists: dict[str, list[Hit]] = {}
    failures: dict[str, RagError] = {}
    for name, retrieve in retrievers.items():
        try:
            lists[name] = retrieve()
        except RagError as error:
            failures[name] = error
    if not lists:
        raise next(iter(failures.values()))
    return lists, [f"{name}: {error.message}" for name, error in failures.items()]
