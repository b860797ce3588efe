import pytest

from rag.core.followup import search_query
from rag.domain.models import Turn

LEAVE = Turn(question="How many days of annual leave do employees get?", answer="15 days.[S1]")
特休 = Turn(question="正職員工的特休假有幾天？", answer="10 天。[S1]")


@pytest.mark.parametrize(
    ("question", "turn"),
    [
        ("And for contractors?", LEAVE),
        ("Does it carry over?", LEAVE),
        ("Why?", LEAVE),
        ("Who approves that?", LEAVE),
        ("What happens after that?", LEAVE),
        ("那約聘人員呢？", 特休),
        ("約聘人員呢？", 特休),
        ("它可以遞延嗎？", 特休),
        ("那约聘人员呢？", 特休),
    ],
)
def test_a_follow_up_is_searched_with_the_subject_it_leans_on(question: str, turn: Turn) -> None:
    assert search_query(question, [turn]) == f"{turn.question} {question}"


@pytest.mark.parametrize(
    "question",
    [
        "How long are nightly database backups kept?",
        "What meeting rooms are there in Dublin?",
        "Who is the CEO of Tidewell?",
        "What is the code that comes with a locked account?",
        "資料庫每日備份的保留期限是多久？",
    ],
)
def test_a_question_that_stands_alone_is_searched_as_it_is(question: str) -> None:
    assert search_query(question, [LEAVE, 特休]) == question


def test_a_chain_of_follow_ups_reaches_back_to_its_opening() -> None:
    chain = [LEAVE, Turn(question="And for contractors?", answer="None.[S1]")]
    assert search_query("And in their first year?", chain) == (
        "How many days of annual leave do employees get? And for contractors? "
        "And in their first year?"
    )


def test_the_first_question_is_never_rewritten() -> None:
    assert search_query("And for contractors?", []) == "And for contractors?"
