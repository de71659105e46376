"""A person who encrypts, and everything that is on their disk."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.cli.running import Person, Ran

# Words that stand nowhere but in what is encrypted, and the readable name that is made of them.
TITLE = "Kingfisher salary for Zbigniew"
BODY = "Zbigniew gets 4711 doubloons, says the marmalade committee."
TAGS = "kingfisher,doubloon"
WORDS = ("kingfisher", "zbigniew", "doubloon", "marmalade")  # none is hexadecimal by chance


@dataclass
class Desk:
    """A person, and the folder that all of theirs is in."""

    person: Person
    folder: Path

    @property
    def recovery(self) -> Path:
        """Where the recovery key was put."""
        return self.folder / "stick" / "recovery.txt"

    @property
    def identity(self) -> Path:
        """The key of this machine."""
        return self.person.home / ".config" / "recollect" / "identity"

    def save(self, title: str = TITLE, body: str = BODY, *words: str) -> str:
        """Save something encrypted; gives its id."""
        given = ("--body", body, "--tags", TAGS, *words)
        return str(self.person.ok("save", title, "--encrypt", *given, "--json").json["id"])

    def file(self, name: str) -> Path:
        """The file of an encrypted memory."""
        return self.person.store / "encrypted" / f"{name}.md.age"

    def lock(self) -> None:
        """Take the key away."""
        self.identity.rename(self.folder / "stick" / "identity")

    def unlock(self) -> None:
        """Put it back."""
        (self.folder / "stick" / "identity").rename(self.identity)

    def forget_keys(self) -> None:
        """Be somebody who never encrypted."""
        self.identity.parent.rename(self.folder / "stick" / "keys")

    def everything(self) -> Iterator[tuple[str, bytes]]:
        """Every file that this person has, packed ones unpacked, by its path."""
        for base, _, names in os.walk(self.folder):
            for name in names:
                path = Path(base, name)
                data = path.read_bytes()
                if data[:2] == b"\x1f\x8b":
                    with suppress(OSError):
                        data = gzip.decompress(data)
                yield str(path.relative_to(self.folder)), data

    def left(self, words: Sequence[str] = WORDS) -> list[str]:
        """The files that say one of these words, in their names or inside."""
        wanted = [word.encode() for word in words]
        return [
            path
            for path, data in self.everything()
            if any(word in data.lower() or word in path.lower().encode() for word in wanted)
        ]


def says(ran: Ran, words: Sequence[str] = WORDS) -> bool:
    """Whether a command said one of these words."""
    said = (ran.out + ran.err).lower()
    return any(word in said for word in words)
