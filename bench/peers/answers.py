"""What the peers answer, read: the names of notes, best first.

Promises: pure. A name is that of the file without `.md`; each comes once, where it came first; what
cannot be read is no answer.
Touches: nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from bench import grep

_SOURCE = re.compile(r"^\s*Source:\s*(.+\.md)\b", re.MULTILINE)


def names(paths: Iterable[str]) -> list[str]:
    """The names of notes at these paths."""
    files = (path.replace("\\", "/").rsplit("/", 1)[-1] for path in paths)
    return list(dict.fromkeys(name.removesuffix(".md") for name in files if name))


def matches(text: str) -> list[str]:
    """Of `grep -o` with a NUL behind each path."""
    return names(grep.best_first(text))


def lines(text: str) -> list[str]:
    """A path in each line."""
    return names(text.splitlines())


def rows(text: str, key: str, among: str = "") -> list[str]:
    """A JSON list of objects, or one in the field `among`, each with its path in a field."""
    said = _json(text)
    if among:
        said = said.get(among) if isinstance(said, dict) else None
    if not isinstance(said, list):
        return []
    return names(str(row[key]) for row in said if isinstance(row, dict) and row.get(key))


def sources(text: str) -> list[str]:
    """Lines that say `Source: PATH`."""
    return names(found.strip() for found in _SOURCE.findall(text))


def _json(text: str) -> Any:
    """The JSON in a text that may have other lines before it."""
    starts = [at for at in (text.find("["), text.find("{")) if at >= 0]
    try:
        return json.loads(text[min(starts) :]) if starts else None
    except ValueError:
        return None
