"""The Python API behind `open_store`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypedDict, Unpack

from recollect.app import App
from recollect.capture.save_memory import SaveResult
from recollect.context.recall import Recalled
from recollect.errors import UsageProblem
from recollect.features import memories, reading, review
from recollect.features import undo as undoing
from recollect.model.memory import Entry, Filter, Memory
from recollect.search.search import Hit
from recollect.store import history
from recollect.store.history import ChangeGroup
from recollect.store.store import OpenStore, holder_of


class Fields(TypedDict, total=False):
    """What `save` may be told of a memory besides its title and body; all have defaults."""

    layer: str
    kind: str
    category: str
    tags: Sequence[str]
    trigger: Sequence[str]
    files: Sequence[str]
    concepts: Sequence[str]
    salience: str
    confidence: str
    source: str
    trust: str
    status: str
    session: str
    private: bool
    created: str


def open_store(
    folder: str | None = None, *, scope: str = "", env: Mapping[str, str] | None = None
) -> Memories:
    """The memories that concern a folder (the current one by default).

    `scope` is `project` or `global`; without it, writing goes to the project's store if there is
    one and reading looks through both.

    Raises:
        StoreNotFound: there is no store; `recollect init` makes one.
    """
    return Memories(App(folder, env), scope)


class Memories:
    """The memories of a folder: what `recollect` does on the command line, for programs.

    Every call sees the files as they are at that moment, whoever changed them. An object belongs
    to one thread; several objects and processes may have the same store open.
    """

    def __init__(self, app: App, scope: str = "") -> None:
        """Open the stores of `app`; prefer `open_store`."""
        self._app, self._scope = app, scope
        self._stores = app.stores(scope)

    def __enter__(self) -> Self:
        """Close the indexes at the end of a `with` block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the indexes."""
        self.close()

    def close(self) -> None:
        """Let the indexes go."""
        self._app.close()

    @property
    def root(self) -> str:
        """The folder of the store that is written to."""
        return self._stores[0].root

    def save(self, title: str, body: str = "", **fields: Unpack[Fields]) -> SaveResult:
        """Save a memory; gives its id and its path inside the store.

        What an agent's program saves is the agent's, as with `recollect save`.

        Raises:
            UsageProblem: there is no title, no such field, or a field does not take that word.
        """
        given: dict[str, Any] = {**fields}
        if wrong := [key for key in given if key not in Fields.__annotations__]:
            known = ", ".join(Fields.__annotations__)
            what = f"“{wrong[0]}” cannot be set; choose one of {known}."
            raise UsageProblem(what=what, command="save")
        for key in _LISTS & given.keys():
            given[key] = (given[key],) if isinstance(given[key], str) else tuple(given[key])
        wanted = memories.draft(self._app, title, body, **given)
        return memories.written(self._app, self._fresh()[0], wanted)

    def edit(self, memory_id: str, body: str, *, title: str | None = None) -> SaveResult:
        """Replace the body (and title) of a memory or of a section `id#anchor`.

        Raises:
            MemoryNotFound: there is no such memory or section.
        """
        store = self._store_of(memory_id)
        by = memories.by_of(self._app)
        return memories.edit(store, memory_id, body=body, title=title, by=by)

    def set(self, memory_id: str, **values: str | Sequence[str]) -> SaveResult:
        """Set fields of the front matter; `_` in a name stands for `-`, an empty value clears.

        Raises:
            MemoryNotFound: there is no such memory.
            UsageProblem: a field is not there to be set, or does not take that word.
        """
        if {"trust", "source"} & values.keys():
            review.require_person(self._app, "set")
        store = self._store_of(memory_id)
        fields = {
            key.replace("_", "-"): value if isinstance(value, str) else ",".join(value)
            for key, value in values.items()
        }
        return memories.set_fields(store, memory_id, fields, by=memories.by_of(self._app))

    def forget(self, memory_id: str) -> SaveResult:
        """Take a memory, or a section of it, out of the store; `undo` brings it back.

        Raises:
            MemoryNotFound: there is no such memory.
        """
        store = self._store_of(memory_id)
        memories.require_own_core(store, memory_id, memories.by_of(self._app).trust)
        return memories.forget(store, memory_id)

    def undo(self, name: str = "") -> ChangeGroup:
        """Take back the last change of the store, or the one named by its id or its memory.

        Raises:
            NothingToUndo, ChangeNotFound: there is no such change.
            UsageProblem: an agent's program would take back what its session did not do.
            ChangedMeanwhile: the file was changed again after it.
        """
        store = self._store_with_change(name)
        return history.undo(store, undoing.own_change(self._app, store, name))

    def history(self, memory_id: str = "") -> list[ChangeGroup]:
        """The changes of the store or of one memory, newest first."""
        return history.history(self._store_with_change(memory_id), memory_id)

    def show(self, memory_id: str) -> Memory:
        """One memory with its text.

        Raises:
            MemoryNotFound: there is no such memory.
        """
        store = self._store_of(memory_id)
        entry = store.require(memory_id.partition("#")[0])
        return store.as_trusted(store.read(entry), entry.path)

    def entries(self, only: Filter | None = None) -> Iterator[Entry]:
        """The memories without their text, newest first."""
        self._fresh()
        listed = reading.entries(self._app, only or Filter(), scope=self._scope)
        yield from (one.entry for one in listed)

    def search(self, text: str, *, limit: int = 10, only: Filter | None = None) -> list[Hit]:
        """The memories that match some words, best first."""
        self._fresh()
        return reading.search(
            self._app, text, only or Filter(), limit=limit, scope=self._scope, sections=False
        )

    def recall(self, text: str, *, budget: int | None = None) -> Recalled:
        """What an agent would be given for this cue, within a budget of tokens."""
        self._fresh()
        return reading.recall(self._app, text, budget=budget, scope=self._scope)

    def _fresh(self) -> list[OpenStore]:
        """The stores as their files are now."""
        for store in self._stores:
            self._app.tick(store)
            store.freshen()
        return self._stores

    def _store_of(self, name: str) -> OpenStore:
        """The store that has this memory. Raises MemoryNotFound."""
        return holder_of(self._fresh(), name)[0]

    def _store_with_change(self, name: str) -> OpenStore:
        """The store that has changes by this name; the one that is written to if none has."""
        stores = self._fresh()
        for store in stores if name else ():
            if history.history(store, name) or any(p.id == name for p in history.history(store)):
                return store
        return stores[0]


_LISTS = {"tags", "trigger", "files", "concepts"}
