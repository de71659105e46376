"""Claude Code: our hooks in its settings file, put in and taken out again.

Promises: only our own entries are added or removed, every other byte stays; a file that is not
valid JSON, is read-only or holds other shapes is not touched; installing twice is installing
once; uninstalling gives back the bytes that were there.
Touches: `settings.json` of the client, a copy of it beside it, and a note in our cache.
"""

from __future__ import annotations

import json
import os
import re
import stat
from typing import Any

from recollect import fsio
from recollect.domain import jsontext
from recollect.errors import FileNotThere, StorageFailed, Unreadable
from recollect.named import NamedTuple

LARGEST = 8 * 1024 * 1024
BACKUP_SUFFIX = ".before-recollect"
TIMEOUT_SECONDS = 10
_OURS = re.compile(r"[/\\]recollect[/\\]hook\.py[\"']? claude \w+\s*$")
_EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {"matcher": "startup|resume|clear|compact|fork"},
    "UserPromptSubmit": {},
    "PostToolUse": {"async": True},
    "PostToolUseFailure": {},
    "PreCompact": {},
    "Stop": {},
    "SubagentStop": {},
    "SessionEnd": {},
}


class Outcome(NamedTuple):
    """What installing or uninstalling did, or would do."""

    path: str
    changed: bool
    text: str
    backup: str = ""


def settings_path(env: dict[str, str]) -> str:
    """The client's own settings file of this user."""
    folder = env.get("CLAUDE_CONFIG_DIR") or os.path.join(env.get("HOME", "/"), ".claude")
    return os.path.join(folder, "settings.json")


def command_for(python: str, hook: str, event: str) -> str:
    """The command line of a hook, in the shell form that every client understands."""
    return f"{_quoted(python)} -I -S {_quoted(hook)} claude {event}"


def _quoted(path: str) -> str:
    return '"' + re.sub(r'(["\\$`])', r"\\\1", path) + '"'


def group_for(python: str, hook: str, event: str) -> dict[str, Any]:
    """The entry of an event in the form of the settings file."""
    extra = _EVENTS[event]
    handler: dict[str, Any] = {"type": "command", "command": command_for(python, hook, event)}
    if extra.get("async"):
        handler["async"] = True
    handler["timeout"] = TIMEOUT_SECONDS
    group: dict[str, Any] = {"matcher": extra["matcher"]} if "matcher" in extra else {}
    return group | {"hooks": [handler]}


def is_ours(handler: object) -> bool:
    """Whether a handler of an event runs our hook."""
    return isinstance(handler, dict) and bool(_OURS.search(str(handler.get("command", ""))))


# ---------------------------------------------------------------------------------- pure edits


def _is_blank(text: str) -> bool:
    return not text.strip("\ufeff \t\r\n")


def with_hooks(text: str, python: str, hook: str) -> str:
    """The text of a settings file with our hooks in it, each event's once. Raises ValueError."""
    if _is_blank(text):
        text = text[: len(text) - len(text.lstrip("\ufeff"))] + "{}\n"
    for event in _EVENTS:
        text = _with_group(text, event, group_for(python, hook, event))
    return text


def _with_group(text: str, event: str, group: dict[str, Any]) -> str:
    root = jsontext.root_of(text)
    hooks = _member(text, root, "hooks", dict)
    if hooks is None:
        return jsontext.added(text, root, "hooks", {event: [group]}, 0)
    groups = _member(text, hooks.value_start, event, list)
    if groups is None:
        return jsontext.added(text, hooks.value_start, event, [group], 1)
    at = groups.value_start
    have: list[jsontext.Span] = []
    alone = True
    for span in jsontext.spans(text, at):
        ours = [is_ours(handler.value) for handler in _handler_spans(text, span)[1]]
        have += [span] if any(ours) else []
        alone = alone and (all(ours) or not any(ours))
    if not have:
        return jsontext.added(text, at, "", group, 2)
    if len(have) == 1 and alone:
        return text if have[0].value == group else jsontext.replaced(text, have[0], group, 3)
    # Ours stand several times, or in a group with others: begin this event anew.
    return _with_group(_without_ours(text, at), event, group)


def without_hooks(text: str, theirs: frozenset[str] = frozenset()) -> str:
    """The text of a settings file without our hooks. Raises ValueError.

    What is empty without them goes too, unless it is in `theirs`: it was there before us.
    """
    root = jsontext.root_of(text)
    hooks = _member(text, root, "hooks", dict)
    if hooks is None:
        return text
    before = text
    at = hooks.value_start
    for n in reversed(range(len(jsontext.spans(text, at)))):
        span = jsontext.spans(text, at)[n]
        if not isinstance(span.value, list):
            continue
        shorter = _without_ours(text, span.value_start)
        emptied = shorter != text and not jsontext.spans(shorter, span.value_start)
        drop = emptied and span.key not in theirs
        text = jsontext.removed(shorter, at, n, 1) if drop else shorter
    if text != before and not jsontext.spans(text, at) and "hooks" not in theirs:
        n = next(n for n, span in enumerate(jsontext.spans(text, root)) if span.value_start == at)
        text = jsontext.removed(text, root, n, 0)
    return text


def _without_ours(text: str, groups: int) -> str:
    """The text without our handlers in one event, and without the groups that held only them."""
    for n in reversed(range(len(jsontext.spans(text, groups)))):
        where, handlers = _handler_spans(text, jsontext.spans(text, groups)[n])
        ours = [at for at, handler in enumerate(handlers) if is_ours(handler.value)]
        if ours and len(ours) == len(handlers):
            text = jsontext.removed(text, groups, n, 2)
            continue
        for at in reversed(ours):
            text = jsontext.removed(text, where, at, 4)
    return text


def _handler_spans(text: str, group: jsontext.Span) -> tuple[int, list[jsontext.Span]]:
    """`(start, handlers)` of the list in a group; no handlers where it is no group."""
    if isinstance(group.value, dict):
        listed = _last(jsontext.spans(text, group.value_start), "hooks")
        if listed is not None and isinstance(listed.value, list):
            return listed.value_start, jsontext.spans(text, listed.value_start)
    return -1, []


def empty_places(text: str) -> list[str]:
    """`hooks`, and the events in it, that are there and empty."""
    if _is_blank(text):
        return []
    hooks = _member(text, jsontext.root_of(text), "hooks", dict)
    if hooks is None:
        return []
    spans = jsontext.spans(text, hooks.value_start)
    return [span.key for span in spans if span.value == []] + ([] if spans else ["hooks"])


def _member(text: str, at: int, key: str, kind: type) -> jsontext.Span | None:
    span = _last(jsontext.spans(text, at), key)
    if span is not None and not isinstance(span.value, kind):
        raise ValueError(f"“{key}” is not of the form that Claude Code reads")
    return span


def _last(spans: list[jsontext.Span], key: str) -> jsontext.Span | None:
    """The member with this key; of several the last counts, as for every reader of JSON."""
    return next((span for span in reversed(spans) if span.key == key), None)


# --------------------------------------------------------------------------------- the files


def install(path: str, python: str, hook: str, note: str, *, dry_run: bool) -> Outcome:
    """Put our hooks into the settings file at `path`; `note` remembers what was there.

    Raises:
        Unreadable: the file is not valid; it was not touched.
        StorageFailed: the file is read-only or the disk refused.
    """
    real = os.path.realpath(path)
    old = _read(real)
    try:
        text = with_hooks(old or "", python, hook)
        theirs = empty_places(old or "")
    except ValueError as error:
        raise Unreadable(path=path, reason=str(error)) from None
    if text == old:
        return Outcome(path, False, text)
    first = old is None or not _has_ours(old)
    backup = real + BACKUP_SUFFIX if old is not None and first else ""
    if dry_run:
        return Outcome(path, True, text, backup)
    mode = _require_writable(real)
    fsio.make_folder(os.path.dirname(real))
    if backup:
        fsio.write_whole(backup, _bytes(old or ""), mode=mode)
    _keep_note(note, real, old, text, {"backup": backup, "theirs": theirs} if first else None)
    fsio.write_whole(real, _bytes(text), mode=mode)
    fsio.sync_folder(os.path.dirname(real))
    return Outcome(path, True, text, backup)


def _keep_note(
    note: str, real: str, old: str | None, text: str, fresh: dict[str, Any] | None
) -> None:
    """Note what was there before us; when we renew our hooks, that it still holds."""
    kept = _kept(note, real)
    if fresh is None and (old is None or kept.get("wrote") != _stamp(old)):
        return
    fsio.make_folder(os.path.dirname(note))
    what = (fresh or kept) | {"path": real, "wrote": _stamp(text)}
    fsio.write_whole(note, json.dumps(what).encode(), durable=False)


def uninstall(path: str, note: str, *, dry_run: bool) -> Outcome:
    """Take our hooks out again; the bytes from before come back if nobody wrote since."""
    real = os.path.realpath(path)
    old = _read(real)
    if old is None:
        return Outcome(path, False, "")
    kept = _kept(note, real)
    before = _before(kept, old)
    try:
        text = before if before is not None else _cleaned(old, kept)
    except ValueError as error:
        raise Unreadable(path=path, reason=str(error)) from None
    if text == old:
        return Outcome(path, False, text)
    if not dry_run:
        mode = _require_writable(real)
        if before == "" and not kept.get("backup"):
            fsio.remove(real)  # there was no file before us
        else:
            fsio.write_whole(real, _bytes(text), mode=mode)
        fsio.sync_folder(os.path.dirname(real))
        fsio.remove(real + BACKUP_SUFFIX)
        fsio.remove(note)
    return Outcome(path, True, text)


def _cleaned(text: str, kept: dict[str, Any]) -> str:
    if _is_blank(text):
        return text
    return without_hooks(text, frozenset(kept.get("theirs", ())))


def _kept(note: str, real: str) -> dict[str, Any]:
    """What we noted when we installed into this file; nothing if the note is gone."""
    try:
        kept = json.loads(fsio.read_file(note))
    except (FileNotThere, ValueError):
        return {}
    return kept if isinstance(kept, dict) and kept.get("path") == real else {}


def _before(kept: dict[str, Any], now: str) -> str | None:
    """What the file was before us, if it still is what we wrote."""
    if not kept or kept.get("wrote") != _stamp(now):
        return None
    return _read(str(kept["backup"])) if kept.get("backup") else ""


def state_of(path: str, python: str, hook: str) -> str:
    """Whether our hooks are in the file.

    `absent`, `current`, `other` (they run another installation) or `invalid` (it cannot be read).
    """
    try:
        text = _read(os.path.realpath(path)) or ""
        wanted = with_hooks(text, python, hook)
    except (Unreadable, FileNotThere, StorageFailed, ValueError):
        return "invalid"
    if not _has_ours(text):
        return "absent"
    return "current" if wanted == text else "other"


def is_installed(path: str) -> bool:
    """Whether hooks of ours are in the file, from whichever installation."""
    return state_of(path, "", "") == "other"


def _has_ours(text: str) -> bool:
    try:
        return without_hooks(text) != text
    except ValueError:
        return False


def _read(path: str) -> str | None:
    if not os.path.lexists(path):
        return None
    try:
        return fsio.read_file(path, LARGEST).decode("utf-8")
    except UnicodeDecodeError:
        raise Unreadable(path=path, reason="it is not UTF-8 text") from None


def _bytes(text: str) -> bytes:
    return text.encode("utf-8")


def _stamp(text: str) -> str:
    return fsio.stamp_of(_bytes(text))


def _require_writable(path: str) -> int:
    """The mode of the file. Raises StorageFailed if its owner made it read-only."""
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return fsio.FILE_MODE
    if not mode & stat.S_IWUSR:
        raise StorageFailed(path=path, reason="it is read-only")
    return mode
