"""App: the file that has all modules of the hooks, made anew where it is not as it has to be.

Promises: it is whole or not there; it says what the sources say; nothing is made where Python keeps
no compiled files, or where the sources are somebody else's.
Touches: one file among the compiled ones of `recollect.hooks`; the sources (reading).
"""

from __future__ import annotations

import marshal
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import recollect
from recollect import fsio
from recollect.adapters.sqlite.engine import sqlite
from recollect.errors import RecollectError
from recollect.hooks.together import PACKAGE, look_of

if TYPE_CHECKING:
    from recollect.hooks.together import Look, Row

FIRST = (
    "recollect", "recollect.hooks", "recollect.hooks.paths", "recollect.hooks.places",
    "recollect.hooks.payload", "recollect.hooks.program",
)  # fmt: skip
# By the module that asks for them, each behind those that it imports.
GROUPS = {
    "recollect.hooks.recall": (
        "recollect.domain", "recollect.domain.text", "recollect.domain.evidence",
        "recollect.domain.rank", "recollect.domain.pack", "recollect.hooks.recall",
    ),
    "recollect.hooks.search": (
        "recollect.adapters", "recollect.adapters.sqlite", "recollect.adapters.sqlite.engine",
        "recollect.adapters.sqlite.stemming", "recollect.adapters.sqlite.lookup",
        "recollect.hooks.search",
    ),
    "recollect.hooks.dialects": ("recollect.hooks.dialects",),
    "recollect.hooks.asking": ("recollect.hooks.asking",),
    "recollect.hooks.allowing": ("recollect.hooks.allowing",),
    "recollect.domain.dates": ("recollect.domain.dates",),
}  # fmt: skip
LOADER = "recollect.hooks.together"
LOOKS = "looks"  # how all sources looked, for who makes the file
READABLE = 0o644

Looks = dict[str, "Look"]


def file_of(package: str) -> str:
    """Where the file of this interpreter is, for the package in a folder."""
    name = f"hook-{sys.implementation.cache_tag}-{sys.hexversion:x}.pyc"
    return f"{package}/hooks/__pycache__/{name}"


def keep(package: str = os.path.dirname(os.path.abspath(recollect.__file__))) -> bool:
    """Make the file if it is not there, or not as it has to be; gives whether it was made."""
    path = file_of(package)
    try:
        owner = os.stat(f"{package}/hook.py")
        looks = _looks(package)
        if not _is_for_us(path, owner) or _is_as_it_has_to_be(path, looks, owner):
            return False
        data = _made(package, looks)
        if _looks(package) != looks:
            return False  # somebody is at work on them
        fsio.write_whole(path, data, mode=owner.st_mode & READABLE)
    except (RecollectError, OSError, ValueError, SyntaxError):
        return False  # hooks do without it
    return True


def _is_for_us(path: str, owner: os.stat_result) -> bool:
    """Whether compiled files are kept here, and what we make belongs to whom the sources do."""
    folder = os.path.dirname(path)
    return (
        not sys.dont_write_bytecode
        and owner.st_uid == os.geteuid()
        and os.path.isdir(folder)
        and os.access(folder, os.W_OK)
    )


def _is_as_it_has_to_be(path: str, looks: Looks, owner: os.stat_result) -> bool:
    with suppress(OSError, RecollectError, EOFError, ValueError, TypeError, KeyError):
        info = os.lstat(path)
        if info.st_uid == owner.st_uid and info.st_mode & 0o777 == owner.st_mode & READABLE:
            data = fsio.read_file(path)
            size, _, _, spans, library = marshal.loads(data)  # noqa: S302 - our own file
            start, length = spans[LOOKS]
            known = marshal.loads(data[start : start + length])  # noqa: S302
            return (size, known, library) == (len(data), looks, _sqlite())
    return False


def _sqlite() -> str:
    """Where SQLite's module is, if it is a file."""
    return str(getattr(sqlite, "__file__", None) or "")


def _place_of(name: str, package: str) -> str:
    """The source of a module, from the folder of the package's folder on."""
    path = "/" + name.replace(".", "/")
    is_package = os.path.isdir(os.path.dirname(package) + path)
    return f"{path}{PACKAGE}" if is_package else f"{path}.py"


def _looks(package: str) -> Looks:
    names = [LOADER, *FIRST, *(name for group in GROUPS.values() for name in group)]
    top = os.path.dirname(package)
    return {name: look_of(top + _place_of(name, package)) for name in names}


def _made(package: str, looks: Looks) -> bytes:
    """What the file has to say: its own size, the loader, the first group, where the others are."""

    def rows(names: tuple[str, ...]) -> list[Row]:
        return [_row(name, package, looks[name]) for name in names]

    first = _row(LOADER, package, looks[LOADER])[-1], rows(FIRST)
    rest = {asking: marshal.dumps(rows(names)) for asking, names in GROUPS.items()}
    rest[LOOKS] = marshal.dumps(looks)
    size = sum(map(len, rest.values()))

    def head(start: int) -> bytes:
        spans, at = {}, start
        for name, data in rest.items():
            spans[name] = at, len(data)
            at += len(data)
        return marshal.dumps((start + size, *first, spans, _sqlite()))

    # All numbers of it have the same length, whatever they are.
    return head(len(head(0))) + b"".join(rest.values())


def _row(name: str, package: str, look: Look) -> Row:
    place = _place_of(name, package)
    path = os.path.dirname(package) + place
    code = compile(fsio.read_file(path), path, "exec", dont_inherit=True, optimize=0)
    return name, place, look, code
