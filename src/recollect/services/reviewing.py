"""Reviewing: what waits for a person's word before it may stand in front of every session.

Promises: whatever is approved, rejected or taken back at once is one group of the journal, which one
undo takes back; nothing is approved but what was named.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from recollect.domain import codec, reviewing
from recollect.domain.codec.sections import parts_of
from recollect.domain.model import Change, Document, Entry, Filter
from recollect.domain.names import is_sealed_path
from recollect.errors import MemoryNotFound
from recollect.named import NamedTuple
from recollect.services.opened import OpenStore
from recollect.services.writing.changing import files_of

CAUSE = "review"
FORGET = "forget"
TRIES = 3
LONGEST_SAID = 300


class Waiting(NamedTuple):
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


class Effect(NamedTuple):
    """What is done to one file: `changed` or `removed`; `left` where an edit of it was turned down."""

    what: str
    memory: str
    path: str


def waiting(
    store: OpenStore,
    *,
    episodes: bool = False,
    origins: Collection[str] = (),
    hidden: Collection[str] = (),
) -> list[Waiting]:
    """What a person has not approved, newest first, but for what is `hidden` (by id).

    Episodes are records of what was said and are listed on request only; with `origins` (sessions,
    or episodes made of them) only what comes from there is listed, whatever its trust.
    """
    found: list[Waiting] = []
    for entry in store.index.entries(Filter()):
        if (entry.status == "superseded" and not origins) or entry.id in hidden:
            continue
        if is_sealed_path(entry.path):
            continue  # what an encrypted memory says is nobody's business here
        is_own = entry.session in origins or entry.id in origins
        if is_own or (not origins and entry.trust != "user"):
            if origins or episodes or entry.layer != "episodic":
                found.append(_of_entry(entry))
        elif entry.layer != "episodic":
            found += _sections_of(store, entry, origins)
    return found


def _of_entry(entry: Entry) -> Waiting:
    return Waiting(
        entry.id,
        entry.title,
        entry.kind,
        entry.trust,
        entry.source,
        entry.session,
        entry.created,
        entry.path,
        entry.summary,
    )


def _sections_of(store: OpenStore, entry: Entry, origins: Collection[str]) -> Iterator[Waiting]:
    body = codec.split_front(store.read(entry).text).body
    if "<!--" not in body:
        return
    whole = _of_entry(entry)
    texts = {s.anchor: s.text for s in codec.sections_of(body)}
    for one in reviewing.doubtful(body):
        if origins and not reviewing.origins_of(texts[one.anchor]) & set(origins):
            continue
        yield whole._replace(
            name=f"{entry.id}#{one.anchor}",
            title=one.heading,
            trust=one.trust,
            session=one.session,
            said=" ".join(one.text.split())[:LONGEST_SAID],
        )


def approve(store: OpenStore, names: Sequence[str], *, dry_run: bool = False) -> list[Effect]:
    """Let these memories and sections be trusted like the person's own words.

    Raises:
        MemoryNotFound: there is no such memory or section; nothing was written.
    """
    return _carried_out(store, lambda: _approvals(store, names), CAUSE, dry_run=dry_run)


def _approvals(store: OpenStore, names: Sequence[str]) -> Iterator[Change]:
    for entry, anchors in _by_file(store, names):
        old = store.read(entry)
        _require_sections(entry, old, anchors)
        text = old.text
        for anchor in anchors:
            text = reviewing.approved(text, anchor)
        if text != old.text:
            if codec.split_front(text).lines:
                text = codec.with_field(text, "updated", store.now)
            yield Change("put", entry.path, entry.id, old.stamp, text)


def reject(store: OpenStore, names: Sequence[str], *, dry_run: bool = False) -> list[Effect]:
    """Take these memories and sections out of the store; the journal keeps them for undo.

    Raises:
        MemoryNotFound: there is no such memory or section; nothing was written.
    """
    return _carried_out(store, lambda: _rejections(store, names), CAUSE, dry_run=dry_run)


def _rejections(store: OpenStore, names: Sequence[str]) -> Iterator[Change]:
    for entry, anchors in _by_file(store, names):
        if "" in anchors:
            yield from _removals(store, entry)
            continue
        old = store.read(entry)
        _require_sections(entry, old, anchors)
        body = codec.split_front(old.text).body
        pairs = zip(parts_of(body), codec.sections_of(body), strict=True)
        kept = "".join(part.text for part, section in pairs if section.anchor not in anchors)
        yield Change("put", entry.path, entry.id, old.stamp, codec.with_body(old.text, kept))


def take_back(
    store: OpenStore,
    sessions: Collection[str],
    sealed: Collection[str] = (),
    *,
    dry_run: bool = False,
) -> list[Effect]:
    """Forget all that came from these sessions: their memories, lessons, and claims elsewhere.

    `sealed` are the encrypted memories of these sessions, which do not say so themselves.
    """
    return _carried_out(store, lambda: _taken(store, sessions, sealed), FORGET, dry_run=dry_run)


def _taken(
    store: OpenStore, sessions: Collection[str], sealed: Collection[str]
) -> Iterator[Change]:
    every = [*store.index.entries(Filter()), *store.index.entries(Filter(archived=True))]
    found = {one.path: one for one in every}.values()
    entries = [e for e in found if not is_sealed_path(e.path) or e.id in sealed]
    own = [entry for entry in entries if entry.session in sessions or entry.id in sealed]
    origins = {*sessions, *(entry.id for entry in own)}
    for entry in entries:
        if entry in own:
            yield from _removals(store, entry)
            continue
        old = store.read(entry)
        body = codec.split_front(old.text).body
        new = reviewing.taken_back(body, origins)
        if new == body:
            continue
        if reviewing.says_nothing(new):
            yield from _removals(store, entry)
        else:
            yield Change("put", entry.path, entry.id, old.stamp, codec.with_body(old.text, new))


def _removals(store: OpenStore, entry: Entry) -> Iterator[Change]:
    for path in files_of(entry.path):
        stamp = store.files.stamp(path)
        if stamp is not None:
            yield Change("remove", path, entry.id, stamp)


def _by_file(store: OpenStore, names: Sequence[str]) -> list[tuple[Entry, list[str]]]:
    """The memories that are named, each with the anchors of its sections (none: all of it)."""
    found: dict[str, tuple[Entry, list[str]]] = {}
    for name in dict.fromkeys(names):
        memory_id, _, anchor = name.partition("#")
        entry = store.require(memory_id)
        found.setdefault(entry.id, (entry, []))[1].append(anchor)
    return list(found.values())


def _require_sections(entry: Entry, old: Document, anchors: Sequence[str]) -> None:
    known = {section.anchor for section in codec.sections_of(codec.split_front(old.text).body)}
    for anchor in anchors:
        if anchor and anchor not in known:
            raise MemoryNotFound(id=f"{entry.id}#{anchor}")


def _carried_out(
    store: OpenStore, plan: Callable[[], Iterable[Change]], cause: str, *, dry_run: bool
) -> list[Effect]:
    done: list[Change] = []

    def planned() -> list[Change]:
        done[:] = plan()
        return done

    if dry_run:
        planned()
    else:
        store.commit(planned, cause=cause, tries=TRIES)
    kinds = {"remove": "removed", "put": "changed"}
    return [Effect(kinds[change.op], change.memory, change.path) for change in done]
