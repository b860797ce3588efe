"""The rules that a reply must meet to be shown as an answer, and the one pipeline that holds it
to them: parse, rules, claims, support, verdict.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from rag.core.parse import parse_reply
from rag.core.rewrite import restore
from rag.core.sentences import is_checkable, split_sentences
from rag.core.violations import violation
from rag.domain.answer import Claim, Draft, SourceText, Status, Strictness, Verdict, Violation

_LETTER_OR_DIGIT = re.compile(r"[^\W_]")

# Some 25 tokens each: a retry must leave the room that the sources were given.
_MOST_COMPLAINTS = 12

STATUSES: tuple[Status, ...] = ("answered", "insufficient")


class Request(NamedTuple):
    """What the rules know besides the draft."""

    markers: tuple[str, ...]
    language: str

    def violation(self, name: str, *, marker: str | None = None, **details: str) -> Violation:
        return violation(name, self.language, marker=marker, **details)


Rule = Callable[[Draft, Request], Iterator[Violation]]


def _bad_status(draft: Draft, request: Request) -> Iterator[Violation]:
    if draft.status not in STATUSES:
        yield request.violation("bad_status", value=repr(draft.status))


def _empty_answer(draft: Draft, request: Request) -> Iterator[Violation]:
    ends = [0, *(span.end for span in draft.spans)]
    starts = [*(span.start for span in draft.spans), len(draft.answer)]
    said = (draft.answer[end:start] for end, start in zip(ends, starts, strict=True))
    if not any(_LETTER_OR_DIGIT.search(text) for text in said):
        yield request.violation("empty_answer")


def _unknown_marker(draft: Draft, request: Request) -> Iterator[Violation]:
    offered = frozenset(request.markers)
    used = (span.marker for span in draft.spans)
    for marker in dict.fromkeys((*used, *draft.citations)):
        if marker not in offered:
            yield request.violation(
                "unknown_marker", marker=marker, offered=", ".join(request.markers) or "-"
            )


def _undeclared_marker(draft: Draft, request: Request) -> Iterator[Violation]:
    declared = frozenset(draft.citations)
    for marker in dict.fromkeys(span.marker for span in draft.spans):
        if marker not in declared:
            yield request.violation("undeclared_marker", marker=marker)


def _unused_citation(draft: Draft, request: Request) -> Iterator[Violation]:
    used = frozenset(span.marker for span in draft.spans)
    for marker in draft.citations:
        if marker not in used:
            yield request.violation("unused_citation", marker=marker)


def _no_citation(draft: Draft, request: Request) -> Iterator[Violation]:
    if draft.status == "answered" and not draft.spans:
        example = request.markers[0] if request.markers else "S1"
        yield request.violation("no_citation", example=example)


def _insufficient_with_citation(draft: Draft, request: Request) -> Iterator[Violation]:
    if draft.status == "insufficient" and (draft.spans or draft.citations):
        yield request.violation("insufficient_with_citation")


RULES: tuple[Rule, ...] = (
    _bad_status,
    _empty_answer,
    _unknown_marker,
    _undeclared_marker,
    _unused_citation,
    _no_citation,
    _insufficient_with_citation,
)
"""The rules on a draft, in the order in which their violations are told. The codes before them
(`not_json truncated multiple_objects schema`) are the parser's, those after them are of claims."""


def judge(
    raw: str,
    markers: Sequence[str],
    sources: Sequence[SourceText] | None = None,
    *,
    finish_reason: str | None = None,
    coverage: Literal["strict", "warn"] = "warn",
    support: Strictness = "strict",
    language: str = "en",
) -> Verdict:
    """Hold one reply against the contract.

    `markers` are those that this request offered. Without `sources`, or with `support="off"`,
    support is not checked and cited claims stay `unchecked`. With `support="warn"` an unsupported
    claim is a warning; with `coverage="strict"` an uncited one is a violation. Messages are in
    `language`. Pure and deterministic; never raises on account of `raw`.
    """
    request = Request(tuple(markers), language)
    parsed = parse_reply(raw, finish_reason, language=language)
    draft = parsed.draft
    violations = list(parsed.violations)
    warnings: list[Violation] = []
    claims: tuple[Claim, ...] = ()
    if draft is not None:
        violations += [found for rule in RULES for found in rule(draft, request)]
        if draft.status == "answered":
            claims = find_claims(draft)
            uncited = [
                _told(claim, "uncited_claim", request) for claim in claims if not claim.markers
            ]
            (violations if coverage == "strict" else warnings).extend(uncited)
        if not violations and sources is not None and support != "off":
            claims = _check_support(claims, draft, sources, language)
            for claim in claims:
                if claim.verdict == "unsupported":
                    told = _told(claim, "unsupported_claim", request)
                    (violations if support == "strict" else warnings).append(told)
                elif claim.verdict == "weak":
                    warnings.append(_told(claim, "weak_claim", request))
    if draft is None or violations:
        return Verdict(
            accept=False,
            claims=claims,
            violations=tuple(violations),
            warnings=tuple(warnings),
            repairs=parsed.repairs,
        )
    return Verdict(
        accept=True,
        status="answered" if draft.status == "answered" else "insufficient",
        answer=draft.answer,
        citations=draft.citations,
        spans=draft.spans,
        claims=claims,
        warnings=tuple(warnings),
        repairs=parsed.repairs,
    )


def find_claims(draft: Draft) -> tuple[Claim, ...]:
    """The sentences of an answer that cite something or should: `unchecked` or `uncited`."""
    claims: list[Claim] = []
    spans = iter(draft.spans)
    upcoming = next(spans, None)
    for start, end in split_sentences(draft.answer, wrapped=False):
        markers: dict[str, None] = {}
        while upcoming is not None and upcoming.start < end:
            markers[upcoming.marker] = None
            upcoming = next(spans, None)
        text = draft.answer[start:end]
        if markers or is_checkable(text):
            claims.append(
                Claim(
                    text=text,
                    start=start,
                    end=end,
                    markers=tuple(markers),
                    verdict="unchecked" if markers else "uncited",
                )
            )
    return tuple(claims)


def _check_support(
    claims: tuple[Claim, ...], draft: Draft, sources: Sequence[SourceText], language: str
) -> tuple[Claim, ...]:
    """Claims checked in the documents' own words: without their markers, and what was rewritten for
    the model and copied by it as it stands in the source. What a reply repeats is checked once."""
    # Its word lists take longer to load than the rest of this module, and refusals never need them.
    from rag.core.support import Finding, Support

    support = Support(sources, language)
    answer = _without_spans(draft)
    found: dict[tuple[str, tuple[str, ...]], Finding] = {}
    checked: list[Claim] = []
    for claim in claims:
        said = restore(answer[claim.start : claim.end])
        key = (said, claim.markers)
        if key not in found:
            found[key] = support.find(*key)
        checked.append(
            Claim(
                text=claim.text,
                start=claim.start,
                end=claim.end,
                markers=claim.markers,
                verdict=found[key].verdict,
                why=found[key].why,
                evidence=found[key].evidence,
            )
        )
    return tuple(checked)


def _without_spans(draft: Draft) -> str:
    """The answer, as long as before, with its markers blanked. By their places: a document may
    speak of `[S1]`, and a quotation of it must keep that."""
    pieces: list[str] = []
    done = 0
    for span in draft.spans:
        pieces += (draft.answer[done : span.start], " " * (span.end - span.start))
        done = span.end
    return "".join((*pieces, draft.answer[done:]))


def _told(claim: Claim, name: str, request: Request) -> Violation:
    marker = claim.markers[0] if len(claim.markers) == 1 else None
    return request.violation(name, marker=marker, quote=claim.text, why=claim.why or "-")


def retry_message(verdict: Verdict, language: str) -> str:
    """What to tell a model whose reply was refused: each violation on a line, then what to do.

    A dozen violations at most, so that the message fits beside the sources; nothing of the reply is
    repeated beyond the few words that a violation quotes.
    """
    chinese = language.startswith("zh")
    named = [f"- {found.code}: {found.message}" for found in verdict.violations[:_MOST_COMPLAINTS]]
    if more := len(verdict.violations) - len(named):
        named.append(f"- 另有 {more} 處" if chinese else f"- and {more} more")
    complaints = "\n".join(named)
    if chinese:
        return (
            f"上一則回覆不符合規定：\n{complaints}\n"
            "請依照同樣的來源與規則重新回答，修正以上各點。只回覆一個 JSON 物件，不要有其他文字。"
        )
    return (
        f"Your last reply breaks the rules:\n{complaints}\n"
        "Answer again from the same sources under the same rules, with every point above mended. "
        "Reply with one JSON object and nothing else."
    )


# Negated classes, groups and bounds only: what every engine and every grammar for decoding knows.
_BRACKETS = r"\[+[^\[Ss]|\[+[Ss][^\[0-9]"
_TEXT = rf"[^\[]|{_BRACKETS}"
_NO_MARKER = f"^({_TEXT})+$"
_NO_CITATIONS = {"type": "array", "items": {"type": "string"}, "maxItems": 0}


def reply_schema(markers: Sequence[str], *, cite_sentences: bool = False) -> dict[str, Any]:
    """JSON schema of a reply to a request that offered `markers`, for constrained decoding.

    One branch per status: a flat schema lets a model combine `insufficient` with citations.
    `status` comes first, so that it is decided before anything is written. Lists are bounded, so
    that no model can fill them for ever. The pattern of the answer leaves the text free and closes
    the set of markers: `[S` and a digit begin one of `markers` or nothing.

    With `cite_sentences` every sentence of an answer ends in a marker. That bends what is written
    ("e.g." would end one), so it is for a model that has just answered without any.
    """
    if not markers:
        return _branch("insufficient", _NO_MARKER, _NO_CITATIONS)
    marker = rf"\[({'|'.join(markers)})\]"
    cited = {
        "type": "array",
        "items": {"type": "string", "enum": list(markers)},
        "minItems": 1,
        "maxItems": len(markers),
    }
    answer = _sentences(marker) if cite_sentences else f"({_TEXT}|{marker})+"
    return {
        "anyOf": [
            _branch("answered", f"^{answer}$", cited),
            _branch("insufficient", _NO_MARKER, _NO_CITATIONS),
        ]
    }


def _sentences(marker: str) -> str:
    """A dot inside `config.toml` or 3.5 ends no sentence. Small models run on rather than cite:
    400 characters are longer than any sentence of the handbook but tables and code; twelve
    sentences make a long answer."""
    text = rf"[^\[.!?。！？]|[.!?][0-9a-z_/]|{_BRACKETS}"
    return rf"(({text}){{1,400}}[.!?。！？]?({marker})+[.!?。！？]? ?){{1,12}}"


def _branch(status: Status, answer: str, citations: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "status": {"type": "string", "enum": [status]},
            "answer": {"type": "string", "minLength": 1, "pattern": answer},
            "citations": citations,
        },
        "required": ["status", "answer", "citations"],
        "additionalProperties": False,
    }
