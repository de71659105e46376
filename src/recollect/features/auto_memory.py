"""Modes of a client's own memory: `alongside`, `replace`.

`alongside` (default): the client keeps its own; its notes are copied for other clients. `replace`:
the client's own is turned off. Settings change only on a person's request and `undo` restores them
exactly. The client's notes have an agent's trust.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress

from recollect._fastimport import Any, NamedTuple
from recollect.clients import auto_memory, claude
from recollect.clients.config_files import text_at
from recollect.errors import FileNotThere, RecollectError, StoreNotFound, Unreadable
from recollect.model import document, layers
from recollect.model.memory import Change, slug_of
from recollect.model.times import time_of
from recollect.store import disk, settings
from recollect.store.store import OpenStore
from recollect.text.tokens import STOP_WORDS
from recollect.workspace import Finding, Workspace, data_folder

CLIENT = claude.NAME
KEY = "clients.auto_memory"
ALONGSIDE, REPLACE = settings.SETTINGS[KEY].choices
SEEN = "auto-memory"  # in the index: the stamps of the notes that were taken in
KNOWN = "known-claude"  # in the cache: what the client has before it anyway, for its hooks


class Applied(NamedTuple):
    """What a mode did, or would do, to the settings of the client."""

    mode: str
    path: str
    changed: bool


# ------------------------------------------------------------------------------- the settings


def apply(app: Workspace, scope: str, mode: str, *, dry_run: bool) -> Applied:
    """Bring the client's settings into the mode: for one project, or for the person everywhere.

    Raises:
        Unreadable: the settings are not valid; they were not touched.
        StorageFailed: they are read-only, or the disk refused.
    """
    is_global = scope == "global"
    path = (
        claude.settings_path(app.env)
        if is_global
        else auto_memory.local_settings(app.project_folder)
    )
    notes = _notes(app)
    old = text_at(path)
    text = old
    try:
        if old is not None and path in notes:
            text = auto_memory.taken_back(old, notes[path])
        wanted = _wanted(app, mode, is_global=is_global)
        text, edit = (
            auto_memory.changed(text, wanted)
            if wanted
            else (text, auto_memory.SettingsEdit({}, {}))
        )
    except ValueError as error:
        raise Unreadable(path=path, reason=str(error)) from None
    if not dry_run:
        notes.pop(path, None)
        # Noted first: what was noted and not written is found not to be ours.
        _keep_notes(app, notes | ({path: edit} if edit.wrote else {}))
        if text != old:
            auto_memory.write(path, text)
    return Applied(mode, path, text != old)


def _wanted(app: Workspace, mode: str, *, is_global: bool) -> dict[str, Any]:
    """The setting that a mode needs in a file."""
    if mode == REPLACE:
        return {auto_memory.ENABLED: False}
    # What the person's file for every project says has to be outvoted.
    above = {} if is_global else auto_memory.settings_in(_text_above(app))
    return {auto_memory.ENABLED: True} if above.get(auto_memory.ENABLED) is False else {}


def _text_above(app: Workspace) -> str | None:
    with suppress(RecollectError):  # the client cannot read it either
        return text_at(claude.settings_path(app.env))
    return None


def undo(app: Workspace, *, is_last: bool, dry_run: bool) -> list[Applied]:
    """Give back the settings of every file that a mode changed, as they were.

    A file that we made and that has something else in it now is noted, unless this `is_last`: when
    that has been taken out as well, the file is to go.
    """
    done = []
    notes = _notes(app)
    left = dict(notes)
    for path, edit in notes.items():
        old = text_at(path)
        if old is None:
            left.pop(path)
            continue
        try:
            text = auto_memory.taken_back(old, edit)
        except ValueError as error:
            raise Unreadable(path=path, reason=str(error)) from None
        done.append(Applied(ALONGSIDE, path, text != old))
        is_half = edit.was_blank and text != edit.blank
        left[path] = auto_memory.SettingsEdit({}, {}, edit.blank, True)
        if is_last or not is_half:
            left.pop(path)
        if text != old and not dry_run:
            auto_memory.write(path, text)
    if not dry_run and left != notes:
        _keep_notes(app, left)
    return [one for one in done if one.changed]


def _notes_path(app: Workspace) -> str:
    return os.path.join(data_folder(app.env), "auto-memory.json")


def _notes(app: Workspace) -> dict[str, auto_memory.SettingsEdit]:
    """What was done to which file."""
    try:
        rows = json.loads(disk.read_file(_notes_path(app)))
    except (FileNotThere, StoreNotFound, ValueError):
        return {}
    made = {}
    for path, row in rows.items() if isinstance(rows, dict) else ():
        with suppress(TypeError, AttributeError):
            made[path] = auto_memory.SettingsEdit(**row)
    return made


def _keep_notes(app: Workspace, notes: dict[str, auto_memory.SettingsEdit]) -> None:
    path = _notes_path(app)
    if not notes:
        disk.remove(path)
        return
    disk.make_folder(os.path.dirname(path))
    rows = {where: edit._asdict() for where, edit in notes.items()}
    disk.write_whole(path, json.dumps(rows, ensure_ascii=False, indent=1).encode())


# ---------------------------------------------------------------------------------- the notes


def keep(app: Workspace, store: OpenStore) -> int:
    """Take in what the client noted since; gives how many notes were new."""
    mode = app.values(store.root)[KEY]
    now = auto_memory.in_force(app.env, app.project_folder)
    is_beside = mode == ALONGSIDE and store.scope == "project"
    place = _own_folder(app) if is_beside else ""
    index = auto_memory.index_of(place) if place else ""
    if now.get(auto_memory.ENABLED) is False:
        index = ""  # the client loads none of it
    found = list(auto_memory.notes_in(place))
    listed = [f"({note.name}.md)" in index for note in found]
    # Before a name or a tag is made of it.
    clean = [note.mapped(app.redact) for note in found]
    names = [(f"auto-{slug_of(note.name)}", note) for note in clean]
    # A copy that is encrypted would tell nobody what the client keeps plain beside it.
    is_wanted = store.settings.capture and "semantic" not in store.settings.encrypt
    new = _take_in(store, names) if is_wanted else 0
    _tell_hooks(app, store, [name for (name, _), here in zip(names, listed, strict=True) if here])
    return new


def _own_folder(app: Workspace) -> str:
    """Where the client keeps its notes of this project: its usual folder, or the person's choice.

    What a project's own files say of it does not count: they would have us copy any folder.
    """
    said = auto_memory.settings_in(_text_above(app)).get(auto_memory.DIRECTORY)
    if not isinstance(said, str) or not said.startswith(("/", "~/")):
        return auto_memory.own_folder(app.env, os.path.realpath(app.project_folder))
    return app.env.get("HOME", "") + said[1:] if said.startswith("~/") else said


def _take_in(store: OpenStore, names: list[tuple[str, auto_memory.ClientNote]]) -> int:
    """Make memories of notes that are new, and renew those whose note was changed."""
    try:
        seen = json.loads(store.index.meta(SEEN) or "{}")
    except ValueError:
        seen = {}
    fresh = {name: note for name, note in names if seen.get(name) != note.stamp}
    if not fresh:
        return 0
    known = {name for name in fresh if store.index.entry(name) is not None}
    ops = store.journal.heads() if len(known) < len(fresh) else ()
    gone = {op.memory for op in ops if op.op == "remove"} - known  # a person took them away
    found = [_change_for(store, name, note) for name, note in fresh.items() if name not in gone]
    changes = [change for change in found if change]
    if changes:
        store.commit(lambda: changes, cause="capture")
    store.index.set_meta({SEEN: json.dumps(seen | {name: n.stamp for name, n in fresh.items()})})
    return len(changes)


def _change_for(store: OpenStore, name: str, note: auto_memory.ClientNote) -> Change | None:
    """What is to be written of a note; nothing of one that a person took over."""
    title = (note.description or note.name.replace("-", " "))[:200]
    entry = store.index.entry(name)
    if entry is None:
        if not (note.body or note.description):
            return None
        path = store.path_for("semantic", "fact", name)
        return Change("put", path, name, None, _text_for(path, name, title, note, store.now))
    old = store.read(entry)
    if entry.trust == "user" or entry.archived:
        return None
    text = document.with_title(document.with_body(old.text, _body(title, note)), title)
    if text == old.text:
        return None
    text = document.with_field(text, "updated", store.now)
    return Change("put", entry.path, name, old.stamp, text)


def _body(title: str, note: auto_memory.ClientNote) -> str:
    body = note.body.strip("\n")
    return f"{body}\n" if body.startswith("# ") else f"# {title}\n\n{body}".rstrip() + "\n"


def _text_for(path: str, name: str, title: str, note: auto_memory.ClientNote, now: str) -> str:
    created = time_of(note.modified) or now
    tags = layers.suggested_tags(title, note.body, STOP_WORDS)
    fields: dict[str, Any] = {
        "id": name, "title": title, "type": "semantic", "kind": "fact", "tags": tags,
        "salience": "medium", "confidence": "medium", "source": "observed", "trust": "agent",
        "status": "confirmed", "session": note.session, "created": created, "updated": created,
    }  # fmt: skip
    return document.new_text(fields, _body(title, note), path)


def _tell_hooks(app: Workspace, store: OpenStore, names: list[str]) -> None:
    """Leave word which memories the client has before it anyway."""
    path = f"{app.cache_of(store.root)}/{KNOWN}"
    if not names:
        disk.remove(path)
    else:
        text = "".join(f"{name}\n" for name in names)
        disk.write_whole(path, text.encode(), durable=False)


# -------------------------------------------------------------------------------- the doctor


def findings(app: Workspace) -> Iterator[Finding]:
    """Which mode is on, and whether it is the one that the person chose; nothing without a client."""
    now = auto_memory.in_force(app.env, app.project_folder)
    root = app.roots.get("project") or app.roots.get("global")
    chosen = app.values(root)[KEY] if root else ALONGSIDE
    if now.get(auto_memory.ENABLED) is False:
        on = REPLACE
        yield Finding.ok("auto memory", "replace: the client's own memory is turned off")
    else:
        on = ALONGSIDE
        if chosen != on or any(map(os.path.exists, claude.traces(app.env))):
            yield Finding.ok("auto memory", "alongside: the client keeps its own memory too")
    if chosen != on:
        yield Finding.note(
            "auto memory",
            "the store's settings say {wanted}; run `recollect init --auto-memory {wanted}` to apply it",
            wanted=chosen,
        )
