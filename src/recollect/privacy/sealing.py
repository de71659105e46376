"""Encrypt, decrypt and convert memories.

Promises: text is redacted and encrypted before it leaves this module. Unchanged text is not
encrypted again. A memory that was swapped for another is rejected.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from recollect._fastimport import NamedTuple
from recollect.errors import Failed, RecollectError, SealBroken, UsageProblem
from recollect.model import document, frontmatter, merge
from recollect.model.document import (
    CONVERSATION,
    FOLDER,
    Sealed,
    claims_to_be_sealed,
    files_of,
    is_armor,
    sealed_of,
    sealed_text,
    with_conversation,
    without_conversation,
)
from recollect.model.layers import SHARED
from recollect.model.memory import (
    SEALED,
    Change,
    Document,
    Entry,
    Memory,
    free_name,
    is_id,
    is_sealed_path,
    slug_of,
)
from recollect.model.merge import MergedText
from recollect.ports import Sealing
from recollect.privacy.plaintext import DECRYPT, ENCRYPT, ConvertedMemory
from recollect.store.store import OpenStore

WAS = "was"  # the key under which an encrypted memory keeps the name it had when it was plain
UNSAID = "unsaid"  # and under which the fields that it had by its place alone
REWRAP = "rewrap"
_PLACE = "semantic/x.md"  # where a text is read that has no place of its own


def new_place(store: OpenStore) -> tuple[str, str]:
    """`(id, path)` for a new encrypted memory; neither reveals anything."""
    name = f"sealed-{store.ledger.moment.new_id().rpartition('-')[2]}"
    return name, f"{FOLDER}/{name}{SEALED}"


# ------------------------------------------------------------------------------ opening, closing


def opened(sealing: Sealing, file: Document) -> Document:
    """The document with its plain text.

    Raises:
        SealBroken: it is no encrypted memory, or another one than its file says.
        Encrypted: there is no key for it.
    """
    found = sealed_of(file.text)
    if found is None:
        raise SealBroken(id=document.memory_from_text(file.text, file.path).id)
    return file._replace(text=without_conversation(_opened(sealing, found))[0])


def conversation_of(store: OpenStore, entry: Entry) -> str:
    """The raw conversation of an encrypted memory, if it has one. Raises Encrypted."""
    found = sealed_of(store.files.read(entry.path).text)
    if found is None:
        raise SealBroken(id=entry.id)
    return without_conversation(_opened(store.sealing(), found))[1]


def opened_text(sealing: Sealing, text: str) -> str:
    """The plain text of an encrypted memory, or of bare armor; any other text as it is. Raises Encrypted."""
    if is_armor(text):
        return sealing.open(text, "armor")
    found = sealed_of(text)
    return _opened(sealing, found) if found else text


def _opened(sealing: Sealing, sealed: Sealed) -> str:
    text = sealing.open(sealed.armor, sealed.id)
    if document.memory_from_text(text, _PLACE).id != sealed.id:
        raise SealBroken(id=sealed.id)  # what another file has was put into this one
    return text


def memory_of(text: str, path: str) -> Memory:
    """The memory that an opened text is, at the place of its file."""
    return document.memory_from_text(text, _PLACE)._replace(path=path, private=True)


def closed(store: OpenStore, changes: Sequence[Change]) -> list[Change]:
    """The changes with the texts of encrypted memories encrypted, without those that change nothing."""
    made = (_closed(store, change) for change in changes)
    return [change for change in made if change is not None]


def _closed(store: OpenStore, change: Change) -> Change | None:
    if change.op != "put" or not is_sealed_path(change.path) or sealed_of(change.text):
        return change
    # Each for itself: an unclosed private part ends with its memory.
    text, log = map(store.ledger.redact, without_conversation(change.text))
    memory = document.memory_from_text(text, _PLACE)
    if claims_to_be_sealed(text) or memory.id != change.memory.partition("~")[0]:
        raise Failed(what=f"The text for {change.path} does not belong there; nothing was written.")
    sealing = store.sealing()
    if change.before is not None:
        old = opened_text(sealing, store.files.read(change.path).text)
        if CONVERSATION in change.text:
            raise Failed(what=f"The line {CONVERSATION} is reserved: remove it.")
        log = without_conversation(old)[1]  # who edits sees the memory without it
        if old == with_conversation(text, log):
            return None
    return change._replace(text=_sealed(sealing, memory, with_conversation(text, log)))


def made_sealed(store: OpenStore, text: str, log: str) -> str:
    """A memory of ours and its raw conversation, encrypted; nothing is opened for that."""
    # Whatever stands behind this line is taken for the conversation.
    text, log = map(store.ledger.redact, (text.replace(CONVERSATION, ""), log))
    memory = document.memory_from_text(text, _PLACE)
    return _sealed(store.sealing(), memory, with_conversation(text, log))


def _sealed(sealing: Sealing, memory: Memory, text: str) -> str:
    armor = sealing.seal(text)
    created = memory.created or memory.updated
    updated = memory.updated or created
    return sealed_text(Sealed(memory.id, created, updated, sealing.recipients, armor))


def merged(sealing: Sealing, base: str, ours: str, theirs: str) -> MergedText:
    """Two changes of a memory as one, of an encrypted one encrypted; `base` may be empty.

    Raises:
        Encrypted: one of them cannot be opened, or ours is plain and theirs is not.
        CannotMerge.
    """
    if sealed_of(theirs) and not sealed_of(ours):
        raise SealBroken(id=document.memory_from_text(ours, _PLACE).id)
    texts = [opened_text(sealing, text) for text in (base, ours, theirs)]
    memories, logs = zip(*map(without_conversation, texts), strict=True)
    found = merge.merged(*memories)
    if sealed_of(ours) is None:
        return found
    text = with_conversation(found.text, max(logs[1:], key=len))
    if text in texts[1:]:  # nothing is encrypted again without need
        return MergedText((ours, theirs)[texts[1:].index(text)], 0)
    return MergedText(_sealed(sealing, document.memory_from_text(text, _PLACE), text), found.twice)


# ------------------------------------------------------------------------------ plain ↔ encrypted


def encrypt(store: OpenStore, name: str, *, dry_run: bool = False) -> ConvertedMemory:
    """Encrypt a memory: into another file, with a name that reveals nothing.

    The old text is still in the journal afterwards; `hide` takes it out.

    Raises:
        MemoryNotFound, UsageProblem, RecoveryMissing.
    """
    entry = store.require(name)
    _require_fit(entry)
    new, path = new_place(store)
    done = ConvertedMemory(entry.id, entry.path, new, path, entry.title)
    store.sealing().seal("")  # before anything is written: are there keys to encrypt for?

    def plan() -> list[Change]:
        old = store.read(entry)
        memory = document.memory_from_text(old.text, entry.path)
        text, said = old.text, frontmatter.split_front(old.text)
        unsaid = []
        for key, value in _fields_of_place(memory, store.now).items():
            if not said.value(key):
                text = document.with_field(text, key, value)
                unsaid += [key] if said.lines else []
        text = document.with_field(document.with_field(text, "id", new), WAS, entry.id)
        text = document.with_field(text, UNSAID, unsaid) if unsaid else text
        changes = [Change("remove", entry.path, entry.id, old.stamp)]
        for path in files_of(entry.path)[1:]:
            if store.files.exists(path):
                log = store.files.read(path)
                text = with_conversation(text, log.text)
                changes.append(Change("remove", path, entry.id, log.stamp))
        return [Change("put", done.path, new, None, text), *changes]

    if not dry_run:
        store.commit(plan, cause=ENCRYPT)
    return done


def _fields_of_place(memory: Memory, now: str) -> dict[str, str]:
    """The fields that a memory has by its name and place, which it loses."""
    return {
        "id": memory.id,
        "title": memory.title,
        "type": memory.layer,
        "kind": memory.kind,
        "created": memory.created or now,
        "updated": memory.updated or memory.created or now,
    }


def _require_fit(entry: Entry) -> None:
    """Raise UsageProblem for what cannot be encrypted."""
    what = ""
    if is_sealed_path(entry.path):
        what = f"{entry.id} is already encrypted."
    elif entry.path.startswith("core/"):
        what = "Every session loads core files: they cannot be encrypted."
    elif entry.path in SHARED.values():
        what = "Agents need this shared file: it cannot be encrypted."
    elif entry.archived:
        what = f"{entry.id} is archived: run `recollect activate` first."
    if what:
        raise UsageProblem(what=what, command=ENCRYPT)


def decrypt(store: OpenStore, name: str, *, dry_run: bool = False) -> ConvertedMemory:
    """Make an encrypted memory a plain one, with the name it had, or one made of its title."""
    entry = store.require(name)
    if not is_sealed_path(entry.path):
        raise UsageProblem(what=f"{entry.id} is not encrypted.", command=DECRYPT)
    old = store.read_open(entry)
    memory = document.memory_from_text(old.text, _PLACE)
    front = frontmatter.split_front(old.text)
    was, unsaid = front.value(WAS), front.value(UNSAID) or ()
    wanted = was if isinstance(was, str) and is_id(was) else slug_of(memory.title)
    new = free_name(wanted, store.is_taken)
    conversation = conversation_of(store, entry)
    kind = "conversation" if conversation else memory.kind
    done = ConvertedMemory(
        entry.id, entry.path, new, store.path_for(memory.layer, kind, new), memory.title
    )

    def plan() -> list[Change]:
        text = document.with_field(document.with_field(old.text, "id", new), WAS, None)
        for key in unsaid if new == was else ():
            text = document.with_field(text, key, None)
        text = document.with_field(text, UNSAID, None)
        texts = zip(files_of(done.path), (text, conversation), strict=False)
        puts = [Change("put", path, new, None, said) for path, said in texts if said]
        return [*puts, Change("remove", entry.path, entry.id, old.stamp)]

    if not dry_run:
        store.commit(plan, cause=DECRYPT)
    return done


def entries_in(store: OpenStore) -> list[Entry]:
    """The encrypted memories of a store, the archived ones too."""
    return [entry for entry in store.every_entry() if is_sealed_path(entry.path)]


def not_for(store: OpenStore, recipients: Iterable[str]) -> list[Entry]:
    """The encrypted memories that are for other keys than exactly these."""
    wanted = set(recipients)
    sealed = ((one, sealed_of(store.files.read(one.path).text)) for one in entries_in(store))
    return [entry for entry, found in sealed if set(found.recipients if found else ()) != wanted]


class Rewrapped(NamedTuple):
    """What became of a store's memories that were for other keys: their names, and why some stayed."""

    scope: str
    rewrapped: list[str]
    left: dict[str, str]


def rewrap(store: OpenStore, sealing: Sealing, *, dry_run: bool = False) -> Rewrapped:
    """Re-encrypt what is for other keys than those of `sealing`; what cannot be opened stays."""
    wrong = not_for(store, sealing.recipients)

    def plan() -> tuple[Rewrapped, list[Change]]:
        found = Rewrapped(store.scope, [], {})
        done = (_rewrapped(store, entry, sealing, found) for entry in wrong)
        return found, [change for changes in done for change in changes]

    return store.carry_out(plan, cause=REWRAP, dry_run=dry_run or not wrong)


def _rewrapped(
    store: OpenStore, entry: Entry, sealing: Sealing, found: Rewrapped
) -> Iterator[Change]:
    try:
        old = store.files.read(entry.path)
        sealed = sealed_of(old.text)
        if sealed is None:
            raise SealBroken(id=entry.id)
        armor = sealing.seal(_opened(sealing, sealed))
    except RecollectError as error:
        found.left[entry.id] = str(error)
        return
    found.rewrapped.append(entry.id)
    new = sealed._replace(recipients=sealing.recipients, armor=armor)
    yield Change("put", entry.path, entry.id, old.stamp, sealed_text(new))
