from hypothesis import given
from hypothesis import strategies as st

from rag.core.units import split_units

PAGE = """# Backups

Backups run at 02:00.
They are kept for 30 days.

How do I restore one?

Ask the on-call engineer. Have the ticket ready.

## Plans

| Plan | Retention |
|------|-----------|
| Basic | 30 days |
| Team | 90 days |

Steps:

1. Open the console
   and log in.
2. Press `Restore`.

```sh
restore --all  # no sentence. None.
```
"""


def quotes(content: str) -> list[str]:
    return [unit.quote for unit in split_units(content)]


def test_sentences_items_and_rows_are_units_and_code_and_headings_are_not() -> None:
    assert quotes(PAGE) == [
        "Backups run at 02:00.",
        "They are kept for 30 days.",
        "Ask the on-call engineer.",
        "Have the ticket ready.",
        "Basic | 30 days",
        "Team | 90 days",
        "Steps:",
        "Open the console and log in.",
        "Press `Restore`.",
    ]


def test_each_unit_knows_the_headings_and_the_question_above_it() -> None:
    above = {unit.quote: unit.heading for unit in split_units(PAGE)}
    assert above["They are kept for 30 days."] == "Backups"
    assert above["Ask the on-call engineer."] == "Backups > How do I restore one?"
    assert above["Press `Restore`."] == "Backups > Plans"


def test_items_of_one_list_share_a_block_that_their_lead_in_announces() -> None:
    by_quote = {unit.quote: unit for unit in split_units(PAGE)}
    first, second = by_quote["Open the console and log in."], by_quote["Press `Restore`."]
    lead = by_quote["Steps:"]
    assert first.block == second.block == lead.block + 1
    assert lead.leads and not first.leads


def test_chinese_lines_are_joined_without_a_blank() -> None:
    assert quotes("特休可以遞延到\n次年三月底。病假另計。") == [
        "特休可以遞延到次年三月底。",
        "病假另計。",
    ]
    assert quotes("（一）病假三十天\n（二）婚假八天\n- 事假十四天") == [
        "病假三十天",
        "婚假八天",
        "事假十四天",
    ]


def test_a_short_line_on_its_own_is_a_title_in_plain_text() -> None:
    text = "MEETING ROOMS\n\nHowth seats six.\n\nParking\n\nNone"
    assert [(unit.heading, unit.quote) for unit in split_units(text)] == [
        ("MEETING ROOMS", "Howth seats six."),
        ("Parking", "None"),
    ]


def test_an_open_code_span_is_never_quoted() -> None:
    # The marker behind it would be code, and no marker.
    assert quotes("Call `close. Then leave.") == ["Then leave."]


def test_a_row_knows_the_names_of_its_columns() -> None:
    (row,) = [unit for unit in split_units(PAGE) if "Team" in unit.quote]
    assert (row.header, row.named) == ("Plan | Retention:", "Plan: Team | Retention: 90 days")


def test_restructured_text_tables_have_rows_too() -> None:
    rule = "====  ======="
    simple = "\n".join([rule, "Code  Meaning", rule, "401   not known", "403   not allowed", rule])
    assert [unit.named for unit in split_units(simple)] == [
        "Code: 401 | Meaning: not known",
        "Code: 403 | Meaning: not allowed",
    ]
    grid = "+-----+-----+\n| 401 | bad |\n+-----+-----+\n| 403 | no  |\n+-----+-----+"
    assert quotes(grid) == ["401 | bad", "403 | no"]


def test_columns_set_with_blanks_are_a_table() -> None:
    text = "  Room      Seats  Screen\n  Howth     4      one\n  Skerries  6      two"
    assert [unit.named for unit in split_units(text)] == [
        "Room: Howth | Seats: 4 | Screen: one",
        "Room: Skerries | Seats: 6 | Screen: two",
    ]


def test_a_table_without_its_header_keeps_its_cells() -> None:
    assert quotes("| Team | 90 days |") == ["Team | 90 days"]


@given(st.text(alphabet="ab`|-#>*1.。：\n \t[]S", max_size=120))
def test_any_text_splits_into_quotable_lines(content: str) -> None:
    for unit in split_units(content):
        assert unit.quote and "\n" not in unit.quote
        assert unit.quote.count("`") % 2 == 0


def test_a_title_whose_text_the_passage_does_not_hold_is_no_unit() -> None:
    assert quotes("Doors open at 7.\n\nMEETING ROOMS") == ["Doors open at 7."]
    assert quotes("八點開門。\n\n二、會議室") == ["八點開門。"]


def test_a_numbered_title_is_above_what_follows() -> None:
    (unit,) = split_units("二、會議室\n\n  旗津有四個座位。")
    assert (unit.heading, unit.quote) == ("會議室", "旗津有四個座位。")


def test_a_field_list_is_no_text() -> None:
    assert quotes(":Base address: ``x``\n:版本: 2.6\n\nHosts are listed.") == ["Hosts are listed."]


CODE = """load
def load(path):
    # Read once.
    return path.read_text()

LIMIT = 3
"""


def test_a_passage_of_code_gives_excerpts_with_their_own_lines() -> None:
    assert [(unit.kind, unit.code) for unit in split_units(CODE)] == [
        (
            "code",
            "```\ndef load(path):\n    # Read once.\n    return path.read_text()\n```",
        ),
        ("code", "```\nLIMIT = 3\n```"),
    ]
