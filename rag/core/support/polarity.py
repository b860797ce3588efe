"""Whether a clause affirms or denies, obliges or permits, and whether it says "only".

A claim and a source agree when their clauses about the same thing have the same sign. The sign of a
clause is the parity of its negations, and every content word of it carries that sign; words that
have an opposite (enabled, disabled) share a key and carry their own sign too.

Reads text flattened by `core.fold.flatten`.
"""

import re
from collections.abc import Iterator
from functools import cached_property

from rag.core.span import Span
from rag.core.support import cues
from rag.core.support.cues import Modal
from rag.core.support.opposites import find_opposites
from rag.core.words import stems


class Clause:
    """A clause at `flat[start:end]`. `signs` gives each content word +1 (affirmed) or -1 (denied);
    keys of `opposites` stand for pairs such as same and different."""

    def __init__(self, text: str, part: Span, first: "Clause | None" = None) -> None:
        self.start, self.end = part
        self._text = cues.with_plain_denials(text)
        self._neutral = self._text
        bare, sign = self._text, 1
        denials: list[tuple[int, int]] = []
        if cues.NEGATION.occurs(self._text):
            used = cues.QUOTED.sub(lambda match: " " * len(match.group()), self._text)
            self._neutral = cues.NO_NEGATION.blank(used)
            denials = cues.NEGATION.spans(self._neutral)
            sign = -1 if len(denials) % 2 else 1
            bare = cues.blank_spans(bare, denials)
        self.sign = sign
        """+1, or -1 where the clause as a whole is denied."""
        found = find_opposites(bare)
        around = bare
        bare = cues.blank_spans(bare, ((word.start, word.end) for word in found))
        self.signs: dict[str, int] = dict.fromkeys(stems(bare), sign)
        sides = {(word.key, sign * word.sign) for word in found}
        for key, side in sides:
            if (key, -side) not in sides:  # "upload and download" takes no side
                self.signs[key] = side
        self.opposites = frozenset(self.signs.keys() & {key for key, _ in sides})
        self.inherited = first.signs.keys() - self.signs.keys() if first else frozenset()
        """Words of the sentence's first clause, where the subject of the others mostly is."""
        self.built_in = frozenset(word.key for word in found if word.sign < 0)
        """The pairs of which the clause has the second side: "removed" denies without a "not"."""
        self.pairs: frozenset[tuple[str, str, int]] = frozenset(
            (neighbour, word.key, _local_sign(word.start, denials, sign) * word.sign)
            for word in found
            if word.is_action
            for neighbour in (
                *stems(around[max(0, word.start - _NEIGHBOUR) : word.start])[-1:],
                *stems(around[word.end : word.end + _NEIGHBOUR])[:1],
            )
        )
        """Each word that has an opposite, with the content word on either side of it, and its sign:
        (connection, ±accept, -1) for "rejects the connection"."""

    @cached_property
    def exclusive(self) -> bool:
        return cues.EXCLUSIVE.occurs(self._text)

    @cached_property
    def absolute(self) -> bool:
        return cues.ABSOLUTE.occurs(self._text)

    @cached_property
    def universal(self) -> bool:
        return cues.UNIVERSAL.occurs(self._text)

    @cached_property
    def partial(self) -> bool:
        return cues.PARTIAL.occurs(self._text)

    @cached_property
    def modal(self) -> Modal | None:
        modal = next((modal for modal, cue in cues.MODALS if cue.occurs(self._neutral)), None)
        if self.sign < 0 and modal in (Modal.REQUIRED, Modal.ALLOWED):
            return None  # "nobody must", "can no longer": denied elsewhere in the clause
        return modal


_CLAUSE_END = re.compile(
    r"[,;!?。:](?=\s|$|[^\x00-\x7f])|(?<=[^\x00-\x7f])[,;:!?]|\.(?=\s|$|[^\x00-\x7f])|\n|[()\[\]|]"
    r"|(?<= )(?=(?:but|because|if|when|unless|while|although|though|whereas|which|whose"
    r"|who|that|where|otherwise|except|yet|(?:and|or) (?:the|it|you|they|we|this|he|she))\b)"
    r"|(?=(?<![合一])并(?![不非未无])|但|若|如果|因为|除非|而且|否则|即使|假如|一旦)"
)
_PHRASE_END = re.compile(
    r"the|a|an|this|that|these|you|we|they|it|he|she|i|to|in|on|at|by|for|and|or|but"
)
_WORD = re.compile(r"\S+")
# How far from a word its neighbours are looked for, in characters.
_NEIGHBOUR = 24
# How far from a word its own negation may stand: "is not currently supported".
_DENIAL_REACH = 12
# A "without" denies the few words behind it: "without a valid token".
_PHRASE_WORDS = 3

_CLASHES = frozenset(
    {
        frozenset({Modal.REQUIRED, Modal.NOT_REQUIRED}),
        frozenset({Modal.REQUIRED, Modal.FORBIDDEN}),
        frozenset({Modal.ALLOWED, Modal.FORBIDDEN}),
        frozenset({Modal.FORBIDDEN, Modal.NOT_REQUIRED}),
    }
)


def _local_sign(place: int, denials: list[tuple[int, int]], sign: int) -> int:
    """The clause's sign where it is sure to reach the word at `place`: there is no negation, or one
    close before. Else 0: in a long clause a negation may concern something else."""
    if not denials or any(place - _DENIAL_REACH <= end <= place for _, end in denials):
        return sign
    return 0


def split_clauses(flat: str, span: Span) -> Iterator[Span]:
    """Where the clauses of `flat[span.start:span.end]` stand."""
    start = span.start
    for match in _CLAUSE_END.finditer(flat, span.start, span.end):
        if flat[start : match.start()].strip():
            yield Span(start, match.start())
        start = match.end()
    if flat[start : span.end].strip():
        yield Span(start, span.end)


def read_clauses(flat: str, span: Span) -> list[Clause]:
    """The clauses of `flat[span.start:span.end]`, those without content left out."""
    found: list[Clause] = []
    for part in split_clauses(flat, span):
        text = flat[part.start : part.end]
        for piece in _without_phrase(text):
            clause = Clause(piece, part, found[0] if found else None)
            if clause.signs:
                found.append(clause)
    return found


def _without_phrase(text: str) -> tuple[str, ...]:
    """The clause, and apart from it the phrase that a "without" or an attributive 未 denies."""
    if attribute := cues.DENIED_ATTRIBUTE.search(text):
        rest = f"{text[: attribute.start()]} {text[attribute.end() :]}"
        return (rest, attribute.group())
    match = cues.PHRASE_NEGATION.search(text)
    if match is None:
        return (text,)
    end = len(text)
    if match.group() != "unless":
        words = 0
        for word in _WORD.finditer(text, match.end()):
            grammar = _PHRASE_END.fullmatch(word.group()) is not None
            if (words and grammar) or words == _PHRASE_WORDS:
                end = word.start()
                break
            words += not grammar
    return (text[: match.start()] + " " + text[end:], text[match.start() : end])


def topic_words(clause: Clause, other: Clause) -> int:
    """Words of `clause` that are in `other` or in the clause that `other` hangs on."""
    return shared_words(clause, other) + len(clause.signs.keys() & other.inherited)


def shared_words(clause: Clause, other: Clause) -> int:
    """Words that are in both."""
    return len(clause.signs.keys() & other.signs.keys())


def denies(clause: Clause, other: Clause) -> bool:
    """Whether `clause` says the opposite of `other`, given that both are about the same thing: most
    words they share have another sign, or one obliges or permits what the other does not."""
    shared = clause.signs.keys() & other.signs.keys()
    decisive = shared & clause.opposites & other.opposites
    if not decisive and not clause.built_in and not other.built_in:
        decisive = shared
    opposed = sum(clause.signs[key] != other.signs[key] for key in decisive)
    if decisive and opposed * 2 > len(decisive):
        return True
    if clause.modal is Modal.REQUIRED and other.modal is Modal.ALLOWED:
        return True  # what may be done need not be
    return clash(clause, other)


def clash(clause: Clause, other: Clause) -> bool:
    """Whether one forbids what the other allows, and the like."""
    return frozenset({clause.modal, other.modal}) in _CLASHES


def restricts(flat: str) -> bool:
    """Whether `flat` restricts at all: what "only" in a claim may stand for."""
    return cues.RESTRICTION.occurs(flat)


def denies_anything(flat: str) -> bool:
    """Whether there is any negation in `flat`; without one it can only be affirmed."""
    return cues.NEGATION.occurs(flat)


def takes_sides(flat: str) -> bool:
    """Whether `flat` says more than an affirmation: denies, obliges, permits, restricts, speaks of
    all, or has a word with an opposite."""
    if cues.NEGATION.occurs(flat) or cues.EXCLUSIVE.occurs(flat) or cues.UNIVERSAL.occurs(flat):
        return True
    return any(cue.occurs(flat) for _, cue in cues.MODALS) or bool(find_opposites(flat))
