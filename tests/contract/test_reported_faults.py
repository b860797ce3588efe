"""Faults that users of other systems met, held against this contract (B35, B36, B38)."""

import json

import pytest

from rag.core.contract import judge
from rag.core.prompt import build_messages
from rag.domain.answer import SourceText, Verdict
from rag.domain.models import Prompt, Rule
from rag.domain.retrieval import ContextBundle

MARKERS = ("S1", "S2", "S3")
YES = '{"status":"answered","answer":"yes [S1]","citations":["S1"]}'
NO = '{"status":"answered","answer":"no [S1]","citations":["S1"]}'


def codes(verdict: Verdict) -> set[str]:
    return {violation.code for violation in verdict.violations}


@pytest.mark.parametrize(
    ("raw", "finish_reason"),
    [
        ('{"answer": "Yes', "length"),
        ("{" + "\n" * 5000, None),
        ('{"answer":"Do not","citations":["S1"', None),
        (YES, "length"),
    ],
)
def test_half_a_reply_is_never_an_answer(raw: str, finish_reason: str | None) -> None:
    verdict = judge(raw, MARKERS, finish_reason=finish_reason)
    assert not verdict.accept
    assert "truncated" in codes(verdict)


@pytest.mark.parametrize(
    ("raw", "answer"),
    [
        (f"<think>maybe {NO}</think>{YES}", "yes [S1]"),
        (f"<think>maybe {NO}", None),
        (f"```json\n{YES}\n```", "yes [S1]"),
        ("{" + YES + "}", "yes [S1]"),
        ('{{"answer":"yes"}}', None),
        ('{"status":"answered","answer":"yes [S1][S2]","citations":"S1, S2"}', "yes [S1][S2]"),
        ('{"status":"answered","answer":"yes [S1]","citations":"[\\"S1\\"]"}', "yes [S1]"),
        (YES + NO, None),
        ('{"status":"answered","answer":"yes [S1]","answer":"no [S1]","citations":["S1"]}', None),
        ("", None),
        (
            '{"status":"answered","answer":"<think> and ``` stay [S1]","citations":["S1"]}',
            "<think> and ``` stay [S1]",
        ),
    ],
)
def test_nothing_of_the_reasoning_or_a_draft_is_shown(raw: str, answer: str | None) -> None:
    assert judge(raw, MARKERS).answer == answer


@pytest.mark.parametrize(
    ("text", "citations", "shown"),
    [
        ("Yes [S1, S2].", ["S1", "S2"], "Yes [S1][S2]."),
        ("Yes [S1-S3].", ["S1", "S2", "S3"], "Yes [S1][S2][S3]."),
        ("Yes [S1][S2].", ["S1", "S2"], "Yes [S1][S2]."),
        ("Yes [[S1]].", ["S1"], "Yes [S1]."),
        ("Yes (S1).", ["S1"], None),
        ("Yes [s1].", ["S1"], "Yes [S1]."),
        ("Yes 【S1】.", ["S1"], "Yes [S1]."),
        ("Yes ［S1］.", ["S1"], "Yes [S1]."),
        ("Yes [S1†L3].", ["S1"], None),
        ("Yes \\[S1\\].", ["S1"], "Yes [S1]."),
        ("Use `a[S1]` or rows[1] and [1].", ["S1"], None),
        ("Use `a[S1]` or rows[1] and [1] [S2].", ["S2"], "Use `a[S1]` or rows[1] and [1] [S2]."),
        ("```\nx = a[S1]\n```\nSo it is [S2].", ["S2"], "```\nx = a[S1]\n```\nSo it is [S2]."),
        ("Use a[S1] there.", ["S1"], "Use a[S1] there."),
        ("Use a[S1] there [S2].", ["S2"], None),
    ],
)
def test_each_form_of_a_marker_has_its_reading(
    text: str, citations: list[str], shown: str | None
) -> None:
    raw = json.dumps({"status": "answered", "answer": text, "citations": citations})
    assert judge(raw, MARKERS).answer == shown


@pytest.mark.parametrize(
    "raw",
    [
        "I'm sorry, but I can't help with that.",
        "我很抱歉，無法回答這個問題。",
        "对不起，我不能回答。",
        "申し訳ありませんが、お答えできません。",
        "Lo siento, no puedo ayudar con eso.",
        "Je suis désolé, je ne peux pas répondre.",
        "<|im_start|>system\nYou are a helpful assistant.<|im_end|>",
        "User: and restores?\nAssistant: They take 4 hours [S1].",
        "[INST] Answer the question. [/INST]",
    ],
)
def test_refusals_leaked_templates_and_role_changes_are_no_answer(raw: str) -> None:
    assert codes(judge(raw, MARKERS)) == {"not_json"}


def test_a_copy_of_the_prompt_is_no_answer() -> None:
    example = '{"status": "answered", "answer": "Keys are at the desk.[S2]", "citations": ["S2"]}'
    prompt = Prompt(
        name="answer",
        language="en",
        version="answer/en/v1",
        sha256="",
        rules=(Rule(id="example", kind="example", text=f"For example:\n{example}"),),
        template="Rules:\n{rules}",
        user="Answer from these sources.",
    )
    bundle = ContextBundle(sources=(), token_budget=1000, tokens_used=0)
    system, user = build_messages("Who keeps the keys?", bundle, prompt)
    sources = [SourceText(marker=marker, text="Backups run daily.") for marker in MARKERS]
    assert codes(judge(user.content, MARKERS, sources)) == {"schema"}
    echo = judge(f"{system.content}\n{user.content}", MARKERS, sources)
    assert codes(echo) == {"unsupported_claim"}
