"""Hooks: the names of files and the form of a journal line, defined once for the whole house.

Promises: a folder has the same store and the same cache for the hook, the commands and the
worker; a line that a hook appends is one write, whole or recognisably torn, and is found by
readers when `record` returns, whoever folds the file meanwhile.
Touches: `journal/<writer>.jsonl` (append); git's own files (reading, to find the main work tree).

Every hook imports this module, so it imports `posix`, `time` and `paths` only.
"""

import posix as os
import time

from recollect.hooks import paths

STORE_FOLDER = ".claude/memory"
MOST_TRIES = 5  # to append; a session's file is set aside once a day at most

# ------------------------------------------------------------------------- names of files, once


def roots(start: str, env: "dict[str, str]") -> "tuple[str, str]":
    """`(project store, global store)` for a folder; empty where there is none."""
    home = global_root(env)
    named = env.get("RECOLLECT_PROJECT_ROOT", "")
    if named:
        store = store_in(named)
        return (store if paths.is_folder(store) else ""), home if paths.is_folder(home) else ""
    project = ""
    for folder in ancestors(start):
        store = f"{folder.rstrip('/')}/{STORE_FOLDER}"
        if paths.is_folder(store) and not is_same(store, home):
            project = store
            break
    if not project:
        main = main_work_tree(start)
        store = f"{main}/{STORE_FOLDER}"
        if main and paths.is_folder(store) and not is_same(store, home):
            project = store
    return project, home if paths.is_folder(home) else ""


def is_same(one: str, two: str) -> bool:
    """Whether two paths are the same folder, whatever links lead to it."""
    if one == two:
        return True
    try:
        info, other = os.stat(one), os.stat(two)
    except (OSError, ValueError):
        return False
    return (info.st_ino, info.st_dev) == (other.st_ino, other.st_dev)


def store_in(folder: str) -> str:
    """The store of a folder: itself if it is called `memory`, else `.claude/memory` in it."""
    folder = paths.absolute(folder)
    return folder if folder.endswith("/memory") else f"{folder}/{STORE_FOLDER}"


def global_root(env: "dict[str, str]") -> str:
    """The place of the global store, whether it is there or not; empty without a home."""
    named = env.get("RECOLLECT_GLOBAL_ROOT", "")
    if named:
        return store_in(named)
    home = env.get("HOME", "")
    return f"{home.rstrip('/')}/{STORE_FOLDER}" if home else ""


def ancestors(start: str) -> "list[str]":
    """The folder and those above it."""
    folder = paths.absolute(start or ".")
    found = [folder]
    while folder != "/":
        folder = paths.parent(folder)
        found.append(folder)
    return found


def main_work_tree(start: str) -> str:
    """The main work tree of the git repository that `start` is in, or nothing.

    Read from git's own files, without git: a linked work tree has a file `.git` that names its
    folder, and there a file `commondir` that names the repository.
    """
    for folder in ancestors(start):
        dot_git = f"{folder.rstrip('/')}/.git"
        if paths.is_folder(dot_git):
            return folder
        if paths.is_file(dot_git):
            git_dir = _line_of(dot_git).removeprefix("gitdir:").strip()
            if git_dir[:1] != "/":
                git_dir = f"{folder}/{git_dir}"
            common = _line_of(f"{git_dir}/commondir")
            if not common:
                return folder  # a submodule: a repository of its own
            common = paths.absolute(common if common[:1] == "/" else f"{git_dir}/{common}")
            return paths.parent(common) if common.endswith("/.git") else folder
    return ""


def project_of(start: str, env: "dict[str, str]") -> str:
    """The project that a folder without a store of its own belongs to.

    The repository's main work tree, else the nearest folder with `.claude`, else this one.
    """
    main = main_work_tree(start)
    if main:
        return main
    folders = ancestors(start)
    home = paths.real(env.get("HOME", "/"))
    for folder in folders:
        if paths.is_folder(f"{folder}/.claude") and paths.real(folder) != home:
            return folder
    return folders[0]


def _line_of(path: str) -> str:
    try:
        return paths.read_text(path, 4096).partition("\n")[0].strip()
    except (OSError, ValueError):
        return ""


def cache_root(env: "dict[str, str]") -> str:
    """The folder for all that can be made again; empty if this user has none."""
    return _own_folder(env, "XDG_CACHE_HOME", ".cache")


def embedders(env: "dict[str, str]") -> str:
    """The folder with the embedders of this user, made or not; empty if there can be none."""
    base = _own_folder(env, "XDG_DATA_HOME", ".local/share")
    return f"{base}/embedders" if base else ""


def _own_folder(env: "dict[str, str]", name: str, usual: str) -> str:
    """Our folder in the one that a variable names, or in the usual one below HOME."""
    base = env.get(name, "")
    if not base.startswith("/"):
        base = f"{env['HOME'].rstrip('/')}/{usual}" if env.get("HOME") else ""
    return f"{base}/recollect" if base else ""


def cache_folder(root: str, env: "dict[str, str]") -> str:
    """The cache folder of the store at `root`."""
    base = cache_root(env)
    return f"{base}/{short_hash(paths.real(root))}" if base else ""


def short_hash(text: str) -> str:
    """64 bits of FNV-1a, in hex: a name for a path, not a secret."""
    value = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "surrogateescape"):
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def brief_name(project: str) -> str:
    """The file of the brief for a project that has no store of its own, or for the store's own."""
    return f"brief-{short_hash(project)}" if project else "brief"


def writer_of(client: str, session: str) -> str:
    """The journal file of a session, harmless as a name whatever the session is called."""
    plain = session.replace("-", "").replace("_", "")
    if not (plain.isascii() and plain.isalnum() and len(session) <= 80):
        session = short_hash(session)
    return f"{client}-{session}"


# ---------------------------------------------------------------------------- lines of the journal


def utc(seconds: float) -> str:
    """A time in our form: 2026-01-11T14:30:00Z."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def new_op_id(seconds: float) -> str:
    """A unique id that sorts by time."""
    return f"{int(seconds * 1000):011x}-{os.urandom(5).hex()}"


def checksum(data: bytes) -> int:
    """CRC-32 (the one of zlib), without an import; for lines, not for files."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        crc = (crc >> 4) ^ _CRC_OF[crc & 15]
        crc = (crc >> 4) ^ _CRC_OF[crc & 15]
    return crc ^ 0xFFFFFFFF


# Of four bits; a table for whole bytes would cost more to make than it saves.
_CRC_OF = (
    0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
    0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
)  # fmt: skip


def sealed(line: bytes, crc: int) -> bytes:
    """A JSON object's bytes with its checksum as the last key, ready to append."""
    return line[:-1] + b',"sum":"%08x"}\n' % crc


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
    append(root, f"{root}/journal/{writer}.jsonl", sealed(line, checksum(line)))


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
