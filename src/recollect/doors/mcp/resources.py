"""MCP: resources: the index of what is stored, and each note.

Promises: an address names a note of the stores or nothing; no address reaches a file by its path.
Touches: the stores, through `app`.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote

from recollect.app import tools as app_tools
from recollect.app.wiring import App
from recollect.domain.pack import attribute, visible
from recollect.errors import MemoryNotFound, StoreNotFound
from recollect.lang import say

SCHEME = "memory://"
INDEX = f"{SCHEME}index"
MARKDOWN = "text/markdown"
MOST_LISTED = 50
LONGEST = 40_000  # characters of a note that is read as a resource; the tool has the rest


def listed(app: App) -> list[dict[str, Any]]:
    """The index, and the newest notes."""
    index = {
        "uri": INDEX,
        "name": "index",
        "title": say(app.lang, "Index of the notes"),
        "mimeType": MARKDOWN,
    }
    if not app.roots:
        return [index]
    return [index] + [
        {
            "uri": SCHEME + quote(one.entry.id),
            "name": one.entry.id,
            "title": attribute(one.entry.title),
            "mimeType": MARKDOWN,
        }
        for one in app_tools.newest(app, MOST_LISTED)
    ]


def read(app: App, uri: str) -> list[dict[str, Any]]:
    """The text behind an address.

    Raises:
        MemoryNotFound: it is no address of a note that there is.
    """
    name = unquote(uri.removeprefix(SCHEME), errors="replace")
    if not uri.startswith(SCHEME) or not name:
        raise MemoryNotFound(id=attribute(uri))
    if name == "index":
        text = _index(app)
    else:
        piece = app_tools.expand(app, name, most=LONGEST)
        text = piece.text
        if piece.next:
            text += "\n" + say(app.lang, "It goes on: call `expand` with start {n} (of {size} characters).",
                               n=piece.next, size=piece.size)  # fmt: skip
    return [{"uri": uri, "mimeType": MARKDOWN, "text": visible(text)}]


def _index(app: App) -> str:
    try:
        return app_tools.index_pages(app)
    except StoreNotFound:
        return say(app.lang, "There is no store here; the person can make one with `recollect init`.")  # fmt: skip
