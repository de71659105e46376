"""Create stores, connect clients, change settings, and remove all of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.clients import config_files
from recollect.clients.base import ConfigPart, HookProgram
from recollect.clients.registry import KNOWN, Client
from recollect.context.pointers import Skill
from recollect.errors import (
    AlreadyThere,
    FileNotThere,
    RecollectError,
    SettingProblem,
    Unreadable,
    UsageProblem,
)
from recollect.features import auto_memory, foreign_settings, repository, store_migration
from recollect.features.auto_memory import Applied
from recollect.features.repository import GitSetupResult
from recollect.model.memory import Change
from recollect.ops import client_servers
from recollect.ops.client_servers import ServerState
from recollect.store import disk, locations, repositories, settings
from recollect.store.store import OpenStore
from recollect.workspace import (
    ASKING,
    PACKAGE,
    SCOPES,
    Workspace,
    data_folder,
    is_agent,
    no_home_error,
    require_person,
)

ALL = "all"
FOLDERS = ("core", "episodic", "semantic", "procedural", "reference")
CONFIG_HEAD = {
    "en": "# Settings of this memory store; `recollect config` lists them all.\n",
    "zh": "# 此记忆库的设置；`recollect config` 列出全部设置。\n",
}


class NewStore(NamedTuple):
    """A store that was asked for."""

    scope: str
    path: str
    changed: bool
    lang: str


class ClientFile(NamedTuple):
    """A file of a client that was asked for."""

    name: str
    path: str
    changed: bool
    backup: str = ""


class InitResult(NamedTuple):
    """What `init` did."""

    stores: list[NewStore]
    clients: list[ClientFile]
    offered: Sequence[str]  # clients that are here and not connected
    auto_memory: Applied | None  # what became of the memory that a client keeps by itself
    git: Sequence[GitSetupResult]  # of stores that are in a repository
    plugins: Sequence[str]  # clients that were left as they are, since they have our plugin
    skills: Sequence[Skill]
    tools: Sequence[ServerState] = ()  # of clients that keep servers in a state file

    def as_json(self) -> dict[str, Any]:
        """The fields by name, without empty ones except `stores` and `clients`."""
        fields = self._asdict()
        return {key: fields[key] for key in fields if fields[key] or key in ("stores", "clients")}


class InitRequest(NamedTuple):
    """What `init` is asked for; a new store is in `lang`, or in the language of the terminal."""

    clients: Sequence[str] = ()
    lang: str = ""
    skill: bool = False  # the program's own, beside the store
    auto_memory: str = ""  # how to live beside the memory that a client keeps by itself


def init(app: Workspace, wish: InitRequest, *, scope: str, dry_run: bool) -> InitResult:
    """Make the stores, connect the clients and install the skill, as requested."""
    clients = clients_named(app, wish.clients)
    scopes = _scopes(app, scope, has_clients=bool(clients))
    project = app.project_folder if "project" in scopes else ""
    plugins = [client.name for client in clients if client.has_plugin(app.env)]
    wanted_parts = [
        (client.name, part)
        for client in clients
        if client.name not in plugins  # settings and plugin would run each hook twice
        for part in parts_of(app, client, project)
    ]
    for name, part in wanted_parts:  # fails before anything is made
        _connect(app, name, part, dry_run=True)
    lang = wish.lang or app.terminal_lang
    if wish.skill:
        _require_skills(app, scopes, lang)  # likewise
    stores = [_make_store(app, name, lang, dry_run=dry_run) for name in scopes]
    prepared = [repository.prepare(made.path, dry_run=dry_run) for made in stores]
    connected = [_connect(app, name, part, dry_run=dry_run) for name, part in wanted_parts]
    if not dry_run:
        _note_place(app)
        app.forget_roots()
        for made in stores:
            store = app.opened(made.path, made.scope)
            app.publish_or_ask(store)
            if store.files.believed is not None and (n := repository.count_doubted(store)):
                app.warnings.append(
                    f"Memories that came with the project: {n}. Agents are not told them until you accept them with `recollect review --repository accept`."
                )
    skills = _put_skills(app, stores, dry_run=dry_run) if wish.skill else ()
    named = [client.name for client in clients]
    offered = [name for name in installed(app) if name not in named and not is_connected(app, name)]
    applied = _choose_auto_memory(app, wish.auto_memory, scopes[0], dry_run=dry_run)
    server = HookProgram(*program_paths()).server
    tools = [
        client_servers.add(client, app.env, server, dry_run=dry_run)
        for client in clients
        if client.name not in plugins
    ]
    in_git = [one for one in prepared if one.driver not in ("no-git", "no-repository")]
    own = (stores, connected, offered, applied, in_git, plugins, skills)
    return InitResult(*own, [one for one in tools if one])


def model_to_offer(app: Workspace, clients: Sequence[str]) -> str:
    """The first of the person's clients that could read sessions; of other clients if none can.

    Empty if a model is set, or was declined, or if an agent asks.
    """
    from recollect.clients import models  # seldom needed

    if settings.MODEL in app.own_settings() or is_agent(app.env):
        return ""
    here = [name for name in models.installed(app.env) if name in KNOWN]
    return next((name for name in here if name in clients), next(iter(here), ""))


def use_model(app: Workspace, name: str) -> str:
    """Set the model that reads the sessions of all projects, or none; returns the settings file."""
    if "global" not in app.roots:
        made = _make_store(app, "global", app.terminal_lang, dry_run=False)
        app.forget_roots()
        app.publish_or_ask(app.opened(made.path, made.scope))
    return change_setting(app, settings.MODEL, name, scope="global", dry_run=False).path


def _choose_auto_memory(app: Workspace, mode: str, scope: str, *, dry_run: bool) -> Applied | None:
    """Set the mode of auto memory, if one was asked for."""
    if not mode:
        return None
    if dry_run:  # there may be no store yet
        return auto_memory.apply(app, scope, mode, dry_run=True)
    return change_setting(app, auto_memory.KEY, mode, scope=scope, dry_run=False).client


def _require_skills(app: Workspace, scopes: Sequence[str], lang: str) -> None:
    from recollect.context import pointers  # seldom needed

    for scope in scopes:
        pointers.skill_beside(app.wanted_root(scope), scope, lang)


def _put_skills(app: Workspace, stores: Sequence[NewStore], *, dry_run: bool) -> list[Skill]:
    from recollect.context import pointers  # seldom needed

    done = []
    for made in stores:
        if os.path.exists(settings.path_of(made.path)):
            store = app.opened(made.path, made.scope)
            done.append(pointers.put_skill(store, dry_run=dry_run))
        else:  # a dry run made no store
            done.append(pointers.skill_beside(made.path, made.scope, made.lang))
    return done


def _scopes(app: Workspace, scope: str, *, has_clients: bool) -> list[str]:
    """The scopes of the stores to make.

    If none is named: the project's in a project, the global one elsewhere, both for a client.
    """
    home = os.path.realpath(app.env.get("HOME", "/"))
    is_home = os.path.realpath(app.project_folder) in (home, "/")
    if scope:
        named = list(SCOPES) if scope == "both" else [scope]
        # A store in the home folder is that of all projects, and one in / would be as well.
        return list(dict.fromkeys("global" if is_home else name for name in named))
    in_project = not is_home and (
        repositories.main_work_tree(app.folder) or os.path.isdir(f"{app.project_folder}/.claude")
    )
    found = ["project"] if in_project or (not has_clients and not is_home) else []
    return [*found, "global"] if has_clients or not found else found


def _make_store(app: Workspace, scope: str, lang: str, *, dry_run: bool) -> NewStore:
    root = app.wanted_root(scope)
    fresh = not os.path.exists(settings.path_of(root))
    if not fresh:
        return NewStore(scope, root, fresh, app.settings(root).lang)
    if dry_run:
        return NewStore(scope, root, fresh, lang)
    is_new = not os.path.lexists(root)
    moved = store_migration.move_into_repository(app, root) if scope == "project" else ""
    if moved:
        app.warnings.append(f"This project's memories were moved from {moved} to {root}.")
    for name in FOLDERS:
        disk.make_folder(os.path.join(root, name))
    known = repository.believed_in(app, root, is_new=is_new) if scope == "project" else None
    path = settings.path_of(root)
    if not os.path.lexists(path):
        text = f'{CONFIG_HEAD[lang]}lang = "{lang}"\n'.encode()
        with suppress(AlreadyThere):  # another `init` made it just now
            disk.create_whole(path, text)
        if known is not None:
            known.take([disk.stamp_of(text)])
    disk.sync_folder(root)
    return NewStore(scope, root, fresh, lang)


def installed(app: Workspace) -> list[str]:
    """The clients that seem to be on this machine."""
    return [name for name, client in KNOWN.items() if client.is_installed(app.env)]


def clients_named(app: Workspace, names: Sequence[str]) -> list[Client]:
    """The clients of these names, each once; with `all`, those that are on this machine."""
    wanted = [one for name in names for one in (installed(app) if name == ALL else [name])]
    return [KNOWN[name] for name in dict.fromkeys(wanted)]


def is_connected(app: Workspace, name: str) -> bool:
    """Whether a client runs our hooks: by its plugin, or by its own files, of whichever installation."""
    client = KNOWN[name]
    if client.has_plugin(app.env):
        return True
    first = client.own(parts_of(app, client))[0]
    return config_files.state_of(first) in ("current", "other")


def program_paths() -> tuple[str, str]:
    """`(python, hook)`: the interpreter that runs us and the hook program, absolute."""
    return sys.executable, f"{PACKAGE}/hook.py"


def runs_from_plugin() -> bool:
    """Whether this program is part of a plugin, and replaced with it."""
    plugin = os.path.dirname(os.path.dirname(PACKAGE))
    manifests = (".claude-plugin/plugin.json", "gemini-extension.json")
    return any(os.path.exists(os.path.join(plugin, name)) for name in manifests)


def _note_place(app: Workspace) -> None:
    """Note where we are for the plugin's launcher, which finds the plugin's own program itself."""
    if runs_from_plugin():
        return
    home = app.env.get("XDG_DATA_HOME") or os.path.join(app.env.get("HOME", "/"), ".local", "share")
    folder = os.path.join(home, "recollect")
    disk.make_folder(folder)
    disk.write_whole(
        os.path.join(folder, "place"), "\n".join([*program_paths(), ""]).encode(), durable=False
    )


def program_for(app: Workspace) -> HookProgram:
    """Our program, as the clients of this user are to run it now."""
    return HookProgram(*program_paths(), asks=is_asked(app.env))


def parts_of(
    app: Workspace, client: Client, project: str = "", *, asks: bool | None = None
) -> list[ConfigPart]:
    """The files of a client: the person's, and those of the project if there is one."""
    program = program_for(app)
    own = client.parts(app.env, program if asks is None else program._replace(asks=asks))
    return own + (client.project_parts(project) if project else [])


def _note_path(app: Workspace, client: str, part: ConfigPart) -> str:
    base = locations.cache_root(app.env)
    if not base:
        raise no_home_error()
    # A file of a project has a note for each project.
    own = {"": "", "rule": f"-rule-{locations.short_hash(part.path)}"}.get(
        part.name, f"-{part.name}"
    )
    return os.path.join(base, f"installed-{client}{own}.json")


def _connect(app: Workspace, client: str, part: ConfigPart, *, dry_run: bool) -> ClientFile:
    done = config_files.install(part, _note_path(app, client, part), dry_run=dry_run)
    return ClientFile(client, done.path, done.changed, done.backup if done.changed else "")


def is_asked(env: Mapping[str, str]) -> bool:
    """Whether any store of this user has `capture.mode = ask`, by its cache."""
    with suppress(OSError), os.scandir(locations.cache_root(dict(env))) as found:
        return any(os.path.exists(f"{one.path}/{ASKING}") for one in found)
    return False


def reconnect(app: Workspace) -> list[ClientFile]:
    """Add or remove the hook that counts tool uses, after `capture.mode` was changed.

    Only in files that are otherwise as this installation writes them; `init` renews others.
    """
    asks = is_asked(app.env)
    done = []
    for client in KNOWN.values():
        old, new = (parts_of(app, client, asks=one) for one in (not asks, asks))
        for was, part in zip(old, new, strict=True):
            if was != part and config_files.state_of(was) == "current":
                with suppress(RecollectError):  # `doctor` reports it
                    done.append(_connect(app, client.name, part, dry_run=False))
    return done


def uninstall(
    app: Workspace, names: Sequence[str], *, dry_run: bool
) -> list[ClientFile | ServerState]:
    """Remove our entries from the files of these clients, or of all clients."""
    project = os.path.dirname(os.path.dirname(app.roots.get("project", "")))
    done: list[ClientFile | ServerState] = []
    made: list[str] = []
    if not names:
        roots = [
            root for root in app.roots.values() if repository.remove_driver(root, dry_run=dry_run)
        ]
        done += [ClientFile("git", root, True) for root in roots]
    clients = clients_named(app, names) or list(KNOWN.values())
    has_memory = any(client.name == auto_memory.CLIENT for client in clients)
    undone = auto_memory.undo(app, is_last=False, dry_run=dry_run) if has_memory else []
    for client in clients:
        for part in parts_of(app, client, project):
            note = _note_path(app, client.name, part)
            outcome = config_files.uninstall(part, note, dry_run=dry_run)
            made += outcome.made
            if outcome.path in {one.path for one in done}:
                continue  # two clients read one file
            if outcome.changed or names or client.is_installed(app.env):
                done.append(ClientFile(client.name, outcome.path, outcome.changed))
        if server := client_servers.remove(client, app.env, dry_run=dry_run):
            done.append(server)
    if has_memory and not dry_run:
        undone += auto_memory.undo(app, is_last=True, dry_run=False)
    for folder in [] if dry_run else sorted(made, key=len, reverse=True):
        disk.remove_empty_folder(folder)
    known = {one.path for one in done if one.changed}
    more = dict.fromkeys(one.path for one in undone if one.path not in known)
    return done + [ClientFile(auto_memory.CLIENT, path, True) for path in more]


def skills_left(app: Workspace) -> list[str]:
    """The skills that `init --skill` wrote beside the stores of this project and person; they stay."""
    from recollect.context import pointers  # seldom needed

    folders = dict.fromkeys(map(pointers.folder_beside, app.roots.values()))
    return [path for folder in folders for path in pointers.own_in(folder)]


# ------------------------------------------------------------------------------ the token for HTTP


BYTES = 32
SHORTEST = 32  # characters


def token_path(app: Workspace) -> str:
    """Where the token is, or would be made."""
    return f"{data_folder(app.env)}/http-token"


def http_token(app: Workspace) -> str:
    """The token, made if there is none yet. Raises Unreadable."""
    path = token_path(app)
    for _ in range(2):  # somebody else may be making it
        with suppress(FileNotThere):
            found = disk.read_file(path, 4096).decode("ascii", "replace").strip()
            if len(found) < SHORTEST or not found.isalnum():
                raise Unreadable(
                    path=path, reason="it contains no token; delete it to create a new one"
                )
            return found
        disk.make_folder(os.path.dirname(path))
        with suppress(AlreadyThere):
            disk.create_whole(path, f"{os.urandom(BYTES).hex()}\n".encode())
    raise FileNotThere(path=path, reason="it is not a regular file")


# ---------------------------------------------------------------------------------------- settings


AUTO_MEMORY_MODES = settings.SETTINGS[auto_memory.KEY].choices


class SettingRow(NamedTuple):
    """A setting as it is in force."""

    key: str
    value: settings.Value
    takes: str
    about: str
    set_in: str


def list_settings(app: Workspace) -> list[SettingRow]:
    """Every setting, its value in force and where it was set."""
    rows = []
    values: dict[str, tuple[settings.Value, str]] = {}
    own: dict[str, settings.Value] = {}
    for scope in reversed(SCOPES):
        if scope in app.roots:
            with suppress(SettingProblem):
                found = app.file_values(app.roots[scope])[0]
                own = found if scope == "global" else settings.narrowed(found, own)
                values |= {
                    key: (value, scope)
                    for key, value in own.items()
                    if value == found[key] or key not in values
                }
    if listed := ", ".join(foreign_settings.unaccepted_settings(app)):
        app.warnings.append(
            f"Settings that came with the project and do not count: {listed}. `recollect review --repository accept` accepts them together with its memories."
        )
    for key, setting in settings.SETTINGS.items():
        value, where = values.get(key, (setting.default, "default"))
        rows.append(SettingRow(key, value, settings.takes(setting), setting.about, where))
    return rows


def find_setting(app: Workspace, key: str) -> SettingRow:
    """One setting. Raises UsageProblem if there is none of that name."""
    _checked_value(key)
    return next(row for row in list_settings(app) if row.key == key)


def _checked_value(key: str, text: str | None = None) -> settings.Value | None:
    """The value that a text stands for. Raises UsageProblem for an unknown name or a wrong value."""
    try:
        if text is not None:
            return settings.parsed(key, text)
        settings.checked(key, settings.SETTINGS[key].default if key in settings.SETTINGS else None)
    except ValueError as error:
        raise UsageProblem(what=f"{error}.", command="config") from None
    return None


class SettingChange(NamedTuple):
    """A setting that was changed, or would be."""

    key: str
    value: settings.Value  # in force from now on
    path: str
    changed: bool
    client: Applied | None  # what it did to the settings of a client
    clients: Sequence[ClientFile]  # files of clients that got or lost a hook by it

    def as_json(self) -> dict[str, Any]:
        """The fields by name, without clients that it did nothing to."""
        optional = ("client", "clients")
        return {key: value for key, value in self._asdict().items() if value or key not in optional}


def change_setting(
    app: Workspace, key: str, text: str | None, *, scope: str, dry_run: bool
) -> SettingChange:
    """Set a setting in a store's file, or take it out (None)."""
    value = _checked_value(key, text)
    if key == settings.MODEL and value:
        _require_model(app, key, str(value))
    store = app.store(scope)
    _require_in_force(app, store, key, value)
    _require_as_private(app, store, key, value)
    client = _apply_to_client(
        app, store, key, value, dry_run=True
    )  # fails before anything is changed
    stamp, new = settings.changed_text(store.root, key, value)
    path = settings.path_of(store.root)
    connected: Sequence[ClientFile] = ()
    changed = bool(new) if stamp is None else stamp != disk.stamp_of(new.encode("utf-8"))
    is_written = changed and not dry_run
    if not dry_run:
        changed |= foreign_settings.believe_setting(app, store.root, key, value)
    if client is not None and not dry_run:
        _take_in_notes(app, store)
    if changed and not dry_run:
        with store.one_change():
            if is_written:
                store.commit(lambda: [Change("put", settings.FILE, "", stamp, new)], cause="config")
            store.settings = app.settings(store.root)
        if key.startswith("capture."):  # clients report tool uses only where the agent is asked
            app.publish(store)
            connected = reconnect(app)
    if not dry_run:
        client = _apply_to_client(app, store, key, value, dry_run=False)
        if client is not None:
            _take_in_notes(app, store)  # hooks are told what the client has before it from now on
    own = {} if store.scope == "global" else app.own_settings()
    unset = own.get(key, settings.SETTINGS[key].default)
    in_force = _in_force(app, store, key, unset if value is None else value)
    return SettingChange(key, in_force, path, changed, client, connected)


def _in_force(app: Workspace, store: OpenStore, key: str, value: settings.Value) -> settings.Value:
    """The value in force if a store's file has this one, beside the person's own settings."""
    if store.scope == "global":
        return value
    return settings.narrowed({key: value}, app.own_settings())[key]


def _require_in_force(
    app: Workspace, store: OpenStore, key: str, value: settings.Value | None
) -> None:
    """Raise UsageProblem where the person's own settings let no project have this value."""
    if value is None or (in_force := _in_force(app, store, key, value)) == value:
        return
    own, value = settings.shown(in_force), settings.shown(value)
    what = f"{key} stays {own}, as you set it for all projects: `recollect config {key} {value} --scope global` changes it."
    if not own:
        what = (
            f"{key} is set for all projects only: `recollect config {key} {value} --scope global`."
        )
    raise UsageProblem(what=what, command="config")


def _require_as_private(
    app: Workspace, store: OpenStore, key: str, value: settings.Value | None
) -> None:
    """Raise UsageProblem where an agent would set something less private than it is."""
    new = settings.SETTINGS[key].default if value is None else value
    if settings.narrowed({key: new}, {key: app.values(store.root)[key]})[key] != new:
        what = f"Only a person can set {key} to {settings.shown(new)}: run it in your own terminal."
        require_person(app.env, "config", what)


def _require_model(app: Workspace, key: str, value: str) -> None:
    """Raise UsageProblem unless a person names a program that can ask models."""
    from recollect.clients.models import PROGRAMS, is_known  # seldom needed

    require_person(app.env, "config", "Only a person can have sessions sent to a model.")
    if not is_known(value):
        known = ", ".join(PROGRAMS)
        what = f"{key} must start with one of {known}, not “{value.partition(':')[0]}”."
        raise UsageProblem(what=what, command="config")


def _apply_to_client(
    app: Workspace, store: OpenStore, key: str, value: settings.Value | None, *, dry_run: bool
) -> Applied | None:
    """Apply a setting to a client's files, if it concerns them."""
    if key != auto_memory.KEY:
        return None
    mode = str(value or auto_memory.ALONGSIDE)
    return auto_memory.apply(app, store.scope, mode, dry_run=dry_run)


def _take_in_notes(app: Workspace, store: OpenStore) -> None:
    """Keep what a client noted by itself, before its folder may change."""
    with suppress(RecollectError):
        auto_memory.keep(app, store)
