"""App: the token that lets clients in over HTTP.

Promises: made once, for this user of this machine, and readable for nobody else; one that is there
is never changed.
Touches: `http-token` in the user's data folder.
"""

from __future__ import annotations

import os
from contextlib import suppress

from recollect import fsio
from recollect.app.wiring import App
from recollect.errors import AlreadyThere, FileNotThere, StoreNotFound, Unreadable

BYTES = 32
SHORTEST = 32  # characters


def token_path(app: App) -> str:
    """Where the token is, or would be made."""
    home = app.env.get("HOME", "")
    base = app.env.get("XDG_DATA_HOME", "")
    if not base.startswith("/"):
        if not home:
            raise StoreNotFound(where="a user without a home folder (HOME is not set)")
        base = os.path.join(home, ".local", "share")
    return os.path.join(base, "recollect", "http-token")


def http_token(app: App) -> str:
    """The token, made if there is none yet.

    Raises:
        Unreadable: what is there is too short to be one.
    """
    path = token_path(app)
    for _ in range(2):  # somebody else may be making it
        with suppress(FileNotThere):
            found = fsio.read_file(path, 4096).decode("ascii", "replace").strip()
            if len(found) < SHORTEST or not found.isalnum():
                raise Unreadable(
                    path=path, reason="it holds no token; without it a new one is made"
                )
            return found
        fsio.make_folder(os.path.dirname(path))
        with suppress(AlreadyThere):
            fsio.create_whole(path, f"{os.urandom(BYTES).hex()}\n".encode())
    raise FileNotThere(path=path, reason="it is not a regular file")
