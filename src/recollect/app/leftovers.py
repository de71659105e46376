"""App: what is left of processes of ours, and keeping house.

Promises: nothing that somebody may still be writing is taken for a leftover; of the history only
what the settings say is forgotten, and no file of memories is touched.
Touches: /proc (reading); half-written files in a store and its cache, compiled files of our own
package that are broken, old changes in the journal.
"""

from __future__ import annotations

import marshal
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import MAGIC_NUMBER

import recollect
from recollect import fsio
from recollect.app.wiring import App
from recollect.collecting import without_collecting
from recollect.errors import RecollectError
from recollect.services.keeping import forget_old_changes
from recollect.services.opened import OpenStore

OLD_SECONDS = 3600
HEADER_BYTES = 16  # of a compiled file, before its code


def keep_house(app: App, store: OpenStore) -> int:
    """Take away what nobody needs any more; gives the bytes that became free in the journal.

    What cannot be done now, the next pass does.
    """
    for path in half_written(app, store):
        with suppress(RecollectError):
            fsio.remove(path)
    with suppress(RecollectError):
        return forget_old_changes(store, store.settings.keep_changes)
    return 0


def half_written(app: App, store: OpenStore) -> list[str]:
    """The half-written files that nobody can be writing any more."""
    before = app.started_ns / 1e9 - OLD_SECONDS
    roots = (store.files.root, app.cache_of(store.files.root))
    return [
        path
        for root in roots
        for path, info in regular_files(root, _is_temp)
        if info.st_mtime < before
    ]


def regular_files(
    root: str, is_wanted: Callable[[str], bool] = bool
) -> Iterator[tuple[str, os.stat_result]]:
    """Every file below a folder that is neither a link nor a device, and of a wanted name."""
    for base, folders, files in os.walk(root):
        folders.sort()
        for name in sorted(filter(is_wanted, files)):
            path = os.path.join(base, name)
            with suppress(OSError):
                info = os.lstat(path)
                if stat.S_ISREG(info.st_mode):
                    yield path, info


def _is_temp(name: str) -> bool:
    return name.startswith(".") and name.endswith(fsio.TEMP_SUFFIX)


def processes(store: OpenStore) -> list[str]:
    """Our processes that work on a store now: its worker, and servers in its project."""
    folder = os.path.dirname(os.path.dirname(store.files.root))
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else ()):
        with suppress(OSError):
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = os.fsdecode(file.read()).rstrip("\0").split("\0")
            if int(pid) == os.getpid() or not any("recollect" in word for word in words):
                continue
            if words[-2:] == ["work", store.files.root]:
                found.append(f"worker {pid}")
            elif words[-1] == "mcp" and _is_in(os.readlink(f"/proc/{pid}/cwd"), folder):
                found.append(f"server {pid}")
    return sorted(found)


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def broken_bytecode() -> Iterator[str]:
    """The compiled files of our own package that this Python would load and cannot.

    A disk that was full leaves the first half of one; whatever imports it then fails, and a hook
    that does is silent.
    """
    with without_collecting():  # thousands of small values, and no cycle among them
        for path in sorted(_compiled() - _loaded()):
            try:
                data = fsio.read_file(path)
            except RecollectError:
                continue
            if data[:4] == MAGIC_NUMBER and len(data) >= HEADER_BYTES and not _is_code(data):
                yield path


def _compiled() -> set[str]:
    """The compiled files of our package that this Python looks at."""
    ending = f".{sys.implementation.cache_tag}.pyc"
    return {
        os.path.join(base, name)
        for base, _, names in os.walk(os.path.dirname(recollect.__file__))
        for name in names
        if name.endswith(ending)
    }


def _loaded() -> set[str]:
    """The compiled files of the modules that run here: they can be loaded."""
    return {
        module.__cached__
        for name, module in list(sys.modules.items())
        if name.startswith("recollect.") and getattr(module, "__cached__", None)
    }


def _is_code(data: bytes) -> bool:
    try:
        return hasattr(marshal.loads(data[HEADER_BYTES:]), "co_code")  # noqa: S302 - our own files
    except (EOFError, ValueError, TypeError):
        return False
