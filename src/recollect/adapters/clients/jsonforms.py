"""Clients: hooks and entries in their JSON files.

Promises: only our own handlers and entries are added, renewed or taken out, every other byte
stays; comments are read over where the client does so too, and stay.
Touches: nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from recollect.adapters.clients.form import NOTHING
from recollect.domain import jsontext
from recollect.named import NamedTuple

# Where the command of a handler stands.
COMMANDS = ("command", "bash")


def is_blank(text: str) -> bool:
    """Whether nothing is in a file but blanks and a byte-order mark."""
    return not text.strip("\ufeff \t\r\n")


class HookTable(NamedTuple):
    """Our handlers in the table of hooks of a client, one group for each event."""

    client: str
    groups: Mapping[str, Mapping[str, Any]]  # by event
    is_flat: bool = False  # an event lists handlers, not groups of them
    head: str = "{}"  # what a new file begins with
    has_comments: bool = False

    def put(self, text: str) -> str:
        """The text of a settings file with our hooks in it, each event's once."""
        if is_blank(text):
            text = f"{text[: len(text) - len(text.lstrip(chr(0xFEFF)))]}{self.head}\n"
        for event, group in self.groups.items():
            text = self._with_group(text, event, dict(group))
        return text

    def taken(self, text: str, theirs: frozenset[str] = NOTHING) -> str:
        """The text of a settings file without our hooks."""
        if is_blank(text):
            return text
        root = self._root(text)
        hooks = member(text, root, "hooks", dict)
        if hooks is None:
            return text
        before = text
        at = hooks.value_start
        for n in reversed(range(len(jsontext.spans(text, at)))):
            span = jsontext.spans(text, at)[n]
            if not isinstance(span.value, list):
                continue
            shorter = self._without_ours(text, span.value_start)
            emptied = shorter != text and not jsontext.spans(shorter, span.value_start)
            drop = emptied and span.key not in theirs
            text = jsontext.removed(shorter, at, n, 1) if drop else shorter
        if text != before and not jsontext.spans(text, at) and "hooks" not in theirs:
            text = without_member(text, root, at)
        return text

    def empties(self, text: str) -> list[str]:
        """`hooks`, and the events in it, that are there and empty."""
        if is_blank(text):
            return []
        hooks = member(text, self._root(text), "hooks", dict)
        if hooks is None:
            return []
        spans = jsontext.spans(text, hooks.value_start)
        return [span.key for span in spans if span.value == []] + ([] if spans else ["hooks"])

    def is_ours(self, handler: object) -> bool:
        """Whether a handler of an event runs our hook for this client."""
        if not isinstance(handler, dict):
            return False
        ours = rf"[/\\]recollect[/\\]hook\.py[\"']? {self.client} \w+\s*$"
        return any(re.search(ours, str(handler.get(key, ""))) for key in COMMANDS)

    def _root(self, text: str) -> int:
        return jsontext.root_of(text, comments=self.has_comments)

    def _with_group(self, text: str, event: str, group: dict[str, Any]) -> str:
        root = self._root(text)
        hooks = member(text, root, "hooks", dict)
        if hooks is None:
            return jsontext.added(text, root, "hooks", {event: [group]}, 0)
        groups = member(text, hooks.value_start, event, list)
        if groups is None:
            return jsontext.added(text, hooks.value_start, event, [group], 1)
        at = groups.value_start
        have: list[jsontext.Span] = []
        alone = True
        for span in jsontext.spans(text, at):
            ours = [self.is_ours(handler.value) for handler in self._handlers(text, span)[1]]
            have += [span] if any(ours) else []
            alone = alone and (all(ours) or not any(ours))
        if not have:
            return jsontext.added(text, at, "", group, 2)
        if len(have) == 1 and alone:
            return text if have[0].value == group else jsontext.replaced(text, have[0], group, 3)
        # Ours stand several times, or in a group with others: begin this event anew.
        return self._with_group(self._without_ours(text, at), event, group)

    def _without_ours(self, text: str, groups: int) -> str:
        """The text without our handlers in one event, and without the groups that held only them."""
        for n in reversed(range(len(jsontext.spans(text, groups)))):
            where, handlers = self._handlers(text, jsontext.spans(text, groups)[n])
            ours = [at for at, handler in enumerate(handlers) if self.is_ours(handler.value)]
            if ours and len(ours) == len(handlers):
                text = jsontext.removed(text, groups, n, 2)
                continue
            for at in reversed(ours):
                text = jsontext.removed(text, where, at, 4)
        return text

    def _handlers(self, text: str, group: jsontext.Span) -> tuple[int, list[jsontext.Span]]:
        """`(start, handlers)` of the list in a group; no handlers where it is no group."""
        if self.is_flat:
            return -1, [group]
        if isinstance(group.value, dict):
            listed = last(jsontext.spans(text, group.value_start), "hooks")
            if listed is not None and isinstance(listed.value, list):
                return listed.value_start, jsontext.spans(text, listed.value_start)
        return -1, []


class Entry(NamedTuple):
    """Our entry in an object of a JSON file, as in `{"mcpServers": {"recollect": {…}}}`."""

    within: str
    name: str
    value: Mapping[str, Any]
    head: str = "{}"  # what a new file begins with
    has_comments: bool = False

    def put(self, text: str) -> str:
        """The text with our entry. Raises ValueError if there is another of its name."""
        if is_blank(text):
            text = f"{text[: len(text) - len(text.lstrip(chr(0xFEFF)))]}{self.head}\n"
        root = self._root(text)
        listed = member(text, root, self.within, dict)
        if listed is None:
            return jsontext.added(text, root, self.within, {self.name: dict(self.value)}, 0)
        have = last(jsontext.spans(text, listed.value_start), self.name)
        if have is None:
            return jsontext.added(text, listed.value_start, self.name, dict(self.value), 1)
        if not _runs_us(have.value):
            raise ValueError(f"it has an entry “{self.name}” that is not ours")
        wanted = {**have.value, **self.value}  # what a person added to it stays
        return text if have.value == wanted else jsontext.replaced(text, have, wanted, 2)

    def taken(self, text: str, theirs: frozenset[str] = NOTHING) -> str:
        """The text without our entry."""
        if is_blank(text):
            return text
        root = self._root(text)
        listed = member(text, root, self.within, dict)
        if listed is None:
            return text
        at = listed.value_start
        for n, span in enumerate(jsontext.spans(text, at)):
            if span.key == self.name and _runs_us(span.value):
                text = jsontext.removed(text, at, n, 1)
                empty = not jsontext.spans(text, at) and self.within not in theirs
                return without_member(text, root, at) if empty else text
        return text

    def empties(self, text: str) -> list[str]:
        """The object of our entry, if it is there and empty."""
        if is_blank(text):
            return []
        listed = member(text, self._root(text), self.within, dict)
        return [self.within] if listed is not None and listed.value == {} else []

    def _root(self, text: str) -> int:
        return jsontext.root_of(text, comments=self.has_comments)


def _runs_us(value: object) -> bool:
    """Whether an entry runs our program."""
    if not isinstance(value, dict):
        return False
    words = [value.get("command"), *_listed(value.get("command")), *_listed(value.get("args"))]
    return any(
        isinstance(word, str) and re.search(r"[/\\]recollect[/\\]__main__\.py$", word)
        for word in words
    )


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def member(text: str, at: int, key: str, kind: type) -> jsontext.Span | None:
    """The member with this key. Raises ValueError if it is of another kind."""
    span = last(jsontext.spans(text, at), key)
    if span is not None and not isinstance(span.value, kind):
        raise ValueError(f"“{key}” is not of the form that the client reads")
    return span


def last(spans: list[jsontext.Span], key: str) -> jsontext.Span | None:
    """The member with this key; of several the last counts, as for every reader of JSON."""
    return next((span for span in reversed(spans) if span.key == key), None)


def without_member(text: str, root: int, at: int) -> str:
    """The text without the member of the outermost object whose value starts at `at`."""
    n = next(n for n, span in enumerate(jsontext.spans(text, root)) if span.value_start == at)
    return jsontext.removed(text, root, n, 0)
