"""What has more than one implementation, as protocols; and the values that store and search exchange."""

from __future__ import annotations

from collections.abc import Sequence

from recollect._fastimport import NamedTuple
from recollect.model.memory import FileStat, Memory

TYPE_CHECKING = False  # `typing` takes longer to load than a search
if TYPE_CHECKING:
    from typing import Protocol

    from recollect.model.session import Event
    from recollect.search.vectors import Embedding, Passage, Scale
else:
    Protocol = object  # to define a protocol takes a quarter of a millisecond


class Copy(NamedTuple):
    """A place where a text that was removed may still be."""

    what: str
    path: str


class IndexedFile(NamedTuple):
    """What the index remembers of a file: how it looked, as in `Seen`, and what was in it."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    stamp: str
    checked_ns: int
    is_doubted: bool = False  # filed as the repository's words


class LastLook(NamedTuple):
    """When every file was last looked at, and how each folder looked before its files were.

    Of a small store nothing is noted.
    """

    taken_ns: int
    folders: dict[str, IndexedFile]  # by path; without a stamp


class IndexRow(NamedTuple):
    """A file on its way into the index; without a memory only its appearance has changed."""

    seen: FileStat
    stamp: str
    memory: Memory | None
    is_doubted: bool = False  # whether the memory is the repository's words, not this person's


class PendingSection(NamedTuple):
    """A section without a vector, and what is to be embedded."""

    section: int
    anchor: str
    memory: int
    stamp: str
    passage: Passage


class Near(NamedTuple):
    """How near the sections of a shelf are to a cue, as cosines."""

    scale: Scale  # the mean of all and the highest
    best: list[tuple[int, float]]  # the nearest sections
    some: list[int]  # sections from all over the shelf, to see what is usual


class Embedder(Protocol):
    """Makes vectors of texts.

    `identity` changes when the same text would get another vector; `is_english` says that a text
    in another script has none that means anything.
    """

    identity: str
    is_english: bool

    def passages(self, several: Sequence[Passage]) -> list[Embedding]:
        """The embeddings of passages, in order. Raises RecollectError."""

    def cue(self, text: str) -> Embedding:
        """The embedding of a query. Raises RecollectError."""


class Sealing(Protocol):
    """Texts that only those can read who have one of some keys."""

    recipients: tuple[str, ...]

    def seal(self, text: str) -> str:
        """The text, encrypted for all recipients; another one each time. Raises RecoveryMissing."""

    def open(self, armor: str, name: str) -> str:
        """What was encrypted; `name` is said where that fails.

        Raises:
            KeyMissing, KeyLocked, KeyRefused, ForPersonsOnly: there is no key to be had.
            ForOtherKeys, SealBroken: it does not open this.
        """


class TranscriptReader(Protocol):
    """A client's own log of its sessions."""

    def session_of(self, path: str) -> str:
        """The id of the session that this transcript is of, or nothing."""

    def read(self, path: str, offset: int, inode: int) -> Portion:
        """What was added since `offset`; from the start if it is another file now."""

    def folder_of(self, path: str) -> str:
        """The folder in which the session was started, or nothing."""

    def find(self, folder: str) -> list[str]:
        """The transcripts in a folder and below, oldest first."""

    def moved(self, path: str) -> str:
        """Where the transcript really is, if a hook named a place where it is not."""


class Portion(NamedTuple):
    """What a transcript reader found: the events, and where to go on."""

    events: list[Event]
    offset: int
    inode: int
    cwd: str
    branch: str
    session: str


class Question(NamedTuple):
    """What a model is asked: all that is sent, and the form of the answer."""

    instructions: str
    text: str
    schema: str  # a JSON schema, as text


class Reply(NamedTuple):
    """What a model answered, and the tokens as it counts them; 0 where it does not."""

    text: str
    tokens_in: int = 0
    tokens_out: int = 0


class Extractor(Protocol):
    """A model that reads a session: the person's own client, or one of a library."""

    name: str

    def ask(self, question: Question, seconds: float) -> Reply:
        """The answer, within so many seconds. Raises ModelFailed."""
