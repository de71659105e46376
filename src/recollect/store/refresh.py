"""Bring the index in line with the files, whoever changed them.

A search looks at the folders of a large store, any other command at every file (docs/adr/0063).
Touches: the files and the index it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from recollect.errors import FileNotThere, RecollectError
from recollect.model.memory import FileStat, Problem, has_same_stat, of_repository
from recollect.ports import IndexedFile, IndexRow, LastLook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.search.index import SqliteIndex
    from recollect.store.files import MarkdownStore

Progress = Callable[[int], None]


# A text that is overwritten in its place leaves its folder as it is. In a store of more files than
# `FEW_FILES` a search may miss such a change for `LOOK_SECONDS`.
FEW_FILES = 500
LOOK_SECONDS = 30


def refresh(
    store: MarkdownStore, index: SqliteIndex, now_ns: int, progress: Progress | None = None
) -> list[Problem]:
    """Take what changed in the files into the index; every file is looked at.

    Returns the problems of files.
    """
    known = index.known()
    if known:
        found = _compared(store, index, store.scan(), known, now_ns, progress=progress)
    else:
        found = _filled(store, index, now_ns, progress)
    _note_look(store, index, now_ns)
    return found


def _note_look(store: MarkdownStore, index: SqliteIndex, now_ns: int) -> None:
    """Note the last scan for the searches to come, unless one that says the same is noted."""
    scan, last = store.last_scan, index.last_look()
    folders = scan.folders if len(scan.found) > FEW_FILES else []
    is_noted = len(last.folders) == len(folders) and (not folders or _is_recent(last, now_ns))
    if not (is_noted and all(_is_same(last.folders.get(one.path), one) for one in folders)):
        index.note_look(folders, scan.sessions, now_ns)


def refresh_folders(
    store: MarkdownStore, index: SqliteIndex, now_ns: int, progress: Progress | None = None
) -> list[Problem]:
    """Take in what is new, gone or replaced; other changes only if every file is due to be looked at.

    Of the folders that look as they did when their files were looked at, no file is. The own
    folders of sessions, of which there may be thousands, are looked at if another folder changed.
    """
    last = index.last_look(sessions=False)
    if not (last.folders and _is_recent(last, now_ns)):
        return refresh(store, index, now_ns, progress)
    if not _changed(store, last):
        return []
    last = index.last_look()
    changed = _changed(store, last)
    scan = store.scan_folders(changed, last.folders)
    found = _compared(store, index, scan.found, index.known_in(changed), now_ns, progress=progress)
    gone = {*changed}.difference(one.path for one in scan.folders)
    index.note_look(scan.folders, scan.sessions, now_ns, gone)
    return found


def _changed(store: MarkdownStore, last: LastLook) -> list[str]:
    """The folders that do not look as they did."""
    look = store.look_at_folder
    return [path for path, old in last.folders.items() if not _is_same(old, look(path))]


def _is_recent(last: LastLook, now_ns: int) -> bool:
    """Whether it is not time yet for another look; not so where the clock was put back."""
    return 0 <= now_ns - last.taken_ns < LOOK_SECONDS * 1_000_000_000


def _is_same(old: IndexedFile | None, seen: FileStat | None) -> bool:
    return old is not None and seen is not None and has_same_stat(old, seen)


def _compared(
    store: MarkdownStore,
    index: SqliteIndex,
    files: Iterable[FileStat],
    known: dict[str, IndexedFile],
    now_ns: int,
    *,
    progress: Progress | None,
) -> list[Problem]:
    """Take in what of these files is not as the index knows it, and what of those it knows is gone."""
    found: list[Problem] = []
    changed: list[tuple[FileStat, str]] = []
    told_otherwise = _turned(store, known)
    for seen in files:
        old = known.pop(seen.path, None)
        if old is None or not has_same_stat(old, seen) or seen.path in told_otherwise:
            is_same = old is not None and seen.path not in told_otherwise
            changed.append((seen, old.stamp if old and is_same else ""))
    if changed or known:
        rows = _rows(store, changed, found, progress)
        index.apply(rows, chain(told_otherwise, _gone(store, known)), now_ns)
    found[:0] = store.last_scan.passed
    return found


def _filled(
    store: MarkdownStore, index: SqliteIndex, now_ns: int, progress: Progress | None
) -> list[Problem]:
    """Take every file into an index that has none.

    They are listed when the index is ours alone: what somebody saves and files before that goes
    with what was in it, and must be on the list.
    """
    found: list[Problem] = []
    if any(store.scan()):
        index.apply(_rows(store, _listed(store), found, progress), [], now_ns)
    found[:0] = store.last_scan.passed
    return found


def _listed(store: MarkdownStore) -> Iterator[tuple[FileStat, str]]:
    """Every file, listed when the first is asked for."""
    for seen in store.scan():
        yield seen, ""


def outdated(store: MarkdownStore, index: SqliteIndex, paths: Iterable[str]) -> set[str]:
    """Those of these files that do not say now, or on the word of others, what the index has of them."""
    known = index.known(sorted(paths))
    return {path for path, old in known.items() if not _says_the_same(store, old, path)}


def _says_the_same(store: MarkdownStore, old: IndexedFile, path: str) -> bool:
    seen = store.look(path)
    if seen is None or _turned(store, {path: old}):
        return False
    if has_same_stat(old, seen):
        return True
    try:
        return store.read(path).stamp == old.stamp
    except RecollectError:
        return False


def refresh_files(
    store: MarkdownStore, index: SqliteIndex, now_ns: int, paths: Iterable[str]
) -> None:
    """Take into the index what these files say now: those that we have just written."""
    looks = {path: store.look(path) for path in paths}
    found: list[Problem] = []
    rows = _rows(store, [(seen, "") for seen in looks.values() if seen], found, None)
    missed = [path for path, seen in looks.items() if seen is None]
    index.apply(rows, _gone(store, missed), now_ns)
    index.note_own(store.touched.values())


def _turned(store: MarkdownStore, known: Mapping[str, IndexedFile]) -> set[str]:
    """The files whose entries are wrongly filed as the repository's words, or wrongly not."""
    return {path for path, old in known.items() if old.is_doubted == store.is_own(old.stamp)}


def _gone(store: MarkdownStore, missed: Iterable[str]) -> Iterator[str]:
    """Those of the files that we missed that are not there when the index is ours alone.

    Somebody may have brought one back, and filed it.
    """
    return (path for path in missed if store.look(path) is None)


def _rows(
    store: MarkdownStore,
    changed: Iterable[tuple[FileStat, str]],
    found: list[Problem],
    progress: Progress | None,
) -> Iterator[IndexRow]:
    from recollect.model.document import memory_from_text  # most refreshes find nothing to read

    for n, (seen, old_stamp) in enumerate(changed, 1):
        try:
            document = store.read(seen.path)
        except FileNotThere:
            continue  # gone since it was listed; the next refresh will miss it
        except RecollectError as error:
            found.append(Problem(seen.path, str(error)))
            continue
        same = document.stamp == old_stamp
        memory = None if same else memory_from_text(document.text, seen.path)
        is_doubted = not store.is_own(document.stamp)
        if memory and is_doubted:
            memory = of_repository(memory)
        yield IndexRow(seen, document.stamp, memory, is_doubted)
        if progress and n % 100 == 0:
            progress(n)
