"""The patterns of `core.screen`: for lower case, Simplified Chinese and half-width punctuation.

Every gap is bounded and no repetition is nested in another, so matching takes linear time. Each
pattern names literals of which its matches hold at least one; it is tried around those only, which
is many times faster than trying it everywhere.
"""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass

# The Traditional characters of the words below, in the order of their Simplified forms.
TRADITIONAL = (
    "來係個傳僅優內別則務匯員問噹實寫將對導屬幫廢彆彙後從復應戶拋換撥擁擊數於旣會棄標機檔權沒"
    "洩準滙為無爲現當發眞確箇範約紹結給統經網緊總繞繫續蓋薦處裏裡製複規視計訊記訪設許訴註証評"
    "詞詢話該認語說説請證譯議讀變資賬載輸轉迴這進過違適遶釋開閤閱閲際隱隻頁須頭題顯餘驗髮鬚麪"
    "麫麵點齣"
)
SIMPLIFIED = (
    "来系个传仅优内别则务汇员问当实写将对导属帮废别汇后从复应户抛换拨拥击数于既会弃标机档权没"
    "泄准汇为无为现当发真确个范约绍结给统经网紧总绕系续盖荐处里里制复规视计讯记访设许诉注证评"
    "词询话该认语说说请证译议读变资账载输转回这进过违适绕释开合阅阅际隐只页须头题显余验发须面"
    "面面点出"
)


_WORD = re.compile(r"[a-z]+|[一-鿿]")

# Characters around a literal in which a match that holds it must lie; the longest matches, with
# every gap at its widest, stay below this.
_REACH = 400


@dataclass(frozen=True, slots=True)
class Pattern:
    needs: tuple[tuple[str, frozenset[str]], ...]
    """Literals, each with its words: where one of those is missing, so is the literal."""
    regex: re.Pattern[str]

    def finditer(self, text: str, words: Set[str]) -> Iterator[re.Match[str]]:
        """Matches in `text`, which is folded as `core.screen` does it and consists of `words`."""
        for low, high in self._windows(text, words):
            yield from self.regex.finditer(text, low, high)

    def _windows(self, text: str, words: Set[str]) -> Iterator[tuple[int, int]]:
        """Spans around the literals, apart from each other, in order."""
        places = sorted(
            at
            for literal, its_words in self.needs
            if its_words <= words
            for at in _occurrences(literal, text)
        )
        low = high = 0
        for at in places:
            if at - _REACH > high:
                if high:
                    yield low, high
                low = at - _REACH
            high = min(len(text), at + _REACH)
        if high:
            yield low, high


def words_of(text: str) -> frozenset[str]:
    """The Latin words and single ideographs of a folded text."""
    return frozenset(_WORD.findall(text))


def _occurrences(literal: str, text: str) -> Iterator[int]:
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))


def _pattern(needs: str, regex: str) -> Pattern:
    """`needs`: the literals, apart by `|`."""
    literals = tuple((literal, words_of(literal)) for literal in needs.split("|"))
    return Pattern(literals, re.compile(regex, re.MULTILINE))


# What the model works by, which no document has a say in. `rule` and `policy` are a document's own
# words too, so these count only with a qualifier that points at the model's own.
_ORDERS = r"(?:instruction|prompt|direction|command|directive)s?"
_RULES = r"(?:rule|guideline|polic(?:y|ies)|constraint|restriction|guardrail|safeguard)s?"
_MODEL_OWN = (
    r"(?:previous|prior|above|earlier|preceding|foregoing|original|initial|your|system|developer"
    r"|safety|grounding|hidden)"
)
_LIFT = (
    r"(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|bypass(?:ing)?|neglect"
    r"|stop\s(?:following|obeying)|(?:do\snot|don't|no\slonger)\s(?:follow|obey|apply))"
)
_LIFT_NEEDS = (
    "ignore|ignoring|disregard|disregarding|forget|override|overriding|bypass|bypassing|neglect|follow"
    "|following|obey|obeying|apply"
)
_WORDS = r"(?:\s[\w'-]+)"
_MODEL = r"(?:ai|a\.i\.|llm|language\smodel|chatbot|(?:ai|virtual|digital)\sassistant|chatgpt|gpt)"
_MODEL_NEEDS = "ai|llm|model|chatbot|assistant|gpt"

# An order to whoever writes the answer: a sentence that does not start like a statement or a
# condition. A web server sends responses too; words of its trade tell those apart.
_SENTENCE = r"(?:^|[.!?:;>\"])\s{0,8}(?:[-*+#>]{1,6}\s)?"
_ORDER_START = (
    _SENTENCE + r"(?!(?:if|when|once|unless|after|while|because|since|you"
    r"|we|i|it|this|that|these|those|the|an?|as|note|see|there|here|for|with|and|or|but|so|to|by|how"
    r"|what|why|where|which|who|does|do|did|is|are|can|could|should|will|would|your|both)\b)[a-z]"
)
_NOT_WEB = (
    r"(?![^.\n]{0,60}\b(?:header|cookie|status|https?\b(?!:)|json|schema|client|endpoint|body|class"
    r"|model|object|code|data|type|field)s?\b)"
)

_ENGLISH = (
    # lift the rules
    _pattern(
        _LIFT_NEEDS,
        rf"\b{_LIFT}{_WORDS}{{0,4}}?\s(?:{_MODEL_OWN}|all|any|every){_WORDS}{{0,3}}?\s{_ORDERS}\b",
    ),
    _pattern(
        _LIFT_NEEDS,
        rf"\b{_LIFT}{_WORDS}{{0,4}}?\s{_MODEL_OWN}{_WORDS}{{0,3}}?\s{_RULES}\b",
    ),
    _pattern(
        _LIFT_NEEDS,
        rf"\b{_LIFT}\s(?:all|everything|anything)\s(?:of\s)?(?:the\s|that\s|you\s)?"
        r"(?:above|previous|before|prior|were\stold)\b",
    ),
    _pattern(
        "citation|citations|grounding|guardrail|guardrails|safety|content",
        r"\b(?:citations?|grounding|guardrails?|safety\s(?:rules?|filters?|guidelines?)"
        r"|content\s(?:filters?|polic(?:y|ies)))\s(?:is|are|was|were|has\sbeen|have\sbeen)\s(?:now\s)?"
        r"(?:disabled|suspended|lifted|void|revoked|off|removed)\b",
    ),
    # reveal them
    _pattern(
        "prompt|prompts|instruction|instructions|directive|directives",
        r"\b(?:reveal|print|show|output|repeat|disclose|leak|expose|display|tell|give|share)"
        rf"{_WORDS}{{0,4}}?\s(?:system\sprompt|(?:hidden|internal|secret|initial|original|your)"
        rf"(?:\s\w+){{0,2}}?\s{_ORDERS})\b",
    ),
    # dictate the answer
    _pattern(
        "answer|answers|reply|replies|response|responses",
        r"\b(?:begin|start|end|prefix|preface|finish|conclude|open)\s(?:your|every|each|all|any)\s"
        r"(?:\w+\s){0,2}?(?:answer|repl(?:y|ies)|response)s?\s(?:with|by)\b",
    ),
    _pattern(
        "reply|respond|answer",
        r"\b(?:reply|respond|answer)\s(?:only|just|solely|exclusively|exactly|simply)\s"
        r"(?:with|in|by|using)\b",
    ),
    _pattern(
        "reply|respond|answer",
        r"\b(?:only|just|always|never)\s(?:reply|respond|answer)\b(?:\s\w+){0,3}?\s"
        r"(?:with|in|by|using|that)\b",
    ),
    _pattern(
        "your",
        rf"{_ORDER_START}[^.\n!?]{{1,120}}?\byour\s(?:\w+\s)?(?:answer|reply|replies)\b",
    ),
    _pattern(
        "your",
        rf"{_ORDER_START}[^.\n!?]{{1,120}}?\byour\s(?:final\s|next\s|entire\s)?response\b{_NOT_WEB}",
    ),
    _pattern(
        "answering|you answer",
        r"\bbefore\s(?:you\s)?answer(?:ing)?\b[^.\n]{0,40}\b"
        r"(?:visit|open|fetch|go\sto|load|click|call|download)\b",
    ),
    _pattern(
        "whatever|anything|no matter|regardless",
        r"\b(?:whatever|anything|no\smatter\swhat|regardless\sof\swhat)\s(?:the\s)?"
        r"(?:user|reader|person)s?\s(?:asks?|says?|wants?)\b",
    ),
    _pattern(
        "the only|the sole",
        r"\bthe\s(?:only|sole)\s(?:correct|right|valid|true|acceptable)\s(?:answer|reply|response)\b",
    ),
    _pattern(
        "asked|asks",
        r"\b(?:if|when|whenever|every\stime)\s(?:(?:you\sare|you're|someone|anyone|the\suser|a\suser)"
        r"\s)?ask(?:ed|s)\b[^.\n]{0,60}\b(?:say|answer|reply|respond|claim|state|tell\sthem)\b",
    ),
    _pattern(
        "source|sources|citation|citations|reference|references",
        r"\b(?:do\snot|don't|never|without)\s(?:cit(?:e|ing)|mention(?:ing)?|trust(?:ing)?)\s"
        r"(?:(?:any|the|other)\s){0,2}(?:sources?|citations?|references?)\b",
    ),
    _pattern("citation|citations", r"\bin\splace\sof\s(?:every|each|all|any|the)\scitations?\b"),
    _pattern("tell the user|tell users", rf"{_SENTENCE}(?:please\s)?tell\s(?:the\suser|users)\b"),
    # speak to the model
    _pattern(
        "if you|as you|if an|as an|as a",
        rf"\b(?:if|as)\s(?:you\sare\s|you're\s)(?:an?\s|the\s)?(?:\w+\s)?{_MODEL}\b",
    ),
    _pattern(
        "reading|processing|summarizing|summarising|indexing|parsing|analyzing|analysing",
        rf"\b{_MODEL}s?\s(?:\w+\s){{0,2}}?(?:reading|processing|summari[sz]ing|indexing|parsing"
        r"|analy[sz]ing)\s(?:this|these)\b",
    ),
    _pattern(
        "dear|hey|hello|attention|note to",
        r"\b(?:dear|hey|hello|attention,?|note\sto)\s(?:the\s)?"
        r"(?:ai|llm|language\smodel|assistant|chatbot)s?\b",
    ),
    _pattern(
        "you are now",
        r"\byou\sare\snow\s(?:in\s)?(?:an?\s|the\s|my\s)?(?:\w+[\s-]){0,3}?"
        r"(?:mode|assistant|dan|agent|persona|ai|bot|model|character|unrestricted)\b",
    ),
    _pattern(
        "from now on", r"\bfrom\snow\son,?\s(?:you|your|always|every|all|answer|respond|reply)\b"
    ),
    _pattern(
        "your new|your real|your actual|your true|your only|new task|new instruction"
        "|new instructions|new system prompt|new order|new orders",
        r"\b(?:your\s(?:new|real|actual|true|only)\s(?:task|role|goal|objective|job|instructions?"
        r"|identity|rules?)|new\s(?:task|instructions?|system\sprompt|orders?))\s?(?:is|are|:)",
    ),
    # claim authority
    _pattern(
        "administrator|admin|developer|owner|creator|operator",
        r"\bas\s(?:an?|the|your)\s(?:\w+\s)?"
        r"(?:administrator|admin|developer|owner|creator|operator|system),?\si\b",
    ),
    _pattern(
        "authorize|authorise|instruct|order|command|permit",
        r"\bi\s(?:hereby\s)?(?:authori[sz]e|instruct|order|command|permit)\s"
        r"(?:you|the\s(?:model|assistant|ai))\b",
    ),
    _pattern(
        "override|bypass",
        r"\b(?:developer|admin(?:istrator)?|system|root|operator|security)\s(?:override|bypass)\b"
        r"(?:\s?[:!]|[^.\n]{0,40}\b(?:disabled|enabled|granted|accepted))",
    ),
    # rate the sources
    _pattern(
        "highest|most|only|top|absolute|sole",
        r"\bthis\s(?:document|source|passage|page|text|file|chunk|section)\s(?:is|has|takes)\s"
        r"(?:the\s)?(?:highest|most|only|top|absolute|sole)[\s-]"
        r"(?:priority|authoritative|trusted|trustworthy|reliable|valid)\b",
    ),
    _pattern(
        "source|sources|passage|passages|document|documents|chunk|chunks",
        r"\b(?:rate|mark|treat|consider|regard|rank|score|label)\s(?:(?:all|any|every|this|these|the)\s)?"
        r"(?:other\s)?(?:sources?|passages?|documents?|chunks?)\s(?:\w+\s){0,2}?as\s(?:\w+\s){0,2}?"
        r"(?:un(?:reliable|trusted|trustworthy|true)|false|outdated|wrong|irrelevant|reliable|trusted"
        r"|authoritative|true|correct|verified|support\w*|relevant|best)\b",
    ),
)

_ZH_LIFT = (
    r"(?:忽略|无视|忽视|忘记|忘掉|忘了|不要理会|别理会|不必理会|不理会|不必遵守|不要遵守|不再遵守"
    r"|无需遵守|跳过|抛开|抛弃|绕过|覆盖|推翻|违反)"
)
_ZH_OWN = (
    r"(?:以上|之前|先前|前面|前述|上述|上面|所有|全部|一切|任何|原有|原本|原来|你的|您的|系统|既有"
    r"|既定|安全|必须|隐藏)"
)
_ZH_ORDERS = r"(?:指示|指令|命令|规则|规范|规定|提示词|提示|设定|限制|约束|准则|政策|对话)"
_ZH_ORDER_NEEDS = "指示|指令|命令|规则|规范|规定|提示|设定|限制|约束|准则|政策|对话"
_ZH_SAY = r"(?:回答|回复|回覆|答复|答覆|输出|返回|回传|作答|答|说|写出)"
_ZH_ANSWER = r"(?:答案|回答|回复|回覆|答复)"
_ZH_MODEL = (
    r"(?:\bai\b|人工智能|人工智慧|语言模型|大模型|ai模型|ai助手|ai助理|智能助手|智慧助理"
    r"|聊天机器人)"
)
_ZH_MODEL_NEEDS = "ai|智|模型|机器人"
_ZH_ADMIN = r"(?:系统)?(?:管理员|管理者|开发者|开发人员|所有者|拥有者|操作员|主人)"
_CHINESE = (
    # lift the rules
    _pattern(_ZH_ORDER_NEEDS, rf"{_ZH_LIFT}[^。\n]{{0,6}}{_ZH_OWN}[^。\n]{{0,10}}{_ZH_ORDERS}"),
    _pattern(
        "作废|失效|无效|取消|解除|不再适用|停用|不算数",
        rf"{_ZH_OWN}的?[^。,\n]{{0,6}}{_ZH_ORDERS}[^。,\n]{{0,4}}"
        r"(?:作废|失效|无效|已取消|已解除|不再适用|已停用|不算数)",
    ),
    _pattern(
        "授权|忽略|无视|绕过|跳过",
        rf"(?:忽略|无视|绕过|跳过)[^。\n]{{0,4}}[\"「][^\"」\n]{{1,20}}[\"」]的?{_ZH_ORDERS}",
    ),
    # reveal them
    _pattern(
        "系统提示|隐藏|提示词|内部|初始",
        r"(?:打印|印出|显示|输出|揭露|揭示|透露|泄露|泄漏|公开|说出|列出|告诉我|复述|重复)[^。\n]{0,10}"
        r"(?:系统提示|隐藏的?(?:指令|指示|提示)|提示词|内部(?:指令|规则|提示)|初始(?:指令|提示))",
    ),
    # dictate the answer
    _pattern(
        "答案|回答|回复|回覆|答复|问题",
        r"(?:每个|每次|每一个|所有|任何|一切|之后的?|接下来的?|后续的?|你的|您的)"
        rf"(?:{_ZH_ANSWER}|问题)[^。\n]{{0,14}}(?:都|必须|一律|均|须|要|只)[^。\n]{{0,24}}"
        rf"(?:{_ZH_ANSWER}|输出|回传|开头|结尾|加上|附上)",
    ),
    _pattern(
        "被问|问到|问及|提问|询问",
        r"(?:只要|每当|凡是|凡|如果|若|一旦|当)[^。\n]{0,6}(?:被问|问到|问及|提问|询问)[^。\n]{0,20}"
        rf"{_ZH_SAY}",
    ),
    _pattern(
        "只|仅|一律|务必|直接|统一",
        r"(?:请|一律|务必|你(?:必须|只能|要|应该?|需要?))你?(?:只|仅|一律|务必|直接|统一)"
        rf"(?:用[^。,\n]{{1,8}})?{_ZH_SAY}",
    ),
    _pattern("只|仅|一律|务必", rf"(?:^|[。,!;:]\s?)(?:只|仅|一律|务必){_ZH_SAY}[\":]"),
    _pattern("唯一", r"唯一的?(?:正确|合法|有效)的?(?:答案|回答|回复)"),
    _pattern(
        "你的",
        r"(?:在|于|把|将)[^。\n]{0,12}你的(?:答案|回答|回复|回覆|输出)(?:中|里|前|后|末尾|开头)",
    ),
    _pattern(
        "来源|引用|出处|引文",
        r"(?:不要|不得|请勿|切勿|禁止)(?:引用|标注|标示|提及|相信)(?:任何|其他|其它)?"
        r"(?:来源|引用|出处|引文)",
    ),
    _pattern(
        "使用者|用户",
        r"(?:告诉|告知|建议|引导)(?:使用者|用户)[^。\n]{0,20}(?:点击|下载|访问|前往|拨打|汇款|转账)",
    ),
    # speak to the model
    _pattern(
        _ZH_MODEL_NEEDS,
        rf"(?:如果|若|假如|只要)(?:你|您)(?:现在)?(?:是|身为|作为)[^。,\n]{{0,8}}?{_ZH_MODEL}",
    ),
    _pattern(
        _ZH_MODEL_NEEDS, rf"(?:你|您)(?:现在|从现在起)(?:是|身为|作为)[^。,\n]{{0,8}}?{_ZH_MODEL}"
    ),
    _pattern(
        _ZH_MODEL_NEEDS,
        r"(?:阅读|处理|读取|分析|总结|摘要)[^。,\n]{0,4}(?:文件|文档|网页|页面|内容|段落)的"
        rf"[^。,\n]{{0,4}}{_ZH_MODEL}",
    ),
    _pattern(
        "模式|角色|人格|身份|身分",
        r"你(?:现在|从现在起|从此)(?:进入|处于|切换到|扮演|变成|改为)[^。\n]{0,10}"
        r"(?:模式|角色|人格|身份|身分)",
    ),
    _pattern("从现在|从此刻", r"从(?:现在|此刻)(?:起|开始),?(?:你|所有问题|每|一律|请)"),
    _pattern(
        "任务|指令|指示|规则|命令|提示词", r"新的?(?:任务|指令|指示|规则|命令|提示词)\s?(?::|如下)"
    ),
    _pattern(
        "你的",
        r"你的(?:新的?|真正的?|实际的?|唯一的?)(?:任务|角色|身份|身分|目标|指令)(?:是|变为|改为|已)",
    ),
    # claim authority
    _pattern(
        "管理员|管理者|开发者|开发人员|所有者|拥有者|操作员|主人",
        rf"(?:以|我是|身为|作为){_ZH_ADMIN}[^。\n]{{0,8}}(?:授权|命令|要求|允许|指示|批准|准许)(?:你|您)",
    ),
    _pattern(
        "授权|命令|允许|准许|批准",
        r"(?:授权|命令|允许|准许|批准)(?:你|您|模型|助手|助理)(?:忽略|跳过|绕过|无视|不)",
    ),
    _pattern("身份|身分", r"(?:使用者|用户|管理员)(?:身份|身分)(?:已|已经)(?:验证|确认|通过),"),
    # rate the sources
    _pattern(
        "优先|权威|可信",
        r"(?:本|此|这份|这个|这篇|这段)(?:文件|文档|来源|段落|页面|内容|资料)[^。,\n]{0,4}"
        r"(?:是|为|具有|拥有|属于)(?:最|唯一)[^。,\n]{0,3}(?:优先|权威|可信)",
    ),
    _pattern(
        "来源|文件|文档|资料|段落",
        r"(?:将|把)(?:所有)?(?:其他|其它|别的|其余)[^。,\n]{0,4}(?:来源|文件|文档|资料|段落)[^。,\n]{0,4}"
        r"(?:视为|当作|当成|标为|评为|标记为)",
    ),
    _pattern(
        "标记|标示|标注|视为|评为",
        r"(?:将|把)(?:本|此|这)[^。,\n]{0,6}(?:标记|标示|标注|视|评)[^。,\n]{0,2}(?:为|成)[^。\n]{0,6}"
        r"(?:支持|正确|可信|权威|最高|事实|真实)",
    ),
)

INSTRUCTION = _ENGLISH + _CHINESE

# What may stand before words at the beginning of a line: quote and list marks, an alarm word, the
# opening of a comment.
_LINE = (
    r"^[ \t>*_-]{0,8}(?:<!--\s{0,3})?(?:(?:important|attention|urgent|notice|critical|warning"
    r"|note|重要|注意|紧急|警告)[ \t*_]{0,4}[:!]{1,4}[ \t*_]{0,4})?"
)

# Who is speaking, in the forms that chats are written down in. `User:` or `System:` before a name
# or a product is an ordinary field, so a bare word needs a heading's mark, or something being said.
ROLE = (
    _pattern(
        "#",
        r"^[ \t>*_-]{0,8}#{1,6}[ \t]{0,4}(?:system|assistant|user|human|developer|instructions?"
        r"|response|input|系统|助理|助手|使用者|用户|开发者)[ \t]?:",
    ),
    _pattern(
        "system message|system prompt|system notice|system instruction|system instructions"
        "|system override|system command|developer|admin|administrator",
        _LINE + r"#{0,6}[ \t]?\[?(?:system|developer|admin(?:istrator)?)[ \t]"
        r"(?:message|prompt|notice|instructions?|override|command)\]?[ \t*_]{0,4}:",
    ),
    _pattern(
        "system|assistant|developer|ai",
        _LINE + r"#{0,6}[ \t]?(?:system|assistant|developer|ai)[ \t*_]{0,4}:[ \t*_]{0,4}"
        r"(?:i\b|i'|you\b|your\b|sure\b|ok\b|okay\b|certainly\b|understood\b|of\scourse\b"
        r"|the\s(?:\w+\s){1,3}(?:has|have|is|are)\b)",
    ),
    _pattern(
        "系统|开发者|管理员",
        _LINE + r"#{0,6}[ \t]?\[?(?:系统|开发者|管理员)"
        r"(?:消息|讯息|信息|提示词|提示|指令|指示|公告|通知)\]?"
        r"[ \t*_]{0,4}:",
    ),
    _pattern(
        "助理|助手|系统",
        _LINE + r"#{0,6}[ \t]?(?:助理|助手|系统)[ \t*_]{0,4}:[ \t*_]{0,4}"
        r"(?:我|你|好的|没问题|当然|收到|明白)",
    ),
    _pattern(
        "system|assistant|tool_response|function_call|function_calls",
        r"</?(?:system|assistant|system[_-](?:prompt|message|instructions?)|tool_response"
        r"|function_calls?)>",
    ),
)

# Tokens that chat templates use to mark whose turn it is.
CONTROL_TOKEN = (
    _pattern("<", r"<\|[a-z][a-z0-9_]{1,30}\|?>"),  # ChatML, Llama 3, Phi, Qwen, gpt-oss
    _pattern("<｜", r"<｜[a-z▁_]{2,40}｜>"),  # DeepSeek
    _pattern("inst]|sys>>", r"\[/?inst\]|<</?sys>>"),  # Llama 2, Mistral
    _pattern(
        "system_prompt]|available_tools]|tool_calls]|tool_results]",
        r"\[/?(?:system_prompt|available_tools|tool_calls|tool_results)\]",  # Mistral
    ),
    _pattern("of_turn>", r"<(?:start|end)_of_turn>"),  # Gemma
)

# An order or a question to someone who writes texts.
_WRITING = (
    r"(?:story|poem|essay|letter|speech|article|paragraph|song|haiku|joke|blog\spost|e-?mail|review"
    r"|report|summary|sentence|introduction|headline|tweet)"
)
_REQUEST = (
    r"(?:please,?\s)?(?:(?:explain|describe|translate|summari[sz]e|compose|draft|discuss|recommend"
    r"|paraphrase|rewrite|tell|teach|recite|break\sdown|calculate|solve)\s\w+"
    r"|(?:write|create|provide|develop|generate|give|craft|prepare|produce)\s(?:\w+\s){0,6}?"
    rf"{_WRITING}\b|(?:say|output|print|repeat|reply|respond|answer)\s)"
)
_QUESTION = (
    r"(?:what|who|whom|whose|how|why|when|where|which|can|could|do|does|did|is|are|will|would)"
    r"(?:'s|\s)[^\n?]{3,200}\?"
)
_ZH_REQUEST = (
    r"(?:请|帮我|给我)?(?:解释|说明|描述|撰写|翻译|总结|介绍|推荐|告诉|计算|写一|写出|回答|回复|输出|重复"
    r"|列出|提供一)"
)

# In a comment, which a page never shows, such an order or question is meant for a machine.
COMMENT = _pattern(
    "<!--",
    rf"<!--\s{{0,8}}(?:{_REQUEST}|provide\s|{_QUESTION}|{_ZH_REQUEST})[^\0]{{0,600}}?(?:-->|\Z)",
)

# Behind an alarm word: documents warn in statements and steps, not with writing tasks.
ALARM = (
    _pattern(
        "important|attention|urgent|notice|critical",
        r"^[ \t>*_#-]{0,8}(?:important|attention|urgent|notice|critical)[ \t*_]{0,4}"
        r"[:!]{1,4}[ \t*_]{0,4}"
        rf"(?:{_REQUEST}|{_QUESTION})",
    ),
    _pattern(
        "重要|注意|紧急|警告",
        r"^[ \t>*_#-]{0,8}(?:重要|注意|紧急|警告)[ \t*_]{0,4}[:!]{1,4}[ \t*_]{0,4}" + _ZH_REQUEST,
    ),
)
