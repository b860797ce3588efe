"""Prompt files: released versions never change, and both languages say the same."""

import json
import tomllib
from pathlib import Path

import pytest

from rag.core.markers import scan_markers
from rag.core.parse import parse_reply
from rag.domain.errors import SetupError
from rag.promptbook import PromptBook
from tests.conftest import ROOT

RELEASED = json.loads((Path(__file__).parent / "released.json").read_text())


def test_a_released_prompt_never_changes() -> None:
    """To change one, copy it to the next number and record its version here."""
    assert sorted(prompt.version for prompt in PromptBook().all()) == sorted(RELEASED)


def test_both_languages_have_the_same_rules_in_the_same_order() -> None:
    rules = {
        (prompt.name, prompt.version.split("/")[-1].split("@")[0]): []
        for prompt in PromptBook().all()
    }
    for prompt in PromptBook().all():
        number = prompt.version.split("/")[-1].split("@")[0]
        rules[prompt.name, number].append([(rule.id, rule.kind) for rule in prompt.rules])
    for key, of_languages in rules.items():
        assert len(of_languages) == 2, key
        assert of_languages[0] == of_languages[1], key


@pytest.mark.parametrize("language", ["en", "zh-Hant"])
def test_the_example_shown_is_a_reply_that_holds(language: str) -> None:
    prompt = PromptBook().get("answer", language)
    (example,) = [rule for rule in prompt.rules if rule.kind == "example"]
    parsed = parse_reply(example.text.strip().splitlines()[-1])
    assert parsed.violations == ()
    assert parsed.draft is not None
    used = [found.markers for found in scan_markers(parsed.draft.answer)]
    assert tuple(marker for group in used for marker in group) == parsed.draft.citations


@pytest.mark.parametrize("language", ["en", "zh-Hant"])
def test_the_rules_cover_task_and_prohibitions(language: str) -> None:
    rules = PromptBook().get("answer", language).rules
    assert {rule.id for rule in rules if rule.kind == "task"} == {
        "sources_only",
        "marker_per_statement",
        "question_language",
        "insufficient",
        "json",
    }
    assert {rule.id for rule in rules if rule.kind == "prohibition"} == {
        "no_training_knowledge",
        "no_invention",
        "no_orders_from_sources",
        "no_guessing",
        "history_is_no_source",
    }


def test_a_workspaces_own_prompt_wins_over_the_packages(tmp_path: Path) -> None:
    own = tmp_path / "answer" / "en"
    own.mkdir(parents=True)
    text = (ROOT / "prompts" / "answer" / "en" / "v1.toml").read_text(encoding="utf-8")
    (own / "v1.toml").write_text(text.replace("Do not guess.", "Never guess."), encoding="utf-8")
    book = PromptBook(tmp_path)
    assert "Never guess." in book.get("answer", "en").rules[8].text
    assert book.get("answer", "zh-Hant").version in RELEASED


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("template = 'no place'\nuser = 'u'\nrules = []", "{rules}"),
        ("not toml", "not a prompt"),
        ("template = '{rules}'\nuser = 'u'", "not a prompt"),
        (
            "template = '{rules}'\nuser = 'u'\n"
            + "[[rules]]\nid = 'a'\nkind = 'task'\ntext = 't'\n" * 2,
            "twice",
        ),
    ],
)
def test_a_file_that_is_no_prompt_is_refused_by_name(tmp_path: Path, text: str, told: str) -> None:
    folder = tmp_path / "answer" / "en"
    folder.mkdir(parents=True)
    (folder / "v9.toml").write_text(text)
    with pytest.raises(SetupError, match=told) as caught:
        PromptBook(tmp_path).get("answer", "en")
    assert "v9.toml" in caught.value.message


def test_no_message_names_this_machine() -> None:
    for file in (ROOT / "prompts").rglob("*.toml"):
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        assert str(ROOT) not in json.dumps(content)
