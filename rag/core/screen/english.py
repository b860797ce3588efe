"""Orders to a model in English, in lower case: `core.screen` folds the text before it looks."""

from rag.core.screen.pattern import pattern

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
_WEB = (
    r"\b(?:headers?|cookies?|status|https?|json|schema|clients?|endpoints?|body|class|models?|objects?"
    r"|code|data|types?|fields?|server)\b"
)

ENGLISH = (
    # lift the rules
    pattern(
        _LIFT_NEEDS,
        rf"\b{_LIFT}{_WORDS}{{0,4}}?\s(?:{_MODEL_OWN}|all|any|every){_WORDS}{{0,3}}?\s{_ORDERS}\b",
    ),
    pattern(
        _LIFT_NEEDS,
        rf"\b{_LIFT}{_WORDS}{{0,4}}?\s{_MODEL_OWN}{_WORDS}{{0,3}}?\s{_RULES}\b",
    ),
    pattern(
        _LIFT_NEEDS,
        rf"\b{_LIFT}\s(?:all|everything|anything)\s(?:of\s)?(?:the\s|that\s|you\s)?"
        r"(?:above|previous|before|prior|were\stold)\b",
    ),
    pattern(
        "citation|citations|grounding|guardrail|guardrails|safety|content",
        r"\b(?:citations?|grounding|guardrails?|safety\s(?:rules?|filters?|guidelines?)"
        r"|content\s(?:filters?|polic(?:y|ies)))\s(?:is|are|was|were|has\sbeen|have\sbeen)\s(?:now\s)?"
        r"(?:disabled|suspended|lifted|void|revoked|off|removed)\b",
    ),
    # reveal them
    pattern(
        "prompt|prompts|instruction|instructions|directive|directives",
        r"\b(?:reveal|print|show|output|repeat|disclose|leak|expose|display|tell|give|share)"
        rf"{_WORDS}{{0,4}}?\s(?:system\sprompt|(?:hidden|internal|secret|initial|original|your)"
        rf"(?:\s\w+){{0,2}}?\s{_ORDERS})\b",
    ),
    # dictate the answer
    pattern(
        "answer|answers|reply|replies|response|responses",
        r"\b(?:begin|start|end|prefix|preface|finish|conclude|open)\s(?:your|every|each|all|any)\s"
        r"(?:\w+\s){0,2}?(?:answer|repl(?:y|ies)|response)s?\s(?:with|by)\b",
    ),
    pattern(
        "reply|respond|answer",
        r"\b(?:reply|respond|answer)\s(?:only|just|solely|exclusively|exactly|simply)\s"
        r"(?:with|in|by|using)\b",
    ),
    pattern(
        "reply|respond|answer",
        r"\b(?:only|just|always|never)\s(?:reply|respond|answer)\b(?:\s\w+){0,3}?\s"
        r"(?:with|in|by|using|that)\b",
    ),
    pattern(
        "your",
        rf"{_ORDER_START}[^.\n!?]{{1,120}}?\byour\s(?:\w+\s)?(?:answer|reply|replies)\b",
    ),
    pattern(
        "your",
        rf"{_ORDER_START}(?:(?!{_WEB})[^.\n!?]){{1,120}}?\byour\s(?:final\s|next\s|entire\s)?response\b"
        rf"(?![^.\n]{{0,60}}{_WEB})",
    ),
    pattern(
        "answering|you answer",
        r"\bbefore\s(?:you\s)?answer(?:ing)?\b[^.\n]{0,40}\b"
        r"(?:visit|open|fetch|go\sto|load|click|call|download)\b",
    ),
    pattern(
        "whatever|anything|no matter|regardless",
        r"\b(?:whatever|anything|no\smatter\swhat|regardless\sof\swhat)\s(?:the\s)?"
        r"(?:user|reader|person)s?\s(?:asks?|says?|wants?)\b",
    ),
    pattern(
        "the only|the sole",
        r"\bthe\s(?:only|sole)\s(?:correct|right|valid|true|acceptable)\s(?:answer|reply|response)\b",
    ),
    pattern(
        "asked|asks",
        r"\b(?:if|when|whenever|every\stime)\s(?:(?:you\sare|you're|someone|anyone|the\suser|a\suser)"
        r"\s)?ask(?:ed|s)\b[^.\n]{0,60}\b(?:say|answer|reply|respond|claim|state|tell\sthem)\b",
    ),
    pattern(
        "source|sources|citation|citations|reference|references",
        r"\b(?:do\snot|don't|never|without)\s(?:cit(?:e|ing)|mention(?:ing)?|trust(?:ing)?)\s"
        r"(?:(?:any|the|other)\s){0,2}(?:sources?|citations?|references?)\b",
    ),
    pattern("citation|citations", r"\bin\splace\sof\s(?:every|each|all|any|the)\scitations?\b"),
    pattern("tell the user|tell users", rf"{_SENTENCE}(?:please\s)?tell\s(?:the\suser|users)\b"),
    # more of the same, told of every question
    pattern(
        "question|questions|query|queries",
        r"\b(?:for|to|about)\s(?:any|every|all|each)\s(?:\w+\s){0,2}?(?:questions?|quer(?:y|ies))\b[^.\n]{0,40}"
        r"\b(?:answer|reply|respond|say|output)\b",
    ),
    pattern(
        "question|questions|query|queries",
        r"\b(?:answer|reply|respond)\s(?:to\s)?(?:any|every|all|each)\s(?:\w+\s){0,2}?"
        r"(?:questions?|quer(?:y|ies))\s(?:with|by|in|as)\b",
    ),
    pattern(
        "must|shall|will|should|only",
        r"\byou\s(?:must|shall|will|should|can|may)\s(?:now\s)?only\s(?:answer|reply|respond|say|output)\b",
    ),
    pattern(
        "void|revoked|cancelled|canceled|superseded|obsolete|longer",
        rf"\b(?:{_MODEL_OWN}|all)\s(?:\w+\s){{0,2}}?(?:{_ORDERS}|{_RULES})\s(?:is|are|were|have\sbeen)\s(?:now\s)?"
        r"(?:void|revoked|cancelled|canceled|superseded|obsolete|no\slonger)\b",
    ),
    pattern(
        "end of",
        r"\bend\sof\s(?:the\s)?(?:document|file|context|sources?|text|passage|input)s?\b[\s.:>\])*=-]{0,8}"
        r"(?:new|now|next|your|you|begin|start|system|ignore)\b",
    ),
    pattern(
        "repeat|print|output|recite",
        r"\b(?:repeat|print|output|recite)\s(?:all\s)?(?:of\s)?(?:the\s|everything\s|all\s)?"
        r"(?:(?:text|words|content)\s)?(?:above|before\sthis)\b",
    ),
    pattern(
        "user is|user has",
        r"\bthe\suser\s(?:is|has\sbeen)\s(?:now\s)?(?:verified|authenticated|authori[sz]ed|an?\sadministrator)\b"
        r"[^\n]{0,40}\b(?:reveal|show|print|output|answer|ignore|skip)\b",
    ),
    # speak to the model
    pattern(
        "if you|as you|if an|as an|as a",
        rf"\b(?:if|as)\s(?:you\sare\s|you're\s)(?:an?\s|the\s)?(?:\w+\s)?{_MODEL}\b",
    ),
    pattern(
        "reading|processing|summarizing|summarising|indexing|parsing|analyzing|analysing",
        rf"\b{_MODEL}s?\s(?:\w+\s){{0,2}}?(?:reading|processing|summari[sz]ing|indexing|parsing"
        r"|analy[sz]ing)\s(?:this|these)\b",
    ),
    pattern(
        "dear|hey|hello|attention|note to",
        r"\b(?:dear|hey|hello|attention,?|note\sto)\s(?:the\s)?"
        r"(?:ai|llm|language\smodel|assistant|chatbot)s?\b",
    ),
    pattern(
        "you are now",
        r"\byou\sare\snow\s(?:in\s)?(?:an?\s|the\s|my\s)?(?:\w+[\s-]){0,3}?"
        r"(?:mode|assistant|dan|agent|persona|ai|bot|model|character|unrestricted)\b",
    ),
    pattern(
        "from now on", r"\bfrom\snow\son,?\s(?:you|your|always|every|all|answer|respond|reply)\b"
    ),
    pattern(
        "your new|your real|your actual|your true|your only|new task|new instruction"
        "|new instructions|new system prompt|new order|new orders",
        r"\b(?:your\s(?:new|real|actual|true|only)\s(?:task|role|goal|objective|job|instructions?"
        r"|identity|rules?)|new\s(?:task|instructions?|system\sprompt|orders?))\s?(?:is|are|:)",
    ),
    # claim authority
    pattern(
        "administrator|admin|developer|owner|creator|operator",
        r"\bas\s(?:an?|the|your)\s(?:\w+\s)?"
        r"(?:administrator|admin|developer|owner|creator|operator|system),?\si\b",
    ),
    pattern(
        "authorize|authorise|instruct|order|command|permit",
        r"\bi\s(?:hereby\s)?(?:authori[sz]e|instruct|order|command|permit)\s"
        r"(?:you|the\s(?:model|assistant|ai))\b",
    ),
    pattern(
        "override|bypass",
        r"\b(?:developer|admin(?:istrator)?|system|root|operator|security)\s(?:override|bypass)\b"
        r"(?:\s?[:!]|[^.\n]{0,40}\b(?:disabled|enabled|granted|accepted))",
    ),
    # rate the sources
    pattern(
        "highest|most|only|top|absolute|sole",
        r"\bthis\s(?:document|source|passage|page|text|file|chunk|section)\s(?:is|has|takes)\s"
        r"(?:the\s)?(?:highest|most|only|top|absolute|sole)[\s-]"
        r"(?:priority|authoritative|trusted|trustworthy|reliable|valid)\b",
    ),
    pattern(
        "source|sources|passage|passages|document|documents|chunk|chunks",
        r"\b(?:rate|mark|treat|consider|regard|rank|score|label)\s(?:(?:all|any|every|this|these|the)\s)?"
        r"(?:other\s)?(?:sources?|passages?|documents?|chunks?)\s(?:\w+\s){0,2}?as\s(?:\w+\s){0,2}?"
        r"(?:un(?:reliable|trusted|trustworthy|true)|false|outdated|wrong|irrelevant|reliable|trusted"
        r"|authoritative|true|correct|verified|support\w*|relevant|best)\b",
    ),
)
