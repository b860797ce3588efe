"""How chosen units become the text of a reply, and what a refusal says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rag.core.fold import flatten
from rag.core.question import Question
from rag.core.quotable import Passage, Quotable
from rag.core.sentences import split_sentences
from rag.core.words import is_chinese


@dataclass(frozen=True, slots=True)
class Extract:
    """The three fields of a reply."""

    status: Literal["answered", "insufficient"]
    answer: str
    citations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    markers: list[str]
    """Of the passages that state it; none for a line that only introduces the next."""
    code: str = ""


def quoted(
    chosen: Sequence[int], found: Sequence[Quotable], passages: Sequence[Passage]
) -> Extract:
    """The units as they stand, each with its marker right behind it. A line that introduces what
    follows, such as the names of a table's columns, gets none: it states nothing. It is there only
    together with what it introduces, and once for two tables in a row with the same columns."""
    several = sum(found[i].unit.kind in ("item", "row") for i in chosen) > 1
    lines: list[_Line] = []
    lead: Quotable | None = None
    columns = ""
    for position, i in enumerate(chosen):
        one, marker = found[i], passages[found[i].source].marker
        follower = found[chosen[position + 1]] if position + 1 < len(chosen) else None
        if follower is not None and _introduces(one, follower):
            lead = one
            continue
        if lead is not None and not _introduces(lead, one):
            lead = None
        entry = one.unit.kind in ("item", "row")
        # As an item it does not run into the line above.
        listed = entry and (several or bool(one.unit.header) or lead is not None)
        text = _introduction(passages[one.source]) if one.unit.kind == "code" else one.unit.quote
        line = _Line(f"- {text}" if listed else text, [marker], one.unit.code)
        if (same := _equal(lines, line)) is not None:
            if marker not in same.markers:
                same.markers.append(marker)
            continue
        if lead is not None:
            opening = _Line(lead.unit.quote, [])
            if _equal(lines, opening) is None:
                lines.append(opening)
            lead = None
        if one.unit.header and flatten(one.unit.header) != columns:
            lines.append(_Line(one.unit.header, []))
        columns = flatten(one.unit.header)
        lines.append(line)
    citations = dict.fromkeys(marker for line in lines for marker in line.markers)
    return Extract("answered", "\n".join(map(_marked, lines)).strip(), tuple(citations))


def _introduces(one: Quotable, follower: Quotable) -> bool:
    return (
        one.unit.leads
        and not one.unit.code
        and one.source == follower.source
        and follower.unit.block - one.unit.block in (0, 1)
    )


def _equal(lines: Sequence[_Line], line: _Line) -> _Line | None:
    same = (one for one in lines if flatten(one.text) == flatten(line.text))
    return next((one for one in same if one.code == line.code), None)


def _introduction(passage: Passage) -> str:
    """Where code is from, as the line above it."""
    first = next(iter(split_sentences(passage.title)), None)
    title = passage.title[first.start : first.end].rstrip(" .。:：") if first else ""
    title = title if title.count("`") % 2 == 0 else title.replace("`", "")
    return f"{title}{'：' if is_chinese(title) else ':'}"


def _marked(line: _Line) -> str:
    """The text with the markers behind each of its sentences, since each is a claim of its own."""
    tail = "".join(f"[{marker}]" for marker in line.markers)
    done, parts = 0, []
    for span in split_sentences(line.text):
        parts += [line.text[done : span.end], tail]
        done = span.end
    quote = "".join(parts) + line.text[done:]
    return f"{quote}\n\n{line.code}\n" if line.code else quote


def insufficient(question: Question, absent: Sequence[str] = ()) -> Extract:
    """Says what the sources lack, in the question's language and script."""
    mention, answer, first, last, comma = _WORDS[question.language]
    if absent:
        names = comma.join(f"{first}{name}{last}" for name in absent[:_NAMED])
        return Extract("insufficient", mention.format(names))
    asked = " ".join(question.text.split())
    shown = asked if len(asked) <= _SHOWN else f"{asked[:_SHOWN]}…"
    return Extract("insufficient", answer.format(f"{first}{shown}{last}"))


_NAMED = 3
_SHOWN = 200
_WORDS = {
    "en": ("The sources do not mention {}.", "The sources do not answer {}", "“", "”", ", "),
    "zh-Hant": ("來源沒有提到{}。", "來源沒有回答{}", "「", "」", "、"),
    "zh-Hans": ("来源没有提到{}。", "来源没有回答{}", "“", "”", "、"),
}
