"""Kinds of replies beyond the case file: each with the one right reading, or none."""

import pytest

from rag.core.ranking import parse_ranking

# What is read, for five candidates.
READ: dict[str, list[int]] = {
    # Around the list.
    "Ranked JSON Array: [2, 0]\n\nQuery: another\nRanked JSON Array: [4, 3, 1]": [2, 0],
    "Example: [1, 0]\nRanked JSON Array: [3, 2, 0]": [3, 2, 0],
    "~~~\n[2, 0, 1]\n~~~": [2, 0, 1],
    "$[2, 0, 1]$": [2, 0, 1],
    "> [2, 0, 1]": [2, 0, 1],
    "\\[2, 0, 1\\]": [2, 0, 1],
    '"[2, 0, 1]"': [2, 0, 1],
    "ranked = sorted([2, 0, 1])": [2, 0, 1],
    "[note: the ranking is [2, 0, 1]]": [2, 0, 1],
    "[ [2, 0, 1]": [2, 0, 1],
    "[2, 0, 1]]": [2, 0, 1],
    "{see [2, 0, 1]}": [2, 0, 1],
    "[[2, 0], as said]": [2, 0],
    '{"a": 1] {"ranking": [2, 0]}': [2, 0],
    '{"ranking": [2, 0] ) }': [2, 0],
    '{, "ranking": [2, 0]}': [2, 0],
    "{ranking: [2, 0], note: fine (mostly) so}": [2, 0],
    "Best: [3]": [3],
    "Sure:\n[3]": [3],
    # Reasoning.
    "<|channel|>analysis<|message|>[0, 1]<|end|><|channel|>final<|message|>[2, 0]": [2, 0],
    "<|channel|>final<|message|>[2, 0]": [2, 0],
    "[2, 0, 1]\n</think>\nDone.": [2, 0, 1],
    "[THINK]0, 1[/THINK][2, 0]": [2, 0],
    "◁think▷[0, 1]◁/think▷[2, 0]": [2, 0],
    "compare [0, 1 with 3\n</think>\n[2, 0]": [2, 0],
    # Ids.
    '["\\u0032", 0]': [2, 0],
    "[2️⃣, 0️⃣]": [2, 0],
    "[2., 0.]": [2, 0],
    "[½, 2]": [2],
    "[–2, 1, －3, ＋0]": [1, 0],
    "[⑵, ⒈]": [2, 1],
    '[{"document": 2}, {"chunk_id": "0"}]': [2, 0],
    "[0x2, 1]": [1],
    "[90%, 1]": [1],
    "[10², 1]": [1],
    "[1.5e1, 1]": [1],
    "[1e999999999, 1]": [1],
    f"[1.{'0' * 200}, 2]": [2],
    f"[{'²' * 200}, 2]": [2],
    "[null, 2, undefined]": [2],
    "[02, 00]": [2, 0],
    '["2.0", "0"]': [0],
    '["\\x", "0"]': [0],
    '["2", "...", "1"]': [2],
    '[2, "see [1]", 0]': [2, 0],
    # Broken lists.
    "[2, 0, 1\nThat is it.": [2, 0, 1],
    "[2, 0, 1)": [2, 0, 1],
    "[2, 0, 1}": [2, 0, 1],
    "```json\n[2, 0, 1\n```": [2, 0, 1],
    '["2", "0", "1': [2, 0],
    "[2, // best\n 0, /* then */ 1 # last\n]": [2, 0, 1],
    "[`2`, `0`]": [2, 0],
    "[2,,0]": [2, 0],
    '[\\"2\\", \\"0\\"]': [2, 0],
    "[&quot;2&quot;, &quot;0&quot;]": [2, 0],
    # Without a list's brackets.
    "(2, 0, 1)": [2, 0, 1],
    "2 > 0 > 1": [2, 0, 1],
    "The order is [2] > [0] > [1].": [2, 0, 1],
    "1. 2\n2. 0\n3. 1": [2, 0, 1],
    "1) [2]\n2) [0]": [2, 0],
    "- 2\n- 0": [2, 0],
    "[2][0][1]": [2, 0, 1],
    "排序：2、0、1": [2, 0, 1],
    "ranking:\n- 2\n- 0": [2, 0],
    # Objects.
    '{"result": {"ranking": [2, 0]}}': [2, 0],
    '{"thinking": "x", "answer": {"order": [2, 0]}}': [2, 0],
    '{"sorted_list": [2, 0]}': [2, 0],
    '{"outer": {"inner": [2, 0]}}': [2, 0],
    '{"ranking": [2, 0, 1': [2, 0, 1],
    '{"ranking": [2, 0, 1}': [2, 0, 1],
    '{"ranking": "2, 0, 1"}': [2, 0, 1],
    '{"ranking": "none", "ids": [2, 0]}': [2, 0],
    '{"candidates": [0, 1, 2, 3, 4], "ranking": [3, 1]}': [3, 1],
    'Compare [0, 1, 2]: {"ranking": [4, 3]}': [4, 3],
    '{"ranking": [2, 0] "note": "x"}': [2, 0],
    "{ranking: [2, 0], note: not sure, at: , all: 5}": [2, 0],
    '{"id": 2}\n{"id": 0}': [2, 0],
    '[{"id": "2"}, {"passage_id": 0}, {"id": {"id": 1}}]': [2, 0],
    '[{"id": 2], [{"id": 0}]': [0],
    "[Ⅱ, 0]": [0],
    '[{"id": 2, {"id": 1}}, {"id": 0}]': [0],
    '[{(: 2, "a" [1] "b"}, {"id": 0}]': [0],
    # Several lists.
    "The ids [0, 1, 2, 3, 4] ranked: [4, 2]": [4, 2],
    "a [1, 2] b [3, 4]": [3, 4],
    '{"ranking": [2, 0]} {"ranking": [1, 0, 2]}': [2, 0],
    "[Error] then [2, 0]": [2, 0],
    "[77] [2, 0, 1]": [2, 0, 1],
}

REFUSED: dict[str, str] = {
    "<think>[0, 1, 2] maybe": "no_array",
    "<|channel|>analysis<|message|>[0, 1]": "no_array",
    "null": "no_array",
    "2": "no_array",
    "0-4": "no_array",
    "[0..4]": "no_array",
    "[0, 1...4]": "no_array",
    "[0–4]": "no_array",
    "[2/5]": "no_array",
    "[2: 0.9, 0: 0.5]": "no_array",
    "[) 2, 0]": "no_array",
    "[#2, #0]": "no_array",
    "[2, two, 1]": "no_array",
    "(see 2) and [(2), (0)]": "no_array",
    "答案是 2、0、1。": "no_array",
    "The best is passage [3].": "no_array",
    "[2](http://localhost)": "no_array",
    "1. Document 2\n2. Document 0": "no_array",
    "1. 2\n3. 0": "no_array",
    "1.\n2.\n3.": "no_array",
    "[2] 0.9\n[0] 0.7": "no_array",
    '{"id": 2}': "no_array",
    '{"ranking": 2}': "no_array",
    '{"a": [2, 0], "b": [1]}': "no_array",
    '{"relevant": [2, 0], "irrelevant": [1, 3, 4]}': "no_array",
    '{"type": "object", "properties": {"ranking": {"enum": [0, 1, 2, 3, 4]}}}': "no_array",
    '{"a": {"a": {"a": {"a": {"a": {"ranking": [2, 0]}}}}}}': "no_array",
    '{"ranking": {"ranking": {"ranking": {"ranking": {"ranking": {"ids": [2]}}}}}}': "no_array",
    '{"a" [2': "no_array",
    "[...]": "no_valid_ids",
    "[9999]": "no_valid_ids",
    "[[2], [0], [1]]": "no_valid_ids",
    '[{"rank": 1, "title": "x"}]': "no_valid_ids",
    '["2': "no_valid_ids",
    "\u200b\ufeff \n": "empty",
    "Nothing fits: []": "empty_array",
    "[1, 2, 3, 5, 4]": "one_based",
}


@pytest.mark.parametrize("reply", READ)
def test_reads_what_can_only_mean_one_thing(reply: str) -> None:
    ranking = parse_ranking(reply, 5)
    assert list(ranking.kept) == READ[reply]
    assert not ranking.clean


@pytest.mark.parametrize("reply", REFUSED)
def test_guesses_nothing(reply: str) -> None:
    ranking = parse_ranking(reply, 5)
    assert ranking.reason == REFUSED[reply]
    assert ranking.order == (0, 1, 2, 3, 4)


@pytest.mark.parametrize(
    ("reply", "n", "kept"),
    [
        ("[5, 2, 1", 12, [5, 2]),
        ("[5, 2, 1,", 12, [5, 2, 1]),
        ("[5, 2, 1 ", 12, [5, 2, 1]),
        ("[5, 2, 11", 12, [5, 2, 11]),
        ("[5, 2, 11", 111, [5, 2]),
        ("[5, 2, 1.", 12, [5, 2]),
    ],
)
def test_a_cut_off_number_counts_only_when_no_id_goes_on_from_it(
    reply: str, n: int, kept: list[int]
) -> None:
    assert list(parse_ranking(reply, n).kept) == kept


def test_counts_what_is_dropped() -> None:
    counts = parse_ranking('[2, 2, "2", 9, -1, true, null, [0], {"x": 1}, 0.5]', 5).counts
    assert counts.model_dump() == {
        "duplicates": 2,
        "out_of_range": 2,
        "invalid": 5,
        "missing": 4,
    }


def test_what_stands_behind_dots_is_counted_too() -> None:
    assert parse_ranking("[3, 0, ..., 5, 4]", 6).counts.invalid == 3


def test_reads_no_further_than_a_reply_can_reach() -> None:
    ranking = parse_ranking("[" + "1, " * 40_000 + "2]", 5)
    assert ranking.kept == (1,)
    assert ranking.counts.duplicates < 10_000


@pytest.mark.parametrize("n", [0, 1])
def test_nothing_to_order_is_an_order_too(n: int) -> None:
    assert parse_ranking("[0]", n).order == tuple(range(n))


def test_one_kept_of_one_is_clean() -> None:
    assert parse_ranking("[0]", 1).clean


# Scored ------------------------------------------------------------------------------------------

SCORED: dict[str, list[tuple[int, float | None]]] = {
    '[{"id": 0, "score": 0.9, "reason": "says "yes" here"}, {"id": 2, "score": 0.95}]': [
        (2, 0.95),
        (0, 0.9),
    ],
    "[{'id': 0, 'score': 0.4, 'reason': 'it's good'}, {'id': 2, 'score': 0.9}]": [
        (2, 0.9),
        (0, 0.4),
    ],
    '[{"id": 2, "score": true}, {"id": 0, "score": 0.5}]': [(0, 0.5), (2, None)],
    '[{"id": 2, "score": "high"}, {"id": 0, "score": 0.5}]': [(0, 0.5), (2, None)],
    '[{"id": 2, "score": "1_0"}, {"id": 0, "score": 0.5}]': [(0, 0.5), (2, None)],
    '[{"id": 2, "score": NaN}, {"id": 0, "score": 1e-1}]': [(0, 0.1), (2, None)],
    '[{"id": 2, "score": -0.1}, {"id": 0, "score": 0.5}]': [(0, 0.5), (2, None)],
    '[{"id": 2, "score": 0.9}, 1, {"id": 0, "score": 0.5}]': [(2, 0.9), (0, 0.5), (1, None)],
    '{"id": 0, "score": 0.4}\n{"id": 2, "score": 0.95}': [(2, 0.95), (0, 0.4)],
}


@pytest.mark.parametrize("reply", SCORED)
def test_reads_scores(reply: str) -> None:
    ranking = parse_ranking(reply, 3, "scored")
    assert list(ranking.scores or ()) == SCORED[reply]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("[2, 0, 1]", "uninformative_scores"),
        (
            '[{"id":2,"score":95},{"id":0,"score":80},{"id":1,"score":10}]',
            "uninformative_scores",
        ),
        ('[{"id":2,"score":0.7},{"id":0,"score":0.7}]', "uninformative_scores"),
        ('{"2": 0.9, "0": 0.4}', "no_array"),
        ("[[2, 0.9], [0, 0.4]]", "no_valid_ids"),
        (
            '[{"id":3,"score":0.5},{"id":1,"score":0.4},{"id":2,"score":0.1}]',
            "one_based",
        ),
    ],
)
def test_makes_up_no_score(reply: str, reason: str) -> None:
    ranking = parse_ranking(reply, 3, "scored")
    assert (ranking.accept, ranking.reason, ranking.scores) == (False, reason, None)


FULL = '[{"id": 0, "score": 0.1}, {"id": 1, "score": 0.2}]'


def test_scores_are_clean_in_the_form_asked_for() -> None:
    assert parse_ranking(FULL, 2, "scored").clean
    assert not parse_ranking(FULL, 2, "scored", "object").clean
    assert parse_ranking(f'{{"ranking": {FULL}}}', 2, "scored", "object").clean
    assert not parse_ranking(f'{{"ranking": {FULL}, "note": 1}}', 2, "scored", "object").clean


@pytest.mark.parametrize(
    "reply",
    [
        FULL + " done",
        FULL.replace("0.2", "7"),
        FULL.replace("0.2", '"0.2"'),
        FULL.replace('"id": 1', '"id": "1"'),
        "[" * 5000 + FULL,
    ],
)
def test_scores_in_any_other_form_are_not_clean(reply: str) -> None:
    assert not parse_ranking(reply, 2, "scored").clean
