"""Codec: an encrypted memory as it lies on disk: a few plain lines, and an age file in armor.

Promises: nothing passes for encrypted that is not in this very form; what was made here is read
back; of an encrypted memory nothing is known but its id, two times and the keys it is for.
Touches: nothing; it knows no key, and what is in the armor is not its business.
"""

from __future__ import annotations

from recollect.domain.codec.frontmatter import split_front
from recollect.domain.model import Memory
from recollect.domain.pattern import Pattern
from recollect.named import NamedTuple

FOLDER = "encrypted"
FORMAT = "age/v1"
# Behind this line of an opened text stands the raw conversation (level 3) of the memory.
CONVERSATION = "<!-- the raw conversation of this memory -->"
_KEYS = ["id", "created", "updated", "enc", "recipients"]
_ID = Pattern(r"sealed-[0-9a-f]{6,32}")
_TIME = Pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_RECIPIENT = Pattern(r"age1[02-9ac-hj-np-z]{20,120}")
# The first bytes of every age file are its format's name.
_ARMOR = Pattern(
    r"-----BEGIN AGE ENCRYPTED FILE-----\n(?=YWdlLWVuY3J5cHRpb24ub3JnL3Yx)"
    r"(?:[A-Za-z0-9+/]{64}\n)*[A-Za-z0-9+/]{1,64}={0,2}\n-----END AGE ENCRYPTED FILE-----\n?"
)


class Sealed(NamedTuple):
    """An encrypted memory, closed. `armor` is the age file."""

    id: str
    created: str
    updated: str
    recipients: tuple[str, ...]
    armor: str


def sealed_text(sealed: Sealed) -> str:
    """The file of an encrypted memory."""
    return (
        f"---\nid: {sealed.id}\ncreated: {sealed.created}\nupdated: {sealed.updated}\n"
        f"enc: {FORMAT}\nrecipients: [{', '.join(sealed.recipients)}]\n---\n{sealed.armor.strip()}\n"
    )


def sealed_of(text: str) -> Sealed | None:
    """The encrypted memory that this text is, or None if it is none to the letter."""
    front = split_front(text.replace("\r\n", "\n"))
    values = {entry.key: entry.value for entry in front.entries}
    if len(front.entries) != len(_KEYS) or len(front.lines) != len(_KEYS) + 2:
        return None
    if sorted(values) != sorted(_KEYS) or any(entry.comment for entry in front.entries):
        return None
    recipients = values["recipients"]
    found = Sealed(
        str(values["id"]),
        str(values["created"]),
        str(values["updated"]),
        tuple(recipients) if isinstance(recipients, list) else (),
        front.body,
    )
    return found if values["enc"] == FORMAT and _is_in_form(found) else None


def _is_in_form(sealed: Sealed) -> bool:
    return (
        bool(_ID.fullmatch(sealed.id))
        and all(_TIME.fullmatch(time) for time in (sealed.created, sealed.updated))
        and bool(sealed.recipients)
        and all(is_recipient(key) for key in sealed.recipients)
        and bool(_ARMOR.fullmatch(sealed.armor))
    )


def is_sealed(text: str) -> bool:
    """Whether this is an encrypted memory, and nothing else."""
    return sealed_of(text) is not None


def is_armor(text: str) -> bool:
    """Whether this is an age file in armor, with nothing in front of it."""
    return bool(_ARMOR.fullmatch(text))


def is_recipient(key: str) -> bool:
    """Whether this looks like a public key of age."""
    return bool(_RECIPIENT.fullmatch(key))


def with_conversation(text: str, conversation: str) -> str:
    """A memory and its raw conversation as one text."""
    return f"{text}\n{CONVERSATION}\n{conversation}" if conversation else text


def without_conversation(text: str) -> tuple[str, str]:
    """`(memory, conversation)` of an opened text; the conversation may be empty."""
    memory, _, conversation = text.partition(f"\n{CONVERSATION}\n")
    return memory, conversation


def claims_to_be_sealed(text: str) -> bool:
    """Whether a text says of itself that it is encrypted, be it or not."""
    return split_front(text).value("enc") is not None


def closed_memory(text: str, path: str, stem: str) -> Memory:
    """What is known of an encrypted memory without a key: next to nothing."""
    found = sealed_of(text)
    if found is None:
        problem = "is no encrypted memory in the form that docs/format.md tells of"
        return Memory(stem, stem, "semantic", path, "", private=True, problem=problem)
    return Memory(
        found.id,
        found.id,
        "semantic",
        path,
        "",
        created=found.created,
        updated=found.updated,
        private=True,
    )
