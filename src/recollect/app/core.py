"""App: core memory, the files that are in every brief."""

from __future__ import annotations

import os
from typing import Any

from recollect.app.here import trust_of
from recollect.app.publishing import publish_after_change
from recollect.app.wiring import App
from recollect.domain.codec import memory_from_text
from recollect.errors import CoreNotFound
from recollect.named import NamedTuple
from recollect.services import core as service
from recollect.services.writing import Written


class CoreFile(NamedTuple):
    """A core file with its text."""

    name: str
    scope: str
    path: str  # absolute
    tokens: int
    updated: str
    trust: str
    text: str

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        return self._asdict()


def write(app: App, name: str, text: str, *, scope: str, dry_run: bool) -> tuple[Written, str]:
    """Put a text into a core file; gives what was written and the path of the file."""
    store = app.store(scope)
    clean, trust = app.redact(text), trust_of(app.env)
    written = service.write(store, name, clean, trust, dry_run=dry_run)
    if not dry_run and written.what != "unchanged":
        publish_after_change(app, store)
    return written, os.path.join(store.files.root, written.path)


def every(app: App, *, scope: str) -> list[CoreFile]:
    """All core files, the project's first."""
    found = []
    for store in app.stores(scope):
        for entry in service.entries(store):
            memory = memory_from_text(store.read(entry).text, entry.path)
            found.append(
                CoreFile(
                    service.name_of(entry),
                    store.scope,
                    os.path.join(store.files.root, entry.path),
                    entry.tokens,
                    entry.updated or entry.created,
                    entry.trust,
                    memory.body.strip("\n"),
                )
            )
    return found


def named(app: App, name: str, *, scope: str) -> CoreFile:
    """The core file of this name; the project's rather than the global one.

    Raises:
        CoreNotFound: there is none.
    """
    wanted = name.removesuffix(".md").casefold()
    for file in every(app, scope=scope):
        if file.name.casefold() == wanted:
            return file
    raise CoreNotFound(name=name)
