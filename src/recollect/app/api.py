"""App: the Python API, `from recollect import open_store`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Self

from recollect.app.publishing import publish_after_change
from recollect.app.wiring import App
from recollect.domain.codec import memory_from_text
from recollect.domain.model import Entry, Filter, Memory
from recollect.services import recall as recalling
from recollect.services import undoing, writing
from recollect.services.opened import OpenStore
from recollect.services.recall import Found, Recalled
from recollect.services.undoing import Past
from recollect.services.writing import Draft, Written


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
    """The memories of a folder: what `recollect` does on the command line, for programs."""

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
        return self._stores[0].files.root

    def save(self, title: str, body: str = "", **fields: object) -> Written:
        """Save a memory; `fields` are those of `Draft` (tags, kind, layer, …)."""
        written = writing.save(self._fresh(), Draft(title, body, **fields))  # type: ignore[arg-type]
        self._publish()
        return written

    def edit(self, memory_id: str, body: str, *, title: str | None = None) -> Written:
        """Replace the body (and title) of a memory or of a section `id#anchor`."""
        written = writing.edit(self._store_of(memory_id), memory_id, body=body, title=title)
        self._publish()
        return written

    def set(self, memory_id: str, **values: str) -> Written:
        """Set fields of the front matter; `_` in a name stands for `-`."""
        fields = {key.replace("_", "-"): value for key, value in values.items()}
        written = writing.set_fields(self._store_of(memory_id), memory_id, fields)
        self._publish()
        return written

    def forget(self, memory_id: str) -> Written:
        """Take a memory out of the store; `undo` brings it back."""
        written = writing.forget(self._store_of(memory_id), memory_id)
        self._publish()
        return written

    def undo(self, name: str = "") -> Past:
        """Take back the last change, or the one named by its id or its memory."""
        past = undoing.undo(self._fresh(), name)
        self._publish()
        return past

    def history(self, memory_id: str = "") -> list[Past]:
        """The changes, newest first."""
        return undoing.history(self._fresh(), memory_id)

    def show(self, memory_id: str) -> Memory:
        """One memory with its text."""
        store = self._store_of(memory_id)
        entry = store.require(memory_id)
        return memory_from_text(store.read(entry).text, entry.path)

    def entries(self, only: Filter | None = None) -> Iterator[Entry]:
        """The memories without their text, newest first, store by store."""
        for store in self._stores:
            self._freshen(store)
            yield from store.index.entries(only or Filter())

    def search(self, text: str, *, limit: int = 10, only: Filter | None = None) -> list[Found]:
        """The memories that match some words, best first."""
        for store in self._stores:
            self._freshen(store)
        return recalling.search(
            self._stores, text, only or Filter(), limit=limit, project=self._app.project_name
        )

    def recall(self, text: str, *, budget: int | None = None) -> Recalled:
        """What an agent would be given for this cue."""
        for store in self._stores:
            self._freshen(store)
        cue = recalling.cue_of(text, self._app.now, self._app.project_name)
        chosen = self._stores[0].settings
        return recalling.recall(
            self._stores,
            cue,
            budget=chosen.prompt_tokens if budget is None else budget,
            lang=chosen.lang,
            nonce=os.urandom(4).hex(),
        )

    def _fresh(self) -> OpenStore:
        return self._freshen(self._stores[0])

    def _freshen(self, store: OpenStore) -> OpenStore:
        self._app.tick(store)
        store.freshen()
        return store

    def _store_of(self, name: str) -> OpenStore:
        memory_id = name.partition("#")[0]
        for store in self._stores:
            if self._freshen(store).index.entry(memory_id):
                return store
        return self._stores[0]

    def _publish(self) -> None:
        publish_after_change(self._app, self._stores[0])
