"""App: settings, clock and wiring; the one place that knows all.

Promises: a store is opened the same way for every door; nothing is created by opening what is
there; the clock and the environment are read here and handed down.
Touches: the environment, the clock, the cache folder.
"""

from recollect.app.api import Memories, open_store
from recollect.app.wiring import App

__all__ = ["App", "Memories", "open_store"]
