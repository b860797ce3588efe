"""Names that a claim puts in the place of another name: Tokyo for Taipei, 陳經理 for 林經理.

A capital letter is all that tells a Latin name, so a name that merely is not in the source says
little (it may come from the question or the title). One that stands where the source has another
name, between the same words, is a different statement.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from rag.core.fold import flatten
from rag.core.words import stem


@dataclass(frozen=True, slots=True)
class Name:
    """A name (flat) at `text[start:end]` and the words on its sides, empty at a sentence's edge."""

    name: str
    before: str
    after: str
    start: int
    end: int


_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*|\d+|[.!?:;,()\"“”|\n]")
_SENTENCE_EDGE = frozenset(".!?:|\n")
_HONORIFICS = frozenset({"Mr", "Ms", "Mrs", "Dr", "Prof"})
_ARTICLES = frozenset({"the", "a", "an", "and", "or", "this", "that"})
_LONGEST_ACRONYM = 6
_NOWHERE: frozenset[int] = frozenset()
# Characters between two words of a long form: a space, a hyphen, " - ".
_WIDEST_GAP = 3
_SMALL_WORDS = frozenset({"of", "the", "and", "for", "in"})
_PLAIN_WORD = re.compile(r"[^\W_]+")
_NAME_PART = re.compile(r"[^\W\d_]{2,}")
# Names compared in one claim; real sentences have a few.
_MOST_NAMES = 32

_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢姚沈钟姜崔谭陆范汪廖"
    "石金韦贾夏付方邹熊白孟秦邱侯江尹薛阎段雷龙黎史陶贺毛郝顾龚邵万覃武钱戴严莫孔向汤游温洪庄连简詹施颜柯翁"
)
_TITLES = (
    "经理|总经理|副理|协理|组长|课长|科长|处长|部长|主任|主管|专员|工程师|先生|小姐|女士|老师|教授|医师|医生|律师"
    "|董事长|总监|秘书|博士|同学|校长|院长|会计师|顾问|委员|议员|市长|县长|总统"
)
_HAN_NAME = re.compile(rf"(?P<name>[{_SURNAMES}])[一-鿿]{{0,2}}?(?P<title>{_TITLES})")
# Departments, as far as their names are common ones: 財務部, 人事處.
_DEPARTMENTS = (
    "财务|会计|人事|人资|人力资源|资讯|信息|资安|法务|业务|销售|行销|市场|采购|客服|行政|总务|工程|研发|产品|设计|测试"
    "|品管|生产|稽核|公关|企划|营运|运营|维运|教务|学务|管理|技术|安全"
)
_HAN_UNIT = re.compile(rf"(?P<name>{_DEPARTMENTS})(?P<title>部门?|处|课|科|组|室|中心)")


def names(text: str) -> list[Name]:
    """The capitalised words of `text` that do not begin a sentence, runs of them as one name."""
    words = [(match.group(), *match.span()) for match in _WORD.finditer(text)]
    found: list[Name] = []
    position = 0
    while position < len(words):
        word, start, _ = words[position]
        opens = position == 0 or words[position - 1][0] in _SENTENCE_EDGE
        if position > 1 and words[position - 1][0] == "." and words[position - 2][0] in _HONORIFICS:
            opens = False
        if not word[0].isupper() or len(word) < 2 or opens:
            position += 1
            continue
        last = position
        while last + 1 < len(words) and words[last + 1][0][0].isupper():
            last += 1
        found.append(
            Name(
                flatten(text[start : words[last][2]]),
                flatten(words[position - 1][0]),
                flatten(words[last + 1][0]) if last + 1 < len(words) else "",
                start,
                words[last][2],
            )
        )
        position = last + 1
    return found


class Mentions:
    """What a flat text mentions, ready to be asked for names."""

    def __init__(self, flat: str) -> None:
        self.flat = flat

    def has(self, name: str) -> bool:
        """Whether any word of `name` is there, in some form, or the words that it abbreviates."""
        parts = _NAME_PART.findall(name)
        if any(stem(part) in self.flat or part in self.flat for part in parts):
            return True
        return any(self._spells(part) for part in parts if len(part) <= _LONGEST_ACRONYM)

    def _spells(self, acronym: str) -> bool:
        """Whether words in a row begin with the letters of `acronym`; one small word may stand
        between two of them."""
        reached = self._by_initial.get(acronym[0], _NOWHERE)
        for letter in acronym[1:]:
            following = self._by_initial.get(letter, _NOWHERE)
            reached = following & {after for place in reached for after in self._after[place]}
        return bool(reached)

    @cached_property
    def _by_initial(self) -> dict[str, frozenset[int]]:
        places: dict[str, set[int]] = {}
        for place, word in enumerate(self._words):
            places.setdefault(word.group()[0], set()).add(place)
        return {initial: frozenset(found) for initial, found in places.items()}

    @cached_property
    def _after(self) -> list[tuple[int, ...]]:
        """For each word those that may go on with an acronym: the next, and the one behind a small
        word."""
        words = self._words
        close = [after.start() - word.end() <= _WIDEST_GAP for word, after in pairwise(words)]
        after: list[tuple[int, ...]] = []
        for place, joined in enumerate([*close, False]):
            if not joined:
                after.append(())
            elif (
                place + 1 < len(close)
                and close[place + 1]
                and (words[place + 1].group() in _SMALL_WORDS)
            ):
                after.append((place + 1, place + 2))
            else:
                after.append((place + 1,))
        return after

    @cached_property
    def _words(self) -> list[re.Match[str]]:
        return list(_PLAIN_WORD.finditer(self.flat))


def replaced_names(
    claim: str, source: str, mentions: Sequence[Mentions]
) -> Iterator[tuple[Name, Name]]:
    """Names of `claim` that `mentions` have nowhere, each with the name that stands in its place in
    `source` and not in `claim`."""
    flat = flatten(claim)
    absent = [
        name
        for name in names(claim)[:_MOST_NAMES]
        if not any(text.has(name.name) for text in mentions)
    ]
    if absent:
        own = Mentions(flat)
        others = [name for name in names(source)[:_MOST_NAMES] if not own.has(name.name)]
        for name in absent:
            for other in others:
                if _same_place(name, other):
                    yield name, other
                    break
    for pattern in (_HAN_NAME, _HAN_UNIT):
        for match in pattern.finditer(flat):
            if any(match.group() in text.flat for text in mentions):
                continue
            for told in pattern.finditer(flatten(source)):
                if told["title"] == match["title"] and told["name"] != match["name"]:
                    yield (
                        Name(match.group(), "", "", *match.span()),
                        Name(told.group(), "", "", *told.span()),
                    )
                    break


def _same_place(name: Name, other: Name) -> bool:
    before = name.before == other.before and name.before.isalpha() and name.before not in _ARTICLES
    after = name.after == other.after and name.after.isalpha()
    return before or after
