"""History and undo by command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from itertools import takewhile
from typing import Any

from recollect import workspace
from recollect._fastimport import NamedTuple
from recollect.errors import (
    ChangedMeanwhile,
    ChangedSince,
    ChangeNotFound,
    MemoryNotFound,
    RecollectError,
    UsageProblem,
)
from recollect.features import store_migration
from recollect.model.document import memory_from_text
from recollect.model.memory import FileStat
from recollect.ports import IndexRow
from recollect.store import disk
from recollect.store import history as undoing
from recollect.store.files import MEMORY_FOLDERS
from recollect.store.history import ChangeGroup, RollbackResult
from recollect.store.store import OpenStore
from recollect.workspace import Workspace


def undo(app: Workspace, name: str, *, scope: str, dry_run: bool) -> ChangeGroup:
    """Take back a change; an agent only one that its own session made. Raises UsageProblem."""
    if not app.roots:
        app.stores(scope)  # raises: there is none
    store = app.store(scope) if scope or not name else _store_with_change(app, name)
    name = own_change(app, store, name)
    try:
        with _hiding(app, store, dry_run=dry_run):
            past = undoing.undo(store, name, dry_run=dry_run)
    except ChangedMeanwhile as error:
        raise ChangedSince(path=error.fields["path"]) from None
    if not dry_run and past.cause == "promote":
        from recollect.features import pins  # seldom needed

        pins.undo_other_half(app, store, past)
    if not dry_run and past.cause == store_migration.CAUSE:
        store_migration.undo_other_half(app, store, past)
    if past.cause == "promote-skill":
        texts = (_text_at(store, past.ops[-1].after), _text_at(store, past.ops[0].before))
        past = past._replace(beside=_without_drafts(store, *texts, dry_run=dry_run))
    return past


def _text_at(store: OpenStore, stamp: str | None) -> str:
    return (stamp and store.journal.text_of(stamp)) or ""


def _without_drafts(
    store: OpenStore, old: str, new: str, *, dry_run: bool
) -> tuple[tuple[str, str], ...]:
    from recollect.features import skill_candidates  # seldom needed

    return tuple(skill_candidates.drop_drafts(store, old, new, dry_run=dry_run))


CONSOLIDATE = "consolidate/"


class RestOfPass(NamedTuple):
    """What is left of the pass of consolidation from which the last change was undone."""

    changes: int
    before: str  # the change before the pass; empty where it was the first


def rest_of_pass(app: Workspace, change: ChangeGroup, *, scope: str) -> RestOfPass:
    """How many older changes were made in one go with this one, the newest that was not undone."""
    for store in app.stores(scope) if change.cause.startswith(CONSOLIDATE) else ():
        pasts = undoing.history(store)
        at = next((n for n, past in enumerate(pasts) if past.id == change.id), None)
        if at is None:
            continue
        older = pasts[at + 1 :]
        is_last = all(past.undone or past.undoes for past in pasts[:at])
        same = list(takewhile(lambda past: past.cause.startswith(CONSOLIDATE), older))
        left = [past for past in same if not past.undone]
        if is_last:
            return RestOfPass(len(left), older[len(same)].id if len(older) > len(same) else "")
    return RestOfPass(0, "")


def _hiding(app: Workspace, store: OpenStore, *, dry_run: bool) -> AbstractContextManager[None]:
    """Take the plain text out again of what was decrypted and is encrypted after the block."""
    if dry_run or not store.files.exists("encrypted"):
        return nullcontext()
    from recollect.privacy.plaintext import hiding  # few encrypt

    return hiding(app, store)


def own_change(app: Workspace, store: OpenStore, name: str) -> str:
    """The change that is meant: of an agent, one of its session, this one or the last that holds."""
    if not workspace.is_agent(app.env):
        return name
    session = workspace.agent_session(app.env)
    if not session:
        what = "An agent can undo only its own session's changes, and no session is known here; ask the person to run it."
        raise UsageProblem(what=what, command="undo")
    own = [
        past
        for past in undoing.history(store)
        if not past.undone
        and not past.undoes
        and past.cause != store_migration.CAUSE  # that is nobody's, and what it parts stays apart
        and all(op.by == session for op in past.ops)
    ]
    wanted = [past.id for past in own if past.id.startswith(name) or name in past.memories]
    if not wanted:
        what = "An agent can undo only its own session's changes; ask the person about any other."
        raise UsageProblem(what=what, command="undo")
    return wanted[0]


def undo_to(app: Workspace, point: str, *, scope: str, dry_run: bool) -> RollbackResult:
    """Take a store back to a change or a time; a person only."""
    _require_person(app)
    store = app.store(scope)
    skills = store.text_at("skills.json")[0]
    with _hiding(app, store, dry_run=dry_run):
        done = undoing.undo_to(store, point, dry_run=dry_run)
    if skills == (now := store.text_at("skills.json")[0]):
        return done
    drafts = _without_drafts(store, skills, now, dry_run=dry_run)
    gone = [(what, path) for what, path in drafts if what != "left"]
    left = [(path, undoing.EDITED) for what, path in drafts if what == "left"]
    return done._replace(effects=done.effects + gone, left=done.left + left)


def bring_back(app: Workspace, *, scope: str, dry_run: bool) -> list[str]:
    """Put back the files of a store that were taken away without a command; a person only."""
    _require_person(app)
    return undoing.bring_back(app.store(scope), dry_run=dry_run)


def _require_person(app: Workspace) -> None:
    what = "Only a person can restore a whole store: run it in your own terminal."
    workspace.require_person(app.env, "undo", what)


def _store_with_change(app: Workspace, name: str) -> OpenStore:
    """The first store whose journal has the change; its own error where it cannot be undone."""
    stores = app.stores()
    for store in stores:
        try:
            undoing.undo(store, name, dry_run=True)
        except ChangeNotFound:
            continue
        except ChangedMeanwhile:
            pass  # it is said when it is tried
        return store
    return stores[0]


def history(app: Workspace, name: str, *, scope: str) -> list[ChangeGroup]:
    """The changes of a store or of one memory, newest first."""
    stores = app.stores(scope)
    if not name:
        return undoing.history(stores[0])
    for store in stores:
        found = undoing.history(store, name)
        if found:
            return found
    raise MemoryNotFound(id=name)


def effects_of(past: ChangeGroup) -> list[tuple[str, str]]:
    """What a change did to each file: `(created | changed | moved | removed, path)`."""
    kinds = {"move": "moved", "remove": "removed"}
    return [
        (kinds.get(op.op, "created" if op.before is None else "changed"), op.path)
        for op in past.ops
        if op.cause != "outside"
    ]


def change_json(past: ChangeGroup) -> dict[str, Any]:
    """A change as JSON."""
    drafts = [{"path": path, "was": what} for what, path in past.beside]
    return {
        "change": past.id,
        "time": past.time,
        "what": past.what,
        "cause": past.cause,
        "memories": list(past.memories),
        "paths": list(past.paths),
        "undone": past.undone,
        "undoes": past.undoes,
    } | ({"drafts": drafts} if drafts else {})


# ------------------------------------------------------------------------------- a store as it was


def stores_then(app: Workspace, scope: str, name: str) -> AbstractContextManager[list[OpenStore]]:
    """The stores as they were after a change, or at a day or a time. Raises ChangeNotFound."""
    from recollect.features.reading import in_memory  # loads the search, which few have need of

    return in_memory(
        (store, _rows(_texts_then(store, name))) for store in _having(app, scope, name)
    )


def _having(app: Workspace, scope: str, name: str) -> list[OpenStore]:
    """The stores that know the point: all of them if it is a time."""
    stores = app.stores(scope)
    if undoing.end_of(name):
        return stores
    known = [s for s in stores if any(op.group.startswith(name) for op in s.journal.heads())]
    return known or stores[:1]


def _texts_then(store: OpenStore, name: str) -> dict[str, str]:
    """What every memory file said, by path."""
    ops = store.journal.heads()
    point = undoing.point_named(ops, name)
    were = undoing.stamps_at(point, ops)
    texts = {
        path: text
        for path, stamp in were.items()
        if stamp and (text := store.journal.text_of(stamp)) is not None
    }
    for seen in store.files.scan():
        if seen.path not in were:
            with suppress(RecollectError):
                texts[seen.path] = store.files.read(seen.path).text
    known = undoing.last_stamps(ops)
    return {
        path: text
        for path, text in texts.items()
        if _is_memory(path) and (path in known or _is_older(path, text, point.time))
    }


def _is_memory(path: str) -> bool:
    folder, _, rest = path.removeprefix("archive/").partition("/")
    return path.endswith(".md") and (folder in MEMORY_FOLDERS or not rest)


def _is_older(path: str, text: str, time: str) -> bool:
    """Whether a file that no command ever wrote says that it was there at a time."""
    created = memory_from_text(text, path).created
    return not created or created <= time


def _rows(texts: dict[str, str]) -> Iterator[IndexRow]:
    for path, text in sorted(texts.items()):
        data = text.encode("utf-8", "surrogateescape")
        seen = FileStat(path, len(data), 0, 0, 0)
        yield IndexRow(seen, disk.stamp_of(data), memory_from_text(text, path))
