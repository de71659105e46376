"""App: reviewing what waits, and taking back what came from one session or page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.app import factsedits, here
from recollect.app.publishing import publish_after_change
from recollect.app.wiring import App
from recollect.domain.model import lowest_trust
from recollect.errors import SessionNotFound
from recollect.named import NamedTuple
from recollect.services import reviewing as service
from recollect.services.opened import OpenStore
from recollect.services.reviewing import Effect, Waiting


class Row(NamedTuple):
    """Something that waits, and in which store."""

    one: Waiting
    scope: str

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        return {**self.one._asdict(), "scope": self.scope}


def waiting(
    app: App, *, scope: str, trust: str, episodes: bool, session: str = "", page: str = ""
) -> list[Row]:
    """What a person has not approved; what came from a session or a page, if one is named."""
    rows: list[Row] = []
    for store in app.stores(scope):
        origins = {session} if session else _sessions_that_read(app, store, page) if page else set()
        if page and not origins:
            continue
        ids = {e.id for one in origins for e in store.index.entries_of_session(one)}
        hidden = app.hidden(store, scope)
        found = service.waiting(store, episodes=episodes, origins=origins | ids, hidden=hidden)
        found += [] if origins else factsedits.waiting(app, store)
        rows += [
            Row(one, store.scope) for one in found if lowest_trust(one.trust, trust) == one.trust
        ]
    return rows


def _sessions_that_read(app: App, store: OpenStore, page: str) -> set[str]:
    """The sessions in whose calls this address stands."""
    sessions = app.sessions(store)
    return {
        state.session_id
        for state in sessions.every()
        if any(page in event.target for event in sessions.raw_events(state))
    }


def decide(
    app: App, names: Sequence[str], *, approve: bool, dry_run: bool, scope: str = ""
) -> list[Effect]:
    """Approve or reject what is named, in whichever store it is; a group for each store.

    Raises:
        MemoryNotFound: there is no such memory or section.
        FactNotFound: there is no such edit of `facts.json`.
        UsageProblem: it is not a person who decides.
    """
    require_person(app, "review")
    edits = [name for name in names if name.startswith(factsedits.PREFIX)]
    if edits:
        # All of them are there, or nothing is written.
        factsedits.decide(app, edits, scope=scope, approve=approve, dry_run=True)
    by_store: dict[str, tuple[OpenStore, list[str]]] = {}
    for name in (name for name in names if name not in edits):
        store = app.store_of(name)
        by_store.setdefault(store.scope, (store, []))[1].append(name)
    act = service.approve if approve else service.reject
    for store, own in by_store.values():  # all of them are there, or nothing is written
        act(store, own, dry_run=True)
    effects: list[Effect] = []
    if edits:
        effects += factsedits.decide(app, edits, scope=scope, approve=approve, dry_run=dry_run)
    for store, own in by_store.values():
        effects += act(store, own, dry_run=dry_run)
        if not dry_run:
            publish_after_change(app, store)
    return effects


def take_back(
    app: App, *, session: str = "", page: str = "", scope: str = "", dry_run: bool
) -> list[tuple[str, Effect]]:
    """Forget all that came from a session, or from those that read a page, in every store.

    Raises:
        SessionNotFound: nothing came from there.
    """
    done: list[tuple[str, Effect]] = []
    for store in app.stores(scope):
        sessions = {session} if session else _sessions_that_read(app, store, page)
        states = app.sessions(store).every() if sessions else ()
        sealed = {state.memory for state in states if state.session_id in sessions} - {""}
        effects = service.take_back(store, sessions, sealed, dry_run=dry_run) if sessions else []
        done += [(store.scope, effect) for effect in effects]
        if effects and not dry_run:
            publish_after_change(app, store)
    if not done:
        raise SessionNotFound(name=session or page)
    return done


def require_person(app: App, command: str) -> None:
    """Raise UsageProblem where an agent runs the command."""
    what = "What is trusted is decided by a person only: run it in a terminal of your own."
    here.require_person(app.env, command, what)
