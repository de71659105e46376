"""Git's own files, read without git: the repository that a folder is in, and whether it is a former one.

Promises: nothing of another user is believed; a file that names another repository counts only if
that one names it too.
Touches: git's files (reading).

Every hook imports this module, so it imports little.
"""

import os
from os.path import abspath as absolute
from os.path import dirname as parent
from os.path import isdir as is_folder
from os.path import isfile as is_file
from os.path import realpath as real


def read(path: str, most: int = -1) -> bytes:
    """The bytes of a file, as many as `most` of them."""
    with open(path, "rb") as file:
        return file.read(most)


def read_text(path: str, most: int = -1) -> str:
    """The text of a file that has no more than `most` bytes; of what is longer, the start."""
    return read(path, most).decode("utf-8")


def line_of(path: str) -> str:
    """The first line of a small file, without blanks at its ends; nothing where there is none."""
    try:
        return read_text(path, 4096).partition("\n")[0].strip()
    except (OSError, ValueError):
        return ""


def short_hash(text: str) -> str:
    """64 bits of FNV-1a, in hex: a name for a path, not a secret."""
    value = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "surrogateescape"):
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


# ------------------------------------------------------------------------- whose, and which it is


def users() -> "tuple[int, ...]":
    """The users whose files are this person's: their own, and with sudo those of its caller."""
    user = os.geteuid()
    caller = os.environ.get("SUDO_UID", "") if user == 0 else ""
    return (user, int(caller)) if caller.isdecimal() else (user,)


def is_own(path: str) -> bool:
    """Whether it is there and belongs to this person."""
    try:
        return os.stat(path).st_uid in users()
    except (OSError, ValueError):
        return False


def ancestors(start: str) -> "list[str]":
    """The folder and those above it."""
    folder = absolute(start or ".")
    found = [folder]
    while folder != "/":
        folder = parent(folder)
        found.append(folder)
    return found


def repository_of(start: str) -> str:
    """The top of the git repository that a folder is in, or nothing."""
    for folder in ancestors(start):
        if is_own(f"{folder.rstrip('/')}/.git"):
            return folder
    return ""


def git_folder(top: str) -> str:
    """The folder of git that a repository shares with its linked work trees.

    Nothing for one that is named by a file, if the folder that it names does not name it again:
    what came with a repository may name anybody's.
    """
    dot_git = f"{top.rstrip('/')}/.git"
    if not is_file(dot_git):
        return dot_git if is_folder(dot_git) else ""
    own = _named_in(dot_git, top)
    back = _named_in(f"{own}/gitdir", own)
    common = _named_in(f"{own}/commondir", own)
    if not (back and common and is_own(own) and is_own(common)):
        return ""
    is_believed = real(back) == real(dot_git) and real(parent(own)) == real(f"{common}/worktrees")
    return common if is_believed else ""


def is_without_objects(top: str) -> bool:
    """Whether git surely has nothing of this repository's files: none was ever added or committed."""
    folder = git_folder(top)
    objects = f"{folder}/objects"
    if not folder or is_file(f"{objects}/info/alternates"):
        return False
    try:
        names = set(os.listdir(objects)) if is_folder(objects) else set()
        packs = os.listdir(f"{objects}/pack") if "pack" in names else []
    except OSError:
        return False
    return not packs and names <= {"info", "pack"}


def index_of(top: str) -> str:
    """The index of a work tree, a linked one's too; nothing where that is not sure."""
    dot_git = f"{top.rstrip('/')}/.git"
    own = dot_git if is_folder(dot_git) else _named_in(dot_git, top) if git_folder(top) else ""
    return f"{own}/index" if own else ""


def main_work_tree(start: str) -> str:
    """The main work tree of the git repository that `start` is in, or nothing.

    Read from git's own files, without git: a linked work tree has a file `.git` that names its
    folder, and there a file `commondir` that names the repository.
    """
    top = repository_of(start)
    common = git_folder(top) if top else ""
    return parent(common) if common.endswith("/.git") else top


def work_trees(top: str) -> "list[str]":
    """The linked work trees of the repository with this top, wherever they lie or lay."""
    common = git_folder(top) if top else ""
    folder = f"{common}/worktrees"
    if not common or not is_folder(folder):
        return []
    trees = (
        _named_in(f"{folder}/{name}/gitdir", f"{folder}/{name}") for name in os.listdir(folder)
    )
    return sorted(tree.removesuffix("/.git") for tree in trees if tree.endswith("/.git"))


def _named_in(path: str, beside: str) -> str:
    """The path that the first line of a file names, seen from the folder `beside`."""
    name = line_of(path).removeprefix("gitdir:").strip()
    if not name:
        return ""
    return absolute(name if name[:1] == "/" else f"{beside.rstrip('/')}/{name}")


def time_of(path: str) -> int:
    """When a file was written, in ns; 0 where there is none.

    git writes its `description` with a repository and nobody changes it. The inode of the folder
    alone does not tell two clones apart: where one was removed, the next often gets the same.
    """
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


# How sure it is that a repository is the one that was noted.
ANOTHER, UNKNOWN, SAME_FOLDER, SAME_ORIGIN, SAME_TIME = range(5)
MOST_ENTRIES = 1000  # of a folder that are looked at
COARSE = 2_000_000_000  # ns; an archive keeps whole seconds, or every other one


def identity_of(project: str) -> "tuple[str, str, str]":
    """What tells the repository at a path from another one there; each empty if it is not known.

    When git made it, its folder's inode, and a hash of where it was cloned from. An inode alone
    says nothing, nor is anything known of a folder without git.
    """
    common = git_folder(project)
    made = time_of(f"{common}/description") if common else 0
    origin = _origin_of(f"{common}/config") if common else ""
    return (str(made or ""), _inode_of(project), origin) if made or origin else ("", "", "")


def likeness(noted: "tuple[str, str, str]", project: str, since: int) -> int:
    """How sure it is that the repository at a path is the one with this identity, noted at `since` (ns).

    Moved, copied or restored it has the same time; cloned again the same origin; where git was set
    up anew in the same folder, something else in it is older than the note.
    """
    made, inode, origin = noted
    common = git_folder(project)
    made_now = time_of(f"{common}/description") if common else 0
    if made.isdecimal() and _is_same_time(int(made), made_now):
        return SAME_TIME
    origin_now = _origin_of(f"{common}/config") if common else ""
    if origin and origin == origin_now:
        return SAME_ORIGIN
    if not inode:
        return UNKNOWN
    if inode != _inode_of(project):
        return ANOTHER
    # Volumes at one mount point may share an inode; what is older than the note was elsewhere then.
    was_elsewhere = made and 0 < made_now <= since
    if not was_elsewhere and any(_has_older(one, since) for one in (project, common) if one):
        return SAME_FOLDER
    is_told = (made and made_now) or (origin and origin_now)
    return UNKNOWN if common and not is_told else ANOTHER


def _is_same_time(one: int, other: int) -> bool:
    is_coarse = not (one % 1_000_000_000 and other % 1_000_000_000)
    return one == other or (is_coarse and bool(other) and abs(one - other) < COARSE)


def _inode_of(folder: str) -> str:
    try:
        return str(os.stat(folder).st_ino)
    except OSError:
        return ""


def _has_older(folder: str, since: int) -> bool:
    """Whether something besides git in a folder has not changed since a time (ns).

    What is put into a folder counts as changed then, whatever its own time.
    """
    try:
        with os.scandir(folder) as entries:
            return any(
                entry.name != ".git" and entry.stat(follow_symlinks=False).st_ctime_ns <= since
                for _, entry in zip(range(MOST_ENTRIES), entries, strict=False)
            )
    except OSError:
        return False


def _origin_of(path: str) -> str:
    """A hash of the address of `origin` in git's settings, else of the first remote; nothing without."""
    try:
        lines = read(path, 65536).decode("utf-8", "replace").split("\n")
    except OSError:
        return ""
    section, urls = "", dict[str, str]()
    for line in map(str.strip, lines):
        section = line if line[:1] == "[" else section
        key, _, url = line.partition("=")
        if section.startswith("[remote ") and key.strip() == "url":
            urls.setdefault(section, url.strip())
    url = urls.get('[remote "origin"]') or next(iter(urls.values()), "")
    return short_hash(_place_of(url)) if url else ""


def _place_of(url: str) -> str:
    """The host and path of an address, the same by https and ssh, with a user or without.

    A port says with ssh only how to get there, else which server it is.
    """
    scheme, is_url, rest = url.lower().rstrip("/").removesuffix(".git").partition("://")
    sign = "/" if is_url else ":"
    host, _, path = (rest if is_url else scheme).partition(sign)
    if not is_url and "/" in host:
        return scheme  # a path on this machine
    host = host.rpartition("@")[2]
    host = host.partition(":")[0] if scheme.endswith("ssh") else host
    return f"{host}/{path.lstrip('/')}"
