"""App: making stores, connecting clients, changing settings."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recollect import fsio
from recollect.adapters import config
from recollect.adapters.clients.claude import settings as claude
from recollect.app.publishing import publish_after_change
from recollect.app.wiring import SCOPES, App
from recollect.errors import StoreNotFound
from recollect.hooks import places
from recollect.named import NamedTuple

if TYPE_CHECKING:
    from recollect.app.keywords import Skill

FOLDERS = ("core", "episodic", "semantic", "procedural", "reference")
IGNORED = "# Kept out of git: raw sessions, running sessions, the journal.\n/sessions/raw/\n/sessions/active/\n/journal/\n"
CONFIG_HEAD = {
    "en": "# Settings of this memory store; `recollect config` lists them all.\n",
    "zh": "# 此记忆库的设置；`recollect config` 列出全部设置。\n",
}


class Made(NamedTuple):
    """A store that was asked for."""

    scope: str
    path: str
    changed: bool
    lang: str


class Connected(NamedTuple):
    """A client that was asked for."""

    name: str
    path: str
    changed: bool
    backup: str = ""

    def as_json(self) -> dict[str, Any]:
        """The fields by name."""
        return self._asdict()


class Done(NamedTuple):
    """What `init` did."""

    stores: list[Made]
    clients: list[Connected]
    skills: Sequence[Skill] = ()

    def as_json(self) -> dict[str, Any]:
        """The fields by name, all the way down."""
        skills = [{**s._asdict(), "keywords": list(s.keywords)} for s in self.skills]
        return {
            "stores": [s._asdict() for s in self.stores],
            "clients": [c._asdict() for c in self.clients],
        } | ({"skills": skills} if skills else {})


class Wish(NamedTuple):
    """What `init` is asked for; a new store is in `lang`, or in the language of the terminal."""

    clients: Sequence[str] = ()
    lang: str = ""
    skill: bool = False  # the program's own, beside the store


def init(app: App, wish: Wish, *, scope: str, dry_run: bool) -> Done:
    """Make the stores, connect the clients and put in place the skill, as far as asked for."""
    clients = wish.clients
    wanted = wish.lang or app.terminal_lang
    for name in clients:  # what cannot be connected stops us before anything is made
        _connect(app, name, dry_run=True)
    stores = [
        _make_store(app, name, wanted, dry_run=dry_run) for name in _scopes(app, scope, clients)
    ]
    connected = [_connect(app, name, dry_run=dry_run) for name in clients]
    if not dry_run:
        _note_place(app)
        app.forget_roots()
        for made in stores:
            publish_after_change(app, app.opened(made.path, made.scope))
    skills = _put_skills(app, stores, dry_run=dry_run) if wish.skill else ()
    return Done(stores, connected, skills)


def _put_skills(app: App, stores: Sequence[Made], *, dry_run: bool) -> list[Skill]:
    from recollect.app import keywords  # seldom needed

    done = []
    for made in stores:
        if os.path.exists(config.path_of(made.path)):
            store = app.opened(made.path, made.scope)
            done.append(keywords.put_skill(store, dry_run=dry_run))
        else:  # a dry run made no store
            done.append(keywords.skill_beside(made.path, made.scope, made.lang))
    return done


def _scopes(app: App, scope: str, clients: Sequence[str]) -> list[str]:
    """The scopes that are meant where none is named.

    A project's store in a project, the global one elsewhere; both for a client's set-up, since
    sessions outside of prepared projects go to the global one.
    """
    home = os.path.realpath(app.env.get("HOME", "/"))
    is_home = os.path.realpath(app.project_folder) == home
    if scope:
        named = list(SCOPES) if scope == "both" else [scope]
        # The store of the home folder is the one of all projects.
        return list(dict.fromkeys("global" if is_home else name for name in named))
    in_project = not is_home and (
        places.main_work_tree(app.folder) or os.path.isdir(f"{app.project_folder}/.claude")
    )
    found = ["project"] if in_project or (not clients and not is_home) else []
    return [*found, "global"] if clients or not found else found


def _make_store(app: App, scope: str, lang: str, *, dry_run: bool) -> Made:
    root = app.wanted_root(scope)
    fresh = not os.path.exists(config.path_of(root))
    if not fresh:
        return Made(scope, root, fresh, app.settings(root).lang)
    if dry_run:
        return Made(scope, root, fresh, lang)
    for name in FOLDERS:
        fsio.make_folder(os.path.join(root, name))
    for name, text in (
        (".gitignore", IGNORED),
        (config.FILE, f'{CONFIG_HEAD[lang]}lang = "{lang}"\n'),
    ):
        path = os.path.join(root, name)
        if not os.path.lexists(path):
            fsio.create_whole(path, text.encode())
    fsio.sync_folder(root)
    return Made(scope, root, fresh, lang)


def is_connected(app: App) -> bool:
    """Whether a client's settings run our hooks."""
    return claude.is_installed(claude.settings_path(app.env))


def program_paths() -> tuple[str, str]:
    """`(python, hook)`: the interpreter that runs us and the hook program, absolute."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return sys.executable, os.path.join(package, "hook.py")


def _note_place(app: App) -> None:
    """Leave word where we are, for the plugin's launcher."""
    home = app.env.get("XDG_DATA_HOME") or os.path.join(app.env.get("HOME", "/"), ".local", "share")
    folder = os.path.join(home, "recollect")
    fsio.make_folder(folder)
    fsio.write_whole(
        os.path.join(folder, "place"), "\n".join([*program_paths(), ""]).encode(), durable=False
    )


def _note_path(app: App, client: str) -> str:
    base = places.cache_root(app.env)
    if not base:
        raise StoreNotFound(where="a user without a home folder (HOME is not set)")
    return os.path.join(base, f"installed-{client}.json")


def _connect(app: App, client: str, *, dry_run: bool) -> Connected:
    python, hook = program_paths()
    done = claude.install(
        claude.settings_path(app.env), python, hook, _note_path(app, client), dry_run=dry_run
    )
    return Connected(client, done.path, done.changed, done.backup if done.changed else "")


def uninstall(app: App, clients: Sequence[str], *, dry_run: bool) -> list[Connected]:
    """Take our hooks out of the clients' settings."""
    done = []
    for name in clients:
        outcome = claude.uninstall(
            claude.settings_path(app.env), _note_path(app, name), dry_run=dry_run
        )
        done.append(Connected(name, outcome.path, outcome.changed))
    return done
