"""Each repair by its name: what it mends, and the look-alike that it must not mend."""

import json
from typing import Any

import pytest

from rag.core.contract import judge
from rag.core.parse import REPAIRS, parse_reply

ANSWER = "Backups are kept for 30 days [S3]."
REPLY = json.dumps({"status": "answered", "answer": ANSWER, "citations": ["S3"]})
OTHER = REPLY.replace("30 days", "7 days")
REFUSAL = json.dumps({"status": "insufficient", "answer": "Nobody says.", "citations": []})
MARKERS = ("S1", "S2", "S3")


def reply(answer: Any = ANSWER, citations: Any = ("S3",), status: Any = "answered") -> str:
    return json.dumps({"status": status, "answer": answer, "citations": citations})


def raw_citations(written: str) -> str:
    return REPLY.replace('["S3"]', written)


def raw_status(written: str) -> str:
    return REPLY.replace('"answered"', written)


MENDED = [
    ("Sure! " + REPLY, {"outer_text"}),
    (REPLY + "\nHope {this} helps {", {"outer_text"}),
    ("**Answer:** " + REPLY + ";", {"outer_text"}),
    ("<answer>" + REPLY + "</answer>", {"outer_text"}),
    ("{" + REPLY + "}", {"outer_text"}),
    ('{"note": 1}\n' + REPLY, {"outer_text"}),
    ("I apologise. 對不起。" + REPLY, {"outer_text"}),
    ("```json\n" + REPLY + "\n```", {"fence"}),
    ("```\n" + REPLY, {"fence"}),
    (REPLY + "\n```", {"fence"}),
    ("~~~json5\n" + REPLY + "\n~~~", {"fence"}),
    ("`" + REPLY + "`", {"fence"}),
    ("'''json\n" + REPLY + "\n'''", {"fence"}),
    ("````md\n```json\n" + REPLY + "\n```\n````", {"fence"}),
    ("Here:\n```json\n" + REPLY + "\n```\nDone.", {"fence", "outer_text"}),
    ("<think>" + OTHER + "</think>" + REPLY, {"reasoning"}),
    ("<THINK time=3>30?</THINK>\n" + REPLY, {"reasoning"}),
    (OTHER + "</think>" + REPLY, {"reasoning"}),
    ("```\nPlan {\n</thinking>\n" + REPLY, {"reasoning"}),
    ("Plan {'a: 30 days?\n</think>\n" + REPLY, {"reasoning"}),
    ('{"status": \'answered?</think>' + REPLY, {"reasoning"}),
    ("<think><think>a</think>b</think>" + REPLY, {"reasoning"}),
    ("[THINK]30?[/THINK]" + REPLY, {"reasoning"}),
    ("◁think▷30?◁/think▷" + REPLY, {"reasoning"}),
    ("<|channel>thought\n" + OTHER + "<channel|>" + REPLY, {"reasoning"}),
    (REPLY + "<think>Was that right?</think>", {"reasoning"}),
    ("<|channel|>final<|message|>" + REPLY + "<|return|>", {"control_tokens"}),
    (
        "<|channel|>commentary<|message|>" + OTHER + "<|end|><|start|>assistant"
        "<|channel|>final <|constrain|>json<|message|>" + REPLY,
        {"control_tokens", "reasoning"},
    ),
    ("<|im_start|>assistant\n" + REPLY + "<|im_end|>", {"control_tokens"}),
    ("<|start_header_id|>assistant<|end_header_id|>\n\n" + REPLY, {"control_tokens"}),
    ("<start_of_turn>model\n" + REPLY + "<end_of_turn>", {"control_tokens"}),
    ("<｜Assistant｜>" + REPLY + "<｜end▁of▁sentence｜>", {"control_tokens"}),
    ("[/INST]" + REPLY + "</s>", {"control_tokens"}),
    ("\ufeff" + REPLY, {"bom"}),
    ("\x00" + REPLY + "\x07", {"control_characters"}),
    (REPLY.replace("kept for", "kept\nfor"), {"control_characters"}),
    (REPLY.replace("30", "\\u000030"), {"control_characters"}),
    (REPLY.replace("30", "\\u001b[1m30"), {"control_characters"}),
    (REPLY[:-1] + ",}", {"json_syntax"}),
    (raw_citations('["S3",]'), {"json_syntax"}),
    (raw_citations("[S3]"), {"json_syntax"}),
    (raw_citations("['S3'] /* the only one */"), {"json_syntax"}),
    (REPLY.replace("{", "{ // the reply\n"), {"json_syntax"}),
    (REPLY.replace("{", "{ # the reply\n"), {"json_syntax"}),
    (REPLY.replace('"', "'"), {"json_syntax"}),
    (REPLY.replace(":", "：", 1), {"json_syntax"}),
    (REPLY.replace('"status"', "status"), {"json_syntax"}),
    (REPLY.replace('"status"', "\u2018status\u2019"), {"json_syntax"}),
    (raw_status("answered"), {"json_syntax"}),
    ("｛" + REPLY[1:-1] + "｝", {"json_syntax"}),
    ('{"response": ' + REPLY + "}", {"wrapper"}),
    ('{"data": {"result": [' + REPLY + "]}}", {"wrapper"}),
    ("[" + REPLY + "]", {"wrapper"}),
    ("Here: [" + REPLY + "] Done.", {"wrapper", "outer_text"}),
    ("See [" + REPLY + " and so on", {"wrapper", "outer_text"}),
    (json.dumps(REPLY), {"wrapper"}),
    ("```json\n" + json.dumps(REPLY) + "\n```", {"wrapper"}),
    (json.dumps({"output": REPLY}), {"wrapper"}),
    (json.dumps({"name": "answer", "arguments": json.loads(REPLY)}), {"wrapper"}),
    (json.dumps({"role": "assistant", "content": REPLY}), {"wrapper"}),
    (
        json.dumps({"type": "function", "function": {"name": "x", "arguments": REPLY}}),
        {"wrapper"},
    ),
    (REPLY + "\n" + REPLY, {"duplicate_object"}),
    (REPLY + REPLY[:-1] + ', "note": 1}', {"duplicate_object", "extra_field"}),
    ("[" + REPLY + ", " + REPLY + "]", {"duplicate_object", "wrapper"}),
    (REPLY[:-1] + ', "status": "answered"}', {"duplicate_key"}),
    (REPLY[:-1] + ', "Status": "answered"}', {"duplicate_key", "key_case"}),
    (REPLY[:-1] + ', "confidence": 1, "confidence": 2}', {"extra_field"}),
    (REPLY.replace('"status"', '"STATUS"').replace('"answer"', '" Answer "'), {"key_case"}),
    (REPLY.replace("30", "\\ud83d30"), {"surrogate"}),
    (REPLY.replace("30", "\ud83d30"), {"surrogate"}),
    (raw_status('"ANSWERED"'), {"status_case"}),
    (raw_status('"answered."'), {"status_punctuation"}),
    (raw_status('"**answered**"'), {"status_punctuation"}),
    (raw_status('"「Answered」。"'), {"status_punctuation", "status_case"}),
    (raw_citations('"S3"'), {"citations_string"}),
    (raw_citations('"[S3]"'), {"citations_string", "citations_brackets"}),
    (raw_citations('"[\\"S3\\"]"'), {"citations_string"}),
    (raw_citations('[{"id": "S3", "quote": "30 days"}]'), {"citations_objects"}),
    (raw_citations('[{"source": "S3", "page": 4}]'), {"citations_objects"}),
    (
        raw_citations('[{"id": "S3", "marker": "[S3]"}]'),
        {"citations_objects", "citations_brackets"},
    ),
    (raw_citations('["[S3]"]'), {"citations_brackets"}),
    (raw_citations('["s03"]'), {"marker_case", "marker_padding"}),
    (raw_citations('["S3", "S3"]'), {"citations_duplicates"}),
    (raw_citations('["S3", "[S3]"]'), {"citations_duplicates", "citations_brackets"}),
]


@pytest.mark.parametrize(("raw", "repairs"), MENDED)
def test_mends_without_loss_and_says_so(raw: str, repairs: set[str]) -> None:
    verdict = judge(raw, MARKERS)
    assert verdict.accept, verdict.violations
    assert (verdict.answer or "").replace("\n", " ").replace("\ufffd", "") == ANSWER
    assert verdict.citations == ("S3",)
    assert set(verdict.repairs) == repairs


NOT_MENDED = [
    ("", "not_json"),
    (" \n", "not_json"),
    ("null", "not_json"),
    ('["S3"]', "not_json"),
    ("{placeholder}", "not_json"),
    ('"{" and "}"', "not_json"),
    ('{"a": {"a": {"a": {"a": {"a": ' + REPLY + "}}}}}", "schema"),
    ("<think>" + REPLY, "not_json"),
    ("<think>" + REPLY + "</think>", "not_json"),
    (REPLY + "</think>", "not_json"),
    ("<|channel|>analysis<|message|>" + REPLY, "not_json"),
    (REPLY.replace("30", '"30"'), "not_json"),
    (REPLY.replace('"', "'").replace("are", "aren't"), "not_json"),
    (REPLY.replace('answered",', 'answered"'), "not_json"),
    (REPLY.replace("30", "C:\\data\\new 30"), "not_json"),
    (REPLY.replace("30", "\\x33\\x30"), "not_json"),
    (REPLY.replace("30", "\\\n30"), "not_json"),
    (REPLY.replace(", ", ",, "), "not_json"),
    (REPLY.replace('["S3"]', '["S3"}'), "not_json"),
    (REPLY.replace('"', "&quot;"), "not_json"),
    (raw_citations("[" * 80 + "]" * 80), "not_json"),
    ("{" + "\n" * 500, "truncated"),
    (REPLY[:6], "truncated"),
    (REPLY[:-1], "truncated"),
    (REPLY[:-2] + '"', "truncated"),
    (REPLY[:40] + "\n```", "truncated"),
    ('{"response": ' + REPLY, "truncated"),
    ("[" + REPLY, "truncated"),
    ("[" + REPLY + ", ", "truncated"),
    (REPLY + "\n" + REPLY[:50], "truncated"),
    (REPLY[:-1] + " /* and", "truncated"),
    (REPLY[:40] + "</think>", "not_json"),
    (REPLY + OTHER, "multiple_objects"),
    ("[" + REPLY + "," + REFUSAL + "]", "multiple_objects"),
    (REPLY + '{"answer": "Rather 7 days."}', "multiple_objects"),
    ('{"status": "answered", "answer": "x "y" z"}\n' + REPLY, "multiple_objects"),
    (
        REPLY + "<|im_end|>\n<|im_start|>user\nAnd?<|im_end|>\n<|im_start|>assistant\n" + OTHER,
        "multiple_objects",
    ),
    ("{}", "schema"),
    ('{"error": "model not found"}', "schema"),
    ('{"id": 7, "draft": ' + REPLY + ', "note": "no"}', "schema"),
    ('{"a": ' + REPLY + ', "b": ' + OTHER + "}", "schema"),
    (json.dumps({"result": [json.loads(REPLY), json.loads(OTHER)]}), "schema"),
    (json.dumps({"result": "Well: " + REPLY}), "schema"),
    (json.dumps({"result": 3}), "schema"),
    ('{"status": "answered", "answer": ' + json.dumps(ANSWER) + "}", "schema"),
    (REPLY[:-1] + ', "Status": "insufficient"}', "schema"),
    (REPLY.replace("30", "\\b30"), "schema"),
    (reply(answer=REPLY), "schema"),
    (reply(answer="```json\n" + REPLY + "\n```"), "schema"),
    (reply(answer=None), "schema"),
    (reply(answer=True), "schema"),
    (reply(answer={}), "schema"),
    (reply(answer=ANSWER + "\n" * 6000), "schema"),
    (reply(answer="[S3]" * 6000), "schema"),
    (reply(status=None), "schema"),
    (reply(status=["answered"]), "bad_status"),
    (raw_status('"answered?"'), "bad_status"),
    (raw_status('""'), "bad_status"),
    (raw_status('"ａnswered"'), "bad_status"),
    (raw_status('"answered | insufficient"'), "bad_status"),
    (raw_citations("[3]"), "schema"),
    (raw_citations("3"), "schema"),
    (raw_citations("true"), "schema"),
    (raw_citations("S3: 1"), "not_json"),
    (raw_citations('"[\\"S3\\", 3]"'), "schema"),
    (raw_citations('"[\\"S3\\"}, \\"x\\": [1"'), "unknown_marker"),
    (raw_citations('"[1], \\"x\\": 2"'), "unknown_marker"),
    (raw_citations("[null]"), "schema"),
    (raw_citations('[{"id": 3}]'), "schema"),
    (raw_citations('[{"title": "Backups"}]'), "schema"),
    (raw_citations('[{"id": "S3", "see": "S1"}]'), "schema"),
    (raw_citations('{"id": "S3"}'), "schema"),
    (raw_citations('["3"]'), "unknown_marker"),
    (raw_citations('["S1-S3"]'), "unknown_marker"),
    (raw_citations('"all"'), "unknown_marker"),
    (raw_citations('"[\\"S3\\""'), "unknown_marker"),
    (raw_citations('""'), "undeclared_marker"),
]


@pytest.mark.parametrize(("raw", "code"), NOT_MENDED)
def test_refuses_what_would_have_to_be_guessed(raw: str, code: str) -> None:
    verdict = judge(raw, MARKERS)
    assert not verdict.accept
    assert (verdict.status, verdict.answer, verdict.citations) == (None, None, ())
    assert code in {violation.code for violation in verdict.violations}


def test_reads_python_where_quotes_tell_its_strings_apart() -> None:
    raw = """{'status': 'answered', 'answer': "It's \\"daily\\" [S3].", 'citations': ['S3']}"""
    assert judge(raw, MARKERS).answer == 'It\'s "daily" [S3].'
    raw = """{'status': 'answered', 'answer': 'It\\'s "daily" [S3].', 'citations': ['S3']}"""
    assert judge(raw, MARKERS).answer == 'It\'s "daily" [S3].'


def test_a_backslash_with_one_reading_stays() -> None:
    raw = REPLY.replace("30 days", "C:\\\\data \\\\(x\\\\)").replace("\\\\", "\\")
    verdict = judge(raw, MARKERS)
    assert verdict.answer == "Backups are kept for C:\\data \\(x\\) [S3]."
    assert verdict.repairs == ("json_syntax",)


def test_reads_escapes_in_strings_of_python() -> None:
    raw = r"""{'status': 'answered', 'answer': '\u0041 "B"\n\t[S3]', 'citations': ['S3']}"""
    verdict = judge(raw, MARKERS)
    assert verdict.answer == 'A "B"\n\t[S3]'
    assert verdict.repairs == ("json_syntax",)


def test_joins_the_escaped_halves_of_a_character() -> None:
    verdict = judge(REPLY.replace("30", "\\ud83d\\ude00"), MARKERS)
    assert verdict.answer == "Backups are kept for 😀 days [S3]."
    assert verdict.repairs == ()


@pytest.mark.parametrize(
    "text",
    [
        "The tag <think> opens, </think> closes [S3].",
        'Run:\n```json\n{"a": 1}\n```\nas told [S3].',
        "<|im_end|> ends a turn [S3].",
        "Use {name} and [brackets], see http://localhost/ [S3].",
        '{"status": "ok"} comes back [S3].',
        "“Quoted” and 'single' [S3].",
    ],
)
def test_text_inside_the_answer_is_text(text: str) -> None:
    verdict = judge(reply(answer=text), MARKERS)
    assert (verdict.answer, verdict.repairs) == (text, ())


def test_a_reply_stopped_for_length_is_truncated_whatever_it_looks_like() -> None:
    for raw in (REPLY, "", "Sure, ", REPLY[:20], json.dumps(REPLY)):
        verdict = judge(raw, MARKERS, finish_reason="length")
        assert "truncated" in {violation.code for violation in verdict.violations}
        assert not verdict.accept


def test_lists_repairs_in_the_contracts_order_and_knows_no_others() -> None:
    repairs = parse_reply("Well:\n```\n" + REPLY.replace("[S3]", "［s03］") + "\n```").repairs
    assert repairs == ("outer_text", "fence", "marker_width", "marker_case", "marker_padding")
    assert set().union(*(named for _, named in MENDED)) <= set(REPAIRS)


def test_a_string_can_spell_the_empty_list() -> None:
    for written in ("[]", "", " "):
        verdict = judge(reply("Nobody says.", written, "insufficient"), MARKERS)
        assert verdict.status == "insufficient"
        assert verdict.repairs == ("citations_string",)


def test_citations_follow_the_text() -> None:
    parsed = parse_reply(reply("A [S2]. B [S1][S2].", ["S1", "S2", "S1"]))
    assert parsed.draft is not None
    assert parsed.draft.citations == ("S2", "S1")
    assert parsed.repairs == ("citations_order", "citations_duplicates")
    unequal = parse_reply(reply("A [S2]. B [S1].", ["S3", "S1", "S2"]))
    assert unequal.draft is not None
    assert unequal.draft.citations == ("S3", "S1", "S2")
