"""Does support tell true claims from false ones? Pairs of {claim, source, supported}, one a line.

python bench/support.py FOLDER...   each with a pairs.jsonl
"""

import json
import sys
import time
from pathlib import Path

from rag.core.support import check_support, support_score
from rag.domain.answer import Claim, SourceText


def auroc(scores: list[float], labels: list[bool]) -> float:
    """Chance that a supported pair scores above an unsupported one; ties count half."""
    ranked = sorted(zip(scores, labels, strict=True))
    positives = sum(labels)
    rank_sum, position = 0.0, 0
    while position < len(ranked):
        tied = position
        while tied < len(ranked) and ranked[tied][0] == ranked[position][0]:
            tied += 1
        middle = (position + 1 + tied) / 2
        rank_sum += middle * sum(label for _, label in ranked[position:tied])
        position = tied
    negatives = len(labels) - positives
    return (rank_sum - positives * (positives + 1) / 2) / (positives * negatives)


def measure(folder: Path) -> dict[str, float]:
    lines = (folder / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    labels = [bool(pair["supported"]) for pair in pairs]
    scores = [support_score(pair["claim"], pair["source"]) for pair in pairs]
    started = time.perf_counter()
    flags = [_flagged(pair["claim"], pair["source"]) for pair in pairs]
    each = (time.perf_counter() - started) / len(pairs)
    hits = sum(flag and not label for flag, label in zip(flags, labels, strict=True))
    false = sum(flag and label for flag, label in zip(flags, labels, strict=True))
    passed_true, passed_false = sum(labels) - false, len(labels) - sum(labels) - hits
    return {
        "n": len(pairs),
        "auroc": auroc(scores, labels),
        "f1": 2 * passed_true / max(1, 2 * passed_true + passed_false + false),
        "flagged": hits / max(1, len(labels) - sum(labels)),
        "false_alarm": false / max(1, sum(labels)),
        "ms": each * 1000,
    }


def _flagged(claim: str, source: str) -> bool:
    stated = Claim(text=claim, start=0, end=len(claim), markers=("S1",), verdict="supported")
    (checked,) = check_support([stated], [SourceText(marker="S1", text=source)])
    return checked.verdict == "unsupported"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        figures = measure(Path(name))
        print(Path(name).name, *(f"{key} {value:.3f}" for key, value in figures.items()))
