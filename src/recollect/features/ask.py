"""`capture.mode = ask`: keep the flag for hooks, and install the counting hook."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress

from recollect.errors import SettingProblem
from recollect.store import disk as fsio
from recollect.store import locations as places
from recollect.store import settings as config
from recollect.store.store import OpenStore
from recollect.workspace import Workspace

ASKING = "asking"  # in the cache of a store; `hooks` looks for it


def keep_asking(app: Workspace, store: OpenStore) -> None:
    """Leave `asking` in the cache where the agent is asked: interval, language, our command.

    Where it is not, nothing is there: that is all that a hook looks at.
    """
    path = f"{app.cache_of(store.files.root)}/{ASKING}"
    chosen = _chosen(app, store)
    # What an agent writes by itself would be plain.
    if chosen["capture.mode"] != "ask" or not store.settings.capture or store.settings.encrypt:
        fsio.remove(path)
        return
    lines = (str(chosen["capture.save_interval"]), store.settings.lang, _command())
    fsio.write_whole(path, "".join(f"{line}\n" for line in lines).encode(), durable=False)


def is_asked(env: Mapping[str, str]) -> bool:
    """Whether any store of this user has the agent asked, as its last publication left word."""
    with suppress(OSError), os.scandir(places.cache_root(dict(env))) as found:
        return any(os.path.exists(f"{one.path}/{ASKING}") for one in found)
    return False


def _chosen(app: Workspace, store: OpenStore) -> dict[str, config.Value]:
    """The settings in force: those of the store, then of the global one, then the defaults."""
    values = {key: setting.default for key, setting in config.SETTINGS.items()}
    for root in (app.roots.get("global", ""), store.files.root):
        with suppress(SettingProblem):
            values |= config.load(root) if root else {}
    return values


def _command() -> str:
    """How this program is run from a shell, wherever it is installed."""
    import shlex

    main = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "__main__.py")
    return shlex.join([sys.executable, "-I", main])
