"""What a question is about: its content words, the names in it, the sides it compares."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from rag.core.fold import flatten, fold_script
from rag.core.language import detect_language
from rag.core.words import stems
from rag.domain.documents import Language

# Words that ask rather than say what about; in the form that `flatten` gives.
_ASKING = re.compile(
    r"\bhow (?:many|much)\b|\b(?:please|tell|explain|describe|list|name|give|show)\b"
    r"|\b(?:differences?|compar(?:e|ed|ing|ison)|between|versus|vs)\b"
    "|请问|请|什么|哪些|哪一|哪里|哪儿|哪个|哪几|哪|何时|何处|何种|何人|为何|为什么|如何|怎么样|怎么|怎样"
    "|多少|几个|几|谁|是否|能否|可否|有没有|能不能|可不可以|是不是|吗|呢|列出|所有"
    "|不同|差别|区别|差异|比较|相比|对比"
)
_LISTING = re.compile(
    r"^\s*(?:please )?(?:list|enumerate|name (?:all|the|some))\b"
    r"|\b(?:what|which) (?:are|were) (?:the|all)\b|\bwhat (?:kinds|types|sorts|steps)\b"
    r"|\b(?:what|which) [^?.,;]{1,60}\bare (?:there|available|supported)\b"
    r"|\bwhich [a-z-]+(?<![sui])s\b|哪些|哪几|列出|列举|分别|包括什么|步骤"
)
# Not "code", which is also what an error or a door has.
_ABOUT_CODE = re.compile(
    r"\b(?:scripts?|commands?|programs?|functions?|methods?|class(?:es)?|source code|the code)\b"
    "|脚本|指令|命令|函式|函数|程式|源代码|原始码"
)
_COMPARISONS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\bdifferences? between (?P<one>.+?) and (?P<other>[^?.,;]+)",
        r"\bcompar(?:e|ing|ison (?:of|between)) (?P<one>.+?) (?:and|with|to) (?P<other>[^?.,;]+)",
        r"(?P<one>[\w.+#-]+(?: [\w.+#-]+){0,3}) (?:vs\.?|versus) (?P<other>[^?.,;]+)",
        r"\b(?P<by>in|for|under|of|at|from|by|to) (?P<one>[^?.,;]{1,60}?) and"
        r"(?: [^?.,;]{1,60}?)? (?P=by) (?P<other>[^?.,;]+)",
        r"(?P<one>[^，。？?、]{1,30}?)(?:和|与|跟|同|及)(?P<other>[^，。？?、]{1,30}?)(?:之间|相比|比较)?的?"
        r"(?:有什么|有何|有哪些|是什么)?(?:差别|区别|不同|差异|分别)",
        r"(?P<one>[^，。？?、的]{1,12}?)(?:和|与|跟|同|及)(?P<other>[^，。？?、的]{1,12})[^。？?]*各",
        r"(?:比较|对比)(?:一下)?(?P<one>[^，。？?、]{1,30}?)(?:和|与|跟|及)(?P<other>[^，。？?、的]{1,30})",
    )
)
_WORD = re.compile(r"[A-Za-z0-9À-ɏ]+(?:[._/\-][A-Za-z0-9À-ɏ]+)*")
_EXACT = re.compile(r"\d|[._/]|[a-z][A-Z]")
_CODE = re.compile(r"[A-Za-z].*\d|\d.*[A-Za-z]|_")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s)", re.IGNORECASE)
_SENTENCE_START = re.compile(r"(?:^|[.?!。？！:：\"“「(（])\s*$")
# Capitalised or Latin without naming anything.
_NO_NAME = re.compile(
    r"(?:i|an?|the|what|when|where|why|who|how|which|is|are|do|does|did|can|ok)", re.IGNORECASE
)
_DIGITS = re.compile(r"\d+")


def terms(text: str) -> frozenset[str]:
    """Content words as stems, Chinese as pairs of characters, and numbers."""
    flat = flatten(text)
    return frozenset(stems(flat)) | frozenset(_DIGITS.findall(flat))


@dataclass(frozen=True, slots=True)
class Name:
    """A word that a source about it would contain as it is."""

    text: str
    exact: bool
    """An identifier, a version, a number, a Latin word in a Chinese question: the same in every
    language."""

    @property
    def code(self) -> bool:
        """Letters and digits that mean something together: `QS-1007`, `max_sources`, `v2.1`."""
        return _CODE.search(self.text) is not None and not _ORDINAL.fullmatch(self.text)


def words(text: str) -> frozenset[str]:
    """The Latin words and identifiers of `text` as wholes, in lower case."""
    return frozenset(word.casefold() for word in _WORD.findall(text))


@dataclass(frozen=True)
class Question:
    text: str

    @cached_property
    def language(self) -> Language:
        return detect_language(self.text)

    @cached_property
    def terms(self) -> frozenset[str]:
        """What it is about, without what only asks."""
        return terms(_ASKING.sub(" ", flatten(self.text)))

    @cached_property
    def wants_list(self) -> bool:
        return self.sides is None and _LISTING.search(flatten(self.text)) is not None

    @cached_property
    def about_code(self) -> bool:
        return _ABOUT_CODE.search(flatten(self.text)) is not None

    @cached_property
    def sides(self) -> tuple[str, str] | None:
        """The two things that it compares, in its own words; None when it does not compare."""
        flat = flatten(self.text)  # of the same length, so offsets carry over
        for pattern in _COMPARISONS:
            if match := pattern.search(flat):
                one, other = (self.text[slice(*match.span(side))] for side in ("one", "other"))
                if terms(one) and terms(other):
                    return one.strip(), other.strip()
        return None

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """Identifiers, numbers, capitalised words within a sentence; in a Chinese question every
        Latin word."""
        found: dict[str, Name] = {}
        for match in _WORD.finditer(self.text):
            word = match.group()
            exact = _EXACT.search(word) is not None
            latin = self.language != "en" and len(word) > 1
            capital = word[0].isupper() and not _SENTENCE_START.search(self.text[: match.start()])
            if (exact or latin or capital) and not _NO_NAME.fullmatch(word):
                found.setdefault(word.casefold(), Name(word, exact or latin))
        return tuple(found.values())

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """The names, in lower case, that stand for one thing only: `QS-1007`, `max_sources`,
        `drain-node.sh`, `BackupMissing`."""
        return frozenset(
            name.text.casefold()
            for name in self.names
            if _EXACT.search(name.text) and re.search(r"[A-Za-z]", name.text)
        )


def absent_names(question: Question, texts: Iterable[str], *, same_language: bool) -> list[Name]:
    """The names of the question that none of `texts` holds, misspelt words not counted. Texts in
    another language are expected to hold the exact ones only."""
    from rapidfuzz import fuzz, process

    held = fold_script("\n".join(texts)).casefold()
    words = sorted(set(_WORD.findall(held)))
    absent: list[Name] = []
    for name in question.names:
        if not (name.exact or same_language) or name.text.casefold() in held:
            continue
        # One digit more or less makes another number, one letter a slip of the pen.
        if _DIGITS.search(name.text) or not process.extractOne(
            name.text.casefold(), words, scorer=fuzz.ratio, score_cutoff=_MISSPELT
        ):
            absent.append(name)
    return absent


# One letter wrong in five, or a plural: `Zeria` for `Zeira` is 80.
_MISSPELT = 80
