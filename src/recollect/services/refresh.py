"""Refresh: the index brought in line with the files, whoever changed them.

Promises: an edit made outside is seen by the next command, also within the same tick of the clock
and with the old time stamp put back; a file that cannot be read is a problem and stops nothing; a
damaged index is replaced and filled again.
Touches: the ports it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from recollect.domain.looks import looks_same
from recollect.domain.model import Problem, Seen
from recollect.errors import FileNotThere, RecollectError
from recollect.named import NamedTuple
from recollect.ports import Index, Row, Store

Progress = Callable[[int], None]


class Refreshed(NamedTuple):
    """What a refresh found."""

    written: int
    removed: int
    problems: list[Problem]


def refresh(store: Store, index: Index, now_ns: int, progress: Progress | None = None) -> Refreshed:
    """Take what changed in the files into the index."""
    known = index.known()
    if not known:
        return _filled(store, index, now_ns, progress)
    unread: list[Problem] = []
    changed: list[tuple[Seen, str]] = []
    for seen in store.scan():
        old = known.pop(seen.path, None)
        if old is None or not looks_same(old, seen):
            changed.append((seen, old.stamp if old else ""))
    if not changed and not known:
        return Refreshed(0, 0, list(store.problems()))
    gone: list[str] = []
    rows = _rows(store, changed, unread, progress)
    written = index.apply(rows, _gone(store, known, gone), now_ns)
    return Refreshed(written, len(gone), [*store.problems(), *unread])


def _filled(store: Store, index: Index, now_ns: int, progress: Progress | None) -> Refreshed:
    """Take every file into an index that has none.

    They are listed when the index is ours alone: what somebody saves and files before that goes
    with what was in it, and must be on the list.
    """
    if not any(store.scan()):
        return Refreshed(0, 0, list(store.problems()))
    unread: list[Problem] = []
    written = index.apply(_rows(store, _listed(store), unread, progress), [], now_ns)
    return Refreshed(written, 0, [*store.problems(), *unread])


def _listed(store: Store) -> Iterator[tuple[Seen, str]]:
    """Every file, listed when the first is asked for."""
    for seen in store.scan():
        yield seen, ""


def refresh_files(store: Store, index: Index, now_ns: int, paths: Iterable[str]) -> None:
    """Take into the index what these files say now: those that we have just written."""
    looks = {path: store.look(path) for path in paths}
    unread: list[Problem] = []
    rows = _rows(store, [(seen, "") for seen in looks.values() if seen], unread, None)
    missed = [path for path, seen in looks.items() if seen is None]
    index.apply(rows, _gone(store, missed, []), now_ns)


def _gone(store: Store, missed: Iterable[str], gone: list[str]) -> Iterator[str]:
    """Those of the files that we missed that are not there when the index is ours alone.

    Somebody may have brought one back, and filed it. `gone` gets to know which they are.
    """
    for path in missed:
        if store.look(path) is None:
            gone.append(path)
            yield path


def _rows(
    store: Store,
    changed: Iterable[tuple[Seen, str]],
    unread: list[Problem],
    progress: Progress | None,
) -> Iterator[Row]:
    from recollect.domain.codec import memory_from_text  # most refreshes find nothing to read

    for n, (seen, old_stamp) in enumerate(changed, 1):
        try:
            document = store.read(seen.path)
        except FileNotThere:
            continue  # gone since it was listed; the next refresh will miss it
        except RecollectError as error:
            unread.append(Problem(seen.path, str(error)))
            continue
        same = document.stamp == old_stamp
        memory = None if same else memory_from_text(document.text, seen.path)
        yield Row(seen, document.stamp, memory)
        if progress and n % 100 == 0:
            progress(n)
