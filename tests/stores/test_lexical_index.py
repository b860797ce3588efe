"""The lexical index: every script found, nothing parsed, nothing found without a shared term."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.core.analyzer import analyze
from rag.domain.documents import Chunk, Language
from rag.domain.errors import IndexUnusable
from rag.domain.retrieval import Filter
from rag.stores.lexical import LexicalIndex

EVERYTHING = Filter()


def chunk(path: str, text: str, language: Language = "en", **more: str) -> Chunk:
    return Chunk(
        chunk_id=f"{path}#{text[:20]}",
        path=path,
        ordinal=0,
        start=0,
        end=len(text),
        start_line=1,
        end_line=1,
        text=text,
        language=language,
        title=more.get("title", ""),
        context=more.get("context", ""),
    )


ZH = "部門報銷上限為五百元，申請X1級門禁卡需主管批准。"
NOISE = (
    chunk("en.md", "Employees travel by train whenever that is possible."),
    chunk("cafe.md", "食堂每天中午十二點開門，週末休息。", "zh-Hant"),
    chunk("leave.md", "年假需提前兩週申請。", "zh-Hant"),
)


@pytest.fixture
def index(tmp_path: Path) -> LexicalIndex:
    return LexicalIndex.open(tmp_path)


def paths(index: LexicalIndex, query: str, filter: Filter = EVERYTHING) -> list[str]:
    return [hit.chunk_id.split("#")[0] for hit in index.search(query, 10, filter)]


@pytest.mark.parametrize(
    "query",
    [
        *("報銷上限", "X1", "門禁卡", "上限是多少"),  # B26
        *("報銷", "上限", "卡", "報銷 X1"),  # B27
        *("报销上限", "门禁卡"),
    ],
)
def test_a_chinese_sentence_is_found_by_its_words(index: LexicalIndex, query: str) -> None:
    index.rebuild([*NOISE, chunk("zh.md", ZH, "zh-Hant")])
    assert paths(index, query)[0] == "zh.md"


@pytest.mark.parametrize(
    "query",
    [
        *("don't wait", "plan-b", '"half quote', "C++ OR", "", "   ", "owner:me", "v20.04?"),  # B24
        *("NEAR(a b)", "x*", "NULL", "????"),  # B24
        *("text:train", "train AND NOT travel", "+train -travel", "train~2^3", "[a TO b]"),
        *("/regex/", "\\", "(((", "\x00"),
    ],
)
def test_a_question_is_never_syntax(index: LexicalIndex, query: str) -> None:
    index.rebuild(NOISE)
    hits = index.search(query, 10, EVERYTHING)
    terms = set(analyze(query))
    for hit in hits:
        path = hit.chunk_id.split("#")[0]
        found = next(chunk for chunk in NOISE if chunk.path == path)
        assert terms & {*analyze(found.text), *analyze(found.path)}


@settings(max_examples=200, deadline=None)
@given(query=st.text(max_size=60))
def test_any_text_is_a_query(shared_index: LexicalIndex, query: str) -> None:
    assert isinstance(shared_index.search(query, 5, EVERYTHING), list)


@pytest.fixture(scope="module")
def shared_index(tmp_path_factory: pytest.TempPathFactory) -> LexicalIndex:
    made = LexicalIndex.open(tmp_path_factory.mktemp("lexical"))
    made.rebuild(NOISE)
    return made


def test_words_that_no_passage_has_find_nothing(index: LexicalIndex) -> None:  # B25
    assert_empty = ("zebra", "斑馬")
    index.rebuild(())
    assert index.search("train", 5, EVERYTHING) == []
    index.rebuild([chunk("a.md", "Only here: train."), chunk("b.md", "Nothing of the kind.")])
    assert [paths(index, query) for query in assert_empty] == [[], []]
    hits = index.search("train", 1000, EVERYTHING)
    assert [hit.chunk_id.split("#")[0] for hit in hits] == ["a.md"]
    assert hits[0].score > 0


def test_a_term_weighs_more_the_fewer_passages_hold_it(index: LexicalIndex) -> None:
    index.rebuild([*NOISE, chunk("more.md", "Employees wait for the bus.")])
    weights = index.rarity("employees by train or zyzzyva")
    assert 0 < weights["employee"] < weights["train"] < weights["zyzzyva"]
    assert set(weights) == {*analyze("employees by train or zyzzyva")}
    assert index.rarity("?") == {}


def test_a_better_match_scores_higher(index: LexicalIndex) -> None:
    index.rebuild(
        [chunk("one.md", "The train is late."), chunk("both.md", "The night train is late.")]
    )
    hits = index.search("night train", 10, EVERYTHING)
    assert [hit.chunk_id.split("#")[0] for hit in hits] == ["both.md", "one.md"]
    assert hits[0].score > hits[1].score


def test_titles_headings_and_names_are_searched(index: LexicalIndex) -> None:
    index.rebuild(
        [
            chunk("guide/vpn-setup.md", "Click here."),
            chunk("b.md", "Click there.", title="Holidays"),
            chunk("c.md", "Click nowhere.", context="Reimbursement > Limits"),
        ]
    )
    assert paths(index, "vpn") == ["guide/vpn-setup.md"]
    assert paths(index, "holidays") == ["b.md"]
    assert paths(index, "limits") == ["c.md"]


def test_filters_keep_paths_and_languages(index: LexicalIndex) -> None:
    index.rebuild(
        [
            chunk("hr/leave.md", "Leave policy."),
            chunk("it/leave.md", "Leave the room."),
            chunk("it/deep/leave.md", "離開 leave", "zh-Hant"),
        ]
    )
    assert set(paths(index, "leave")) == {"hr/leave.md", "it/leave.md", "it/deep/leave.md"}
    assert paths(index, "leave", Filter(paths=("hr/*",))) == ["hr/leave.md"]
    assert set(paths(index, "leave", Filter(paths=("it",)))) == {"it/leave.md", "it/deep/leave.md"}
    assert paths(index, "leave", Filter(languages=("zh-Hant",))) == ["it/deep/leave.md"]
    assert paths(index, "leave", Filter(paths=("nowhere/*",))) == []
    assert paths(index, "leave", Filter(paths=("hr/*",), languages=("zh-Hant",))) == []


def test_a_filter_does_not_change_scores(index: LexicalIndex) -> None:
    index.rebuild([chunk("a.md", "Night train."), chunk("b.md", "Train.")])
    plain = {hit.chunk_id: hit.score for hit in index.search("train", 10, EVERYTHING)}
    for hit in index.search("train", 10, Filter(paths=("a.md",), languages=("en",))):
        assert hit.score == pytest.approx(plain[hit.chunk_id])


def test_replacing_a_document_touches_no_other(index: LexicalIndex) -> None:
    index.rebuild([chunk("a.md", "Old alpha."), chunk("a.md.md", "Old beta.")])
    index.replace(["a.md"], [chunk("a.md", "New alpha.")])
    assert set(paths(index, "old")) == {"a.md.md"}
    assert paths(index, "new") == ["a.md"]
    assert index.count() == 2


def test_a_failed_write_leaves_what_was_there(index: LexicalIndex) -> None:
    index.rebuild([chunk("a.md", "Alpha.")])

    def broken() -> object:
        yield chunk("b.md", "Beta.")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.replace(["a.md"], broken())  # type: ignore[arg-type]
    assert paths(index, "alpha") == ["a.md"]
    assert paths(index, "beta") == []


def test_a_reader_sees_the_writers_commits(index: LexicalIndex, tmp_path: Path) -> None:
    index.rebuild([chunk("a.md", "Alpha.")])
    reader = LexicalIndex.open(tmp_path)
    assert paths(reader, "beta") == []
    index.replace(["b.md"], [chunk("b.md", "Beta.")])
    assert paths(reader, "beta") == ["b.md"]


def test_a_missing_index_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusable) as refusal:
        LexicalIndex.open(tmp_path).search("x", 5, EVERYTHING)
    assert "rag index" in (refusal.value.hint or "")


def test_a_page_pasted_as_a_question_is_a_question(index: LexicalIndex) -> None:
    index.rebuild(NOISE)
    page = " ".join(f"word{n}" for n in range(20_000)) + " train"
    assert isinstance(index.search(page, 10, EVERYTHING), list)
