"""The vector index: cosine whatever the norms, of one embedder, within every limit of Chroma."""

import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rag.domain.documents import Chunk, Language
from rag.domain.errors import IndexUnusable
from rag.domain.ports import Vectors
from rag.domain.retrieval import Filter
from rag.stores.vectors import VectorIndex

EVERYTHING = Filter()
DIMENSION = 8


def chunk(number: int, path: str = "a.md", language: Language = "en") -> Chunk:
    return Chunk(
        chunk_id=f"c{number}",
        path=path,
        title="",
        ordinal=number,
        start=0,
        end=1,
        start_line=1,
        end_line=1,
        text="x",
        language=language,
    )


def random_rows(count: int, seed: int = 1) -> Vectors:
    return np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)


def opened(folder: Path, embedder: str = "E1") -> VectorIndex:
    return VectorIndex.open(folder, embedder=embedder, dimension=DIMENSION)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[VectorIndex]:
    made = opened(tmp_path)
    yield made
    made.close()


def test_scores_are_cosines_whatever_the_norms(index: VectorIndex) -> None:  # B25
    rows = random_rows(20)
    rows *= np.linspace(1, 50, 20, dtype=np.float32)[:, None]
    index.put([chunk(n) for n in range(20)], rows)
    query = rows[7] / np.linalg.norm(rows[7])
    hits = index.search([query], 20, EVERYTHING)
    assert hits[0].chunk_id == "c7" and hits[0].score == pytest.approx(1)
    for hit in hits:
        row = rows[int(hit.chunk_id[1:])]
        assert hit.score == pytest.approx(float(query @ row / np.linalg.norm(row)), abs=1e-5)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_passage_embedded_anew_is_found(tmp_path: Path) -> None:
    """Written over the old vectors, Chroma loses the way to some for good."""
    random, count, dimension = np.random.default_rng(1), 3_000, 16
    topics = random.standard_normal((50, dimension))
    old = topics[random.integers(50, size=count)] + 0.05 * random.standard_normal(
        (count, dimension)
    )
    new = old + 0.05 * random.standard_normal((count, dimension))
    index = VectorIndex.open(tmp_path, embedder="E1", dimension=dimension)
    chunks = [chunk(n) for n in range(count)]
    for rows in (old, new):
        for start in range(0, count, 256):
            part = rows[start : start + 256].astype(np.float32)
            index.put(chunks[start : start + 256], part)
    found = [index.search([row.astype(np.float32)], 1, EVERYTHING)[0].chunk_id for row in new]
    assert [one for one, made in zip(found, chunks, strict=True) if one != made.chunk_id] == []
    index.close()


def test_two_questions_at_once_find_what_is_near_either(index: VectorIndex) -> None:
    rows = random_rows(300)
    index.put([chunk(n) for n in range(300)], rows)
    one, other = (index.search([row], 300, EVERYTHING) for row in random_rows(2, seed=5))
    best = {hit.chunk_id: hit.score for hit in sorted([*one, *other], key=lambda hit: hit.score)}
    both = index.search(list(random_rows(2, seed=5)), 20, EVERYTHING)
    expected = sorted(best, key=lambda key: (-best[key], key))[:20]
    assert [hit.chunk_id for hit in both] == expected
    assert [hit.score for hit in both] == [best[key] for key in expected]


def test_an_empty_index_and_a_large_limit_are_no_errors(index: VectorIndex) -> None:  # B25
    assert index.count() == 0
    assert index.search([random_rows(1)[0]], 5, EVERYTHING) == []
    index.put([chunk(1)], random_rows(1))
    assert len(index.search([random_rows(1)[0]], 1000, EVERYTHING)) == 1
    index.put([], random_rows(0))  # B20
    index.drop([])


def test_more_than_a_batch_of_chroma_goes_in_and_out(index: VectorIndex) -> None:  # B19
    count = 6_000  # one Chroma batch holds 5,461
    ids = [f"c{n}" for n in range(count)]
    index.put([chunk(n) for n in range(count)], random_rows(count))
    assert index.count() == count
    assert set(index.ids()) == set(ids)
    assert len(index.get(ids)) == count
    index.drop(ids)
    assert index.count() == 0


def test_putting_again_replaces(index: VectorIndex) -> None:
    rows = random_rows(2)
    index.put([chunk(1)], rows[:1])
    index.put([chunk(1)], rows[1:])
    assert index.count() == 1
    assert np.allclose(index.get(["c1", "unknown"])["c1"], rows[1], atol=1e-6)


@pytest.mark.parametrize("known_paths", [True, False])
def test_filters_keep_the_nearest_that_pass(tmp_path: Path, known_paths: bool) -> None:
    names = [f"d{n % 10}/f.md" for n in range(400)]
    languages: list[Language] = ["zh-Hant" if n % 40 == 3 else "en" for n in range(400)]
    chunks = [chunk(n, names[n], languages[n]) for n in range(400)]
    rows = random_rows(400)
    index = VectorIndex.open(
        tmp_path,
        embedder="E1",
        dimension=DIMENSION,
        paths=(lambda: sorted(set(names))) if known_paths else None,
    )
    index.put(chunks, rows)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    query = unit[0]
    for filter in (
        Filter(paths=("d3/*",)),
        Filter(languages=("zh-Hant",)),
        Filter(paths=("d3", "d4"), languages=("en",)),
        Filter(paths=("d3/*", "d5/f.md"), languages=("zh-Hant", "zh-Hans")),
        Filter(paths=("**/f.md",)),
    ):
        folders = {p.split("/")[0] for p in filter.paths} - {"**"}
        expected = [
            f"c{n}"
            for n in np.argsort(-(unit @ query), kind="stable")
            if (not folders or names[n].split("/")[0] in folders)
            and (not filter.languages or languages[n] in filter.languages)
        ]
        assert [hit.chunk_id for hit in index.search([query], 8, filter)] == expected[:8]
    assert index.search([query], 8, Filter(paths=("nowhere",))) == []
    index.close()


@pytest.mark.parametrize("name", ["報銷 模型/v1:最新", "E2", "x" * 900])
def test_vectors_of_another_embedder_are_refused_by_name(tmp_path: Path, name: str) -> None:  # B15
    first = opened(tmp_path)
    first.put([chunk(1)], random_rows(1))
    first.close()
    second = opened(tmp_path, name)
    for attempt in (
        lambda: second.search(random_rows(1)[0], 5, EVERYTHING),
        lambda: second.put([chunk(2)], random_rows(1)),
    ):
        with pytest.raises(IndexUnusable) as refusal:
            attempt()
        assert "E1" in refusal.value.message and name in refusal.value.message
        assert "rag index --rebuild" in (refusal.value.hint or "")
    second.reset()
    second.put([chunk(2)], random_rows(1))  # B20: any name will do
    assert second.count() == 1
    second.close()


def test_a_query_of_another_dimension_is_refused(index: VectorIndex) -> None:
    index.put([chunk(1)], random_rows(1))
    with pytest.raises(IndexUnusable, match="8 numbers"):
        index.search([np.ones(9, dtype=np.float32)], 5, EVERYTHING)


def test_a_collection_that_does_not_measure_cosine_is_refused(tmp_path: Path) -> None:  # B25
    import chromadb

    client = chromadb.PersistentClient(str(tmp_path / "chroma"))
    client.create_collection("passages-x", metadata={"embedder": "E1"}, embedding_function=None)
    client.close()
    with pytest.raises(IndexUnusable, match="l2 instead of cosine"):
        opened(tmp_path).search(random_rows(1)[0], 5, EVERYTHING)


def test_reading_makes_no_files(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusable, match="no vectors yet"):
        opened(tmp_path).search(random_rows(1)[0], 5, EVERYTHING)
    assert list(tmp_path.iterdir()) == []


def test_an_index_that_ran_away_on_disk_is_refused_unopened(tmp_path: Path) -> None:  # B23
    first = opened(tmp_path)
    first.put([chunk(1)], random_rows(1))
    first.close()
    with (tmp_path / "chroma" / "link_lists.bin").open("wb") as stream:
        os.truncate(stream.fileno(), 3_000_000_000)  # sparse: takes no room here
    index = VectorIndex.open(tmp_path, embedder="E1", dimension=DIMENSION, rows=lambda: 1)
    for attempt in (lambda: index.search([random_rows(1)[0]], 5, EVERYTHING), index.count):
        with pytest.raises(IndexUnusable, match=r"3\.0 GB") as refusal:
            attempt()
        assert "rag index --rebuild" in (refusal.value.hint or "")
    index.reset()
    index.put([chunk(1)], random_rows(1))
    assert index.count() == 1
    index.close()


def test_a_reader_follows_another_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.stores.vectors._REOPEN_SECONDS", 0.0)
    index = opened(tmp_path)
    index.put([chunk(n) for n in range(3)], random_rows(3))
    index.close()
    reader = opened(tmp_path)
    assert len(reader.search([random_rows(1)[0]], 10, EVERYTHING)) == 3
    child = """
        import sys
        from pathlib import Path
        from tests.stores.test_vector_index import chunk, opened, random_rows
        opened(Path(sys.argv[1])).put([chunk(n) for n in range(3, 9)], random_rows(6, seed=5))
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(child), str(tmp_path)], check=True)
    hits = reader.search([random_rows(6, seed=5)[2]], 10, EVERYTHING)
    assert len(hits) == 9 and hits[0].chunk_id == "c5"
    reader.close()


def test_nothing_is_reported_to_anyone(index: VectorIndex) -> None:
    index.put([chunk(1)], random_rows(1))
    assert index._client.get_settings().anonymized_telemetry is False


def test_a_reset_is_seen_by_a_reader_that_is_open(tmp_path: Path) -> None:
    old = opened(tmp_path)
    old.put([chunk(1)], random_rows(1))
    reader = VectorIndex.open(tmp_path)
    assert len(reader.search([random_rows(1)[0]], 5, EVERYTHING)) == 1
    new = opened(tmp_path, "E2")
    new.reset()
    new.put([chunk(2), chunk(3)], random_rows(2))
    with pytest.raises(IndexUnusable):
        reader.search([random_rows(1)[0]], 5, EVERYTHING)
    assert len(reader.search([random_rows(1)[0]], 5, EVERYTHING)) == 2
    for index in (old, new, reader):
        index.close()
