"""What a file of results holds, as far as it is whole."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from rag.domain.batch import PastResult


class Span(NamedTuple):
    """Where a result stands in its file, in bytes."""

    start: int
    size: int


class Written(NamedTuple):
    """The whole results of a file, in its order. What lies beyond the last was torn when the
    process that wrote it was killed."""

    past: list[PastResult]
    spans: list[Span]


class NotResults(ValueError):
    """The file is something else. The argument says where that shows."""


def past_result(place: int, fields: Mapping[str, Any], where: str) -> PastResult:
    """Raises `NotResults` for what no batch has written."""
    known = {name: fields[name] for name in PastResult.model_fields if name in fields}
    try:
        return PastResult(**{"question": None, **known, "place": place})
    except ValidationError as error:
        raise NotResults(f"{where} is no result of a batch") from error
