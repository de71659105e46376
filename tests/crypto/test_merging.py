"""Git brings two changes of one encrypted memory together, without a word on the disk."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest
from tests.crypto.desk import BODY, TAGS, TITLE, Desk

from recollect.model.merge import SEPARATOR

Git = Callable[..., str]
pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="there is no git")


@pytest.fixture
def git(desk: Desk) -> Git:
    """Git in the project of somebody whose store is committed, but for its journal."""
    shutil.rmtree(desk.person.project / ".git")
    program = f"{sys.executable} -m recollect"

    def run(*words: str, code: int = 0) -> str:
        paths = os.pathsep.join(sys.path)
        env = desk.person.environment({"GIT_CONFIG_GLOBAL": os.devnull, "PYTHONPATH": paths})
        ran = subprocess.run(
            ["git", *words], cwd=desk.person.project, env=env, capture_output=True,
            text=True, timeout=60, check=False,
        )  # fmt: skip
        assert ran.returncode == code, ran
        return ran.stdout

    run("init", "-q", "-b", "main")
    for key, value in (
        ("user.name", "A"),
        ("user.email", "a@b.c"),
        ("merge.recollect.driver", f"{program} merge-driver %O %A %B"),
    ):
        run("config", key, value)
    attributes = desk.person.project / ".gitattributes"
    attributes.write_text("*.md.age merge=recollect -text\n")
    (desk.person.project / ".gitignore").write_text("journal/\n*.json\nMEMORY.md\n")
    return run


@pytest.fixture
def branches(desk: Desk, git: Git) -> str:
    """A memory that was changed on two branches, at its start here and at its end there."""
    name = desk.save(TITLE, f"{BODY}\n\nMiddle.\n\nEnd.")
    git("add", ".")
    git("commit", "-qm", "one")
    git("checkout", "-qb", "other")
    desk.person.ok("edit", name, "--append", "Theirs: more doubloons.")
    desk.person.ok("set", name, f"tags={TAGS},theirs")
    git("commit", "-qam", "theirs")
    git("checkout", "-q", "main")
    return name


def body(desk: Desk, name: str) -> str:
    return str(desk.person.ok("show", name, "--json").json["text"])


def test_changes_in_different_places_are_merged(desk: Desk, git: Git, branches: str) -> None:
    text = body(desk, branches).replace(BODY, f"{BODY} Ours: kingfisher.")
    desk.person.ok("edit", branches, "--body", text)
    desk.person.ok("set", branches, f"tags={TAGS},ours", "salience=high")
    git("commit", "-qam", "ours")
    git("merge", "-q", "other", "-m", "both")
    shown = desk.person.ok("show", branches, "--json").json
    assert "Ours: kingfisher." in shown["text"]
    assert "Theirs: more doubloons." in shown["text"]
    assert shown["tags"] == [*TAGS.split(","), "ours", "theirs"]
    assert desk.left() == []


def test_both_wordings_of_the_same_line_stand_inside_the_cipher_text(
    desk: Desk, git: Git, branches: str
) -> None:
    desk.person.ok("edit", branches, "--append", "Ours.")
    text = body(desk, branches)
    git("commit", "-qam", "ours")
    git("checkout", "-q", "other")
    desk.person.ok("edit", branches, "--body", text.replace("Middle", "Zbigniew"))
    git("commit", "-qam", "theirs again")
    git("checkout", "-q", "main")
    desk.person.ok("edit", branches, "--body", text.replace("Middle", "Marmalade"))
    git("commit", "-qam", "ours again")
    git("merge", "-q", "other", "-m", "both")
    assert desk.left() == []
    found = body(desk, branches)
    assert f"Marmalade.\n\n{SEPARATOR}\n\nZbigniew." in found
    assert not desk.person.ok("show", branches, "--json").json["problem"]


def test_without_the_key_it_is_an_ordinary_conflict(desk: Desk, git: Git, branches: str) -> None:
    desk.person.ok("edit", branches, "--append", "Ours.")
    git("commit", "-qam", "ours")
    before = desk.file(branches).read_bytes()
    desk.lock()
    git("merge", "-q", "other", "-m", "both", code=1)
    assert desk.file(branches).read_bytes() == before
    assert desk.left() == []


def test_what_one_side_left_alone_is_not_encrypted_again(desk: Desk) -> None:
    name = desk.save()
    base = desk.folder / "base"
    base.write_bytes(desk.file(name).read_bytes())
    desk.person.ok("edit", name, "--append", "More.")
    ours, theirs = desk.folder / "ours", desk.folder / "theirs"
    ours.write_bytes(base.read_bytes())
    theirs.write_bytes(desk.file(name).read_bytes())
    desk.person.ok("merge-driver", str(base), str(ours), str(theirs))
    assert ours.read_bytes() == theirs.read_bytes()


def test_a_plain_file_is_never_made_of_an_encrypted_one(desk: Desk) -> None:
    name = desk.save()
    paths = [desk.folder / one for one in ("base", "ours", "theirs")]
    for path, text in zip(paths, ("", f"---\nid: {name}\n---\ntext\n", desk.file(name).read_text()), strict=True):  # fmt: skip
        path.write_text(text)
    assert desk.person.run("merge-driver", *map(str, paths)).code == 19
    assert desk.left() == []


def test_plain_memories_are_merged_as_well(desk: Desk) -> None:
    base = "---\nid: a\ntags: [x]\n---\nOne.\n\nTwo.\n"
    sides = (base, base.replace("[x]", "[x, y]"), base.replace("Two", "2"))
    paths = [desk.folder / one for one in ("base", "ours", "theirs")]
    for path, text in zip(paths, sides, strict=True):
        path.write_text(text)
    desk.forget_keys()
    desk.person.ok("merge-driver", *map(str, paths))
    assert paths[1].read_text() == sides[1].replace("Two", "2")
