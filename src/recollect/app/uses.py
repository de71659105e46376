"""App: what an agent asked for by a tool counts as a use, as what the hooks hand over does.

Promises: each store is told of its own memories only; a store that cannot be written keeps nothing
from anybody who asks.
Touches: `journal/<client>-<session>.jsonl` of the stores.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from recollect.app.here import told
from recollect.app.wiring import App
from recollect.domain.pack import count_tokens
from recollect.hooks import places

# A server whose client says nothing of its session has one of its own.
_OWN = ("mcp", os.urandom(6).hex())


def keep(app: App, names: Sequence[str], moment: str, text: str) -> None:
    """Note that memories or sections of these names were handed over, in a text of that cost."""
    client, session = told(app.env)
    client, session = (client, session) if session else _OWN
    tokens = count_tokens(text)
    for store in app.stores():
        mine = [name for name in names if store.index.entry(name.partition("#")[0])]
        if not mine:
            continue
        fields: dict[str, str | list[str] | int] = {
            "session": session,
            "moment": moment,
            "items": mine,
            "tokens": tokens,
        }
        with suppress(OSError):
            places.record(store.files.root, places.writer_of(client, session), "inject", fields)
        tokens = 0  # it was said once
