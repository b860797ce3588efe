"""A value belongs to the thing that the source gives it to; an order to its event."""

import pytest

from rag.core.support import check_support
from rag.core.support.orders import find_orders
from rag.domain.answer import Claim, SourceText

PLANS = "The grace period is 7 days for monthly plans and 21 days for annual plans."
TABLE = """| Leave | Pay | Notice |
|---|---|---|
| Annual | full pay | 3 days |
| Sick | half pay | same day |"""


def check(source: str, claim: str) -> Claim:
    stated = Claim(text=claim, start=0, end=len(claim), markers=("S1",), verdict="unchecked")
    (checked,) = check_support([stated], [SourceText(marker="S1", text=source)])
    return checked


def test_two_statements_of_one_clause_keep_their_numbers_apart() -> None:
    checked = check(PLANS, "Monthly plans have a grace period of 21 days.")
    assert checked.why == 'S1 says "7 days" of this, "21 days" of something else'
    assert check(PLANS, "Annual plans have a grace period of 21 days.").verdict == "supported"


@pytest.mark.parametrize(
    ("source", "true", "false"),
    [
        (
            "The invoice is due on 15 March 2024 and the audit starts on 2 May 2024.",
            "The audit starts on 2 May 2024.",
            "The invoice is due on 2 May 2024.",
        ),
        (
            "The nightly job runs at 02:30; the weekly job runs at 18:00.",
            "The weekly job runs at 6 p.m.",
            "The nightly job runs at 6 p.m.",
        ),
        (
            "The Paris office opened in 1998. The Berlin office, opened in 2004, is larger.",
            "The Berlin office opened in 2004.",
            "The Paris office opened in 2004.",
        ),
        (TABLE, "Sick leave is at half pay.", "Annual leave is at half pay."),
    ],
)
def test_dates_times_and_cells_belong_to_one_thing(source: str, true: str, false: str) -> None:
    assert check(source, true).verdict == "supported"
    assert check(source, false).verdict == "unsupported"


def test_a_clause_of_a_value_alone_goes_on_about_the_same_thing() -> None:
    source = "本服務自2023年7月1日起生效，至2024年12月31日止。"
    assert check(source, "服務到2024年12月31日為止。").verdict == "supported"


def test_a_claim_that_names_several_rows_is_left_alone() -> None:
    assert check(TABLE, "Annual leave is paid in full, sick leave at half pay.").verdict != (
        "unsupported"
    )


@pytest.mark.parametrize(
    ("text", "earlier", "event"),
    [
        ("not activated until the review", False, "review"),
        ("nothing is sent before the review", False, "review"),
        ("before the review, nothing is sent", False, "review"),
        ("sent before the review", True, "review"),
        ("sent after the review", False, "review"),
        ("未经主管核准前,不得公布", False, "核准"),
        ("核准前可以公布", True, "核准"),
    ],
)
def test_a_denied_before_is_an_after(text: str, earlier: bool, event: str) -> None:
    assert list(find_orders(text)) == [(earlier, event)]
