"""The messages of one ranking request: a closed world of ids, the passages cut to fit.

Nothing in a query or a passage can pass as an answer: lists that begin with a number, the phrase
that announces the reply and the control tokens of chat templates are broken by a rare sign.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from rag.core.context import place_in_document
from rag.core.plain import one_line
from rag.core.ranking_tokens import MINUS, visible
from rag.core.rewrite import SIGN, protect
from rag.core.tokens import count_tokens
from rag.domain.documents import Chunk
from rag.domain.models import Message, Prompt
from rag.domain.ranking import RankingForm, RankingMode
from rag.domain.retrieval import Candidate

# `count_tokens` is an estimate that was never below this share of the true count.
_LOWEST_ESTIMATE = 0.78
# What a candidate says must stay: a query is cut beyond a quarter of the room, a path with
# headings beyond a sixth of the candidate's part of it and beyond this many tokens.
_QUERY_SHARE = 4
_PLACE_SHARE = 6
_PLACE_TOKENS = 48
# A remark of ten words, in tokens, and the rest of one object of the scored form.
_SCORED_TOKENS = 80
# An id of two figures with comma, space and, where a model prints a line for each, indentation.
_ID_TOKENS = 10
_FRAME_TOKENS = 32
_LONGEST_REASON = 200

_LIST_LIKE = re.compile(
    rf"(?<=[\[［【〔〖⟦])(?=[\s\\\"'“‘「『{{]{{0,20}}[{MINUS}+＋]?[\d⁰¹²³⁴-⁹₀-₉①-⑳⓪])"
)
_ANCHOR = re.compile(r"(?<=ranked)(?=\s+json\s+(?:array|object))", re.IGNORECASE)
# Keys of an object that the guard would read as a ranking or as an id.
_KEY = re.compile(
    r"(?<![\w⸳])(?=(?:rank(?:ing|ed)\w{0,9}|order|\w{0,12}ids?|index|idx|candidate)[\\\"'”’]{0,2}\s*[:：])",
    re.IGNORECASE,
)


def build_messages(
    query: str,
    candidates: Sequence[Candidate],
    prompt: Prompt,
    *,
    form: RankingForm = "array",
    room: int,
) -> tuple[Message, ...]:
    """System, then user: the lead-in, indented JSON `{"query", "candidates": [{"id", "place",
    "text"}]}` and the anchor that the reply goes on from.

    The two fit into `room` tokens: each passage gets the same share of what the rest leaves.
    """
    limit = int(room * _LOWEST_ESTIMATE)
    asked = _first_tokens(neutral(query), limit // _QUERY_SHARE)
    texts = [neutral(candidate.chunk.text) for candidate in candidates]
    named = min(_PLACE_TOKENS, limit // (_PLACE_SHARE * max(1, len(candidates))))
    places = [_first_tokens(_place(candidate.chunk), named) for candidate in candidates]
    system = Message(role="system", content=_system(prompt, len(candidates), form))
    bare = _user(prompt, form, asked, places, [""] * len(texts))
    taken = count_tokens(system.content) + count_tokens(bare)
    share = max(0, limit - taken) // max(1, len(texts))
    cut = [_first_tokens(text, share) for text in texts]
    return (system, Message(role="user", content=_user(prompt, form, asked, places, cut)))


def reply_tokens(n: int, mode: RankingMode) -> int:
    """The longest reply that a ranking of `n` candidates needs, in tokens."""
    return _FRAME_TOKENS + n * (_SCORED_TOKENS if mode == "scored" else _ID_TOKENS)


def reply_schema(n: int, mode: RankingMode) -> dict[str, Any]:
    """JSON schema of the object form, for constrained decoding: exactly these ids exist.

    An object on the outside, since a server was seen to answer a list's schema with `[1]`.
    """
    identifier = {"type": "integer", "enum": list(range(n))}
    item: dict[str, Any] = identifier
    if mode == "scored":
        item = {
            "type": "object",
            "properties": {
                "id": identifier,
                "score": {"type": "number", "minimum": 0, "maximum": 1},
                "reason": {"type": "string", "maxLength": _LONGEST_REASON},
            },
            "required": ["id", "score", "reason"],
            "additionalProperties": False,
        }
    return {
        "type": "object",
        "properties": {"ranking": {"type": "array", "items": item, "minItems": n, "maxItems": n}},
        "required": ["ranking"],
        "additionalProperties": False,
    }


def neutral(text: str) -> str:
    """`text` with everything broken that could be read as a ranking, its anchor or a role."""
    broken = _LIST_LIKE.sub(SIGN, protect(visible(text)))
    return _KEY.sub(SIGN, _ANCHOR.sub(SIGN, broken))


def _system(prompt: Prompt, n: int, form: RankingForm) -> str:
    rules = "\n".join(f"{i}. {rule.text.strip()}" for i, rule in enumerate(prompt.rules, start=1))
    filled = (
        rules.replace("{output}", prompt.words[form])
        .replace("{last}", str(max(0, n - 1)))
        .replace("{ids}", _received(n, form))
    )
    return prompt.template.replace("{rules}", filled).strip()


def _received(n: int, form: RankingForm) -> str:
    ids = json.dumps(list(range(n)))
    return ids if form == "array" else f'{{"ranking": {ids}}}'


def _user(
    prompt: Prompt, form: RankingForm, query: str, places: Sequence[str], texts: Sequence[str]
) -> str:
    payload = {
        "query": query,
        "candidates": [
            {"id": i, "place": place, "text": text}
            for i, (place, text) in enumerate(zip(places, texts, strict=True))
        ],
    }
    shown = json.dumps(payload, ensure_ascii=False, indent=1)
    return f"{prompt.user}\n{shown}\n\n{prompt.words[f'anchor_{form}']}"


def _place(chunk: Chunk) -> str:
    """Path, first line and what names the passage: its symbol, its headings, else its beginning."""
    headings = place_in_document("", chunk.heading).removeprefix(" > ")
    name = chunk.symbol or headings or chunk.text.strip().split("\n")[0]
    return _first_tokens(
        neutral(one_line(f"{chunk.path}:{chunk.start_line} {name}")), _PLACE_TOKENS
    )


def _first_tokens(text: str, limit: int) -> str:
    """The longest beginning of `text` that takes at most `limit` tokens as a JSON string."""
    if _cost(text) <= limit:
        return text
    low, high = 0, min(len(text), limit * 8)
    while low < high:
        middle = (low + high + 1) // 2
        if _cost(text[:middle]) <= limit:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip()


def _cost(text: str) -> int:
    return count_tokens(json.dumps(text, ensure_ascii=False)[1:-1])
