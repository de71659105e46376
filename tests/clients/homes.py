"""What a person's clients have in their files, and what we put there."""

from __future__ import annotations

from pathlib import Path

from recollect.clients.base import ConfigPart, HookProgram
from recollect.clients.registry import KNOWN

PROGRAM = HookProgram("/usr/bin/python3", "/opt/a b/recollect/hook.py")
PROJECT = "/work/teapot"


def part_of(client: str, name: str = "", home: str = "/home/ada") -> ConfigPart:
    """A file of a client that something of ours goes into."""
    known = KNOWN[client]
    parts = known.parts({"HOME": home}, PROGRAM) + known.project_parts(PROJECT)
    return next(part for part in parts if part.name == name)


def files_of(folder: Path) -> dict[str, bytes]:
    """All files below a folder, but those of our cache."""
    found = [path for path in folder.rglob("*") if path.is_file() and ".cache" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
