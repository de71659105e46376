"""Journal: what hooks left, and folding it: the files of sessions of long ago become one a month.

Promises: who reads while files are folded sees every line that stays, once; what a hook appends
meanwhile stays, and the worker will hear it; a fold that was killed anywhere is ended by the next.
Touches: `journal/<client>-<session>.jsonl`, `journal/*.aside`, `journal/folded-*.jsonl`.

A line moves one way only: with its file, which is set aside under a name that says how much of it
the worker has heard, then to the file of the month. Readers look in this order, each time with a
new list of what is there, and know a line that they meet twice by its id. A hook looks after its
write whether its file still has its name (`hooks.places.append`): what was written by then is read
when the file is set aside, all else is written again. Of the signals that were heard the newest
stays; the lines that say when an agent was asked go.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from recollect import fsio
from recollect.adapters.journal.lines import checked, split
from recollect.adapters.journal.listing import OPS_PREFIX
from recollect.errors import FileNotThere
from recollect.hooks import places
from recollect.named import NamedTuple
from recollect.ports import SessionFile

FOLDED_PREFIX = "folded-"
ASIDE_SUFFIX = ".aside"
LARGEST_FILE = 512 * 1024 * 1024
AT_ONCE = 200  # files: as many are in memory together


class Aside(NamedTuple):
    """A file that is set aside: which session's it was, and how much of it was heard."""

    name: str
    session: str  # the name that hooks know it by
    heard: int


def found(folder: str) -> dict[str, SessionFile]:
    """The files that hooks append to, by name."""
    return {
        name: SessionFile(info.st_size, info.st_mtime_ns)
        for name, info in _listed(folder)
        if _is_session(name)
    }


def is_folded(name: str) -> bool:
    """Whether a file of this name has what was folded."""
    return name.endswith(".jsonl") and name.startswith(FOLDED_PREFIX)


def lines(folder: str) -> Iterator[dict[str, Any]]:
    """Every line that hooks left, once, session by session."""
    seen: set[object] = set()
    for is_wanted in (_is_session, _aside, is_folded):
        for name in sorted(name for name, _ in _listed(folder) if is_wanted(name)):
            for key, line in _lines_at(f"{folder}/{name}").items():
                if key not in seen:
                    seen.add(key)
                    yield line


def fold(folder: str, heard: Mapping[str, int], into: str) -> int:
    """Fold these files, of which so many bytes were heard, into the file `into`; gives how many.

    What an earlier fold left is folded first. The caller keeps everybody else who folds away.
    """
    done = _take_in(folder, into)
    sizes = found(folder)
    names = [name for name in heard if name in sizes and sizes[name].size <= LARGEST_FILE]
    for start in range(0, len(names), AT_ONCE):
        for name in names[start : start + AT_ONCE]:
            aside = f"{name}.{heard[name]}{ASIDE_SUFFIX}"
            fsio.replace_name(f"{folder}/{name}", f"{folder}/{aside}")
        done += _take_in(folder, into)
    return done


def _take_in(folder: str, into: str) -> int:
    """Fold what is set aside; gives how many files that was."""
    asides = [aside for name, _ in sorted(_listed(folder)) if (aside := _aside(name))]
    known = _lines_at(f"{folder}/{into}").keys() if asides else ()
    kept: dict[object, bytes] = {}
    for aside in asides:
        data = fsio.read_file(f"{folder}/{aside.name}", LARGEST_FILE)
        _put_back(folder, aside, data)
        kept |= {key: raw for key, raw in _staying(data) if key not in known}
    if kept:
        fsio.append_durably(f"{folder}/{into}", b"".join(kept.values()))
    for aside in asides:
        fsio.remove(f"{folder}/{aside.name}")
    return len(asides)


def _put_back(folder: str, aside: Aside, data: bytes) -> None:
    """Give the session's file again what came after the worker last listened."""
    path = f"{folder}/{aside.session}"
    fresh = list(_lines_in(data[aside.heard :]))
    there = _lines_at(path) if fresh else {}
    again = b"".join(raw for raw, line in fresh if _key(raw, line) not in there)
    try:
        if again:
            places.append(os.path.dirname(folder), path, again)
    except OSError as error:
        raise fsio.failed(error, path) from error


def _staying(data: bytes) -> Iterator[tuple[object, bytes]]:
    """What is kept of a session's lines, in order: all but what was only to be heard."""
    rows = list(_lines_in(data))
    signals = [line for _, line in rows if line.get("op") == "signal"]
    last = max(signals, key=lambda line: str(line.get("time", "")), default=None)
    for raw, line in rows:
        if line is last or line.get("op") not in ("signal", "ask"):
            yield _key(raw, line), raw


# ------------------------------------------------------------------------------- names and lines


def _is_session(name: str) -> bool:
    return name.endswith(".jsonl") and not name.startswith((OPS_PREFIX, FOLDED_PREFIX))


def _aside(name: str) -> Aside | None:
    session, _, heard = name.removesuffix(ASIDE_SUFFIX).rpartition(".")
    if name.endswith(ASIDE_SUFFIX) and _is_session(session) and heard.isdecimal():
        return Aside(name, session, int(heard))
    return None


def _listed(folder: str) -> list[tuple[str, os.stat_result]]:
    """The regular files of the journal's folder."""
    if os.path.islink(folder):
        return []
    try:
        with os.scandir(folder) as every:
            return [
                (one.name, one.stat(follow_symlinks=False))
                for one in every
                if one.is_file(follow_symlinks=False)
            ]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise fsio.failed(error, folder) from error


def _lines_at(path: str) -> dict[object, dict[str, Any]]:
    """The good lines of a file by their keys; none where it went on its way meanwhile."""
    try:
        data = fsio.read_file(path, LARGEST_FILE)
    except FileNotThere:
        return {}
    return {_key(raw, line): line for raw, line in _lines_in(data)}


def _lines_in(data: bytes) -> Iterator[tuple[bytes, dict[str, Any]]]:
    for raw, _ in split([data]):
        line = checked(raw)
        if line is not None:
            yield raw + b"\n", line


def _key(raw: bytes, line: Mapping[str, Any]) -> object:
    """By what a line is known that stands in two files."""
    return str(line["op_id"]) if "op_id" in line else raw
