import pytest

from rag.core.question import Question, absent_names


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is the gRPC port?", ["gRPC"]),
        ("Does Aurora run on Windows Server 2022?", ["Aurora", "Windows", "Server", "2022"]),
        ("Who wrote it? Where is he?", []),
        ("Can I set max_sources to 12?", ["max_sources", "12"]),
        ("怎麼在 Kubernetes 上部署 v2.1？", ["Kubernetes", "v2.1"]),
        ("公司有沒有托兒補助？", []),
    ],
)
def test_names_are_what_a_source_would_contain_as_it_is(question: str, names: list[str]) -> None:
    assert [name.text for name in Question(question).names] == names


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        (
            "What is the difference between annual leave and sick leave?",
            ("annual leave", "sick leave"),
        ),
        ("Compare Redis with Memcached.", ("Redis", "Memcached")),
        ("REST vs gRPC?", ("REST", "gRPC")),
        ("特休和產假有什麼不同？", ("特休", "產假")),
        ("年假与病假的区别是什么？", ("年假", "病假")),
        ("台北和高雄辦公室的月租各是多少？", ("台北", "高雄辦公室")),
        ("How much is it in Dublin and in Taipei?", ("Dublin", "Taipei")),
        ("What is due for all regions and under the rule for Taiwan?", ("all regions", "Taiwan")),
        ("How long are backups kept?", None),
        ("備份和還原由誰負責？", None),
    ],
)
def test_a_comparison_has_two_sides(question: str, sides: tuple[str, str] | None) -> None:
    assert Question(question).sides == sides


@pytest.mark.parametrize(
    "question",
    [
        "Which methods are supported?",
        "List all plans.",
        "What are the steps?",
        "What meeting rooms are there in Dublin?",
        "有哪些方案？",
        "请列出所有端口",
    ],
)
def test_a_question_for_several_things_wants_a_list(question: str) -> None:
    assert Question(question).wants_list


@pytest.mark.parametrize(
    "question", ["How long is it?", "Which status is it?", "為什麼？", "REST vs gRPC?"]
)
def test_other_questions_want_none(question: str) -> None:
    assert not Question(question).wants_list


def test_words_that_only_ask_are_not_what_it_is_about() -> None:
    assert Question("How many backups are there?").terms == Question("Backups").terms
    assert Question("請問備份有幾份？").terms <= Question("備份 份").terms


def test_a_misspelt_or_inflected_name_is_not_absent() -> None:
    asked = Question("Who are Galor and Zeria, the Kubernetes maintainers at port 8080?")
    texts = ["galor and zeira maintain kubernetes"]
    absent = absent_names(asked, texts, same_language=True)
    assert [name.text for name in absent] == ["8080"]


def test_sources_in_another_language_need_only_hold_what_is_the_same_in_both() -> None:
    asked = Question("Does the Finance team use max_sources?")
    (absent,) = absent_names(asked, ["財務部"], same_language=False)
    assert (absent.text, absent.code) == ("max_sources", True)


def test_a_code_with_another_digit_is_another_code() -> None:
    asked = Question("What does QS-AUTH-1011 mean on the 3rd try?")
    absent = absent_names(asked, ["QS-AUTH-1010: third try failed"], same_language=True)
    assert [(name.text, name.code) for name in absent] == [("QS-AUTH-1011", True), ("3rd", False)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which script drains a node?", True),
        ("備份用的指令是什麼？", True),
        ("哪个函数读取设置？", True),
        ("What does error code 78 mean?", False),
        ("備份保留多久？", False),
    ],
)
def test_tells_questions_about_code(question: str, expected: bool) -> None:
    assert Question(question).about_code is expected


def test_identifiers_stand_for_one_thing_only() -> None:
    asked = Question("Does drain-node.sh of Quayside set max_sources or BackupMissing to 12?")
    assert asked.identifiers == {"drain-node.sh", "max_sources", "backupmissing"}


def test_either_chinese_script_finds_the_other() -> None:
    assert not absent_names(Question("API 和 SDK 有什么不同？"), ["api與sdk"], same_language=True)
