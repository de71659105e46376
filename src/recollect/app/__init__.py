"""App: settings, clock and wiring; the one place that knows all.

Promises: a store is opened the same way for every door; nothing is created by opening what is
there; the clock and the environment are read here and handed down.
Touches: the environment, the clock, the cache folder.
"""

TYPE_CHECKING = False  # a short search does without all of it
if TYPE_CHECKING:
    from recollect.app.api import Memories, open_store
    from recollect.app.wiring import App

__all__ = ["App", "Memories", "open_store"]


def __getattr__(name: str) -> object:
    """What is asked for, from where it lives; a command does without the Python API."""
    if name == "App":
        from recollect.app import wiring

        return wiring.App
    if name in ("Memories", "open_store"):
        from recollect.app import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
