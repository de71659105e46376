"""Sessions: what is said of a session by command, while its client's log goes on being captured.

Promises: whatever is said is on disk when the command returns, and stays there however many
processes speak of the session, and fold its events, at the same time; it can be undone; nothing
private or secret reaches a disk.
Touches: the ports behind the store it is given, and the sessions through `Sessions`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from recollect.domain.facts import Fact
from recollect.domain.factsview import is_fact, reason_of
from recollect.domain.folding import with_facts
from recollect.domain.model import Change
from recollect.domain.session import Remark, SessionState
from recollect.errors import UsageProblem
from recollect.named import NamedTuple
from recollect.services.opened import OpenStore

if TYPE_CHECKING:
    from recollect.services.capture import Sessions


class Said(NamedTuple):
    """A session with what was said of it, and the remarks that are new."""

    state: SessionState
    remarks: tuple[Remark, ...]


def say(
    store: OpenStore,
    sessions: Sessions,
    about: SessionState,
    plan_remarks: Callable[[SessionState], Sequence[Remark]],
    *,
    cause: str,
) -> Said:
    """Keep remarks about a session; `plan_remarks` is told what holds with the store locked."""
    client, session = about.client, about.session_id
    path = sessions.remarks_path(client, session)
    made: list[Remark] = []

    def plan() -> list[Change]:
        state = sessions.whole(sessions.load(client, session) or SessionState(session, client))
        made[:] = [_clean(store, remark) for remark in plan_remarks(state)]
        if not made:
            return []
        old = store.files.read(path) if store.files.exists(path) else None
        text = old.text if old else ""
        if not text.endswith("\n"):  # as a person's editor may leave it
            text += "\n" if text else ""
        for remark in made:
            text = _with_line(store, text, partial(sessions.line_of, client, session, remark))
        return [Change("put", path, "", old.stamp if old else None, text)]

    store.commit(plan, cause=cause, tries=3)
    return Said(known(sessions, client, session), tuple(made))


def planned(
    store: OpenStore, about: SessionState, plan_remarks: Callable[[SessionState], Sequence[Remark]]
) -> Said:
    """What `say` would do."""
    return Said(about, tuple(_clean(store, remark) for remark in plan_remarks(about)))


def known(sessions: Sessions, client: str, session: str) -> SessionState:
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


def todo_done(number: int, time: str, trust: str) -> Callable[[SessionState], list[Remark]]:
    """The remark that a session's to-do of this number, counted from 1, is done.

    Raises:
        UsageProblem: there is no such to-do.
    """

    def plan(state: SessionState) -> list[Remark]:
        if not 1 <= number <= len(state.todos):
            size = len(state.todos)
            raise UsageProblem(
                what=f"There is no to-do {number}; this session has {size}.", command="todo"
            )
        todo = state.todos[number - 1]
        return [] if todo["status"] == "done" else [Remark("done", todo["text"], time, trust)]

    return plan


def with_own_facts(store: OpenStore, state: SessionState) -> SessionState:
    """The state with the facts of their own that were kept in the session and hold still."""
    entries = [
        entry
        for entry in store.index.entries_of_session(state.session_id)
        if is_fact(entry) and not entry.archived and entry.status != "superseded"
    ]
    if not entries:
        return state
    texts = {head.id: head.text for head in store.index.by_ids([entry.id for entry in entries])}
    return with_facts(
        state,
        [
            (
                Fact(
                    entry.kind,
                    entry.title,
                    " ".join(reason_of(texts.get(entry.id, ""), entry.title).split()),
                    entry.category or "other",
                    entry.status,
                    source=entry.source if entry.trust == "user" else "observed",
                ),
                entry.created,
            )
            for entry in entries
        ],
    )
