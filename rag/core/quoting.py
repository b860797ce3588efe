"""How chosen units become the text of a reply, and what a refusal says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rag.core.fold import flatten
from rag.core.question import Question
from rag.core.quotable import Passage, Quotable
from rag.core.sentences import split_sentences


@dataclass(frozen=True, slots=True)
class Extract:
    """The three fields of a reply."""

    status: Literal["answered", "insufficient"]
    answer: str
    citations: tuple[str, ...] = ()


def quoted(
    chosen: Sequence[int], found: Sequence[Quotable], passages: Sequence[Passage]
) -> Extract:
    """The units as they stand, each with its marker right behind it. A line that introduces what
    follows, such as the names of a table's columns, gets none: it states nothing."""
    several = sum(found[i].unit.kind != "sentence" for i in chosen) > 1
    lines: list[_Line] = []
    table = (-1, -1)
    for position, i in enumerate(chosen):
        unit, source = found[i].unit, found[i].source
        follower = found[chosen[position + 1]] if position + 1 < len(chosen) else None
        introduces = (
            unit.leads
            and follower is not None
            and (follower.source, follower.unit.block) == (source, unit.block + 1)
        )
        if unit.header and table != (source, unit.block):
            table = (source, unit.block)
            lines.append(_Line(unit.header, []))
        # As an item it does not run into the line above.
        introduced = bool(lines) and not lines[-1].markers
        listed = unit.kind != "sentence" and (several or introduced)
        text = f"- {unit.quote}" if listed else unit.quote
        same = next((line for line in lines if flatten(line.text) == flatten(text)), None)
        line = same or _Line(text, [], unit.code)
        if same is None:
            lines.append(line)
        marker = passages[source].marker
        if not introduces and marker not in line.markers:
            line.markers.append(marker)
    citations = dict.fromkeys(marker for line in lines for marker in line.markers)
    return Extract("answered", "\n".join(map(_marked, lines)).strip(), tuple(citations))


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    markers: list[str]
    code: str = ""


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
