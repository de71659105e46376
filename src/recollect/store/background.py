"""Request background work, tell when a store is due for it, and start the worker process.

Promises: the marker is on disk before the request returns. The worker outlives the client that
started it, even one that kills its hooks.
Touches: markers in the cache, one process.

Hooks import this module, so it imports little.
"""

import os
import sys

from recollect.store import locations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.search.index import SqliteIndex

PASSED = "consolidated"  # in the index: when the last pass was, and over which episodes
COMPRESSED = "compressed"  # in the index: the day on which old sessions were last put away
MOST_PENDING = 20  # new episodes that wait for the next day
MOST_SHELLS = 4
SHELLS = ("sh", "dash", "bash", "zsh", "fish", "ash", "ksh", "env", "timeout", "recollect-hook")


def mark_pending(cache: str) -> None:
    """Mark that there is work; the worker removes the mark when it is done."""
    locations.make_folders(cache)
    os.close(os.open(f"{cache}/pending", os.O_WRONLY | os.O_CREAT, 0o600))


def is_pending(cache: str) -> bool:
    """Whether work was asked for and is not done yet."""
    return locations.exists(f"{cache}/pending") or locations.exists(f"{cache}/working")


def start_worker(root: str, env: "dict[str, str] | None" = None) -> int:
    """Start the worker of a store, detached from the client; gives its process id.

    `env` says where its cache is; without one it is this process's own.
    """
    main = locations.parent(locations.parent(__file__)) + "/__main__.py"
    command = [sys.executable, "-I", main, "work", root]
    # A client that kills the hook's group the moment the hook is gone must not find the worker in
    # it: wait until the worker has a session of its own.
    is_apart, apart = os.pipe()
    pid = os.fork()
    if pid:
        os.close(apart)
        os.read(is_apart, 1)  # ends when the worker closes its end, or dies
        os.close(is_apart)
        return pid
    try:
        os.setsid()
        os.close(apart)
        null = os.open("/dev/null", os.O_RDWR)
        for handle in (0, 1, 2):
            os.dup2(null, handle)
        os.closerange(3, 64)
        variables = os.environ if env is None else env
        os.execve(command[0], command, variables)  # noqa: S606 - no shell is the point
    finally:
        os._exit(0)


def must_consolidate(index: "SqliteIndex", now: str) -> bool:
    """Whether the last pass was on another day, or many episodes are new since."""
    is_new_day = index.meta(PASSED)[:10] != now[:10] and bool(episodes_of(index))
    return is_new_day or len(new_episodes(index)) > MOST_PENDING


def new_episodes(index: "SqliteIndex") -> "set[str]":
    """The episodes that no pass has seen as they are now, each by the start of its stamp."""
    return episodes_of(index) - set(index.meta(PASSED).split(" ")[1:])


def episodes_of(index: "SqliteIndex") -> "set[str]":
    """The episodes of a store as they are now, each by the start of its stamp."""
    from recollect.model.memory import Filter  # hooks do not ask

    return {entry.stamp[:8] for entry in index.entries(Filter(layer="episodic"))}


def client_process() -> str:
    """The id and the start of the process whose hook this is, past any shell in between.

    Nothing where the system does not tell.
    """
    pid = str(os.getppid())
    for _ in range(MOST_SHELLS):
        name, parent, began = process_at(pid)
        if name not in SHELLS:
            return f"{pid}:{began}" if began else ""
        pid = parent
    return ""


def process_at(pid: str) -> "tuple[str, str, str]":
    """`(name, parent, start)` of a process that runs; empty where it does not, or nobody tells."""
    try:
        text = locations.read(f"/proc/{pid}/stat", 1024).decode("utf-8", "replace")
    except OSError:
        return "", "", ""
    head, _, rest = text.rpartition(")")
    fields = rest.split()
    if len(fields) < 20 or fields[0] in "ZX":
        return "", "", ""
    return head.partition("(")[2], fields[1], fields[19]
