"""App: a search the short way, where nothing has to be done first.

Promises: what it finds is what `reading.search` finds; where anything is out of the ordinary (a file
that changed, work that a crash left, a setting besides the language, an embedder, an index that is
not as it should be) it says so by None, having changed nothing.
Touches: the settings, the journal's folder, the index and a look at every memory file; only reading.

Most of a short command's time goes into what it loads: this loads a third of the modules.
"""

from __future__ import annotations

import os
import stat
import time

from recollect.adapters.journal import listing
from recollect.adapters.scanning import scan
from recollect.adapters.simple import simple_values
from recollect.adapters.sqlite import lookup
from recollect.adapters.sqlite.searching import Reader
from recollect.domain.looks import looks_same
from recollect.domain.model import Filter
from recollect.hooks import paths, places
from recollect.lang import asked_of
from recollect.services.searching import search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.adapters.sqlite.engine import sqlite
    from recollect.services.searching import Found

BUSY_MS = 200
LARGEST_SETTINGS = 16 * 1024


class _Store:
    """What a search asks of an opened store."""

    def __init__(self, scope: str, root: str, now: str, db: sqlite.Connection) -> None:
        self.scope, self.root, self.now = scope, root, now
        self.index = Reader(db)

    def embedder(self) -> None:
        """There is none: the long way was taken otherwise."""


def found(
    folder: str, env: dict[str, str], text: str, limit: int
) -> tuple[str, list[Found]] | None:
    """The language to answer in and what was found; None where it takes the long way."""
    project, home = places.roots(folder, env)
    roots = [(scope, root) for scope, root in (("project", project), ("global", home)) if root]
    if not roots or paths.exists(places.embedders(env)):
        return None
    said = [_language(root) for _, root in roots]
    if None in said:
        return None
    now = places.utc(time.time())
    stores = []
    for scope, root in roots:
        db = _index_of(root, env)
        if db is None:
            return None
        stores.append(_Store(scope, root, now, db))
    name = paths.parent(paths.parent(project)) if project else places.project_of(folder, env)
    hits = search(stores, text, Filter(), limit=limit, project=name)  # type: ignore[arg-type]
    return next(filter(None, said), asked_of(env)), hits


def _language(root: str) -> str | None:
    """The language that a store's settings name, if any; None if they say anything else."""
    path = f"{root}/config.toml"
    try:
        info = os.lstat(path)
    except FileNotFoundError:
        return ""
    if not stat.S_ISREG(info.st_mode) or info.st_size > LARGEST_SETTINGS:
        return None
    values = simple_values(paths.read_text(path))
    if values is None or not {"lang"}.issuperset(values):
        return None
    lang = values.get("lang", "")
    return lang if lang in ("", "en", "zh") else None


def _index_of(root: str, env: dict[str, str]) -> sqlite.Connection | None:
    """The index of a store, if it says what the files say, and nothing was left undone."""
    path = f"{places.cache_folder(root, env)}/index.db"
    db = lookup.open_index(path, BUSY_MS) if paths.is_file(path) else None
    if db is None:
        return None
    is_settled = _settled(db) == listing.of_ops(listing.files_in(f"{root}/journal"))
    return db if is_settled and _is_as_the_files(db, root) else None


def _settled(db: sqlite.Connection) -> dict[str, int]:
    """How far each file of the journal was seen to be carried out."""
    lines = [line.split(" ", 1) for line in lookup.meta(db, "settled").splitlines()]
    return {name: int(offset) for offset, name in lines}


def _is_as_the_files(db: sqlite.Connection, root: str) -> bool:
    """Whether every file looks as it did when the index took it in, and none is more or less."""
    known = {row[0]: row for row in lookup.files(db)}
    if not known:
        return False
    for seen in scan(root)[0]:
        old = known.pop(seen.path, None)
        if old is None or not looks_same(old, seen):
            return False
    return not known
