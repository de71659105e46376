"""Print what CHANGELOG.md says of a release: `python -m tools.release_notes v0.2.0`.

Fails unless the tag, the program's version and a heading `## 0.2.0 …` of the changelog agree.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from recollect import __version__

CHANGELOG = Path(__file__).resolve().parent.parent / "CHANGELOG.md"


def notes_of(changelog: str, version: str) -> str:
    """The text below the heading of a version; empty if it has none."""
    found = re.search(
        rf"^## {re.escape(version)}(?: [^\n]*)?\n(.*?)(?=^## |\Z)", changelog, re.M | re.S
    )
    return found[1].strip() if found else ""


def main() -> int:
    """Do it; gives the exit code."""
    version = sys.argv[1].removeprefix("v")
    notes = notes_of(CHANGELOG.read_text(encoding="utf-8"), version)
    if version != __version__ or not notes:
        sys.stderr.write(
            f"{version} is not released: the program is {__version__}, and CHANGELOG.md says {'something' if notes else 'nothing'} of it\n"
        )
        return 1
    sys.stdout.write(f"{notes}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
