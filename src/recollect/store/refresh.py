"""Bring the index in line with the files, whoever changed them.

Touches: the files and the index it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from recollect._fastimport import NamedTuple
from recollect.errors import FileNotThere, RecollectError
from recollect.model.memory import Problem, Seen, has_same_stat, of_repository
from recollect.ports import IndexedFile, IndexRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.search.index import SqliteIndex
    from recollect.store.files import MarkdownStore

Progress = Callable[[int], None]


class Refreshed(NamedTuple):
    """What a refresh found."""

    written: int
    removed: int
    problems: list[Problem]
    claimed: bool = False  # whether a file that was read names a project it belongs to


CLAIM = "\nproject: /"  # how a version before this one kept memories of several projects apart
LONGEST_FRONT = 4096


class UnreadFiles(list[Problem]):
    """The files that could not be read, and whether one of the others names a project."""

    claimed = False


def refresh(
    store: MarkdownStore, index: SqliteIndex, now_ns: int, progress: Progress | None = None
) -> Refreshed:
    """Take what changed in the files into the index."""
    known = index.known()
    if not known:
        return _filled(store, index, now_ns, progress)
    unread = UnreadFiles([])
    changed: list[tuple[Seen, str]] = []
    told_otherwise = _turned(store, known)
    for seen in store.scan():
        old = known.pop(seen.path, None)
        if old is None or not has_same_stat(old, seen) or seen.path in told_otherwise:
            is_same = old is not None and seen.path not in told_otherwise
            changed.append((seen, old.stamp if old and is_same else ""))
    if not changed and not known:
        return Refreshed(0, 0, list(store.problems()))
    gone: list[str] = []
    rows = _rows(store, changed, unread, progress)
    written = index.apply(rows, chain(told_otherwise, _gone(store, known, gone)), now_ns)
    return Refreshed(written, len(gone), [*store.problems(), *unread], unread.claimed)


def _filled(
    store: MarkdownStore, index: SqliteIndex, now_ns: int, progress: Progress | None
) -> Refreshed:
    """Take every file into an index that has none.

    They are listed when the index is ours alone: what somebody saves and files before that goes
    with what was in it, and must be on the list.
    """
    if not any(store.scan()):
        return Refreshed(0, 0, list(store.problems()))
    unread = UnreadFiles([])
    written = index.apply(_rows(store, _listed(store), unread, progress), [], now_ns)
    return Refreshed(written, 0, [*store.problems(), *unread], unread.claimed)


def _listed(store: MarkdownStore) -> Iterator[tuple[Seen, str]]:
    """Every file, listed when the first is asked for."""
    for seen in store.scan():
        yield seen, ""


def refresh_files(
    store: MarkdownStore, index: SqliteIndex, now_ns: int, paths: Iterable[str]
) -> None:
    """Take into the index what these files say now: those that we have just written."""
    looks = {path: store.look(path) for path in paths}
    unread = UnreadFiles([])
    rows = _rows(store, [(seen, "") for seen in looks.values() if seen], unread, None)
    missed = [path for path, seen in looks.items() if seen is None]
    index.apply(rows, _gone(store, missed, []), now_ns)


def _turned(store: MarkdownStore, known: Mapping[str, IndexedFile]) -> set[str]:
    """The files that are filed as the repository's words and should not be, or the other way round."""
    return {path for path, old in known.items() if old.is_doubted == store.is_own(old.stamp)}


def _gone(store: MarkdownStore, missed: Iterable[str], gone: list[str]) -> Iterator[str]:
    """Those of the files that we missed that are not there when the index is ours alone.

    Somebody may have brought one back, and filed it. `gone` gets to know which they are.
    """
    for path in missed:
        if store.look(path) is None:
            gone.append(path)
            yield path


def _rows(
    store: MarkdownStore,
    changed: Iterable[tuple[Seen, str]],
    unread: UnreadFiles,
    progress: Progress | None,
) -> Iterator[IndexRow]:
    from recollect.model.document import memory_from_text  # most refreshes find nothing to read

    for n, (seen, old_stamp) in enumerate(changed, 1):
        try:
            document = store.read(seen.path)
        except FileNotThere:
            continue  # gone since it was listed; the next refresh will miss it
        except RecollectError as error:
            unread.append(Problem(seen.path, str(error)))
            continue
        same = document.stamp == old_stamp
        unread.claimed |= CLAIM in document.text[:LONGEST_FRONT]
        memory = None if same else memory_from_text(document.text, seen.path)
        is_doubted = not store.is_own(document.stamp)
        if memory and is_doubted:
            memory = of_repository(memory)
        yield IndexRow(seen, document.stamp, memory, is_doubted)
        if progress and n % 100 == 0:
            progress(n)
