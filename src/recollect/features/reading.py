"""Search, list and show memories."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from recollect._fastimport import Any, NamedTuple
from recollect.errors import AmbiguousId, MemoryNotFound
from recollect.model.memory import (
    SESSION_KINDS,
    SHORTEST_ID,
    Entry,
    Filter,
    IndexUnit,
    age_of,
    is_sealed_path,
    lowest_trust,
)
from recollect.search import search as searching
from recollect.search.conversation_rank import is_turn
from recollect.search.index import ScratchIndex
from recollect.search.rank import Candidate
from recollect.search.search import Hit, HitFilter
from recollect.store.refresh import outdated
from recollect.store.store import OpenStore
from recollect.text.tokens import count_tokens
from recollect.workspace import Workspace

TYPE_CHECKING = False  # `typing` takes longer to load than a search
if TYPE_CHECKING:  # seldom needed
    from recollect.context.recall import Reason, Recalled, Word
    from recollect.ports import IndexRow

SHORTEST_PREFIX = 4  # of a session's id
MOST_NEAR = 5


def search(
    app: Workspace,
    text: str,
    only: Filter,
    *,
    limit: int,
    scope: str,
    sections: bool,
    stores: list[OpenStore] | None = None,
    narrow: HitFilter | None = None,
) -> list[Hit]:
    """The memories that match, best first; of other stores than those of today where given."""
    how: dict[str, Any] = {"limit": limit, "every_section": sections, "narrow": narrow}
    if stores is None:
        stores = app.stores(scope, every_file=False)
        hits = _search_now(app, stores, text, only, **how)
    else:
        hits = searching.search(stores, text, only, **how)
    for one in (hit.candidate for hit in hits if is_turn(hit.candidate)):
        _call_after_session(stores, one)
    return hits


def _call_after_session(stores: list[OpenStore], turn: Candidate) -> None:
    """Give a turn the title and the state of its session, for its file has neither."""
    store = next(store for store in stores if store.scope == turn.scope)
    entry = store.index.entry(turn.id)
    if entry is None:
        return
    turn.title, turn.status = entry.title, entry.status
    if entry.trust == "external":
        from recollect.context.left_off import session_title  # few hits need it

        turn.title = session_title(store.open_memory(entry)) or entry.id


def _search_now(
    app: Workspace, stores: list[OpenStore], text: str, only: Filter, **how: Any
) -> list[Hit]:
    """The hits that their files say now: not every file may have been looked at."""
    hits = searching.search(stores, text, only, **how)
    if not _outdated(stores, hits):
        return hits
    for store in stores:
        app.freshen(store)
    hits = searching.search(stores, text, only, **how)
    old = _outdated(stores, hits)
    return [hit for hit in hits if hit.path not in old]


def _outdated(stores: list[OpenStore], hits: list[Hit]) -> set[str]:
    """The full paths of the hits whose files changed since they were indexed."""
    found: set[str] = set()
    for store in stores:
        files = {one.path for one in (hit.candidate for hit in hits) if one.scope == store.scope}
        # The id and the date of a turn are from the memory of its conversation.
        heads = {path: path.replace("/conversation.md", "/summary.md") for path in files}
        old = outdated(store.files, store.index, files.union(heads.values()))
        found.update(
            f"{store.root}/{path}" for path in files if not old.isdisjoint((path, heads[path]))
        )
    return found


@contextmanager
def in_memory(found: Iterable[tuple[OpenStore, Iterable[IndexRow]]]) -> Iterator[list[OpenStore]]:
    """Stores whose indexes are in memory and have these rows only."""
    made: list[OpenStore] = []
    try:
        for store, rows in found:
            made.append(store.with_index(ScratchIndex()))
            made[-1].index.apply(list(rows), [], store.now_ns)
        yield made
    finally:
        for store in made:
            store.index.close()


def search_archive(
    app: Workspace, text: str, only: Filter, *, limit: int, scope: str, narrow: HitFilter | None
) -> int:
    """How many memories of the archive match, `limit` at most; stores without an archive cost nothing."""
    stores = [
        one for one in app.stores(scope, every_file=False) if one.index.word_counts([], "cold")[1]
    ]
    if not stores:
        return 0
    how: dict[str, Any] = {"limit": limit, "every_section": False, "narrow": narrow}
    return len(_search_now(app, stores, text, only, **how))


def hit_json(hit: Hit) -> dict[str, Any]:
    """A hit as design §12 names its fields."""
    one = hit.candidate
    return {
        "id": one.id,
        "anchor": one.anchor,
        "title": one.shown_title,
        "type": one.layer,
        "kind": one.kind,
        "scope": one.scope,
        "score": round(one.score, 4),
        "snippet": hit.snippet,
        "path": hit.path,
        "created": one.created,
        "trust": one.trust,
        "tokens": one.tokens,
    }


def explained_json(stores: list[OpenStore], text: str, hits: list[Hit]) -> dict[str, Any]:
    """What a search looked for, and how each hit came to its score."""
    from recollect.context.recall import asked_words  # a plain search has no need of it

    words, total = asked_words(stores, text)
    return {
        "words": [one._asdict() for one in words],
        "sections": total,
        "hits": [hit_json(hit) | {"parts": _parts(hit.candidate)} for hit in hits],
    }


def listed_as_hit(one: ListedEntry) -> dict[str, Any]:
    """An entry of a search without words, in the same form; nothing was rated."""
    page, own = one.page.entry, one.own
    return {
        "id": page.id,
        "anchor": own.anchor,
        "title": f"{page.title} – {own.heading}" if own.heading else page.title,
        "type": page.layer,
        "kind": own.kind,
        "scope": one.page.scope,
        "score": 0.0,
        "snippet": own.text,
        "path": one.page.path,
        "created": own.created,
        "trust": own.trust,
        "tokens": own.tokens,
    }


def recall(
    app: Workspace, text: str, *, budget: int | None, scope: str, told: frozenset[str] = frozenset()
) -> Recalled:
    """What an agent would be given for a prompt, if it was `told` that much before."""
    stores = app.stores(scope)
    chosen = stores[0].settings
    cue = searching.cue_of(text, app.now, app.project_folder)
    tokens = chosen.prompt_tokens if budget is None else budget
    from recollect.context import pack  # a search has no need of it
    from recollect.context import recall as service

    nonce = pack.new_nonce()
    return service.recall(stores, cue, budget=tokens, lang=chosen.lang, nonce=nonce, given=told)


def weights_of(app: Workspace, text: str) -> dict[str, float]:
    """How much each word of a question asks for in the stores at hand (see `relevance.term_weights`)."""
    from recollect.context import recall as service  # a search has no need of it

    return service.term_weights(app.stores(""), searching.cue_of(text, app.now, app.project_folder))


def given_ids(app: Workspace, session: str, *, scope: str) -> frozenset[str]:
    """The ids that a session was given before; of no session none."""
    from recollect.context import recall as service

    return service.given_since_compaction(app.stores(scope), session) if session else frozenset()


def recalled_json(found: Recalled) -> dict[str, Any]:
    """What would be given, with the parts of each score."""
    items = [_item(one, "full") for one in found.full] + [
        _item(one, "pointer") for one in found.pointers
    ]
    return {"text": found.text, "tokens": found.tokens, "items": items}


def _item(one: Candidate, form: str) -> dict[str, Any]:
    return {
        "id": one.id,
        "anchor": one.anchor,
        "title": one.shown_title,
        "form": form,
        "scope": one.scope,
        "score": round(one.score, 4),
        "parts": _parts(one),
        "trust": one.trust,
        "tokens": one.tokens,
    }


def _parts(one: Candidate) -> dict[str, float]:
    return {name: round(value, 4) for name, value in one.parts.items()}


def why_not(
    app: Workspace,
    text: str,
    name: str,
    *,
    budget: int | None,
    scope: str,
    told: frozenset[str] = frozenset(),
) -> tuple[Reason, list[Word]]:
    """Why a memory would not be given for a prompt, and which of its words the memory says."""
    from recollect.context import recall as service

    stores = app.stores(scope)
    cue = searching.cue_of(text, app.now, app.project_folder)
    found = recall(app, text, budget=budget, scope=scope, told=told)
    reason = service.reason(stores, name, cue, found, told)
    if reason.why == "queued" and not _waits(app, name.partition("#")[0], scope):
        reason = reason._replace(why="released")
    sections = (one for store in stores for one in store.index.by_ids([name.partition("#")[0]]))
    one = reason.candidate or next(sections, None)
    return reason, service.words(stores, cue, one)


def _waits(app: Workspace, name: str, scope: str) -> bool:
    """Whether a statement still contradicts another one: that may be gone meanwhile."""
    from recollect.features import lifecycle  # seldom needed

    return any(wait.mark.episode == name for _, wait in lifecycle.conflicts(app, scope=scope))


def why_not_json(name: str, reason: Reason, words: list[Word]) -> dict[str, Any]:
    """The reason as data."""
    one = reason.candidate
    return {
        "id": name,
        "comes": reason.why in ("given", "pointer"),
        "reason": reason.why,
        "place": reason.place,
        "of": reason.of,
        "other": reason.other,
        "score": round(one.score, 4) if one else 0.0,
        "parts": _parts(one) if one else {},
        "words": [word._asdict() | {"asks": round(word.asks, 3)} for word in words],
    }


def brief(app: Workspace, budget: int | None = None) -> tuple[str, int]:
    """The brief of a session that would start here, and its tokens."""
    app.stores()  # where nothing is kept at all, that is what is to be said
    store = app.store()
    text = app.brief(store, budget)
    return text, count_tokens(text)


class ListRow(NamedTuple):
    """A memory in a list, and where it is."""

    entry: Entry
    scope: str
    path: str  # absolute

    def as_json(self) -> dict[str, Any]:
        """A memory without its text."""
        entry = self.entry
        return {
            "id": entry.id,
            "title": entry.title,
            "type": entry.layer,
            "kind": entry.kind,
            "tags": list(entry.tags),
            "scope": self.scope,
            "status": entry.status,
            "trust": entry.trust,
            "created": entry.created,
            "updated": entry.updated,
            "path": self.path,
            "tokens": entry.tokens,
            "summary": entry.summary,
        }


class ListedEntry(NamedTuple):
    """An entry in a list, and the page that it stands on."""

    page: ListRow
    own: IndexUnit

    @property
    def name(self) -> str:
        """What names it: the page's id, alone where it is the page as a whole."""
        anchor = self.own.anchor
        return f"{self.page.entry.id}#{anchor}" if anchor else self.page.entry.id

    @property
    def summary(self) -> str:
        """What it says in short: its text, or the title of its section or page."""
        if self.own.anchor.startswith("^"):
            return self.own.text.partition("\n")[0]
        if self.own.heading.endswith("…"):  # a rule that is longer than its title
            return self.own.text.partition("\n")[0].removeprefix("- ")
        from recollect.model.page_form import ADDED  # a search has no need of it

        if self.own.heading in ADDED.values():  # the title says no more than who added it
            return self.own.text.strip().partition("\n")[0].removeprefix("- ") or self.own.heading
        return self.own.heading or self.page.entry.title

    @property
    def is_of_session(self) -> bool:
        """Whether it is a statement in the memory of a session."""
        return self.own.anchor.startswith("^") and self.page.entry.kind in SESSION_KINDS

    def as_json(self, entry: str) -> dict[str, Any]:
        """An entry with its page's fields, and its own in place of those that it has."""
        own = self.own
        said = own.text.strip().partition("\n")[0].removeprefix("- ")
        return self.page.as_json() | {
            "kind": own.kind,
            "status": own.status,
            "trust": own.trust,
            "source": own.source,
            "created": own.created,
            "session": own.session,
            "tokens": own.tokens,
            "summary": (said or self.summary) if own.anchor else self.page.entry.summary,
            "entry": entry,
            "anchor": own.anchor,
            "section": own.heading,
            "text": self.summary,
        }


def listed(
    app: Workspace, only: Filter, *, scope: str, stores: list[OpenStore] | None = None
) -> list[ListedEntry]:
    """The entries that the filter lets through, newest first; of other stores where given.

    What a session's memory says and a page keeps in the same words is listed once, as the page's.
    """
    found = [
        ListedEntry(ListRow(page, store.scope, os.path.join(store.root, page.path)), own)
        for store in (app.stores(scope) if stores is None else stores)
        for page, own in store.index.listed(only)
    ]
    if len({one.page.scope for one in found}) > 1:
        when = [age_of(one.page.entry, one.own) for one in found]
        order = sorted(range(len(found)), key=when.__getitem__, reverse=True)
        found = [found[n] for n in order]
    kept = {_letters(one.summary) for one in found if not one.is_of_session}
    return [one for one in found if not (one.is_of_session and _letters(one.summary) in kept)]


def sessions_named(app: Workspace, store: OpenStore, name: str) -> set[str]:
    """The session of this name, of this beginning of one, or of this memory; else the name itself.

    Raises AmbiguousId.
    """
    entries = list(store.every_entry())
    known = {entry.session for entry in entries}
    known |= {state.session_id for state in app.sessions(store).every()}
    begun = sorted(one for one in known if one.startswith(name))
    if name in known:
        return {name}
    if not begun or len(name) < SHORTEST_PREFIX:
        memory = app.full_name(name)
        own = {one.session for one in entries if one.kind in SESSION_KINDS and one.id == memory}
        return own - {""} or {name}
    if len(begun) > 1:
        raise AmbiguousId(id=name, near=", ".join(begun[:MOST_NEAR]))
    return set(begun)


def names_of_session(app: Workspace, name: str, scope: str) -> tuple[str, ...]:
    """What marks a memory or a statement as one of this session; nothing for no name."""
    if not name:
        return ()
    from recollect.model.footnotes import label_of  # a search has no need of it

    names = {name}
    for store in app.stores(scope):
        found = sessions_named(app, store, name)
        names |= found | {e.id for one in found for e in store.index.entries_of_session(one)}
    return tuple(sorted(names | {f"^{label_of(one)}" for one in names}))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def short_name(stores: list[OpenStore], one: ListedEntry) -> str:
    """The shortest id by which a command takes an entry; its full name where another has the same."""
    letters = one.own.entry
    for size in range(min(SHORTEST_ID, len(letters)), len(letters) + 1):
        start = letters[:size]
        if {name for store in stores for name, _ in store.index.named(start)} == {one.name}:
            return start
    return one.name


def entries(
    app: Workspace, only: Filter, *, scope: str, stores: list[OpenStore] | None = None
) -> list[ListRow]:
    """The memories that the filter lets through, newest first; of other stores where given."""
    found = [
        ListRow(entry, store.scope, os.path.join(store.root, entry.path))
        for store in (app.stores(scope) if stores is None else stores)
        for entry in store.index.entries(only)
    ]
    return sorted(found, key=lambda one: (one.entry.created, one.entry.updated), reverse=True)


class MemoryPage(NamedTuple):
    """A memory as `show` shows it, or one entry of it with what that says of itself."""

    listed: ListRow
    heading: str  # of the section
    text: str
    conversation: str
    problem: str
    own: IndexUnit | None = None  # of one entry; its text is not the page's
    others: tuple[str, ...] = ()  # how far other entries on the page are trusted

    @property
    def entry(self) -> Entry:
        """The memory without its text."""
        return self.listed.entry

    @property
    def title(self) -> str:
        """The title of the memory, with the section's own unless that only says who noted it."""
        from recollect.model.page_form import LIST_HEADINGS  # a search has no need of it

        if not self.heading or (self.own and self.heading in LIST_HEADINGS):
            return self.entry.title
        return f"{self.entry.title} – {self.heading}"


def show(app: Workspace, name: str, level: int) -> MemoryPage:
    """One memory at a level of disclosure (0 keywords … 3 raw conversation), or one section."""
    from recollect.model import document
    from recollect.model.entries import entries_of, entry_of, rows_at, without_comments

    store = app.store_of(name)
    entry, anchor = store.named(name)
    memory = store.open_memory(entry)
    if is_sealed_path(entry.path):  # the index knows nothing of it
        entry = entry_of(memory, entry.stamp)
    heading, text = "", memory.body.strip()
    rows = rows_at(memory, anchor) if anchor else []
    own = rows[0] if rows and len({row.entry for row in rows}) == 1 else None
    if anchor.startswith("^"):
        if own is None:
            raise MemoryNotFound(id=name)
        heading, text = own.heading, own.text
    elif anchor:
        found = next((s for s in document.sections_of(memory.body) if s.anchor == anchor), None)
        if found is None:
            raise MemoryNotFound(id=name)
        heading, text = found.heading, without_comments(found.text)
    conversation = _conversation(store, entry) if level == 3 else ""
    listed = ListRow(entry, store.scope, os.path.join(store.root, entry.path))
    every = rows or entries_of(memory)
    others = sorted({row.trust for row in every} - {every[0].trust}) if every else []
    if own is None and every:
        # A page that is an entry itself is signed by that; any other by the least of its entries.
        trusts = [row.trust for row in every]
        trust = trusts[0] if every[0].anchor == "" else lowest_trust(*trusts)
        source = next(row.source for row in every if row.trust == trust)
        listed = listed._replace(entry=entry._replace(trust=trust, source=source))
        others = sorted(set(trusts) - {trust})
    if own:
        name, session = short_name([store], ListedEntry(listed, own)), own.session
        own = own._replace(entry=name, session=session_named(store, session, {}))
    return MemoryPage(listed, heading, text, conversation, memory.problem, own, tuple(others))


def session_named(store: OpenStore, session: str, known: dict[str, dict[str, str]]) -> str:
    """The id of the memory that the label of a footnote (`^70173a`) is of; the label if it is gone.

    `known` keeps the labels of each store for the next one.
    """
    if not session.startswith("^"):
        return session
    from recollect.model.footnotes import label_of  # a search has no need of it

    if store.scope not in known:
        named = known[store.scope] = {}
        for one in store.every_entry():
            if one.layer == "episodic":
                for name in filter(None, (one.id, one.session)):
                    named.setdefault(label_of(name), one.id)
    return known[store.scope].get(label_of(session), session)


def listed_json(stores: list[OpenStore], found: Sequence[ListedEntry]) -> list[dict[str, Any]]:
    """Entries as JSON, each with the shortest id that names it and with the memory of its session."""
    labels: dict[str, dict[str, str]] = {}
    of_scope = {store.scope: store for store in stores}
    rows = []
    for one in found:
        row, scope = one.as_json(short_name(stores, one)), one.page.scope
        row["session"] = session_named(of_scope[scope], one.own.session, labels)
        rows.append(row)
    return rows


def _conversation(store: OpenStore, entry: Entry) -> str:
    if is_sealed_path(entry.path):
        from recollect.privacy.sealing import conversation_of

        return conversation_of(store, entry).strip()
    log = entry.path.removesuffix("summary.md") + "conversation.md"
    if not entry.path.endswith("/summary.md") or not store.files.exists(log):
        return ""
    return store.files.read(log).text.strip()


def page_json(page: MemoryPage, level: int) -> dict[str, Any]:
    """A page as JSON, as much of it as the level discloses."""
    entry = page.entry
    shown: dict[str, Any] = {"id": entry.id, "title": entry.title, "tags": list(entry.tags)}
    if level >= 1 and page.own:
        shown |= ListedEntry(page.listed, page.own).as_json(page.own.entry)
    elif level >= 1:
        shown |= page.listed.as_json()
    if level >= 2:
        shown |= {
            "source": page.own.source if page.own else entry.source,
            "heading": page.heading,
            "text": page.text,
            "problem": page.problem,
        }
    if level >= 3:
        shown["conversation"] = page.conversation
    return shown
