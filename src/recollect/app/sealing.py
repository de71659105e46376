"""App: encrypting and decrypting memories, and what of the old text is still somewhere.

Promises: when `encrypt` returns, no file of the store and its cache says what the memory said, but
for those that it names.
Touches: the store, its cache, and the briefs of all stores.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from recollect import fsio
from recollect.adapters.crypto.age import LEAST_RECIPIENTS
from recollect.adapters.crypto.keys import Keys
from recollect.adapters.sqlite.scratch import ScratchIndex
from recollect.app.finding import Finding
from recollect.app.finding import found as _found
from recollect.app.keys import keys_of
from recollect.app.leftovers import regular_files
from recollect.app.publishing import publish_after_change
from recollect.app.wiring import App
from recollect.domain.entries import is_conversation
from recollect.domain.model import CORE, Entry, Filter
from recollect.domain.names import is_sealed_path
from recollect.domain.session import SessionState
from recollect.errors import (
    ForOtherKeys,
    KeyMissing,
    RecollectError,
    SealBroken,
    UsageProblem,
)
from recollect.named import NamedTuple
from recollect.ports import Row
from recollect.services import sealing as service
from recollect.services.opened import OpenStore
from recollect.services.sealedcapture import SealedCapture
from recollect.services.sealing import Turned
from recollect.services.undoing import Past


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
    turned, left = _encrypted(app, store, name, dry_run=dry_run)
    if not dry_run:
        _hide(app, store, [turned])
        left += [*traces(app, store, [turned]), *_out_of_reach(app, store)]
    path = os.path.join(store.files.root, turned.path)
    return Done(turned, store.scope, path, [] if dry_run else left)


class Many(NamedTuple):
    """What became of many memories: those that are encrypted now, and why others stayed plain."""

    done: list[Turned]
    plain: list[tuple[str, str]]
    left: list[tuple[str, str]]

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        return {
            "encrypted": [{"id": one.id, "was": one.old_id} for one in self.done],
            "plain": dict(self.plain),
            "left": [{"what": what, "path": path} for what, path in self.left],
        }


def encrypt_many(app: App, names: Sequence[str], *, dry_run: bool) -> Many:
    """Encrypt these memories, as far as they can be; each is a change of its own."""
    found = Many([], [], [])
    by_store: dict[str, tuple[OpenStore, list[Turned]]] = {}
    for name in names:
        store = app.store_of(name)
        try:
            turned, left = _encrypted(app, store, name, dry_run=dry_run)
        except UsageProblem as error:
            found.plain.append((name, str(error)))
            continue
        found.done.append(turned)
        found.left.extend(left)
        by_store.setdefault(store.scope, (store, []))[1].append(turned)
    if not dry_run:
        for store in app.stores():
            _close_sessions(app, store)
    for store, turned_here in () if dry_run else by_store.values():
        _hide(app, store, turned_here)
        found.left.extend([*traces(app, store, turned_here), *_out_of_reach(app, store)])
    return found._replace(left=[] if dry_run else found.left)


def _close_sessions(app: App, store: OpenStore) -> None:
    """Encrypt what is kept of sessions in plain, where the settings have it so."""
    capture = app.capture(store)
    if isinstance(capture, SealedCapture):
        for one in list(capture.sessions.every()):
            state = capture.sessions.load(one.client, one.session_id)
            if state and state.raw_bytes:
                capture.closed(state)


def names_in(app: App, layer: str, scope: str) -> list[str]:
    """The plain memories of a layer, or of all; of the store that is written to, if none is named."""
    store = app.store(scope)
    entries = store.index.entries(Filter(layer=layer))
    return [entry.id for entry in entries if not is_sealed_path(entry.path)]


def _encrypted(
    app: App, store: OpenStore, name: str, *, dry_run: bool
) -> tuple[Turned, list[tuple[str, str]]]:
    """A memory that was encrypted, and the logs of its session that are not ours."""
    states = _states_behind(app, store, name)
    turned = service.encrypt(store, name, dry_run=dry_run)
    if states and not dry_run:
        from recollect.app.leaks import purge_session  # with much behind it

        purge_session(app, store, states[0].session_id)
    return turned, [("the client's own log", path) for state in states for path in state.sources]


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


def _out_of_reach(app: App, store: OpenStore) -> list[tuple[str, str]]:
    from recollect.app.leaks import out_of_reach  # only here, and with much behind it

    return out_of_reach(app, store.scope)


def finish(app: App) -> list[str]:
    """Take out the plain texts that a crash left of memories that were encrypted; gives their ids."""
    from recollect.app.leaks import purge_session, session_behind

    done: list[str] = []
    for store in app.stores():
        found = list(service.unhidden(store))
        for turned in found:
            session = session_behind(app, turned.old_id)
            if session:
                purge_session(app, store, session)
        if found:
            _hide(app, store, found)
        done += [turned.id for turned in found]
    return done


def _hide(app: App, store: OpenStore, turned: Sequence[Turned]) -> None:
    from recollect.app.leaks import renew_copies

    for one in turned:
        service.hide(store, one)
    store.index.purge()
    renew_copies(app, store)


def traces(app: App, store: OpenStore, turned: Sequence[Turned]) -> Iterator[tuple[str, str]]:
    """The files of a store and its cache in which an old name or a title still stands."""
    from recollect.app.leaks import naming

    return naming(app, store, [word for one in turned for word in (one.old_id, one.title.strip())])


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
    _hide(app, store, [Turned(plain.memory, plain.path, closed.memory, closed.path, "", last)])


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
    if store.settings.encrypt:
        yield from _asked_for(store, keys)
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


def _asked_for(store: OpenStore, keys: Keys) -> Iterator[Finding]:
    """What the settings have encrypted, whether that can be done, and what is plain all the same."""
    layers = ", ".join(sorted(store.settings.encrypt))
    yield _found("ok", "encryption", "what is new in {layers} is encrypted", layers=layers)
    if len({one.key for one in keys.recipients()}) < LEAST_RECIPIENTS:
        yield _found(
            "problem",
            "encryption",
            "there are no two keys to encrypt for, so nothing is saved or captured there; `recollect key-init` makes them",
        )
    plain = [
        entry
        for archived in (False, True)
        for entry in store.index.entries(Filter(archived=archived))
        if not is_sealed_path(entry.path) and _layer_of(entry) in store.settings.encrypt
    ]
    if plain:
        yield _found(
            "note",
            "encryption",
            "plain from before: {n}, such as {id}; `recollect encrypt ID`, --layer or --all encrypts what can be",
            n=len(plain),
            id=plain[0].id,
        )
    if "episodic" in store.settings.encrypt:
        kept = sum(1 for _ in regular_files(f"{store.files.root}/sessions/raw"))
        if kept:
            yield _found("note", "encryption", "plain copies of sessions from before: {n}", n=kept)


def _layer_of(entry: Entry) -> str:
    return CORE if entry.path.removeprefix("archive/").startswith("core/") else entry.layer
