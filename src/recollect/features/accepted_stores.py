"""Stores in a repository that are ignored, and the reason for each."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.store import locations as places
from recollect.store import ownership as ours
from recollect.workspace import App, Finding
from recollect.workspace import found as _found


def findings(app: App) -> Iterator[Finding]:
    """The stores around that are not used, and why."""
    for path, why in places.stores_here(app.folder, app.env):
        if why == ours.LINK:
            yield _found(
                "problem",
                "store",
                "{path} is not used: it is a symbolic link, or is in one",
                path=path,
            )
        elif why == ours.OWNER:
            yield _found(
                "problem", "store", "{path} is not used: it belongs to another user", path=path
            )
