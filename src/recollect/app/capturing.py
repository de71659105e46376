"""App: capturing transcripts by command, each into the store of its project."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from recollect.adapters.clients import CAPTURED
from recollect.app import workers
from recollect.app.publishing import publish_after_change
from recollect.app.wiring import App
from recollect.errors import FileNotThere, RecollectError, StoreNotFound
from recollect.hooks import places
from recollect.named import NamedTuple
from recollect.services.capture import Capture, Captured
from recollect.services.opened import OpenStore

CLIENTS = CAPTURED  # whose transcripts can be read


class Report(NamedTuple):
    """What capturing a folder did."""

    transcripts: int
    created: int
    changed: int
    nothing: int
    without_store: int  # of folders that no store is for
    memories: list[str]
    failed: list[tuple[str, str]]

    def as_json(self) -> dict[str, Any]:
        """The fields by name, what failed with its reason."""
        failed = [{"path": path, "why": why} for path, why in self.failed]
        return self._asdict() | {"failed": failed}


class _Run:
    """One run over many transcripts: the stores it opened, and what it did."""

    def __init__(self, app: App, client: str, scope: str, *, dry_run: bool) -> None:
        self.app, self.client, self.scope, self.dry_run = app, client, scope, dry_run
        self.captures: dict[str, Capture] = {}
        self.alone = ExitStack()
        self.done: list[Captured] = []
        self.failed: list[tuple[str, str]] = []
        self.homeless: list[StoreNotFound] = []

    def take_in(self, transcript: str) -> None:
        """Capture one transcript; what is wrong with it does not stop the others."""
        try:
            store, project = _store_for(self.app, self.client, transcript, self.scope)
            root = store.files.root
            if not self.dry_run and root not in self.captures:
                self.alone.enter_context(workers.kept_away(self.app, store))
                self.captures[root] = self.app.capture(store)
            if not self.dry_run:
                capture = self.captures[root]
                self.done.append(
                    capture.take_in(self.client, transcript, over=True, project=project)
                )
        except StoreNotFound as error:
            self.homeless.append(error)
        except RecollectError as error:
            self.failed.append((transcript, str(error)))

    def end(self) -> None:
        """Publish what changed and let the workers go on."""
        with self.alone:
            for capture in self.captures.values():
                publish_after_change(self.app, capture.store)


def capture_path(
    app: App,
    path: str,
    client: str,
    *,
    scope: str,
    dry_run: bool,
    progress: Callable[[int, int], None],
) -> Report:
    """Capture a transcript, or every one in a folder and below.

    Raises:
        FileNotThere: there is nothing at `path`.
        StoreNotFound: there is no store for any of them.
    """
    full = os.path.abspath(os.path.expanduser(path))
    if not os.path.exists(full):
        raise FileNotThere(path=path, reason="there is none")
    found = app.readers()[client].find(full)
    run = _Run(app, client, scope, dry_run=dry_run)
    try:
        for n, transcript in enumerate(found, 1):
            run.take_in(transcript)
            progress(n, len(found))
    finally:
        run.end()
    if run.homeless and len(run.homeless) == len(found):
        raise run.homeless[0]
    made = [one for one in run.done if one.what in ("created", "changed")]
    created = sum(1 for one in made if one.what == "created")
    return Report(
        len(found),
        created,
        len(made) - created,
        len(found) - len(made) - len(run.failed) - len(run.homeless),
        len(run.homeless),
        [one.memory for one in made],
        run.failed,
    )


def _store_for(app: App, client: str, transcript: str, scope: str) -> tuple[OpenStore, str]:
    """The store that a transcript belongs to, and its project where that store serves several."""
    if scope:
        return app.store(scope), ""
    folder = app.readers()[client].folder_of(transcript)
    if not folder:
        return app.store(), ""
    project, home = places.roots(folder, app.env)
    if project:
        return app.opened(project, "project"), ""
    if not home:
        raise StoreNotFound(where=folder)
    return app.opened(home, "global"), places.project_of(folder, app.env)
