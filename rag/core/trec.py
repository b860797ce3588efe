"""Ranked lists as TREC run files: `query Q0 document rank score tag`, one hit a line."""

from collections.abc import Mapping, Sequence

from rag.domain.errors import UsageError


def format_run(run: Mapping[str, Sequence[str]], tag: str) -> str:
    """Scores are falling places: every tool that sorts by them gets our order."""
    lines = [
        f"{query} Q0 {document} {place} {1.0 / place:.6f} {tag}"
        for query, documents in run.items()
        for place, document in enumerate(documents, start=1)
    ]
    return "".join(f"{line}\n" for line in lines)


def parse_run(text: str) -> dict[str, list[str]]:
    """Query id to document ids, best score first; equal scores keep the file's order. Document ids
    may hold spaces, as paths do.

    Raises:
        UsageError: a line has fewer than six columns or a score that is no number.
    """
    scored: dict[str, list[tuple[float, str]]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            query, _, rest = line.split(maxsplit=2)
            document, _, score, _ = rest.rsplit(maxsplit=3)
            scored.setdefault(query, []).append((float(score), document))
        except ValueError as error:
            raise UsageError(
                f"line {number} is no line of a TREC run",
                "expected: query Q0 document rank score tag",
            ) from error
    return {
        query: [document for _, document in sorted(hits, key=lambda hit: -hit[0])]
        for query, hits in scored.items()
    }
