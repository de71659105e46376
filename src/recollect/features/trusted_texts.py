"""The texts of a project's store that count as this person's, and the mark of a store that waits.

Touches: files of stamps, outside of the store; `journal/asked-<machine>-<random>` in it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from recollect.errors import RecollectError
from recollect.model.memory import Op
from recollect.store import disk, locations, repositories
from recollect.store.journal import FolderJournal
from recollect.store.journal_lines import OPS_PREFIX
from recollect.store.transactions import OUTSIDE, UNDO

NO_MORE = "-"  # before the stamp of a text that is believed no more
MARK = "asked-"  # begins the name of a file in the journal's folder
FOLDERS = ("journal", "sessions", "../sessions")  # the last one is that of seed 002
INDEX = "index "  # before the path of a work tree's index, among the sizes: its time when they were noted
SHA1 = 40  # digits of the name of a blob in most repositories


class Believed(set[str]):
    """The stamps of the texts that count as this person's, kept in a file outside of the store.

    What another process adds meanwhile counts, too: a worker must not undo an approval.
    """

    def __init__(self, path: str) -> None:
        """With what the file has; without a path nothing is kept."""
        self._path = path
        self._size = 0
        self.former: set[str] = set()  # believed once; only the person's `undo` brings it back
        self.waits = False  # whether the rest of the store waits to be accepted
        self._renew()

    def __contains__(self, stamp: object) -> bool:
        """Whether a text is believed now."""
        return super().__contains__(stamp) or (self._renew() and super().__contains__(stamp))

    def _renew(self) -> bool:
        """Take in what was added to the file; False if it is as it was."""
        with suppress(OSError, RecollectError):
            size = os.stat(self._path).st_size if self._path else 0
            if size != self._size:
                self._size = size
                for one in disk.read_file(self._path).decode("ascii", "replace").split():
                    if one[0] == NO_MORE:
                        self.discard(one[1:])
                        self.former.add(one[1:])
                    else:
                        self.add(one)
                return True
        return False

    def take(self, stamps: Iterable[str]) -> None:
        """Believe these texts too."""
        new = sorted(set(stamps) - self - {""})
        if new and self._path:
            disk.make_folder(os.path.dirname(self._path))
            disk.append_bytes(self._path, "".join(f"{one}\n" for one in new).encode())
        self.update(new)

    def drop(self, stamps: Iterable[str]) -> None:
        """Believe these no more."""
        old = sorted(self.intersection(stamps))
        if old and self._path:
            disk.append_bytes(self._path, "".join(f"{NO_MORE}{one}\n" for one in old).encode())
        self.difference_update(old)
        self.former.update(old)

    def wrote(self, ops: Sequence[Op], settings: Callable[[], Iterable[str]] = lambda: ()) -> None:
        """Believe what was written here, unless something that is not believed went into it.

        What is brought back from the journal stays as it was: the journal may have come along.
        Of settings only the latest text counts: what a command has taken out, only `undo` puts back.
        `settings` gives the stamps of those in the store.
        """
        found: set[str] = set()
        old = [op.before for op in ops if op.path == locations.SETTINGS_FILE and op.before]
        for op in (op for op in ops if op.cause not in (OUTSIDE, UNDO)):
            if op.before is not None and op.before not in self and op.before not in found:
                return
            found.add(op.after or "")
        with suppress(RecollectError):  # then a person approves it
            self.take(found)
            self.drop(one for one in old if one not in found)
            if any(op.cause == UNDO and op.path == locations.SETTINGS_FILE for op in ops):
                self.take(self.former.intersection(settings()))

    def wrote_before(self, root: str, writer: str, came: Mapping[str, int]) -> None:
        """Believe what this machine's own journal says was written, but for the bytes that came along."""
        journal = FolderJournal(root, writer)
        with suppress(RecollectError):
            starts = {name: came.get(name, 0) for name in own_segments(root, writer)}
            for ops in journal.groups(starts):
                self.wrote(ops)


# ------------------------------------------------------------ what tells whose a copied store is


def machine_of(writer: str) -> str:
    """What the names of this machine's journal files begin with; nothing where it has no name."""
    machine = writer.rpartition("-")[0].rpartition("-")[0]  # without year and month
    return machine if machine.startswith(OPS_PREFIX) else ""


def own_segments(root: str, writer: str) -> list[str]:
    """The files of a store's journal that bear the name of this machine."""
    machine = machine_of(writer)
    names = FolderJournal(root, writer).op_files() if machine else ()
    return [name for name in names if name.startswith(f"{machine}-")]


def is_marked(root: str, writer: str) -> bool:
    """Whether this machine wrote in a store that came along, and that nobody had accepted then."""
    return bool(_marks_in(root, writer))


def mark(root: str, writer: str) -> None:
    """Say beside what this machine wrote in a store that the rest of it came along.

    The note on that lies outside and is about one place: a copy of the folder has none, but has
    the journal, which alone looks as if the whole store had been made here. Nobody else knows the
    mark's name: what is pulled cannot take it away.
    """
    with suppress(RecollectError):
        if not is_marked(root, writer) and own_segments(root, writer):
            name = f"{_mark_of(writer)}{os.urandom(4).hex()}"
            disk.write_whole(f"{root}/journal/{name}", b"")


def unmark(root: str, writer: str) -> None:
    """Take the mark away: somebody accepted the store."""
    for name in _marks_in(root, writer):
        with suppress(RecollectError):
            disk.remove(f"{root}/journal/{name}")


def _marks_in(root: str, writer: str) -> list[str]:
    names = disk.names_in(f"{root}/journal")
    return [name for name in names if name.startswith(_mark_of(writer))]


def _mark_of(writer: str) -> str:
    return f"{MARK}{machine_of(writer).removeprefix(OPS_PREFIX)}-"


# ------------------------------------------------- how much of journal and sessions came along


def brought(path: str, blob: str, size: int) -> int:
    """How much of a file came with the repository, where git has so many bytes of it as this blob.

    A repository can have git write more than that: with `$Id$`, in another encoding, or by LFS.
    Then nothing tells what of it was added here.
    """
    with suppress(OSError):
        known = hashlib.new("sha1" if len(blob) == SHA1 else "sha256", b"blob %d\0" % size)
        known.update(locations.read(path, size))
        return size if known.hexdigest() == blob else max(size, os.lstat(path).st_size)
    return size


def note_sizes(path: str, sizes: Mapping[str, int], seen: Mapping[str, int] | None = None) -> None:
    """Note beside the note on a store how much of its files came along; never less than was noted."""
    noted = noted_sizes(path)
    more = {name: size for name, size in sizes.items() if size > noted.get(name, -1)}
    with suppress(RecollectError):
        disk.make_folder(os.path.dirname(path))
        disk.write_whole(
            f"{path}{locations.CAME}", json.dumps(noted | more | dict(seen or {})).encode()
        )


def note_pulled(path: str, top: str, sizes: Callable[[], Mapping[str, int]]) -> None:
    """Note the sizes again, unless git has not written the index of this work tree since."""
    index = repositories.index_of(top)
    seen = repositories.time_of(index) if index else 0  # read before git is asked
    if not seen or noted_sizes(path).get(f"{INDEX}{index}") != seen:
        note_sizes(path, sizes(), {f"{INDEX}{index}": seen})


def noted_sizes(path: str) -> dict[str, int]:
    """What `note_sizes` has noted there."""
    noted: dict[str, int] = {}
    with suppress(RecollectError, ValueError):
        noted = json.loads(disk.read_file(f"{path}{locations.CAME}")) if path else {}
    return noted


def sizes_in(folder: str) -> dict[str, int]:
    """The files in and below a folder, by their path in it, each with its size."""
    sizes = {}
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                one = f"{place}/{name}"
                sizes[one[len(folder) + 1 :]] = os.lstat(one).st_size
    return sizes
