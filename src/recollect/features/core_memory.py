"""Core files, which head every brief: project, architecture, conventions and others."""

from __future__ import annotations

import os

from recollect._fastimport import NamedTuple
from recollect.capture.save_memory import SaveResult
from recollect.context import brief
from recollect.errors import CoreNotFound, CoreOfPerson, OutsideStore, UsageProblem
from recollect.model import document, frontmatter
from recollect.model.entries import index_units, rows_at
from recollect.model.list_items import SOURCE_OF
from recollect.model.memory import CORE, Change, Document, Entry, Filter, is_id
from recollect.store.store import OpenStore
from recollect.workspace import Workspace, trust_of

FOLDER = CORE


def name_of(entry: Entry) -> str:
    """The name of a core file: its path in the folder, without the ending."""
    return entry.path.removeprefix(f"{FOLDER}/").removesuffix(".md")


def entries(store: OpenStore) -> list[Entry]:
    """The core files of a store, by name."""
    found = [e for e in store.index.entries(Filter()) if e.path.startswith(f"{FOLDER}/")]
    return sorted(found, key=name_of)


def without_room(store: OpenStore) -> tuple[list[Entry], list[Entry]]:
    """The core files that a full brief shows by their beginning only, and those that it names at most."""
    return brief.core_room(entries(store), store.settings.start_tokens)


def write(
    store: OpenStore, name: str, text: str, trust: str, *, dry_run: bool = False
) -> SaveResult:
    """Put a text into a core file, in place of what it said. Raises OutsideStore, CoreOfPerson."""
    stem = name.removesuffix(".md")
    if not is_id(stem):
        raise OutsideStore(name=name)
    there = (name_of(entry) for entry in entries(store))
    stem = next((one for one in there if one.casefold() == stem.casefold()), stem)
    path = f"{FOLDER}/{stem}.md"
    body = text.strip("\n") + "\n"

    def plan() -> tuple[SaveResult, list[Change]]:
        written, before = _planned(store, path, stem, body, trust)
        if written.what == "unchanged":
            return written, []
        return written, [Change("put", path, written.id, before, written.text)]

    return store.carry_out(plan, cause="memory-set", tries=3, dry_run=dry_run)


def _planned(
    store: OpenStore, path: str, stem: str, body: str, trust: str
) -> tuple[SaveResult, str | None]:
    """What is to be written, and the stamp of the file that it replaces."""
    if not store.files.exists(path):
        name = store.free_id(stem)
        about = {"title": document.memory_from_text(body, path).title, "source": SOURCE_OF[trust]}
        text = document.new_page(path, name, body, store.now, trust=trust, **about)
        return SaveResult(name, path, "created", layer="semantic", text=text), None
    old = store.files.read(path)
    memory = document.memory_from_text(old.text, path)
    if memory.body.strip("\n") == body.strip("\n"):
        return SaveResult(memory.id, path, "unchanged", layer=memory.layer, text=old.text), None
    require_own(store, path, old, trust)
    text = document.with_body(old.text, body)
    if memory.trust != trust:
        text = document.with_field(text, "trust", trust)
        text = document.with_field(text, "source", SOURCE_OF[trust])
    if frontmatter.split_front(text).lines:
        text = document.with_field(text, "updated", store.now)
    return SaveResult(memory.id, path, "changed", layer=memory.layer, text=text), old.stamp


def require_own(store: OpenStore, path: str, old: Document, trust: str, anchor: str = "") -> None:
    """Raise CoreOfPerson where an agent would replace words in a core file that are not an agent's own."""
    if trust == "user" or not path.startswith(f"{FOLDER}/"):
        return
    memory = store.as_trusted(old, path)
    rows = rows_at(memory, anchor) if anchor else index_units(memory)
    if any(found != "agent" for found in (memory.trust, *(row.trust for row in rows))):
        raise CoreOfPerson(name=path.removeprefix(f"{FOLDER}/").removesuffix(".md"))


class CoreFile(NamedTuple):
    """A core file with its text."""

    name: str
    scope: str
    path: str  # absolute
    tokens: int
    updated: str
    trust: str
    text: str
    is_cut: bool  # whether a full brief has no room for all of it
    is_seen: bool  # whether it has room for its beginning


def write_core_memory(
    app: Workspace, name: str, text: str, *, scope: str, dry_run: bool
) -> tuple[SaveResult, str]:
    """Put a text into a core file; gives what was written and the path of the file."""
    if app.redact(name) != name:
        what = "There is a secret in the name, and secrets are not stored."
        raise UsageProblem(what=what, command="memory-set")
    store = app.store(scope)
    clean, trust = app.redact(text), trust_of(app.env)
    written = write(store, name, clean, trust, dry_run=dry_run)
    return written, os.path.join(store.root, written.path)


def every(app: Workspace, *, scope: str) -> list[CoreFile]:
    """All core files, the project's first."""
    found = []
    for store in app.stores(scope):
        cut, unseen = ({entry.id for entry in one} for one in without_room(store))
        for entry in entries(store):
            memory = store.memory(entry)
            found.append(
                CoreFile(
                    name_of(entry),
                    store.scope,
                    os.path.join(store.root, entry.path),
                    entry.tokens,
                    entry.updated or entry.created,
                    entry.trust,
                    memory.body.strip("\n"),
                    entry.id in cut | unseen,
                    entry.id not in unseen,
                )
            )
    return found


def named(app: Workspace, name: str, *, scope: str) -> CoreFile:
    """The core file of this name; the project's rather than the global one. Raises CoreNotFound."""
    wanted = name.removesuffix(".md").casefold()
    for file in every(app, scope=scope):
        if file.name.casefold() == wanted:
            return file
    raise CoreNotFound(name=name)
