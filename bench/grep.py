"""grep, as an agent uses it: any word of a question as it stands, in whatever case.

Promises: what has the most different words comes first, then by name.
Touches: nothing; who runs the command is told where.
"""

from __future__ import annotations

import os
import re
import shutil
import sys

from recollect.text.tokens import STOP_WORDS

FLAGS = ("--ignore-case", "--fixed-strings", "--only-matching", "--with-filename", "--null")


def ripgrep() -> str:
    """The path of `rg`: on the PATH, or beside this Python, where a wheel puts it; or nothing."""
    return shutil.which("rg") or shutil.which("rg", path=os.path.dirname(sys.executable)) or ""


def words(text: str) -> list[str]:
    """What a person would look for: without stop words, each once."""
    found = re.findall(r"[\w./-]{2,}", text.lower())
    return list(dict.fromkeys(word for word in found if word not in STOP_WORDS))


def command(path: str, text: str, folder: str) -> list[str]:
    """`rg` (or GNU `grep`) at this path, to look through the files of a folder."""
    own = ["--no-line-number", "--no-ignore"] if _is_ripgrep(path) else ["--recursive"]
    patterns = [part for word in words(text) for part in ("-e", word)] or ["-e", text]
    return [path, *FLAGS, *own, *patterns, folder]


def _is_ripgrep(path: str) -> bool:
    return os.path.basename(path).partition(".")[0] == "rg"


def best_first(said: str) -> list[str]:
    """The paths that it printed (each with a NUL behind it), most different words first."""
    found: dict[str, set[str]] = {}
    for line in said.splitlines():
        path, nul, word = line.partition("\0")
        if nul:
            found.setdefault(path, set()).add(word.lower())
    return sorted(found, key=lambda path: (-len(found[path]), path))
