"""App: pruning by the policy of a store."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from recollect.app.publishing import publish_after_change
from recollect.app.wiring import App
from recollect.domain.pruning import Due, Policy
from recollect.named import NamedTuple
from recollect.services import pruning
from recollect.services.opened import OpenStore


class Pruned(NamedTuple):
    """What a policy says may go from a store, or what went."""

    scope: str
    policy: Policy
    rows: list[Due]

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        rows = rows_json(self.rows)
        return {"scope": self.scope, "policy": self.policy._asdict(), "pruned": rows}


def rows_json(rows: Iterable[Due]) -> list[dict[str, str]]:
    """What goes, as JSON."""
    return [
        {"id": one.entry.id, "path": one.entry.path, "why": one.why, "since": one.since}
        for one in rows
    ]


def prune(app: App, *, scope: str, apply: bool) -> list[Pruned]:
    """What may go from the stores; with `apply` it goes into their archives."""
    done = []
    for store in app.stores(scope):
        rows = pruning.prune(store) if apply else pruning.due(store)
        if apply and rows:
            publish_after_change(app, store)
        done.append(Pruned(store.scope, pruning.policy_of(store), rows))
    return done


def prune_with_pass(store: OpenStore, *, dry_run: bool) -> list[Due]:
    """What goes, or would go, with a consolidation: nothing unless the person has set that."""
    if not store.settings.prune_auto:
        return []
    if not dry_run:
        return pruning.prune(store, unasked=True)
    found = pruning.due(store)
    return [] if pruning.is_too_much(store, len(found)) else found
