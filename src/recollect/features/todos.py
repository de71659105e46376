"""Open to-dos of all sessions, those that are over included, and how one is done."""

from __future__ import annotations

from collections.abc import Iterator

from recollect import workspace as workers
from recollect._fastimport import NamedTuple
from recollect.context.left_off import todos_in
from recollect.errors import RecollectError, UsageProblem
from recollect.features import sessions
from recollect.features.sessions import StoredSession
from recollect.model.facts import same_words
from recollect.model.footnotes import letters_of
from recollect.model.listed import shortest
from recollect.model.memory import Change, Entry, Filter
from recollect.model.session import SessionState
from recollect.store.store import OpenStore
from recollect.text.sentences import one_line
from recollect.workspace import Workspace

LONGEST_TODO = 200  # as a session's memory has it


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
        """Letters made of its text, the first of which are its id."""
        return letters_of(self.text)

    @property
    def session(self) -> str:
        """The session's id."""
        return self.state.session_id if self.state else self.entry.session if self.entry else ""

    def as_json(self, short: str) -> dict[str, str]:
        """What `--json` shows, with the short id."""
        scope = self.store.scope
        about = {"id": short, "text": self.text, "session": self.session, "title": self.title}
        return about | {"date": self.date, "scope": scope}


def open_todos(app: Workspace, *, scope: str = "") -> list[tuple[str, OpenTodo]]:
    """The open to-dos of all sessions with their short ids, those of the newest sessions first."""
    found = [todo for store in app.stores(scope) for todo in _open_in(app, store)]
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


def finish(app: Workspace, name: str, *, scope: str = "", dry_run: bool) -> OpenTodo:
    """Mark an open to-do as done, in its session and in the memory of it.

    `name` is its id, its text, or a unique beginning of either. Raises UsageProblem.
    """
    todo = _named(open_todos(app, scope=scope), name)
    if dry_run:
        return todo
    with workers.hold_worker(app, todo.store), todo.store.one_change():
        if todo.state:
            text = _as_noted(todo.state, todo.text)
            sessions.mark_done(app, StoredSession(todo.store, todo.state), text)
        if todo.entry and todo.text in _open_on(todo.store, todo.entry):
            _tick(todo.store, todo.entry, todo.text)
    return todo


def _named(found: list[tuple[str, OpenTodo]], name: str) -> OpenTodo:
    wanted = same_words(name)
    exact = [todo for short, todo in found if name == short or same_words(todo.text) == wanted]
    begun = [
        todo
        for _, todo in found
        if todo.name.startswith(name) or (wanted and same_words(todo.text).startswith(wanted))
    ]
    same = {todo.name for todo in exact or begun}
    if not same:
        what = f"There is no open to-do “{name}”; `recollect session todo --all` lists them."
        raise UsageProblem(what=what, command="todo")
    if len(same) > 1:
        what = (
            f"Several open to-dos begin with “{name}”; `recollect session todo --all` lists them."
        )
        raise UsageProblem(what=what, command="todo")
    return (exact or begun)[0]


def _as_noted(state: SessionState, text: str) -> str:
    """The to-do as the session's state has it: its memory cuts a long one."""
    rows = (row["text"] for row in state.todos)
    return next((row for row in rows if one_line(row, LONGEST_TODO) == text), text)


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
