"""Claude Code: where its skills lie, and putting a new one there.

Promises: a skill that is there is never touched; a name leads nowhere but into the folder of skills.
Touches: `skills/<name>/SKILL.md` beside a store.
"""

from __future__ import annotations

import os
import re

from recollect import fsio
from recollect.errors import AlreadyThere, OutsideStore, SkillThere

LONGEST_NAME = 64
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_RESERVED = re.compile(r"anthropic|claude")  # names that the client keeps to itself


def folder_beside(store_root: str) -> str:
    """The folder of the skills of the project, or of the person, that a store belongs to."""
    return os.path.join(os.path.dirname(store_root), "skills")


def folder_of_project(project: str) -> str:
    """The folder of the skills of a project."""
    return os.path.join(project, ".claude", "skills")


def is_allowed(name: str) -> bool:
    """Whether the client takes a skill of this name."""
    fits = bool(_NAME.fullmatch(name)) and len(name) <= LONGEST_NAME
    return fits and not _RESERVED.search(name)


def nearest_name(name: str) -> str:
    """The nearest name to this one that the client takes, or nothing."""
    words = re.findall(r"[a-z0-9]+", _RESERVED.sub("", name))
    return "-".join(words)[:LONGEST_NAME].strip("-")


def path_in(folder: str, name: str) -> str:
    """The file of a skill. Raises OutsideStore for a name that is none."""
    if not is_allowed(name):
        raise OutsideStore(name=name)
    return os.path.join(folder, name, "SKILL.md")


def require_free(folder: str, name: str) -> str:
    """The path of a new skill. Raises SkillThere."""
    path = path_in(folder, name)
    if os.path.lexists(path):
        raise SkillThere(path=path, name=name)
    return path


def put(folder: str, name: str, text: str) -> str:
    """Write a new skill; gives its path.

    Raises:
        SkillThere: there is one of this name.
        StorageFailed: the disk refused.
    """
    path = require_free(folder, name)
    fsio.make_folder(os.path.dirname(path))
    try:
        fsio.create_whole(path, text.encode("utf-8", "replace"))
    except AlreadyThere:
        raise SkillThere(path=path, name=name) from None
    fsio.sync_folder(os.path.dirname(path))
    return path
