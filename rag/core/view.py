"""How an answer reads for a person, as lines of spans with a role. Shells turn roles into colour,
links or HTML; the words alone already tell an answer, a refusal and a rejection apart."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

from rag.core.context import place_in_document
from rag.core.fold import fold_script
from rag.core.language import detect_language
from rag.core.plain import inline, one_line, printable
from rag.domain.answer import Answer, Citation, Claim, Evidence
from rag.domain.base import Value

Role = Literal[
    "plain", "answered", "insufficient", "rejected", "marker", "path", "quote", "warning", "dim"
]

_QUOTE_WIDTH = 200
_WORDS = {
    "en": {
        "answered": "ANSWER",
        "insufficient": "NOT COVERED by the documents",
        "rejected": "REJECTED: the model's reply broke the rules and is not shown",
        "retrieval": "decided without a model call",
        "sources": "Sources",
        "uncited": "(no source)",
        "weak": "(weakly supported)",
        "line": "line",
        "page": "page",
        "flagged": "this passage holds text that addresses the model",
        "refused_reply": "REFUSED REPLY, not an answer:",
        "warnings": "Notes",
        "repairs": "repaired without change of meaning",
        "searched": "searched for",
    },
    "zh-Hant": {
        "answered": "回答",
        "insufficient": "文件未涵蓋",
        "rejected": "已拒絕：模型的回覆不符規則，不予顯示",
        "retrieval": "未呼叫模型即判定",
        "sources": "來源",
        "uncited": "（無來源）",
        "weak": "（佐證薄弱）",
        "line": "行",
        "page": "頁",
        "flagged": "這段文字含有對模型下指令的內容",
        "refused_reply": "被拒絕的回覆，並非回答：",
        "warnings": "備註",
        "repairs": "已在不改變意思下修正",
        "searched": "搜尋用語",
    },
}


class Span(Value):
    text: str
    role: Role = "plain"
    citation: Citation | None = None
    """The place that this span can link to."""


Line = tuple[Span, ...]


def words_for(text: str) -> dict[str, str]:
    """The view's own words in the language of `text`."""
    language = detect_language(text)
    if language == "zh-Hans":
        return {key: fold_script(word) for key, word in _WORDS["zh-Hant"].items()}
    return _WORDS[language]


def answer_lines(answer: Answer, *, show_rejected: bool = False) -> list[Line]:
    """The whole view of one answer: headline, text, sources with evidence, notes."""
    words = words_for(answer.question)
    lines: list[Line] = [_headline(answer, words)]
    if answer.search_query and answer.search_query != answer.question:
        lines.append(
            (Span(text=f"{words['searched']}: {one_line(answer.search_query)}", role="dim"),)
        )
    lines.append(())
    if answer.answer is not None:
        lines += _answer_text(answer, answer.answer, words)
    for violation in answer.violations:
        lines.append(
            (Span(text=f"  - {violation.code}: {one_line(violation.message)}", role="warning"),)
        )
    if show_rejected and answer.rejected_text is not None:
        lines += [(), (Span(text=words["refused_reply"], role="rejected"),)]
        lines += [
            (Span(text=f"  | {line}", role="dim"),)
            for line in printable(answer.rejected_text).split("\n")
        ]
    if answer.citations:
        lines += [(), (Span(text=words["sources"], role="dim"),)]
        for citation in answer.citations:
            lines += _source_lines(citation, answer.claims, words)
    lines += list(_notes(answer, words))
    return lines


def location(citation: Citation) -> str:
    """`path:line`, or `path` and pages where the format has them."""
    if citation.page is None:
        return f"{citation.path}:{citation.start_line}"
    pages = str(citation.page)
    if citation.end_page and citation.end_page != citation.page:
        pages += f"-{citation.end_page}"
    return f"{citation.path}#page={pages}"


def _headline(answer: Answer, words: dict[str, str]) -> Line:
    head = Span(text=words[answer.status], role=answer.status)
    if answer.decided_by == "retrieval":
        return (head, Span(text=f" ({words['retrieval']})", role="dim"))
    return (head,)


def _answer_text(answer: Answer, text: str, words: dict[str, str]) -> Iterator[Line]:
    """The answer, markers set off, and what is uncited or weak said right behind its sentence."""
    by_marker = {citation.marker: citation for citation in answer.citations}
    notes = {
        claim.end: words[claim.verdict]
        for claim in answer.claims
        if claim.verdict in ("uncited", "weak")
    }
    cuts = sorted(
        {0, len(text), *notes} | {edge for span in answer.spans for edge in (span.start, span.end)}
    )
    markers = {span.start: span.marker for span in answer.spans}
    spans: list[Span] = []
    for begin, end in pairwise(cuts):
        marker = markers.get(begin)
        spans.append(
            Span(text=text[begin:end], role="marker", citation=by_marker.get(marker))
            if marker
            else Span(text=text[begin:end])
        )
        if end in notes:
            spans.append(Span(text=f" {notes[end]}", role="warning"))
    yield from _broken_at_newlines(spans)


def _broken_at_newlines(spans: list[Span]) -> Iterator[Line]:
    current: list[Span] = [Span(text="  ")]
    for span in spans:
        first, *rest = printable(span.text).split("\n")
        current.append(span.model_copy(update={"text": first}))
        for piece in rest:
            yield tuple(current)
            current = [Span(text="  "), span.model_copy(update={"text": piece})]
    yield tuple(current)


def _source_lines(
    citation: Citation, claims: tuple[Claim, ...], words: dict[str, str]
) -> Iterator[Line]:
    title = place_in_document(citation.title, citation.heading)
    yield (
        Span(text=f"  [{citation.marker}]", role="marker", citation=citation),
        Span(text=f" {one_line(title)}"),
    )
    yield (
        Span(text="       "),
        Span(text=inline(location(citation)), role="path", citation=citation),
    )
    if citation.flags:
        yield (
            Span(text=f"       ! {words['flagged']} ({', '.join(citation.flags)})", role="warning"),
        )
    seen: set[tuple[int, int]] = set()
    for evidence in _evidence_for(citation.marker, claims):
        if (evidence.start, evidence.end) in seen or not evidence.quote.strip():
            continue
        seen.add((evidence.start, evidence.end))
        place = (
            f"{words['line']} {evidence.line}"
            if evidence.page is None
            else f"{words['page']} {evidence.page}"
        )
        yield (
            Span(text="       "),
            Span(text=f"“{one_line(evidence.quote, _QUOTE_WIDTH)}”", role="quote"),
            Span(text=f" ({place})", role="dim"),
        )


def _evidence_for(marker: str, claims: tuple[Claim, ...]) -> Iterator[Evidence]:
    for claim in claims:
        for evidence in claim.evidence:
            if evidence.marker == marker:
                yield evidence


def _notes(answer: Answer, words: dict[str, str]) -> Iterator[Line]:
    notes = [f"{warning.code}: {one_line(warning.message)}" for warning in answer.warnings]
    if answer.repairs:
        notes.append(f"{words['repairs']}: {', '.join(answer.repairs)}")
    if not notes:
        return
    yield ()
    yield (Span(text=words["warnings"], role="dim"),)
    for note in notes:
        yield (Span(text=f"  - {note}", role="dim"),)
