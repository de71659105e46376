"""Status in short: what is stored, what came in last, what waits, and what agents were given."""

from __future__ import annotations

from collections import Counter
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.clients import CAPTURED
from recollect.features import lifecycle, reading, repository
from recollect.features.given import injections, tokens_of
from recollect.features.review import waiting_everywhere
from recollect.features.statistics import count_overdue
from recollect.model.document import days_after
from recollect.model.memory import SESSION_KINDS, Entry, Filter
from recollect.model.session import SessionState
from recollect.store.store import OpenStore
from recollect.workspace import Workspace

LATELY_DAYS = 7


class LastSession(NamedTuple):
    """The session whose memory came in last."""

    id: str
    title: str
    time: str
    client: str
    entries: int  # decisions, rules, issues and fixes that it brought


class WaitingCounts(NamedTuple):
    """What waits, and how much of it."""

    review: int
    conflicts: int
    decay: int
    unaccepted: int  # memories that came with a repository


class GivenLately(NamedTuple):
    """What agents were given in the last days."""

    days: int
    sessions: int
    times: int
    tokens: int


class Status(NamedTuple):
    """How things stand."""

    remembered: dict[str, dict[str, int]]  # entries by scope and kind, without sessions
    sessions: int
    last: LastSession | None
    waiting: WaitingCounts
    given: GivenLately

    def as_json(self) -> dict[str, Any]:
        """The fields by name, all the way down."""
        return {
            "remembered": self.remembered,
            "sessions": self.sessions,
            "last": self.last._asdict() if self.last else None,
            "waiting": self.waiting._asdict(),
            "given": self.given._asdict(),
        }


def status(app: Workspace) -> Status:
    """How things stand in the stores of this folder."""
    stores = app.stores()
    sessions = [
        page
        for store in stores
        for page in store.index.entries(Filter())
        if page.kind in SESSION_KINDS
    ]
    lasting: dict[str, Counter[str]] = {store.scope: Counter() for store in stores}
    for one in reading.listed(app, Filter(), scope=""):
        if one.own.kind not in SESSION_KINDS and one.own.status != "superseded":
            lasting[one.page.scope][_kind(one)] += 1
    newest = max(sessions, key=lambda one: one.updated or one.created, default=None)
    return Status(
        {scope: dict(kinds.most_common()) for scope, kinds in lasting.items()},
        len(sessions),
        _last_session(app, newest) if newest else None,
        WaitingCounts(
            len(waiting_everywhere(app, scope="", trust="agent", episodes=False)),
            len(lifecycle.conflicts(app, scope=""))
            + len(lifecycle.list_merged_places(app, scope="")),
            sum(count_overdue(store, app.now) for store in stores),
            repository.count_unaccepted(app),
        ),
        _given_lately(app, stores),
    )


def _kind(one: reading.ListedEntry) -> str:
    return "core" if one.page.entry.path.startswith("core/") else one.own.kind


def _last_session(app: Workspace, entry: Entry) -> LastSession:
    time = entry.updated or entry.created
    state = _state_of(app, entry.session)
    if state is None:
        return LastSession(entry.id, entry.title, time, "", 0)
    brought = (state.decisions, state.patterns, state.issues, state.problems, state.solutions)
    return LastSession(entry.id, entry.title, time, state.client, sum(map(len, brought)))


def _state_of(app: Workspace, session: str) -> SessionState | None:
    for store in app.stores() if session else ():
        for client in CAPTURED:
            if state := app.sessions(store).load(client, session):
                return state
    return None


def _given_lately(app: Workspace, stores: list[OpenStore]) -> GivenLately:
    since = days_after(app.now, -LATELY_DAYS)
    lines = [line for store in stores for line in injections(store, since)]
    return GivenLately(
        LATELY_DAYS,
        len({line.get("session") for line in lines}),
        len(lines),
        sum(tokens_of(line) for line in lines),
    )
