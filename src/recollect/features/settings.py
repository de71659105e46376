"""List the settings in effect, and change one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from recollect._fastimport import NamedTuple
from recollect.errors import RecollectError, SettingProblem, UsageProblem
from recollect.model.memory import Change
from recollect.store import disk as fsio
from recollect.store import settings as config
from recollect.store.store import OpenStore
from recollect.workspace import SCOPES, Workspace, publish_after_change

if TYPE_CHECKING:
    from recollect.features.auto_memory import Applied
    from recollect.ops.setup import Connected

AUTO_MEMORY = "clients.auto_memory"
AUTO_MEMORY_MODES = config.SETTINGS[AUTO_MEMORY].choices


class Row(NamedTuple):
    """A setting as it is in force."""

    key: str
    value: config.Value
    takes: str
    about: str
    set_in: str


def names() -> list[str]:
    """The names of all settings."""
    return list(config.SETTINGS)


def list_settings(app: Workspace) -> list[Row]:
    """Every setting, its value in force and where it was set."""
    rows = []
    values: dict[str, tuple[config.Value, str]] = {}
    own: dict[str, config.Value] = {}
    for scope in reversed(SCOPES):
        if scope in app.roots:
            with suppress(SettingProblem):
                found = config.load(app.roots[scope])
                own = config.narrowed(found, own)
                values |= {
                    key: (value, scope)
                    for key, value in own.items()
                    if value == found[key] or key not in values
                }
    for key, setting in config.SETTINGS.items():
        value, where = values.get(key, (setting.default, "default"))
        rows.append(Row(key, value, config.takes(setting), setting.about, where))
    return rows


def find_setting(app: Workspace, key: str) -> Row:
    """One setting. Raises UsageProblem if there is none of that name."""
    _checked(key)
    return next(row for row in list_settings(app) if row.key == key)


def _checked(key: str, text: str | None = None) -> config.Value | None:
    """The value that a text stands for. Raises UsageProblem for a name or value that is off."""
    try:
        if text is not None:
            return config.parsed(key, text)
        config.checked(key, config.SETTINGS[key].default if key in config.SETTINGS else None)
    except ValueError as error:
        raise UsageProblem(what=f"{error}.", command="config") from None
    return None


def shown(value: config.Value) -> str:
    """A value as it is given on the command line."""
    return config.shown(value)


class Changed(NamedTuple):
    """A setting that was changed, or would be."""

    key: str
    value: config.Value  # in force from now on
    path: str
    changed: bool
    client: Applied | None = None  # what it did to the settings of a client
    connected: Sequence[Connected] = ()  # files of clients that got or lost a hook by it

    def as_json(self) -> dict[str, Any]:
        """The fields by name."""
        hidden = ("client", "connected")
        shown = {key: value for key, value in self._asdict().items() if key not in hidden}
        shown |= {"client": self.client.as_json()} if self.client else {}
        clients = [one.as_json() for one in self.connected]
        return shown | ({"clients": clients} if clients else {})


def change_setting(
    app: Workspace, key: str, text: str | None, *, scope: str, dry_run: bool
) -> Changed:
    """Set a setting in a store's file, or take it out (None)."""
    value = _checked(key, text)
    store = app.store(scope)
    client = _told(app, store, key, value, dry_run=True)  # what cannot be is said before
    stamp, new = config.changed_text(store.files.root, key, value)
    path = config.path_of(store.files.root)
    connected: Sequence[Connected] = ()
    changed = bool(new) if stamp is None else stamp != fsio.stamp_of(new.encode("utf-8"))
    if client is not None and not dry_run:
        _take_in(app, store)
    if changed and not dry_run:
        store.commit(lambda: [Change("put", config.FILE, "", stamp, new)], cause="config")
        store.settings = app.settings(store.files.root)
        publish_after_change(app, store)
        if key.startswith("capture."):
            connected = _keep_asking(app, store)
    if not dry_run:
        client = _told(app, store, key, value, dry_run=False)
        if client is not None:
            _take_in(app, store)  # hooks are told what the client has before it from now on
    in_force = _without(app, store.scope, key) if value is None else value
    if store.scope != "global":
        in_force = config.narrowed({key: in_force}, app.own_settings())[key]
    return Changed(key, in_force, path, changed, client, connected)


def _told(
    app: Workspace, store: OpenStore, key: str, value: config.Value | None, *, dry_run: bool
) -> Applied | None:
    """Bring about what a setting means for a client, where it means anything."""
    if key != AUTO_MEMORY:
        return None
    from recollect.features import auto_memory as automemory  # seldom needed

    mode = str(value or automemory.ALONGSIDE)
    return automemory.apply(app, store.scope, mode, dry_run=dry_run)


def _keep_asking(app: Workspace, store: OpenStore) -> Sequence[Connected]:
    """Have the agent asked from now on, or no longer; clients count tool uses only for that."""
    from recollect.features import ask as asking
    from recollect.ops import setup  # seldom needed

    asking.keep_asking(app, store)
    return setup.reconnect(app)


def _without(app: Workspace, scope: str, key: str) -> config.Value:
    """The value of a setting that the store of this scope does not set."""
    if scope != "global" and "global" in app.roots:
        with suppress(SettingProblem):
            return config.load(app.roots["global"]).get(key, config.SETTINGS[key].default)
    return config.SETTINGS[key].default


def _take_in(app: Workspace, store: OpenStore) -> None:
    """Take in what a client noted by itself, before that may be out of our sight."""
    from recollect.features import auto_memory as automemory  # seldom needed

    with suppress(RecollectError):
        automemory.keep(app, store)
