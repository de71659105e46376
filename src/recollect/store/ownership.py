"""Which repositories and stores a person's sessions may use.

Promises: nothing of another user, behind a link or above the repository is used. A file that names
another repository counts only if that one names it too.
Touches: git's own files (reading).
"""

import os

from recollect.store import locations as paths

STORE_FOLDER = ".claude/memory"
WRITTEN = ("journal", "sessions", "sessions/active", "sessions/raw", "sessions/archive")
ACCEPTED, ASKED = "accepted", "asked"  # of a store that came with a repository, on this machine
KNOWN = ".known"  # ends the name of the file with the stamps that are believed, a line each
CAME = ".came"  # and of the one with the sizes of what lay in a store that no git knows of
LINK, OWNER = "link", "owner"  # why a store is not used
_FORM, _FOLDER, _LINK = 0o170000, 0o040000, 0o120000


def users() -> "tuple[int, ...]":
    """Those whose files are this person's: their own, and with sudo those of who called it."""
    user = os.geteuid()
    caller = os.environ.get("SUDO_UID", "") if user == 0 else ""
    return (user, int(caller)) if caller.isdecimal() else (user,)


def is_own(path: str) -> bool:
    """Whether it is there and belongs to this person."""
    try:
        return os.stat(path).st_uid in users()
    except (OSError, ValueError):
        return False


# ------------------------------------------------------------------------------------ repositories


def ancestors(start: str) -> "list[str]":
    """The folder and those above it."""
    folder = paths.absolute(start or ".")
    found = [folder]
    while folder != "/":
        folder = paths.parent(folder)
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
    if not paths.is_file(dot_git):
        return dot_git if paths.is_folder(dot_git) else ""
    own = _named_in(dot_git, top)
    back = _named_in(f"{own}/gitdir", own)
    common = _named_in(f"{own}/commondir", own)
    if not (back and common and is_own(own) and is_own(common)):
        return ""
    is_believed = paths.real(back) == paths.real(dot_git) and paths.real(
        paths.parent(own)
    ) == paths.real(f"{common}/worktrees")
    return common if is_believed else ""


def main_work_tree(start: str) -> str:
    """The main work tree of the git repository that `start` is in, or nothing.

    Read from git's own files, without git: a linked work tree has a file `.git` that names its
    folder, and there a file `commondir` that names the repository.
    """
    top = repository_of(start)
    common = git_folder(top) if top else ""
    return paths.parent(common) if common.endswith("/.git") else top


def _named_in(path: str, beside: str) -> str:
    """The path that the first line of a file names, seen from the folder `beside`."""
    name = paths.line_of(path).removeprefix("gitdir:").strip()
    if not name:
        return ""
    return paths.absolute(name if name[:1] == "/" else f"{beside.rstrip('/')}/{name}")


# ------------------------------------------------------------------------------------------ stores


def refusal(store: str) -> str:
    """Why a store that is there cannot be this person's; nothing if it can.

    A link among the folders that are written without a look at each part of the way is one reason.
    """
    mine = users()
    folder = paths.parent(store)
    for path in (folder, store) if store.endswith(f"/{STORE_FOLDER}") else (store,):
        info = os.lstat(path)
        if info.st_mode & _FORM != _FOLDER:
            return LINK
        if info.st_uid not in mine:
            return OWNER
    return LINK if any(_is_link(f"{store}/{name}") for name in WRITTEN) else ""


def note_of(store: str, env: "dict[str, str]", *, is_alone: bool = False) -> "tuple[str, str]":
    """`(path, mark)`: the note on whether this person accepted a store, and what it has to begin with.

    It is about the repository around the store, with its linked work trees, or about the store
    alone; what is there later under the same name is another one. Nothing without a home.
    """
    base = paths.own_folder(env, "XDG_DATA_HOME", ".local/share")
    top = "" if is_alone else repository_of(store)
    about = paths.real((git_folder(top) if top else "") or store)
    if not base or not paths.is_folder(about):
        return "", ""
    return f"{base}/accepted/{paths.short_hash(about)}", f"{os.stat(about).st_ino} {about} "


def is_doubted(store: str, env: "dict[str, str]") -> bool:
    """Whether some of what a store says may be nobody's on this machine (see `features.repository`)."""
    if paths.is_private(store) or paths.is_same(store, paths.global_root(env)):
        return False
    path, mark = note_of(store, env)
    if not path:
        return True
    return paths.line_of(path) != f"{mark}{ACCEPTED}"


def _is_link(path: str) -> bool:
    try:
        return os.lstat(path).st_mode & _FORM == _LINK
    except OSError:
        return False
