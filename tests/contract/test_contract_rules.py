import json
import re
from collections.abc import Sequence

import pytest

from rag.core.contract import judge, reply_schema, retry_message
from rag.core.rewrite import protect
from rag.core.violations import violation
from rag.domain.answer import SourceText, Verdict

MARKERS = ("S1", "S2", "S3")
SOURCES = (
    SourceText(marker="S1", text="Tokens expire after an hour."),
    SourceText(marker="S3", text="Backups are kept for 30 days."),
)


def reply(answer: str, citations: Sequence[str] = (), status: str = "answered") -> str:
    return json.dumps({"status": status, "answer": answer, "citations": citations})


def codes(verdict: Verdict) -> set[str]:
    return {violation.code for violation in verdict.violations}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (reply("Kept [S3].", ["S3"]), set()),
        (reply("Nobody says.", status="insufficient"), set()),
        (reply("Kept [S3].", ["S3"], status="maybe"), {"bad_status"}),
        (reply("... [S3]", ["S3"]), {"empty_answer"}),
        (reply("[S3]_", ["S3"]), {"empty_answer"}),
        (reply("", status="insufficient"), {"empty_answer"}),
        (reply("Kept [S9].", ["S9"]), {"unknown_marker"}),
        (reply("Kept [S3].", ["S3", "S9"]), {"unknown_marker", "unused_citation"}),
        (reply("Kept [S3][S1].", ["S3"]), {"undeclared_marker"}),
        (reply("Kept [S3].", ["S3", "S1"]), {"unused_citation"}),
        (reply("Kept."), {"no_citation"}),
        (reply("Kept `[S3]`.", ["S3"]), {"no_citation", "unused_citation"}),
        (reply("No [S3].", status="insufficient"), {"insufficient_with_citation"}),
        (reply("No.", ["S3"], status="insufficient"), {"insufficient_with_citation"}),
    ],
)
def test_each_rule_refuses_what_breaks_it(raw: str, expected: set[str]) -> None:
    verdict = judge(raw, MARKERS)
    assert expected <= codes(verdict)
    assert verdict.accept == (not expected)


def test_names_the_marker_that_breaks_a_rule() -> None:
    verdict = judge(reply("Kept [S9][S1].", ["S3"]), MARKERS)
    assert {(found.code, found.marker) for found in verdict.violations} == {
        ("unknown_marker", "S9"),
        ("undeclared_marker", "S9"),
        ("undeclared_marker", "S1"),
        ("unused_citation", "S3"),
    }


def test_offers_nothing_to_a_request_without_sources() -> None:
    assert judge(reply("Nobody says.", status="insufficient"), ()).accept
    assert {"unknown_marker"} <= codes(judge(reply("Kept [S1].", ["S1"]), ()))
    assert "no_citation" in codes(judge(reply("Kept."), ()))


def test_claims_hold_their_sentence_and_its_markers() -> None:
    verdict = judge(reply("# Backups\nKept 30 days. [s3] Gone then.", ["S3"]), MARKERS)
    assert verdict.answer is not None
    kept, gone = verdict.claims
    assert (kept.text, kept.markers, kept.verdict) == ("Kept 30 days. [S3]", ("S3",), "unchecked")
    assert (gone.text, gone.markers, gone.verdict) == ("Gone then.", (), "uncited")
    assert all(verdict.answer[claim.start : claim.end] == claim.text for claim in verdict.claims)
    assert [warning.code for warning in verdict.warnings] == ["uncited_claim"]


def test_an_insufficient_reply_claims_nothing() -> None:
    verdict = judge(reply("Nobody says who.", status="insufficient"), MARKERS, SOURCES)
    assert (verdict.claims, verdict.warnings) == ((), ())


def test_checks_what_the_cited_source_says() -> None:
    true = judge(reply("Backups are kept for 30 days [S3].", ["S3"]), MARKERS, SOURCES)
    assert true.accept
    assert true.claims[0].verdict == "supported"
    assert true.claims[0].evidence[0].quote.startswith("Backups are kept for 30 days")

    false = judge(reply("Backups are kept for 36 days [S3].", ["S3"]), MARKERS, SOURCES)
    assert codes(false) == {"unsupported_claim"}
    assert false.violations[0].marker == "S3"
    assert (false.answer, false.citations, false.spans) == (None, (), ())
    assert false.claims[0].verdict == "unsupported"


def test_support_can_warn_or_be_left_out() -> None:
    raw = reply("Backups are kept for 36 days [S3].", ["S3"])
    warned = judge(raw, MARKERS, SOURCES, support="warn")
    assert warned.accept
    assert [warning.code for warning in warned.warnings] == ["unsupported_claim"]
    unchecked = judge(raw, MARKERS, SOURCES, support="off")
    assert unchecked.accept
    assert unchecked.claims[0].verdict == "unchecked"


def test_a_repeated_claim_is_checked_at_each_of_its_places() -> None:
    raw = reply(
        "Kept for 30 days [S3]. Kept for 30 days [S3]. Kept for 30 days [S1].", ["S3", "S1"]
    )
    verdict = judge(raw, MARKERS, SOURCES, support="warn")
    assert verdict.answer is not None
    assert [claim.verdict for claim in verdict.claims] == ["supported", "supported", "unsupported"]
    assert [verdict.answer[claim.start : claim.end] for claim in verdict.claims] == [
        claim.text for claim in verdict.claims
    ]
    assert len({claim.start for claim in verdict.claims}) == 3


def test_a_weak_claim_is_a_warning() -> None:
    text = "Backups travel to Frankfurt along encrypted tunnels [S3]."
    sources = [SourceText(marker="S3", text="Backups are encrypted.")]
    verdict = judge(reply(text, ["S3"]), MARKERS, sources)
    assert verdict.accept
    assert [warning.code for warning in verdict.warnings] == ["weak_claim"]
    assert "S3 holds only part" in verdict.warnings[0].message


def test_reasons_are_in_the_language_of_the_messages() -> None:
    raw = reply("備份保留 36 天。[S3]", ["S3"])
    sources = [SourceText(marker="S3", text="備份保留三十天。")]
    verdict = judge(raw, MARKERS, sources, language="zh-Hant")
    (told,) = verdict.violations
    assert told.message == (
        "引用的來源不支持這句：備份保留 36 天。[S3]（S3 沒有提到「36 天」，寫的是「三十天」）"
    )
    assert verdict.claims[0].why == "S3 沒有提到「36 天」，寫的是「三十天」"
    assert judge(raw, MARKERS, sources).claims[0].why == (
        '"36 天" is not in S3, which says "三十天"'
    )


def test_compares_what_was_rewritten_for_the_model_as_the_document_has_it() -> None:
    written = "The field [S1] holds 30 days."
    raw = reply(f"{protect(written)} [S3]", ["S3"])
    verdict = judge(raw, MARKERS, [SourceText(marker="S3", text=written)])
    assert verdict.citations == ("S3",)
    assert verdict.claims[0].verdict == "supported"
    assert verdict.claims[0].text == verdict.answer


def test_looks_into_support_only_when_the_contract_holds() -> None:
    verdict = judge(reply("Backups are kept for 36 days [S3].", ["S1"]), MARKERS, SOURCES)
    assert codes(verdict) == {"undeclared_marker", "unused_citation"}
    assert verdict.claims[0].verdict == "unchecked"


@pytest.mark.parametrize("language", ["en", "zh-Hant"])
def test_every_message_says_what_to_mend(language: str) -> None:
    replies = [
        "",
        "{",
        "{}",
        '{"status": 1}{"status": 2}',
        '{"status": 1, "status": 2}',
        reply('{"status": "answered", "answer": "x"}', ["S3"]),
        reply("a\bb [S3]", ["S3"]),
        reply("\n" * 4000, ["S3"]),
        reply("...", ["S3"], status="maybe"),
        reply("Kept [S9][S1].", ["S3"]),
        reply("Kept."),
        reply("No.", ["S3"], status="insufficient"),
        reply("Backups are kept for 36 days [S3].", ["S3"]),
    ]
    for raw in replies:
        verdict = judge(raw, MARKERS, SOURCES, coverage="strict", language=language)
        told = retry_message(verdict, language)
        assert verdict.violations
        for found in verdict.violations:
            assert f"- {found.code}: {found.message}" in told
            assert "{" not in found.message.replace('{"status"', "")
            assert ("的" in told) == (language == "zh-Hant")


def test_a_retry_names_a_dozen_faults_and_counts_the_rest() -> None:
    verdict = judge(reply("x [S1]", [f"S{number}" for number in range(20, 60)]), MARKERS)
    told = retry_message(verdict, "en").splitlines()
    assert len(told) == 1 + 12 + 1 + 1
    assert told[-2] == f"- and {len(verdict.violations) - 12} more"
    assert "另有" in retry_message(verdict, "zh-Hant")


def test_names_every_source_that_was_offered() -> None:
    markers = [f"S{number}" for number in range(1, 51)]
    verdict = judge(reply("Kept [S51].", ["S51"]), markers)
    assert ", ".join(markers) in verdict.violations[0].message


def test_an_entry_that_is_no_marker_is_quoted_short() -> None:
    (unknown, *_) = judge(reply("Kept [S3].", ["\x1b[2J" + "x" * 10_000]), MARKERS).violations
    assert unknown.marker is not None
    assert len(unknown.marker) <= 60
    assert unknown.marker.isprintable()


def test_messages_quote_hostile_text_on_one_short_line() -> None:
    found = violation("uncited_claim", "en", quote="a\x1b[2J\n{marker}" + "x" * 1000)
    assert "\n" not in found.message
    assert "\x1b" not in found.message
    assert "{marker}" in found.message
    assert len(found.message) < 120


def test_the_schema_lets_status_decide_what_may_be_cited() -> None:
    answered, insufficient = reply_schema(MARKERS)["anyOf"]
    for branch in (answered, insufficient):
        assert list(branch["properties"]) == ["status", "answer", "citations"]
        assert branch["required"] == ["status", "answer", "citations"]
        assert branch["additionalProperties"] is False
    assert answered["properties"]["status"]["enum"] == ["answered"]
    assert answered["properties"]["citations"]["items"]["enum"] == list(MARKERS)
    assert answered["properties"]["citations"]["maxItems"] == 3
    assert insufficient["properties"]["citations"]["maxItems"] == 0


def test_the_schema_of_a_request_without_sources_allows_no_answer() -> None:
    assert reply_schema(())["properties"]["status"]["enum"] == ["insufficient"]


def allows(status: str, answer: str, *, cite_sentences: bool = False) -> bool:
    """Whether the pattern of the branch for `status` allows `answer`."""
    branches = reply_schema(["S1", "S12"], cite_sentences=cite_sentences)["anyOf"]
    (branch,) = (each for each in branches if each["properties"]["status"]["enum"] == [status])
    return re.search(branch["properties"]["answer"]["pattern"], answer) is not None


@pytest.mark.parametrize(
    "answer",
    [
        "Kept for 30 days.[S1] Restored within 4 hours.[S12]",
        "保留三十天。[S1][S12]",
        'Two kinds:\n- `list[int]`, "as is"[S1]\n- [see](guide.md), [Summary] and []. [S12]',
        "No marker at all: the contract tells that.",
    ],
)
def test_the_schema_leaves_the_text_of_an_answer_free(answer: str) -> None:
    assert allows("answered", answer)


@pytest.mark.parametrize(
    "answer",
    ["Kept.[S2]", "Kept.[S1][S3]", "Kept.[s1]", "Kept.[S123]", "[[S2]]", "[S[S2]", "", "["],
)
def test_the_schema_has_no_room_for_a_marker_that_was_not_offered(answer: str) -> None:
    assert not allows("answered", answer)


def test_the_schema_has_no_room_for_a_marker_in_a_refusal() -> None:
    assert allows("insufficient", "The sources do not say who approves [it].")
    assert not allows("insufficient", "The sources do not say who approves it.[S1]")


@pytest.mark.parametrize(
    ("answer", "allowed"),
    [
        ("Kept for 3.5 days in `config.toml`.[S1] Encrypted [S12].", True),
        ("保留三十天。[S1]加密保存。[S1][S12]", True),
        ("Two kinds:\n- full[S1]\n- partial[S12]", True),
        ("Kept for 30 days.", False),
        ("Kept for 30 days. Encrypted.[S1]", False),
        ("Kept for 30 days.[S1] Encrypted.", False),
        ("Kept for 30 days.[S1] Encrypted.[S2]", False),
        ("and on and on " * 40 + ".[S1]", False),
    ],
)
def test_a_schema_for_cited_sentences_asks_for_a_marker_behind_each(
    answer: str, allowed: bool
) -> None:
    assert allows("answered", answer, cite_sentences=True) is allowed
