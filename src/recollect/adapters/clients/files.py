"""Clients: putting what is ours into their files, and taking it out again.

Promises: a file that is not valid, is read-only or holds other shapes is not touched; installing
twice is installing once; uninstalling gives back the bytes that were there.
Touches: the files of clients, a copy of each beside it, and a note for each in our cache.
"""

from __future__ import annotations

import json
import os
import stat
from typing import Any

from recollect import fsio
from recollect.adapters.clients.form import Form, Part
from recollect.errors import FileNotThere, StorageFailed, Unreadable
from recollect.named import NamedTuple

LARGEST = 8 * 1024 * 1024
BACKUP_SUFFIX = ".before-recollect"


class Outcome(NamedTuple):
    """What installing or uninstalling did, or would do."""

    path: str
    changed: bool
    text: str
    backup: str = ""


def install(part: Part, note: str, *, dry_run: bool) -> Outcome:
    """Put what is ours into a file; `note` remembers what was there.

    Raises:
        Unreadable: the file is not valid; it was not touched.
        StorageFailed: the file is read-only or the disk refused.
    """
    real = os.path.realpath(part.path)
    old = _read(real)
    try:
        text = part.form.put(old or "")
        theirs = part.form.empties(old or "")
    except ValueError as error:
        raise Unreadable(path=part.path, reason=str(error)) from None
    if text == old:
        return Outcome(part.path, False, text)
    first = old is None or not _has_ours(part.form, old)
    backup = real + BACKUP_SUFFIX if old is not None and first else ""
    if dry_run:
        return Outcome(part.path, True, text, backup)
    mode = _require_writable(real)
    fsio.make_folder(os.path.dirname(real))
    if backup:
        fsio.write_whole(backup, _bytes(old or ""), mode=mode)
    _keep_note(note, real, old, text, {"backup": backup, "theirs": theirs} if first else None)
    fsio.write_whole(real, _bytes(text), mode=mode)
    fsio.sync_folder(os.path.dirname(real))
    return Outcome(part.path, True, text, backup)


def _keep_note(
    note: str, real: str, old: str | None, text: str, fresh: dict[str, Any] | None
) -> None:
    """Note what was there before us; when we renew what is ours, that it still holds."""
    kept = _kept(note, real)
    if fresh is None and (old is None or kept.get("wrote") != _stamp(old)):
        return
    fsio.make_folder(os.path.dirname(note))
    what = (fresh or kept) | {"path": real, "wrote": _stamp(text)}
    fsio.write_whole(note, json.dumps(what).encode(), durable=False)


def uninstall(part: Part, note: str, *, dry_run: bool) -> Outcome:
    """Take out what is ours; the bytes from before come back if nobody wrote since."""
    real = os.path.realpath(part.path)
    old = _read(real)
    if old is None:
        return Outcome(part.path, False, "")
    kept = _kept(note, real)
    before = _before(kept, old)
    try:
        text = before if before is not None else _cleaned(part.form, old, kept)
    except ValueError as error:
        raise Unreadable(path=part.path, reason=str(error)) from None
    if text == old:
        return Outcome(part.path, False, text)
    if not dry_run:
        mode = _require_writable(real)
        if not text and not kept.get("backup"):
            fsio.remove(real)  # there was no file before us
        else:
            fsio.write_whole(real, _bytes(text), mode=mode)
        fsio.sync_folder(os.path.dirname(real))
        fsio.remove(real + BACKUP_SUFFIX)
        fsio.remove(note)
    return Outcome(part.path, True, text)


def _cleaned(form: Form, text: str, kept: dict[str, Any]) -> str:
    return form.taken(text, frozenset(kept.get("theirs", ())))


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


def state_of(part: Part) -> str:
    """Whether what is ours is in the file.

    `absent`, `current`, `other` (it runs another installation) or `invalid` (it cannot be read).
    """
    try:
        text = _read(os.path.realpath(part.path)) or ""
        wanted = part.form.put(text)
    except (Unreadable, FileNotThere, StorageFailed, ValueError):
        return "invalid"
    if not _has_ours(part.form, text):
        return "absent"
    return "current" if wanted == text else "other"


def _has_ours(form: Form, text: str) -> bool:
    try:
        return form.taken(text) != text
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
