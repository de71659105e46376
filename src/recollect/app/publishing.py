"""App: what a change leaves to be renewed, now or by the worker.

Apart from `views`, so that a command whose store is large loads nothing of what writes them.
"""

from __future__ import annotations

from contextlib import suppress

from recollect.app import workers
from recollect.app.wiring import App
from recollect.errors import RecollectError
from recollect.services.opened import OpenStore

# Above this many memories the views are left to the worker, so that a save stays quick.
MOST_AT_ONCE = 300


def publish_after_change(app: App, store: OpenStore) -> None:
    """Renew views and brief now, or leave word for the worker if the store is large."""
    with suppress(RecollectError, OSError):
        if store.index.counts()["memories"] > MOST_AT_ONCE:
            workers.ask(app, store)
        else:
            from recollect.app import views

            views.publish_all(app, store)
            if app.embedder:
                from recollect.app import embedding  # few have one

                if embedding.lacks(app, store):
                    workers.ask(app, store)
