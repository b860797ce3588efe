"""Document text rewritten for the model so that nothing in it can act as more than text.

A source may hold `[S1]`, a chat template's `<|im_start|>` or a `<think>` tag: copied by a model,
the first would count as a citation; read by a tokenizer, the others as a role. `protect` puts one
rare sign inside each of them, which people and models read over; `restore` takes it out again.
For every text, `restore(protect(text)) == text`.
"""

import re

# U+2E33 RAISED DOT: in no language's ordinary text, one token for a model, visible to a person.
# A text that has it anyway gets it doubled, which keeps the rewriting reversible.
SIGN = "⸳"

# Any opening bracket before what could be read as a marker: S and digits, in any width and case,
# behind carets, spaces, signs of width nil or further brackets. Wider than the marker grammar on
# purpose: what is rewritten needlessly is restored as well.
_MARKER_LIKE = re.compile(
    r"(?<=[\[［【〔〖⟦\\^])(?=[\[［【\^\\\s\u00ad\u200b-\u200f\u2060\ufeff]*[SsＳｓ][\s\u00ad\u200b-\u200f\u2060\ufeff]*[\d０-９⁰¹²³⁴-⁹₀-₉])"
)
# Control tokens of the chat templates in use: ChatML and Harmony `<|...|>`, Llama `[INST]`,
# `<<SYS>>` and `<s>`, Gemma `<start_of_turn>`, reasoning and tool tags, DeepSeek's full-width bars.
_CONTROL_TOKEN = re.compile(
    r"(?<=<)(?=[|｜])|(?<=[|｜])(?=>)"
    r"|(?<=<)(?=/?(?:think|thinking|reasoning|analysis|s|bos|eos|pad|unk|mask|tool_call|tool_response"
    r"|start_of_turn|end_of_turn|start_of_image|system|user|assistant|sources?|question)\b)"
    r"|(?<=<)(?=<\s*/?SYS>>)|(?<=\[)(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS)\])",
    re.IGNORECASE,
)


def protect(text: str) -> str:
    """The model's copy of `text`."""
    doubled = text.replace(SIGN, SIGN + SIGN)
    return _CONTROL_TOKEN.sub(SIGN, _MARKER_LIKE.sub(SIGN, doubled))


def restore(text: str) -> str:
    """What the document says where the model's copy, or a quotation from it, says `text`."""
    if SIGN not in text:
        return text
    return re.sub(f"{SIGN}({SIGN}?)", r"\1", text)
