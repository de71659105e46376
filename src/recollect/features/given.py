"""What agents were given in a session, as hooks and tools noted it in the journal."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.capture.reactions import Reaction, credits_of
from recollect.errors import MemoryNotFound, RecollectError, SessionNotFound
from recollect.features import reading
from recollect.model.entries import rows_at
from recollect.model.filing_marks import OPEN, stage_of, without_mark
from recollect.model.memory import SESSION_KINDS, is_sealed_path
from recollect.store import locations
from recollect.store.store import OpenStore
from recollect.text.tokens import count_tokens
from recollect.workspace import Workspace, current_session

BRIEF = "brief"  # the name under which a brief is noted as a whole
TAKEN = ("expand", "show")  # moments at which an agent opens a note itself
SHORTEST_PREFIX = 4  # of a session's id


class GivenNote(NamedTuple):
    """A note that an agent was given, as it reads now."""

    name: str
    title: str = ""
    text: str = ""
    kind: str = ""
    updated: str = ""
    form: str = "full"  # or pointer
    state: str = ""  # changed or filed (since), waits, gone, unreadable
    used: str = ""  # opened, approval, correction

    @property
    def one_line(self) -> str:
        """What it says, on one line: its title, and the first line of its text if that says more."""
        lines = (line.replace("**", "").strip(" -*#") for line in self.text.splitlines())
        first = next((line for line in lines if line), "")
        if first.startswith(self.title.rstrip("…")):
            return first
        return self.title if self.kind in SESSION_KINDS or not first else f"{self.title} – {first}"


class Injection(NamedTuple):
    """What was given at one moment, and what it cost."""

    time: str
    moment: str  # start, prompt, error, or the tool that the agent called
    agent: str  # of a sub-agent
    tokens: int
    notes: list[GivenNote]


class GivenSession(NamedTuple):
    """A session, and what its agent was told."""

    session: str
    client: str
    started: str
    task: str
    given: list[Injection]

    @property
    def tokens(self) -> int:
        """What all of it cost."""
        return sum(one.tokens for one in self.given)


def given_sessions(app: Workspace, name: str = "", *, last: int = 1) -> list[GivenSession]:
    """What was told in the session of this name, or in the last ones of this project, newest first.

    Without a name an agent gets its own session. Raises SessionNotFound.
    """
    wanted = name or (current_session(app.env)[1] if last == 1 else "")
    found: dict[str, list[tuple[OpenStore, dict[str, Any]]]] = {}
    for store in app.stores():
        for line in _lines_of(store, wanted, last):
            found.setdefault(str(line["session"]), []).append((store, line))
    if name:
        found = _session_named(found, name)
    newest = sorted(found, key=lambda one: max(_time(line) for _, line in found[one]))
    return [_given_session(app, one, found[one]) for one in newest[-last:][::-1]]


def sessions_given(app: Workspace) -> set[str]:
    """The sessions of this project whose agents were given something."""
    lines = (line for store in app.stores() for line in store.journal.hot("inject"))
    return {str(line["session"]) for line in filter(_is_of_session, lines)}


def injections(store: OpenStore, since: str) -> Iterator[dict[str, Any]]:
    """What the journal says was given from that day on."""
    return (line for line in store.journal.hot("inject") if _time(line) >= since)


def _lines_of(store: OpenStore, wanted: str, last: int) -> Iterator[dict[str, Any]]:
    """What the journal has about the wanted session, or about enough of the last ones."""
    files = store.journal.sessions()
    newest = sorted(files, key=lambda one: files[one].mtime_ns, reverse=True)
    if wanted:
        newest = [one for one in newest if one.partition("-")[2].startswith(wanted)]
    for name in newest[:last]:
        yield from filter(_is_of_session, (line.data for line in store.journal.lines(name)))
    if len(newest) < last:  # those of long ago lie together
        for op in ("signal", "inject"):
            lines = filter(_is_of_session, store.journal.hot(op))
            yield from (one for one in lines if str(one["session"]).startswith(wanted))


def _is_of_session(line: Mapping[str, Any]) -> bool:
    return line.get("op") in ("signal", "inject") and bool(line.get("session"))


def _session_named(found: dict[str, Any], name: str) -> dict[str, Any]:
    """The one session that is meant. Raises SessionNotFound."""
    begun = [one for one in found if one.startswith(name)]
    if name in found:
        return {name: found[name]}
    if len(begun) != 1 or len(name) < SHORTEST_PREFIX:
        raise SessionNotFound(name=name)
    return {begun[0]: found[begun[0]]}


def _time(line: Mapping[str, Any]) -> str:
    return str(line.get("time", ""))


def _given_session(
    app: Workspace, session: str, lines: Iterable[tuple[OpenStore, dict[str, Any]]]
) -> GivenSession:
    once = {str(line.get("op_id")): (store, line) for store, line in lines}
    rows = sorted(once.values(), key=lambda row: _time(row[1]))
    store = rows[0][0]
    client = next((str(line["client"]) for _, line in rows if line.get("client")), "")
    client = client or str(rows[0][1].get("writer", "")).partition("-")[0]
    state = app.sessions(store).load(client, session)
    injections = [line for _, line in rows if line["op"] == "inject"]
    reactions = [
        Reaction(row["kind"], session, row["since"], row["until"], row.get("seq", 0))
        for row in (state.reactions if state else ())
    ]
    used = {credit.memory: credit.kind for credit in credits_of(reactions, injections)}
    for line in injections:
        if line.get("moment") in TAKEN:
            used |= dict.fromkeys(_names_in(line, "items"), "opened")
    known: dict[str, GivenNote] = {}
    given = [_handover(app, line, used, known) for line in injections]
    return GivenSession(session, client, _time(rows[0][1]), state.task if state else "", given)


def _handover(
    app: Workspace, line: Mapping[str, Any], used: Mapping[str, str], known: dict[str, GivenNote]
) -> Injection:
    notes = []
    is_opening = line.get("moment") in TAKEN  # to open a note is no use of it that came of that
    for key in ("items", "told", "pointers"):
        for name in _names_in(line, key):
            if name not in known:
                known[name] = _given_note(app, name)
            note = known[name]
            is_changed = not note.state and "#" not in name and note.updated > _time(line)
            use = used.get(name) or used.get(name.partition("#")[0], "")
            notes.append(
                note._replace(
                    form="pointer" if key == "pointers" else "full",
                    state="changed" if is_changed else note.state,
                    used="" if is_opening else use,
                )
            )
    moment, agent = str(line.get("moment", "")), str(line.get("agent", ""))
    return Injection(_time(line), moment, agent, tokens_of(line), notes)


def tokens_of(line: Mapping[str, Any]) -> int:
    """What a hand-over cost."""
    tokens = line.get("tokens")
    return tokens if isinstance(tokens, int) else 0


def _names_in(line: Mapping[str, Any], key: str) -> list[str]:
    items = line.get(key)
    names = items if isinstance(items, list) else []
    return [str(name) for name in dict.fromkeys(names) if name != BRIEF]


def _given_note(app: Workspace, name: str) -> GivenNote:
    try:
        page = reading.show(app, name, 2)
    except MemoryNotFound:
        return _filed_note(app, name) or GivenNote(name, state="gone")
    except RecollectError:  # no key here opens it, or nobody can parse it
        return GivenNote(name, state="unreadable")
    entry = page.entry
    text = "" if is_sealed_path(entry.path) else page.text
    is_item = "#^" in name  # below a heading that says only who noted it
    kind = page.own.kind if page.own else entry.kind
    own = "" if kind in SESSION_KINDS else page.heading  # of a session: Summary, Commits
    title = "" if is_item or entry.path.startswith("core/") else own or entry.title
    return GivenNote(name, title, text, kind, entry.updated or entry.created)


def _filed_note(app: Workspace, name: str) -> GivenNote | None:
    """A statement of a session that was filed on a page since it was given, or waits to be."""
    page, _, anchor = name.partition("#")
    try:
        store = app.store_of(page)
        memory = store.open_memory(store.require(page))
    except RecollectError:
        return None
    lines = memory.body.splitlines()
    for n, line in enumerate(lines if anchor.startswith("^") else ()):
        if (stage := stage_of(line)) != OPEN:
            then = [*lines[:n], without_mark(line), *lines[n + 1 :]]
            for row in rows_at(memory._replace(body="\n".join(then)), anchor):
                return GivenNote(name, "", row.text, row.kind, row.created, state=stage)
    return None


# A server whose client says nothing of its session has one of its own.
_OWN_SESSION = ("mcp", os.urandom(6).hex())


def record_use(app: Workspace, names: Sequence[str], moment: str, text: str) -> None:
    """Note that memories or sections of these names were handed over, in a text of that cost."""
    client, session = current_session(app.env)
    client, session = (client, session) if session else _OWN_SESSION
    fields: dict[str, str | list[str] | int] = {
        "session": session,
        "moment": moment,
        "items": list(names),
        "tokens": count_tokens(text),
    }
    root = app.stores()[0].root
    with suppress(OSError):
        locations.record(root, locations.writer_of(client, session), "inject", fields)
