import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.core.markers import (
    MOST_MARKERS,
    TooManyMarkersError,
    canonicalize,
    read_listed,
    scan_markers,
)

ONE_READING = [
    ("[S1]", "[S1]", set()),
    ("[S12]", "[S12]", set()),
    ("[S1][S2]", "[S1][S2]", set()),
    ("[S1, S2]", "[S1][S2]", {"marker_group"}),
    ("[S1,S2]", "[S1][S2]", {"marker_group"}),
    ("[S1; S2 and S3]", "[S1][S2][S3]", {"marker_group"}),
    ("[S1, S2, and S3]", "[S1][S2][S3]", {"marker_group"}),
    ("[S1 AND S2]", "[S1][S2]", {"marker_group"}),
    ("[S1 S3]", "[S1][S3]", {"marker_group"}),
    ("[S1、S2]", "[S1][S2]", {"marker_group"}),
    ("[S1和S2]", "[S1][S2]", {"marker_group"}),
    ("[S1\nS2]", "[S1][S2]", {"marker_group"}),
    ("［S1，S2］", "[S1][S2]", {"marker_group", "marker_width"}),
    ("[S1-S3]", "[S1][S2][S3]", {"marker_range"}),
    ("[S1–3]", "[S1][S2][S3]", {"marker_range"}),
    ("[S1 — S3]", "[S1][S2][S3]", {"marker_range"}),
    ("[S1～S3]", "[S1][S2][S3]", {"marker_range"}),
    ("[S2-S2]", "[S2]", {"marker_range"}),
    ("[S1-S2, S4]", "[S1][S2][S4]", {"marker_group", "marker_range"}),
    ("【S1】", "[S1]", {"marker_width"}),
    ("［Ｓ１］", "[S1]", {"marker_width"}),
    ("〔S1〕", "[S1]", {"marker_width"}),
    ("「S1」", "[S1]", {"marker_width"}),
    ("[S1］", "[S1]", {"marker_width"}),
    ("[S１]", "[S1]", {"marker_width"}),
    ("[S³]", "[S3]", {"marker_width"}),
    ("[S①]", "[S1]", {"marker_width"}),
    ("[s1]", "[S1]", {"marker_case"}),
    ("[S1-s3]", "[S1][S2][S3]", {"marker_range", "marker_case"}),
    ("[S01]", "[S1]", {"marker_padding"}),
    ("[s003]", "[S3]", {"marker_padding", "marker_case"}),
    ("[ S3 ]", "[S3]", {"marker_spaces"}),
    ("[S 3]", "[S3]", {"marker_spaces"}),
    ("[\u3000S3]", "[S3]", {"marker_spaces"}),
    ("[S\u200b3]", "[S3]", {"marker_invisible"}),
    ("[\ufeffS3\u2060]", "[S3]", {"marker_invisible"}),
    ("[[S3]]", "[S3]", {"marker_brackets"}),
    ("[[S1, S3]]", "[S1][S3]", {"marker_brackets", "marker_group"}),
    ("[[[S3]]]", "[S3]", {"marker_brackets"}),
    ("【【S3】】", "[S3]", {"marker_brackets", "marker_width"}),
    ("[^S3]", "[S3]", {"marker_brackets"}),
    ("\\[S3\\]", "[S3]", {"marker_brackets"}),
    ("\\[\\[S3\\]\\]", "[S3]", {"marker_brackets"}),
]

NO_MARKER = [
    "S1",
    "(S1)",
    "（S1）",
    "{S1}",
    "<S1>",
    "[1]",
    "[S]",
    "[]",
    "[ ]",
    "[T1]",
    "[Source 3]",
    "[Sources: S1, S3]",
    "[S3, p. 4]",
    "[S3 p4]",
    "[S1†L3]",
    "【4:0†source】",
    "[S1.5]",
    "[S-1]",
    "[S1S2]",
    "[S1,]",
    "[,S1]",
    "[S1 and and S2]",
    "[S1 or S2]",
    "[S1/S2]",
    "[S3-S1]",
    "[S1 to S3]",
    "[S1, 2]",
    "[S1】",
    "【S1]",
    "[S3\\]",
    "[\u04053]",
    "[S\u0663]",
    "`[S1]`",
    "`arr[S1]`",
    "``a ` [S1]``",
    "```\narr[S1]\n```",
    "~~~py\n[S1]",
    "> ```\n> [S1]\n> ```",
]


@pytest.mark.parametrize(("written", "canonical", "repairs"), ONE_READING)
def test_reads_every_form_with_one_reading(written: str, canonical: str, repairs: set[str]) -> None:
    found = canonicalize(f"Kept {written}.")
    assert found.text == f"Kept {canonical}."
    assert found.repairs == repairs


@pytest.mark.parametrize("written", NO_MARKER)
def test_leaves_everything_else_alone(written: str) -> None:
    found = canonicalize(written)
    assert (found.text, found.spans, found.repairs) == (written, (), frozenset())


def test_a_marker_glued_to_a_word_counts_outside_code_only() -> None:
    found = canonicalize("30 days[S3] and arr[S1] but `arr[S2]`")
    assert found.markers == ("S3", "S1")


def test_stray_backticks_hide_no_marker() -> None:
    assert canonicalize("the ` key [S1] is `` here").markers == ("S1",)
    assert canonicalize("a ` tick\n\nnext [S1] ` paragraph").markers == ("S1",)
    assert canonicalize("an escaped \\`tick [S1] `").markers == ("S1",)


def test_keeps_brackets_that_are_not_the_markers_own() -> None:
    assert canonicalize("[[S1], [S2]] [[S3]").text == "[[S1], [S2]] [[S3]"
    assert canonicalize("C:\\d\\[S1] \\[S2]").text == "C:\\d\\[S1] \\[S2]"
    assert canonicalize("[[S1]](https://example.org)").text == "[S1](https://example.org)"


def test_a_range_no_request_can_offer_stays_one_unknown_marker() -> None:
    assert canonicalize("[S1-S9999999999]").markers == ("S1-S9999999999",)
    assert canonicalize("[S1-S65]").markers == ("S1-S65",)
    assert len(canonicalize("[S1-S64]").markers) == 64


def test_ranges_stop_being_written_out_when_they_blow_a_text_up() -> None:
    found = canonicalize("[S1-S60] " * 60)
    assert "S1-S60" in found.markers
    assert len(found.text) < 40_000


def test_refuses_a_text_that_cites_for_ever() -> None:
    assert len(canonicalize("[S1]" * MOST_MARKERS).spans) == MOST_MARKERS
    with pytest.raises(TooManyMarkersError):
        canonicalize("[S1]" * (MOST_MARKERS + 1))
    assert canonicalize("[S1" + ", S1" * 1000 + "]").spans == ()


@pytest.mark.parametrize(
    ("written", "markers", "repairs"),
    [
        ("S3", ("S3",), set()),
        ("s03", ("S3",), {"marker_case", "marker_padding"}),
        (" S3 ", ("S3",), {"marker_spaces"}),
        ("[S3]", ("S3",), {"citations_brackets"}),
        ("【S3】", ("S3",), {"citations_brackets", "marker_width"}),
        ("S1, S3", ("S1", "S3"), {"citations_string"}),
        ("S1 and S3", ("S1", "S3"), {"citations_string"}),
        ("[S1][S3]", ("S1", "S3"), {"citations_string", "citations_brackets"}),
        ("[S1], [S3]", ("S1", "S3"), {"citations_string", "citations_brackets"}),
    ],
)
def test_reads_an_entry_of_the_list(
    written: str, markers: tuple[str, ...], repairs: set[str]
) -> None:
    found = read_listed(written)
    assert found is not None
    assert (found.markers, found.repairs) == (markers, repairs)


@pytest.mark.parametrize(
    "written", ["", "3", "S", "Source 3", "S1-S3", "[S1-S3]", "[S3] says so", "\u04053", "`[S3]`"]
)
def test_an_entry_that_is_no_marker_stays_unread(written: str) -> None:
    assert read_listed(written) is None


SCRAPS = st.lists(
    st.sampled_from(
        [*(form for form, _, _ in ONE_READING), *NO_MARKER, *"[]【】「」\\^`S1s0-,; \n", "and", "x"]
    ),
    max_size=20,
).map("".join)


@settings(deadline=None)
@given(SCRAPS | st.text())
def test_canonical_text_is_canonical(text: str) -> None:
    found = canonicalize(text)
    for span in found.spans:
        assert found.text[span.start : span.end] == f"[{span.marker}]"
    again = canonicalize(found.text)
    assert set(found.markers) <= set(again.markers)
    if not found.repairs:
        assert found.text == text


@settings(deadline=None)
@given(SCRAPS | st.text())
def test_only_markers_change(text: str) -> None:
    outside = []
    done = 0
    for occurrence in scan_markers(text):
        assert done <= occurrence.start < occurrence.end
        outside.append(text[done : occurrence.start])
        done = occurrence.end
    outside.append(text[done:])
    found = canonicalize(text)
    kept = []
    done = 0
    for span in found.spans:
        kept.append(found.text[done : span.start])
        done = span.end
    kept.append(found.text[done:])
    assert "".join(kept) == "".join(outside)
