"""How fast an index is built and read, embedding left out.

    python bench/index.py [--chunks 100000] [--files 10000]

Makes a knowledge folder of English and Chinese Markdown from a fixed seed, indexes it with an
embedder that costs next to nothing, and measures queries, a run with nothing changed and memory.
Budgets: design section 9.
"""

import argparse
import json
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from rag.config import Settings
from rag.domain.index import IngestReport
from rag.domain.ports import Vectors
from rag.domain.retrieval import Filter
from rag.flows.ingest import IndexPorts, ingest
from rag.flows.search import Searcher
from rag.stores.catalog import Catalog
from rag.stores.lexical import LexicalIndex
from rag.stores.vectors import VectorIndex
from rag.wire import reading

DIMENSION = 384
SECTIONS = 20
LIMIT = 100


class FreeEmbedder:
    """Random directions: the cost of embedding is what this benchmark leaves out."""

    dimension = DIMENSION
    identity = f"bench:{DIMENSION}"
    max_tokens = 512

    def __init__(self) -> None:
        self._random = np.random.default_rng(7)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        rows = self._random.standard_normal((len(texts), DIMENSION), dtype=np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed_passages([text])[0]
        return vector


class Writer:
    """Text with the word frequencies of natural language (Zipf), one document in four Chinese."""

    def __init__(self, seed: int = 7) -> None:
        self.random = random.Random(seed)
        letters = "abcdefghijklmnopqrstuvwxyz"
        self.words = [
            "".join(self.random.choices(letters, k=self.random.randint(2, 10)))
            for _ in range(30_000)
        ]
        self.signs = [chr(0x4E00 + n) for n in range(4_000)]
        self.word_weights = self._cumulated(len(self.words))
        self.sign_weights = self._cumulated(len(self.signs))

    def sentence(self, chinese: bool) -> str:
        if chinese:
            return "".join(self._draw(self.signs, self.sign_weights, 25)) + "。"
        return " ".join(self._draw(self.words, self.word_weights, 14)).capitalize() + ". "

    def document(self, number: int, sections: int) -> str:
        chinese = number % 4 == 0
        parts = [f"# Document {number}\n"]
        for section in range(sections):
            parts.append(f"\n## Section {section} {self.sentence(chinese)[:30]}\n\n")
            parts.extend(self.sentence(chinese) for _ in range(9))
            parts.append("\n")
        return "".join(parts)

    def _draw(self, items: list[str], weights: list[float], count: int) -> list[str]:
        return self.random.choices(items, cum_weights=weights, k=count)

    @staticmethod
    def _cumulated(count: int) -> list[float]:
        total, out = 0.0, []
        for rank in range(1, count + 1):
            total += 1 / rank
            out.append(total)
        return out


def write_folder(folder: Path, documents: int, sections: int) -> None:
    writer = Writer()
    for number in range(documents):
        file = folder / f"part{number % 50}" / f"doc{number}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(writer.document(number, sections), encoding="utf-8")


class Bench:
    def __init__(self, workspace: Path) -> None:
        self.settings = Settings(root=workspace)
        index_dir = self.settings.index_dir
        self.embedder = FreeEmbedder()
        self.catalog = Catalog.create(index_dir)
        self.lexical = LexicalIndex.open(index_dir)
        self.vectors = VectorIndex.open(
            index_dir,
            embedder=self.embedder.identity,
            dimension=DIMENSION,
            paths=self.catalog.paths,
            rows=self.catalog.chunk_count,
        )

    def run(self) -> tuple[IngestReport, float, dict[str, float]]:
        """Report, seconds, and seconds by stage."""
        started = time.perf_counter()
        stages: dict[str, float] = {}
        last = started

        def progress(stage: str, done: int, total: int, detail: str = "") -> None:
            nonlocal last
            now = time.perf_counter()
            stages[stage] = stages.get(stage, 0.0) + now - last
            last = now

        ports = IndexPorts(self.catalog, self.lexical, self.vectors, self.embedder)
        report = ingest(
            self.settings.knowledge_dir, reading(self.settings), ports, progress=progress
        )
        return report, time.perf_counter() - started, stages

    def queries(self, count: int = 200) -> dict[str, float]:
        writer = Writer(seed=11)
        texts = [writer.sentence(n % 4 == 0)[:60] for n in range(count)]
        vectors = [self.embedder.embed_query(text) for text in texts]
        everything, narrow = Filter(), Filter(paths=("part7/*",))
        chinese = Filter(languages=("zh-Hant", "zh-Hans"))

        def nearest(n: int, filter: Filter) -> None:
            self.vectors.search([vectors[n]], LIMIT, filter)

        nearest(0, everything)
        lexical = partial(self.lexical.search, limit=LIMIT, filter=everything)
        ids = [[hit.chunk_id for hit in lexical(text)] for text in texts]

        searcher = Searcher(self.catalog, self.lexical, lambda: self.vectors, lambda: self.embedder)
        searcher.search(texts[0])  # what a process learns once: the other language's direction

        def hybrid(n: int) -> None:
            searcher.search(texts[n])

        return {
            "lexical": _p50(count, lambda n: lexical(texts[n])),
            "vector": _p50(count, lambda n: nearest(n, everything)),
            "fetch_100_chunks": _p50(count, lambda n: self.catalog.chunks(ids[n])),
            "hybrid": _p50(count, hybrid),
            # What a busy machine does not change.
            "hybrid_cpu": _p50(count, hybrid, time.process_time),
            "knowledge_version": _p50(count, lambda n: self.catalog.knowledge_version()),
            "lexical_path": _p50(50, lambda n: self.lexical.search(texts[n], LIMIT, narrow)),
            "vector_path": _p50(50, lambda n: nearest(n, narrow)),
            "vector_language": _p50(50, lambda n: nearest(n, chinese)),
        }


def _p50(
    count: int, work: Callable[[int], object], clock: Callable[[], float] = time.perf_counter
) -> float:
    """Median, in milliseconds."""
    times = []
    for n in range(count):
        started = clock()
        work(n)
        times.append(clock() - started)
    return round(statistics.median(times) * 1000, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=10_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        if arguments.chunks:
            bench = _made(Path(scratch) / "large", arguments.chunks // SECTIONS, SECTIONS)
            cpu = time.process_time()
            report, seconds, stages = bench.run()
            cpu = time.process_time() - cpu
            _show(
                "build",
                {
                    "chunks": report.chunks,
                    "seconds": round(seconds, 1),
                    "chunks_per_second": round(report.chunks / seconds),
                    "chunks_per_cpu_second": round(report.chunks / cpu),
                    "seconds_by_stage": {name: round(spent, 1) for name, spent in stages.items()},
                },
            )
            _show("query_ms_p50", bench.queries())
            _show("memory_mb", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
        if arguments.files:
            bench = _made(Path(scratch) / "files", arguments.files, 1)
            bench.run()
            cpu = time.process_time()
            report, seconds, _ = bench.run()
            _show(
                "nothing_changed",
                {
                    "files": report.unchanged,
                    "seconds": round(seconds, 2),
                    "cpu_seconds": round(time.process_time() - cpu, 2),
                    "embedded": report.embedded,
                },
            )


def _show(name: str, value: object) -> None:
    """One JSON object a line, as soon as it is known: the whole takes minutes."""
    print(json.dumps({name: value}), flush=True)


def _made(workspace: Path, documents: int, sections: int) -> Bench:
    folder = workspace / "knowledge"
    folder.mkdir(parents=True)
    write_folder(folder, documents, sections)
    return Bench(workspace)


if __name__ == "__main__":
    main()
