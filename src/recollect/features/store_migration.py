"""Move a project's private memories: into its repository, or to where the project is now.

A memory is written to the new store before it is removed from the old, so a
crash leaves two copies and the next run continues. `undo` reverts a move.
"""

from __future__ import annotations

import os

from recollect._fastimport import NamedTuple
from recollect.errors import UsageProblem
from recollect.features.pins import text_then
from recollect.model import document
from recollect.model.footnotes import in_one_form
from recollect.model.memory import Change, free_name
from recollect.store import disk, history, locations, repositories
from recollect.store.files import Scan
from recollect.store.history import ChangeGroup
from recollect.store.journal_lines import OPS_PREFIX
from recollect.store.private_stores import left_behind, require_readable
from recollect.store.store import OpenStore
from recollect.workspace import Workspace, require_person

CAUSE = "take-over"


def _move_memories(source: OpenStore, target: OpenStore) -> None:
    """Move all memory files into another store, each under its own name or the next free one."""
    documents = [source.files.read(seen.path) for seen in source.files.scan()]

    def put() -> list[Change]:
        renamed: dict[str, str] = {}
        changes = (_put(target, one.path, one.text, renamed) for one in documents)
        return [change for change in changes if change is not None]

    def remove() -> list[Change]:
        return [
            Change("remove", one.path, _id_of(one.path, one.text), one.stamp) for one in documents
        ]

    if documents:
        target.commit(put, cause=CAUSE)
        source.commit(remove, cause=CAUSE)


def _id_of(path: str, text: str) -> str:
    return document.memory_from_text(text, path).id


def _put(target: OpenStore, path: str, text: str, renamed: dict[str, str]) -> Change | None:
    """The change that puts a file into a store; None where it is there already."""
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


def _files_of_sessions(folder: str, endings: tuple[str, ...]) -> list[str]:
    """The names of the files of sessions in a folder of a store."""
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [name for name in names if name.endswith(endings) and not name.startswith(OPS_PREFIX)]


def _move_sessions(source: str, target: str) -> None:
    """Move what is kept of sessions into another store's folder.

    Where that one knows the session, what both have been told of it is put together; its state
    and its raw copy are the newer ones.
    """
    for folder, endings in KEPT:
        for name in _files_of_sessions(f"{source}/{folder}", endings):
            old, new = f"{source}/{folder}/{name}", f"{target}/{folder}/{name}"
            if not os.path.lexists(new):
                disk.make_folder(os.path.dirname(new))
                disk.move(old, new)
                continue
            if name.endswith(".jsonl"):
                disk.append_durably(new, disk.read_file(old))
            disk.remove(old)


def undo_other_half(app: Workspace, store: OpenStore, past: ChangeGroup) -> None:
    """Let the other store go back with the one in which a move was undone."""
    mine = _pieces(store, past)
    others = [app.opened(root, "project") for root in _stores_of_projects(app)]
    found = [
        (len(mine & _pieces(other, one)), other, one.id)
        for other in others
        for one in history.history(other)
        if other is not store and one.cause == CAUSE and not (one.undone or one.undoes)
    ]
    size, other, half = max(found, key=lambda row: row[0], default=(0, store, ""))
    if size:
        history.undo(other, half)


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
    _move_memories(app.opened(old, "project"), app.opened(new, "project"))
    _move_sessions(old, new)


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
