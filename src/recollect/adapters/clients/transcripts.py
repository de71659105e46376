"""Clients: what the readers of transcripts that are files of lines have in common.

Promises: a reader says of what session a file is, and what a line tells; which lines are new, and
where they are looked for, is the same for all.
Touches: transcripts (reading).
"""

from __future__ import annotations

from recollect.adapters.clients import lines
from recollect.domain.session import Event
from recollect.ports import Portion


class Reading:
    """What has been read of a portion."""

    def __init__(self, session: str) -> None:
        """Nothing yet, of this session."""
        self.session = session
        self.events: list[Event] = []
        self.cwd = self.branch = self.parent = ""

    def take(self, raw: bytes) -> None:
        """Take in what a line tells; lines of kinds that are not known tell nothing."""
        raise NotImplementedError


class LineTranscripts:
    """A reader of transcripts, but for what a line tells."""

    client = ""
    skipped: tuple[str, ...] = ()  # folders without transcripts of their own

    def reading(self, session: str) -> Reading:
        """What lines are to be taken in by."""
        raise NotImplementedError

    def session_of(self, path: str) -> str:
        """The session that a transcript is of, or nothing; sub-agents have none."""
        raise NotImplementedError

    def is_named(self, path: str) -> bool:
        """Whether a file has the name of a transcript."""
        raise NotImplementedError

    def find(self, folder: str) -> list[str]:
        """The transcripts in a folder and below, oldest first; a file is its own list."""
        return lines.files_in(
            folder,
            lambda path: self.is_named(path) and bool(self.session_of(path)),
            skipped=self.skipped,
        )

    def moved(self, path: str) -> str:
        """The same path: a transcript stays where it was begun."""
        return path

    def folder_of(self, path: str) -> str:
        """The folder in which the session was started, or nothing."""
        reading = self.reading("")
        for raw in lines.first(path):
            if b'"cwd"' in raw:
                reading.take(raw)
            if reading.cwd:
                break
        return reading.cwd

    def read(self, path: str, offset: int, inode: int) -> Portion:
        """Some megabytes of what was added since `offset`; from the start if the file is another."""
        found = lines.added(path, offset, inode)
        reading = self.reading(self.session_of(path))
        for raw in found.lines:
            reading.take(raw)
        return Portion(
            reading.events,
            found.offset,
            found.inode,
            reading.cwd,
            reading.branch,
            reading.session,
            reading.parent,
        )
