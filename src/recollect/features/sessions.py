"""Sessions by command: task, notes and to-dos, while capture goes on.

A note is durable when the command returns, no matter how many processes write at once, and can be
undone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from recollect._fastimport import NamedTuple
from recollect.capture.ingest import with_own_facts
from recollect.capture.state import with_remarks
from recollect.context.left_off import todos_in
from recollect.errors import (
    NoSessionHere,
    NoTerminal,
    RecollectError,
    SessionNotFound,
    UsageProblem,
)
from recollect.model.facts import same_words
from recollect.model.footnotes import id_letters
from recollect.model.list_items import shortest
from recollect.model.memory import Change, Entry, Filter
from recollect.model.session import Remark, SessionState
from recollect.store import locations
from recollect.store.store import OpenStore
from recollect.text.sentences import one_line
from recollect.workspace import Workspace, current_session, hold_worker, terminal, trust_of

if TYPE_CHECKING:
    from recollect.capture.session_files import FolderSessions


class RemarkedSession(NamedTuple):
    """A session with what was said of it, and the remarks that are new."""

    state: SessionState
    remarks: tuple[Remark, ...]


def add_remarks(
    app: Workspace,
    found: StoredSession,
    plan_remarks: Callable[[SessionState], Sequence[Remark]],
    *,
    cause: str,
    dry_run: bool,
) -> RemarkedSession:
    """Keep remarks about a session; `plan_remarks` gets its state as it is with the store locked."""
    store, about = found.store, found.state
    if dry_run:
        remarks = tuple(_clean(store, remark) for remark in plan_remarks(about))
        return RemarkedSession(with_remarks(about, remarks), remarks)
    client, session = about.client, about.session_id
    sessions = app.sessions(store)
    path = sessions.remarks_path(client, session)

    def plan() -> tuple[tuple[Remark, ...], list[Change]]:
        state = known(sessions, client, session)
        made = tuple(_clean(store, remark) for remark in plan_remarks(state))
        if not made:
            return made, []
        text, stamp = store.text_at(path)
        if not text.endswith("\n"):  # as a person's editor may leave it
            text += "\n" if text else ""
        for remark in made:
            text = _with_line(store, text, partial(sessions.line_of, client, session, remark))
        return made, [Change("put", path, "", stamp, text)]

    made = store.carry_out(plan, cause=cause, tries=3)
    return RemarkedSession(known(sessions, client, session), made)


def known(sessions: FolderSessions, client: str, session: str) -> SessionState:
    """What is known of a session: its captured state with what was said of it; maybe nothing."""
    return sessions.whole(sessions.load(client, session) or SessionState(session, client))


def _with_line(store: OpenStore, text: str, line: Callable[..., str]) -> str:
    """`text` with one more line, in which the ledger will find nothing that looks like a secret.

    What is none in the words of a person can look like one in JSON, and lines end with it.
    """
    made = text + line()
    return made if store.ledger.redact(made) == made else text + line(escaped=True)


def _clean(store: OpenStore, remark: Remark) -> Remark:
    # Each field for itself: an unclosed private part ends with its remark, not with the file.
    clean = store.ledger.redact
    return remark._replace(text=clean(remark.text), tags=tuple(map(clean, remark.tags)))


SHORTEST_PREFIX = 6
SHORTEST_SHOWN = 8  # the first part of a UUID
STALE_HOURS = 24
OLD_DAYS = 30  # after which a session is compressed
LONGEST_TODO = 200  # as a session's memory has it


class StoredSession(NamedTuple):
    """A session, and the store that it is in."""

    store: OpenStore
    state: SessionState
    is_homeless: bool = False  # begun where no later command can tell that it is this one
    short: str = ""  # as much of its id as other commands take for it

    @property
    def title(self) -> str:
        """The title of its page where it has one, else what it is about."""
        from recollect.capture.titles import title_of  # notes need none of it

        page = self.store.index.entry(self.state.memory) if self.state.memory else None
        is_named = self.state.task or self.state.notes
        return page.title if page else title_of(self.state) if is_named else ""

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
            "project": locations.project_of_store(self.store.root),
            "notes": len(state.notes),
            "todos": len(state.todos),
            "open_todos": sum(todo["status"] != "done" for todo in state.todos),
            "files": len(state.files_modified),
            "memory": state.memory,
        }

    def whole_json(self) -> dict[str, Any]:
        """Everything that is known of it."""
        from recollect.capture import summary

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

    found: StoredSession
    memory: str
    path: str  # absolute
    what: str  # created, changed, nothing, skipped
    text: str = ""

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        about = {"session": self.found.state.session_id, "task": self.found.state.task}
        return about | {"id": self.memory, "path": self.path, "what": self.what}


# ----------------------------------------------------------------------------- which session


def find(app: Workspace, name: str) -> StoredSession:
    """The session of this name; without one, that of the client or the terminal we run in.

    Raises SessionNotFound, NoSessionHere.
    """
    if name:
        return _named(app, name)
    client, session = current_session(app.env)
    if session:
        for store in app.stores():
            state = known(app.sessions(store), client, session)
            if state.started:
                return _with_facts(store, state)
        return _with_facts(app.store(), SessionState(session, client))
    here = terminal()
    running = _of_terminal(app, here)
    if not running:
        raise NoSessionHere if here else NoTerminal
    return max(running, key=_began)


def _of_terminal(app: Workspace, here: str, scope: str = "") -> list[StoredSession]:
    """The sessions that were begun in this terminal and go on."""
    stores = app.stores(scope)  # first: where there is none, that is what is to be said
    return [
        _with_facts(store, state)
        for store in (stores if here else ())
        for state in app.sessions(store).every(client="terminal")
        if state.terminal == here and state.status == "active"
    ]


def _named(app: Workspace, name: str) -> StoredSession:
    found = _every(app)
    begun = [one for one in found if one.state.session_id.startswith(name)]
    for one in found:
        if name in (
            one.state.session_id,
            locations.writer_of(one.state.client, one.state.session_id),
        ):
            return _with_facts(one.store, one.state)
    if len(begun) == 1 and len(name) >= SHORTEST_PREFIX:
        return _with_facts(begun[0].store, begun[0].state)
    page = app.full_name(name).partition("#")[0]
    for one in found:
        if one.state.memory and one.state.memory == page:
            return _with_facts(one.store, one.state)
    raise SessionNotFound(name=name)


def _every(app: Workspace) -> list[StoredSession]:
    """The sessions of all stores, without facts of their own."""
    return [
        StoredSession(store, state)
        for store in app.stores()
        for state in app.sessions(store).every()
    ]


def _with_facts(store: OpenStore, state: SessionState) -> StoredSession:
    return StoredSession(store, with_own_facts(store, state))


def session_of_terminal(app: Workspace, store: OpenStore) -> str:
    """The session of this terminal in a store, or nothing."""
    running = _of_terminal(app, terminal(), store.scope)
    return max(running, key=_began).state.session_id if running else ""


def _began(one: StoredSession) -> tuple[str, str]:
    return one.state.started, one.state.session_id


def every(app: Workspace, *, scope: str, ended: bool) -> list[StoredSession]:
    """The sessions that go on, the newest first; with `ended` the others too."""
    roots = {store.root for store in app.stores(scope)}
    known = _every(app)
    short = _short_ids([one.state.session_id for one in known])
    found = [
        _with_facts(one.store, one.state)._replace(short=short[one.state.session_id])
        for one in known
        if one.store.root in roots and (ended or one.state.status == "active")
    ]
    return sorted(found, key=lambda one: one.state.last_updated, reverse=True)


def _short_ids(names: Sequence[str]) -> dict[str, str]:
    """Each session's id up to the hyphen from which on no other begins like it."""
    short: dict[str, str] = {}
    for name, start in shortest(names).items():
        size = max(len(start), SHORTEST_SHOWN)
        end = name.find("-", size)
        short[name] = name[:end] if end > 0 else name
    return short


# ------------------------------------------------------------------------------- what is said


def start(app: Workspace, task: str, *, scope: str, dry_run: bool) -> StoredSession:
    """Begin a session, or name the task of the client's own session."""
    store = app.store(scope)
    client, session = current_session(app.env)
    here = "" if session else terminal()
    is_homeless = not (session or here)
    if not session:
        day, clock = app.now[:10].replace("-", ""), app.now[11:19].replace(":", "")
        client, session = "terminal", f"session-{day}-{clock}-{os.urandom(3).hex()}"
    about = known(app.sessions(store), client, session)
    remark = _remark(app, "task", " ".join(task.split()))._replace(terminal=here)
    found = StoredSession(store, about)
    said = add_remarks(app, found, lambda _: [remark], cause="start-session", dry_run=dry_run)
    if dry_run and client == "terminal":  # it gets its name when it begins
        said.state.session_id = ""
    return StoredSession(store, said.state, is_homeless)


def add(app: Workspace, kind: str, text: str, *, session: str, dry_run: bool) -> RemarkedSession:
    """Keep a `note` about a session, or a `todo` of it."""
    found = find(app, session)
    remark = _remark(app, kind, text)
    return add_remarks(app, found, lambda _: [remark], cause=kind, dry_run=dry_run)


def done(app: Workspace, number: int, *, session: str, dry_run: bool) -> RemarkedSession:
    """Note that the to-do of this number, counted from 1, is done.

    The memory of a session that is over says so at once. Raises UsageProblem.
    """
    found = find(app, session)

    def plan(state: SessionState) -> list[Remark]:
        if not 1 <= number <= len(state.todos):
            size = len(state.todos)
            what = f"There is no to-do {number}; this session has {size}."
            raise UsageProblem(what=what, command="todo")
        todo = state.todos[number - 1]
        return [] if todo["status"] == "done" else [_remark(app, "done", todo["text"])]

    if dry_run or found.state.status == "active":
        return add_remarks(app, found, plan, cause="todo", dry_run=dry_run)
    with hold_worker(app, found.store), found.store.one_change():
        said = add_remarks(app, found, plan, cause="todo", dry_run=False)
        _renew(app, found)
        return said


def _renew(app: Workspace, found: StoredSession) -> None:
    """Bring the memory of a session that is over up to date, if it is still there."""
    state = found.state
    if state.status == "saved" and state.memory and found.store.index.entry(state.memory):
        _saved(app, found, found.store)


def _remark(app: Workspace, kind: str, text: str) -> Remark:
    return Remark(kind, text, app.now, trust_of(app.env))


# ------------------------------------------------------------------------------------- saving


class SaveSessionRequest(NamedTuple):
    """What a person asks for when they save a session."""

    tags: tuple[str, ...] = ()
    summary: str = ""
    scope: str = ""  # the store that the memory goes to; that of the session by default


def save(app: Workspace, name: str, wish: SaveSessionRequest, *, dry_run: bool) -> Saved:
    """Make the memory of a session, or bring it up to date."""
    found = find(app, name)
    if dry_run:
        return _planned(app, found, wish)
    target = app.store(wish.scope) if wish.scope else found.store
    with hold_worker(app, found.store), found.store.one_change(), target.one_change():
        if found.state.client in app.readers():
            from recollect.capture import signals

            signals.take_signals(app, found.store)  # what the client has written by now
        if wish.tags or wish.summary:
            remark = _remark(app, "about", wish.summary.strip())._replace(tags=wish.tags)
            add_remarks(app, found, lambda _: [remark], cause="save-session", dry_run=False)
        return _saved(app, found, target)


def _planned(app: Workspace, found: StoredSession, wish: SaveSessionRequest) -> Saved:
    """What saving it would do."""
    from recollect.capture import summary, titles
    from recollect.model import layers

    parsed = app.capture(found.store).parsed_state(found.state)
    target = app.store(wish.scope) if wish.scope else found.store
    about = Remark("about", wish.summary.strip(), tags=wish.tags)
    state = with_remarks(parsed, [about])
    if not state.is_worth_saving:
        return Saved(found, "", "", "skipped")
    entry = target.index.entry(state.memory) if state.memory else None
    wanted = layers.name_of("episodic", titles.title_of(state), state.started or app.now)
    name = entry.id if entry else target.free_id(wanted)
    path = entry.path if entry else f"episodic/{name}/summary.md"
    what = "changed" if entry else "created"
    if entry and state.status == "saved" and not (wish.tags or wish.summary):
        what = "nothing"
    text = summary.summary_text(state, name, target.settings.lang, path)
    found = found._replace(state=parsed)
    return Saved(found, name, os.path.join(target.root, path), what, text)


def _saved(app: Workspace, found: StoredSession, target: OpenStore) -> Saved:
    """Make the memory of a session in a store; what a person took away comes back if they ask."""
    old = found.state
    sessions = app.sessions(found.store)
    state = sessions.load(old.client, old.session_id) or SessionState(old.session_id, old.client)
    is_saved = bool(state.memory and target.index.entry(state.memory))
    if state.status == "discarded" or not is_saved:
        state.status, state.memory, state.written_stamp = "active", "", ""
    done = app.capture(found.store, target).finish(state)
    if target is not found.store and done.memory:
        # What the session goes on with becomes a memory of its own store.
        state.memory, state.written_stamp = "", ""
        sessions.save(state)
    entry = target.index.entry(done.memory) if done.memory else None
    path = os.path.join(target.root, entry.path) if entry else ""
    return Saved(
        found._replace(state=known(sessions, old.client, old.session_id)),
        done.memory,
        path,
        done.what,
    )


def cleanup(app: Workspace, *, hours: int, scope: str, dry_run: bool) -> list[Saved]:
    """Make memories of the sessions that nobody went on with for so long.

    One in which there is nothing ends without a memory; nothing is taken away.
    """
    before = locations.utc(app.started_ns / 1e9 - hours * 3600)
    done = []
    for store in app.stores(scope):
        stale = [
            _with_facts(store, state)
            for state in app.sessions(store).every()
            if state.status == "active" and state.last_updated <= before
        ]
        if dry_run or not stale:
            done += [_planned(app, one, SaveSessionRequest()) for one in stale]
            continue
        with hold_worker(app, store), store.one_change():
            for one in stale:
                _read_on(app, one)
                done.append(_ended(app, one))
    return done


def _read_on(app: Workspace, found: StoredSession) -> None:
    """Take in what is new in the transcripts of a session, as far as they are still there."""
    state = found.state
    if state.client in app.readers():
        capture = app.capture(found.store)
        for transcript in list(state.sources):
            if os.path.exists(transcript):
                capture.take_in(state.client, transcript, over=False)


def _ended(app: Workspace, found: StoredSession) -> Saved:
    saved = _saved(app, found, found.store)
    if saved.what == "skipped":
        sessions = app.sessions(found.store)
        state = sessions.load(found.state.client, found.state.session_id)
        if state and state.status == "active":
            state.status = "discarded"
            sessions.save(state)
    return saved


# ---------------------------------------------------------------------- open to-dos of all sessions


class OpenTodo(NamedTuple):
    """A to-do that is open, and the session that it is of: its state, its memory, or both."""

    text: str
    title: str
    date: str
    store: OpenStore
    state: SessionState | None
    entry: Entry | None

    @property
    def name(self) -> str:
        """Letters made from its text; the first few are its id."""
        return id_letters(self.text)

    @property
    def session(self) -> str:
        """The session's id."""
        return self.state.session_id if self.state else self.entry.session if self.entry else ""

    def as_json(self, short: str) -> dict[str, str]:
        """What `--json` shows, with the short id."""
        scope = self.store.scope
        about = {"id": short, "text": self.text, "session": self.session, "title": self.title}
        return about | {"date": self.date, "scope": scope}


def open_todos(app: Workspace) -> list[tuple[str, OpenTodo]]:
    """The open to-dos of all sessions with their short ids, those of the newest sessions first."""
    found = [todo for store in app.stores() for todo in _open_in(app, store)]
    found.sort(key=lambda todo: todo.date, reverse=True)
    short = shortest(todo.name for todo in found)
    return [(short[todo.name], todo) for todo in found]


def _open_in(app: Workspace, store: OpenStore) -> Iterator[OpenTodo]:
    """A session that goes on says itself what is open; of one that is over, its memory does."""
    states = {state.session_id: state for state in app.sessions(store).every()}
    for state in states.values():
        if state.status == "active":
            for row in state.todos:
                if row["status"] != "done":
                    day = state.last_updated[:10]
                    yield OpenTodo(row["text"], state.task, day, store, state, None)
    for entry in store.index.entries(Filter(layer="episodic", kind="session")):
        state_of = states.get(entry.session)
        if entry.private or (state_of and state_of.status == "active"):
            continue
        for text in _open_on(store, entry):
            day = (entry.updated or entry.created)[:10]
            yield OpenTodo(text, entry.title, day, store, state_of, entry)


def _open_on(store: OpenStore, entry: Entry) -> list[str]:
    try:
        memory = store.as_trusted(store.read(entry), entry.path)
    except RecollectError:  # encrypted, or gone
        return []
    return [text for is_done, text in todos_in(memory.body) if not is_done]


def finish_todo(app: Workspace, name: str, *, dry_run: bool) -> OpenTodo:
    """Mark an open to-do as done, in its session and in the memory of it.

    `name` is its id, its text, or a unique beginning of either. Raises UsageProblem.
    """
    todo = _todo_named(open_todos(app), name)
    if dry_run:
        return todo
    with hold_worker(app, todo.store), todo.store.one_change():
        if todo.state:
            noted = (row["text"] for row in todo.state.todos)  # the memory cuts a long one
            text = next(
                (one for one in noted if one_line(one, LONGEST_TODO) == todo.text), todo.text
            )
            found = StoredSession(todo.store, todo.state)
            remark = _remark(app, "done", text)
            add_remarks(app, found, lambda _: [remark], cause="todo", dry_run=False)
            _renew(app, found)
        if todo.entry and todo.text in _open_on(todo.store, todo.entry):
            _tick(todo.store, todo.entry, todo.text)
    return todo


def _todo_named(found: list[tuple[str, OpenTodo]], name: str) -> OpenTodo:
    wanted = same_words(name)
    exact = [todo for short, todo in found if name == short or same_words(todo.text) == wanted]
    begun = [
        todo
        for _, todo in found
        if todo.name.startswith(name) or (wanted and same_words(todo.text).startswith(wanted))
    ]
    same = {todo.name for todo in exact or begun}
    if len(same) != 1:
        what = f"There is no open to-do “{name}”; `recollect session todo --all` lists them."
        if same:
            what = f"Several open to-dos begin with “{name}”; `recollect session todo --all` lists them."
        raise UsageProblem(what=what, command="todo")
    return (exact or begun)[0]


def _tick(store: OpenStore, entry: Entry, text: str) -> None:
    def plan() -> list[Change]:
        old = store.read(entry)
        lines = old.text.splitlines(keepends=True)
        for n, line in enumerate(lines):
            if line.strip() == f"- [ ] {text}":
                lines[n] = line.replace("[ ]", "[x]", 1)
                return [Change("put", entry.path, entry.id, old.stamp, "".join(lines))]
        return []

    store.commit(plan, cause="todo", tries=3)
