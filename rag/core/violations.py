"""What the contract says when it is broken, for the person who reads it and the model to mend it.

Texts are in English and Traditional Chinese; `{name}` is filled in from the reply. A text names the
fault and, where a model could guess wrong, what would be right.
"""

from rag.core.plain import one_line
from rag.domain.answer import Violation

# A quotation of the reply inside a message: enough to find the place, too little to be an answer.
_QUOTED = 60
_FROM_REPLY = frozenset(("quote", "value", "why"))

_ENGLISH = {
    "not_json": "There is no JSON object in the reply that can be read.",
    "truncated": "The reply is cut off before its JSON object ends.",
    "multiple_objects": "The reply holds more than one JSON object; exactly one is wanted.",
    "schema.missing": "The field `{field}` is missing.",
    "schema.type": "The field `{field}` must be {wanted}.",
    "schema.conflict": "The field `{field}` is given twice with different values.",
    "schema.nested": "`answer` holds a JSON object; it must hold the text itself.",
    "schema.control": "`answer` holds a control character: a backslash must be written `\\\\`.",
    "schema.long": "`answer` is too long to be checked: keep it to what was asked.",
    "schema.fields": "The JSON object has none of the fields `status`, `answer`, `citations`.",
    "bad_status": "`status` is {value}; it must be `answered` or `insufficient`.",
    "empty_answer": "`answer` says nothing: it holds no word or number besides markers.",
    "unknown_marker": "{marker} is not a source of this request. Offered: {offered}.",
    "undeclared_marker": "[{marker}] is used in `answer` but missing from `citations`.",
    "unused_citation": "{marker} is in `citations` but [{marker}] is not used in `answer`.",
    "no_citation": "`answer` cites nothing: each statement needs a marker such as [{example}].",
    "insufficient_with_citation": "`insufficient` takes no markers, and `citations` must be empty.",
    "uncited_claim": "No source is cited for: {quote}",
    "unsupported_claim": "The cited source does not bear out: {quote} ({why})",
    "weak_claim": "The cited source is not seen to bear out all of this: {quote} ({why})",
    "not_reranked.fallback": "The passages stay in the order of the search: {reason}.",
    "not_reranked.partial": "Some passages stay in the order of the search: {reason}.",
    "not_reranked.skipped": "The passages stay in the order of the search: {reason};"
    " the model is not asked again for {seconds} s.",
}

_CHINESE = {
    "not_json": "回覆中沒有可讀取的 JSON 物件。",
    "truncated": "回覆在 JSON 物件結束之前就中斷了。",
    "multiple_objects": "回覆中有不只一個 JSON 物件；只能有一個。",
    "schema.missing": "缺少欄位 `{field}`。",
    "schema.type": "欄位 `{field}` 必須是{wanted}。",
    "schema.conflict": "欄位 `{field}` 出現兩次，而且內容不同。",
    "schema.nested": "`answer` 裡是一個 JSON 物件；應直接寫答案文字。",
    "schema.control": "`answer` 含有退格或換頁字元：反斜線必須寫成 `\\\\`。",
    "schema.long": "`answer` 太長，無法查核：只回答所問的內容。",
    "schema.fields": "JSON 物件沒有 `status`、`answer`、`citations` 任何一個欄位。",
    "bad_status": "`status` 是 {value}；只能是 `answered` 或 `insufficient`。",
    "empty_answer": "`answer` 沒有內容：除了標記之外沒有任何文字或數字。",
    "unknown_marker": "{marker} 不是這次提供的來源。可用的來源：{offered}。",
    "undeclared_marker": "`answer` 用了 [{marker}]，但 `citations` 沒有列出。",
    "unused_citation": "`citations` 列出 {marker}，但 `answer` 沒有用到 [{marker}]。",
    "no_citation": "`answer` 沒有引用任何來源：每項陳述都要附上標記，例如 [{example}]。",
    "insufficient_with_citation": "`insufficient` 不得帶有標記，`citations` 必須是空的。",
    "uncited_claim": "這句沒有引用來源：{quote}",
    "unsupported_claim": "引用的來源不支持這句：{quote}（{why}）",
    "weak_claim": "看不出引用的來源完全支持這句：{quote}（{why}）",
    "not_reranked.fallback": "段落維持搜尋的順序：{reason}。",
    "not_reranked.partial": "部分段落維持搜尋的順序：{reason}。",
    "not_reranked.skipped": "段落維持搜尋的順序：{reason}；{seconds} 秒內不再請模型排序。",
}

_WANTED = {
    "status": ("a string", "字串"),
    "answer": ("a string", "字串"),
    "citations": ('a list of source ids such as "S1"', '來源編號的清單，例如 "S1"'),
}


def violation(name: str, language: str, *, marker: str | None = None, **details: str) -> Violation:
    """The violation `name`, a code with a detail after a full stop where it has several forms.

    `language` is `en`, or any Chinese for Traditional Chinese. What comes from the
    reply, the marker included, is cut to one short line.
    """
    chinese = language.startswith("zh")
    words = {key: _quoted(value) if key in _FROM_REPLY else value for key, value in details.items()}
    if "field" in words:
        words["wanted"] = _WANTED[words["field"]][chinese]
    shown = None if marker is None else _quoted(marker)
    text = (_CHINESE if chinese else _ENGLISH)[name].format(marker=shown, **words)
    return Violation(code=name.partition(".")[0], message=text, marker=shown)


def _quoted(text: str) -> str:
    if len(text) <= _QUOTED and text.isprintable():
        return text
    return one_line(text[: 4 * _QUOTED], _QUOTED)
