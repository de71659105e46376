"""Record what an agent recalled by a tool as a use."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from recollect.store import locations as places
from recollect.text.tokens import count_tokens
from recollect.workspace import Workspace, told

# A server whose client says nothing of its session has one of its own.
_OWN = ("mcp", os.urandom(6).hex())


def keep(app: Workspace, names: Sequence[str], moment: str, text: str) -> None:
    """Note that memories or sections of these names were handed over, in a text of that cost."""
    client, session = told(app.env)
    client, session = (client, session) if session else _OWN
    fields: dict[str, str | list[str] | int] = {
        "session": session,
        "moment": moment,
        "items": list(names),
        "tokens": count_tokens(text),
    }
    root = app.stores()[0].files.root
    with suppress(OSError):
        places.record(root, places.writer_of(client, session), "inject", fields)
