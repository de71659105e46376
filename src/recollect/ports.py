"""Protocols of what store, search and features need; tests/contracts checks each implementation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager

from recollect._fastimport import NamedTuple
from recollect.model.memory import Document, Entry, Filter, Memory, Op, Problem, Seen

TYPE_CHECKING = False  # `typing` takes longer to load than a search
if TYPE_CHECKING:
    from typing import Any, Protocol

    from recollect.model.entries import Shelved
    from recollect.model.session import Event
    from recollect.search.rank import Candidate
    from recollect.search.vectors import Embedding, Passage, Scale
else:
    Protocol = object  # to define a protocol takes a quarter of a millisecond


Note = Callable[[Op, str], None]


class Store(Protocol):
    """The files of one root folder. Paths are inside the store, with `/`."""

    root: str
    believed: Container[str] | None  # the stamps of what counts as said here; None: of all

    def scan(self) -> Iterator[Seen]:
        """Every memory file as the file system shows it now; views and hidden files are not."""

    def look(self, path: str) -> Seen | None:
        """A memory file as it is now, None where there is none or it is no memory."""

    def problems(self) -> Iterator[Problem]:
        """What the scan had to pass over, and why."""

    def read(self, path: str) -> Document:
        """The text of a file. Raises FileNotThere."""

    def stamp(self, path: str) -> str | None:
        """The stamp of a file as it is now, None where there is none."""

    def is_own(self, stamp: str) -> bool:
        """Whether the text with this stamp counts as said here, and not as its repository's."""

    def exists(self, path: str) -> bool:
        """Whether anything has this name."""

    def create(self, path: str, text: str) -> str:
        """Write a new file and give its stamp. Raises AlreadyThere."""

    def replace(self, path: str, text: str, seen: str) -> str:
        """Replace the file that had the stamp `seen`. Raises ChangedMeanwhile."""

    def move(self, path: str, to: str, seen: str) -> None:
        """Give the file another place. Raises AlreadyThere, ChangedMeanwhile."""

    def remove(self, path: str, seen: str) -> None:
        """Take the file away. Raises ChangedMeanwhile."""

    def settle(self, paths: Iterable[str]) -> None:
        """Make the names of these files durable."""

    def write_view(self, path: str, text: str) -> bool:
        """Put a generated file in place; False if it is there with these bytes already."""

    def locked(self) -> AbstractContextManager[None]:
        """The store's lock, which every change is made under. Raises Locked."""


class Journal(Protocol):
    """The append-only log of one store."""

    writer: str
    problems: list[Problem]

    def append(self, ops: Sequence[Op]) -> None:
        """Make these ops durable, all or none."""

    def take_back(self) -> None:
        """Forget the ops that were appended last, under the same lock, as if they had never been."""

    def settle(self, group: str, seq: int, *, applied: bool) -> None:
        """Note that a group of ops is in the files, or never will be."""

    def unsettled(self, after: dict[str, int]) -> tuple[list[Op], dict[str, int]]:
        """`(ops, offsets)`: what nobody has settled behind the offsets that an earlier call gave."""

    def ops(self) -> list[Op]:
        """Every op about a file that holds, in order."""

    def heads(self, note: Note | None = None) -> list[Op]:
        """As `ops`, without any text: what was done, to what, and when.

        `note` is told of each op with a text, of one that does not hold as well, what is new in
        it: the whole text, or the lines of it that are not taken over from another op. None of it
        is kept here.
        """

    def text_of(self, stamp: str) -> str | None:
        """The text that had this stamp, if an op that holds has it."""

    def ops_about(self, field: str, value: str) -> list[Op]:
        """Every op that holds and has this value in its `path` or `memory`, newest first."""

    def next_seq(self) -> int:
        """A sequence number after all that this journal has."""

    def hot(self, op: str) -> Iterator[dict[str, Any]]:
        """The hot facts of one kind (signal, inject, …) that hooks left."""

    def lines(self, name: str, offset: int = 0) -> Iterator[JournalLine]:
        """The good lines of one file from `offset` on."""

    def purge(self, path: str, hidden: Hidden | None = None) -> int:
        """Take the texts of the file that was last at `path` out of the journal, wherever it was.

        With `hidden` the names that it had go as well. Gives the number of lines changed.
        """

    def forget(self, texts: Collection[str], groups: Collection[str]) -> int:
        """Take out all but these groups, and all texts but those with these stamps.

        Gives the bytes that became free. The caller holds the store's lock.
        """

    def drop_unreadable(self) -> int:
        """Take out the lines that nobody can read; gives how many there were."""

    def files(self) -> dict[str, int]:
        """The journal files with their sizes, by name."""

    def sessions(self) -> dict[str, SessionFile]:
        """The files that hooks append to, one for each session, by name."""

    def fold(self, heard: Mapping[str, int]) -> int:
        """Put these sessions' files, of which so many bytes were heard, together with others.

        Gives how many. The caller holds the store's lock.
        """


class SessionFile(NamedTuple):
    """A file that the hooks of a session append to, as the file system shows it."""

    size: int
    mtime_ns: int


class Hidden(NamedTuple):
    """Under which names a file is told of from now on, up to which op."""

    memory: str
    place: str  # without its `.md`
    until: int


class JournalLine(NamedTuple):
    """A line of a journal file, read."""

    data: dict[str, Any]
    end: int  # the offset behind it


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


class IndexRow(NamedTuple):
    """A file on its way into the index; without a memory only its appearance has changed."""

    seen: Seen
    stamp: str
    memory: Memory | None
    is_doubted: bool = False  # whether the memory is the repository's words, not this person's


class Index(Protocol):
    """What can be found. May be thrown away at any moment."""

    identity: str

    @property
    def vectors(self) -> Vectors:
        """The vectors of the sections."""

    def snapshot(self) -> AbstractContextManager[None]:
        """One state of the index for all that is asked inside; nothing is written or waited for there."""

    def known(self) -> dict[str, IndexedFile]:
        """Every file that the index has, by path."""

    def apply(self, rows: Iterable[IndexRow], gone: Iterable[str], checked_ns: int) -> int:
        """Take in what changed, in one transaction; gives the number of memories written."""

    def entries(self, only: Filter) -> list[Entry]:
        """The memories that the filter lets through, newest first."""

    def entry(self, memory_id: str) -> Entry | None:
        """The memory with this id (or, of a fact, its number: d001)."""

    def listed(self, only: Filter) -> list[tuple[Entry, Shelved]]:
        """The entries that the filter lets through, each with its page, newest first."""

    def named(self, start: str) -> list[tuple[str, str]]:
        """The names and texts of the entries whose id begins so, or whose page's id does.

        One that has this very id is the only one.
        """

    def entries_of_session(self, session: str) -> list[Entry]:
        """The memories that were made of this session."""

    def search(self, words: list[str], *, only: Filter, limit: int) -> list[Candidate]:
        """The sections that have some of these words of a cue, best first, with the index's score.

        At most `limit`; where there are fewer, turns of raw conversations come behind them, as
        many as it takes to tell by their surroundings which are the best.
        """

    def word_counts(self, words: list[str], shelf: str) -> tuple[dict[str, int], int]:
        """How many sections of a shelf have each word, and how many there are."""

    def consider(self, words: list[str]) -> tuple[list[Candidate], dict[str, int], int]:
        """What recall judges for these words of a cue: `(candidates, counts, total)`.

        The candidates are a few hot sections; `counts` says how many of the `total` hot sections
        have each word.
        """

    def spelled(self, words: list[str]) -> dict[str, list[str]]:
        """For words that no memory has: the terms of the index that resemble them."""

    def dated(self, period: tuple[int, int], only: Filter) -> list[Candidate]:
        """The first sections of a few memories made in these days (from 1970), episodes first."""

    def beside(self, turns: Sequence[Candidate]) -> list[Candidate]:
        """The turns of the same conversations next to these (one before, two after), unscored."""

    def sharing(self, tags: Sequence[str], layer: str) -> list[Entry]:
        """The memories of a layer that have two of these tags, as far as their words tell."""

    def of_sections(self, numbers: Sequence[int], *, only: Filter, shelf: str) -> list[Candidate]:
        """The sections of a shelf with these numbers that the filter lets through, unscored."""

    def by_ids(self, ids: list[str]) -> list[Candidate]:
        """The first section of each of these memories."""

    def set_meta(self, values: dict[str, str]) -> None:
        """Leave values for readers of the index."""

    def meta(self, key: str) -> str:
        """A value that `set_meta` left, or nothing."""

    def wipe(self) -> None:
        """Forget everything, so that the next refresh takes in every file again."""

    def counts(self) -> dict[str, int]:
        """How many files, memories and sections the index has."""

    def purge(self) -> None:
        """Take what was removed out of the index's own files too."""

    def differences(self) -> list[str]:
        """What is wrong inside the index, in sentences."""

    def close(self) -> None:
        """Let the file go."""


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


class Vectors(Protocol):
    """The vectors of the sections of an index. As disposable as the index."""

    def identity(self) -> str:
        """Whose vectors there are; nothing where there are none."""

    def counts(self, identity: str) -> tuple[int, int]:
        """How many sections have a vector of this embedder, and how many there are."""

    def missing(self, identity: str, most: int) -> list[PendingSection]:
        """Sections without a vector of this embedder, what recall sees first."""

    def put(self, identity: str, made: Sequence[tuple[PendingSection, Embedding]]) -> int:
        """Store vectors and delete those of another embedder; gives how many were stored.

        A section that has changed since it was read gets none.
        """

    def near(self, identity: str, cue: Embedding, shelf: str, most: int) -> Near | None:
        """How near the sections of a shelf are to a cue; None where nothing can be said."""

    def cosines(self, cue: Embedding, sections: Sequence[int]) -> dict[int, float]:
        """How near these sections are to a cue, those that have a vector."""

    def agreement(self, cue: Embedding, sections: Sequence[int]) -> dict[int, float]:
        """How well these sections have each piece of a cue, on average: 0 to 1.

        Sections, or cues, whose model gave no pieces are left out.
        """


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

    client: str

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
    parent: str  # the session that this one was forked from, if it was


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
