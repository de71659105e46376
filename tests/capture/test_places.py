"""A session's memory names places in the project, and no folder of one machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.capture.ingest import SessionFolders
from recollect.capture.summary import files_of
from recollect.model.session import SessionState
from recollect.store.repositories import work_trees

ROOT = "/Users/ada/repos/shop"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{ROOT}/src/cart.py", "src/cart.py"),
        (f"{ROOT}/.claude/worktrees/fix-cart/src/cart.py", "src/cart.py"),
        (f"cd {ROOT} && npm test", "cd . && npm test"),
        (f"git -C {ROOT}/.worktrees/fix status", "git -C .worktrees/fix status"),
        (f"{ROOT}-old/src/cart.py", "~/repos/shop-old/src/cart.py"),
        ("cat /home/ada/.npmrc", "cat ~/.npmrc"),
        (r"C:\Users\ada\notes.md", r"~\notes.md"),
        ("https://example.org/Users/ada/x", "https://example.org/Users/ada/x"),
        (f"see ({ROOT}/README.md:3).", "see (README.md:3)."),
    ],
)
def test_a_path_is_told_from_the_repository_or_the_home_on(text: str, told: str) -> None:
    assert SessionFolders(ROOT, f"{ROOT}/packages/api").with_short_paths(text) == told


def test_the_paths_of_a_worktree_are_those_of_its_repository() -> None:
    here = SessionFolders("", f"{ROOT}/.claude/worktrees/fix-cart")
    assert here.with_short_paths(f"{ROOT}/.claude/worktrees/fix-cart/src/cart.py") == "src/cart.py"
    assert here.with_short_paths(f"{ROOT}/src/cart.py") == "src/cart.py"


def test_a_worktree_named_after_a_branch_with_a_slash_lies_two_folders_deep() -> None:
    tree = f"{ROOT}/.worktrees/ada/fix-cart"
    here = SessionFolders(ROOT, tree, branch="ada/fix-cart")
    assert here.with_short_paths(f"{tree}/src/cart.py") == "src/cart.py"


def test_a_worktree_beside_the_repository_tells_its_paths_as_the_repository_does(
    tmp_path: Path,
) -> None:
    root, tree = tmp_path / "shop", tmp_path / "shop-fix"
    linked = root / ".git" / "worktrees" / "fix"
    linked.mkdir(parents=True)
    (linked / "gitdir").write_text(f"{tree}/.git\n")  # the tree itself may be gone by now
    here = SessionFolders(str(root), str(root), trees=work_trees(str(root)))
    assert here.with_short_paths(f"{tree}/src/cart.py:3") == "src/cart.py:3"
    assert here.with_short_paths(f"{tree}-old/a.py") == f"{tree}-old/a.py"
    assert here.with_short_paths(f"git -C {tree} status") == f"git -C {tree} status"


def test_what_is_gone_tomorrow_is_no_file_of_a_session() -> None:
    kept = ["src/cart.py", "Makefile", "~/notes.md", "docs/how to.md"]
    gone = ["/tmp/try.sh", "/private/tmp/a", "~/.claude/plans/calm-fox.md", "some tool output"]
    assert files_of(SessionState("s", files_modified=[*kept, *gone])) == kept
