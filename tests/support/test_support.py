"""What `check_support` returns: verdicts, reasons a person understands, and where to look."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.support import check_support, support_score
from rag.domain.answer import Claim, SourceText

DOCUMENT = "Intro.\n\nBackups are kept for 30 days.\nKeys rotate every 90 days.\n"


def claim(text: str, *markers: str) -> Claim:
    return Claim(text=text, start=0, end=len(text), markers=markers, verdict="supported")


def check(text: str, *sources: SourceText) -> Claim:
    markers = tuple(source.marker for source in sources)
    (checked,) = check_support([claim(text, *markers)], sources)
    return checked


def test_claims_without_markers_come_back_uncited() -> None:
    (checked,) = check_support([claim("Anything.")], [SourceText(marker="S1", text=DOCUMENT)])
    assert checked.verdict == "uncited"
    assert checked.evidence == ()


def test_a_marker_that_names_no_source_is_unsupported() -> None:
    (checked,) = check_support([claim("Anything. [S7]", "S7")], [])
    assert (checked.verdict, checked.why) == ("unsupported", "S7 is not among the sources")


def test_reasons_name_the_claim_and_what_the_source_says_instead() -> None:
    checked = check("Backups are kept for 36 days. [S3]", SourceText(marker="S3", text=DOCUMENT))
    assert checked.why == '"36 days" is not in S3, which says "30 days"'


def test_evidence_is_the_exact_span_in_document_terms() -> None:
    source = SourceText(marker="S1", text=DOCUMENT, offset=1_000, start_line=41, page=3)
    (evidence,) = check("Backups are kept for thirty days. [S1]", source).evidence
    assert evidence.quote == "Backups are kept for 30 days."
    assert DOCUMENT[evidence.start - 1_000 : evidence.end - 1_000] == evidence.quote
    assert (evidence.line, evidence.page) == (43, 3)
    assert 0.5 < evidence.score <= 1.0


def test_there_is_evidence_for_every_citation_in_order() -> None:
    first = SourceText(marker="S1", text="Backups are kept for 30 days.")
    second = SourceText(marker="S2", text="Nothing here. Backups run nightly.")
    checked = check("Backups run nightly and are kept for 30 days. [S2][S1]", second, first)
    assert [item.marker for item in checked.evidence] == ["S2", "S1"]
    assert checked.evidence[0].quote == "Backups run nightly."
    assert checked.verdict == "supported"


def test_a_union_of_sources_supports_what_neither_does_alone() -> None:
    first = SourceText(marker="S1", text="Backups are kept for 30 days.")
    second = SourceText(marker="S2", text="Backups are stored in Frankfurt.")
    text = "Backups are kept for 30 days and stored in Frankfurt. [S1][S2]"
    assert check(text, first, second).verdict == "supported"
    assert check("Backups are kept for 30 hours. [S1][S2]", first, second).verdict == "unsupported"


def test_a_source_that_speaks_of_something_else_supports_nothing() -> None:
    source = SourceText(marker="S1", text="The canteen opens at noon and serves soup.")
    checked = check("Passwords protect user accounts. [S1]", source)
    assert (checked.verdict, checked.why) == ("unsupported", "S1 speaks of something else")


def test_the_context_holds_words_and_facts_but_is_never_quoted() -> None:
    source = SourceText(marker="S1", text="Kept for 30 days.", context="Backups 2026 > Retention")
    checked = check("Backups of 2026 are kept for 30 days. [S1]", source)
    assert checked.verdict == "supported"
    assert checked.evidence[0].quote == "Kept for 30 days."


def test_words_are_not_compared_across_languages_but_facts_are() -> None:
    source = SourceText(marker="S1", text="Backups are kept for 30 days.")
    assert check("備份會保留三十天。[S1]", source).verdict == "supported"
    assert check("備份會保留六十天。[S1]", source).verdict == "unsupported"
    assert check("備份存放於 `/srv/backup`。[S1]", source).verdict == "unsupported"


def test_what_was_not_compared_is_not_called_supported() -> None:
    """Else citing any page in another language would make a claim supported."""
    prices = SourceText(marker="S1", text="Backups cost 20 euros a month.")
    keys = SourceText(marker="S2", text="鑰匙在櫃檯領取。")
    foreign = check("Room keys are handed out at the desk.[S2]", keys)
    assert foreign.verdict == "weak" and "another language" in str(foreign.why)
    assert check("Room keys are handed out at the desk.[S1][S2]", prices, keys).verdict == "weak"
    assert check("Room keys are handed out at the desk.[S1]", prices).verdict == "unsupported"
    own = SourceText(marker="S1", text="Room keys are handed out at the front desk.")
    assert check("Room keys are handed out at the desk.[S1][S2]", own, keys).verdict == "supported"
    assert check("鑰匙在櫃檯領取。[S1]", prices).verdict == "weak"


def test_markers_are_no_content() -> None:
    source = SourceText(marker="S12", text="Backups are kept for 30 days.")
    assert check("[S12] Backups are kept [S12] for 30 days.[S12]", source).verdict == "supported"


def test_refused_claims_score_below_accepted_ones() -> None:
    source = "Backups are kept for 30 days."
    refused = support_score("Backups are kept for 36 days.", source)
    assert refused < support_score("Backups are never lost.", source) < 1
    assert support_score("Backups are kept.", source) == 1


ODD = st.text(
    alphabet=st.sampled_from("ab1 9.,-/$%:'\"`|\n[S1]不得三十百分之年月日點半個上午amp½①〇")
)


@given(ODD, ODD, ODD)
def test_no_text_makes_it_fail_and_spans_are_exact(text: str, source: str, context: str) -> None:
    given_source = SourceText(marker="S1", text=source, context=context, offset=7)
    (checked,) = check_support([claim(text, "S1")], [given_source])
    assert checked.verdict in ("supported", "weak", "unsupported")
    assert (checked.why is None) == (checked.verdict == "supported")
    (evidence,) = checked.evidence
    assert source[evidence.start - 7 : evidence.end - 7] == evidence.quote
    assert 0 <= evidence.score <= 1


@pytest.mark.parametrize("size", [4_000])
@pytest.mark.parametrize(
    "piece",
    ["9", "亿", "hundred ", "5 days ", "$5 ", "`a` ", "a_", "不得", "2026-03-01 ", '"a ', "/a"],
)
def test_hostile_repetition_is_answered(piece: str, size: int) -> None:
    text = piece * (size // len(piece))
    assert check(f"x {text} [S1]", SourceText(marker="S1", text=f"y {text} z")).evidence
