import json
import re

from hypothesis import given
from hypothesis import strategies as st

from rag.core.contract import reply_schema
from rag.llms._ollama.grammar import as_written

TEXTS = st.lists(
    st.sampled_from(
        ["[S1]", "[S2]", "[S", "[", "]", '"', "\\", "\n", "\t", ".", "。", " ", "S1", "天", "a"]
    )
).map("".join)


def pattern(schema: dict[str, object]) -> str:
    answered = schema["anyOf"][0]  # type: ignore[index]
    return answered["properties"]["answer"]["pattern"]  # type: ignore[no-any-return]


@given(TEXTS)
def test_a_pattern_allows_the_written_form_of_just_the_texts_it_allows(text: str) -> None:
    schema = reply_schema(["S1"])
    written = json.dumps(text, ensure_ascii=False)[1:-1]
    allowed = re.search(pattern(schema), text) is not None
    assert (re.search(pattern(as_written(schema)), written) is not None) is allowed


@given(st.text(st.sampled_from('[]S1"\\\n\x00a.'), max_size=12))
def test_what_a_pattern_allows_as_written_is_the_inside_of_a_json_string(written: str) -> None:
    if re.fullmatch(pattern(as_written(reply_schema(["S1"]))), written):
        json.loads(f'"{written}"')


def test_everything_but_patterns_stays_as_it_is() -> None:
    schema = {
        "properties": {"pattern": {"type": "string"}, "b": {"pattern": "^[^x]$"}},
        "required": ["pattern"],
    }
    assert as_written(schema) == schema | {
        "properties": {
            "pattern": {"type": "string"},
            "b": {"pattern": r'^([^x"\\\x00-\x1F]|\\["\\/bfnrt])$'},
        }
    }
