"""A session's memory names places in the project, and no folder of one machine."""

from __future__ import annotations

import pytest

from recollect.capture.hearing import Places
from recollect.capture.summary import files_of
from recollect.model.session import SessionState

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
    assert Places(ROOT, f"{ROOT}/packages/api").with_short_paths(text) == told


def test_the_paths_of_a_worktree_are_those_of_its_repository() -> None:
    here = Places("", f"{ROOT}/.claude/worktrees/fix-cart")
    assert here.with_short_paths(f"{ROOT}/.claude/worktrees/fix-cart/src/cart.py") == "src/cart.py"
    assert here.with_short_paths(f"{ROOT}/src/cart.py") == "src/cart.py"


def test_what_is_gone_tomorrow_is_no_file_of_a_session() -> None:
    kept = ["src/cart.py", "Makefile", "~/notes.md", "docs/how to.md"]
    gone = ["/tmp/try.sh", "/private/tmp/a", "~/.claude/plans/calm-fox.md", "some tool output"]
    assert files_of(SessionState("s", files_modified=[*kept, *gone])) == kept
