"""`rag eval retrieval`, from files to exit code, with the real stores and the bundled embedder."""

import json
from pathlib import Path
from typing import Any

import pytest

from rag.cli import main

ROWS = {
    "train": "Employees travel by train whenever that is possible.",
    "backup": "Backups are kept for thirty days and tested every month.",
    "lunch": "The canteen is open from noon to two.",
}
QUESTIONS = {"q1": ("How do people travel?", "train"), "q2": ("備份保留多久？", "backup")}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for the module: the corpus is indexed once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def dataset(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.chdir(tmp_path)
    root = tmp_path / "tiny"
    root.mkdir()
    (root / "corpus.jsonl").write_text(
        "".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in ROWS.items())
    )
    (root / "queries.jsonl").write_text(
        "".join(
            json.dumps({"id": key, "text": text}) + "\n" for key, (text, _) in QUESTIONS.items()
        ),
        encoding="utf-8",
    )
    (root / "qrels.tsv").write_text(
        "q\td\tr\n" + "".join(f"{key}\t{right}\t1\n" for key, (_, right) in QUESTIONS.items())
    )
    return root


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    with pytest.raises(SystemExit) as stop:
        main(["eval", "retrieval", *arguments, "--json"])
    printed = capsys.readouterr()
    assert isinstance(stop.value.code, int), printed.err
    return stop.value.code, json.loads(printed.out or "{}")


def test_the_whole_shape(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, result = run(capsys, str(dataset))
    assert code == 0
    assert (result["dataset"], result["n"]) == ("tiny", 2)
    assert result["metrics"]["hit@1"] == {"value": 1.0, "low": 1.0, "high": 1.0}
    assert result["metrics"]["search_p95_ms"]["value"] > 0
    assert result["by"]["language"].keys() == {"en", "zh-Hant"}
    assert result["settings"]["mode"] == "hybrid"


def test_a_run_is_written_and_measured_again(
    dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, first = run(capsys, str(dataset), "--run-out", "run.txt")
    code, again = run(capsys, str(dataset), "--run-in", "run.txt")
    assert code == 0
    assert again["metrics"]["ndcg@10"] == first["metrics"]["ndcg@10"]


def test_a_fall_below_the_baseline_is_a_regression(
    dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, str(dataset), "--save", "before.json")
    Path("worse.txt").write_text("q1 Q0 lunch 1 1.0 x\nq2 Q0 backup 1 1.0 x\n")
    gate = ("--baseline", "before.json", "--fail-below", "0.02")
    same, _ = run(capsys, str(dataset), *gate)
    worse, result = run(capsys, str(dataset), "--run-in", "worse.txt", *gate)
    assert (same, worse) == (0, 4)
    assert "hit@1" in result["regressions"]
    assert result["baseline"]["hit@1"]["value"] == -0.5


def test_a_part_left_out_is_gone_from_the_scores(
    dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, whole = run(capsys, str(dataset))
    _, less = run(capsys, str(dataset), "--without", "proximity", "--without", "title")
    assert whole["settings"]["without"] == []
    assert less["settings"]["without"] == ["proximity", "title"]


def test_a_gate_without_a_baseline_is_a_usage_error(
    dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _ = run(capsys, str(dataset), "--fail-below", "0.02")
    assert code == 2


def test_documents_that_no_search_can_find_are_named(
    dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (dataset / "qrels.tsv").open("a") as judgements:
        judgements.write("q1\tgone\t1\n")
    with pytest.raises(SystemExit):
        main(["eval", "retrieval", str(dataset)])
    assert "not in the index (1): gone" in capsys.readouterr().err
