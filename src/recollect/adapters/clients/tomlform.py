"""Clients: a table of ours in a TOML file.

Promises: only our table, with the tables below it, is added, renewed or taken out; every other
byte stays; a text that would say anything else afterwards is not changed.
Touches: nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from recollect.adapters.clients.form import NOTHING
from recollect.named import NamedTuple

_HEADER = re.compile(r"^[ \t]*\[[^\n]*$", re.M)


class Table(NamedTuple):
    """Our table `[within.name]`, of strings and lists of strings."""

    within: str
    name: str
    value: Mapping[str, str | list[str]]

    def put(self, text: str) -> str:
        """The text with our table at its end, or where it stands already."""
        said = _parsed(text)
        there = _listed(said, self.within)
        have = there.get(self.name)
        if have is not None and not _runs_us(have):
            raise ValueError(f"it has a table [{self.within}.{self.name}] that is not ours")
        if have is not None and all(have.get(key) == value for key, value in self.value.items()):
            return text
        rest = self.taken(text)
        eol = "\r\n" if "\r\n" in text else "\n"
        lines = [f"[{self.within}.{self.name}]"]
        lines += [f"{key} = {_shown(value)}" for key, value in self.value.items()]
        gap = "" if not rest.strip() else eol if rest.endswith("\n") else eol * 2
        made = rest + gap + "".join(line + eol for line in lines)
        wanted = {**said, self.within: {**there, self.name: dict(self.value)}}
        if _parsed(made) != wanted:
            raise ValueError(f"[{self.within}] is not of the form that a table can be added to")
        return made

    def taken(self, text: str, theirs: frozenset[str] = NOTHING) -> str:
        """The text without our table and those below it."""
        del theirs
        said = _parsed(text)
        there = _listed(said, self.within)
        if not _runs_us(there.get(self.name)):
            return text
        out = text
        while (found := self._first(out)) is not None:
            start, end = found
            head, behind = out[:start], out[end:]
            out = head + behind if behind else _without_gap(head)
        rest = {key: value for key, value in there.items() if key != self.name}
        wanted = {**said, self.within: rest}
        if _parsed(out) not in (wanted, {k: v for k, v in wanted.items() if v or k != self.within}):
            raise ValueError(f"[{self.within}.{self.name}] is not where a table can be taken out")
        return out

    def empties(self, text: str) -> list[str]:
        """None: a table stands alone."""
        del text
        return []

    def _first(self, text: str) -> tuple[int, int] | None:
        """Where the first of our tables starts and ends."""
        ours = re.compile(
            rf"\[\s*{re.escape(self.within)}\s*\.\s*\"?{re.escape(self.name)}\"?\s*[.\]]"
        )
        headers = [match.start() for match in _HEADER.finditer(text)]
        for n, start in enumerate(headers):
            if ours.match(text[start:].lstrip(" \t")):
                return start, headers[n + 1] if n + 1 < len(headers) else len(text)
        return None


def _without_gap(text: str) -> str:
    """The text without the blank line that was put between it and our table."""
    gap = next((gap for gap in ("\r\n\r\n", "\n\n") if text.endswith(gap)), "")
    return text[: -len(gap) // 2] if gap else text


def _parsed(text: str) -> dict[str, Any]:
    import tomllib  # by far the dearest of our imports, and seldom needed

    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"it is not valid TOML ({error})") from None


def _listed(said: dict[str, Any], key: str) -> dict[str, Any]:
    found = said.get(key, {})
    if not isinstance(found, dict):
        raise ValueError(f"“{key}” is not of the form that the client reads")  # noqa: TRY004
    return found


def _runs_us(table: object) -> bool:
    words = table.get("args", []) if isinstance(table, dict) else []
    return isinstance(words, list) and any(
        isinstance(word, str) and re.search(r"[/\\]recollect[/\\]__main__\.py$", word)
        for word in words
    )


def _shown(value: str | list[str]) -> str:
    # Strings of JSON are basic strings of TOML, but for the one sign that TOML wants escaped too.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
