"""App: encrypting and decrypting memories, and what of the old text is still somewhere.

Promises: when `encrypt` returns, no file of the store and its cache says what the memory said, but
for those that it names.
Touches: the store, its cache, and the briefs of all stores.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from recollect import fsio
from recollect.adapters.sqlite.scratch import ScratchIndex
from recollect.app.finding import Finding
from recollect.app.finding import found as _found
from recollect.app.keys import keys_of
from recollect.app.leftovers import regular_files
from recollect.app.publishing import publish_after_change, publish_all
from recollect.app.wiring import App
from recollect.domain.entries import is_conversation
from recollect.domain.session import SessionState
from recollect.errors import (
    ForOtherKeys,
    KeyMissing,
    RecollectError,
    SealBroken,
    UsageProblem,
)
from recollect.hooks import places
from recollect.named import NamedTuple
from recollect.ports import Row
from recollect.services import sealing as service
from recollect.services.opened import OpenStore
from recollect.services.sealing import Turned
from recollect.services.undoing import Past

LEAST_SEARCHED = 4  # a shorter name stands everywhere


class Done(NamedTuple):
    """A memory that was encrypted or decrypted, and where its old text still is."""

    turned: Turned
    scope: str
    path: str
    left: list[tuple[str, str]]

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        return {
            "id": self.turned.id,
            "was": self.turned.old_id,
            "path": self.path,
            "scope": self.scope,
            "left": [{"what": what, "path": path} for what, path in self.left],
        }


def encrypt(app: App, name: str, *, dry_run: bool) -> Done:
    """Encrypt a memory, and take its plain text out of everything that we can reach."""
    store = app.store_of(name)
    states = _states_behind(app, store, name)
    turned = service.encrypt(store, name, dry_run=dry_run)
    logs = [("the client's own log", path) for state in states for path in state.sources]
    if not dry_run:
        if states:
            from recollect.app.leaks import purge_session  # with much behind it

            purge_session(app, store, states[0].session_id)
        _hide(app, store, turned)
    left = [] if dry_run else [*_left(app, store, turned), *logs]
    return Done(turned, store.scope, os.path.join(store.files.root, turned.path), left)


def _states_behind(app: App, store: OpenStore, name: str) -> list[SessionState]:
    """What is kept of the session that a memory tells of as a whole.

    Raises:
        UsageProblem: it goes on.
    """
    entry = store.require(name)
    if entry.kind not in ("session", "conversation") or not entry.session:
        return []
    states = [one for one in app.sessions(store).every() if one.session_id == entry.session]
    if any(state.status == "active" for state in states):
        what = "This session goes on: its memory can be encrypted when it is over."
        raise UsageProblem(what=what, command="encrypt")
    return states


def _left(app: App, store: OpenStore, turned: Turned) -> list[tuple[str, str]]:
    from recollect.app.leaks import out_of_reach  # only here, and with much behind it

    return [*traces(app, store, turned), *out_of_reach(app, store.scope)]


def finish(app: App) -> list[str]:
    """Take out the plain texts that a crash left of memories that were encrypted; gives their ids."""
    done: list[str] = []
    for store in app.stores():
        for turned in list(service.unhidden(store)):
            _hide(app, store, turned)
            done.append(turned.id)
    return done


def _hide(app: App, store: OpenStore, turned: Turned) -> None:
    from recollect.app.lifecycle import forget_claims

    service.hide(store, turned)
    forget_claims(app, store)
    _forget_briefs(app)
    publish_all(app, store)


def _forget_briefs(app: App) -> None:
    """Take away the briefs of all stores: those of projects tell of the global store as well."""
    base = places.cache_root(app.env)
    for path, _ in regular_files(base):
        if os.path.basename(path).startswith("brief"):
            fsio.remove(path)


def traces(app: App, store: OpenStore, turned: Turned) -> Iterator[tuple[str, str]]:
    """The files of a store and its cache in which the old name or the title still stands."""
    words = {turned.old_id, turned.title.strip()}
    wanted = [word.casefold() for word in words if len(word) >= LEAST_SEARCHED]
    for root in (store.files.root, app.cache_of(store.files.root)):
        for path, _ in regular_files(root):
            # To open and close the index's file here would let go of its locks.
            if not os.path.basename(path).startswith("index.db") and _says(path, wanted):
                yield "still names it", path


def _says(path: str, words: list[str]) -> bool:
    try:
        data = fsio.read_file(path)
    except RecollectError:
        return False
    if path.endswith(".gz"):
        with suppress(OSError, EOFError):
            data = gzip.decompress(data)
    text = data.decode("utf-8", "replace").casefold()
    return any(word in text for word in words)


def decrypt(app: App, name: str, *, dry_run: bool) -> Done:
    """Make an encrypted memory a plain one again."""
    store = app.store_of(name)
    turned = service.decrypt(store, name, dry_run=dry_run)
    if not dry_run:
        publish_after_change(app, store)
    return Done(turned, store.scope, os.path.join(store.files.root, turned.path), [])


def hide_again(app: App, store: OpenStore, past: Past) -> None:
    """Take the plain text out again after a decryption was undone."""
    puts = (op for op in past.ops if op.op == "put")
    plain = next(op for op in puts if not is_conversation(op.path))
    closed = next(op for op in past.ops if op.op == "remove")
    last = store.journal.next_seq() - 1
    _hide(app, store, Turned(plain.memory, plain.path, closed.memory, closed.path, "", last))


# ---------------------------------------------------------------------------------------- reading


@contextmanager
def opened_stores(app: App, stores: list[OpenStore]) -> Iterator[list[OpenStore]]:
    """The encrypted memories of these stores, opened, each as a store that is in memory only.

    What cannot be opened is a warning. Raises Encrypted where there is no key at all.
    """
    made: list[OpenStore] = []
    try:
        for store in stores:
            entries = service.entries_in(store)
            if not entries:
                continue
            index = ScratchIndex()
            then = OpenStore(store.files, store.journal, index, store.ledger, store.scope)
            then.now, then.now_ns, then.settings = store.now, store.now_ns, store.settings
            made.append(then)
            index.apply(list(_rows(app, store)), [], store.now_ns)
        yield made
    finally:
        for store in made:
            store.index.close()


def _rows(app: App, store: OpenStore) -> Iterator[Row]:
    def failed(error: RecollectError) -> None:
        if not isinstance(error, (ForOtherKeys, SealBroken)):
            raise error  # it is so for all of them
        app.warnings.append(str(error))

    for entry, document in service.openable(store, service.entries_in(store), failed):
        seen = store.files.look(entry.path)
        if seen is not None:
            yield Row(seen, document.stamp, service.memory_of(document.text, entry.path))


def text_of(app: App, path: str) -> str:
    """The plain text of an encrypted file anywhere, for `git diff`; of any other file its text.

    What cannot be opened comes back as it is, for a comparison should not fail.
    """
    full = os.path.join(app.folder, path)
    data = fsio.read_file(os.path.realpath(full))
    text = data.decode("utf-8", "surrogateescape")
    with suppress(RecollectError):
        return service.opened_text(app.sealing, text)
    return text


def merge_files(app: App, base: str, ours: str, theirs: str) -> int:
    """Put two changes of a memory together in the file `ours`, for `git merge`.

    Gives in how many places a person has to choose. Raises Encrypted; then nothing was written.
    """
    paths = [os.path.realpath(os.path.join(app.folder, path)) for path in (base, ours, theirs)]
    texts = [fsio.read_file(path).decode("utf-8", "surrogateescape") for path in paths]
    found = service.merged(app.sealing, *texts)
    fsio.write_whole(paths[1], found.text.encode("utf-8", "surrogateescape"))
    return found.conflicts


# ----------------------------------------------------------------------------------------- health


def findings(app: App, store: OpenStore) -> Iterator[Finding]:
    """What `doctor` says of encrypted memories; nothing is opened, and nobody is asked."""
    entries = service.entries_in(store)
    keys = keys_of(app)
    for turned in service.unhidden(store):
        yield _found(
            "problem",
            turned.path,
            "a crash left its plain text in the journal; `recollect encrypt` takes it out",
        )
    if not entries:
        return
    yield _found("ok", "encrypted", "memories: {n}", n=len(entries))
    try:
        kept = keys.state()
    except RecollectError as error:
        yield _found("problem", "encrypted", "{what}", what=str(error))
        return
    if kept == "none":
        missing = KeyMissing(path=keys.identity_path)
        yield _found("problem", "encrypted", "{what}", what=str(missing))
    others = service.not_for(store, [one.key for one in keys.recipients()])
    if others:
        yield _found(
            "note",
            "encrypted",
            "for other keys than those of today: {n}, such as {id}; `recollect key-rewrap` encrypts them anew",
            n=len(others),
            id=others[0].id,
        )
