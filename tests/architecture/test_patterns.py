"""Patterns match on every Python that is supported."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2] / "src/recollect"
POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{+\d*,?\d*\}+)\+")


def test_no_group_is_possessive() -> None:
    """Before Python 3.11.5 one that fails in the middle of its body matches nothing (gh-106052).

    `(?>(?:…)*)` says the same, and works. By `(?:…)*+` private keys stayed in texts on Debian 12.
    """
    assert POSSESSIVE_GROUP.search(r"a(?:b|c)*+")
    found = [
        f"{path.relative_to(ROOT)}:{n}"
        for path in sorted(ROOT.rglob("*.py"))
        for n, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if POSSESSIVE_GROUP.search(line)
    ]
    assert not found
