"""The words that deny, restrict, oblige and permit, and those that only look as if they did.

One phrase a line, as regular expressions over text flattened by `core.fold.flatten`. Latin and
Chinese cues are kept apart, so that a text without Chinese never pays for them.
"""

import re
from collections.abc import Iterable
from enum import Enum
from functools import cached_property

_HAN = re.compile(r"[㐀-鿿]")
_LATIN = re.compile("[a-z]")


class Modal(Enum):
    """What a clause makes of its action. The negation is part of the value."""

    REQUIRED = "required"
    NOT_REQUIRED = "not required"
    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"


class Cue:
    """One pattern for each script, compiled when a text in that script is first read."""

    def __init__(self, latin: str, han: str) -> None:
        """Alternatives, one a line."""
        self._lines = (latin, han)

    @cached_property
    def latin(self) -> re.Pattern[str]:
        return re.compile(_alternatives(self._lines[0]))

    @cached_property
    def han(self) -> re.Pattern[str]:
        return re.compile(_alternatives(self._lines[1]))

    def spans(self, text: str) -> list[tuple[int, int]]:
        found = [match.span() for match in self.latin.finditer(text)]
        if not text.isascii() and _HAN.search(text):
            found += [match.span() for match in self.han.finditer(text)]
        return found

    def occurs(self, text: str) -> bool:
        if text.isascii():
            return self.latin.search(text) is not None
        if _LATIN.search(text) and self.latin.search(text):
            return True
        return _HAN.search(text) is not None and self.han.search(text) is not None

    def blank(self, text: str) -> str:
        """`text` with every occurrence replaced by spaces."""
        return blank_spans(text, self.spans(text))


def blank_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """`text`, as long as before, with `spans` replaced by spaces."""
    pieces: list[str] = []
    done = 0
    for start, end in sorted(spans):
        if end > done:
            pieces += (text[done:start], " " * (end - max(start, done)))
            done = end
    return "".join((*pieces, text[done:]))


def _alternatives(block: str) -> str:
    return "|".join(line.strip() for line in block.strip("\n").splitlines() if line.strip())


_COMPARATIVE = (
    "more|less|fewer|greater|larger|longer|later|earlier|shorter|higher|lower|older|younger"
    "|smaller|bigger|sooner"
)

NO_NEGATION = Cue(
    rf"""
    \bnot (?:only|just|merely|simply|solely|to mention)\b
    \bno (?:matter|doubt|wonder|problem|sooner)\b
    \bno\.? ?(?=\d)
    \b(?:whether |if )?or not\b
    \bif not\b
    \bin no time\b
    \bnon-?stop\b
    \bnone other than\b
    \bneither\b(?=[^,;.]{{1,60}}\bnor\b)
    \b(?:no one|nobody|nothing) (?:but|except|other than|else)\b
    (?:\bnot|n't|\bcannot) (?=\w+(?: \w+){{0,4}}? until\b)
    (?:\bno|\bnot|n't|\bnever|\bcannot)(?: \w+){{0,4}} (?=(?:{_COMPARATIVE}) than\b)
    (?:\bno|\bnot|n't|\bnever|\bcannot)(?: be)? (?=(?:exceed|over|above|below|beyond)\b)
    (?:\bno|\bnot|n't|\bnever|\bcannot)(?: be)? (?=under\b(?! the\b))
    """,
    r"""
    不[仅但只光止单论管过断久少妨时禁愧然如料外定]
    不得[了不]
    [不没][能可]不(?=[^同])
    不可(?:或缺|避免|思议)
    不好意思|不客气|对不起|了不起|差不多|说不定|迫不及待|不一会|不得而知
    无[论非限线缝数穷比形疑不]|无障碍|无人机|无所谓|毫无疑问
    非常|非洲|莫非|是非|南非|非凡|非但|除非不|并非不
    未[来婚央免雨]|未必不
    未经?(?=[^,;.。]{1,12}(?:不得|不可|不能|禁止|请勿))
    避免|以免|难免|免[费责疫]
    没收|没落|埋没|沉没|莫不
    [未不]满|未达|不[足到](?= ?[\d〇零一二三四五六七八九十百千万两半])
    [是能可与会有]否|否则
    有没有|会不会|能不能|可不可以|是不是|要不要
    不同(?=步)
    [不未没](?:得|可|能|应|会|有)?(?=[^,;.。]{0,4}(?:[少低小多大高短长晚早]于|超过|逾|超出))
    非(?=[^,;.。]{1,12}不(?:可|得|行|能))
    (?<=[^,;.。])不可(?=$|[,;.。])
    [特分级类性区识个差鉴辨告判派]别|别[名人处的]
    """,
)
"""Looks like a negation and is none: not only, no later than, 無論, 不僅, 未來."""

NEGATION = Cue(
    r"""
    \b(?:not|never|cannot|nor|neither|nobody|none|nothing|nowhere|no one|no longer|no)\b
    \b(?:can't|won't|shan't)
    n't\b
    \b(?:doesnt|dont|isnt|arent|cant|wont|mustnt)\b
    \b(?:without|instead of|rather than|except|unless|hardly)\b
    \b(?:lacks?|lacking|missing|absent)\b
    \b(?:prohibits|forbids|disallows|bans)\b
    \b(?:is|are|be|was|were|been|strictly|expressly) (?:prohibited|forbidden|disallowed|banned)\b
    \b(?:unable|impossible|unnecessary|needless)\b
    \bfail(?:s|ed)? to\b
    \b(?:drop(?:s|ped)?|end(?:s|ed)?|remov(?:es?|ed)|discontinu(?:es?|ed)) (?=support\b)
    (?<=\bsupport )(?:for (?:[^,;.]|\.\d){1,40} )?(?:was|is|has been) (?:dropped|ended|removed)\b
    """,
    """
    [永绝决毫概]?不[得可能会是准许必需用须应该再予宜]?
    尚未|从未|未|没有|没
    (?:请|切)?勿|禁止|严禁
    无[法须需]|毋[须需]?|无|非
    除非|除了?(?=[^,;.。]{1,12}(?:以外|之外|外))
    免(?=附|填|经|用|于|除|缴|签|付)
    缺少|缺乏
    (?:^|(?<=[请万,;.。 ]))别
    """,
)

PHRASE_NEGATION = re.compile(r"\b(?:without|instead of|rather than|except|unless)\b")
"""Negations that reach the noun phrase behind them, not the clause that they stand in."""

DENIED_ATTRIBUTE = re.compile("未[^,;.。的]{1,6}的")
"""未休完的特休: what the thing has not, not what is not done with it."""

ON_CONDITION = Cue(
    r"\bonly (?:after|once|if|when|with)\b|\b(?:requires?|needs?)\b",
    "[须需应必]经|[才方始][可能得]",
)
UNLESS = Cue(r"\b(?:unless|without|until|except)\b", "未经|非经|除非|未[得获]")
"""What is allowed on a condition is forbidden without it: 須經核准, 未經核准不得."""

QUOTED = re.compile(r"`[^`\n]{1,100}`|\"[^\"\n]{1,100}\"|[「『][^」』\n]{1,100}[」』]")
"""Words that are mentioned, not used: `None` and "no" deny nothing."""

EXCLUSIVE = Cue(
    r"""
    (?<!not )(?<!n't )(?<!read-)(?<!if )\bonly\b(?! (?:takes?|costs?|needs?|if not|when not))
    \b(?:solely|exclusively|sole)\b
    \b(?:nothing|no one|none|nobody) but\b
    \bno other\b
    \b(?:nobody|no one) else\b
    """,
    """
    (?<!不)仅(?![需须])
    (?<!不)只(?=有|能|可|限|会|在|由|供|对|给|接|支|允|准)
    [唯惟][有一]|专[供属]
    """,
)

RESTRICTION = Cue(
    r"""
    \b(?:only|solely|exclusively|sole|except|unless|nobody|no one|none|no other|alone|just)\b
    \b(?:must|required?|reserved|single|unique|until|restrict\w*|limit\w*)\b
    """,
    "[仅只唯惟限专除才须独]|[方始][可能得]",
)
"""What a source may say where a claim says "only"."""

ABSOLUTE = Cue(
    r"\b(?:never|nobody|no one|none|nothing|in no case|under no circumstances)\b",
    "从不|从未|绝不|决不|永不|一律不|任何人都不|没有人|没人|无人",
)
"""Denials that a single instance refutes."""

PARTIAL = Cue(
    r"\b(?:some|most|many|usually|often|sometimes|typically|generally|rarely|few|partly)\b",
    "部分|有些|某些|大多|多数|通常|有时|偶尔|往往|若干",
)
UNIVERSAL = Cue(
    r"\b(?:all|every|always|each|entirely|any|everyone|everybody|whole)\b",
    "一律|全部|所有|总是|任何|皆|均|每[个位项台份次种名]|全体|永远",
)

MODALS: tuple[tuple[Modal, Cue], ...] = (
    (
        Modal.NOT_REQUIRED,
        Cue(
            r"""
            \b(?:do|does|did)(?: not|n't) (?:need|have) to\b
            \bneed(?: not|n't)\b
            \bno need\b
            \b(?:do|does|did)(?: not|n't) (?:need|require)\b
            (?:\bnot|n't) (?:required|necessary|needed|mandatory|compulsory)\b
            \b(?:unnecessary|optional|needless)\b
            """,
            "无[须需]|毋[须需]|不必|不需要?|不用|不须|免(?=附|填|经|用|签)|非必[要须]|可不(?!可)",
        ),
    ),
    (
        Modal.FORBIDDEN,
        Cue(
            r"""
            \b(?:must|may|can|should|shall|could)(?: not|n't)\b
            \b(?:cannot|can't|shan't)\b
            \b(?:is|are|be|strictly) (?:prohibited|forbidden|disallowed|banned)\b
            (?:\bnot|n't|\bnever) (?:be )?(?:allowed|permitted)\b
            """,
            "不得(?!不)|不可(?!避|或|以?不)|不能(?!不)|不准|不许|禁止|严禁|[请切]?勿|不应|不行",
        ),
    ),
    (
        Modal.REQUIRED,
        Cue(
            r"""
            \b(?:must|shall|has to|have to|mandatory|compulsory|obliged)\b
            \b(?:is|are|be) required\b
            \b(?:needs?|required) to\b
            \brequires?\b
            """,
            "必须|(?<!无)(?<!毋)(?<!不)须|务必|必需|一定要|(?<!不)需要|应(?=于|在|由|先|当|该)|不得不",
        ),
    ),
    (
        Modal.ALLOWED,
        Cue(
            r"""
            \bmay\b(?! \d)
            \bcan\b
            \b(?:is|are|be) (?:allowed|permitted)\b
            \b(?:able|free) to\b
            """,
            "可以|(?<![不许认])可(?!能|以|不)|允许|准许|得(?=以|于|向|申)|(?:^|(?<=[,;者人时并均]))得(?![不了到知出分票主罪失])",
        ),
    ),
)
"""In this order: a denied modal before the bare one."""

# Denials by form, read as the negation and the positive word.
_EQUAL_FORMS = ("不相同", "不一样", "不一致", "不同")


def with_plain_denials(text: str) -> str:
    """不同 and 不一樣 as 不相同: the negation and the word it denies. Length may change."""
    for form in _EQUAL_FORMS:
        if form in text:
            text = text.replace(form, "不相同")
    return text
