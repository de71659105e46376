"""App: relating memories that belong together."""

from __future__ import annotations

from recollect.app.publishing import publish_after_change
from recollect.app.wiring import App
from recollect.domain.dismissed import RELATED
from recollect.domain.related import Tie
from recollect.services import dismissing, relating


def dismiss(app: App, name: str, other: str, *, again: bool, dry_run: bool) -> bool:
    """Do not propose to relate these two any more, or do it `again`; whether that is new."""
    store = app.store_of(name)
    return dismissing.decide(store, RELATED, name, other, again=again, dry_run=dry_run)


def related(
    app: App, name: str, other: str = "", *, scope: str, accept: bool, dry_run: bool
) -> list[tuple[str, Tie]]:
    """The pairs that may be worth relating, each with the scope of its store; related with `accept`."""
    found = []
    for store in [app.store_of(name)] if name else app.stores(scope):
        ties = relating.proposals(store, name, other)
        if ties and accept and not dry_run:
            relating.accept(store, ties)
            publish_after_change(app, store)
        found += [(store.scope, tie) for tie in ties]
    return found
