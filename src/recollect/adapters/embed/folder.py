"""Embed: the embedders of a person, each a folder with an `embedder.json`.

Promises: a folder without that file is none, so that what was interrupted is never used; which one
is in use stands in one small file; nothing of it lies in a store.
Touches: the folder `embedders` among the person's data.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from recollect import fsio
from recollect.errors import (
    EmbedderBroken,
    EmbedderNotFound,
    FileNotThere,
    Locked,
    RecollectError,
)
from recollect.named import NamedTuple

ABOUT = "embedder.json"
IN_USE = "in-use"
UNFINISHED = ".new"
LOCK_SECONDS = 600.0


class Known(NamedTuple):
    """An embedder that is there."""

    name: str
    kind: str
    about: Mapping[str, Any]
    folder: str
    bytes: int


class Embedders:
    """Those of one person."""

    def __init__(self, folder: str) -> None:
        """`folder` need not be there."""
        self.folder = folder

    def every(self) -> list[Known]:
        """All that are there, by name; one whose description cannot be read is not."""
        try:
            names = sorted(os.listdir(self.folder))
        except OSError:
            return []
        found = []
        for name in names:
            with suppress(RecollectError):
                if not name.startswith("."):
                    found.append(self.known(name))
        return found

    def known(self, name: str) -> Known:
        """The embedder of this name.

        Raises:
            EmbedderNotFound: there is none.
            EmbedderBroken: its description cannot be read.
        """
        path = f"{self.folder}/{name}/{ABOUT}"
        if "/" in name or name.startswith("."):
            raise EmbedderNotFound(name=name)
        try:
            about = json.loads(fsio.read_file(path))
            kind = str(about["kind"])
        except FileNotThere:
            raise EmbedderNotFound(name=name) from None
        except (ValueError, TypeError, KeyError) as error:
            raise EmbedderBroken(
                path=path, reason=f"it is not JSON as we write it ({error})"
            ) from None
        folder = os.path.dirname(path)
        with os.scandir(folder) as files:
            size = sum(one.stat().st_size for one in files)
        return Known(name, kind, about, folder, size)

    def in_use(self) -> str:
        """The name of the embedder that is in use, or nothing."""
        try:
            return fsio.read_file(f"{self.folder}/{IN_USE}", 256).decode("utf-8", "replace").strip()
        except RecollectError:
            return ""

    def use(self, name: str) -> None:
        """Use this one from now on; none, if nothing is named."""
        fsio.make_folder(self.folder)
        fsio.write_whole(f"{self.folder}/{IN_USE}", f"{name}\n".encode())

    def put(self, name: str, about: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
        """Put an embedder in place of one of this name: all of it or nothing. Call it when alone."""
        new = f"{self.folder}/{UNFINISHED}/{name}"
        fsio.make_folder(new)
        for file, data in files.items():
            fsio.write_whole(f"{new}/{file}", data)
        text = json.dumps(dict(about), indent=2, sort_keys=True, ensure_ascii=False)
        fsio.write_whole(f"{new}/{ABOUT}", f"{text}\n".encode())
        fsio.sync_folder(new)
        self.remove(name)
        fsio.move(new, f"{self.folder}/{name}")

    def remove(self, name: str) -> None:
        """Take an embedder away; no harm if there is none. What says that it is one goes first."""
        fsio.remove(f"{self.folder}/{name}/{ABOUT}")
        _empty(f"{self.folder}/{name}")

    @contextmanager
    def alone(self) -> Iterator[str]:
        """A folder for unfinished work, while nobody else changes anything; gone afterwards.

        Raises:
            Locked: somebody else is at it for too long.
        """
        fsio.make_folder(self.folder)
        handle = fsio.take_lock(f"{self.folder}/.lock", wait_seconds=LOCK_SECONDS)
        if handle is None:
            raise Locked(path=self.folder, seconds=LOCK_SECONDS, who="another process")
        folder = f"{self.folder}/{UNFINISHED}"
        try:
            _empty(folder)  # of one who was killed
            fsio.make_folder(folder)
            yield folder
        finally:
            _empty(folder)
            os.close(handle)


def _empty(folder: str) -> None:
    """Take a folder away with what is in it; links are taken away, never followed."""
    with suppress(OSError), os.scandir(folder) as found:
        for one in list(found):
            if one.is_dir(follow_symlinks=False):
                _empty(one.path)
            else:
                fsio.remove(one.path)
    fsio.remove_empty_folder(folder)
