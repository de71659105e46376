"""Claude Code: where its skills lie, and putting a new one there.

Promises: a skill that is there is never touched, but for the keywords in the description of our own; a
name leads nowhere but into the folder of skills.
Touches: `skills/<name>/SKILL.md` beside a store.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator

from recollect import fsio
from recollect.errors import AlreadyThere, FileNotThere, NotText, OutsideStore, SkillThere

LONGEST_NAME = 64
LARGEST = 1024 * 1024
OWN = {"en": "recollect", "zh": "recollect-zh"}  # the skill of the program itself
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


# ------------------------------------------------------------------------------ the program's own


def shipped(lang: str) -> str:
    """The skill in this language that comes with the program. Raises FileNotThere."""
    package = os.path.abspath(__file__)
    for _ in range(4):
        package = os.path.dirname(package)
    inside = os.path.join("plugin", "recollect", "skills", OWN[lang], "SKILL.md")
    for base in (package, os.path.dirname(os.path.dirname(package))):  # installed, or a work tree
        path = os.path.join(base, inside)
        if os.path.isfile(path):
            return _text_of(path)
    raise FileNotThere(path=os.path.join(package, inside), reason="there is none")


def own_in(folder: str) -> Iterator[str]:
    """The files of the program's own skills that are in a folder of skills."""
    for name in OWN.values():
        path = os.path.join(folder, name, "SKILL.md")
        if os.path.lexists(path):
            yield path


def text_at(path: str) -> str:
    """The text of a skill that is there. Raises FileNotThere, NotText."""
    return _text_of(os.path.realpath(path))


def renew(path: str, change: Callable[[str], str]) -> bool:
    """Change the text of a skill that is there; whether that changes a byte.

    Raises:
        FileNotThere, NotText: it cannot be read as text.
        StorageFailed: the disk refused.
    """
    old = text_at(path)
    new = change(old)
    place = os.path.realpath(path)
    mode = stat.S_IMODE(os.stat(place).st_mode)
    if new == old or not mode & stat.S_IWUSR or text_at(path) != old:
        return False  # the next change of the store brings it up to date
    fsio.write_whole(place, new.encode(), mode=mode, durable=False)
    return True


def _text_of(path: str) -> str:
    try:
        return fsio.read_file(path, LARGEST).decode("utf-8")
    except UnicodeDecodeError:
        raise NotText(path=path) from None
