"""The lexical index: BM25 over analysed terms, kept by tantivy.

tantivy takes no tokenizer written in Python, so the analyzer's terms go in joined by spaces and
are split at spaces only. Queries are built from analysed terms, term by term: no query string is
ever parsed, so nothing in a question can act as syntax.
"""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from math import log1p
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from rag.core.analyzer import ANALYZER_VERSION, analyze
from rag.core.globs import select_paths
from rag.core.passage import WORDS_VERSION, lexical_text
from rag.core.query_terms import looked_up
from rag.domain.documents import Chunk
from rag.domain.errors import IndexUnusable
from rag.domain.retrieval import Filter, Hit

if TYPE_CHECKING:
    import tantivy

LEXICAL_FOLDER = "lexical"
_LAYOUT_VERSION = "layout-2"
_VERSION_FILE = "terms.version"
LEXICAL_VERSION = f"{ANALYZER_VERSION}/{WORDS_VERSION}/{_LAYOUT_VERSION}"
"""Everything that decides the stored terms. Another one means that the index must be rebuilt."""

# One thread fills this much memory before it writes a segment; tantivy's own default for one.
_WRITER_BYTES = 128_000_000


class LexicalIndex:
    """Implements `LexicalWriter`. Nothing is opened before the first call."""

    def __init__(self, index_dir: Path) -> None:
        self._folder = index_dir / LEXICAL_FOLDER
        self._writer_or_none: Any = None
        self._committed: tuple[int, ...] = ()

    @classmethod
    def open(cls, index_dir: Path) -> Self:
        """For reading, or writing by whoever holds the writer's lock."""
        return cls(index_dir)

    @property
    def version(self) -> str:
        return LEXICAL_VERSION

    def search(self, query: str, limit: int, filter: Filter) -> list[Hit]:
        terms = looked_up(query)
        if not terms or limit < 1:
            return []
        with _translated():
            searcher = self._searcher()
            wanted = self._query(terms, filter, searcher)
            if wanted is None or not searcher.num_docs:
                return []
            found = searcher.search(wanted, limit=min(limit, searcher.num_docs), count=False)
            hits = [
                Hit(chunk_id=searcher.doc(address).get_first("chunk_id"), score=score)
                for score, address in found.hits
            ]
        # Equal scores come in the order of segments, which differs from run to run.
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))

    def rarity(self, query: str) -> dict[str, float]:
        with _translated():
            searcher = self._searcher()
            held_by = {term: searcher.doc_freq("text", term) for term in looked_up(query)}
        # tantivy's own: Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009).
        return {
            term: log1p((max(searcher.num_docs, held) - held + 0.5) / (held + 0.5))
            for term, held in held_by.items()
        }

    def count(self) -> int:
        with _translated():
            return int(self._searcher().num_docs)

    def replace(self, paths: Sequence[str], chunks: Iterable[Chunk]) -> None:
        with self._commit() as writer:
            for path in paths:
                writer.delete_documents_by_term("path", path)
            self._add(writer, chunks)

    def rebuild(self, chunks: Iterable[Chunk]) -> None:
        self.close()
        if not self._readable():
            shutil.rmtree(self._folder, ignore_errors=True)
        with self._commit() as writer:
            writer.delete_all_documents()
            self._add(writer, chunks)

    def close(self) -> None:
        """Ends writing; merges that run in the background are waited for."""
        if self._writer_or_none is not None:
            self._writer_or_none.wait_merging_threads()
            self._writer_or_none = None

    def _query(
        self, terms: Sequence[str], filter: Filter, searcher: "tantivy.Searcher"
    ) -> "tantivy.Query | None":
        """Any of the terms; None when the filter leaves nothing."""
        from tantivy import Occur, Query

        schema = self._index.schema
        should = [(Occur.Should, Query.term_query(schema, "text", term, "freq")) for term in terms]
        must = [(Occur.Must, Query.boolean_query(should))]
        for field, allowed in self._allowed(filter, searcher).items():
            if not allowed:
                return None
            within = Query.term_set_query(schema, field, allowed)
            must.append((Occur.Must, Query.const_score_query(within, 0.0)))
        return Query.boolean_query(must)

    def _allowed(self, filter: Filter, searcher: "tantivy.Searcher") -> dict[str, list[str]]:
        """Field to the values that a hit may have there."""
        allowed: dict[str, list[str]] = {}
        if filter.paths:
            paths = (path for path, _ in searcher.terms_with_prefix("path", ""))
            allowed["path"] = select_paths(paths, filter.paths)
        if filter.languages:
            allowed["language"] = list(filter.languages)
        return allowed

    def _add(self, writer: "tantivy.IndexWriter", chunks: Iterable[Chunk]) -> None:
        from tantivy import Document

        for chunk in chunks:
            writer.add_document(
                Document(
                    chunk_id=chunk.chunk_id,
                    path=chunk.path,
                    language=chunk.language,
                    text=" ".join(analyze(lexical_text(chunk))),
                )
            )

    @contextmanager
    def _commit(self) -> Iterator["tantivy.IndexWriter"]:
        with _translated():
            if self._writer_or_none is None:
                if not self._folder.is_dir():
                    self._folder.mkdir(parents=True)
                    (self._folder / _VERSION_FILE).write_text(LEXICAL_VERSION)
                # One thread: segments, and with them the order of equal scores, are reproducible.
                self._writer_or_none = self._index.writer(_WRITER_BYTES, 1)
            writer = self._writer_or_none
            try:
                yield writer
            except BaseException:
                writer.rollback()
                raise
            writer.commit()

    def _searcher(self) -> "tantivy.Searcher":
        """On what was committed last, by whatever process. Opening that anew costs as much as a
        search, so it is done when a commit has replaced tantivy's list of segments."""
        index = self._index
        listed = (self._folder / "meta.json").stat()
        committed = (listed.st_ino, listed.st_mtime_ns, listed.st_size)
        if committed != self._committed:
            index.reload()
            self._committed = committed
        return index.searcher()

    @cached_property
    def _index(self) -> "tantivy.Index":
        import tantivy

        if not self._folder.is_dir():
            raise IndexUnusable("the lexical index is missing", "run `rag index`")
        if (stored := self._stored_version()) != LEXICAL_VERSION:
            raise IndexUnusable(
                f"the lexical index was written with analyzer {stored}, this version has"
                f" {LEXICAL_VERSION}",
                "run `rag index`",
            )
        with _translated():
            index = tantivy.Index(_schema(), path=str(self._folder))
            words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
            index.register_tokenizer("terms", words)
            # The reader is brought up to date before each search, not by a thread of its own.
            index.config_reader(reload_policy="manual")
        return index

    def _stored_version(self) -> str:
        try:
            return (self._folder / _VERSION_FILE).read_text().strip()
        except FileNotFoundError:
            return "unknown"

    def _readable(self) -> bool:
        try:
            self.count()
        except IndexUnusable:
            self.__dict__.pop("_index", None)
            return False
        return True


def _schema() -> "tantivy.Schema":
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("chunk_id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("path", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("language", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("text", tokenizer_name="terms", index_option="freq")
    return builder.build()


@contextmanager
def _translated() -> Iterator[None]:
    """tantivy raises ValueError and OSError for whatever is wrong with its files."""
    try:
        yield
    except (ValueError, OSError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
        raise IndexUnusable(
            f"the lexical index cannot be used: {why}", "run `rag index --rebuild`"
        ) from error
