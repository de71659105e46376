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

from recollect.store.repositories import (
    ANOTHER,
    SAME_TIME,
    UNKNOWN,
    ancestors,
    git_folder,
    identity_of,
    is_own,
    likeness,
    line_of,
    main_work_tree,
    read,
    read_text,
    repository_of,
    short_hash,
    time_of,
    users,
)

__all__ = [
    "absolute", "exists", "is_file", "is_folder", "line_of", "parent", "read", "read_text", "real", "short_hash",
]  # fmt: skip


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
    return made_roots(project_root(start, env), env)


def made_roots(project: str, env: "dict[str, str]") -> "tuple[str, str]":
    """The project's store and the global one as far as they are made."""
    home = global_root(env)
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
    return private_root(named_project(env) or project_of(start, env), env)


def named_project(env: "dict[str, str]") -> str:
    """The project that the environment names, if so, by its folder or its store."""
    named = env.get("RECOLLECT_PROJECT_ROOT", "")
    return absolute(named).removesuffix(f"/{STORE_FOLDER}") if named else ""


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
    first = likeness_of(f"{folder}/{name}", project)
    beside = (
        f"{folder}/{one}"
        for one in ([] if first == SAME_TIME else _listed(folder))
        if one.startswith(f"{name}-") and line_of(f"{folder}/{one}/{PROJECT_FILE}") == project
    )
    found = [(first, f"{folder}/{name}"), *((likeness_of(one, project), one) for one in beside)]
    likely, best = max(found, key=lambda one: (one[0], time_of(f"{one[1]}/{PROJECT_FILE}")))
    if likely:
        return best
    made, _, origin = identity_of(project)
    is_there = is_folder(f"{folder}/{name}")
    return f"{folder}/{name}-{short_hash(made or origin)[:8]}" if is_there else f"{folder}/{name}"


def _listed(folder: str) -> "list[str]":
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def likeness_of(root: str, project: str) -> int:
    """How sure it is that a private store is that of the repository that is at a path now."""
    try:
        noted = _identity_in(read_text(f"{root}/{PROJECT_FILE}", 4096))
    except (OSError, ValueError):
        return UNKNOWN if is_folder(root) else ANOTHER
    return likeness(noted, project, time_of(f"{root}/{PROJECT_FILE}"))


def _identity_in(note: str) -> "tuple[str, str, str]":
    made, inode, origin = [*map(str.strip, note.split("\n")[1:4]), "", "", ""][:3]
    return made, inode, origin


def note_on(project: str, before: str = "") -> str:
    """What the file `project` of a private store says: the folder, and what is known of its repository.

    What is not known any more stays as it was `before`.
    """
    known = zip(identity_of(project), _identity_in(before), strict=True)
    identity = [now or then for now, then in known]
    return "\n".join([project, *(identity if any(identity) else ()), ""])


def is_private(root: str) -> bool:
    """Whether a store is the private one of a project."""
    return parent(root).endswith(f"/memory/{PRIVATE_FOLDER}")


def make_private(root: str, start: str, env: "dict[str, str]") -> None:
    """Make the private store of a folder's project, or of the one that the environment names.

    Unless the person has set a language for all projects, a new store keeps that of the locale.
    """
    named = named_project(env)
    is_named = bool(named) and private_root(named, env) == root
    make_folders(root)
    project = real(named if is_named else project_of(start, env))
    if _write_new(f"{root}/{PROJECT_FILE}", note_on(project)):
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


def writer_of(client: str, session: str) -> str:
    """The journal file of a session; a safe name, whatever the session is called."""
    plain = session.replace("-", "").replace("_", "")
    if not (plain.isascii() and plain.isalnum() and len(session) <= 80):
        session = short_hash(session)
    return f"{client}-{session}"


# ------------------------------------------------------------------- whose a repository or store is


def refusal(store: str) -> str:
    """Why a store cannot be this person's; empty if it can.

    A link or a submodule among the folders that are written without a look at each part is one reason.
    """
    mine, folder = users(), parent(store)
    for path in (folder, store) if store.endswith(f"/{STORE_FOLDER}") else (store,):
        info = os.lstat(path)
        if info.st_mode & _FORM != _FOLDER:
            return LINK
        if info.st_uid not in mine:
            return OWNER
    inner = (f"{store}/{name}" for name in WRITTEN)
    return LINK if any(os.path.islink(one) or exists(f"{one}/.git") for one in inner) else ""


def note_of(store: str, env: "dict[str, str]", *, is_alone: bool = False) -> "tuple[str, str]":
    """`(path, mark)`: the note on whether this person accepted a store, and what it has to begin with.

    It is about the repository around the store, with its linked work trees, or about the store
    alone; what is there later under the same name is another one. Nothing without a home.
    """
    base = own_folder(env, "XDG_DATA_HOME", ".local/share")
    top = "" if is_alone else repository_of(store)
    about = real((git_folder(top) if top else "") or store)
    if not base or not is_folder(about):
        return "", ""
    made = f"{os.stat(about).st_ino}.{time_of(f'{about}/description') if top else 0}"
    name = _name_of_note(about, _place_in(top, store))
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


def with_checksum(line: bytes) -> bytes:
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
    append(root, f"{root}/journal/{writer}.jsonl", with_checksum(line))


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
