"""Encrypted memories in an editor, in git, beside their own copies, and taken away for good."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.crypto.desk import BODY, TITLE, WORDS, Desk, says

EDITOR = """#!/bin/sh
dirname "$1" > {seen}
stat -c %a "$(dirname "$1")" "$1" >> {seen}
cp "$1" "$1~"
printf 'Marmalade by hand.\\n' >> "$1"
"""


@pytest.fixture
def editor(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An editor that leaves a copy beside the file; what it saw of the place is in this file."""
    program, seen = desk.folder / "editor", desk.folder / "seen"
    program.write_text(EDITOR.format(seen=seen))
    program.chmod(0o700)
    monkeypatch.setenv("EDITOR", str(program))
    desk.person.env["EDITOR"] = str(program)
    program.write_text(program.read_text().replace("Marmalade", "M''armalade"))
    return seen


def test_in_an_editor_it_lies_in_memory_and_nothing_is_left_there(
    desk: Desk, editor: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = tmp_path / "run"
    memory.mkdir()
    desk.person.env["XDG_RUNTIME_DIR"] = str(memory)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(memory))
    name = desk.save()
    ran = desk.person.at_terminal("edit", name)
    assert ran.code == 0, ran
    place, *modes = editor.read_text().split()
    assert Path(place).parent == memory
    assert modes == ["700", "600"]
    assert list(memory.iterdir()) == []
    assert desk.left() == []
    assert "armalade by hand." in desk.person.ok("show", name).out


@pytest.mark.slow
def test_in_a_diff_of_git_the_plain_texts_are_compared_and_git_keeps_none(desk: Desk) -> None:
    if not shutil.which("git"):
        pytest.skip("there is no git")
    project = desk.person.project
    shutil.rmtree(project / ".git")
    name = desk.save()

    def git(*words: str) -> str:
        paths = os.pathsep.join(sys.path)
        env = desk.person.environment({"GIT_CONFIG_GLOBAL": os.devnull, "PYTHONPATH": paths})
        ran = subprocess.run(
            ["git", *words],
            cwd=project, env=env, capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        return ran.stdout

    git("init", "-q")
    for key, value in (
        ("user.name", "A"),
        ("user.email", "a@b.c"),
        ("diff.recollect.textconv", f"{sys.executable} -m recollect textconv"),
        ("diff.recollect.cachetextconv", "false"),
    ):
        git("config", key, value)
    (project / ".gitattributes").write_text("*.md.age diff=recollect -text\n")
    git("add", ".")
    git("commit", "-qm", "one")
    desk.person.ok("edit", name, "--append", "Zbigniew wants more.")
    changed = git("diff", "--", str(desk.file(name)))
    assert "+Zbigniew wants more." in changed
    assert "AGE ENCRYPTED" not in changed
    git("commit", "-qam", "two")
    assert "+Zbigniew wants more." in git("log", "-p", "-1")
    assert desk.left() == []
    desk.lock()
    assert desk.person.ok("textconv", str(desk.file(name))).out == desk.file(name).read_text()


def test_textconv_prints_any_other_file_as_it_is(desk: Desk) -> None:
    path = desk.folder / "plain.md"
    path.write_text("# Plain\n\ntext\n")
    assert desk.person.ok("textconv", str(path)).out == path.read_text()
    assert desk.person.run("textconv", str(desk.folder / "nothing")).code == 10


def test_a_copy_that_a_sync_tool_left_is_a_memory_of_its_own_name(desk: Desk) -> None:
    name = desk.save()
    copy = desk.file(f"{name}.sync-conflict-20260111")
    copy.write_bytes(desk.file(name).read_bytes())
    desk.person.ok("edit", name, "--append", "More.")
    ids = {row["id"] for row in desk.person.ok("list", "--json").json}
    assert name in ids
    (twin,) = ids - {name}
    assert "More." not in desk.person.ok("show", twin).out
    desk.person.ok("edit", twin, "--append", "Other.")
    assert "Other." in desk.person.ok("show", twin).out
    assert desk.left() == []


def test_purged_it_is_gone_in_every_form(desk: Desk) -> None:
    name = desk.save()
    armor = desk.file(name).read_text("utf-8").splitlines()[12]
    desk.person.ok("forget", name, "--purge", "--yes")
    assert desk.left([armor.lower()]) == []
    assert desk.person.run("undo").code == 1


def test_it_comes_back_with_undo_to_and_gone(desk: Desk) -> None:
    name = desk.save()
    desk.file(name).unlink()
    desk.person.ok("undo", "--gone")
    assert BODY in desk.person.ok("show", name).out
    first = desk.person.ok("history", "--json").json[-1]["change"]
    desk.person.ok("edit", name, "--append", "More.")
    desk.person.ok("undo", "--to", first)
    assert "More." not in desk.person.ok("show", name).out
    assert desk.left() == []


def test_files_are_private(desk: Desk) -> None:
    name = desk.save()
    for path in (desk.file(name), desk.file(name).parent):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077


def test_the_index_is_made_anew_without_a_word(desk: Desk) -> None:
    name = desk.save()
    desk.person.ok("save", "Plain", "--body", "text")
    for path in desk.person.home.glob(".cache/recollect/*/index.db*"):
        path.unlink()
    assert {row["id"] for row in desk.person.ok("list", "--json").json} == {name, "plain"}
    assert desk.person.ok("doctor", "--json").json["ok"]
    assert desk.left() == []


def test_search_finds_in_both_and_by_filters(desk: Desk) -> None:
    desk.person.ok("save", "Plain kingfisher", "--body", "It sings.", "--kind", "decision")
    name = desk.save(TITLE, BODY, "--kind", "decision")
    ran = desk.person.ok("search", "kingfisher", "--encrypted", "--json").json
    assert {hit["id"] for hit in ran["hits"]} == {name, "plain-kingfisher"}
    found = desk.person.ok("search", "kingfisher", "--encrypted", "--tags", "doubloon", "--json")
    assert [hit["id"] for hit in found.json["hits"]] == [name]
    assert not says(desk.person.ok("search", "kingfisher", "--json"), WORDS[1:])


def test_what_was_written_in_an_editor_while_it_changed_is_kept_encrypted(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = desk.save()
    other = desk.file(name).read_bytes()
    desk.person.ok("edit", name, "--append", "Meanwhile.")
    changed = desk.folder / "changed"
    changed.write_bytes(desk.file(name).read_bytes())
    desk.file(name).write_bytes(other)
    program = desk.folder / "editor"
    program.write_text(f"#!/bin/sh\ncp {changed} {desk.file(name)}\necho 'By hand.' >> \"$1\"\n")
    program.chmod(0o700)
    ran = desk.person.at_terminal("edit", name, env={"EDITOR": str(program)}, columns=300)
    assert ran.code == 12
    (kept,) = desk.person.home.glob(".cache/recollect/*/edited-*.age")
    assert kept.name in ran.out
    assert desk.left() == []
    assert desk.person.ok("textconv", str(kept)).out.endswith("By hand.\n")
    assert "Meanwhile." in desk.person.ok("show", name).out


def findings(desk: Desk) -> list[str]:
    rows = desk.person.run("doctor", "--json").json["findings"]
    return [row["sentence"] for row in rows if row["about"].startswith("encrypted")]


@pytest.mark.slow
def test_doctor_says_how_many_there_are_and_what_is_wrong_with_the_key(desk: Desk) -> None:
    assert findings(desk) == []
    desk.save()
    assert findings(desk) == ["memories: 1"]
    desk.identity.chmod(0o644)
    assert "chmod 600" in findings(desk)[1]
    desk.identity.chmod(0o600)
    desk.lock()
    assert "There is no key" in findings(desk)[1]
    desk.unlock()
    (desk.identity.parent / "recipients").unlink()
    assert "key rewrap" in findings(desk)[1]


ENTRIES = """- Zbigniew gets 4711 doubloons. ^k3f9 [^0b6f00]
- The marmalade committee meets on Mondays. ^m2d7 [^0b6f00]

[^0b6f00]: 2026-10-06, "Kingfisher", said by the person
"""


@pytest.mark.slow
def test_one_entry_of_an_encrypted_page_is_archived_encrypted(desk: Desk) -> None:
    name = desk.save("Kingfisher", ENTRIES)
    before = desk.person.ok("show", name).out
    desk.person.ok("edit", f"{name}#^k3f9", "--body", "Zbigniew gets more.")
    desk.person.ok("forget", f"{name}#^k3f9")
    desk.person.ok("undo")
    desk.person.ok("undo")
    done = desk.person.ok("archive", f"{name}#^m2d7", "--json").json
    assert done["path"].endswith(f"archive/encrypted/{done['archived']}.md.age")
    assert "marmalade" in desk.person.ok("show", done["archived"]).out
    assert "marmalade" not in desk.person.ok("show", name).out
    assert not [path for path, data in desk.everything() if b"marmalade" in data]
    desk.person.ok("activate", done["archived"])
    assert desk.person.ok("show", name).out == before
    desk.person.ok("undo")
    desk.person.ok("undo")
    assert desk.person.ok("show", name).out == before
    assert not [path for path, data in desk.everything() if b"marmalade" in data]
