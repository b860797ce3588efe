"""What holds for any reply, found by generating them."""

import json
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from rag.core.contract import judge
from rag.core.markers import canonicalize
from rag.core.parse import REPAIRS
from rag.domain.answer import Verdict

MARKERS = ("S1", "S2", "S3")
REPLY = json.dumps(
    {
        "status": "answered",
        "answer": "Tokens expire after 1 hour [S1]. Backups stay 30 days [S3].",
        "citations": ["S1", "S3"],
    }
)

SCRAPS = st.lists(
    st.sampled_from(
        [
            *("{", "}", "[", "]", '"', "'", ":", ",", "\\", "\n", " ", "`", "```json\n", "“", "”"),
            *('"status"', '"answer"', '"citations"', '"answered"', '"insufficient"', "status:"),
            *("[S1]", "[S9]", '["S1"]', "[s01]", "【S1】", '"S1"', "null", "NaN", "1.5", "\x00"),
            *("<think>", "</think>", "<|channel|>final<|message|>", "<|im_end|>", "\ufeff"),
            *('\\"', "\\u0041", "\\ud800", "/*", "//", "#", REPLY, REPLY[:50], "a 30 days"),
            '{"status": "answered", "answer": "',
            '", "citations": ["S1"]}',
        ]
    ),
    max_size=25,
).map("".join)
MARKER_SETS = st.lists(
    st.integers(0, 12).map("S{}".format) | st.text(max_size=3), max_size=6, unique=True
)


def holds(verdict: Verdict, markers: list[str]) -> bool:
    """Whether an accepted verdict is what the contract promises."""
    assert verdict.answer is not None
    used = [verdict.answer[span.start : span.end] for span in verdict.spans]
    return (
        used == [f"[{span.marker}]" for span in verdict.spans]
        and verdict.citations == tuple(dict.fromkeys(span.marker for span in verdict.spans))
        and set(verdict.citations) <= set(markers)
        and bool(verdict.citations) == (verdict.status == "answered")
        and any(char.isalnum() for char in verdict.answer)
        and not verdict.violations
    )


@settings(deadline=None)
@given(st.text() | SCRAPS, MARKER_SETS, st.sampled_from([None, "stop", "length", "load"]))
def test_any_reply_gets_a_sound_verdict(
    raw: str, markers: list[str], finish_reason: str | None
) -> None:
    verdict = judge(raw, markers, finish_reason=finish_reason)
    assert list(verdict.repairs) == [name for name in REPAIRS if name in verdict.repairs]
    json.dumps(verdict.model_dump(mode="json"), ensure_ascii=False).encode()
    if verdict.accept:
        assert finish_reason != "length"
        assert holds(verdict, markers)
    else:
        assert verdict.violations
        assert (verdict.status, verdict.answer, verdict.citations, verdict.spans) == (
            *(None, None),
            *((), ()),
        )


@settings(deadline=None)
@given(
    st.text(st.characters(exclude_categories=["C"]), max_size=30),
    st.integers(4, 10**12),
    st.sampled_from(
        [
            "[S{}]",
            "[s{}]",
            "[S0{}]",
            "[S1, S{}]",
            "[S1-S{}]",
            "【S{}】",
            "[[S{}]]",
            "[^S{}]",
            "[ S{} ]",
        ]
    ),
    st.lists(st.sampled_from(MARKERS), max_size=3),
)
def test_a_marker_that_was_not_offered_is_always_a_violation(
    words: str, number: int, form: str, listed: list[str]
) -> None:
    text = f"{words.replace('`', '').replace('~', '')}\n\nkept {form.format(number)}"
    raw = json.dumps({"status": "answered", "answer": text, "citations": listed})
    verdict = judge(raw, MARKERS)
    assert "unknown_marker" in {found.code for found in verdict.violations}
    raw = json.dumps({"status": "answered", "answer": "x [S1]", "citations": ["S1", f"S{number}"]})
    assert "unknown_marker" in {found.code for found in judge(raw, MARKERS).violations}


WORDS = st.text(
    st.characters(exclude_categories=("C", "P", "S", "Z"), exclude_characters="Ss"),
    min_size=1,
    max_size=12,
)
PROSE = WORDS.map(lambda words: f"Well, {words}: ")

Decoration = Callable[[str], str]
DECORATIONS: list[st.SearchStrategy[Decoration]] = [
    PROSE.map(lambda prose: lambda raw: prose + raw),
    PROSE.map(lambda prose: lambda raw: raw + prose),
    st.just(lambda raw: f"```json\n{raw}\n```"),
    st.just(lambda raw: f"~~~\n{raw}\n~~~"),
    PROSE.map(lambda prose: lambda raw: f"<think>{prose}{REPLY}</think>\n{raw}"),
    PROSE.map(lambda prose: lambda raw: f"{prose}{{</think>{raw}"),
    st.just(lambda raw: "\ufeff" + raw),
    st.just(lambda raw: f"<|im_start|>assistant\n{raw}<|im_end|>"),
    st.just(lambda raw: raw + "\n" * 50),
]
INNER: list[Decoration] = [
    lambda raw: raw.replace('", "', '" , "'),
    lambda raw: raw[: raw.rindex("}")] + ",}",
    lambda raw: raw[: raw.rindex("}")] + ', "extra": [1, {"x": null}]}',
    lambda raw: raw.replace('"status"', '"Status"'),
    lambda raw: raw.replace('"answered"', '"Answered."'),
    lambda raw: raw.replace('"status"', "status"),
    lambda raw: f'{{"result": {raw}}}',
    lambda raw: f"[{raw}]",
    lambda raw: raw,
]
MARKER_FORMS = ["[{0}][{1}]", "[{0}, {1}]", "［{0}；{1}］", "[{0} and {1}]", "【{0}】[[{1}]]"]


@settings(deadline=None)
@given(
    WORDS,
    WORDS,
    st.sampled_from(MARKER_FORMS),
    st.permutations(["S1", "S3"]),
    st.sampled_from(INNER),
    st.lists(st.one_of(DECORATIONS), max_size=3),
)
def test_a_valid_reply_stays_valid_however_it_is_dressed(
    first: str,
    second: str,
    form: str,
    listed: list[str],
    inner: Decoration,
    outer: list[Decoration],
) -> None:
    text = f"{first} 30 {form.format('S1', 'S3')}, {second}."
    raw = json.dumps({"status": "answered", "answer": text, "citations": listed})
    dressed = inner(raw)
    for decorate in outer:
        dressed = decorate(dressed)
    verdict = judge(dressed, MARKERS)
    assert verdict.accept, verdict.violations
    assert verdict.answer == f"{first} 30 [S1][S3], {second}."
    assert verdict.citations == ("S1", "S3")
    if dressed.strip() != raw:
        assert verdict.repairs or json.loads(dressed) == json.loads(raw)


@settings(deadline=None)
@given(
    st.integers(0, len(REPLY) - 1),
    st.sampled_from(["delete", "replace", "insert"]),
    st.sampled_from([*"aS039 .,;:!'\"\\/{}[]()<>`~#\n\t*_-", "\u200b", "３", "，", "”", "not "]),
)
def test_one_edit_never_slips_through(place: int, edit: str, sign: str) -> None:
    edited = {
        "delete": REPLY[:place] + REPLY[place + 1 :],
        "replace": REPLY[:place] + sign + REPLY[place + 1 :],
        "insert": REPLY[:place] + sign + REPLY[place:],
    }[edit]
    verdict = judge(edited, MARKERS)
    if not verdict.accept:
        return
    assert holds(verdict, list(MARKERS))
    original = json.loads(REPLY)
    try:
        strict = json.loads(edited)
    except ValueError:
        # Not JSON: read all the same only by a recorded repair, and the words are those written.
        assert verdict.repairs
        assert verdict.answer is not None
        if verdict.answer == original["answer"]:
            assert json.dumps(original["answer"]) in edited or "marker" in str(verdict.repairs)
        return
    if "answer" not in strict:  # a key in another case, read by a recorded repair
        assert verdict.repairs
        return
    assert verdict.answer == canonicalize(strict["answer"]).text
    if strict != original and verdict.answer == original["answer"]:
        assert verdict.repairs


def test_no_character_of_a_reply_can_be_lost() -> None:
    original = judge(REPLY, MARKERS)
    for place, char in enumerate(REPLY):
        verdict = judge(REPLY[:place] + REPLY[place + 1 :], MARKERS)
        if char != " ":
            assert verdict.answer != original.answer, (place, char)
