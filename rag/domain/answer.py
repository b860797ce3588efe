"""The contract's words: what a reply said, what was wrong with it, what may be shown."""

from typing import Literal

from rag.domain.base import Value

Status = Literal["answered", "insufficient"]
Outcome = Literal["answered", "insufficient", "rejected"]
DecidedBy = Literal["model", "retrieval"]
Strictness = Literal["strict", "warn", "off"]
ClaimVerdict = Literal["supported", "weak", "unsupported", "uncited", "unchecked"]
"""`unchecked`: it cites a source, but its support was not looked into: no source was given."""


class Violation(Value):
    """One rule broken. `code` is one of the design's; `message` is for a person and for a model."""

    code: str
    message: str
    marker: str | None = None


class MarkerSpan(Value):
    """Where a marker stands in the canonical answer: `answer[start:end] == "[S1]"`."""

    marker: str
    start: int
    end: int


class Draft(Value):
    """A reply read into the contract's three fields, canonical but not yet held to the rules."""

    status: str
    answer: str
    citations: tuple[str, ...]
    spans: tuple[MarkerSpan, ...] = ()


class Parsed(Value):
    """What the parser made of a reply: a draft, or the violations that prevented one."""

    draft: Draft | None
    violations: tuple[Violation, ...] = ()
    repairs: tuple[str, ...] = ()


class Evidence(Value):
    """The span of a cited source that supports a claim best. Offsets index the document text
    (for loose sources, the given text); `quote` is exactly that span."""

    marker: str
    quote: str
    start: int
    end: int
    line: int
    page: int | None = None
    score: float
    """Share of the claim's content that the quote holds, 0..1."""


class Claim(Value):
    """One sentence of the answer. `answer[start:end] == text`, markers included."""

    text: str
    start: int
    end: int
    markers: tuple[str, ...] = ()
    verdict: ClaimVerdict
    why: str | None = None
    evidence: tuple[Evidence, ...] = ()


class Verdict(Value):
    """A reply held against the contract. `status`, `answer` are None and `citations` is empty
    when it is refused."""

    accept: bool
    status: Status | None = None
    answer: str | None = None
    citations: tuple[str, ...] = ()
    spans: tuple[MarkerSpan, ...] = ()
    claims: tuple[Claim, ...] = ()
    violations: tuple[Violation, ...] = ()
    warnings: tuple[Violation, ...] = ()
    repairs: tuple[str, ...] = ()


class SourceText(Value):
    """A source as support sees it: the original text, never the model's rewritten copy."""

    marker: str
    text: str
    context: str = ""
    offset: int = 0
    """Where `text` begins in the document text."""
    start_line: int = 1
    page: int | None = None


class Citation(Value):
    """A cited source, located in its document."""

    marker: str
    chunk_id: str
    title: str
    path: str
    heading: tuple[str, ...] = ()
    start: int
    end: int
    start_line: int
    end_line: int
    page: int | None = None
    end_page: int | None = None
    flags: tuple[str, ...] = ()


class Timings(Value):
    """Milliseconds spent in each stage of one request."""

    retrieve: float = 0.0
    rerank: float = 0.0
    model: float = 0.0
    total: float = 0.0


class Answer(Value):
    """The result of one question, in the shape that `rag ask --json` prints."""

    question: str
    status: Outcome
    answer: str | None
    decided_by: DecidedBy
    citations: tuple[Citation, ...] = ()
    claims: tuple[Claim, ...] = ()
    violations: tuple[Violation, ...] = ()
    warnings: tuple[Violation, ...] = ()
    repairs: tuple[str, ...] = ()
    attempts: int
    model: str | None
    prompt_version: str | None
    knowledge_version: str
    trace_id: str
    timings_ms: Timings
    spans: tuple[MarkerSpan, ...] = ()
    search_query: str | None = None
    """What was searched for when that differs from the question (a follow-up in a chat)."""
    rejected_text: str | None = None
    """The refused reply, for `--show-rejected` only. Never an answer."""
