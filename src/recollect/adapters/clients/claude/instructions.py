"""Claude Code: the block of pointers in its CLAUDE.md.

Promises: nothing outside our marks changes; a file whose marks are broken, that is read-only or no
text is not touched; a link is followed, for many people keep one file under two names.
Touches: `CLAUDE.md` of a project or of the person.
"""

from __future__ import annotations

import os
import stat

from recollect import fsio
from recollect.domain import pointers
from recollect.errors import ChangedMeanwhile, StorageFailed, Unreadable

NAME = "CLAUDE.md"
LARGEST = 4 * 1024 * 1024


def path_for(store_root: str, scope: str) -> str:
    """The instructions that are loaded wherever the memories of a store are."""
    beside = os.path.join(os.path.dirname(store_root), NAME)
    if scope == "global":
        return beside
    above = os.path.join(os.path.dirname(os.path.dirname(store_root)), NAME)
    return beside if os.path.exists(beside) and not os.path.exists(above) else above


def text_of(path: str) -> str:
    """The text of the instructions, nothing where there are none. Raises Unreadable."""
    place = os.path.realpath(path)
    if not os.path.lexists(place):
        return ""
    try:
        # Bytes that stand for no character, and line ends, have to come back as they are.
        return fsio.read_file(place, LARGEST).decode("utf-8")
    except UnicodeDecodeError:
        raise Unreadable(path=path, reason="it is not UTF-8 text") from None


def put_block(path: str, block: str, *, dry_run: bool = False) -> bool:
    """Put the block between our marks, or take it out; whether that changes anything.

    Raises:
        Unreadable: the marks are not one pair, so that nobody knows what is ours.
        ChangedMeanwhile: somebody wrote the file at the same time.
    """
    old = text_of(path)
    if not pointers.is_sound(old):
        raise Unreadable(path=path, reason="its RECOLLECT_POINTERS marks are not one pair")
    new = pointers.with_block(old, block)
    if new == old or dry_run:
        return new != old
    place = os.path.realpath(path)
    mode = _mode_of(place)
    if text_of(path) != old:
        raise ChangedMeanwhile(path=path)
    if new:
        fsio.write_whole(place, new.encode("utf-8", "replace"), mode=mode)
    else:
        fsio.remove(place)
    fsio.sync_folder(os.path.dirname(place))
    return True


def _mode_of(place: str) -> int:
    try:
        mode = stat.S_IMODE(os.stat(place).st_mode)
    except FileNotFoundError:
        return 0o644  # instructions of a project are meant for everybody who works on it
    if not mode & stat.S_IWUSR:
        raise StorageFailed(path=place, reason="it is read-only")
    return mode
