"""What needs a person's approval, and approving, rejecting or removing it.

Each call is one change. Only what was named is approved.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from recollect import workspace
from recollect._fastimport import NamedTuple
from recollect.errors import (
    MemoryNotFound,
    SessionNotFound,
    UsageProblem,
)
from recollect.features import memories, reading, repository
from recollect.model import document, frontmatter
from recollect.model import entries as reviewing
from recollect.model.footnotes import label_of
from recollect.model.layers import USUAL_CHECKS
from recollect.model.memory import (
    Change,
    Document,
    Entry,
    Filter,
    is_sealed_path,
    lowest_trust,
)
from recollect.model.session import SessionState
from recollect.ports import Copy
from recollect.privacy.purge import is_purged
from recollect.store.store import OpenStore
from recollect.workspace import Workspace

CAUSE = "review"
FORGET = "forget"
TRIES = 3
LONGEST_SAID = 300


class PendingReview(NamedTuple):
    """A memory or a section that is trusted less than a person."""

    name: str
    title: str
    kind: str
    trust: str
    source: str
    session: str
    created: str
    path: str
    said: str
    scope: str


class Effect(NamedTuple):
    """What is done to one file: `changed` or `removed`."""

    what: str
    memory: str
    path: str


def pending_reviews(
    store: OpenStore,
    *,
    episodes: bool = False,
    origins: Collection[str] = (),
) -> list[PendingReview]:
    """What a person has not approved, newest first.

    Episodes are records of what was said and are listed on request only; with `origins` (sessions,
    or episodes made of them) only what comes from there is listed, whatever its trust.
    """
    found: list[PendingReview] = []
    for entry in store.index.entries(Filter()):
        if entry.status == "superseded" and not origins:
            continue
        if is_sealed_path(entry.path):
            continue  # what an encrypted memory says is nobody's business here
        is_own = entry.session in origins or entry.id in origins
        if is_own or (not origins and entry.trust != "user"):
            if origins or episodes or entry.layer != "episodic":
                found.append(_of_entry(entry, store.scope))
        elif entry.layer != "episodic":
            found += _sections_of(store, entry, origins)
    return found


def _of_entry(entry: Entry, scope: str) -> PendingReview:
    return PendingReview(
        entry.id,
        entry.title,
        entry.kind,
        entry.trust,
        entry.source,
        entry.session,
        entry.created,
        entry.path,
        entry.summary,
        scope,
    )


def _sections_of(
    store: OpenStore, entry: Entry, origins: Collection[str]
) -> Iterator[PendingReview]:
    memory = store.memory(entry)
    body = memory.body
    if "<!--" not in body:
        return
    whole, labels = _of_entry(entry, store.scope), set(map(label_of, origins))
    every = reviewing.index_units(memory)
    rows = {row.anchor: row for row in every}
    texts = {s.anchor: s.text for s in document.sections_of(body)}
    for one in reviewing.doubtful(body):
        if not origins and one.trust == "tool" and one.heading in USUAL_CHECKS.values():
            continue  # capture takes nothing in but what tests, builds, lints or starts the project
        if origins and not reviewing.origins_of(texts[one.anchor]) & labels:
            continue
        row = rows.get(one.anchor)
        items = [item for item in every if item.within == one.anchor and item.anchor[:1] == "^"]
        left = [f"- {item.text}" for item in items if origins or item.trust != "user"]
        yield whole._replace(
            name=f"{entry.id}#{one.anchor}",
            title=one.heading,
            kind=row.kind if row else whole.kind,
            trust=one.trust,
            source=row.source if row else whole.source,
            created=(row.created if row else "") or whole.created,
            session=one.session,
            said=" ".join(" ".join(left or [one.text]).split())[:LONGEST_SAID],
        )


def _approvals(store: OpenStore, names: Sequence[str]) -> Iterator[Change]:
    """The changes that have these memories and sections trusted like the person's own words."""
    for entry, anchors in _by_file(store, names):
        old = store.read(entry)
        _require_sections(entry, old, anchors)
        if "" not in anchors and not store.files.is_own(old.stamp):  # no word of it is believed
            raise _needs_whole(entry)
        text = old.text
        for anchor in anchors:
            text = _approved(entry, text, anchor)
        if text != old.text:
            if frontmatter.split_front(text).lines:
                text = document.with_field(text, "updated", store.now)
            yield Change("put", entry.path, entry.id, old.stamp, text)


def _approved(entry: Entry, text: str, anchor: str) -> str:
    """The text of a memory with a section, an item of a list or all of it trusted like a person."""
    if not anchor.startswith("^"):
        return reviewing.approved(text, anchor)
    from recollect.features import list_item_edit  # seldom needed

    body = list_item_edit.approved(list_item_edit.parsed(text, entry.path), anchor)
    if body is None:
        raise MemoryNotFound(id=f"{entry.id}#{anchor}")
    made = document.with_body(text, body)
    rows = reviewing.rows_at(document.memory_from_text(made, entry.path), anchor)
    if any(row.trust != "user" for row in rows):
        raise _needs_whole(entry)
    return made


def _needs_whole(entry: Entry) -> UsageProblem:
    what = f"The page as a whole is not approved: `recollect review --approve {entry.id}` approves all of it."
    return UsageProblem(what=what, command="review")


def _rejections(store: OpenStore, names: Sequence[str]) -> Iterator[Change]:
    """The changes that take them out of the store; the journal keeps them for undo."""
    for entry, anchors in _by_file(store, names):
        if "" in anchors:
            yield from memories.removals(store, entry)
            continue
        old = store.read(entry)
        _require_sections(entry, old, anchors)
        text = old.text
        for anchor in (anchor for anchor in anchors if anchor.startswith("^")):
            from recollect.features import list_item_edit  # seldom needed

            body = list_item_edit.without_item(text, entry.path, f"{entry.id}#{anchor}")
            text = document.with_body(text, body)
        body = document.body_of(text)
        pairs = zip(document.parts_of(body), document.sections_of(body), strict=True)
        kept = "".join(part.text for part, section in pairs if section.anchor not in anchors)
        yield from memories.changes_to_body(store, entry, old, kept)


def _taken_back(
    store: OpenStore, sessions: Collection[str], states: Iterable[SessionState]
) -> Iterator[Change]:
    """The changes that take out all that came from these sessions, also on pages of other things.

    The states know their encrypted memories, which do not say so themselves, and the purged ones.
    """
    mine = [state for state in states if state.session_id in sessions]
    sealed = {state.memory for state in mine if not is_purged(state)} - {""}
    found = {one.path: one for one in store.every_entry()}.values()
    entries = [e for e in found if not is_sealed_path(e.path) or e.id in sealed]
    own = [entry for entry in entries if entry.session in sessions or entry.id in sealed]
    origins = {*sessions, *(entry.id for entry in own), *(f"^{one.label}" for one in mine)}
    gone = {one.memory for one in mine} - {entry.id for entry in entries}
    origins = (origins | gone) - {"^", ""}
    for entry in entries:
        if entry in own:
            yield from memories.removals(store, entry)
            continue
        old = store.read(entry)
        body = document.body_of(old.text)
        new = reviewing.taken_back(body, origins)
        if new != body:
            yield from memories.changes_to_body(store, entry, old, new)


def _by_file(store: OpenStore, names: Sequence[str]) -> list[tuple[Entry, list[str]]]:
    """The memories that are named, each with the anchors of its sections (none: all of it)."""
    found: dict[str, tuple[Entry, list[str]]] = {}
    for name in dict.fromkeys(names):
        entry, anchor = store.named(name)
        found.setdefault(entry.id, (entry, []))[1].append(anchor)
    return list(found.values())


def _require_sections(entry: Entry, old: Document, anchors: Sequence[str]) -> None:
    known = {section.anchor for section in document.sections_of(document.body_of(old.text))}
    for anchor in anchors:
        if anchor and not anchor.startswith("^") and anchor not in known:
            raise MemoryNotFound(id=f"{entry.id}#{anchor}")


def _carried_out(
    store: OpenStore, plan: Callable[[], Iterable[Change]], cause: str, *, dry_run: bool
) -> list[Effect]:
    def planned() -> tuple[list[Change], list[Change]]:
        done = list(plan())
        return done, done

    done = store.carry_out(planned, cause=cause, tries=TRIES, dry_run=dry_run)
    kinds = {"remove": "removed", "put": "changed"}
    return [Effect(kinds[change.op], change.memory, change.path) for change in done]


# -------------------------------------------------------------------------------------- all stores


def waiting_everywhere(
    app: Workspace, *, scope: str, trust: str, episodes: bool, session: str = "", page: str = ""
) -> list[PendingReview]:
    """What a person has not approved; what came from a session or a page, if one is named."""
    rows: list[PendingReview] = []
    for store in app.stores(scope):
        origins = _sessions_meant(app, store, session, page)
        if page and not origins:
            continue
        ids = {e.id for one in origins for e in store.index.entries_of_session(one)}
        found = pending_reviews(store, episodes=episodes, origins=origins | ids)
        rows += [one for one in found if lowest_trust(one.trust, trust) == one.trust]
    return rows


def entries_on(
    app: Workspace, rows: Iterable[PendingReview], *, scope: str
) -> dict[tuple[str, str], list[str]]:
    """What the entries of each waiting page say, by scope and path; none of pages that are one entry."""
    pages = {(one.scope, one.path) for one in rows if "#" not in one.name}
    found: dict[tuple[str, str], list[str]] = {}
    for one in reading.listed(app, Filter(), scope=scope) if pages else ():
        place = one.page.scope, one.page.entry.path
        if place in pages and one.own.anchor:
            found.setdefault(place, []).append(one.summary)
    return {place: said for place, said in found.items() if len(said) > 1}


def _sessions_meant(app: Workspace, store: OpenStore, session: str, page: str) -> set[str]:
    """The session that is named, or those that read the page. Raises AmbiguousId."""
    if session:
        return reading.sessions_named(app, store, session)
    return _sessions_that_read(app, store, page) if page else set()


def _sessions_that_read(app: Workspace, store: OpenStore, page: str) -> set[str]:
    """The sessions in whose calls this address stands."""
    sessions = app.sessions(store)
    return {
        state.session_id
        for state in sessions.every()
        if any(page in event.target for event in sessions.raw_events(state))
    }


def decide_reviews(
    app: Workspace, names: Sequence[str], *, approve: bool, dry_run: bool
) -> list[Effect]:
    """Approve or reject what is named, in whichever store it is; a group for each store.

    Raises MemoryNotFound, UsageProblem.
    """
    require_person(app, "review")
    by_store: dict[str, tuple[OpenStore, list[str]]] = {}
    for name in names:
        store = app.store_of(name)
        by_store.setdefault(store.scope, (store, []))[1].append(name)
    changes = _approvals if approve else _rejections
    for store, own in by_store.values():  # all of them are there, or nothing is written
        _carried_out(store, partial(changes, store, own), CAUSE, dry_run=True)
    effects: list[Effect] = []
    for store, own in by_store.values():
        with store.one_change():
            effects += _carried_out(store, partial(changes, store, own), CAUSE, dry_run=dry_run)
            if approve and not dry_run:
                repository.believe(store, own)
    return effects


def take_back_everywhere(
    app: Workspace, *, session: str, page: str, dry_run: bool
) -> list[tuple[str, Effect]]:
    """Forget all that came from a session, or from those that read a page, in every store.

    Raises SessionNotFound, AmbiguousId.
    """
    done: list[tuple[str, Effect]] = []
    for store in app.stores():
        sessions = _sessions_meant(app, store, session, page)
        if not sessions:
            continue
        states = list(app.sessions(store).every())
        plan = partial(_taken_back, store, sessions, states)
        effects = _carried_out(store, plan, FORGET, dry_run=dry_run)
        done += [(store.scope, effect) for effect in effects]
    if not done:
        raise SessionNotFound(name=session or page)
    return done


FILED = "lines that came from it"


def pages_from(app: Workspace, session: str, but: str) -> list[Copy]:
    """The pages with lines that came from a session, but its memory of this id."""
    with suppress(SessionNotFound):
        found = take_back_everywhere(app, session=session, page="", dry_run=True)
        rows = (f"{app.roots[scope]}/{one.path}" for scope, one in found if one.memory != but)
        return [Copy(FILED, path) for path in dict.fromkeys(rows)]
    return []


def require_person(app: Workspace, command: str) -> None:
    """Raise UsageProblem where an agent runs the command."""
    what = "Only a person decides what is trusted: run it in your own terminal."
    workspace.require_person(app.env, command, what)
