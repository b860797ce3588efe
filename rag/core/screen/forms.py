"""What speaks to a model by its form: role names, chat templates' tokens, comments, alarm words."""

from rag.core.screen.pattern import pattern

# What may stand before words at the beginning of a line: quote and list marks, an alarm word, the
# opening of a comment.
_LINE = (
    r"^[ \t>*_-]{0,8}(?:<!--\s{0,3})?(?:(?:important|attention|urgent|notice|critical|warning"
    r"|note|重要|注意|紧急|警告)[ \t*_]{0,4}[:!]{1,4}[ \t*_]{0,4})?"
)

# Who is speaking, in the forms that chats are written down in. `User:` or `System:` before a name
# or a product is an ordinary field, so a bare word needs a heading's mark, or something being said.
ROLE = (
    pattern(
        "#",
        r"^[ \t>*_-]{0,8}#{1,6}[ \t]{0,4}(?:system|assistant|user|human|developer|instructions?"
        r"|response|input|系统|助理|助手|使用者|用户|开发者)[ \t]?:",
    ),
    pattern(
        "system message|system prompt|system notice|system instruction|system instructions"
        "|system override|system command|developer|admin|administrator",
        _LINE + r"#{0,6}[ \t]?\[?(?:system|developer|admin(?:istrator)?)[ \t]"
        r"(?:message|prompt|notice|instructions?|override|command)\]?[ \t*_]{0,4}:",
    ),
    pattern(
        "system|assistant|developer|ai",
        _LINE + r"#{0,6}[ \t]?(?:system|assistant|developer|ai)[ \t*_]{0,4}:[ \t*_]{0,4}"
        r"(?:i\b|i'|you\b|your\b|sure\b|ok\b|okay\b|certainly\b|understood\b|of\scourse\b"
        r"|the\s(?:\w+\s){1,3}(?:has|have|is|are)\b)",
    ),
    pattern(
        "系统|开发者|管理员",
        _LINE + r"#{0,6}[ \t]?\[?(?:系统|开发者|管理员)"
        r"(?:消息|讯息|信息|提示词|提示|指令|指示|公告|通知)\]?"
        r"[ \t*_]{0,4}:",
    ),
    pattern(
        "助理|助手|系统",
        _LINE + r"#{0,6}[ \t]?(?:助理|助手|系统)[ \t*_]{0,4}:[ \t*_]{0,4}"
        r"(?:我|你|好的|没问题|当然|收到|明白)",
    ),
    pattern(
        "system|assistant|tool_response|function_call|function_calls",
        r"</?(?:system|assistant|system[_-](?:prompt|message|instructions?)|tool_response"
        r"|function_calls?)>",
    ),
)

# Tokens that chat templates use to mark whose turn it is.
CONTROL_TOKEN = (
    pattern("<", r"<\|[a-z][a-z0-9_]{1,30}\|?>"),  # ChatML, Llama 3, Phi, Qwen, gpt-oss
    pattern("<｜", r"<｜[a-z▁_]{2,40}｜>"),  # DeepSeek
    pattern("inst]|sys>>", r"\[/?inst\]|<</?sys>>"),  # Llama 2, Mistral
    pattern(
        "system_prompt]|available_tools]|tool_calls]|tool_results]",
        r"\[/?(?:system_prompt|available_tools|tool_calls|tool_results)\]",  # Mistral
    ),
    pattern("of_turn>", r"<(?:start|end)_of_turn>"),  # Gemma
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
COMMENT = pattern(
    "<!--",
    rf"<!--\s{{0,8}}(?:{_REQUEST}|provide\s|{_QUESTION}|{_ZH_REQUEST})[^\0]{{0,300}}?(?:-->|\Z)",
)

# Behind an alarm word: documents warn in statements and steps, not with writing tasks.
ALARM = (
    pattern(
        "important|attention|urgent|notice|critical",
        r"^[ \t>*_#-]{0,8}(?:important|attention|urgent|notice|critical)[ \t*_]{0,4}"
        r"[:!]{1,4}[ \t*_]{0,4}"
        rf"(?:{_REQUEST}|{_QUESTION})",
    ),
    pattern(
        "重要|注意|紧急|警告",
        r"^[ \t>*_#-]{0,8}(?:重要|注意|紧急|警告)[ \t*_]{0,4}[:!]{1,4}[ \t*_]{0,4}" + _ZH_REQUEST,
    ),
)
