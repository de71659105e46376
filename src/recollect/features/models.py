"""Have a model read the sessions that are over, where the person said yes to that.

Without the setting nothing is asked and nothing leaves. What was captured stays as it is when the
model fails. A statement of a model is saved like any other, trusted no more than whoever said it.
One question at a time on a machine, within the budget of the day. Every call is in a log that only its
owner can read, redacted, with all that was sent and answered.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.capture import model_answer, requests
from recollect.capture.condense import Condensed, condense
from recollect.capture.model_answer import ExtractedEntry, ExtractedSession, KnownEntry
from recollect.consolidate.run import supersede
from recollect.errors import FileNotThere, ModelFailed, RecollectError
from recollect.features import remember
from recollect.features.remember import Statement, Writer
from recollect.model.entries import entries_of
from recollect.model.memory import TRUSTS, Filter, is_sealed_path
from recollect.model.session import SessionState
from recollect.ports import Extractor, Question
from recollect.privacy.purge import MODEL_LOCK, MODEL_LOG, is_purged
from recollect.store import disk, locations
from recollect.store.store import OpenStore, Settings
from recollect.text.tokens import count_tokens
from recollect.workspace import Workspace, require_person

SECONDS = 120.0  # for one answer
MOST_KEPT = 50  # calls in the log
BUDGET = "model-budget.json"
LOCK_SECONDS = 300.0  # for the question that somebody else asks
TOKENS_OUT = 600  # expected of an answer


class ModelCall(NamedTuple):
    """A call of a model, as the log has it."""

    time: str
    model: str
    project: str
    session: str
    outcome: str  # answered, no-answer (what came is none), failed, over-budget
    reason: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    entries: int = 0
    dropped: tuple[str, ...] = ()
    sent: str = ""
    answer: str = ""


class Asker(NamedTuple):
    """Who asks: the store, and what makes the one who is asked. Raises ModelFailed where it is used."""

    app: Workspace
    store: OpenStore
    extractor: Callable[[], Extractor]


def ask(asker: Asker, question: Question, *, session: str = "") -> ModelCall:
    """Ask a model, if the budget of the day allows; never raises for what a model does."""
    app, store, extractor = asker
    project = _project_of(store.root)
    sent = "\n\n".join(question)
    size = sum(count_tokens(part) for part in question)
    about = (app.now, store.settings.model, project, session)
    called = ModelCall(*about, "failed", tokens_in=size, sent=sent)
    base = locations.cache_root(app.env)
    disk.make_folder(base)
    with disk.held(f"{base}/{MODEL_LOCK}", wait_seconds=LOCK_SECONDS) as is_held:
        if not is_held:
            return called._replace(reason="another question was still open", tokens_in=0)
        if not _is_within(app, store, project, size + TOKENS_OUT):
            reason = "the budget of the day is used up"
            return called._replace(outcome="over-budget", reason=reason, tokens_in=0, sent="")
        started = time.monotonic()
        try:
            reply = extractor().ask(question, SECONDS)
        except ModelFailed as error:
            seconds = round(time.monotonic() - started, 1)
            reason = app.redact(str(error.fields["reason"]))
            called = called._replace(reason=reason, seconds=seconds)
        else:
            called = called._replace(
                outcome="answered",
                tokens_in=reply.tokens_in or size,
                tokens_out=reply.tokens_out or count_tokens(reply.text),
                seconds=round(time.monotonic() - started, 1),
                answer=app.redact(reply.text),
            )
        _spend(app, project, called)
    return called


def _budget(app: Workspace) -> dict[str, Any]:
    """What was spent today: `calls` and `tokens`, in all and by project."""
    today = app.now[:10]
    with suppress(FileNotThere, ValueError):
        data = json.loads(disk.read_file(f"{locations.cache_root(app.env)}/{BUDGET}"))
        if isinstance(data, dict) and data.get("day") == today:
            return data
    return {"day": today}


def _is_within(app: Workspace, store: OpenStore, project: str, tokens: int) -> bool:
    """Whether a question of this size is within what all projects may, and what this one may."""
    spent, own = _budget(app), app.own_settings()
    of_all, here = Settings(), store.settings
    limits = {
        project: (here.model_calls, here.model_tokens),
        "all": (
            int(own.get("capture.model_calls", of_all.model_calls)),
            int(own.get("capture.model_tokens", of_all.model_tokens)),
        ),
    }
    return all(
        _number(spent.get(name), "calls") + 1 <= calls
        and _number(spent.get(name), "tokens") + tokens <= most
        for name, (calls, most) in limits.items()
    )


def _number(row: object, key: str) -> int:
    value = row.get(key) if isinstance(row, dict) else 0
    return value if isinstance(value, int) else 0


def _spend(app: Workspace, project: str, called: ModelCall) -> None:
    spent = _budget(app)
    for name in ("all", project):
        row = spent.get(name)
        spent[name] = {
            "calls": _number(row, "calls") + 1,
            "tokens": _number(row, "tokens") + called.tokens_in + called.tokens_out,
        }
    path = f"{locations.cache_root(app.env)}/{BUDGET}"
    disk.write_whole(path, json.dumps(spent).encode(), durable=False)


def log_call(app: Workspace, called: ModelCall) -> None:
    """Keep a call with those before it. What stands in the log was redacted before."""
    base = locations.cache_root(app.env)
    with disk.held(f"{base}/{MODEL_LOCK}", wait_seconds=5):
        kept = [
            json.dumps(one._asdict(), ensure_ascii=False) for one in _logged(app)[: MOST_KEPT - 1]
        ]
        lines = [*reversed(kept), json.dumps(called._asdict(), ensure_ascii=False)]
        text = "".join(f"{line}\n" for line in lines)
        disk.write_whole(f"{base}/{MODEL_LOG}", text.encode("utf-8", "replace"), durable=False)


def _logged(app: Workspace) -> list[ModelCall]:
    """The last calls of models on this machine, newest first."""
    found = []
    try:
        text = disk.read_file(f"{locations.cache_root(app.env)}/{MODEL_LOG}").decode(
            "utf-8", "replace"
        )
    except RecollectError:
        return []
    for line in text.splitlines():
        with suppress(ValueError, TypeError):
            data = json.loads(line)
            found.append(ModelCall(**data | {"dropped": tuple(data["dropped"])}))
    return found[::-1]


def calls(app: Workspace) -> list[ModelCall]:
    """The last calls about sessions of the current project, newest first."""
    root = app.roots.get("project", "")
    own = _project_of(root) if root else ""
    return [one for one in _logged(app) if one.project == own]


def every_call(app: Workspace) -> list[ModelCall]:
    """The last calls about sessions of all projects. Raises UsageProblem for an agent."""
    what = "Only a person sees what was sent from other projects: run it in your own terminal."
    require_person(app.env, "calls", what)
    return _logged(app)


def _project_of(root: str) -> str:
    """What a call says of the project that it is about."""
    return locations.project_of_store(root) or root


# -------------------------------------------------------------------------------- reading sessions


MOST_TRIES = 3  # of one session, where the model fails
YOUNG_DAYS = 7  # a session that ended earlier is not read
LEAST_TOKENS = 80  # a session that says less needs no model
MOST_KNOWN = 15  # existing entries that are shown,
LEAST_SHARED = 0.3  # where so many of their words are in the session


def waiting(app: Workspace, store: OpenStore) -> list[SessionState]:
    """The sessions that are over and that the model has not read as they are now, newest first."""
    if not store.settings.model or "episodic" in store.settings.encrypt:
        return []
    since = locations.utc(app.started_ns / 1e9 - YOUNG_DAYS * 86_400)
    found = [
        state
        for state in app.sessions(store).every()
        if state.status == "saved"
        and state.memory
        and state.prompts > state.programs
        and state.last_updated >= since
        and state.raw_bytes > state.read.get("bytes", 0)
        and state.read.get("tries", 0) < MOST_TRIES
    ]
    return sorted(found, key=lambda state: state.last_updated, reverse=True)


def read_sessions(asker: Asker, each: Callable[[], object]) -> list[ModelCall]:
    """Have the model read what is waiting; `each` is called before each session.

    A budget that is used up, or a model that fails, ends it: the rest waits for the next time.
    """
    app, store, _ = asker
    done: list[ModelCall] = []
    for state in waiting(app, store):
        each()
        condensed = _condensed(app, store, state)
        if condensed.tokens < LEAST_TOKENS:
            _settle(asker, state, None)
            continue
        called, found = _ask_about(asker, state, condensed)
        if called.outcome != "over-budget":
            _settle(asker, state, called)
        if found:
            with store.one_change():
                _write(asker, state, found)
        done.append(called)
        if called.outcome in ("failed", "over-budget"):
            break
    return done


def _condensed(app: Workspace, store: OpenStore, state: SessionState) -> Condensed:
    """What a model would be sent of a session, redacted once more by the rules of today."""
    made = condense(app.sessions(store).raw_events(state))
    text, typed = app.redact(made.text), app.redact(made.typed)
    return Condensed(text, typed, count_tokens(text))


def _known_entries(app: Workspace, store: OpenStore, condensed: Condensed) -> list[KnownEntry]:
    """Existing entries that share most words with the session: those that it may replace."""
    said = requests.words_of(condensed.text)
    found: list[tuple[float, KnownEntry]] = []
    for entry in store.index.entries(Filter(superseded=False)):
        if entry.private or entry.layer == "episodic" or is_sealed_path(entry.path):
            continue
        for row in entries_of(store.memory(entry)):
            text = row.text if row.text.strip() else row.heading
            words = requests.words_of(text)
            share = len(words & said) / (len(words) + 2)
            if share >= LEAST_SHARED:
                name = f"{entry.id}#{row.anchor}" if row.anchor else entry.id
                found.append((share, KnownEntry(name, app.redact(text), entry.updated[:10])))
    found.sort(key=lambda row: (-row[0], row[1]))
    return [known for _, known in found[:MOST_KNOWN]]


def _ask_about(
    asker: Asker, state: SessionState, condensed: Condensed
) -> tuple[ModelCall, ExtractedSession | None]:
    """Ask about a session: the call, and the answer if it is one."""
    app, store, _ = asker
    known = _known_entries(app, store, condensed)
    asks = model_answer.question(condensed, known)
    called = ask(asker, asks, session=state.session_id)
    found: ExtractedSession | None = None
    if called.outcome == "answered":
        try:
            ids = [one.id for one in known]
            found = model_answer.checked(called.answer, condensed, ids, app.redact)
            called = called._replace(entries=len(found.entries), dropped=found.dropped)
        except model_answer.InvalidModelAnswer as error:
            called = called._replace(outcome="no-answer", reason=str(error))
    if is_purged(app.sessions(store).load(state.client, state.session_id)):  # meanwhile
        called, found = called._replace(sent="", answer="", dropped=()), None
    log_call(app, called)
    return called, found


def _settle(asker: Asker, state: SessionState, called: ModelCall | None) -> None:
    """Note that a session was read, or that it was tried."""
    tries = state.read.get("tries", 0) + 1
    is_read = called is None or called.outcome != "failed"
    read = {"bytes": state.raw_bytes if is_read else 0, "tries": 0 if is_read else tries}
    _change(asker, state, lambda now: now.read.update(read))


def _write(asker: Asker, state: SessionState, found: ExtractedSession) -> None:
    """Put what a model wrote of a session in its place."""
    app, store, _ = asker
    for stated in found.entries:
        with suppress(RecollectError):  # one that is refused keeps no other back
            _take_in_entry(app, store, stated, state.session_id)

    def set_summary(now: SessionState) -> None:
        now.titles["model"] = found.title
        now.told = found.summary
        texts = {todo["text"] for todo in now.todos}
        now.todos += [
            {"text": text, "status": "open", "ref": ""} for text in found.open if text not in texts
        ]
        now.status = "active"  # so that its memory is written anew

    if found.summary and _change(asker, state, set_summary):
        now = app.sessions(store).load(state.client, state.session_id)
        if now is not None:
            app.capture(store).finish(now)


def _take_in_entry(app: Workspace, store: OpenStore, stated: ExtractedEntry, session: str) -> None:
    """Take in an entry; what it replaces gives way, unless somebody trusted more said it."""
    kind = remember.OPEN if stated.kind == "issue" else stated.kind
    note = Statement(stated.statement, stated.subject, stated.why, kind)
    done = remember.take_in(app, store, note, Writer(session, stated.trust))
    name, _, anchor = stated.replaces.partition("#")
    if not name or anchor or done.what != "added" or done.id.startswith(name):
        return  # a line of a page gives way at the intake, where it contradicts what is new
    old = store.index.entry(name)
    if old and TRUSTS.index(old.trust) <= TRUSTS.index(stated.trust):
        supersede(store, name, done.id.partition("#")[0], dry_run=False)


def _change(asker: Asker, state: SessionState, change: Callable[[SessionState], None]) -> bool:
    """Change the state of a session as it is now, beside a worker that may be capturing it."""
    app, store, _ = asker
    sessions = app.sessions(store)
    with disk.held(f"{app.cache_of(store.root)}/worker.lock", wait_seconds=30) as is_held:
        now = sessions.load(state.client, state.session_id) if is_held else None
        if now is None or now.status != "saved":
            return False  # it goes on
        change(now)
        sessions.save(now)
    return True
