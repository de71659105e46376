"""App: sessions by command: which one is meant, what is said of it, and its memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from recollect.app import workers
from recollect.app.here import terminal, told, trust_of
from recollect.app.publishing import publish_after_change
from recollect.app.wiring import App
from recollect.domain.session import Remark, SessionState
from recollect.errors import NoSessionHere, SessionNotFound
from recollect.hooks import places
from recollect.named import NamedTuple
from recollect.services import sessions as service
from recollect.services.opened import OpenStore

SHORTEST_PREFIX = 6
STALE_HOURS = 24


class Found(NamedTuple):
    """A session, and the store that it is in."""

    store: OpenStore
    state: SessionState
    is_homeless: bool = False  # begun where no later command can tell that it is this one

    def as_json(self) -> dict[str, Any]:
        """What a list shows of it."""
        state = self.state
        return {
            "session": state.session_id,
            "client": state.client,
            "task": state.task,
            "status": state.status,
            "started": state.started,
            "updated": state.last_updated,
            "scope": self.store.scope,
            "project": state.project,
            "notes": len(state.notes),
            "todos": len(state.todos),
            "open_todos": sum(todo["status"] != "done" for todo in state.todos),
            "files": len(state.files_modified),
            "memory": state.memory,
        }

    def whole_json(self) -> dict[str, Any]:
        """Everything that is known of it."""
        from recollect.domain import summary

        state = self.state
        facts = [
            {"kind": fact.kind, "content": fact.content, "category": fact.category}
            | ({"status": fact.status} if fact.kind == "issue" else {"reason": fact.detail})
            for fact in summary.session_facts(state)
        ]
        todos = [{"text": todo["text"], "status": todo["status"]} for todo in state.todos]
        return self.as_json() | {
            "notes": state.notes,
            "todos": todos,
            "facts": facts,
            "files": state.files_modified,
            "commits": state.commits,
            "summary": state.summary,
            "tags": state.tags,
        }


class Saved(NamedTuple):
    """What became of a session."""

    found: Found
    memory: str
    path: str  # absolute
    what: str  # created, changed, nothing, skipped
    text: str = ""

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        about = {"session": self.found.state.session_id, "task": self.found.state.task}
        return about | {"id": self.memory, "path": self.path, "what": self.what}


# ----------------------------------------------------------------------------- which session


def find(app: App, name: str = "", *, scope: str = "") -> Found:
    """The session of this name; without one, that of the client or the terminal we run in.

    Raises:
        SessionNotFound, NoSessionHere: there is none.
    """
    if name:
        return _named(app, name, scope)
    client, session = told(app.env)
    if session:
        stores = app.stores(scope)
        for store in stores:
            state = service.known(app.sessions(store), client, session)
            if state.started:
                return _with_facts(store, state)
        store = app.store(scope)
        return _with_facts(store, SessionState(session, client, _project(app, store, scope)))
    running = _of_terminal(app, terminal(), scope)
    if not running:
        raise NoSessionHere
    return max(running, key=_began)


def _of_terminal(app: App, here: str, scope: str) -> list[Found]:
    """The sessions that were begun in this terminal and go on."""
    stores = app.stores(scope)  # first: where there is none, that is what is to be said
    return [
        _with_facts(store, state)
        for store in (stores if here else ())
        for state in app.sessions(store).every(client="terminal")
        if state.terminal == here and state.status == "active"
    ]


def _named(app: App, name: str, scope: str) -> Found:
    found = list(_every(app, scope))
    begun = [one for one in found if one.state.session_id.startswith(name)]
    for one in found:
        if name in (one.state.session_id, places.writer_of(one.state.client, one.state.session_id)):
            return _with_facts(one.store, one.state)
    if len(begun) == 1 and len(name) >= SHORTEST_PREFIX:
        return _with_facts(begun[0].store, begun[0].state)
    raise SessionNotFound(name=name)


def _every(app: App, scope: str = "") -> Iterator[Found]:
    """The sessions of the stores that are looked through, without facts of their own."""
    for store in app.stores(scope):
        for state in app.sessions(store).every():
            yield Found(store, state)


def _with_facts(store: OpenStore, state: SessionState) -> Found:
    return Found(store, service.with_own_facts(store, state))


def _project(app: App, store: OpenStore, scope: str) -> str:
    """What a session of this folder is told apart by in a store that serves several."""
    return app.project_folder if store.scope == "global" and scope != "global" else ""


def session_here(app: App, store: OpenStore) -> str:
    """The session of this terminal in a store, or nothing."""
    running = _of_terminal(app, terminal(), store.scope)
    return max(running, key=_began).state.session_id if running else ""


def _began(one: Found) -> tuple[str, str]:
    return one.state.started, one.state.session_id


def every(app: App, *, scope: str, ended: bool) -> list[Found]:
    """The sessions that go on, the newest first; with `ended` the others too.

    Of a store that serves several projects only those of this one, unless it is asked for.
    """
    found = [
        _with_facts(store, state)
        for store, state, _ in _every(app, scope)
        if (ended or state.status == "active") and app.shows(state.project, scope)
    ]
    return sorted(found, key=lambda one: one.state.last_updated, reverse=True)


# ------------------------------------------------------------------------------- what is said


def start(app: App, task: str, *, scope: str, dry_run: bool) -> Found:
    """Begin a session, or name the task of the client's own session."""
    store = app.store(scope)
    client, session = told(app.env)
    here = "" if session else terminal()
    is_homeless = not (session or here)
    if not session:
        day, clock = app.now[:10].replace("-", ""), app.now[11:19].replace(":", "")
        client, session = "terminal", f"session-{day}-{clock}-{os.urandom(3).hex()}"
    about = service.known(app.sessions(store), client, session)
    remark = Remark(
        "task",
        " ".join(task.split()),
        app.now,
        trust_of(app.env),
        here,
        _project(app, store, scope),
    )
    said = _say(app, Found(store, about), lambda _: [remark], "start-session", dry_run=dry_run)
    return Found(store, said.state, is_homeless)


def note(app: App, text: str, *, session: str, dry_run: bool) -> service.Said:
    """Keep a note about a session."""
    found = find(app, session)
    remark = _remark(app, found, "note", text.strip("\n").rstrip())
    return _say(app, found, lambda _: [remark], "note", dry_run=dry_run)


def todo(app: App, text: str, *, session: str, dry_run: bool) -> service.Said:
    """Keep a to-do of a session."""
    found = find(app, session)
    remark = _remark(app, found, "todo", " ".join(text.split()))
    return _say(app, found, lambda _: [remark], "todo", dry_run=dry_run)


def done(app: App, number: int, *, session: str, dry_run: bool) -> service.Said:
    """Note that a to-do of a session is done."""
    plan = service.todo_done(number, app.now, trust_of(app.env))
    return _say(app, find(app, session), plan, "todo", dry_run=dry_run)


def _remark(app: App, found: Found, kind: str, text: str) -> Remark:
    """A remark; the first one of a session says which project it is about."""
    project = "" if found.state.started else found.state.project
    return Remark(kind, text, app.now, trust_of(app.env), project=project)


def _say(
    app: App,
    found: Found,
    plan: Callable[[SessionState], Sequence[Remark]],
    cause: str,
    *,
    dry_run: bool,
) -> service.Said:
    if dry_run:
        return service.planned(found.store, found.state, plan)
    said = service.say(found.store, app.sessions(found.store), found.state, plan, cause=cause)
    if said.remarks:
        publish_after_change(app, found.store)
    return said


# ------------------------------------------------------------------------------------- saving


class Wish(NamedTuple):
    """What a person asks for when they save a session."""

    tags: tuple[str, ...] = ()
    summary: str = ""
    scope: str = ""  # the store that the memory goes to; that of the session by default


def save(app: App, name: str, wish: Wish, *, dry_run: bool) -> Saved:
    """Make the memory of a session, or bring it up to date."""
    found = find(app, name)
    if dry_run:
        heard = app.capture(found.store).heard(found.state)
        return _planned(found._replace(state=heard), wish)
    with workers.kept_away(app, found.store):
        _catch_up(app, found)
        if wish.tags or wish.summary:
            remark = Remark(
                "about", wish.summary.strip(), app.now, trust_of(app.env), tags=wish.tags
            )
            service.say(
                found.store,
                app.sessions(found.store),
                found.state,
                lambda _: [remark],
                cause="save-session",
            )
        return _saved(app, found, app.store(wish.scope) if wish.scope else found.store)


def _planned(found: Found, wish: Wish) -> Saved:
    from recollect.domain import layers, summary
    from recollect.domain.folding import with_remarks

    about = Remark("about", wish.summary.strip(), tags=wish.tags)
    state = with_remarks(found.state, [about])
    if not state.is_worth_saving:
        return Saved(found, "", "", "skipped")
    wanted = layers.name_of("episodic", summary.title_of(state), state.started)
    name = state.memory or found.store.free_id(wanted)
    text = summary.summary_text(state, name, found.store.settings.lang)
    return Saved(found, name, "", "changed" if state.memory else "created", text)


def _catch_up(app: App, found: Found) -> None:
    """Take in what the client has written about its session by now."""
    if found.state.client in app.readers():
        from recollect.app.worker import take_signals

        take_signals(app, found.store)


def _saved(app: App, found: Found, target: OpenStore) -> Saved:
    """Make the memory of a session in a store; what a person took away comes back if they ask."""
    old = found.state
    sessions = app.sessions(found.store)
    state = sessions.load(old.client, old.session_id) or SessionState(old.session_id, old.client)
    state.project = state.project or old.project
    if state.status == "discarded" or (state.memory and not target.index.entry(state.memory)):
        state.status, state.memory, state.written_stamp = "active", "", ""
    done = app.capture(found.store, target).finish(state)
    if target is not found.store and done.memory:
        # What the session goes on with becomes a memory of its own store.
        state.memory, state.written_stamp = "", ""
        sessions.save(state)
    entry = target.index.entry(done.memory) if done.memory else None
    path = os.path.join(target.files.root, entry.path) if entry else ""
    if done.what in ("created", "changed"):
        publish_after_change(app, target)
    return Saved(
        found._replace(state=service.known(sessions, old.client, old.session_id)),
        done.memory,
        path,
        done.what,
    )


def cleanup(app: App, *, hours: int, scope: str, dry_run: bool) -> list[Saved]:
    """Make memories of the sessions that nobody went on with for so long.

    One in which there is nothing ends without a memory; nothing is taken away.
    """
    before = places.utc(app.started_ns / 1e9 - hours * 3600)
    done = []
    for store in app.stores(scope):
        stale = [
            _with_facts(store, state)
            for state in app.sessions(store).every()
            if state.status == "active" and state.last_updated <= before
        ]
        if dry_run or not stale:
            done += [_planned(one, Wish()) for one in stale]
            continue
        with workers.kept_away(app, store):
            for one in stale:
                _read_on(app, one)
                done.append(_ended(app, one))
    return done


def _read_on(app: App, found: Found) -> None:
    """Take in what is new in the transcripts of a session, as far as they are still there."""
    state = found.state
    if state.client in app.readers():
        capture = app.capture(found.store)
        for transcript in list(state.sources):
            if os.path.exists(transcript):
                capture.take_in(state.client, transcript, over=False, project=state.project)


def _ended(app: App, found: Found) -> Saved:
    saved = _saved(app, found, found.store)
    if saved.what == "skipped":
        sessions = app.sessions(found.store)
        state = sessions.load(found.state.client, found.state.session_id)
        if state and state.status == "active":
            state.status = "discarded"
            sessions.save(state)
    return saved
