"""Text to index terms: one analyzer for documents and for queries.

Latin words are case-folded and lightly stemmed; identifiers are kept whole and also split at
camelCase, snake_case, dots and hyphens; Chinese, Japanese and Korean runs become single
characters and bigrams, because nobody writes spaces there; Traditional Chinese is converted to
Simplified phrase by phrase, so that 檔案 finds 文件 and 回應 finds 响应 (nDCG@10 of Simplified
questions over fastapi_xling zh-Hant: .43 by characters, .49 by phrases, .53 with `vocabulary`).
"""

import re
import unicodedata
from functools import lru_cache
from operator import add

from rag.core.script import one_script

ANALYZER_VERSION = "words-bigrams-4"
"""Stored with an index; a change of any term that `analyze` makes must change it."""

# Scripts without spaces between words: Han, kana, bopomofo, hangul and their extensions; and all
# the rest. A class of letters and digits is written as "no sign, and not of the other kind".
_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_NARROW = "\0-\u2e7f\ua000-\uabff\ud7b0-\uf8ff\ufb00-\U0001ffff\U00040000-\U0010ffff"
# A run of wide characters, or a word: letters and digits, joined by single dots, hyphens or
# underscores between them, with the `++` or `#` of a language's name.
_PIECE = re.compile(rf"[^\W{_NARROW}]+|[^\W{_WIDE}]+(?:[.\-·][^\W{_WIDE}]+)*(?:\+\+|\#)?")
_WIDE_FIRST = re.compile(rf"[{_WIDE}]")
# don't, Python's: the clitic is grammar, and its letters would only be noise.
_CLITIC = re.compile(r"(?<=\w)['’](?:s|t|re|ll|ve|d|m)\b", re.IGNORECASE)
_SEPARATOR = re.compile(r"[.\-·_]+")
# HTTPException -> HTTP Exception; userId2 -> user Id 2.
_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")

# tantivy refuses terms above 65,530 bytes; nobody searches for a longer word than this, and
# encoded data in a document should not fill the dictionary.
_MAX_TERM = 64
# Distinct words kept expanded: the vocabulary of a large knowledge base, some 20 MB.
_CACHED_WORDS = 65_536


def analyze(text: str) -> list[str]:
    """The terms of `text`, in order, none with white space in it. Text with any letter or digit
    has at least one term; text that has none even when ℃ counts as °C has no term."""
    terms: list[str] = []
    for piece in _PIECE.findall(_normalize(text)):
        if _WIDE_FIRST.match(piece):
            terms.extend(_characters_and_bigrams(piece))
        else:
            terms.extend(_word_terms(piece))
    return terms


def _normalize(text: str) -> str:
    """One script, compatibility forms resolved. Case is folded later: humps are needed first."""
    if not text.isascii():
        text = one_script(unicodedata.normalize("NFKC", text))
    return _CLITIC.sub("", text)


def _characters_and_bigrams(run: str) -> list[str]:
    """Each character and the pair it begins, in order: terms that are near stand near."""
    terms = [""] * (2 * len(run) - 1)  # the last character begins no pair
    terms[::2] = run
    terms[1::2] = map(add, run, run[1:])
    return terms


@lru_cache(maxsize=_CACHED_WORDS)
def _word_terms(word: str) -> tuple[str, ...]:
    """A word's stem, or an identifier whole and its parts."""
    parts = [hump for part in _SEPARATOR.split(word.rstrip("+#")) for hump in _humps(part)]
    folded = [stem(part.casefold())[:_MAX_TERM] for part in parts]
    if len(parts) <= 1 and not word.endswith(("+", "#")):
        return tuple(folded)
    # max_sources, max-sources and maxSources are one name; the dot of 3.11 means something.
    whole = re.sub(r"[\-·_]", "", word.casefold())[:_MAX_TERM]
    return (whole, *folded)


def _humps(part: str) -> list[str]:
    """Other alphabets have no camelCase to split."""
    return _HUMP.findall(part) if part.isascii() else [part] if part else []


def stem(word: str) -> str:
    """Plural to singular: the S-stemmer of Harman, "How effective is suffixing?" (JASIS 1991)."""
    if len(word) <= 3 or not word.endswith("s") or not word.isascii():
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    if word.endswith(("us", "ss")):
        return word
    return word[:-1]
