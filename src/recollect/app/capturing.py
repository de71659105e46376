"""App: capturing transcripts by command, each into the store of its project."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any

from recollect.adapters.clients import CAPTURED
from recollect.app import workers
from recollect.app.publishing import publish_after_change
from recollect.app.shares import answers, shares_of
from recollect.app.wiring import App
from recollect.errors import FileNotThere, RecollectError, StoreNotFound
from recollect.hooks import places
from recollect.named import NamedTuple
from recollect.services.capture import Capture

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


class _Outcome(NamedTuple):
    """What became of one transcript, as a process can tell another."""

    what: str  # created, changed, nothing, state, skipped; failed; homeless; or a warning
    about: str  # the memory, the transcript, the folder; the warning
    why: str = ""


class _Run:
    """One run over many transcripts, with the stores it opened."""

    def __init__(self, app: App, client: str, scope: str, *, dry_run: bool) -> None:
        self.app, self.client, self.scope, self.dry_run = app, client, scope, dry_run
        self.captures: dict[str, Capture] = {}
        self.alone = ExitStack()

    def outcomes(self, transcripts: Iterable[str]) -> Iterator[_Outcome]:
        """Capture one after the other; then publish what changed and let the workers go on."""
        try:
            for transcript in transcripts:
                yield self._outcome(transcript)
        finally:
            with self.alone:
                for capture in self.captures.values():
                    publish_after_change(self.app, capture.store)

    def _outcome(self, transcript: str) -> _Outcome:
        """Capture one transcript; what is wrong with it does not stop the others."""
        try:
            root, scope, project = _place_of(self.app, self.client, transcript, self.scope)
            if self.dry_run:
                return _Outcome("nothing", "")
            if root not in self.captures:
                store = self.app.opened(root, scope)
                self.alone.enter_context(workers.kept_away(self.app, store))
                self.captures[root] = self.app.capture(store)
            done = self.captures[root].take_in(self.client, transcript, over=True, project=project)
            return _Outcome(done.what, done.memory)
        except StoreNotFound as error:
            return _Outcome("homeless", str(error.fields["where"]))
        except RecollectError as error:
            return _Outcome("failed", transcript, str(error))


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

    Much that belongs to several stores is taken in by several processes.

    Raises:
        FileNotThere: there is nothing at `path`.
        StoreNotFound: there is no store for any of them.
    """
    full = os.path.abspath(os.path.expanduser(path))
    if not os.path.exists(full):
        raise FileNotThere(path=path, reason="there is none")
    found = app.readers()[client].find(full)
    most = 1 if dry_run or scope else os.cpu_count() or 1
    shares = shares_of(_by_store(app, client, found), most) if most > 1 else []
    if len(shares) > 1:
        outcomes = _by_others(app, client, shares)
    else:
        outcomes = _Run(app, client, scope, dry_run=dry_run).outcomes(found)
    done: list[_Outcome] = []
    for outcome in outcomes:
        done.append(outcome)
        progress(len(done), len(found))
    return _report(done)


def _report(done: list[_Outcome]) -> Report:
    homeless = [one.about for one in done if one.what == "homeless"]
    if homeless and len(homeless) == len(done):
        raise StoreNotFound(where=homeless[0])
    made = [one for one in done if one.what in ("created", "changed")]
    failed = [(one.about, one.why) for one in done if one.what == "failed"]
    created = sum(1 for one in made if one.what == "created")
    return Report(
        len(done),
        created,
        len(made) - created,
        len(done) - len(made) - len(failed) - len(homeless),
        len(homeless),
        [one.about for one in made],
        failed,
    )


def _by_store(app: App, client: str, found: Iterable[str]) -> Iterable[list[str]]:
    """The transcripts of each store."""
    groups: dict[str, list[str]] = {}
    for transcript in found:
        try:
            root = _place_of(app, client, transcript, "")[0]
        except RecollectError:
            root = ""  # whoever takes it in says what is wrong with it
        groups.setdefault(root, []).append(transcript)
    return groups.values()


def _by_others(app: App, client: str, shares: list[list[str]]) -> Iterator[_Outcome]:
    request = {"folder": app.folder, "client": client}
    for row in answers(request, shares, app.env):
        outcome = _Outcome(*row)
        if outcome.what == "warning":
            app.warnings.append(outcome.about)
        else:
            yield outcome


def outcomes_of_share(request: dict[str, Any]) -> Iterator[_Outcome]:
    """Be one of those processes: take in what is requested, and say what became of it."""
    app = App(request["folder"])
    run = _Run(app, request["client"], "", dry_run=False)
    yield from run.outcomes(request["transcripts"])
    for warning in app.warnings:
        yield _Outcome("warning", warning)


def _place_of(app: App, client: str, transcript: str, scope: str) -> tuple[str, str, str]:
    """The store that a transcript belongs to: its root, its scope, and the project where it serves several."""
    folder = "" if scope else app.readers()[client].folder_of(transcript)
    if not folder:
        store = app.store(scope)
        return store.files.root, store.scope, ""
    project, home = places.roots(folder, app.env)
    if project:
        return project, "project", ""
    if not home:
        raise StoreNotFound(where=folder)
    return home, "global", places.project_of(folder, app.env)
