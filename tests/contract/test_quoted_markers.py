"""A document may speak of `[S1]`: a quotation of it is borne out, for all that a marker is not."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag.core.contract import judge
from rag.core.rewrite import SIGN, protect
from rag.core.sentences import split_sentences
from rag.domain.answer import SourceText

MARKER_LIKE = st.sampled_from(
    [
        "[S1]",
        "[S2]",
        "[s1]",
        "【S1】",
        "［Ｓ１］",
        "[S1, S2]",
        "[S1-S3]",
        "[[S1]]",
        "[^S1]",
        "\\[S1\\]",
    ]
)
WORDS = st.sampled_from(
    [
        "The field",
        "holds",
        "30 days",
        "not",
        "備份",
        "三十天",
        "不得外借",
        SIGN,
        "`code`",
        "<s>",
        "(a)",
    ]
)
SENTENCES = st.lists(MARKER_LIKE | WORDS, min_size=1, max_size=8).map(" ".join)


@given(st.lists(SENTENCES, min_size=1, max_size=4), st.sampled_from([". ", "。", "\n\n"]))
@example(["Write [S1] behind it"], ". ")
def test_a_sentence_of_the_models_copy_is_supported(pieces: list[str], end: str) -> None:
    text = end.join(pieces) + end.strip()
    sources = [SourceText(marker="S1", text="Something else."), SourceText(marker="S2", text=text)]
    for start, stop in split_sentences(text):
        answer = f"x. {protect(text[start:stop])} [S2]"
        raw = json.dumps({"status": "answered", "answer": answer, "citations": ["S2"]})
        verdict = judge(raw, ("S1", "S2"), sources)
        assert verdict.accept, (answer, verdict.violations)
        cited = [claim for claim in verdict.claims if claim.markers]
        assert [(claim.markers, claim.verdict) for claim in cited] == [(("S2",), "supported")]


@pytest.mark.parametrize(("quoted", "verdict"), [("[S1]", "supported"), ("[S3]", "unsupported")])
def test_the_literal_text_is_compared_like_any_other(quoted: str, verdict: str) -> None:
    source = SourceText(marker="S1", text='Write "[S1]" behind a sentence, never "[S2]".')
    answer = f'Write "{protect(quoted)}" behind a sentence [S1].'
    raw = json.dumps({"status": "answered", "answer": answer, "citations": ["S1"]})
    (claim,) = judge(raw, ("S1",), [source]).claims
    assert claim.verdict == verdict
