"""Where stores, caches and journals are, which of them are this person's, and the form of a journal line.

Promises: a folder has the same store and cache for hooks, commands and worker. Nothing of another
user, behind a link or above the repository is used; a file that names another repository counts
only if that one names it too. A line appended by a hook is one write, complete or recognisably
torn, and is found by readers when `record` returns, even during compaction.
Touches: `journal/<writer>.jsonl` (append); git's own files (reading).

Every hook imports this module, so it imports little.
"""

import os
import time
from os.path import abspath as absolute
from os.path import dirname as parent
from os.path import exists
from os.path import isdir as is_folder
from os.path import isfile as is_file
from os.path import realpath as real

__all__ = ["absolute", "exists", "is_file", "is_folder", "parent", "real"]


def make_folders(path: str) -> None:
    """Make a folder and those above it, each for this user alone; no harm if it is there."""
    try:
        os.mkdir(path, 0o700)
    except FileNotFoundError:
        if parent(path) in ("", path):
            raise
        make_folders(parent(path))
        make_folders(path)
    except OSError:
        if not is_folder(path):
            raise


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


STORE_FOLDER = ".claude/memory"
WRITTEN = ("journal", "sessions", "sessions/active", "sessions/raw", "sessions/archive")
ACCEPTED, ASKED = "accepted", "asked"  # of a store that came with a repository, on this machine
KNOWN = ".known"  # ends the name of the file with the stamps that are believed, a line each
CAME = ".came"  # and of the one with the sizes of what lay in a store that no git knows of
LINK, OWNER = "link", "owner"  # why a store is not used
_FORM, _FOLDER = 0o170000, 0o040000
PRIVATE_FOLDER = "projects"  # in the global store: those of projects that have none of their own
PROJECT_FILE = "project"  # in a private store: the folder that it is of
SETTINGS_FILE = "config.toml"
MOST_TRIES = 5  # to append; a session's file is set aside once a day at most


def roots(start: str, env: "dict[str, str]") -> "tuple[str, str]":
    """`(project store, global store)` for a folder; empty where there is none yet."""
    project, home = project_root(start, env), global_root(env)
    return project if is_folder(project) else "", home if is_made(home) else ""


def is_made(home: str) -> bool:
    """Whether the global store is there, and not only the folder with the projects' private ones."""
    try:
        return os.listdir(home) != [PRIVATE_FOLDER]
    except (OSError, ValueError):
        return False


def project_root(start: str, env: "dict[str, str]") -> str:
    """The store of the project that a folder belongs to, whether it is there or not.

    The one in the project if there is one, else its private one outside; empty without a home.
    """
    for store, why in stores_around(start, env):
        if not why:
            return store
    named = env.get("RECOLLECT_PROJECT_ROOT", "")
    return private_root(absolute(named) if named else project_of(start, env), env)


def stores_around(start: str, env: "dict[str, str]") -> "list[tuple[str, str]]":
    """The stores in the repository of a folder, nearest first, each with why it is not used, if so.

    One that the environment names stands for all.
    """
    named = env.get("RECOLLECT_PROJECT_ROOT", "")
    home = global_root(env)
    stores = [store_in(named)] if named else []
    top = ""
    for folder in () if named else ancestors(start):
        stores.append(f"{folder.rstrip('/')}/{STORE_FOLDER}")
        if is_own(f"{folder.rstrip('/')}/.git"):
            top = folder
            break
    main = main_work_tree(top) if top else ""
    if main != top:
        stores.append(f"{main}/{STORE_FOLDER}")
    return [
        (store, refusal(store))
        for store in stores
        if is_folder(store) and (named or not is_same(store, home))
    ]


def private_root(project: str, env: "dict[str, str]") -> str:
    """The private store of a project, outside of it, made or not; empty without a home.

    Its name comes from the project's path. Where the store of that name is another repository's,
    which was at that path before, this one has its own beside it.
    """
    home = global_root(env)
    if not home:
        return ""
    project = real(project)
    name = "".join(c if c.isalnum() or c in "-_" else "-" for c in project.rpartition("/")[2])
    name = f"{name[:40].strip('-') or 'root'}-{short_hash(project)[:8]}"
    folder = f"{home}/{PRIVATE_FOLDER}"
    is_there = is_folder(f"{folder}/{name}")
    if is_there and _belongs_to(f"{folder}/{name}", project):
        return f"{folder}/{name}"
    beside = sorted(os.listdir(folder)) if is_folder(folder) else []
    for one in beside:
        if one.startswith(f"{name}-") and _belongs_to(f"{folder}/{one}", project):
            return f"{folder}/{one}"
    made, _, _ = identity_of(project)
    return f"{folder}/{name}-{short_hash(made)[:8]}" if is_there else f"{folder}/{name}"


def identity_of(project: str) -> "tuple[str, str, str]":
    """What tells a repository from another one at its path; empty for what is not known.

    When git made it, its folder's inode, and a hash of where it was cloned from.
    """
    common = git_folder(project)
    made = str(_time_of(f"{common}/description") or "") if common else ""
    if not made:
        return "", "", ""
    return made, str(os.stat(project).st_ino), _origin_of(f"{common}/config")


def _origin_of(path: str) -> str:
    """A hash of the address of `origin` in git's settings, the same whatever the protocol."""
    try:
        lines = read_text(path, 65536).split("\n")
    except (OSError, ValueError):
        return ""
    section = ""
    for line in map(str.strip, lines):
        section = line if line[:1] == "[" else section
        key, _, url = line.partition("=")
        if section == '[remote "origin"]' and key.strip() == "url":
            url = url.strip().rpartition("://")[2].rpartition("@")[2].rstrip("/")
            return short_hash(url.removesuffix(".git").replace(":", "/").lower())
    return ""


def _belongs_to(root: str, project: str) -> bool:
    """Whether a private store, if it is there, is that of the repository that is at a path now."""
    try:
        _, made, inode, origin = read_text(f"{root}/{PROJECT_FILE}", 4096).split("\n")[:4]
    except (OSError, ValueError):
        return True  # nothing is known of it
    if made == str(_time_of(f"{git_folder(project)}/description")):
        return True
    made_now, inode_now, origin_now = identity_of(project)
    if not (made and made_now) or (origin and origin_now):
        return not (origin and origin_now) or origin == origin_now
    return inode == inode_now  # made anew in the same folder


def _whose(project: str) -> str:
    identity = identity_of(project)
    return "\n".join([project, *(identity if identity[0] else ()), ""])


def note_project(root: str, project: str) -> None:
    """Note in a private store whose it is, if that is not noted as it is now; never another one's."""
    path, text = f"{root}/{PROJECT_FILE}", _whose(real(project))
    try:
        known = read_text(path, 8192)
    except (OSError, ValueError):
        return
    is_same_path = known.partition("\n")[0] == real(project)
    if known != text and is_same_path and _belongs_to(root, project):
        try:
            if _write_new(f"{path}.new", text):
                os.replace(f"{path}.new", path)
        except OSError:
            return  # the next one who may write does it


def is_private(root: str) -> bool:
    """Whether a store is the private one of a project."""
    return parent(root).endswith(f"/memory/{PRIVATE_FOLDER}")


def make_private(root: str, start: str, env: "dict[str, str]") -> None:
    """Make the private store of the project that a folder belongs to; no harm if it is there.

    Unless the person has set a language for all projects, a new store keeps that of the locale.
    """
    make_folders(root)
    project = real(project_of(start, env))
    if _write_new(f"{root}/{PROJECT_FILE}", _whose(project)):
        from recollect.i18n import language_of  # seldom needed

        lang = language_of(env)
        if lang != "en" and not _sets_language(f"{global_root(env)}/{SETTINGS_FILE}"):
            _write_new(f"{root}/{SETTINGS_FILE}", f'lang = "{lang}"\n')


def _write_new(path: str, text: str) -> bool:
    """Make a file of ours, and say whether it was not there."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return False
    try:
        os.write(handle, text.encode("utf-8", "surrogateescape"))
    finally:
        os.close(handle)
    return True


def _sets_language(path: str) -> bool:
    try:
        return "\nlang = " in f"\n{read_text(path)}"
    except (OSError, ValueError):
        return False


def project_of_store(root: str) -> str:
    """The folder of the project whose store this is; nothing for the global one."""
    if is_private(root):
        return line_of(f"{root}/{PROJECT_FILE}")
    return root.removesuffix(f"/{STORE_FOLDER}") if root.endswith(f"/{STORE_FOLDER}") else ""


def left_behind(env: "dict[str, str]") -> "list[tuple[str, str]]":
    """`(folder, store)` of projects that have private memories and are not there any more.

    The folder is gone, or another repository is in its place.
    """
    folder = f"{global_root(env)}/{PRIVATE_FOLDER}"
    try:
        roots = [f"{folder}/{name}" for name in sorted(os.listdir(folder))]
    except (OSError, ValueError):
        return []
    found = [
        (line_of(f"{root}/{PROJECT_FILE}"), root) for root in roots if is_file(f"{root}/MEMORY.md")
    ]
    return [
        (project, root)
        for project, root in found
        if project.startswith("/") and not (exists(project) and _belongs_to(root, project))
    ]


def is_same(one: str, two: str) -> bool:
    """Whether two paths are the same folder, also through links."""
    if one == two:
        return True
    try:
        info, other = os.stat(one), os.stat(two)
    except (OSError, ValueError):
        return False
    return (info.st_ino, info.st_dev) == (other.st_ino, other.st_dev)


def store_in(folder: str) -> str:
    """The store of a folder: itself if it is called `memory`, else `.claude/memory` in it."""
    folder = absolute(folder)
    return folder if folder.endswith("/memory") else f"{folder}/{STORE_FOLDER}"


def global_root(env: "dict[str, str]") -> str:
    """The place of the global store, whether it is there or not; empty without a home."""
    named = env.get("RECOLLECT_GLOBAL_ROOT", "")
    if named:
        return store_in(named)
    home = env.get("HOME", "")
    return f"{home.rstrip('/')}/{STORE_FOLDER}" if home else ""


def project_of(start: str, env: "dict[str, str]") -> str:
    """The project that a folder without a store of its own belongs to.

    The repository's main work tree, else the nearest folder with `.claude`, else this one. A
    repository around the home folder (of settings, say) is the project of its own top only:
    what lies below it has nothing in common.
    """
    folders = ancestors(start)
    home = real(env.get("HOME", "/"))
    main = main_work_tree(start)
    if main and (
        is_same(main, folders[0]) or not f"{home}/".startswith(f"{real(main).rstrip('/')}/")
    ):
        return main
    for folder in folders:
        marked = f"{folder.rstrip('/')}/.claude"
        if is_folder(marked) and is_own(marked) and real(folder) != home:
            return folder
    return folders[0]


def cache_root(env: "dict[str, str]") -> str:
    """The cache folder of this user; empty if they have none."""
    return own_folder(env, "XDG_CACHE_HOME", ".cache")


def own_folder(env: "dict[str, str]", name: str, usual: str) -> str:
    """Our folder in the one that a variable names, or in the usual one below HOME."""
    base = env.get(name, "")
    if not base.startswith("/"):
        base = f"{env['HOME'].rstrip('/')}/{usual}" if env.get("HOME") else ""
    return f"{base}/recollect" if base else ""


def cache_folder(root: str, env: "dict[str, str]") -> str:
    """The cache folder of the store at `root`."""
    base = cache_root(env)
    return f"{base}/{short_hash(real(root))}" if base else ""


def short_hash(text: str) -> str:
    """64 bits of FNV-1a, in hex: a name for a path, not a secret."""
    value = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "surrogateescape"):
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def writer_of(client: str, session: str) -> str:
    """The journal file of a session; a safe name, whatever the session is called."""
    plain = session.replace("-", "").replace("_", "")
    if not (plain.isascii() and plain.isalnum() and len(session) <= 80):
        session = short_hash(session)
    return f"{client}-{session}"


# ------------------------------------------------------------------- whose a repository or store is


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


def refusal(store: str) -> str:
    """Why a store cannot be this person's; empty if it can.

    A link among the folders that are written without a look at each part of the way is one reason.
    """
    mine = users()
    folder = parent(store)
    for path in (folder, store) if store.endswith(f"/{STORE_FOLDER}") else (store,):
        info = os.lstat(path)
        if info.st_mode & _FORM != _FOLDER:
            return LINK
        if info.st_uid not in mine:
            return OWNER
    return LINK if any(os.path.islink(f"{store}/{name}") for name in WRITTEN) else ""


def note_of(
    store: str, env: "dict[str, str]", *, is_alone: bool = False, of_all: bool = False
) -> "tuple[str, str]":
    """`(path, mark)`: the note on whether this person accepted a store, and what it has to begin with.

    It is about the repository around the store, with its linked work trees, or about the store
    alone; what is there later under the same name is another one. Nothing without a home. Earlier
    versions kept one note `of_all` the stores in a repository.
    """
    base = own_folder(env, "XDG_DATA_HOME", ".local/share")
    top = "" if is_alone else repository_of(store)
    about = real((git_folder(top) if top else "") or store)
    if not base or not is_folder(about):
        return "", ""
    made = f"{os.stat(about).st_ino}.{_time_of(f'{about}/description') if top else 0}"
    name = _name_of_note(about, STORE_FOLDER if of_all else _place_in(top, store))
    return f"{base}/accepted/{name}", f"{made} {about} "


def note_before_move(store: str, env: "dict[str, str]") -> "tuple[str, str]":
    """The note from when the folder that it is about had another name; nothing where there is none.

    A moved folder keeps its inode, and git's `description` its time.
    """
    path, mark = note_of(store, env)
    made, _, about = mark.rstrip().partition(" ")
    place = _place_in(repository_of(store), store)
    folder = parent(path)
    for name in os.listdir(folder) if path and is_folder(folder) else ():
        begun, _, rest = line_of(f"{folder}/{name}").partition(" ")
        before = rest.rpartition(" ")[0]
        if begun == made and before != about and name == _name_of_note(before, place):
            return f"{folder}/{name}", f"{begun} {before} "
    return "", ""


def _place_in(top: str, store: str) -> str:
    return real(store).removeprefix(f"{real(top).rstrip('/')}/") if top else STORE_FOLDER


def _name_of_note(about: str, place: str) -> str:
    # Of several stores in one repository each has its own: the answer for one is none for another.
    return short_hash(about if place == STORE_FOLDER else f"{about}\0{place}")


def _time_of(path: str) -> int:
    """When a file was written, in ns; 0 where there is none.

    git writes its `description` with a repository and nobody changes it. The inode of the folder
    alone does not tell two clones apart: where one was removed, the next often gets the same.
    """
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def is_doubted(store: str, env: "dict[str, str]") -> bool:
    """Whether some of what a store says may be nobody's on this machine (see `features.repository`)."""
    if is_private(store) or is_same(store, global_root(env)):
        return False
    path, mark = note_of(store, env)
    return not path or line_of(path) != f"{mark}{ACCEPTED}"


# ---------------------------------------------------------------------------- lines of the journal


def utc(seconds: float) -> str:
    """A time in our form: 2026-01-11T14:30:00Z."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def new_op_id(seconds: float) -> str:
    """A unique id that sorts by time."""
    return f"{int(seconds * 1000):011x}-{os.urandom(5).hex()}"


def sealed(line: bytes) -> bytes:
    """A JSON object's bytes with its checksum as the last key, ready to append."""
    from binascii import crc32  # most commands write nothing

    return line[:-1] + b',"sum":"%08x"}\n' % crc32(line)


def json_text(text: str) -> str:
    """A string as JSON, without the json module."""
    out = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    if not out.isprintable():
        out = out.translate(_ESCAPED).encode("utf-8", "replace").decode("utf-8")
    return '"' + out + '"'


_ESCAPED = {code: f"\\u{code:04x}" for code in [*range(32), 127, 0x2028, 0x2029]}
_ESCAPED[9], _ESCAPED[13] = "\\t", "\\r"


def record(root: str, writer: str, op: str, fields: "dict[str, str | list[str] | int]") -> None:
    """Append a line to the journal of a session."""
    seconds = time.time()
    parts = [
        f'{{"op":{json_text(op)},"op_id":"{new_op_id(seconds)}","time":"{utc(seconds)}"',
        f'"writer":{json_text(writer)}',
    ]
    for key, value in fields.items():
        if isinstance(value, list):
            shown = "[" + ",".join(json_text(item) for item in value) + "]"
        else:
            shown = str(value) if isinstance(value, int) else json_text(value)
        parts.append(f'"{key}":{shown}')
    line = (",".join(parts) + "}").encode("utf-8")
    append(root, f"{root}/journal/{writer}.jsonl", sealed(line))


def append(root: str, path: str, data: bytes) -> None:
    """Put whole lines at the end of a session's file; one write, so that parallel hooks don't mix.

    A file that lost its name meanwhile was set aside to be folded, and nobody may look into it
    again: then the same lines go into the new one, and readers know them by their ids.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    for _ in range(MOST_TRIES):
        try:
            handle = os.open(path, flags, 0o600)
        except FileNotFoundError:
            try:
                os.mkdir(f"{root}/journal", 0o700)
            except FileExistsError:
                pass  # another hook was quicker
            handle = os.open(path, flags, 0o600)
        try:
            info = os.fstat(handle)
            torn = info.st_size and os.pread(handle, 1, info.st_size - 1) != b"\n"
            # A line that a full disk cut off must not swallow ours.
            whole = b"\n" + data if torn else data
            if os.write(handle, whole) < len(whole):
                raise OSError(28, "No space left on device")  # what the next write would be told
            # As long as the file is open nobody else's can have its number.
            if os.stat(path).st_ino == info.st_ino:
                return
        except FileNotFoundError:
            pass
        finally:
            os.close(handle)
