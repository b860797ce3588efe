"""What holds for every reply: a permutation or a reason, and noise that changes nothing."""

import json
from typing import Literal

from hypothesis import example, given
from hypothesis import strategies as st

from rag.core.ranking import parse_ranking
from rag.domain.ranking import Ranking

# Pieces that parsers stumble over, so that random replies are not all prose.
_PIECES = st.one_of(
    st.sampled_from(["[", "]", "{", "}", "(", ")", "【", "】", ",", "，", ":", '"', "'", "“", "”"]),
    st.sampled_from(["\\", '\\"', "`", "```json\n", "```", "<think>", "</think>", "<|im_end|>"]),
    st.sampled_from(["0", "1", "2", "-1", "−1", "1.0", "1e400", "9" * 5000, "²", "②", "½", "二"]),
    st.sampled_from(['"id"', '"score"', "0.5", '"reason"', "ranking", "true", "null", "NaN"]),
    st.sampled_from(
        ["...", "…", "//", "/*", "# ", ">", "- ", "1. ", "\n", " ", "\u200b", "\ufeff"]
    ),
    st.sampled_from(
        ["\ud800", "&gt;", "<|channel|>final<|message|>", "Ranked JSON Array:", "word"]
    ),
)
hostile = st.one_of(st.text(max_size=60), st.lists(_PIECES, max_size=40).map("".join))
modes: st.SearchStrategy[Literal["ids", "scored"]] = st.sampled_from(["ids", "scored"])


def assert_sound(ranking: Ranking, n: int) -> None:
    assert sorted(ranking.order) == list(range(n))
    assert ranking.accept == (ranking.reason is None)
    assert ranking.order[: len(ranking.kept)] == ranking.kept
    if not ranking.accept:
        assert ranking.order == tuple(range(n))
        assert (ranking.kept, ranking.scores, ranking.reasons) == ((), None, {})
    if ranking.accept:
        assert ranking.counts.missing == n - len(ranking.kept)
    for _, score in ranking.scores or ():
        assert score is None or 0 <= score <= 1


@given(hostile, st.integers(0, 30), modes)
@example("[" * 30_000, 5, "ids")
@example("[{" * 20_000, 5, "scored")
@example('{"a":' * 20_000, 5, "ids")
@example('["' + '\\"' * 20_000, 5, "ids")
@example("=" * 50_000, 5, "ids")
@example("[" + "1e999999999, " * 5000, 5, "ids")
@example('{"ranking": "{\'ranking\': ' * 3000, 5, "ids")
def test_any_reply_gives_a_permutation_or_a_reason(
    reply: str, n: int, mode: Literal["ids", "scored"]
) -> None:
    assert_sound(parse_ranking(reply, n, mode), n)


_prose = st.text(
    alphabet=st.characters(
        blacklist_categories=("Cs",), blacklist_characters="[]{}［］｛｝【】〔〕〖〗⟦⟧<"
    ),
    max_size=60,
)
_thoughts = st.lists(_PIECES.filter(lambda piece: "<" not in piece), max_size=10).map(
    lambda pieces: f"<think>{''.join(pieces)}</think>"
)
_fences = st.sampled_from(["```", "```json", "~~~", "**", "<|im_end|>", "</s>", "<answer>"])
noise = st.lists(st.one_of(_prose, _thoughts, _fences), max_size=3).map("\n".join)


@given(st.integers(2, 12).flatmap(lambda n: st.permutations(range(n))), noise, noise)
def test_noise_around_a_clean_reply_does_not_change_its_order(
    order: list[int], before: str, after: str
) -> None:
    clean = parse_ranking(json.dumps(order), len(order))
    noisy = parse_ranking(f"{before}\n{json.dumps(order)}\n{after}", len(order))
    assert clean.order == tuple(order)
    assert clean.clean
    assert noisy.order == clean.order


@given(st.integers(1, 12).flatmap(lambda n: st.permutations(range(n))))
def test_only_the_form_that_was_asked_for_is_clean(order: list[int]) -> None:
    n = len(order)
    array, wrapped = json.dumps(order), json.dumps({"ranking": order})
    assert parse_ranking(array, n, form="array").clean
    assert parse_ranking(wrapped, n, form="object").clean
    assert not parse_ranking(array, n, form="object").clean
    assert not parse_ranking(wrapped, n, form="array").clean
    assert parse_ranking(wrapped, n).order == parse_ranking(array, n).order == tuple(order)


@given(st.lists(st.integers(-3, 15), min_size=1, max_size=20), st.integers(1, 10))
def test_nothing_is_dropped_uncounted(ids: list[int], n: int) -> None:
    ranking = parse_ranking(json.dumps(ids), n)
    if not ranking.accept:
        return
    counts = ranking.counts
    assert counts.invalid == 0
    assert len(ids) == len(ranking.kept) + counts.out_of_range + counts.duplicates
    assert ranking.kept == tuple(dict.fromkeys(i for i in ids if 0 <= i < n))


@given(
    st.integers(2, 8).flatmap(
        lambda n: st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=n, max_size=n)
    )
)
def test_scores_decide_and_ties_keep_the_first_stage(scores: list[float | None]) -> None:
    n = len(scores)
    rows = [{"id": i, "score": score, "reason": f"because {i}"} for i, score in enumerate(scores)]
    ranking = parse_ranking(json.dumps(rows[::-1]), n, "scored")
    if len(set(scores)) == 1:
        assert ranking.reason == "uninformative_scores"
        return
    scored = [i for i in range(n) if scores[i] is not None]
    unscored = [i for i in range(n) if scores[i] is None]
    expected = sorted(scored, key=lambda i: -(scores[i] or 0)) + unscored
    assert ranking.order == tuple(expected)
    assert ranking.reasons == {i: f"because {i}" for i in range(n)}
