"""Whether a clause affirms or denies, obliges or permits, and whether it says "only".

A claim and a source agree when their clauses about the same thing have the same sign. The sign of a
clause is the parity of its negations; a word with a built-in negation (unsupported, disabled, 不同)
carries its own sign and is compared with its positive form. Words that only look like negations
(not only, no later than, 無論, 不僅, 未來) count as nothing.

Reads text flattened by `core.fold.flatten`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from rag.core.span import Span
from rag.core.words import content_words, stem


class Modal(Enum):
    """What a clause makes of its action. The negation is part of the value."""

    REQUIRED = "required"
    NOT_REQUIRED = "not required"
    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause at `flat[start:end]`. `signs` gives each content word's sign: +1 affirmed, -1 denied,
    the clause's negations and the word's own counted together."""

    start: int
    end: int
    signs: dict[str, int]
    negations: int
    exclusive: bool
    modal: Modal | None
    opposites: frozenset[str] = frozenset()
    """Stems in `signs` that stand for a pair of opposites, such as same and different."""


# Looks like a negation or an "only", is none.
_NO_NEGATION = re.compile(
    r"\bnot (?:only|just|merely|simply|solely|necessarily limited to)\b|\bno (?:matter|doubt|wonder|problem|sooner)\b"
    r"|\bno\.? ?(?=\d)|\bwhether or not\b|\bor not\b|\bif not\b|\bnothing but\b"
    r"|\bnot (?=\w+ until\b)|\bin no time\b|\bnon-?stop\b|\bnone other than\b|\bno other than\b"
    r"|\bno one (?:but|except|other than)\b|\bnobody (?:but|except|else)\b|\bnot to mention\b"
    r"|\b(?:does|do|did|is|are|was|were|wo|would|ca|could|should|has|have|had)(?:n't|n) (?=\w+(?: \w+){0,3} until\b)"
    r"|\b(?:is|are|do|does|can|will|was|were|may|must)? ?not (?=\w+(?: \w+){0,3} until\b)"
    r"|(?:(?:\bno|\bnot|n't|\bnever|\bcannot)(?: \w+){0,3} )(?=(?:more|less|fewer|greater|larger|longer|later|earlier|shorter|higher"
    r"|lower|older|younger|smaller|sooner) than \W?\d?)"
    r"|(?:(?:\bno|\bnot|n't|\bnever|\bcannot)(?: be)? )(?=(?:exceed|over|above|below|under|beyond)\b)"
    r"|不仅|不但|不只|不光|不止|不单|不论|无论|不管|不过|不断|不久|不少|不妨|不时|不禁|不愧|不然|不如"
    r"|不料|不得了|不好意思|不客气|对不起|了不起|差不多|说不定|不外乎|不外|不得不|不能不|不可不|无不|莫不"
    r"|无非|非但|未来|未婚|未央|未免|无限|无线|无障碍|无缝|无数|无穷|无比|无人机|无疑|无形|非常|非洲|莫非"
    r"|是非|南非|非凡|除非不|避免|以免|难免|未雨|沒收|没收|没落|埋没|沉没|是否|能否|可否|与否|会否|有否|否则"
    r"|有没有|会不会|能不能|可不可以|是不是|要不要|不可或缺|不可避免|迫不及待|不一会|不同(?=步)"
    r"|[不未没](?:得|可|能|应|会|有)?(?=(?:少于|低于|小于|超过|多于|大于|高于|短于|长于|晚于|早于|逾|超出))"
    r"|非(?=[^,;.。]{1,12}不(?:可|得|行|能))|(?<=[^,;.。])不可(?=$|[,;.。])|只要|只见|只好|只不过|不只|只有一|隻"
    r"|特别|分别|级别|类别|性别|区别|识别|个别|差别|鉴别|辨别|告别|别名|别人|别处|别的|判别|派别"
    r"|免费|免责|免疫|未必然|未知|不足(?=以外)"
)
_NEGATION = re.compile(
    r"\b(?:not|never|cannot|nor|neither|nobody|none|nothing|nowhere|without|hardly|unless|no one|lacks?"
    r"|lacking|missing|absent|prohibit(?:s|ed)?|forbid(?:s|den)?|disallow(?:s|ed)?|ban(?:s|ned)?"
    r"|unable|impossible|fail(?:s|ed)? to|instead of|rather than|except|unnecessary|needless|no longer|no)\b|n't\b"
    r"|\b(?:doesnt|dont|isnt|arent|cant|wont|mustnt)\b"
    r"|不得|不可|不能|不会|不是|不准|不许|不必|不需|不用|不须|不应|不该|不再|不予|不宜|不|尚未|从未|未|没有|没"
    r"|请勿|切勿|勿|禁止|严禁|无法|无须|无需|毋须|毋需|毋|无|非|除非|除了?(?=[^,;.。]{1,12}(?:以外|之外|外))"
    r"|免(?=附|填|经|用|于|除|缴|签|付)|缺少|缺乏|(?:(?<=^)|(?<=[请千万,;.。 ]))别"
)
# Negations whose reach is the noun phrase behind them, not the clause they stand in.
_PHRASE_NEGATION = re.compile(r"\b(?:without|instead of|rather than|except|unless)\b")
_PHRASE_END = re.compile(
    r"\b(?:the|a|an|this|that|these|you|we|they|it|he|she|i|to|in|on|at|by|for|and|or|but)\b"
)

_EXCLUSIVE = re.compile(
    r"(?<!\bnot )(?<!\bread-)(?<!\bif )\bonly\b(?! (?:if not|when not))|\b(?:solely|exclusively|nothing but|no one but"
    r"|none but|nobody but|no other|nobody else|sole|no one else)\b|仅|只(?=有|能|可|限|会|在|由|供|对|给|接|支|允|准|需|须)|唯有|惟有|唯一|专供|专属"
)
_NOT_EXCLUSIVE = re.compile(
    r"不仅|不只|只要|只不过|只见|(?:not|n't) only|(?:仅|只|only) ?(?:需|须|takes?|costs?|needs?)"
)
# What a source may say instead of "only" for the same restriction.
_RESTRICTS = re.compile(
    r"\b(?:only|solely|exclusively|sole|restrict\w*|limit\w*|except|unless|nobody|no one|none|no other|alone"
    r"|must|required?|reserved|just|single|unique|until)\b|仅|只|唯|惟|限|专|除|才|方可|方能|始得|始可|必须|须|独"
)

_CLAUSE_END = re.compile(
    r"[,;!?。:](?=\s|$|[^\x00-\x7f])|(?<=[^\x00-\x7f])[,;:!?]|\.(?=\s|$|[^\x00-\x7f])|\n|[()\[\]]"
    r"|(?<= )(?=(?:but|because|if|when|unless|while|although|though|whereas|until|which|whose|where"
    r"|otherwise|except)\b)|(?=(?<![合一])并(?![不非未无])|但|若|如果|因为|除非|而且|并且|否则|却(?!除)|即使|假如|一旦)"
)

# Pairs of opposites: the second is the first denied. Compared by the first's stem, also where both
# sides use the same word. Words of one row mean the same.
_OPPOSITES: tuple[tuple[str, str], ...] = (
    ("same identical equal alike", "different unequal distinct"),
    ("enable enabled enables active activate activated", "disable disabled disables inactive deactivate deactivated"),
    ("allow allowed allows permitted permit permits", "deny denied denies"),
    ("support supported supports", "unsupported"),
    ("available", "unavailable"),
    ("valid", "invalid"),
    ("accept accepts accepted", "reject rejects rejected refuse refuses refused"),
    ("include includes included including", "exclude excludes excluded excluding"),
    ("rise rises rose risen increase increases increased grow grows grew higher", "fall falls fell fallen decrease decreases"
     " decreased drop drops dropped decline declines declined shrink shrank lower"),
    ("succeed succeeds succeeded success successful successfully", "fail fails failed failure unsuccessful"),
    ("required mandatory compulsory", "optional unnecessary"),
    ("public", "private"),
    ("encrypted", "unencrypted"),
    ("online", "offline"),
    ("automatic automatically", "manual manually"),
    ("internal internally", "external externally"),
    ("safe secure", "unsafe insecure"),
    ("lock locks locked", "unlock unlocks unlocked"),
    ("add adds added", "remove removes removed"),
    ("paid", "unpaid"),
    ("known", "unknown"),
    ("authorized authorised", "unauthorized unauthorised"),
    ("相同 一样 一致", "相异 有别"),
    ("启用 开启 启动", "停用 关闭 禁用 停止"),
    ("允许 准许", "禁用"),
    ("增加 上升 提高 上涨 成长 调升 调涨", "减少 下降 降低 下跌 衰退 调降"),
    ("成功", "失败"),
    ("必填", "选填"),
    ("必要 必须 强制", "选择性 非必要 可选"),
    ("公开", "私有 不公开 机密"),
    ("自动", "手动 人工"),
    ("内部", "外部"),
    ("接受 核准 批准", "拒绝 驳回 退回"),
    ("包含 包括", "排除"),
    ("有效", "无效"),
    ("加入 新增", "移除 删除"),
    ("线上", "离线 线下"),
    ("最大", "最小"),
    ("最高", "最低"),
    ("支持 支援", "反对"),
)  # fmt: skip
# Denials by form: 不同, 不一样. Read as the negation and the positive word.
_EQUAL_FORMS = {"不同": "相同", "不一样": "相同", "不一致": "相同", "不相同": "相同"}

_MODALS: tuple[tuple[Modal, re.Pattern[str]], ...] = tuple(
    (modal, re.compile(pattern))
    for modal, pattern in (
        (
            Modal.NOT_REQUIRED,
            r"\b(?:do|does|did)(?: not|n't) (?:need|have) to|\bneed(?: not|n't)\b|\bno need\b|\b(?:is|are|was|be)(?: not|n't)"
            r" (?:required|necessary|needed|mandatory)\b|\bunnecessary\b|\boptional\b|\bnot (?:required|necessary|needed)\b"
            r"|\b(?:do|does) not require\b"
            r"|无须|无需|毋须|毋需|不必|不需要?|不用|不须|免(?=附|填|经|用|签)|非必要|非必须",
        ),
        (
            Modal.FORBIDDEN,
            r"\b(?:must|may|can|should|shall|could|will)(?: not|n't)\b|\bcannot\b|\bcan't\b|\bprohibited\b|\bforbidden\b|\bdisallowed\b"
            r"|\bbanned\b|\b(?:not|n't|never) (?:be )?(?:allowed|permitted)\b|不得(?!不)|不可(?!避|或|以?不)|不能(?!不)|不准|不许"
            r"|禁止|严禁|请勿|切勿|勿|不应|不行",
        ),
        (
            Modal.REQUIRED,
            r"\bmust\b|\bshall\b|\bha(?:ve|s) to\b|\b(?:is|are) (?:required|obliged|mandatory)\b|\bneeds? to\b|\brequires?\b|\bmandatory\b"
            r"|必须|须|务必|必需|一定要|需要|应(?=于|在|由|先|当|该)|不得不",
        ),
        (
            Modal.ALLOWED,
            r"\bmay\b(?! \d)|\bcan\b|\b(?:is|are) (?:allowed|permitted)\b|\bable to\b|\bfree to\b|可以|(?<![不许认])可(?!能|以)|允许|准许|得(?=以|于|向|申)",
        ),
    )
)


def clauses(flat: str, spans: tuple[Span, ...] | None = None) -> list[Clause]:
    """The clauses of `flat`, or of each span of it, in order; those without content left out."""
    found: list[Clause] = []
    for span in spans if spans is not None else (Span(0, len(flat)),):
        found.extend(_clauses_in(flat, span))
    return found


def split_clauses(flat: str, span: Span) -> Iterator[Span]:
    """Where the clauses of `flat[span.start:span.end]` stand."""
    start = span.start
    for match in _CLAUSE_END.finditer(flat, span.start, span.end):
        if flat[start : match.start()].strip():
            yield Span(start, match.start())
        start = match.end()
    if flat[start : span.end].strip():
        yield Span(start, span.end)


def _clauses_in(flat: str, span: Span) -> Iterator[Clause]:
    for part in split_clauses(flat, span):
        yield from _phrases(flat[part.start : part.end], part.start)


def _phrases(text: str, offset: int) -> Iterator[Clause]:
    """A clause, and apart from it the phrase that a "without" denies."""
    neutral = _NO_NEGATION.sub(_blank, text)
    if match := _PHRASE_NEGATION.search(neutral):
        end = match.end()
        words = 0
        for word in re.finditer(r"\S+", neutral[end:]):
            if words and _PHRASE_END.fullmatch(word.group()):
                break
            words += not _PHRASE_END.fullmatch(word.group())
            end = match.end() + word.end()
            if words == 3 and match.group() != "unless":
                break
        if match.group() == "unless":
            end = len(text)
        inner = _clause(text[match.start() : end], offset + match.start())
        rest = text[: match.start()] + " " * (end - match.start()) + text[end:]
        outer = _clause(rest, offset)
        yield from (clause for clause in (outer, inner) if clause.signs)
        return
    clause = _clause(text, offset)
    if clause.signs or clause.exclusive:
        yield clause


def _clause(text: str, offset: int) -> Clause:
    for form, positive in _EQUAL_FORMS.items():
        if form in text:
            text = text.replace(form, "不" + positive)
    neutral = _NO_NEGATION.sub(_blank, text)
    negations = [match.span() for match in _NEGATION.finditer(neutral)]
    sign = -1 if len(negations) % 2 else 1
    bare = text
    for start, end in negations:
        bare = bare[:start] + " " * (end - start) + bare[end:]
    signs: dict[str, int] = {}
    opposites: set[str] = set()
    axis_words = _axis_table()
    for start, end, own in _axis_occurrences(bare):
        key = axis_words[bare[start:end]][0]
        signs[key] = sign * own
        opposites.add(key)
        if bare[start].isascii():
            bare = bare[:start] + " " * (end - start) + bare[end:]
    for content in content_words(bare):
        signs.setdefault(content.stem, sign)
    exclusive_text = _NOT_EXCLUSIVE.sub(_blank, text)
    return Clause(
        offset,
        offset + len(text),
        signs,
        len(negations),
        _EXCLUSIVE.search(exclusive_text) is not None,
        _modal(neutral),
        frozenset(opposites),
    )


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _modal(text: str) -> Modal | None:
    return next((modal for modal, pattern in _MODALS if pattern.search(text)), None)


@lru_cache(maxsize=1)
def _axis_table() -> dict[str, tuple[str, int]]:
    table: dict[str, tuple[str, int]] = {}
    for positive, negative in _OPPOSITES:
        key = "±" + stem(positive.split()[0])
        table.update({word: (key, 1) for word in positive.split()})
        for word in negative.split():
            table.setdefault(word, (key, -1))
    return table


@lru_cache(maxsize=1)
def _axis_pattern() -> re.Pattern[str]:
    words = sorted(_axis_table(), key=len, reverse=True)
    return re.compile(
        "|".join(rf"\b{word}\b" if word.isascii() else re.escape(word) for word in words)
    )


def _axis_occurrences(text: str) -> list[tuple[int, int, int]]:
    """Start, end and own sign of each word that has an opposite."""
    table = _axis_table()
    return [
        (match.start(), match.end(), table[match.group()][1])
        for match in _axis_pattern().finditer(text)
    ]


def restricts(flat: str) -> bool:
    """Whether `flat` restricts at all: what "only" in a claim may stand for."""
    return _RESTRICTS.search(flat) is not None
