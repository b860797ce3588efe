"""The content of a text as comparable words: light stems for Latin script, bigrams for Chinese.

Reads text flattened by `core.fold.flatten`.
"""

import re
from functools import lru_cache
from itertools import pairwise

# Grammar, not content. Negations, bounds and modal verbs are compared by their own checks.
_STOPWORD_LINES = """
    a about after all also am an and any are as at be been before being both but by can could did do
    does doing done each either ever every for from had has have having he her here hers him his how
    i if in into is it its itself just least let like make may me might more most much must my need
    no nor not of off on once one only onto or other our out over own per please shall she should so
    some such than that the their them then there these they this those through thus to too under
    until unless up upon us use used using very was we were what when where whether which while who
    whom whose why will with within without would yes you your yours cannot never neither none
    s t re ve ll d m don doesn didn isn aren wasn weren won wouldn shouldn couldn mustn hasn haven
    ca wo sha everyone everybody anyone anybody someone somebody nobody none
"""
_STOPWORDS = frozenset(_STOPWORD_LINES.split())
# Chinese function characters: they carry grammar, and bigrams do not cross them.
_HAN_FUNCTION = (
    "的了是在与和及或为有会可以都也就要于由被将把请须应需其之而且并从向对到至则该此这那个您你我他她它们"
    "不没无未已得能让使给很太更最较"
)
_DEGREE = re.compile(
    "所有人|任何人|每个人|人人|非常|十分|相当|特别|尤其|目前|一律|所有|全部|大多数|多数|部分|某些|有些"
)
_NUMERALS = "零〇一二三四五六七八九十百千万亿两半第"
_PIECE = re.compile(rf"[a-zß-ɏ0-9]+(?:'[a-z]+)?|[^\W\da-zß-ɏ_{_HAN_FUNCTION}{_NUMERALS}]+")
_HAN = re.compile(r"[㐀-䶿一-鿿豈-﫿]")
_LETTER = re.compile(r"[^\W\d_]")
# As in `core.language`: a tenth of the letters is enough to tell Chinese from an English text that
# shows a few characters.
_HAN_SHARE = 0.10

# Longest first. Stems need only agree among the forms of a word, not be words.
_SUFFIXES = (
    "ations", "ation", "ments", "ment", "ances", "ance", "ings", "ing", "ions", "ion", "edly",
    "ally", "als", "al", "ers", "er", "ors", "or", "ed", "es", "ly", "s", "e",
)  # fmt: skip
_SHORTEST_STEM = 3
# The s of these says "secure": http is another protocol.
_NO_PLURALS = frozenset({"https", "ftps", "ldaps", "imaps", "smtps", "amqps", "mqtts"})


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """`submitted`, `submits`, `submit` alike. Endings are stripped until none is left, never below
    three letters; a doubled last consonant is made one."""
    if not word.isascii() or not word.isalpha() or word.endswith(("ss", "us", "is")):
        return word
    if word in _NO_PLURALS:
        return word
    if word.endswith(("ies", "ied")) and len(word) > 4:
        word = word[:-3] + "y"
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            base = word[: -len(suffix)]
            if len(base) > _SHORTEST_STEM and base[-1] == base[-2] and base[-1] not in "aeiouls":
                base = base[:-1]
            return base if suffix in ("e", "al", "er", "or") else stem(base)
    return word


def stems(flat: str) -> list[str]:
    """The content words of `flat` in order, stemmed; Chinese as bigrams, a lone character as it is.
    Grammar is left out, and so are numbers, which `core.quantities` compares."""
    found: list[str] = []
    for piece in _PIECE.findall(flat if flat.isascii() else _DEGREE.sub(" ", flat)):
        if piece[0] > "\u2e80":
            found += [left + right for left, right in pairwise(piece)] or [piece]
        elif word := _latin(piece):
            found.append(word)
    return found


@lru_cache(maxsize=65_536)
def _latin(piece: str) -> str:
    """The stem of a word without its clitic; empty for grammar and figures."""
    bare = piece.partition("'")[0]
    grammar = piece in _STOPWORDS or bare in _STOPWORDS or piece.isdigit()
    return "" if grammar else stem(bare)


def is_chinese(text: str) -> bool:
    """Whether `text` is in Chinese, going by its letters."""
    if text.isascii():
        return False
    han = len(_HAN.findall(text))
    return han > 0 and han >= _HAN_SHARE * len(_LETTER.findall(text))
