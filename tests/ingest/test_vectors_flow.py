"""B60: one bad text costs one vector, and a dead embedder costs none of the words."""

from collections.abc import Sequence

import numpy as np
import pytest

from rag.domain.errors import ModelError
from rag.domain.ports import Vectors
from rag.flows.vectors import embed_each
from tests.doubles import HashEmbedder
from tests.ingest.workbench import Workbench


class Picky(HashEmbedder):
    """Fails in one way for each word that it knows, fine for all others."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if any("endless" in text for text in texts):
            raise ModelError("the input is longer than 512 tokens", reason="http_error")
        if any("crash" in text for text in texts):
            raise RuntimeError("tensor\nshape")
        vectors = super().embed_passages(texts)
        for row, text in enumerate(texts):
            if "blank" in text:
                vectors[row] = np.nan
            if "dot" in text:
                vectors[row] = 0
        if len(texts) > 1 and any("miscount" in text for text in texts):
            return vectors[1:]
        return vectors


def test_bad_passages_are_named_and_the_others_get_vectors(bench: Workbench) -> None:
    bench.embedder = Picky()
    words = [f"word{n}" for n in range(15)]
    words[3:3] = ["endless", "blank", "miscount", "dot", "crash"]
    bench.write("a.md", "\n\n".join(words))

    report = bench.index()

    assert (report.indexed, report.chunks, report.embedded) == (1, 20, 16)
    assert report.vectors_pending == 0 and report.vectors_stopped is None
    lines = {line.reason.split(" have")[0]: line.reason for line in report.failed}
    assert len(lines) == 4
    assert "longer than 512" in lines["lines 7-7"]
    assert "not finite" in lines["lines 9-9"]
    assert "zero vector" in lines["lines 13-13"]
    assert lines["lines 15-15"].endswith("no vector: tensor")
    with bench.stores() as stores:
        assert stores.vectors.count() == 16
    assert bench.found("endless") == ["a.md"]


def test_a_passage_that_failed_is_tried_again_by_the_next_run(bench: Workbench) -> None:
    bench.embedder = Picky()
    bench.write("a.md", "good\n\nendless")
    assert len(bench.index().failed) == 1
    bench.embedder = HashEmbedder()
    report = bench.index()
    assert (report.unchanged, report.embedded, report.failed) == (1, 1, ())
    bench.require_whole()


class Gone(HashEmbedder):
    """Serves `calls` calls, then the server is away."""

    def __init__(self, calls: int, reason: str) -> None:
        super().__init__()
        self.calls = calls
        self.reason = reason

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self.calls -= 1
        if self.calls < 0:
            raise ModelError("no answer from Ollama", reason=self.reason)  # type: ignore[arg-type]
        return super().embed_passages(texts)


@pytest.mark.parametrize("reason", ["connection", "timeout", "error"])
def test_an_embedder_that_goes_away_keeps_what_it_did(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    monkeypatch.setattr("rag.flows.vectors._CALL", 2)
    bench.embedder = Gone(2, reason)
    bench.write("a.md", "\n\n".join(f"word{n}" for n in range(10)))

    report = bench.index()

    assert (report.indexed, report.embedded, report.vectors_pending) == (1, 4, 6)
    assert report.vectors_stopped and "no answer from Ollama" in report.vectors_stopped
    assert report.failed == ()
    assert bench.found("word9")

    bench.embedder = HashEmbedder()
    resumed = bench.index()
    assert (resumed.embedded, resumed.vectors_pending) == (6, 0)
    bench.require_whole()


def test_one_failing_text_costs_a_logarithm_of_calls() -> None:
    calls = []

    class Counting(Picky):
        def embed_passages(self, texts: Sequence[str]) -> Vectors:
            calls.append(len(texts))
            return super().embed_passages(texts)

    texts = [f"word{n}" for n in range(64)]
    texts[40] = "endless"
    results = embed_each(Counting(), texts)
    assert [isinstance(result, str) for result in results].count(True) == 1
    assert isinstance(results[40], str)
    assert len(calls) <= 2 * 6 + 1


def test_a_narrowed_run_embeds_within_its_scope_only(bench: Workbench) -> None:
    bench.embedder = Gone(0, "connection")
    bench.write("a.md", "Alpha.")
    bench.write("b.md", "Beta.")
    assert bench.index().vectors_pending == 2
    bench.embedder = HashEmbedder()
    report = bench.index(["b.md"])
    assert (report.embedded, report.vectors_pending) == (1, 1)
    assert bench.embedder.embedded == ["Title\nBeta."]
