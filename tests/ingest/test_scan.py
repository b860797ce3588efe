"""B09 and its kin: the walk ends, stays inside, and says what it left out."""

import os
from pathlib import Path

import pytest

from rag.flows.scan import Scan, in_scope, scan_folder
from tests.ingest.workbench import Workbench


def paths(scan: Scan) -> list[str]:
    return [file.path for file in scan.files]


def skipped(scan: Scan) -> dict[str, str]:
    return {line.path: line.reason for line in scan.skipped}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "k"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "one.md").write_text("Only once.")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "private.md").write_text("Private.")
    return root


def test_a_loop_of_links_ends_and_gives_each_file_once(tree: Path) -> None:
    (tree / "a/b/up").symlink_to("../..")
    (tree / "a/self").symlink_to(".")
    (tree / "again.md").symlink_to("a/one.md")
    for follow in (False, True):
        scan = scan_folder(tree, {".md"}, follow_links=follow)
        assert paths(scan) == ["a/one.md"]
        assert set(skipped(scan)) == {"a/b/up", "a/self", "again.md"}


def test_a_link_out_of_the_folder_is_skipped_with_its_reason(tree: Path) -> None:
    (tree / "host.md").symlink_to(tree.parent / "outside" / "private.md")
    (tree / "folder").symlink_to(tree.parent / "outside")
    scan = scan_folder(tree, {".md"})
    assert paths(scan) == ["a/one.md"]
    assert skipped(scan) == {"host.md": "outside root", "folder": "outside root"}


def test_a_link_out_is_followed_once_when_asked(tree: Path) -> None:
    outside = tree.parent / "outside"
    (tree / "folder").symlink_to(outside)
    (tree / "folder2").symlink_to(outside)
    (outside / "back").symlink_to(tree)
    (outside / "ring").symlink_to(outside)
    (tree / "parent").symlink_to(tree.parent)
    scan = scan_folder(tree, {".md"}, follow_links=True)
    assert paths(scan) == ["a/one.md", "folder/private.md"]


def test_a_dead_link_is_reported(tree: Path) -> None:
    (tree / "dead.md").symlink_to("missing")
    (tree / "ring.md").symlink_to("ring.md")
    scan = scan_folder(tree, {".md"})
    assert paths(scan) == ["a/one.md"]
    assert {*skipped(scan), *(line.path for line in scan.failed)} == {"dead.md", "ring.md"}


def test_a_deep_file_is_found(tree: Path) -> None:
    deep = tree.joinpath(*["d"] * 60)
    deep.mkdir(parents=True)
    (deep / "end.md").write_text("Deep.")
    assert "/".join(["d"] * 60) + "/end.md" in paths(scan_folder(tree, {".md"}))


def test_hidden_and_machine_folders_are_not_knowledge(tree: Path) -> None:
    for name in (".git", ".rag", "node_modules", "__pycache__", ".hidden"):
        (tree / name).mkdir()
        (tree / name / "x.md").write_text("No.")
    (tree / ".dot.md").write_text("No.")
    (tree / "~$one.md").write_text("No.")
    scan = scan_folder(tree, {".md"})
    assert paths(scan) == ["a/one.md"]
    assert scan.skipped == []


def test_other_formats_are_skipped_and_said(tree: Path) -> None:
    (tree / "photo.JPG").touch()
    (tree / "LICENSE").touch()
    (tree / "UPPER.MD").touch()
    scan = scan_folder(tree, {".md"})
    assert paths(scan) == ["UPPER.MD", "a/one.md"]
    assert "jpg" in skipped(scan)["photo.JPG"]
    assert "LICENSE" in skipped(scan)


def test_a_pipe_is_never_opened(tree: Path) -> None:
    os.mkfifo(tree / "pipe.md")
    assert skipped(scan_folder(tree, {".md"})) == {"pipe.md": "not a regular file"}


def test_a_folder_that_cannot_be_listed_is_named(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = os.scandir

    def refuse(location: Path) -> object:
        if Path(location).name == "a":
            raise PermissionError(13, "Permission denied")
        return listed(location)

    monkeypatch.setattr(os, "scandir", refuse)
    scan = scan_folder(tree, {".md"})
    assert scan.unread == ["a"]
    assert [line.path for line in scan.failed] == ["a"]


def test_documents_of_a_folder_that_cannot_be_listed_are_kept(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write("a/one.md", "Alpha.")
    bench.write("ab.md", "Beta.")
    bench.index()
    listed = os.scandir

    def refuse(location: Path) -> object:
        if Path(location).name == "a":
            raise PermissionError(13, "Permission denied")
        return listed(location)

    monkeypatch.setattr(os, "scandir", refuse)
    (bench.knowledge / "ab.md").unlink()
    report = bench.index()
    assert (report.removed, report.documents, len(report.failed)) == (1, 1, 1)
    assert bench.found("alpha") == ["a/one.md"]


def test_a_scope_is_files_and_folders_by_whole_names(tree: Path) -> None:
    (tree / "ab.md").write_text("Beta.")
    (tree / "a" / "b" / "two.md").write_text("Two.")
    assert paths(scan_folder(tree, {".md"}, ["a"])) == ["a/b/two.md", "a/one.md"]
    assert paths(scan_folder(tree, {".md"}, ["a/b", "ab.md"])) == ["a/b/two.md", "ab.md"]
    assert in_scope("a/one.md", ["a"]) and not in_scope("ab.md", ["a"])
    assert in_scope("anything", [])


def test_a_loop_reaches_the_index_once(bench: Workbench) -> None:
    bench.write("a/one.md", "Only once.")
    (bench.knowledge / "a/up").symlink_to("..")
    report = bench.index()
    assert (report.documents, report.indexed) == (1, 1)
