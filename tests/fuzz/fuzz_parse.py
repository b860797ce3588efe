"""Coverage-guided fuzzing of the contract, for as long as one likes.

    pip install atheris          (in an environment of its own; no dependency of the project)
    python tests/fuzz/fuzz_parse.py CORPUS_FOLDER -max_total_time=600

The corpus folder is seeded with the replies of `tests/cases/answers.jsonl`. A find is written to
`crash-*`; turn it into a case there or into a test under `tests/contract`.
"""

import json
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["rag.core", "rag.domain"]):
    from rag.core.contract import judge
    from rag.core.markers import canonicalize
    from rag.core.sentences import split_sentences

CASES = Path(__file__).parents[1] / "cases" / "answers.jsonl"
MARKERS = ("S1", "S2", "S3")


def check(data: bytes) -> None:
    """One reply: no exception, and whatever is accepted is what the contract promises."""
    # Bytes that are no UTF-8 become lone surrogates, which a reply can hold as well.
    raw = data.decode("utf-8", errors="surrogateescape")
    verdict = judge(raw, MARKERS)
    json.dumps(verdict.model_dump(mode="json"), ensure_ascii=False).encode()
    if verdict.accept:
        assert verdict.answer is not None
        used = tuple(dict.fromkeys(span.marker for span in verdict.spans))
        assert used == verdict.citations
        assert set(used) <= set(MARKERS)
        assert bool(used) == (verdict.status == "answered")
        assert canonicalize(verdict.answer).markers == used
    else:
        assert verdict.violations
        assert (verdict.status, verdict.answer, verdict.citations) == (None, None, ())
    done = 0
    for start, end in split_sentences(raw):
        assert done <= start < end
        done = end


def main() -> None:
    folders = [Path(argument) for argument in sys.argv[1:] if not argument.startswith("-")]
    for folder in folders[:1]:
        folder.mkdir(parents=True, exist_ok=True)
        for line in CASES.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            (folder / case["id"]).write_text(case["raw"][:4096], encoding="utf-8")
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
