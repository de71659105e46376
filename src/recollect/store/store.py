"""One store with its files, journal and index, brought up to date.

Promises: an open store shows the files as they are now, after finishing what a crash interrupted.
Touches: the files, journal and index it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from recollect._fastimport import NamedTuple
from recollect.errors import (
    AmbiguousId,
    ChangedMeanwhile,
    Encrypted,
    FileNotThere,
    KeyMissing,
    Locked,
    MemoryNotFound,
    OutsideStore,
    RecollectError,
)
from recollect.model.memory import (
    SESSION_KINDS,
    Change,
    Document,
    Entry,
    Filter,
    Memory,
    Op,
    Problem,
    free_name,
    is_sealed_path,
    of_repository,
)
from recollect.ports import Embedder, Sealing
from recollect.store.refresh import Progress, refresh, refresh_files, refresh_folders
from recollect.store.transactions import Ledger, Plan, paths_of
from recollect.text.sentences import shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from recollect.search.index import SqliteIndex
    from recollect.store.files import MarkdownStore
    from recollect.store.journal import FolderJournal

    T = TypeVar("T")

INDEX = "index"  # what a problem with the index is about
EMBEDDER = "embedder"  # … with what makes vectors

_FOLDERS = (
    "core episodic semantic semantic/decisions semantic/issues semantic/implementations procedural"
    " procedural/patterns reference"
).split()


class Settings(NamedTuple):
    """The settings that services go by."""

    lang: str = "en"
    start_tokens: int = 600
    prompt_tokens: int = 800
    error_tokens: int = 400
    announce: bool = True  # whether the person sees a line about the brief
    capture: bool = True
    model: str = ""  # what reads sessions once they are over
    model_calls: int = 40  # a day
    model_tokens: int = 200_000
    view_rows: int = 200
    archive_days: int = 14  # without activity
    archive_most: int = 20  # active conversations
    keep_changes: int = 0
    lists_pulls: bool = False  # whether what is pulled waits for a person's word
    encrypt: frozenset[str] = frozenset()  # the layers in which nothing new is plain, `core` too


def _no_keys() -> Sealing:
    raise KeyMissing(path="identity")


class OpenStore:
    """A store, its journal and its index. `scope` is `project` or `global`."""

    def __init__(
        self,
        files: MarkdownStore,
        journal: FolderJournal,
        index: SqliteIndex,
        ledger: Ledger,
        scope: str,
    ) -> None:
        self.files, self.journal, self.index, self.ledger = files, journal, index, ledger
        self.scope = scope
        self.now, self.now_ns = "", 0
        self.settings = Settings()
        self.sealing: Callable[[], Sealing] = _no_keys
        self.embedder: Callable[[], Embedder | None] = lambda: None
        self.changed: Callable[[OpenStore], None] = lambda _: None  # called after a change
        self.is_changed = False  # whether `changed` is still to be called
        self._blocks = 0
        self.problems: list[Problem] = []
        self.redone: list[Op] = []
        self.hidden: list[str] = []  # encrypted memories whose plain texts a crash had left

    def with_index(self, index: SqliteIndex) -> OpenStore:
        """The same store with what another index has of it."""
        other = OpenStore(self.files, self.journal, index, self.ledger, self.scope)
        other.now, other.now_ns, other.settings = self.now, self.now_ns, self.settings
        return other

    @property
    def root(self) -> str:
        """The folder of the store."""
        return self.files.root

    def freshen(
        self, progress: Progress | None = None, *, every_file: bool = True
    ) -> list[Problem]:
        """Finish what a crash left, then take in what changed in the files.

        With `every_file` false, see `refresh_folders`.
        """
        try:
            self.redone, stuck = self.ledger.recover()
            self.problems += stuck
        except RecollectError as error:  # a store that cannot be written can still be read
            self.problems.append(Problem("journal", str(error)))
        try:
            look = refresh if every_file else refresh_folders
            found = look(self.files, self.index, self.now_ns, progress)
        except Locked as error:  # somebody rebuilds the index: what it has is still right
            if not self.index.known():
                raise
            found = [Problem(INDEX, str(error))]
        self.problems += found
        return found

    def commit(
        self,
        plan: Callable[[], Sequence[Change]],
        *,
        cause: str,
        undoes: str = "",
        tries: int = 1,
        dry_run: bool = False,
    ) -> list[Op]:
        """Carry out changes and take them into the index; a dry run only plans them.

        With more `tries`, it plans anew when somebody's editor was quicker.
        """
        ops: list[Op] = []
        if dry_run:
            plan()
            return ops
        self.files.touched = {}
        for left in reversed(range(tries)):
            try:
                ops = self.ledger.commit(lambda: self._whole(plan()), cause=cause, undoes=undoes)
                break
            except (ChangedMeanwhile, FileNotThere):
                if not left:
                    raise
        if ops:
            self._index(paths_of(ops))
            self.note_change()
        return ops

    def carry_out(
        self,
        plan: Callable[[], tuple[T, Sequence[Change]]],
        *,
        cause: str,
        tries: int = 1,
        dry_run: bool = False,
    ) -> T:
        """Commit the changes of a plan that gives `(result, changes)`; gives the result that came of it."""
        made: list[T] = []

        def changes() -> Sequence[Change]:
            result, planned = plan()
            made[:] = [result]
            return planned

        self.commit(changes, cause=cause, tries=tries, dry_run=dry_run)
        return made[0]

    def rewrite(
        self, path: str, change: Callable[[str], str], *, cause: str, dry_run: bool = False
    ) -> bool:
        """Change the text of a file that is no memory; whether it says something else then."""

        def plan() -> tuple[bool, list[Change]]:
            old, stamp = self.text_at(path)
            new = change(old)
            return new != old, [Change("put", path, "", stamp, new)] if new != old else []

        return self.carry_out(plan, cause=cause, tries=3, dry_run=dry_run)

    def write_views(self, pages: Mapping[str, str]) -> list[str]:
        """Put generated files in place; gives the names of those whose bytes changed.

        The caller holds the store's lock.
        """
        self.files.touched = {}
        written = [name for name, text in pages.items() if self.files.write_view(name, text)]
        if written:
            self.files.settle(written)
            self.index.note_own(self.files.touched.values())
        return written

    def commit_each(self, plans: Iterable[tuple[str, Plan]]) -> list[int]:
        """Carry out changes that have nothing to do with each other, and take them into the index.

        Each comes with its cause; gives the numbers of those refused (see `Ledger.commit_each`).
        """
        paths: set[str] = set()
        self.files.touched = {}

        def noted(plan: Plan) -> Sequence[Change]:
            changes = self._whole(plan())
            paths.update(path for change in changes for path in (change.path, change.to) if path)
            return changes

        refused = self.ledger.commit_each((cause, partial(noted, plan)) for cause, plan in plans)
        if paths:
            self._index(sorted(paths))
            self.note_change()
        return refused

    @contextmanager
    def one_change(self) -> Iterator[None]:
        """Call `changed` once at the end of the block, if anything was changed in it."""
        self._blocks += 1
        try:
            yield
        finally:
            self._blocks -= 1
            self._call_changed()

    def note_change(self) -> None:
        """Call `changed`, at the end of the block if there is one."""
        self.is_changed = True
        self._call_changed()

    def _call_changed(self) -> None:
        if self.is_changed and not self._blocks:
            self.is_changed = False
            self.changed(self)

    def _index(self, paths: Iterable[str]) -> None:
        try:
            refresh_files(self.files, self.index, self.now_ns, paths)
        except RecollectError as error:  # the change is made; the next command will index it
            self.problems.append(Problem(INDEX, str(error)))

    def _whole(self, changes: Sequence[Change]) -> Sequence[Change]:
        """The changes with the texts of encrypted memories encrypted, and private ones hidden from git."""
        changes = self._with_hidden(changes) if changes else changes
        if not any(change.op == "put" and is_sealed_path(change.path) for change in changes):
            return changes
        from recollect.privacy.sealing import closed  # seldom needed

        return closed(self, changes)

    def _with_hidden(self, changes: Sequence[Change]) -> Sequence[Change]:
        """The changes, with private memories in .gitignore, also one that an editor made private."""
        new = [one.path for one in changes if _is_private(one)]
        moved = {one.path: one.to for one in changes if one.op == "move"}
        others = {one.path for one in changes if one.op != "move"}
        known = [moved.get(path, path) for path in _known_private(self) if path not in others]
        private = dict.fromkeys([*new, *known])
        public = {one.path for one in changes if one.op == "put"} - private.keys()
        shown = public.intersection(_known_private(self)) if public else ()
        at = next((n for n, one in enumerate(changes) if one.path == IGNORE), None)
        if at is None:
            return [*changes, *hidden_from_git(self, private, shown)]
        given = changes[at]  # such as what an undo restores
        text = _ignoring(given.text or "", private) if given.op == "put" else None
        return [*changes[:at], given._replace(text=text), *changes[at + 1 :]] if text else changes

    def text_at(self, path: str) -> tuple[str, str | None]:
        """`(text, stamp)` of a file; nothing where there is none."""
        if not self.files.exists(path):
            return "", None
        document = self.files.read(path)
        return document.text, document.stamp

    def as_trusted(self, document: Document, path: str) -> Memory:
        """The memory in a file with the trust it deserves: external, if only its repository says it."""
        from recollect.model.document import memory_from_text  # most have none to read

        memory = memory_from_text(document.text, path)
        return memory if self.files.is_own(document.stamp) else of_repository(memory)

    def memory(self, entry: Entry) -> Memory:
        """A memory as its file says it now. Raises Encrypted."""
        from recollect.model.document import memory_from_text  # most have none to read

        return memory_from_text(self.read(entry).text, entry.path)

    def every_entry(self, only: Filter | None = None) -> list[Entry]:
        """The memories that the filter lets through; behind them those in the archive."""
        hot = only or Filter()
        return [*self.index.entries(hot), *self.index.entries(hot._replace(archived=True))]

    def require(self, memory_id: str) -> Entry:
        """The memory with this id. Raises MemoryNotFound."""
        entry = self.index.entry(memory_id)
        if entry is None:
            raise MemoryNotFound(id=memory_id)
        return entry

    def named(self, name: str) -> tuple[Entry, str]:
        """The memory of `id#anchor`, and the anchor. Raises MemoryNotFound."""
        memory_id, _, anchor = name.partition("#")
        return self.require(memory_id), anchor

    def read(self, entry: Entry) -> Document:
        """The text of a memory as it is now. Raises Encrypted: nothing opens one by the way."""
        if is_sealed_path(entry.path):
            raise Encrypted(id=entry.id)
        return self.files.read(entry.path)

    def read_open(self, entry: Entry) -> Document:
        """The text of a memory, of an encrypted one as well: for the person who asked for this one.

        Raises:
            Encrypted: there is no key for it.
        """
        document = self.files.read(entry.path)
        if not is_sealed_path(entry.path):
            return document
        from recollect.privacy.sealing import opened  # seldom needed

        return opened(self.sealing(), document)

    def open_memory(self, entry: Entry) -> Memory:
        """A memory as it is now, an encrypted one opened. Raises Encrypted."""
        document = self.read_open(entry)
        if is_sealed_path(entry.path):
            from recollect.privacy.sealing import memory_of

            return memory_of(document.text, entry.path)
        return self.as_trusted(document, entry.path)

    def free_id(self, wanted: str) -> str:
        """`wanted`, or the next free one after it: in the index, and in every folder."""
        return free_name(wanted, self.is_taken)

    def is_taken(self, name: str) -> bool:
        """Whether a memory or a file has this name."""
        if self.index.entry(name) is not None:
            return True
        places = [f"{folder}/{name}" for folder in _FOLDERS]
        return any(self.files.exists(f"{p}.md") or self.files.exists(p) for p in places)

    def path_for(self, layer: str, kind: str, name: str) -> str:
        """Where a new memory goes."""
        if "/" in name:
            raise OutsideStore(name=name)
        from recollect.model.layers import folder_of

        if kind in SESSION_KINDS:
            return f"episodic/{name}/summary.md"
        return f"{folder_of(layer, kind)}/{name}.md"


def holder_of(stores: Sequence[OpenStore], name: str) -> tuple[OpenStore, Entry]:
    """The store that has this memory and section; if none has the section, the first with the memory.

    A list has the same id in every store. Raises MemoryNotFound.
    """
    memory_id, _, anchor = name.partition("#")
    found = [(store, store.index.entry(memory_id)) for store in stores]
    having = [(store, entry) for store, entry in found if entry is not None]
    if not having:
        raise MemoryNotFound(id=name)
    if anchor and len(having) > 1:
        return next((one for one in having if has_section(*one, anchor)), having[0])
    return having[0]


SHORTEST_START = 3  # letters of an id; of two, in a script whose letters are words
MOST_NEAR = 5
LONGEST_NEAR = 40  # characters of a title


def full_name(stores: Sequence[OpenStore], name: str) -> str:
    """The full name for a short id or the beginning of any id: `page`, `page#^id`.

    A name that nothing begins with is given back. Raises AmbiguousId.
    """
    page, mark, anchor = name.partition("#")
    if not name or any(store.index.entry(page) for store in stores if page):
        return name
    start = page or anchor
    start = start.removeprefix("^")
    if len(start) < SHORTEST_START - (not start.isascii()):
        return name
    found = dict(one for store in stores for one in store.index.named(start))
    exact = [one for one in found if one.endswith(f"#^{start}")]
    if page and mark:  # a section of a page whose id is cut short
        found = {f"{one}#{anchor}": text for one, text in found.items() if "#" not in one}
    names = exact if len(exact) == 1 else list(found)
    if len(names) > 1:
        shown = ", ".join(
            f"{one} ({shortened(' '.join(found[one].split()), LONGEST_NEAR)})" for one in names
        )
        raise AmbiguousId(id=name, near=shown)
    return names[0] if names else name


def near_names(stores: Sequence[OpenStore], name: str) -> list[str]:
    """The ids that somebody may have meant by a mistyped one."""
    from difflib import get_close_matches

    names = [
        f"{page.id}#{one.anchor}" if one.anchor and "#" in name else page.id
        for store in stores
        for archived in (False, True)
        for page, one in store.index.listed(Filter(archived=archived))
    ]
    near = get_close_matches(name, list(dict.fromkeys(names)), MOST_NEAR, 0.6)
    if near or "#" in name:
        return near
    starts = {one[: len(name) + 1]: one for one in reversed(names)}  # a mistyped beginning
    return [starts[one] for one in get_close_matches(name, starts, MOST_NEAR, 0.75)]


def has_section(store: OpenStore, entry: Entry, anchor: str) -> bool:
    """Whether a memory has a section of this name."""
    from recollect.model import document
    from recollect.model.entries import rows_at

    memory = store.open_memory(entry)
    if anchor.startswith("^"):
        return bool(rows_at(memory, anchor))
    return any(one.anchor == anchor for one in document.sections_of(memory.body))


# -------------------- Private memories by name in .gitignore, so that no commit takes them along.


IGNORE = ".gitignore"


def hidden_from_git(
    store: OpenStore, paths: Iterable[str], shown: Collection[str] = ()
) -> list[Change]:
    """The change to .gitignore that hides these memories from git, and those `shown` no more."""
    text, stamp = store.text_at(IGNORE)
    left = _not_ignoring(text, shown) if shown else text
    new = _ignoring(left, paths) or left
    return [Change("put", IGNORE, "", stamp, new)] if new != text else []


def _not_ignoring(text: str, paths: Iterable[str]) -> str:
    """A .gitignore without our lines for these memories, here and in the archive."""
    both = ((path, f"archive/{path}", path.removeprefix("archive/")) for path in paths)
    gone = {_ignored(one) for row in both for one in row}
    return "".join(
        line for line in text.splitlines(keepends=True) if line.rstrip("\r\n") not in gone
    )


def _ignoring(text: str, paths: Iterable[str]) -> str:
    """A .gitignore with these memories; nothing if it has them."""
    named = set(text.splitlines())
    new = [line for path in paths if (line := _ignored(path)) not in named]
    before = f"{text.rstrip()}\n" if text.strip() else ""
    return before + "".join(f"{line}\n" for line in new) if new else ""


def hidden_still(store: OpenStore, moves: Mapping[str, str]) -> list[Change]:
    """The change to .gitignore that hides memories at their new place too, if they were hidden."""
    named = set(store.text_at(IGNORE)[0].splitlines())
    return hidden_from_git(store, (to for path, to in moves.items() if _ignored(path) in named))


def unhidden(store: OpenStore) -> list[str]:
    """The private memories that git would take along until the next change."""
    named = set(store.text_at(IGNORE)[0].splitlines())
    return [path for path in _known_private(store) if _ignored(path) not in named]


def _known_private(store: OpenStore) -> list[str]:
    """The private memories that the index knows; of an encrypted file git may have all."""
    with suppress(RecollectError):  # no change fails for it: the next one hides them
        return [path for path in store.index.private_paths() if not is_sealed_path(path)]
    return []


def _is_private(change: Change) -> bool:
    if change.op != "put" or "private" not in (change.text or "").partition("\n---")[0]:
        return False
    from recollect.model.document import memory_from_text  # seldom needed

    return memory_from_text(change.text or "", change.path).private


def _ignored(path: str) -> str:
    is_folder = path.endswith("/summary.md")
    return f"/{path.removesuffix('summary.md') if is_folder else path}"
