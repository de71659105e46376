"""Add, update and remove our entries in clients' JSON and TOML files.

Every other byte stays, comments included.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Mapping, Sequence

from recollect._fastimport import NamedTuple
from recollect.clients.base import NOTHING, ConfigFormat, ConfigPart
from recollect.errors import FileNotThere, RecollectError, StorageFailed, Unreadable
from recollect.store import disk
from recollect.text import json_edit

TYPE_CHECKING = False  # `typing` takes 2 ms to load, in every worker
if TYPE_CHECKING:
    from typing import Any


LARGEST = 8 * 1024 * 1024
BACKUP_SUFFIX = ".before-recollect"


class InstallResult(NamedTuple):
    """What installing or uninstalling did, or would do."""

    path: str
    changed: bool
    text: str
    backup: str = ""
    made: Sequence[str] = ()  # folders that were made for the file


def install(part: ConfigPart, note: str, *, dry_run: bool) -> InstallResult:
    """Put our entries into a file; `note` remembers what was there.

    Raises:
        Unreadable: the file is not valid; it was not touched.
        StorageFailed: the file is read-only or the disk refused.
    """
    real = os.path.realpath(part.path)
    old = text_at(real)
    try:
        text = part.form.put(old or "")
        theirs = part.form.empties(old or "")
    except ValueError as error:
        raise Unreadable(path=part.path, reason=str(error)) from None
    if text == old:
        return InstallResult(part.path, False, text)
    first = old is None or not _has_ours(part.form, old)
    backup = real + BACKUP_SUFFIX if old is not None and first else ""
    if dry_run:
        return InstallResult(part.path, True, text, backup)
    mode = writable_mode(real)
    made = disk.make_folder(os.path.dirname(real))
    if backup:
        disk.write_whole(backup, (old or "").encode(), mode=mode)
    fresh = {"backup": backup, "theirs": theirs, "made": made}
    _keep_note(note, real, old, text, fresh if first else None)
    disk.write_whole(real, text.encode(), mode=mode)
    disk.sync_folder(os.path.dirname(real))
    return InstallResult(part.path, True, text, backup)


def _keep_note(
    note: str, real: str, old: str | None, text: str, fresh: dict[str, Any] | None
) -> None:
    """Note what was there before us; when our entries are renewed, that the note still holds."""
    kept = _install_note(note, real)
    if fresh is None and (old is None or kept.get("wrote") != _stamp(old)):
        return
    disk.make_folder(os.path.dirname(note))
    what = (fresh or kept) | {"path": real, "wrote": _stamp(text)}
    disk.write_whole(note, json.dumps(what).encode(), durable=False)


def uninstall(part: ConfigPart, note: str, *, dry_run: bool) -> InstallResult:
    """Take our entries out; the bytes from before come back if nobody wrote since."""
    real = os.path.realpath(part.path)
    old = text_at(real)
    kept = _install_note(note, real)
    made = kept.get("made", ())
    if old is None:
        if kept and not dry_run:
            disk.remove(note)
        return InstallResult(part.path, False, "", made=made)
    before = _before(kept, old)
    try:
        text = before
        if text is None:
            text = part.form.taken(old, frozenset(kept.get("theirs", ())))
        new = part.form.taken(part.form.put(""))  # of a file that never had anything but ours
        if kept and not kept["backup"] and text.split() == new.split():
            text = ""  # we made the file, and nobody left anything in it
    except ValueError as error:
        raise Unreadable(path=part.path, reason=str(error)) from None
    if text == old:
        return InstallResult(part.path, False, text)
    if not dry_run:
        mode = writable_mode(real)
        if not text and not kept.get("backup"):
            disk.remove(real)  # there was no file before us
        else:
            disk.write_whole(real, text.encode(), mode=mode)
        disk.sync_folder(os.path.dirname(real))
        disk.remove(real + BACKUP_SUFFIX)
        disk.remove(note)
    return InstallResult(part.path, True, text, made=made)


def _install_note(note: str, real: str) -> dict[str, Any]:
    """The note made when we installed into this file; nothing if it is gone."""
    try:
        kept = json.loads(disk.read_file(note))
    except (FileNotThere, ValueError):
        return {}
    return kept if isinstance(kept, dict) and kept.get("path") == real else {}


def _before(kept: dict[str, Any], now: str) -> str | None:
    """The file as it was before us, if it is still as we wrote it."""
    if not kept or kept.get("wrote") != _stamp(now):
        return None
    return text_at(str(kept["backup"])) if kept.get("backup") else ""


def state_of(part: ConfigPart) -> str:
    """Whether our entries are in the file.

    `absent`, `current`, `other` (it runs another installation) or `invalid` (it cannot be read).
    """
    try:
        text = text_at(part.path) or ""
        wanted = part.form.put(text)
    except (Unreadable, FileNotThere, StorageFailed, ValueError):
        return "invalid"
    if not _has_ours(part.form, text):
        return "absent"
    return "current" if wanted == text else "other"


def _has_ours(form: ConfigFormat, text: str) -> bool:
    try:
        return form.taken(text) != text
    except ValueError:
        return False


def _stamp(text: str) -> str:
    return disk.stamp_of(text.encode())


def text_at(path: str) -> str | None:
    """The text of a file of somebody else, behind a link too; None where there is none.

    Raises:
        Unreadable: it is not UTF-8.
    """
    real = os.path.realpath(path)
    if not os.path.lexists(real):
        return None
    try:
        # Line ends have to come back as they are.
        return disk.read_file(real, LARGEST).decode("utf-8")
    except UnicodeDecodeError:
        raise Unreadable(path=path, reason="it is not UTF-8 text") from None


def writable_mode(path: str, usual: int = disk.FILE_MODE) -> int:
    """The mode of a file, the usual one for a new file. Raises StorageFailed if it is read-only."""
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return usual
    if not mode & stat.S_IWUSR:
        raise StorageFailed(path=path, reason="it is read-only")
    return mode


def is_blank(text: str) -> bool:
    """Whether nothing is in a file but blanks and a byte-order mark."""
    return not text.strip("\ufeff \t\r\n")


def _begun(text: str, head: str) -> str:
    """The text; for a blank file the start of a new one, behind its byte-order mark."""
    mark = text[: len(text) - len(text.lstrip("\ufeff"))]
    return f"{mark}{head}\n" if is_blank(text) else text


class HookTable(NamedTuple):
    """Our handlers in the table of hooks of a client, one group for each event."""

    client: str
    groups: Mapping[str, Mapping[str, Any]]  # by event
    is_flat: bool = False  # an event lists handlers, not groups of them
    head: str = "{}"  # what a new file begins with
    has_comments: bool = False

    def put(self, text: str) -> str:
        """The text of a settings file with our hooks in it, each event's once, and no others."""
        text = self._without_events(_begun(text, self.head), frozenset(self.groups), NOTHING)
        for event, group in self.groups.items():
            text = self._with_group(text, event, dict(group))
        return text

    def taken(self, text: str, theirs: frozenset[str] = NOTHING) -> str:
        """The text of a settings file without our hooks."""
        return text if is_blank(text) else self._without_events(text, NOTHING, theirs)

    def _without_events(self, text: str, keep: frozenset[str], theirs: frozenset[str]) -> str:
        """The text without our hooks of all events but those to keep."""
        root = self._root(text)
        hooks = member(text, root, "hooks", dict)
        if hooks is None:
            return text
        before = text
        at = hooks.value_start
        for n in reversed(range(len(json_edit.spans(text, at)))):
            span = json_edit.spans(text, at)[n]
            if span.key in keep or not isinstance(span.value, list):
                continue
            shorter = self._without_ours(text, span.value_start)
            emptied = shorter != text and not json_edit.spans(shorter, span.value_start)
            drop = emptied and span.key not in theirs
            text = json_edit.removed(shorter, at, n, 1) if drop else shorter
        if text != before and not json_edit.spans(text, at) and "hooks" not in theirs:
            text = without_member(text, root, at)
        return text

    def empties(self, text: str) -> list[str]:
        """`hooks`, and the events in it, that are there and empty."""
        if is_blank(text):
            return []
        hooks = member(text, self._root(text), "hooks", dict)
        if hooks is None:
            return []
        spans = json_edit.spans(text, hooks.value_start)
        return [span.key for span in spans if span.value == []] + ([] if spans else ["hooks"])

    def is_ours(self, handler: object) -> bool:
        """Whether a handler of an event runs our hook for this client."""
        if not isinstance(handler, dict):
            return False
        ours = rf"[/\\]recollect[/\\]hook\.py[\"']? {self.client} \w+\s*$"
        return bool(re.search(ours, str(handler.get("command", ""))))

    def _root(self, text: str) -> int:
        return json_edit.root_of(text, comments=self.has_comments)

    def _with_group(self, text: str, event: str, group: dict[str, Any]) -> str:
        root = self._root(text)
        hooks = member(text, root, "hooks", dict)
        if hooks is None:
            return json_edit.added(text, root, "hooks", {event: [group]}, 0)
        groups = member(text, hooks.value_start, event, list)
        if groups is None:
            return json_edit.added(text, hooks.value_start, event, [group], 1)
        at = groups.value_start
        have: list[json_edit.Span] = []
        alone = True
        for span in json_edit.spans(text, at):
            ours = [self.is_ours(handler.value) for handler in self._handlers(text, span)[1]]
            have += [span] if any(ours) else []
            alone = alone and (all(ours) or not any(ours))
        if not have:
            return json_edit.added(text, at, "", group, 2)
        if len(have) == 1 and alone:
            return text if have[0].value == group else json_edit.replaced(text, have[0], group, 3)
        # Ours stand several times, or in a group with others: write this event from scratch.
        return self._with_group(self._without_ours(text, at), event, group)

    def _without_ours(self, text: str, groups: int) -> str:
        """The text without our handlers in one event, and without the groups that held only them."""
        for n in reversed(range(len(json_edit.spans(text, groups)))):
            where, handlers = self._handlers(text, json_edit.spans(text, groups)[n])
            ours = [at for at, handler in enumerate(handlers) if self.is_ours(handler.value)]
            if ours and len(ours) == len(handlers):
                text = json_edit.removed(text, groups, n, 2)
                continue
            for at in reversed(ours):
                text = json_edit.removed(text, where, at, 4)
        return text

    def _handlers(self, text: str, group: json_edit.Span) -> tuple[int, list[json_edit.Span]]:
        """`(start, handlers)` of the list in a group; no handlers where it is no group."""
        if self.is_flat:
            return -1, [group]
        if isinstance(group.value, dict):
            listed = last(json_edit.spans(text, group.value_start), "hooks")
            if listed is not None and isinstance(listed.value, list):
                return listed.value_start, json_edit.spans(text, listed.value_start)
        return -1, []


class ObjectEntry(NamedTuple):
    """Our entry in an object of a JSON file, as in `{"mcpServers": {"recollect": {…}}}`."""

    within: str
    name: str
    value: Mapping[str, Any]
    head: str = "{}"  # what a new file begins with
    has_comments: bool = False

    def put(self, text: str) -> str:
        """The text with our entry. Raises ValueError if there is another of its name."""
        text = _begun(text, self.head)
        root = self._root(text)
        listed = member(text, root, self.within, dict)
        if listed is None:
            return json_edit.added(text, root, self.within, {self.name: dict(self.value)}, 0)
        have = last(json_edit.spans(text, listed.value_start), self.name)
        if have is None:
            return json_edit.added(text, listed.value_start, self.name, dict(self.value), 1)
        if not _runs_us(have.value):
            raise ValueError(f"it has an entry “{self.name}” that is not ours")
        wanted = {**have.value, **self.value}  # what a person added to it stays
        return text if have.value == wanted else json_edit.replaced(text, have, wanted, 2)

    def taken(self, text: str, theirs: frozenset[str] = NOTHING) -> str:
        """The text without our entry."""
        if is_blank(text):
            return text
        root = self._root(text)
        listed = member(text, root, self.within, dict)
        if listed is None:
            return text
        at = listed.value_start
        for n, span in enumerate(json_edit.spans(text, at)):
            if span.key == self.name and _runs_us(span.value):
                text = json_edit.removed(text, at, n, 1)
                empty = not json_edit.spans(text, at) and self.within not in theirs
                return without_member(text, root, at) if empty else text
        return text

    def empties(self, text: str) -> list[str]:
        """The object of our entry, if it is there and empty."""
        if is_blank(text):
            return []
        listed = member(text, self._root(text), self.within, dict)
        return [self.within] if listed is not None and listed.value == {} else []

    def _root(self, text: str) -> int:
        return json_edit.root_of(text, comments=self.has_comments)


def _runs_us(value: object) -> bool:
    """Whether an entry runs our program."""
    if not isinstance(value, dict):
        return False
    words: list[object] = []
    for said in (value.get("command"), value.get("args")):
        words += said if isinstance(said, list) else [said]
    ours = re.compile(r"[/\\]recollect[/\\]__main__\.py$")
    return any(isinstance(word, str) and ours.search(word) for word in words)


def member(text: str, at: int, key: str, kind: type) -> json_edit.Span | None:
    """The member with this key. Raises ValueError if it is of another kind."""
    span = last(json_edit.spans(text, at), key)
    if span is not None and not isinstance(span.value, kind):
        raise ValueError(f"“{key}” does not have the form that the client reads")
    return span


def last(spans: list[json_edit.Span], key: str) -> json_edit.Span | None:
    """The member with this key; of several the last counts, as for every reader of JSON."""
    return next((span for span in reversed(spans) if span.key == key), None)


def without_member(text: str, root: int, at: int) -> str:
    """The text without the member of the outermost object whose value starts at `at`."""
    n = next(n for n, span in enumerate(json_edit.spans(text, root)) if span.value_start == at)
    return json_edit.removed(text, root, n, 0)


# -------------------- A table of ours in a TOML file.


_HEADER = re.compile(r"^[ \t]*\[[^\n]*$", re.M)


class Table(NamedTuple):
    """Our table `[within.name]`, of strings and lists of strings."""

    within: str
    name: str
    value: Mapping[str, str | list[str]]

    def put(self, text: str) -> str:
        """The text with our table at its end, or where it stands already."""
        said = _parsed(text)
        there = _table_in(said, self.within)
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
            raise ValueError(f"no table can be added to [{self.within}]")
        return made

    def taken(self, text: str, theirs: frozenset[str] = NOTHING) -> str:
        """The text without our table and those below it."""
        del theirs
        said = _parsed(text)
        there = _table_in(said, self.within)
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
            raise ValueError(f"the table [{self.within}.{self.name}] cannot be removed")
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


def table_at(path: str, key: str) -> dict[str, Any]:
    """The table with this key in a TOML file; empty if there is none, or the file cannot be read."""
    try:
        return _table_in(_parsed(text_at(path) or ""), key)
    except (RecollectError, ValueError):
        return {}


def _table_in(said: dict[str, Any], key: str) -> dict[str, Any]:
    found = said.get(key, {})
    if not isinstance(found, dict):
        raise ValueError(f"“{key}” does not have the form that the client reads")  # noqa: TRY004
    return found


def _shown(value: str | list[str]) -> str:
    # Strings of JSON are basic strings of TOML, but for the one sign that TOML wants escaped too.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
