"""Facts: decisions, patterns and issues as numbered memories.

A number is used once, even if many processes add facts at once. The same statement is stored once.
A resolved issue is not reopened by an old text. Each call can be undone.
"""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.context.views import (
    KINDS,
    LETTERS,
    highest_numbers,
    is_fact,
    number_of,
    numbered,
    numbered_id,
)
from recollect.errors import (
    FactNotFound,
    FileNotThere,
    MemoryNotFound,
    RecollectError,
    UsageProblem,
)
from recollect.model import document, layers
from recollect.model.document import layer_defaults, section_text
from recollect.model.entries import beside_title, is_conversation, without_comments
from recollect.model.facts import Fact, Listing, UnparsedLines, read_facts, same_words, tidied
from recollect.model.footnotes import unsigned
from recollect.model.frontmatter import Value
from recollect.model.list_items import SOURCE_OF
from recollect.model.memory import (
    SOURCES,
    Change,
    Entry,
    Filter,
    Problem,
    is_id,
    is_sealed_path,
    lowest_trust,
    type_of_kind,
)
from recollect.model.times import time_of
from recollect.store.refresh import refresh
from recollect.store.store import INDEX, OpenStore, hidden_still
from recollect.text.tokens import STOP_WORDS
from recollect.workspace import Workspace, current_session, trust_of

NUMBERS = "facts"  # where the index remembers the highest numbers, by letter

RENUMBER = "renumber"
NAMING = ("pins.json", "dismissed.json")  # files of a store that name memories and are none
_NO_CATEGORY = ("", "other")
MOST_UNREAD = 50  # lines that are looked for in the text that something was taken out of
SESSION_FILES = "sessions"  # the folder of a store with the session files that an agent writes


class FactOrigin(NamedTuple):
    """Where facts come from; empty fields get their defaults."""

    trust: str = "user"
    source: str = ""
    session: str = ""
    created: str = ""
    tags: tuple[str, ...] = ()


class FactResult(NamedTuple):
    """What became of a fact."""

    number: str
    id: str
    path: str  # in the store; absolute where it is shown, with the scope
    what: str  # created, changed, unchanged, archived
    kind: str
    content: str
    status: str
    scope: str = ""
    text: str = ""
    stamp: str | None = None  # None for a file that the plan makes

    def as_json(self) -> dict[str, str]:
        """What `--json` shows."""
        hidden = ("text", "stamp")
        return {name: value for name, value in self._asdict().items() if name not in hidden}


# ------------------------------------------------------------------------------------- adding


def add(store: OpenStore, fact: Fact, origin: FactOrigin, *, dry_run: bool = False) -> FactResult:
    """Keep one fact that somebody states now; the same again, word for word, changes nothing."""
    return _keep(store, [(fact, origin)], cause=f"add-{fact.kind}", dry_run=dry_run, again=True)[0]


def extract(
    store: OpenStore, said: Sequence[tuple[Fact, FactOrigin]], *, dry_run: bool = False
) -> list[FactResult]:
    """Keep the facts of a text, each content once; doing it twice adds nothing.

    A fact that is known gets what it lacks: a reason, a category, files, concepts, and that it is
    resolved.
    """
    return _keep(store, said, cause="extract-facts", dry_run=dry_run, again=False)


def _keep(
    store: OpenStore,
    said: Sequence[tuple[Fact, FactOrigin]],
    *,
    cause: str,
    dry_run: bool,
    again: bool,
) -> list[FactResult]:
    """`again` says that the facts are stated now, so that another reason makes another fact."""
    # Before the first name is made of it.
    said = [(fact.mapped(store.ledger.redact), origin) for fact, origin in said]
    said = [
        (fact if origin.trust == "user" else fact.mapped(unsigned), origin) for fact, origin in said
    ]

    def plan() -> tuple[list[FactResult], list[Change]]:
        _look_again(store)
        return FactPlanner(store, again=again, dry_run=dry_run).plan(said)

    return store.carry_out(plan, cause=cause, tries=3, dry_run=dry_run) if said else []


def _look_again(store: OpenStore) -> None:
    """See what others have written: now that the store is locked, nobody writes more.

    A change is in its files before it is in the index, and a fact must not be taken for new then.
    """
    try:
        refresh(store.files, store.index, store.now_ns)
    except RecollectError as error:  # what the index has still holds; numbers do not need it
        store.problems.append(Problem(INDEX, str(error)))


class FactPlanner:
    """Plans how facts get into a store; made and used with the store locked."""

    def __init__(self, store: OpenStore, *, again: bool, dry_run: bool) -> None:
        """`again` as for `add`; a dry run remembers no numbers."""
        self.store, self._again, self._dry_run = store, again, dry_run
        self._known: dict[str, dict[str, Entry | FactResult]] = {}
        self._changes: dict[str, Change] = {}
        self._numbers: dict[str, int] = {}
        self._kinds: list[str] = []

    def plan(
        self, said: Sequence[tuple[Fact, FactOrigin]]
    ) -> tuple[list[FactResult], list[Change]]:
        """What becomes of each fact, and the changes that make it so."""
        self._kinds = sorted({fact.kind for fact, _ in said})
        kept = [self._taken(fact, origin) for fact, origin in said]
        if self._numbers and not self._dry_run:
            # Before the journal has them: after a crash numbers may be missing, never doubled.
            self.store.index.set_meta({NUMBERS: json.dumps(self._numbers, sort_keys=True)})
        return kept, list(self._changes.values())

    def _taken(self, fact: Fact, origin: FactOrigin) -> FactResult:
        known = self._known_of(fact.kind)
        key = same_words(fact.content)
        found = known.get(key)
        if found is None:
            return self._created(fact, origin)
        old = found if isinstance(found, FactResult) else _read(self.store, found)
        if old.status == "superseded" and self._again:
            return self._created(fact, origin)
        said = document.memory_from_text(old.text, old.path)
        reason = beside_title(without_comments(said.body), said.title)
        if self._again and _differs(fact, reason, old.status):
            return self._created(fact, origin)
        text = old.text
        if old.status != "superseded":
            text = _completed(old, fact, reason, said.trust, origin.trust)
        if text == old.text:
            return old._replace(what="unchanged")
        text = document.with_field(text, "updated", self.store.now)
        status = document.memory_from_text(text, old.path).status
        new = old._replace(what="changed", text=text, status=status)
        known[key] = new
        self._changes[old.path] = Change("put", old.path, old.id, old.stamp, text)
        return new

    def _known_of(self, kind: str) -> dict[str, Entry | FactResult]:
        """The facts of a kind that are not archived, by their words; the newest that holds."""
        if kind not in self._known:
            found = [e for e in self.store.index.entries(Filter(kind=kind)) if e.kind == kind]
            facts = sorted(filter(is_fact, found), key=_rank)
            self._known[kind] = {same_words(entry.title): entry for entry in facts}
        return self._known[kind]

    def _created(self, fact: Fact, origin: FactOrigin) -> FactResult:
        store, layer = self.store, type_of_kind[fact.kind]
        if layer in store.settings.encrypt:
            from recollect.privacy.sealing import new_place  # seldom needed

            name, path = new_place(store)
        else:
            name = store.free_id(numbered_id(fact.kind, self._next(fact.kind), fact.content))
            path = store.path_for(layer, fact.kind, name)
        text = _text_of(fact, origin, name, path, store.now)
        status = fact.status if fact.kind == "issue" else "confirmed"
        content, number = " ".join(fact.content.split()), number_of(name) or name
        new = FactResult(number, name, path, "created", fact.kind, content, status, text=text)
        self._known_of(fact.kind)[same_words(fact.content)] = new
        self._changes[path] = Change("put", path, name, None, text)
        return new

    def _next(self, kind: str) -> int:
        if not self._numbers:
            self._numbers = _highest(self.store, self._kinds)
        self._numbers[LETTERS[kind]] += 1
        return self._numbers[LETTERS[kind]]


def _rank(entry: Entry) -> tuple[bool, str, str]:
    """What goes first of two facts of the same words goes last here: it replaces the other."""
    return (entry.status != "superseded", entry.created, entry.id)


def _highest(store: OpenStore, kinds: Sequence[str]) -> dict[str, int]:
    """The highest number that each of these kinds of fact has ever had, by letter.

    What the index remembers of it goes with the index; then the journal tells. The files tell of
    those that came from a person's editor or from another machine.
    """
    try:
        kept = json.loads(store.index.meta(NUMBERS) or "{}")
        highest = {letter: int(kept[letter]) for letter in LETTERS.values()}
    except (ValueError, KeyError, TypeError):
        highest = highest_numbers(op.memory for op in store.journal.heads())
        kinds = KINDS
    for kind in kinds:
        found = highest_numbers(entry.id for entry in store.every_entry(Filter(kind=kind)))
        for letter, number in found.items():
            highest[letter] = max(highest[letter], number)
    return highest


def _read(store: OpenStore, entry: Entry) -> FactResult:
    """A fact as it is in the store."""
    old, number = store.read(entry), number_of(entry.id) or entry.id
    about = (number, entry.id, entry.path, "unchanged", entry.kind, entry.title, entry.status)
    return FactResult(*about, text=old.text, stamp=old.stamp)


def _differs(fact: Fact, reason: str, status: str) -> bool:
    """Whether a fact that is stated now says something else than the one of the same words."""
    is_other = fact.detail and reason and same_words(fact.detail) != same_words(reason)
    is_back = fact.kind == "issue" and fact.status == "open" and status == "resolved"
    return bool(is_other or is_back)


def _completed(old: FactResult, fact: Fact, reason: str, trust: str, said_by: str) -> str:
    """The text of a known fact with what it lacked.

    Nobody adds to what somebody says who is trusted more, but an agent may say what is resolved.
    """
    text = old.text
    if (
        fact.kind == "issue"
        and fact.status == "resolved"
        and lowest_trust(said_by, "agent") == "agent"
    ):
        text = document.with_field(text, "status", "resolved")
    if lowest_trust(said_by, trust) != trust:
        return text
    said = document.memory_from_text(text, old.path)
    if fact.detail and not reason:
        text = document.with_body(text, f"{said.body.rstrip()}\n\n{section_text(fact.detail)}\n")
    if fact.category not in _NO_CATEGORY and said.category in _NO_CATEGORY:
        text = document.with_field(text, "category", fact.category)
    for key, more in (("files", fact.files), ("concepts", fact.concepts)):
        have = list(getattr(said, key))
        both = _joined(have, more)
        text = document.with_field(text, key, both) if both != have else text
    return text


def _joined(have: Sequence[str], more: Sequence[str]) -> list[str]:
    """These words, each once, with those of `more` that are not among them."""
    return list(dict.fromkeys([*have, *(word.strip() for word in more if word.strip())]))


def _text_of(fact: Fact, origin: FactOrigin, name: str, path: str, now: str) -> str:
    """The whole file of a new fact."""
    layer = type_of_kind[fact.kind]
    title = " ".join(fact.content.split())
    default = layer_defaults(layer)
    source = fact.source if fact.source in SOURCES else origin.source
    created = origin.created or now
    fields: dict[str, Value] = {
        "id": name,
        "title": title,
        "type": layer,
        "kind": fact.kind,
        "category": fact.category,
        "tags": list(origin.tags) or layers.suggested_tags(title, fact.detail, STOP_WORDS),
        "files": _joined((), fact.files),
        "concepts": _joined((), fact.concepts),
        "salience": default["salience"],
        "confidence": default["confidence"],
        "source": source or default["source"],
        "trust": origin.trust,
        "status": fact.status if fact.kind == "issue" else "confirmed",
        "session": origin.session,
        "created": created,
        "updated": now,
        "last-accessed": now[:10],
    }
    said = section_text(fact.detail)
    return document.new_text(fields, f"# {title}\n\n{said}" if said else f"# {title}", path)


# ----------------------------------------------------------------------- resolving and clearing


def find(store: OpenStore, name: str) -> Entry | None:
    """The fact that is not archived and has this number, or this id."""
    entries = (e for kind in KINDS for e in store.index.entries(Filter(kind=kind)))
    shown = numbered({entry.path: entry for entry in entries}.values())
    wanted = name.casefold()
    return next((e for n, e in shown if wanted == n.casefold() or name == e.id), None)


def numbered_twice(store: OpenStore) -> list[Entry]:
    """The facts with a number that an older one has, as after a merge of two clones."""
    entries = [e for kind in KINDS for e in store.index.entries(Filter(kind=kind))]
    return [entry for shown, entry in numbered(entries) if number_of(entry.id) not in ("", shown)]


def renumber(store: OpenStore) -> list[tuple[str, str]]:
    """Give these facts numbers of their own; `(old id, new id)` of each.

    Whatever names one of them by its id, in a field, a link or a text, names it by the new one.
    """

    def plan() -> tuple[list[tuple[str, str]], list[Change]]:
        highest = _highest(store, KINDS)
        twice = numbered_twice(store)
        done = []
        for entry in twice:
            letter = LETTERS[entry.kind]
            highest[letter] += 1
            rest = entry.id[len(number_of(entry.id)) :]
            done.append((entry.id, f"{letter}{highest[letter]:03d}{rest}"))
        return done, _renamed(store, {entry.path for entry in twice}, dict(done))

    return store.carry_out(plan, cause=RENUMBER) if numbered_twice(store) else []


def _renamed(store: OpenStore, facts: set[str], names: dict[str, str]) -> list[Change]:
    """The changes that give memories other ids, and those of the files that name them."""
    any_name = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![\w-])")
    paths = [one.path for one in store.files.scan() if not is_conversation(one.path)]
    changes: list[Change] = []
    for path in [*paths, *filter(store.files.exists, NAMING)]:
        if is_sealed_path(path):
            continue
        page = store.files.read(path)
        text = any_name.sub(lambda found: names[found[0]], page.text)
        if path in facts:
            folder = path.rpartition("/")[0]
            old = document.memory_from_text(page.text, path).id
            new = f"{folder}/{names[old]}.md"
            changes.append(Change("put", new, names[old], None, text))
            changes.append(Change("remove", path, old, page.stamp))
        elif text != page.text:
            memory = "" if path in NAMING else document.memory_from_text(page.text, path).id
            changes.append(Change("put", path, memory, page.stamp, text))
    return changes


def resolve(store: OpenStore, name: str, *, dry_run: bool = False) -> FactResult:
    """Note that an issue is resolved. Raises FactNotFound, UsageProblem."""
    entry = find(store, name)
    if entry is None:
        raise FactNotFound(name=name)
    if entry.kind != "issue":
        what = f"{name} is a {entry.kind}; only an issue can be resolved."
        raise UsageProblem(what=what, command="resolve")
    old = _read(store, entry)
    if entry.status == "resolved":
        return old
    text = document.with_field(
        document.with_field(old.text, "status", "resolved"), "updated", store.now
    )
    change = Change("put", entry.path, entry.id, old.stamp, text)
    store.commit(lambda: [change], cause="resolve", dry_run=dry_run)
    return old._replace(what="changed", text=text, status="resolved")


def clear(store: OpenStore, kinds: Sequence[str], *, dry_run: bool = False) -> list[FactResult]:
    """Move the facts of these kinds into the archive, all in one change."""
    from recollect.consolidate.apply import free_place  # slow to load, and seldom needed

    def plan() -> tuple[list[FactResult], list[Change]]:
        done, changes = [], []
        facts = numbered(store.index.entries(Filter()))
        for number, entry in sorted(facts, key=lambda pair: KINDS.index(pair[1].kind)):
            stamp = store.files.stamp(entry.path) if entry.kind in kinds else None
            if stamp is None:
                continue
            to = free_place(store, f"archive/{entry.path}")
            changes.append(Change("move", entry.path, entry.id, stamp, to=to))
            about = (entry.kind, entry.title, entry.status)
            done.append(FactResult(number, entry.id, to, "archived", *about))
        return done, [*hidden_still(store, {one.path: one.to for one in changes}), *changes]

    return store.carry_out(plan, cause="clear-facts", tries=3, dry_run=dry_run)


# ------------------------------------------------------------------------------------- commands


class FactSource(NamedTuple):
    """A text that lists facts, where it comes from, and what that says about them."""

    name: str
    text: str
    origin: FactOrigin
    instructed: bool = False  # whether `source: instructed` in it is to be believed


class ExtractFactsResult(NamedTuple):
    """What was taken out of a text."""

    source: str
    facts: list[FactResult]
    unread: list[UnparsedLines]

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        new = [row.kind for row in self.facts if row.what == "created"]
        return {
            "source": self.source,
            "decisions": new.count("decision"),
            "patterns": new.count("pattern"),
            "issues": new.count("issue"),
            "facts": [row.as_json() for row in self.facts],
            "unread": self.unread,
        }


def add_fact(
    app: Workspace, fact: Fact, tags: tuple[str, ...], *, scope: str, dry_run: bool
) -> FactResult:
    """Keep a fact that somebody states, in the project's store or the one that is named."""
    store, trust = app.store(scope), trust_of(app.env)
    origin = FactOrigin(
        trust=trust,
        source=SOURCE_OF[trust],
        session=current_session(app.env)[1] or _session_of_terminal(app, store),
        tags=tuple(map(app.redact, tags)),
    )
    return _shown(store, add(store, fact, origin, dry_run=dry_run))


def _session_of_terminal(app: Workspace, store: OpenStore) -> str:
    if not os.path.isdir(os.path.join(store.root, "sessions", "active")):
        return ""  # the most usual; what reads sessions takes long to load
    from recollect.features.sessions import session_of_terminal

    return session_of_terminal(app, store)


def resolve_fact(app: Workspace, name: str, *, scope: str, dry_run: bool) -> FactResult:
    """Note that an issue is resolved; the project's store is looked at first.

    Raises FactNotFound.
    """
    stores = app.stores(scope)
    store = next((s for s in stores if find(s, name) is not None), stores[0])
    return _shown(store, resolve(store, name, dry_run=dry_run))


def clear_facts(
    app: Workspace, kinds: Sequence[str], *, scope: str, dry_run: bool
) -> list[FactResult]:
    """Move facts into the archive."""
    store = app.store(scope)
    return [_shown(store, kept) for kept in clear(store, kinds, dry_run=dry_run)]


def _shown(store: OpenStore, kept: FactResult) -> FactResult:
    return kept._replace(scope=store.scope, path=os.path.join(store.root, kept.path))


# --------------------------------------------------------------------------------- extracting


def extract_facts(
    app: Workspace, source: FactSource, *, scope: str, dry_run: bool
) -> ExtractFactsResult:
    """Take the facts out of a text; what is private in it goes before anything is read."""
    store = app.store(scope)
    text = app.redact(source.text)
    listing = read_facts(text)
    persons = source.origin._replace(trust="user")
    said = [
        (
            tidied(fact),
            persons if source.instructed and fact.source == "instructed" else source.origin,
        )
        for fact in listing.facts
    ]
    kept = extract(store, said, dry_run=dry_run)
    unread = listing.unread if text == source.text else _as_in_file(app, source.text, listing)
    return ExtractFactsResult(source.name, [_shown(store, one) for one in kept], unread)


def _as_in_file(app: Workspace, text: str, listing: Listing) -> list[UnparsedLines]:
    """What could not be read, by the lines of the text before anything was taken out of it."""
    ends = [at + 1 for at, char in enumerate(text) if char == "\n"]
    found: list[UnparsedLines] = []
    few, rest = listing.unread[: MOST_UNREAD - 1], listing.unread[MOST_UNREAD - 1 :]
    if rest:  # the last ones as one
        few = [*few, rest[0]._replace(last=rest[-1].last)]
    for one in few:
        lines = [
            # As many whole lines of the file as leave so many lines when they are redacted.
            1 + bisect_left(ends, number, key=lambda end: app.redact(text[:end]).count("\n"))
            for number in (one.line, one.last)
        ]
        found.append(one._replace(line=lines[0], last=lines[1]))
    return found


def source_of_text(text: str, name: str) -> FactSource:
    """A text that somebody hands over; session files are an agent's work."""
    created = time_of(os.path.basename(name))
    return FactSource(name, text, FactOrigin(trust="agent", created=created))


def session_file(app: Workspace, name: str, *, scope: str) -> str:
    """The path of a session file: the one that is named, there or in the store, or the newest.

    Raises FileNotThere.
    """
    folder = os.path.join(app.store(scope).root, SESSION_FILES)
    if name:
        here = os.path.join(app.folder, os.path.expanduser(name))
        inside = os.path.join(folder, name.removesuffix(".md") + ".md")
        # A bare name may be one in the store; nothing that could lead out of its folder is.
        is_inside = is_id(name) and not os.path.lexists(here) and os.path.isfile(inside)
        return inside if is_inside else here
    found: list[str] = []
    with suppress(OSError):
        found = [n for n in os.listdir(folder) if n.endswith(".md") and not n.startswith(".")]
    if not found:
        raise FileNotThere(path=f"{folder}/*.md", reason="no such file or folder")
    return os.path.join(folder, max(found))


def source_of_session(app: Workspace, name: str) -> FactSource:
    """The memory of a session, by its own id or by the client's id of the session.

    Raises MemoryNotFound.
    """
    for store in app.stores():
        by_session = [e for e in store.index.entries_of_session(name) if not is_fact(e)]
        entry = store.index.entry(name) or (by_session[-1] if by_session else None)
        if entry:
            page = store.read(entry)
            memory = store.as_trusted(page, entry.path)
            origin = FactOrigin(memory.trust, memory.source, memory.session, memory.created)
            return FactSource(entry.id, page.text, origin, instructed=True)
    raise MemoryNotFound(id=name)
