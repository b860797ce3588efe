"""Measured quality of answers: what a question set expects against what came out."""

import unicodedata
from collections.abc import Mapping, Sequence

from rag.core.fold import fold_script
from rag.core.reading import without_markers
from rag.domain.answer import Answer
from rag.domain.evaluation import EvalQuery


def score_answer(query: EvalQuery, answer: Answer) -> dict[str, float]:
    """The value, 0..1, of every metric that this question is eligible for.

    `answer_found` and `false_refusal` need an answerable question, `citation_precision` and
    `citation_recall` an answer to one, `supported` and `uncited_share` claims. What a question is
    not eligible for it has no value in: a refusal is not an answer with precision 0.
    """
    answered = answer.status == "answered"
    called = answer.attempts > 0
    scores: dict[str, float] = {}
    if called:
        scores["contract_pass"] = float(answer.status != "rejected")
        scores["contract_first_try"] = float(answer.status != "rejected" and answer.attempts == 1)
        scores["format_clean"] = scores["contract_first_try"] * (not answer.repairs)
    if query.answerable:
        scores["false_refusal"] = float(answer.status == "insufficient")
        if query.answers:
            scores["answer_found"] = float(answered and holds_answer(query, answer.answer or ""))
    if answered and query.relevant and query.answerable:
        cited = {citation.path for citation in answer.citations}
        right = cited & query.relevant.keys()
        scores["citation_precision"] = len(right) / len(cited)
        scores["citation_recall"] = len(right) / len(query.relevant)
    if answered and answer.claims:
        cited_claims = [claim for claim in answer.claims if claim.markers]
        scores["uncited_share"] = 1 - len(cited_claims) / len(answer.claims)
        if cited_claims:
            supported = sum(claim.verdict == "supported" for claim in cited_claims)
            scores["supported"] = supported / len(cited_claims)
    return scores


def refusal_metrics(outcomes: Mapping[str, bool], queries: Sequence[EvalQuery]) -> dict[str, float]:
    """Precision, recall and F1 of saying `insufficient`. `outcomes`: query id to whether it did."""
    refused = [query for query in queries if outcomes[query.id]]
    unanswerable = sum(not query.answerable for query in queries)
    right = sum(not query.answerable for query in refused)
    precision = right / len(refused) if refused else 0.0
    recall = right / unanswerable if unanswerable else 0.0
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return {"refusal_precision": precision, "refusal_recall": recall, "refusal_f1": f1}


def holds_answer(query: EvalQuery, text: str) -> bool:
    """Whether the expected strings stand in `text`, whatever width, case, spacing or script."""
    told = _comparable(without_markers(text))
    found = [_comparable(expected) in told for expected in query.answers]
    return all(found) if query.every_answer else any(found)


def _comparable(text: str) -> str:
    folded = fold_script(unicodedata.normalize("NFKC", text)).casefold()
    return "".join(char for char in folded if not char.isspace() and char not in "`*_")
