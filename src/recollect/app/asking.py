"""App: leaving word for the hooks of a store that the agent is to be asked (`capture.mode = ask`)."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from recollect import fsio
from recollect.adapters import config
from recollect.app.wiring import App
from recollect.errors import SettingProblem
from recollect.services.opened import OpenStore


def keep_asking(app: App, store: OpenStore) -> None:
    """Leave `asking` in the cache where the agent is asked: interval, language, our command.

    Where it is not, nothing is there: that is all that a hook looks at.
    """
    path = f"{app.cache_of(store.files.root)}/asking"
    chosen = _chosen(app, store)
    # What an agent writes by itself would be plain.
    if chosen["capture.mode"] != "ask" or not store.settings.capture or store.settings.encrypt:
        fsio.remove(path)
        return
    lines = (str(chosen["capture.save_interval"]), store.settings.lang, _command())
    fsio.write_whole(path, "".join(f"{line}\n" for line in lines).encode(), durable=False)


def _chosen(app: App, store: OpenStore) -> dict[str, config.Value]:
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
