"""Repositories that would like to be more than they are: made with real git, opened as anybody would."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import Person
from tests.hooks.machine import HOOK

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="there is no git")
NOBODY = 65534
WORD = "zanzibar"


class Someone(Person):
    """Somebody with a home and a folder with a repository in it, or none yet."""

    def git(self, *words: str) -> str:
        """Run git in the project."""
        who = {f"GIT_{part}_{what}": "a@b.c" for part in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}  # fmt: skip
        env = self.environment({"GIT_CONFIG_GLOBAL": os.devnull, **who, "PATH": "/usr/bin:/bin"})
        words = ("-c", "init.defaultBranch=main", *words)
        return subprocess.run(
            ["git", *words], cwd=self.project, env=env, capture_output=True, text=True, check=True
        ).stdout

    def at(self, project: Path) -> Someone:
        """The same person in another folder."""
        return Someone(self.home, project)

    def hook(self, event: str, **fields: str) -> str:
        """What the hook of an event tells the agent."""
        payload = {"session_id": "s1", "cwd": str(self.project), "hook_event_name": event, **fields}
        ran = subprocess.run(
            [sys.executable, "-I", "-S", HOOK, "claude", event], input=json.dumps(payload),
            capture_output=True, env=self.environment({}), cwd=self.project, text=True,
            timeout=20, check=True,
        )  # fmt: skip
        assert ran.stderr == ""
        if not ran.stdout:
            return ""
        return str(json.loads(ran.stdout)["hookSpecificOutput"]["additionalContext"])


@pytest.fixture
def ada(tmp_path: Path) -> Someone:
    """Somebody with a repository that has a secret in its store."""
    (tmp_path / "home").mkdir()
    (tmp_path / "ada").mkdir()
    one = Someone(tmp_path / "home", tmp_path / "ada")
    one.git("init", "-q")
    one.ok("init")
    one.ok("save", f"The code of the vault is {WORD}", "--kind", "fact")
    one.git("commit", "-q", "--allow-empty", "-m", "x")
    return one


def told(one: Someone) -> str:
    """What somebody is told of the word, by search and at a prompt."""
    found = one.run("search", WORD, "--json").out
    return found + one.hook("UserPromptSubmit", prompt=f"What is the code {WORD} of the vault?")


# ------------------------------------------------------------- of others, above, and pointed to


def test_a_store_of_another_user_is_not_used(tmp_path: Path, ada: Someone) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    assert WORD in told(ada)
    os.chown(ada.store, NOBODY, NOBODY)

    assert WORD not in told(ada)
    assert "belongs to another user" in ada.run("doctor").out


def test_a_repository_of_another_user_is_none(tmp_path: Path, ada: Someone) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    top = tmp_path / "shared"
    inner = ada.at(top / "mine")
    inner.project.mkdir(parents=True)
    ada.at(top).git("init", "-q")
    inner.ok("save", "Mine alone", "--kind", "fact")
    os.chown(top / ".git", NOBODY, NOBODY)

    assert "Mine alone" not in inner.run("list").out
    inner.ok("save", "Here alone", "--kind", "fact")
    assert "Here alone" not in ada.at(top).run("list").out


def test_a_store_above_the_repository_is_not_used(ada: Someone) -> None:
    inner = ada.at(ada.project / "vendor" / "lib")
    inner.project.mkdir(parents=True)
    assert WORD in told(inner)
    inner.git("init", "-q")

    assert WORD not in told(inner)
    inner.ok("save", "Theirs", "--kind", "fact")
    assert "Theirs" not in ada.ok("list").out


@pytest.mark.parametrize("form", ["the repository", "a work tree of it", "a made-up work tree"])
def test_a_file_that_points_to_another_repository_is_not_believed(
    form: str, tmp_path: Path, ada: Someone
) -> None:
    tree = tmp_path / "tree"
    ada.git("worktree", "add", "-q", str(tree))
    assert WORD in told(ada.at(tree))  # git's own link is believed

    evil = tmp_path / "evil"
    evil.mkdir()
    target = ada.project / ".git"
    if form == "a work tree of it":
        target = target / "worktrees" / "tree"
    elif form == "a made-up work tree":
        target = evil / "git"
        target.mkdir()
        (target / "HEAD").write_text("ref: refs/heads/main\n")
        (target / "gitdir").write_text(f"{evil}/.git\n")
        (target / "commondir").write_text(f"{ada.project}/.git\n")
    (evil / ".git").write_text(f"gitdir: {target}\n")

    assert WORD not in told(ada.at(evil))


def test_a_work_tree_that_is_linked_by_relative_paths_is_believed(
    tmp_path: Path, ada: Someone
) -> None:
    tree = tmp_path / "tree"
    ada.git("worktree", "add", "-q", str(tree))
    link = ada.project / ".git" / "worktrees" / "tree"
    (link / "gitdir").write_text("../../../../tree/.git\n")
    (tree / ".git").write_text("gitdir: ../ada/.git/worktrees/tree\n")

    assert WORD in told(ada.at(tree))


@pytest.mark.parametrize("name", [".claude", ".claude/memory"])
def test_a_store_behind_a_link_is_not_used(name: str, tmp_path: Path, ada: Someone) -> None:
    evil = ada.at(tmp_path / "evil")
    link = evil.project / name
    link.parent.mkdir(parents=True)
    link.symlink_to(ada.project / name)
    evil.git("init", "-q")
    evil.git("add", "-A")
    before = sorted(ada.store.rglob("*"))

    assert WORD not in told(evil)
    evil.ok("save", "Mine alone", "--kind", "fact")
    assert "symbolic link" in evil.run("doctor").out
    assert sorted(ada.store.rglob("*")) == before
