import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rag.cli import run as run_command

GOOD = '{"status": "answered", "answer": "Backups stay 30 days [s3].", "citations": ["S3"]}'
BAD = '{"status": "answered", "answer": "Backups stay 36 days [S9].", "citations": ["S9"]}'


class Ran:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*arguments: str, stdin: bytes | str = b"") -> Ran:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        code = run_command(["check", *arguments])
        return Ran(code, *capsys.readouterr())

    return call


def test_an_accepted_reply_ends_with_0_and_is_shown(check: Any, tmp_path: Path) -> None:
    file = tmp_path / "reply.txt"
    file.write_text(GOOD, encoding="utf-8")
    for ran in (
        check(str(file), "--markers", "S1,S2,S3"),
        check("--markers", "S1 S2 S3", stdin=GOOD),
        check("-", "--markers", "S3", stdin=GOOD),
    ):
        assert ran.code == 0
        assert "Backups stay 30 days [S3]." in ran.out
        assert "marker_case" in ran.out


def test_a_refused_reply_ends_with_3_and_is_not_shown(check: Any) -> None:
    ran = check("--markers", "S3", stdin=BAD)
    assert ran.code == 3
    assert "unknown_marker" in ran.out
    assert "36 days" not in ran.out


def test_everything_is_told_in_chinese_on_demand(check: Any, tmp_path: Path) -> None:
    sources = tmp_path / "sources.json"
    sources.write_text('{"S1": "備份保留 30 天。"}', encoding="utf-8")
    asked = ("--sources", str(sources), "--language", "zh-Hant")
    good = '{"status": "answered", "answer": "備份保留三十天。【S1】", "citations": ["S1"]}'
    ran = check(*asked, stdin=good)
    assert ran.code == 0
    assert "通過：answered" in ran.out
    assert "S1，第 1 行: 備份保留 30 天" in ran.out
    assert "已在不改變意思下修正：marker_width" in ran.out
    ran = check(*asked, stdin=good.replace("三十", "三十六"))
    assert ran.code == 3
    assert "不通過" in ran.out
    assert "S1 沒有提到「三十六天」，寫的是「30 天」" in ran.out
    assert not [line for line in ran.out.splitlines() if "warning" in line or "line" in line]


def test_json_has_the_shape_of_a_verdict(check: Any) -> None:
    verdict = check("--markers", "S3", "--json", stdin=b"\xef\xbb\xbf" + GOOD.encode()).json
    assert verdict["accept"] is True
    assert verdict["answer"] == "Backups stay 30 days [S3]."
    assert verdict["citations"] == ["S3"]
    assert verdict["repairs"] == ["bom", "marker_case"]
    assert verdict["claims"][0]["verdict"] == "unchecked"
    refused = check("--markers", "S3", "--json", stdin=BAD).json
    assert (refused["accept"], refused["status"], refused["answer"]) == (False, None, None)
    assert refused["citations"] == []
    assert refused["violations"][0]["code"] == "unknown_marker"


def test_bytes_that_are_no_text_are_refused_not_fatal(check: Any) -> None:
    assert check("--markers", "S3", stdin=b"\xff\xfe{\x00").code == 3
    assert check("--markers", "S3", stdin=b"").code == 3


def test_sources_bring_their_markers_and_support(check: Any, tmp_path: Path) -> None:
    file = tmp_path / "sources.json"
    file.write_text(json.dumps({"S3": "Backups stay 30 days."}), encoding="utf-8")
    shown = check("--sources", str(file), stdin=GOOD)
    assert shown.code == 0
    assert "S3, line 1: Backups stay 30 days" in shown.out
    wrong = GOOD.replace("30", "36")
    ran = check("--sources", str(file), "--json", stdin=wrong)
    assert ran.code == 3
    assert [found["code"] for found in ran.json["violations"]] == ["unsupported_claim"]
    warned = check("--sources", str(file), "--support", "warn", stdin=wrong)
    assert warned.code == 0
    assert "warning, unsupported_claim" in warned.out
    assert check("--sources", str(file), "--support", "off", stdin=wrong).code == 0


def test_coverage_decides_about_uncited_sentences(check: Any) -> None:
    raw = GOOD.replace("[s3].", "[S3]. Restores take long.")
    assert check("--markers", "S3", stdin=raw).code == 0
    assert check("--markers", "S3", "--coverage", "strict", stdin=raw).code == 3


def test_messages_come_in_chinese(check: Any) -> None:
    assert "不是這次提供的來源" in check("--markers", "S3", "--language", "zh-Hant", stdin=BAD).out


def test_many_lines_give_many_verdicts(check: Any) -> None:
    rows = [
        {"id": "a", "raw": GOOD, "markers": ["S3"]},
        {"id": 2, "raw": BAD, "markers": ["S3"]},
        {"id": "c", "raw": GOOD, "markers": ["S3"], "finish_reason": "length"},
        {"id": "d", "raw": GOOD, "sources": {"S3": "Backups stay 36 days."}},
        {"id": "e", "raw": GOOD, "markers": ["S3"], "sources": None, "note": "kept out"},
    ]
    lines = "\ufeff" + "\n\n".join(json.dumps(row) for row in rows)
    ran = check("--jsonl", stdin=lines)
    verdicts = [json.loads(line) for line in ran.out.splitlines()]
    assert ran.code == 0
    assert [(verdict["id"], verdict["accept"]) for verdict in verdicts] == [
        ("a", True),
        (2, False),
        ("c", False),
        ("d", False),
        ("e", True),
    ]
    assert check("--jsonl", "--fail", stdin=lines).code == 3
    assert check("--jsonl", "--fail", stdin=json.dumps(rows[0])).code == 0
    assert check("--jsonl", "--markers", "S3", stdin=json.dumps({"raw": GOOD})).code == 0


@pytest.mark.parametrize(
    "line",
    [
        *("{", "[]", '{"id": 1}', '{"raw": 3}', '{"raw": "", "markers": "S1"}'),
        *('{"raw": "", "markers": [1]}', '{"raw": "", "sources": ["x"]}', "[" * 100_000),
    ],
)
def test_a_line_that_is_no_reply_is_named(check: Any, line: str) -> None:
    ran = check("--jsonl", stdin=json.dumps({"raw": GOOD, "markers": ["S3"]}) + "\n" + line)
    assert ran.code == 2
    assert "line 2" in ran.err
    assert len(ran.out.splitlines()) == 1


def test_usage_errors_end_with_2_and_a_hint(check: Any, tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text("nope")
    (tmp_path / "list.json").write_text('["S1"]')
    for arguments in (
        (),
        ("--markers", "one"),
        ("--markers", "S1", str(tmp_path / "absent")),
        ("--sources", str(tmp_path / "absent")),
        ("--sources", str(tmp_path / "no.json")),
        ("--sources", str(tmp_path / "list.json")),
        ("--coverage", "maybe"),
    ):
        ran = check(*arguments, stdin=GOOD)
        assert ran.code == 2
        assert "error:" in ran.err
        assert "hint:" in ran.err


def test_prints_the_schema_of_the_markers(check: Any) -> None:
    answered = check("--schema", "--markers", "S1,S4").json["anyOf"][0]
    assert answered["properties"]["citations"]["items"]["enum"] == ["S1", "S4"]
    assert check("--schema").code == 0


# What a check in another project's CI shall never wait for.
HEAVY = {
    *("chromadb", "tantivy", "langchain_core", "onnxruntime", "markitdown", "numpy", "httpx"),
    *("pydantic_settings", "rag.config", "rag.wire", "rag.flows", "rag.stores"),
}


@pytest.mark.parametrize(
    ("arguments", "also_spared"),
    [
        (["--schema"], {"rag.core.support", "opencc", "rich"}),
        (["--markers", "S3", "--json"], {"rag.core.support", "opencc", "rich"}),
        (["--sources", "{sources}", "--json"], {"opencc", "rich"}),
        (["--sources", "{sources}"], {"opencc"}),
    ],
)
def test_loads_only_what_the_check_needs(
    arguments: list[str], also_spared: set[str], tmp_path: Path
) -> None:
    sources = tmp_path / "sources.json"
    sources.write_text('{"S3": "Backups stay 30 days."}', encoding="utf-8")
    given = ["check", *(word.format(sources=sources) for word in arguments)]
    code = (
        f"import sys; from rag.cli import run; code = run({given!r});"
        f"loaded = {HEAVY | also_spared!r} & set(sys.modules);"
        "sys.exit(f'loaded: {loaded}' if loaded else code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=GOOD, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_reads_no_other_packages_metadata() -> None:
    code = (
        "import importlib.metadata, sys\n"
        "def fail(*_, **__): sys.exit('looked for plugins')\n"
        "importlib.metadata.distributions = fail\n"
        "from rag.cli import run; sys.exit(run(['check', '--schema']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
