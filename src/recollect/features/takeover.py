"""Move a project's memories into its own store.

They come from the global store of version 0.1, or from a private store when the project gets one
in its repository. A memory is written to the new store before it is removed from the old, so a
crash leaves two copies and the next run continues. `undo` reverts a move.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress

from recollect._fastimport import Any, NamedTuple
from recollect.capture.summary import session_that_taught
from recollect.errors import RecollectError, UsageProblem
from recollect.features import pins
from recollect.features.pins import text_then
from recollect.model import document, frontmatter
from recollect.model.footnotes import in_one_form, label_of
from recollect.model.layers import SHARED
from recollect.model.listed import matched_triggers
from recollect.model.memory import Change, Section, free_name
from recollect.store import disk, history, locations, repositories
from recollect.store.files import Scan
from recollect.store.history import ChangeGroup
from recollect.store.journal_lines import OPS_PREFIX
from recollect.store.private_stores import left_behind, require_readable
from recollect.store.store import OpenStore
from recollect.workspace import Workspace, require_person

CAUSE = "take-over"
DONE = "apart"  # in the index of the global store: whether all was looked at
LOCK_WAIT_SECONDS = 30
FIELD = "project"
LESSONS = SHARED["solution"]
# What no project is known of must not be told in any. A person can look at it: it is the project of
# whoever runs a command with RECOLLECT_PROJECT_ROOT=/unknown-project.
NOBODYS = "/unknown-project"


class Share(NamedTuple):
    """What the global store keeps for one project."""

    memories: list[str]  # their paths
    lessons: list[Section]  # solutions in the file of rules


def leave_to_projects(app: Workspace, store: OpenStore, *, again: bool = False) -> int:
    """Move what the global store keeps for projects into their own stores; gives how much.

    What a person has put back by `undo` stays, but for `again`.

    Raises:
        StorageFailed, Locked: a store cannot be written. Until it can, the global store is not
            read: it would show one project's memories in another.
    """
    known = _sessions_by_project(app, store)
    back = set() if again else _put_back(store)
    shares = _shares(store, known, back)
    sessions = _with_file(store.root, known)
    moved = 0
    if shares or sessions:
        lock = f"{app.cache_of(store.root)}/{CAUSE}.lock"
        with disk.held(lock, wait_seconds=LOCK_WAIT_SECONDS):
            shares = _shares(store, known, back)  # another process may have been quicker
            with store.one_change():
                for project in sorted({*shares, *sessions.values()}):
                    _move_to(app, store, project, shares.get(project, Share([], [])), sessions)
        moved = sum(_count(share) for share in shares.values())
        nobodys = _count(shares.get(NOBODYS, Share([], [])))
        if moved:
            store.index.set_meta({DONE: f"{moved} {nobodys}"})
    _tell(app, store)
    return moved


def _count(share: Share) -> int:
    logs = sum(path.endswith("/conversation.md") for path in share.memories)
    return len(share.memories) - logs + len(share.lessons)


def _tell(app: Workspace, store: OpenStore) -> None:
    """Say what was moved, now or by a worker that had nobody to tell."""
    counts = store.index.meta(DONE).split()
    moved, nobodys = map(int, counts) if len(counts) == 2 else (0, 0)
    if moved and not app.has_reader:
        return
    store.index.set_meta({DONE: "1"})
    if moved:
        app.news.append(
            f"Memories and solutions moved from the global store to their projects: {moved}. Each project now has its own store. `recollect undo` there reverts it."
        )
    if nobodys:
        root = locations.private_root(NOBODYS, app.env)
        app.news.append(
            f"The project of {nobodys} of these solutions is unknown; they are in {root} and shown in no project."
        )


def elsewhere(store: OpenStore) -> set[str]:
    """The files that the global store kept for projects, and does not any more.

    What its journal says of them is of no concern to any other project.
    """
    if store.scope != "global":
        return set()
    pasts = (past for past in history.history(store) if past.cause == CAUSE and not past.undone)
    return {path for past in pasts for path in past.paths} - {LESSONS}


def of_all(path: str, text: str) -> str:
    """What a text from the past of the global store says to all projects."""
    if str(frontmatter.split_front(text).value(FIELD) or "").startswith("/"):
        return ""
    return _without(text, _lessons_in(text))[1] if path == LESSONS else text


def left_in_global(app: Workspace, store: OpenStore) -> int:
    """How much of projects is in the global store, as an undo has put it back."""
    return sum(map(_count, _shares(store, _sessions_by_project(app, store), set()).values()))


def _put_back(store: OpenStore) -> set[str]:
    """The files that were moved out of the global store, and put back by `undo`."""
    pasts = [past for past in history.history(store) if past.cause == CAUSE and past.undone]
    return {path for past in pasts for path in past.paths}


def _move_to(
    app: Workspace, store: OpenStore, project: str, share: Share, sessions: dict[str, str]
) -> None:
    target = app.opened(project_store(app, project), "project", folder=project)
    own = {name for name, its in sessions.items() if its == project}
    with target.one_change():
        move_memories(store, target, share.memories, share.lessons)
        if own and locations.is_private(target.root):
            locations.make_private(target.root, project, _everywhere(app))
        move_sessions(store.root, target.root, own)
        if own:
            target.note_change()  # the brief tells of sessions, too


def project_store(app: Workspace, project: str) -> str:
    """The store of a project, whichever the environment names for the project of the command."""
    return locations.project_root(project, _everywhere(app))


def _everywhere(app: Workspace) -> dict[str, str]:
    return {key: value for key, value in app.env.items() if key != "RECOLLECT_PROJECT_ROOT"}


def _sessions_by_project(app: Workspace, store: OpenStore) -> dict[str, str]:
    """The project of each session whose state, remarks or signals in the global store say one."""
    found: dict[str, str] = {}

    def take(row: dict[str, Any], project: object) -> None:
        session = row.get("session_id") or row.get("session")
        if isinstance(project, str) and project.startswith("/") and isinstance(session, str):
            found.setdefault(session, project)

    folder = f"{store.root}/sessions/active"
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        for row in _rows_at(f"{folder}/{name}") if name.endswith((".json", ".jsonl")) else ():
            take(row, row.get(FIELD))
    for signal in store.journal.hot("signal"):
        where = signal.get("folder")
        if isinstance(where, str) and where.startswith("/"):
            take(signal, locations.project_of(where, _everywhere(app)))
    return found


def _with_file(root: str, known: dict[str, str]) -> dict[str, str]:
    """Those of these sessions that have a file in a store."""
    there = {stem for folder, _ in KEPT for stem, _ in _files_of_sessions(root, folder)}
    return {name: project for name, project in known.items() if _stem_of(name) in there}


def _rows_at(path: str) -> list[dict[str, Any]]:
    """The objects in a file of JSON, or of JSON lines; what cannot be read is none."""
    try:
        text = disk.read_file(path)
    except RecollectError:
        return []
    found = []
    for line in text.split(b"\n") if path.endswith(".jsonl") else [text]:
        with suppress(ValueError, RecursionError):
            found.append(json.loads(line))
    return [row for row in found if isinstance(row, dict)]


def _shares(store: OpenStore, sessions: dict[str, str], but: set[str]) -> dict[str, Share]:
    """What belongs to each project: a conversation with its memory, and what sessions taught.

    `sessions` gets those that memories name.
    """
    found: dict[str, Share] = {}
    paths = [seen.path for seen in store.files.scan() if seen.path not in but]
    for path in paths:
        try:
            front = frontmatter.split_front(store.files.read(path).text)
        except RecollectError:
            continue
        project, session = str(front.value(FIELD) or ""), str(front.value("session") or "")
        if not project.startswith("/"):
            continue
        if session:
            sessions.setdefault(session, project)
        folder = path.removesuffix("summary.md")
        beside = [one for one in paths if folder != path and one.startswith(folder)]
        found.setdefault(project, Share([], [])).memories.extend(beside or [path])
    projects = {label_of(session): project for session, project in sessions.items()}
    for section in _lessons_in(store.text_at(LESSONS)[0]) if LESSONS not in but else ():
        taught = label_of(session_that_taught(section.text))
        project = projects.get(taught, NOBODYS)
        found.setdefault(project, Share([], [])).lessons.append(section)
    return found


def _lessons_in(text: str) -> list[Section]:
    """The solutions in a page that a session taught, and no person promoted."""
    return [
        one
        for one in document.sections_of(document.body_of(text))
        if session_that_taught(one.text) and f"<!-- {pins.ORIGIN}:" not in one.text
    ]


def move_memories(
    source: OpenStore, target: OpenStore, paths: Iterable[str], taught: Sequence[Section] = ()
) -> None:
    """Move memory files, and solutions in the file of rules, into another store.

    Each file comes under its own name or the next free one, and each solution.
    """
    documents = [source.files.read(path) for path in paths]

    def put() -> list[Change]:
        renamed: dict[str, str] = {}
        changes = [
            change
            for one in documents
            if (change := _put(target, one.path, one.text, renamed)) is not None
        ]
        theirs = source.files.read(LESSONS).text if taught else ""
        return [*changes, *_lessons_put(theirs, target, taught)]

    def remove() -> list[Change]:
        gone = [
            Change("remove", one.path, _id_of(one.path, one.text), one.stamp) for one in documents
        ]
        return [*gone, *_lessons_removed(source, taught)]

    if documents or taught:
        target.commit(put, cause=CAUSE)
        source.commit(remove, cause=CAUSE)


def _lessons_put(theirs: str, target: OpenStore, taught: Sequence[Section]) -> list[Change]:
    """The change by which the target's file of rules has these solutions of `theirs`."""
    if not taught:
        return []
    old = target.files.read(LESSONS) if target.files.exists(LESSONS) else None
    text = old.text if old else document.with_body(theirs, _head(theirs))
    body = document.body_of(text)
    for one in taught:
        there = document.section_named(body, one.heading)
        if there is None or in_one_form(there.text) != in_one_form(one.text):
            body = document.with_section(body, _free_heading(body, one.heading), one.text)
    said = "\n".join(f"{one.heading}\n{one.text}" for one in taught)
    text = document.with_body(text, body)
    for key in WORDS:
        own = _words(old.text, key) if old else ()
        theirs_too = matched_triggers(_words(theirs, key), said)
        new = [word for word in theirs_too if word not in own]
        if new or not old:
            text = document.with_field(text, key, [*own, *new])
    if old and text == old.text:
        return []
    return [Change("put", LESSONS, _id_of(LESSONS, text), old.stamp if old else None, text)]


def _lessons_removed(source: OpenStore, taught: Sequence[Section]) -> list[Change]:
    """The change that takes these solutions out, with the words that only they say."""
    if not taught or not source.files.exists(LESSONS):
        return []
    old = source.files.read(LESSONS)
    body, text = _without(old.text, taught)
    name = _id_of(LESSONS, old.text)
    if body.strip() == _head(old.text).strip():
        return [Change("remove", LESSONS, name, old.stamp)]
    return [Change("put", LESSONS, name, old.stamp, text)] if text != old.text else []


def _without(text: str, taught: Sequence[Section]) -> tuple[str, str]:
    """`(body, text)` of a page without these sections, and without the words that only they say."""
    body = document.body_of(text)
    wanted = {(one.heading, in_one_form(one.text)) for one in taught}
    sections = document.sections_of(body)
    gone = [one for one in sections if (one.heading, in_one_form(one.text)) in wanted]
    for one in reversed(gone):  # so that the others keep their anchors
        body = document.without_section(body, one.anchor)
    said = "\n".join(f"{one.heading}\n{one.text}" for one in gone)
    made = document.with_body(text, body)
    for key in WORDS:
        words = _words(text, key)
        lost = {*matched_triggers(words, said)} - {*matched_triggers(words, body)}
        if lost:
            made = document.with_field(made, key, [word for word in words if word not in lost])
    return body, made


WORDS = ("tags", "trigger")


def _words(text: str, key: str) -> tuple[str, ...]:
    found: tuple[str, ...] = getattr(document.memory_from_text(text, LESSONS), key)
    return found


def _head(text: str) -> str:
    """The body of a page up to its first section: its title, as a rule."""
    return f"{document.sections_of(document.body_of(text))[0].text}\n\n"


def _free_heading(body: str, wanted: str) -> str:
    taken = {one.heading.casefold() for one in document.sections_of(body)}
    return free_name(wanted, lambda name: name.casefold() in taken)


def _id_of(path: str, text: str) -> str:
    return document.memory_from_text(text, path).id


def _put(target: OpenStore, path: str, text: str, renamed: dict[str, str]) -> Change | None:
    """The change that puts a file into a store; None where it is there already."""
    if frontmatter.split_front(text).value(FIELD):
        text = document.with_field(text, FIELD, None)
    folder, _, name = path.rpartition("/")
    unit = folder if name in ("summary.md", "conversation.md") else path
    if unit not in renamed:
        if target.files.exists(path) and target.files.read(path).text == text:
            return None
        renamed[unit] = _free_unit(target, unit)
    wanted = path.replace(unit, renamed[unit], 1)
    memory_id = _id_of(path, text)
    if wanted != path and name != "conversation.md":
        memory_id = renamed[unit].rpartition("/")[2].removesuffix(".md")
        text = document.with_field(text, "id", memory_id)
    return Change("put", wanted, memory_id, None, text)


def _free_unit(target: OpenStore, unit: str) -> str:
    """A file or folder of this name, or the next free one."""
    folder, _, name = unit.rpartition("/")
    stem, end = (name[:-3], ".md") if name.endswith(".md") else (name, "")
    free = free_name(stem, lambda one: target.files.exists(f"{folder}/{one}{end}"))
    return f"{folder}/{free}{end}"


# What is kept of a session, by folder: the states last, for by them the rest is found.
KEPT = (
    ("sessions/raw", (".jsonl.gz",)),
    ("journal", (".jsonl",)),
    ("sessions/active", (".jsonl", ".json")),
)


def _files_of_sessions(root: str, folder: str) -> list[tuple[str, str]]:
    """`(session as in names, name)` of each file of a session in a folder of a store."""
    try:
        names = sorted(os.listdir(f"{root}/{folder}"))
    except OSError:
        return []
    endings = dict(KEPT)[folder]
    found = []
    for name in names:
        stem = next((name.removesuffix(end) for end in endings if name.endswith(end)), "")
        if stem and not stem.startswith(OPS_PREFIX):
            found.append((stem.partition("-")[2], name))
    return found


def _stem_of(session: str) -> str:
    """What the names of a session's files have after the client's name."""
    return locations.writer_of("", session)[1:]


def move_sessions(source: str, target: str, sessions: Iterable[str] | None = None) -> None:
    """Move what is kept of these sessions, or of all, into another store's folder.

    Where that one knows the session, what both have been told of it is put together; its state
    and its raw copy are the newer ones.
    """
    wanted = None if sessions is None else {_stem_of(session) for session in sessions}
    for folder, _ in KEPT:
        for stem, name in _files_of_sessions(source, folder):
            old, new = f"{source}/{folder}/{name}", f"{target}/{folder}/{name}"
            if wanted is not None and stem not in wanted:
                continue
            if not os.path.lexists(new):
                disk.make_folder(os.path.dirname(new))
                disk.move(old, new)
                continue
            if name.endswith(".jsonl"):
                disk.append_durably(new, disk.read_file(old))
            disk.remove(old)


def undo_other_half(app: Workspace, store: OpenStore, past: ChangeGroup) -> None:
    """Let the other store go back with the one in which taking over was undone."""
    home = app.roots.get("global")
    roots = [*([home] if home else []), *_stores_of_projects(app)]
    found: list[tuple[int, OpenStore, ChangeGroup]] = []
    mine = _pieces(store, past)
    for root in filter(lambda root: root != store.root, roots):
        other = app.opened(root, "global" if root == home else "project")
        pasts = [one for one in history.history(other) if one.cause == CAUSE]
        open_ones = [one for one in pasts if not (one.undone or one.undoes)]
        found += [(len(mine & _pieces(other, one)), other, one) for one in open_ones]
    size, other, half = max(found, key=lambda row: row[0], default=(0, store, past))
    if not size:
        return
    if other.scope == "global":
        other.commit(lambda: _back(other, half), cause="undo", undoes=half.id)
    else:
        history.undo(other, half.id)


def _back(home: OpenStore, half: ChangeGroup) -> list[Change]:
    """What puts back into the global store what was moved out of it.

    The page of rules may have changed with every project: the solutions are added to it.
    """
    changes = []
    for op in half.ops:
        text = text_then(home, op.before)
        if op.path != LESSONS and op.op == "remove" and not home.files.exists(op.path):
            changes.append(Change("put", op.path, op.memory, None, text))
        elif op.path == LESSONS:
            then = _section_text(text_then(home, op.after))
            gone = [one for one in _lessons_in(text) if in_one_form(one.text) not in then]
            changes += _lessons_put(text, home, gone)
    return changes


def _section_text(text: str) -> set[str]:
    """What the sections of a page say."""
    return {
        in_one_form(one.text) for one in document.sections_of(document.body_of(text)) if one.text
    }


def _stores_of_projects(app: Workspace) -> list[str]:
    """All private stores, and the one of the project that a command runs in."""
    folder = f"{locations.global_root(app.env)}/{locations.PRIVATE_FOLDER}"
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    own = app.roots.get("project", "")
    return list(dict.fromkeys([*([own] if own else []), *(f"{folder}/{one}" for one in names)]))


def _pieces(store: OpenStore, past: ChangeGroup) -> set[str]:
    """What a change put into a store, or took out of it, section by section."""
    both = [(text_then(store, op.before), text_then(store, op.after)) for op in past.ops]
    return {
        piece for before, after in both for piece in _section_text(before) ^ _section_text(after)
    }


def move_into_repository(app: Workspace, root: str) -> str:
    """Move the project's private store to `root`; gives where it was, nothing if there was none.

    Raises StorageFailed, StoreUnreadable, Locked.
    """
    private = locations.private_root(app.project_folder, app.env)
    require_readable(private)
    if not (private and os.path.isdir(private)):
        return ""
    if not os.path.lexists(root):
        disk.move_folder(private, root)
        disk.remove(f"{root}/{locations.PROJECT_FILE}")
    else:
        _move_all(app, private, root)
    return private


def _move_all(app: Workspace, old: str, new: str) -> None:
    """Move what a store keeps into another."""
    source, target = app.opened(old, "project"), app.opened(new, "project")
    move_memories(source, target, [seen.path for seen in source.files.scan()])
    move_sessions(old, new)


class Adopted(NamedTuple):
    """The memories of a project that was elsewhere, and where they are now."""

    project: str  # where it was
    path: str  # the store that has them now
    memories: int


def adopt(app: Workspace, folder: str, *, dry_run: bool) -> Adopted:
    """Move the private memories of a project that was at `folder` before into this one's store.

    Raises UsageProblem.
    """
    was = locations.real(folder)
    what = "An agent cannot bring another project's memories here; the person can."
    require_person(app.env, "adopt", what)
    old = _left_of(app, was)
    new = locations.project_root(app.folder, app.env)
    memories = len(Scan(old).every().found)
    if dry_run:
        return Adopted(was, new, memories)
    if os.path.lexists(new):
        _move_all(app, old, new)
    else:
        # First: whoever dies in between finds it under its old name, and adopts it once more.
        project = f"{locations.real(app.project_folder)}\n"
        disk.write_whole(
            f"{old}/{locations.PROJECT_FILE}", project.encode("utf-8", "surrogateescape")
        )
        disk.move_folder(old, new)
        app.forget_roots()
        app.publish_or_ask(app.opened(new, "project"))
    return Adopted(was, new, memories)


def _left_of(app: Workspace, was: str) -> str:
    """The private store that a project left behind at `was`, or that lies there; the likeliest of several."""
    left = [one for project, one in left_behind(app.env) if was in (project, locations.real(one))]
    begun = "" if left or os.path.exists(was) else locations.private_root(was, app.env)
    if begun and os.path.isdir(begun):
        return begun  # whoever brought it here before died in between
    if not left:
        what = f"No private memories of {was} are kept; `recollect doctor` names those whose project is gone."
        if os.path.exists(was):
            what = f"{was} is still there, so its memories stay with it."
        raise UsageProblem(what=what, command="adopt")
    here = locations.real(app.project_folder)
    left.sort(key=lambda root: locations.likeness_of(root, here), reverse=True)
    if len(left) > 1 and locations.likeness_of(left[0], here) < repositories.SAME_ORIGIN:
        stores = ", ".join(left)
        what = f"Several projects were at {was}; give the store of the one you mean: {stores}."
        raise UsageProblem(what=what, command="adopt")
    return left[0]
