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
from typing import Any, NamedTuple

from recollect import fsio
from recollect.domain import jsontext
from recollect.errors import FileNotThere, StorageFailed, Unreadable

LARGEST = 8 * 1024 * 1024
BACKUP_SUFFIX = ".before-recollect"
TIMEOUT_SECONDS = 10
_OURS = re.compile(r"recollect[/\\]hook\.py[\"']? claude \w+\s*$")
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


def is_ours(group: object) -> bool:
    """Whether an entry of an event runs our hook and nothing else."""
    handlers = group.get("hooks") if isinstance(group, dict) else None
    return bool(
        isinstance(handlers, list)
        and handlers
        and all(isinstance(h, dict) and _OURS.search(str(h.get("command", ""))) for h in handlers)
    )


# ---------------------------------------------------------------------------------- pure edits


def with_hooks(text: str, python: str, hook: str) -> str:
    """The text of a settings file with our hooks in it. Raises ValueError."""
    if not text.strip("\ufeff \t\r\n"):
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
    ours = [span for span in jsontext.spans(text, groups.value_start) if is_ours(span.value)]
    if not ours:
        return jsontext.added(text, groups.value_start, "", group, 2)
    return text if ours[0].value == group else jsontext.replaced(text, ours[0], group, 3)


def without_hooks(text: str) -> str:
    """The text of a settings file without our hooks. Raises ValueError."""
    root = jsontext.root_of(text)
    hooks = _member(text, root, "hooks", dict)
    if hooks is None:
        return text
    for event in [span.key for span in jsontext.spans(text, hooks.value_start)]:
        text = _without_groups(text, hooks.value_start, event)
    if not jsontext.spans(text, hooks.value_start):
        names = [span.key for span in jsontext.spans(text, root)]
        text = jsontext.removed(text, root, names.index("hooks"))
    return text


def _without_groups(text: str, hooks: int, event: str) -> str:
    members = jsontext.spans(text, hooks)
    at = next(n for n, span in enumerate(members) if span.key == event)
    start = members[at].value_start
    if not isinstance(members[at].value, list):
        return text
    ours = [n for n, span in enumerate(jsontext.spans(text, start)) if is_ours(span.value)]
    for n in reversed(ours):
        text = jsontext.removed(text, start, n)
    if ours and not jsontext.spans(text, start):
        text = jsontext.removed(text, hooks, at)
    return text


def _member(text: str, at: int, key: str, kind: type) -> jsontext.Span | None:
    for span in jsontext.spans(text, at):
        if span.key == key:
            if not isinstance(span.value, kind):
                raise ValueError(f"“{key}” is not of the form that Claude Code reads")
            return span
    return None


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
    except (ValueError, IndexError) as error:
        raise Unreadable(path=path, reason=str(error)) from None
    if text == old:
        return Outcome(path, False, text)
    backup = real + BACKUP_SUFFIX if old is not None else ""
    if dry_run:
        return Outcome(path, True, text, backup)
    mode = _require_writable(real)
    fsio.make_folder(os.path.dirname(real))
    if old is not None and without_hooks(text) != text and not _has_ours(old):
        fsio.write_whole(backup, _bytes(old))
    fsio.write_whole(real, _bytes(text), mode=mode)
    fsio.sync_folder(os.path.dirname(real))
    if not _has_ours(old or "{}"):
        fsio.make_folder(os.path.dirname(note))
        what = {"path": real, "wrote": fsio.stamp_of(_bytes(text)), "backup": backup}
        fsio.write_whole(note, json.dumps(what).encode(), durable=False)
    return Outcome(path, True, text, backup)


def uninstall(path: str, note: str, *, dry_run: bool) -> Outcome:
    """Take our hooks out again; the bytes from before come back if nobody wrote since."""
    real = os.path.realpath(path)
    old = _read(real)
    if old is None:
        return Outcome(path, False, "")
    try:
        text = without_hooks(old) if old.strip("\ufeff \t\r\n") else old
    except (ValueError, IndexError) as error:
        raise Unreadable(path=path, reason=str(error)) from None
    before = _before(real, note, old)
    if before is not None:
        text = before
    if text == old:
        return Outcome(path, False, text)
    if not dry_run:
        mode = _require_writable(real)
        if before == "" and not os.path.lexists(real + BACKUP_SUFFIX):
            fsio.remove(real)  # there was no file before us
        else:
            fsio.write_whole(real, _bytes(text), mode=mode)
        fsio.sync_folder(os.path.dirname(real))
        fsio.remove(real + BACKUP_SUFFIX)
        fsio.remove(note)
    return Outcome(path, True, text)


def _before(real: str, note: str, now: str) -> str | None:
    """What the file was before us, if it still is what we wrote."""
    try:
        kept = json.loads(fsio.read_file(note))
        if kept.get("path") != real or kept.get("wrote") != fsio.stamp_of(_bytes(now)):
            return None
        return _read(kept["backup"]) if kept["backup"] else ""
    except (FileNotThere, ValueError, KeyError, AttributeError):
        return None


def is_installed(path: str) -> bool | None:
    """Whether our hooks are in the file; None if it cannot be read."""
    try:
        text = _read(os.path.realpath(path))
        return text is not None and _has_ours(text)
    except (Unreadable, FileNotThere, StorageFailed):
        return None


def _has_ours(text: str) -> bool:
    try:
        return without_hooks(text) != text
    except (ValueError, IndexError):
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


def _require_writable(path: str) -> int:
    """The mode of the file. Raises StorageFailed if its owner made it read-only."""
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return fsio.FILE_MODE
    if not mode & stat.S_IWUSR:
        raise StorageFailed(path=path, reason="it is read-only")
    return mode
