"""How long the reranker's guard takes for hostile replies of 100 kB: prints each and the worst.

    python bench/ranking.py [--size BYTES] [--repeat N] [--n CANDIDATES]

The budget is 50 ms of processor time. The best of a few runs counts: what a busy machine adds is
no property of the code.
"""

import argparse
import json
import time
from collections.abc import Callable
from typing import get_args

from rag.core.ranking import parse_ranking
from rag.domain.ranking import RankingMode

BUDGET_MS = 50.0


def _repeat(unit: str, before: str = "", after: str = "") -> Callable[[int], str]:
    return lambda size: (before + unit * (size // len(unit) + 1))[: size - len(after)] + after


HOSTILE: dict[str, Callable[[int], str]] = {
    "open brackets": _repeat("["),
    "nested lists": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "braces": _repeat("{"),
    "lists and braces": _repeat("[{"),
    "nested objects": _repeat('{"a":'),
    "ids": _repeat("1, ", "["),
    "bare ids": _repeat("1 "),
    "one long number": _repeat("1", "[", "]"),
    "long numbers": _repeat("9" * 99 + ",", "["),
    "huge exponents": _repeat("1e999999999,", "["),
    "single ids": _repeat("[1] "),
    "a chain": _repeat("[1] > "),
    "ordinals": _repeat("1. 2\n"),
    "quotes": _repeat('["'),
    "single quotes": _repeat("['"),
    "curly quotes": _repeat("[“"),
    "escaped quotes": _repeat('\\"', '["'),
    "quotes and blanks": _repeat(' "', '["a"'),
    "backslashes": _repeat("\\"),
    "open comments": _repeat("[/*"),
    "signs": _repeat("[-"),
    "arrows": _repeat("="),
    "dots": _repeat("[..."),
    "blanks": _repeat(" ", after="x"),
    "prose": _repeat("The quick brown fox. "),
    "bracketed prose": _repeat("[a "),
    "forgotten brackets": _repeat("[1, 2\nx"),
    "think tags": _repeat("<think>"),
    "closing think tags": _repeat("</think>"),
    "think pairs": _repeat("<think></think>"),
    "channels": _repeat("<|channel|>a<|message|>"),
    "almost tags": _repeat("[<a"),
    "angle brackets": _repeat("<"),
    "backticks": _repeat("`"),
    "fences": _repeat("```json\n[1\n"),
    "entities": _repeat("&lt;think&gt;"),
    "scored objects": _repeat('{"id":1,"score":0.5},', "["),
    "broken objects": _repeat('[{"a" b '),
    "wrapped lists": _repeat('{"ranking":[2, 0]}'),
    "lists as strings": _repeat('{"ranking":"[2, 0]"}'),
    "one long string": lambda size: json.dumps({"ranking": "[2, 0] " * (size // 7)}),
    "strings in strings": _repeat('{"ranking":"{\'ranking\':'),
}


def milliseconds(reply: str, n: int, mode: RankingMode, repeat: int) -> float:
    """The best of `repeat` runs."""
    best = float("inf")
    for _ in range(repeat):
        begin = time.process_time()
        parse_ranking(reply, n, mode)
        best = min(best, time.process_time() - begin)
    return best * 1000


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--size", type=int, default=100_000)
    arguments.add_argument("--repeat", type=int, default=5)
    arguments.add_argument("--n", type=int, default=20)
    options = arguments.parse_args()
    times = {
        f"{name}, {mode}": milliseconds(build(options.size), options.n, mode, options.repeat)
        for name, build in HOSTILE.items()
        for mode in get_args(RankingMode)
    }
    for name, taken in sorted(times.items(), key=lambda item: -item[1]):
        print(f"{taken:8.1f} ms  {name}{'  over budget' if taken > BUDGET_MS else ''}")
    worst = max(times, key=lambda name: times[name])
    print(f"worst: {worst}, {times[worst]:.1f} ms (budget {BUDGET_MS:.0f} ms)")


if __name__ == "__main__":
    main()
