"""Candidates that say how good they are, and models that rank them or fail."""

import json
import re
from collections.abc import Callable, Sequence

from rag.domain.documents import Chunk
from rag.domain.errors import ModelError, ModelFailure
from rag.domain.models import ModelIdentity, ModelReply, ModelRequest
from rag.domain.retrieval import Candidate, Ranks

_WORTH = re.compile(r'"text": "worth (\d+)')


def candidate(place: int, text: str, *, path: str | None = None, **chunk: object) -> Candidate:
    """The candidate at a 0-based place of the first stage."""
    fields = {
        "chunk_id": f"c{place}",
        "path": path or f"doc/{place}.md",
        "title": f"Document {place}",
        "ordinal": 0,
        "start": 0,
        "end": len(text),
        "start_line": 3,
        "end_line": 9,
        "text": text,
        "language": "en",
        **chunk,
    }
    return Candidate(chunk=Chunk(**fields), score=1 / (place + 1), ranks=Ranks(fused=place + 1))


def worth(*worths: int) -> list[Candidate]:
    """One candidate for each number, which a model that knows the gold can read."""
    return [candidate(place, f"worth {value}") for place, value in enumerate(worths)]


def worths(candidates: Sequence[Candidate]) -> list[int]:
    return [int(c.chunk.text.removeprefix("worth ")) for c in candidates]


def shown(request: ModelRequest) -> list[int]:
    """The worths of a request's candidates, in the order shown."""
    return [int(found) for found in _WORTH.findall(request.messages[-1].content)]


def perfect_order(request: ModelRequest) -> str:
    values = shown(request)
    return json.dumps(sorted(range(len(values)), key=lambda i: -values[i]))


def perfect_scores(request: ModelRequest) -> str:
    rows = [
        {"id": i, "score": value / 100, "reason": f"worth it {value}"}
        for i, value in enumerate(shown(request))
    ]
    return json.dumps(rows)


Behaviour = Callable[[ModelRequest], str]


class Ranker:
    """A model whose n-th call behaves as the n-th behaviour says, the last one for all further."""

    def __init__(self, *behaviours: Behaviour, digest: str | None = "sha256:1") -> None:
        self._behaviours = behaviours
        self.identity = ModelIdentity(provider="test", name="ranker", digest=digest)
        self.requests: list[ModelRequest] = []

    def complete(
        self, request: ModelRequest, on_token: Callable[[int], None] | None = None
    ) -> ModelReply:
        self.requests.append(request)
        behave = self._behaviours[min(len(self.requests), len(self._behaviours)) - 1]
        return ModelReply(text=behave(request))


def says(text: str) -> Behaviour:
    return lambda request: text


def fails(reason: ModelFailure) -> Behaviour:
    def behave(request: ModelRequest) -> str:
        raise ModelError(f"played {reason}", reason=reason, partial="[1, 0")

    return behave


def breaks(error: Exception) -> Behaviour:
    def behave(request: ModelRequest) -> str:
        raise error

    return behave


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def takes(self, seconds: float, behave: Behaviour) -> Behaviour:
        def slow(request: ModelRequest) -> str:
            self.now += seconds
            return behave(request)

        return slow
