"""Encrypt and decrypt memories, and list where the old text remains."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.context.views import FACTS_JSON, INDEX_JSON, INDEX_PAGE
from recollect.errors import (
    Failed,
    ForOtherKeys,
    KeyMissing,
    RecollectError,
    SealBroken,
    UsageProblem,
)
from recollect.model.document import files_of
from recollect.model.memory import CORE, SESSION_KINDS, Filter, is_sealed_path
from recollect.model.merge import BY_KEY, CannotMerge, merged_by_key
from recollect.model.session import SessionState
from recollect.ports import Copy, IndexRow
from recollect.privacy import sealing
from recollect.privacy.keys import LEAST_RECIPIENTS, Keys, keys_of
from recollect.privacy.plaintext import ConvertedMemory, hiding, unhidden
from recollect.store import disk
from recollect.store.store import OpenStore
from recollect.workspace import Finding, Workspace

TYPE_CHECKING = False

if TYPE_CHECKING:
    from recollect.privacy.purge import Wording


class EncryptResult(NamedTuple):
    """A memory that was encrypted or decrypted, and where its old text still is."""

    turned: ConvertedMemory
    scope: str
    path: str
    left: list[Copy]

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        about = {"id": self.turned.id, "was": self.turned.old_id, "path": self.path}
        return about | {"scope": self.scope, "left": self.left}


def encrypt(app: Workspace, name: str, *, dry_run: bool) -> EncryptResult:
    """Encrypt a memory, and take its plain text out of everything that we can reach."""
    store = app.store_of(name)
    turned, left = _encrypted(app, store, name, dry_run=True)
    if dry_run:
        said = _wordings(store, [turned])
    else:
        with hiding(app, store):
            turned, left = _encrypted(app, store, name, dry_run=False)
            said = _wordings(store, [turned])
    left += _copies(app, store, [turned], said, dry_run=dry_run)
    path = os.path.join(store.root, turned.path)
    return EncryptResult(turned, store.scope, path, left)


class EncryptManyResult(NamedTuple):
    """What became of many memories: those that are encrypted now, and why others stayed plain."""

    done: list[ConvertedMemory]
    plain: dict[str, str]
    left: list[Copy]

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        encrypted = [{"id": one.id, "was": one.old_id} for one in self.done]
        return {"encrypted": encrypted, "plain": self.plain, "left": self.left}


def encrypt_many(app: Workspace, names: Sequence[str], *, dry_run: bool) -> EncryptManyResult:
    """Encrypt these memories, as far as they can be; each is a change of its own."""
    found = EncryptManyResult([], {}, [])
    by_store: dict[str, list[str]] = {}
    for name in names:
        by_store.setdefault(app.store_of(name).scope, []).append(name)
    for store in app.stores():
        turned: list[ConvertedMemory] = []
        with nullcontext() if dry_run else hiding(app, store):
            for name in by_store.get(store.scope, ()):
                try:
                    one, logs = _encrypted(app, store, name, dry_run=dry_run)
                except UsageProblem as error:
                    found.plain[name] = str(error)
                    continue
                turned.append(one)
                found.left.extend(logs)
            said = _wordings(store, turned)
            if not dry_run:
                app.seal_sessions(store)
        if turned:
            found.done.extend(turned)
            found.left.extend(_copies(app, store, turned, said, dry_run=dry_run))
    return found


def names_in(app: Workspace, layer: str, scope: str) -> list[str]:
    """The plain memories of a layer, or of all; of the store that is written to, if none is named."""
    store = app.store(scope)
    entries = store.index.entries(Filter(layer=layer))
    return [entry.id for entry in entries if not is_sealed_path(entry.path)]


def _encrypted(
    app: Workspace, store: OpenStore, name: str, *, dry_run: bool
) -> tuple[ConvertedMemory, list[Copy]]:
    """A memory that was encrypted, and the logs of its session that are not ours."""
    states = _states_behind(app, store, name)
    turned = sealing.encrypt(store, name, dry_run=dry_run)
    if states and not dry_run:
        from recollect.privacy.purge import purge_session  # slow to load, and seldom needed

        purge_session(app, store, states[0].session_id)
    logs = [path for state in states for path in state.sources]
    return turned, [Copy("the client's own log", path) for path in logs]


def _states_behind(app: Workspace, store: OpenStore, name: str) -> list[SessionState]:
    """What is kept of the session that a memory tells of as a whole. Raises UsageProblem."""
    entry, anchor = store.named(name)
    if anchor:
        what = f"Only a whole memory can be encrypted: this is an entry of {entry.id}."
        raise UsageProblem(what=what, command="encrypt")
    if entry.kind not in SESSION_KINDS or not entry.session:
        return []
    states = [one for one in app.sessions(store).every() if one.session_id == entry.session]
    if any(state.status == "active" for state in states):
        what = "This session is active: its memory can be encrypted after it ends."
        raise UsageProblem(what=what, command="encrypt")
    return states


def _wordings(store: OpenStore, turned: Sequence[ConvertedMemory]) -> list[Wording]:
    """What these memories said, while the journal still knows it."""
    from recollect.privacy.purge import wordings_of  # slow to load

    return wordings_of(store, ((one.old_id, one.old_path) for one in turned))


def _copies(
    app: Workspace,
    store: OpenStore,
    turned: Sequence[ConvertedMemory],
    said: Sequence[Wording],
    *,
    dry_run: bool,
) -> list[Copy]:
    """Where old names, titles and texts still stand in stores and caches, and what nobody can reach."""
    from recollect.privacy import purge  # slow to load

    words = [word for one in turned for word in (one.old_id, one.title.strip())]
    stores = app.stores() if words else ()
    named = [copy for one in stores for copy in purge.files_naming(app, one, words, said)]
    views = {
        f"{one.root}/{name}" for one in stores for name in (INDEX_PAGE, INDEX_JSON, FACTS_JSON)
    }  # say what pages say
    named = [one for one in named if one.path not in views]
    if dry_run:
        named = _left_of(app, stores, turned, named)
    return [*named, *purge.out_of_reach(app, store.scope)]


def _left_of(
    app: Workspace,
    stores: Sequence[OpenStore],
    turned: Sequence[ConvertedMemory],
    found: Iterable[Copy],
) -> list[Copy]:
    """Of the copies that are there before an encryption, those that it will leave.

    The journal keeps what a page says that stays.
    """
    roots = [one.root for one in stores]
    cleaned = [
        f"{root}/{path}" for root in roots for one in turned for path in files_of(one.old_path)
    ]
    cleaned += [f"{root}/sessions/" for root in roots]
    cleaned += [f"{app.cache_of(root)}/" for root in roots]
    left = [one for one in found if not one.path.startswith(tuple(cleaned))]
    journals = tuple(f"{root}/journal/" for root in roots)
    others = [one for one in left if not one.path.startswith(journals)]
    return left if others else []


def decrypt(app: Workspace, name: str, *, dry_run: bool) -> EncryptResult:
    """Make an encrypted memory a plain one again."""
    store = app.store_of(name)
    turned = sealing.decrypt(store, name, dry_run=dry_run)
    return EncryptResult(turned, store.scope, os.path.join(store.root, turned.path), [])


# ---------------------------------------------------------------------------------------- reading


def opened_stores(
    app: Workspace, stores: list[OpenStore]
) -> AbstractContextManager[list[OpenStore]]:
    """The encrypted memories of these stores, opened, each as a store that is in memory only.

    What cannot be opened is a warning. Raises Encrypted where there is no key at all.
    """
    from recollect.features.reading import in_memory  # loads the search, which few have need of

    return in_memory(
        (store, _opened_rows(app, store)) for store in stores if sealing.entries_in(store)
    )


def _opened_rows(app: Workspace, store: OpenStore) -> Iterator[IndexRow]:
    for entry in sealing.entries_in(store):
        try:
            document = store.read_open(entry)
        except (ForOtherKeys, SealBroken) as error:  # any other is so for all of them
            app.warnings.append(str(error))
            continue
        seen = store.files.look(entry.path)
        if seen is not None:
            yield IndexRow(seen, document.stamp, sealing.memory_of(document.text, entry.path))


def plain_text_of(app: Workspace, path: str) -> str:
    """The plain text of an encrypted file anywhere, for `git diff`; of any other file its text.

    What cannot be opened comes back as it is, for a comparison should not fail.
    """
    full = os.path.join(app.folder, path)
    data = disk.read_file(os.path.realpath(full))
    text = data.decode("utf-8", "surrogateescape")
    with suppress(RecollectError):
        return sealing.opened_text(app.sealing, text)
    return text


def merge_files(app: Workspace, base: str, ours: str, theirs: str, name: str = "") -> int:
    """Put two changes of a memory, or of settings of that `name`, together in the file `ours`.

    Gives in how many places two wordings stand now.

    Raises:
        Encrypted, Failed: they were not put together; nothing was written.
    """
    paths = [os.path.realpath(os.path.join(app.folder, path)) for path in (base, ours, theirs)]
    texts = [disk.read_file(path).decode("utf-8", "surrogateescape") for path in paths]
    name = os.path.basename(name)
    try:
        is_keyed = name in BY_KEY
        found = merged_by_key(name, *texts) if is_keyed else sealing.merged(app.sealing, *texts)
    except CannotMerge as error:
        raise Failed(what=f"The two changes were not merged: {error}.") from None
    disk.write_whole(paths[1], found.text.encode("utf-8", "surrogateescape"))
    return found.twice


# ----------------------------------------------------------------------------------------- health


def encryption_findings(app: Workspace, store: OpenStore) -> Iterator[Finding]:
    """What `doctor` says of encrypted memories; nothing is opened, and nobody is asked."""
    entries = sealing.entries_in(store)
    keys = keys_of(app)
    for turned in unhidden(store):
        yield Finding.problem(
            turned.path,
            "a crash left its plain text in the journal; `recollect key encrypt` removes it",
        )
    if store.settings.encrypt:
        yield from _setting_findings(store, keys)
    if not entries:
        return
    yield Finding.ok("encrypted", "memories: {n}", n=len(entries))
    try:
        kept = keys.state()
    except RecollectError as error:
        yield Finding.problem("encrypted", "{what}", what=str(error))
        return
    if kept == "none":
        missing = KeyMissing(path=keys.identity_path)
        yield Finding.problem("encrypted", "{what}", what=str(missing))
    others = sealing.not_for(store, [one.key for one in keys.recipients()])
    if others:
        yield Finding.note(
            "encrypted",
            "encrypted for old keys: {n}, such as {id}; `recollect key rewrap` re-encrypts them",
            n=len(others),
            id=others[0].id,
        )


def _setting_findings(store: OpenStore, keys: Keys) -> Iterator[Finding]:
    """What the settings have encrypted, whether that can be done, and what is plain all the same."""
    layers = ", ".join(sorted(store.settings.encrypt))
    yield Finding.ok("encryption", "new memories in {layers} are encrypted", layers=layers)
    if len({one.key for one in keys.recipients()}) < LEAST_RECIPIENTS:
        yield Finding.problem(
            "encryption",
            "encryption needs two keys, so nothing is saved or captured there; `recollect key init` creates them",
        )
    plain = [
        entry
        for entry in store.every_entry()
        if not is_sealed_path(entry.path)
        and (CORE if entry.path.removeprefix("archive/").startswith("core/") else entry.layer)
        in store.settings.encrypt
    ]
    if plain:
        yield Finding.note(
            "encryption",
            "still plain text: {n}, such as {id}; `recollect key encrypt ID`, --layer or --all encrypts them",
            n=len(plain),
            id=plain[0].id,
        )
    if "episodic" in store.settings.encrypt:
        kept = sum(1 for _ in disk.regular_files(f"{store.root}/sessions/raw"))
        if kept:
            yield Finding.note("encryption", "plain copies of earlier sessions: {n}", n=kept)
