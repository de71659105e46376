"""Update views, brief and the files that hooks read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from recollect import __version__
from recollect.context import brief as publish
from recollect.errors import RecollectError
from recollect.features.ask import keep_asking
from recollect.model.memory import Entry, Filter
from recollect.store import disk as fsio
from recollect.store import locations as places
from recollect.store.store import OpenStore
from recollect.workspace import SCOPES, Workspace

TYPE_CHECKING = False  # `typing` takes longer to load than a search
if TYPE_CHECKING:
    from recollect.model.session import SessionState

MOST_HOURS_RUNNING = 12
LATE, LATE_TOKENS = "late-", 300
_WATCHED = (
    "core", "episodic", "semantic", "semantic/decisions", "semantic/issues", "procedural",
    "procedural/patterns", "reference", "config.toml", "sessions/active",
)  # fmt: skip


def publish_all(app: Workspace, store: OpenStore) -> list[str]:
    """Renew the views of a store, its brief, and what its hooks go by; gives the views' names."""
    stores = _told_with(app, store)
    watched = _watched(stores)
    done = publish.publish_views(store, LastFacts(app, store))
    if done.is_held:
        what = (
            f"{store.files.root}/facts.json was edited by hand: `recollect review` lists the edits."
        )
        if what not in app.warnings:
            app.warnings.append(what)
    keep_hook_settings(app, store)
    told = [(store, done.entries), *_with_entries(stores[1:])]
    _keep_brief(app, told, watched)
    _keep_pointers(app, store)
    _keep_keywords(store)
    return done.written


class LastFacts:
    """How `facts.json` was last written on this machine, in the cache: by it an edit is known.

    Beside it lies of what all views were made then.
    """

    def __init__(self, app: Workspace, store: OpenStore) -> None:
        """Nothing is read yet."""
        self._path = f"{app.cache_of(store.files.root)}/facts.json"
        self._state_path = f"{app.cache_of(store.files.root)}/views"

    def text(self) -> str:
        """Its text; nothing where it is not known."""
        return _text_at(self._path)

    def is_ours(self, text: str) -> bool:
        """Whether this is what we were about to write when a process ended."""
        return _text_at(f"{self._path}.next") == _stamp(text)

    def begin(self, text: str) -> None:
        """Note that this is about to be written."""
        if text != self.text():
            _put(f"{self._path}.next", _stamp(text))

    def end(self, text: str) -> None:
        """Note that this is written, or settled."""
        if text != self.text():
            _put(self._path, text)

    def state(self) -> str:
        """What `keep_state` was told last, by this version."""
        version, _, state = _text_at(self._state_path).partition(" ")
        return state if version == __version__ else ""

    def keep_state(self, state: str) -> None:
        """Note of what all views were made, and how they look."""
        _put(self._state_path, f"{__version__} {state}")


def _text_at(path: str) -> str:
    with suppress(RecollectError):
        return fsio.read_file(path).decode("utf-8", "replace")
    return ""


def _put(path: str, text: str) -> None:
    fsio.write_whole(path, text.encode("utf-8", "replace"), durable=False)


def _stamp(text: str) -> str:
    return fsio.stamp_of(text.encode("utf-8", "surrogateescape"))


def _keep_pointers(app: Workspace, store: OpenStore) -> None:
    """Bring the pointers in the client's instructions up to date, if a person has pinned any."""
    marks = (f"{store.files.root}/pins.json", f"{app.cache_of(store.files.root)}/pointers")
    if any(map(os.path.lexists, marks)):
        from recollect.features import promote as promoting  # seldom needed

        with suppress(RecollectError):  # instructions that we may not touch stop nothing else
            promoting.renew(app, store)


def _keep_keywords(store: OpenStore) -> None:
    """Bring the keywords in the skill beside a store up to date, if a person has put one there."""
    beside = f"{os.path.dirname(store.files.root)}/skills"
    if any(os.path.lexists(f"{beside}/{name}/SKILL.md") for name in ("recollect", "recollect-zh")):
        from recollect.context import pointers as keywords  # seldom needed

        with suppress(RecollectError):
            keywords.renew_keywords(store)


def keep_hook_settings(app: Workspace, store: OpenStore) -> None:
    """Leave the settings where a hook finds them without a parser."""
    chosen = store.settings
    line = f"{chosen.lang} {chosen.prompt_tokens} {chosen.error_tokens}\n"
    fsio.write_whole(f"{app.cache_of(store.files.root)}/settings", line.encode(), durable=False)
    keep_asking(app, store)


def keep_brief(app: Workspace, store: OpenStore) -> str:
    """Make the brief of a store and keep it for the hook."""
    stores = _told_with(app, store)
    watched = _watched(stores)
    return _keep_brief(app, _with_entries(stores), watched)


def keep_late(
    app: Workspace, store: OpenStore, memories: Sequence[str], sessions: Sequence[str]
) -> None:
    """Keep for these sessions, by journal file, what their briefs did not know of others yet."""
    cache = app.cache_of(store.files.root)
    for old in os.listdir(cache):
        path = f"{cache}/{old}"
        with suppress(OSError):
            if old.startswith(LATE) and os.path.getmtime(path) < app.started_ns / 1e9 - 86_400:
                fsio.remove(path)  # of a session that never asked
    for name in sessions:
        text = publish.make_late(
            store,
            memories,
            lang=store.settings.lang,
            budget=LATE_TOKENS,
            nonce=os.urandom(4).hex(),
        )
        if text:
            _put(f"{cache}/{LATE}{name.removesuffix('.jsonl')}", text)


def _told_with(app: Workspace, store: OpenStore) -> list[OpenStore]:
    """The stores that the brief of this one tells of."""
    if store.scope != "project" or "global" not in app.roots:
        return [store]
    return [store, app.opened(app.roots["global"], "global")]


def _with_entries(stores: Sequence[OpenStore]) -> list[tuple[OpenStore, Sequence[Entry]]]:
    return [(store, store.index.entries(Filter())) for store in stores]


def _keep_brief(
    app: Workspace,
    told: list[tuple[OpenStore, Sequence[Entry]]],
    watched: list[str],
) -> str:
    """`watched` is how the stores looked before they were read."""
    store = told[0][0]
    nonce = os.urandom(8).hex()
    text, ids, paths = publish.make_brief(
        told,
        _running(app, store),
        lang=store.settings.lang,
        budget=store.settings.start_tokens,
        nonce=nonce,
    )
    # A change between the look and the reading makes the brief look old.
    sources = [*watched, *(_look(path) for path in paths)]
    path = f"{app.cache_of(store.files.root)}/brief"
    head = f"recollect-brief 1 {nonce} {','.join(ids)}\n"
    output = publish.as_hook_output(text) if text else ""
    page = head + "".join(f"{line}\n" for line in sources) + "\n" + output
    fsio.write_whole(path, page.encode("utf-8", "replace"), durable=False)
    return text


def _running(app: Workspace, store: OpenStore) -> list[SessionState]:
    """The sessions of a store that go on now."""
    since = app.started_ns / 1e9 - MOST_HOURS_RUNNING * 3600
    try:
        names = os.listdir(f"{store.files.root}/sessions/active")
    except OSError:
        names = []
    if not names:
        return []  # the most usual; what reads sessions takes long to load
    return [
        state
        for state in app.sessions(store).every(since)
        if state.status == "active" and state.last_updated >= places.utc(since)
    ]


def _watched(stores: list[OpenStore]) -> list[str]:
    return [_look(f"{store.files.root}/{name}") for store in stores for name in _WATCHED]


def _look(path: str) -> str:
    """How a file or folder looks now, as the hook will look at it."""
    try:
        info = os.stat(path)
    except OSError:
        return f"0 0 {path}"
    size = "-" if os.path.isdir(path) else str(info.st_size)
    return f"{info.st_mtime_ns} {size} {path}"


def scope_of(app: Workspace, root: str) -> str:
    """The scope of the store at `root`."""
    return next((s for s in SCOPES if app.roots.get(s) == root), "project")
