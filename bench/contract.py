"""How long the contract takes for hostile replies of 100 kB: prints each and the worst.

    python bench/contract.py [--size BYTES] [--repeat N]

The budget is 50 ms of processor time. Claims that all say something else take what support takes
for each; that is printed apart. The best of a few runs counts: what a busy machine adds is no
property of the code.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence

from rag.core.contract import judge
from rag.domain.answer import SourceText

MARKERS = ("S1", "S2", "S3")
SOURCES = [
    SourceText(marker=marker, text="One is two. 一是二。 Three is not four.") for marker in MARKERS
]
BUDGET_MS = 50.0


def _repeat(unit: str) -> Callable[[int], str]:
    return lambda size: (unit * (size // len(unit) + 1))[:size]


def _answer(unit: str) -> Callable[[int], str]:
    """A well-formed reply whose answer is `unit` over and over."""

    def build(size: int) -> str:
        answer = unit * (size // len(unit.encode()) + 1)
        return json.dumps(
            {"status": "answered", "answer": answer, "citations": ["S1"]}, ensure_ascii=False
        )

    return build


HOSTILE: dict[str, Callable[[int], str]] = {
    "braces": _repeat("{"),
    "closed braces": _repeat("{}"),
    "nested objects": _repeat('{"a":'),
    "nested lists": _repeat('{"a":[[[['),
    "deep list": lambda size: '{"a":' + "[" * size,
    "quotes": _repeat('"'),
    "brace and quote": _repeat('{"'),
    "brace and single quote": _repeat("{'"),
    "brace and curly quote": _repeat("{“"),
    "open comments": _repeat("{/*"),
    "backslashes": _repeat('{"\\'),
    "think tags": _repeat("<think>"),
    "closing think tags": _repeat("</think>"),
    "think pairs": _repeat("<think></think>"),
    "almost tags": _repeat("<think "),
    "control tokens": _repeat("<|im_start|>"),
    "channels": _repeat("<|channel|>x<|message|>"),
    "angle brackets": _repeat("<"),
    "backticks": _repeat("`"),
    "fences": _repeat("```json\n"),
    "false starts": _repeat('{"status": "answered", '),
    "many objects": _repeat('{"status": "answered"} '),
    "many whole objects": _repeat('{"status": "answered", "answer": "x", "citations": []}'),
    "numbers": _repeat("{1_1_1_1_1"),
    "blanks": lambda size: "{" + "\n" * size,
    "prose": _repeat("The quick brown fox. "),
    "JSON string": lambda size: json.dumps("{" * size),
    "strings in strings": lambda size: json.dumps({"a": json.dumps({"b": "{" * (size // 2)})}),
    "answer: markers": _answer("[S1]"),
    "answer: wide ranges": _answer("[S1-S60]"),
    "answer: open brackets": _answer("["),
    "answer: nested brackets": lambda size: _answer("[" * (size // 2) + "S1" + "]" * (size // 2))(
        size
    ),
    "answer: unclosed markers": _answer("[S1, "),
    "answer: one long group": lambda size: _answer("[S1" + ", S1" * (size // 4) + "]")(size),
    "answer: backticks": _answer("`a``b```c"),
    "answer: code spans": _answer("`[S1]` "),
    "answer: sentences": _answer("One is two. "),
    "answer: cited sentences": _answer("One is two [S1]. "),
    "answer: as many sentences as are read": lambda size: _answer("One is two [S1]. ")(
        min(size, 1990 * len("One is two [S1]. "))
    ),
    "answer: as many bare sentences": lambda size: _answer("One is two. ")(
        min(size, 1990 * len("One is two. "))
    ),
    "answer: Chinese sentences": _answer("一是二。[S1]"),
    "answer: full stops": _answer(". "),
    "answer: lines": _answer("- a\n"),
    "answer: one word": _answer("x"),
    "answer: ligatures": _answer("[Sﷺ"),
    "answer: objects": _answer('{"status": 1} '),
    "citations": lambda size: json.dumps(
        {"status": "answered", "answer": "x [S1]", "citations": ["S1"] * (size // 6)}
    ),
    "citation objects": lambda size: json.dumps(
        {"status": "answered", "answer": "x [S1]", "citations": [{"id": "S1"}] * (size // 14)}
    ),
    "unknown citations": lambda size: json.dumps(
        {
            "status": "answered",
            "answer": "x [S1]",
            "citations": [f"S{number}" for number in range(size // 8)],
        }
    ),
}


def distinct_claims(count: int) -> str:
    """A reply that says something else in each of its cited sentences."""
    things = ("backup", "index", "token", "window", "record")
    said = (f"Every {things[n % 5]} lasts {n} days in room {n * 7} [S1]." for n in range(count))
    return json.dumps({"status": "answered", "answer": " ".join(said), "citations": ["S1"]})


def milliseconds(raw: str, repeat: int, sources: Sequence[SourceText] = SOURCES) -> float:
    """The best of `repeat` runs of the whole judgement."""
    best = float("inf")
    for _ in range(repeat):
        begin = time.process_time()
        judge(raw, MARKERS, sources, support="warn")
        best = min(best, time.process_time() - begin)
    return best * 1000


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--size", type=int, default=100_000)
    arguments.add_argument("--repeat", type=int, default=5)
    options = arguments.parse_args()
    milliseconds(HOSTILE["answer: cited sentences"](100), 1)  # loads what is loaded late
    times = {
        name: milliseconds(build(options.size), options.repeat) for name, build in HOSTILE.items()
    }
    for name, taken in sorted(times.items(), key=lambda item: -item[1]):
        print(f"{taken:8.1f} ms  {name}{'  over budget' if taken > BUDGET_MS else ''}")
    worst = max(times, key=lambda name: times[name])
    print(f"worst: {worst}, {times[worst]:.1f} ms (budget {BUDGET_MS:.0f} ms)")
    page = " ".join(f"Every window lasts {n} days in room {n}." for n in range(60))
    read = [SourceText(marker=marker, text=page) for marker in MARKERS]
    for count in (10, 100, 1000):
        taken = milliseconds(distinct_claims(count), options.repeat, read)
        print(f"support: {taken:.1f} ms for {count} distinct claims, {taken / count:.2f} each")


if __name__ == "__main__":
    main()
