"""App: the keys of a person, and whom is encrypted for.

Promises: keys are changed by a person only; a key that is replaced still opens what it opened; the
recovery key is handed out once and kept nowhere.
Touches: the folder `recollect` among the person's settings, the recovery file that they name, and
the encrypted memories of the stores at hand.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from recollect import fsio
from recollect.adapters.crypto import age
from recollect.adapters.crypto.keys import Keys, Recipient
from recollect.app import here
from recollect.app.wiring import App
from recollect.errors import AlreadyThere, FileNotThere, ForPersonsOnly, UsageProblem
from recollect.named import NamedTuple
from recollect.services import sealing as service

HERE, RECOVERY = "this machine", "recovery"


def folder_of(app: App) -> str:
    """The folder with the keys of this person."""
    base = app.env.get("XDG_CONFIG_HOME", "")
    if not base.startswith("/"):
        home = app.env.get("HOME", "")
        if not home:
            raise FileNotThere(path="identity", reason="HOME is not set")
        base = f"{home.rstrip('/')}/.config"
    return f"{base}/recollect"


def keys_of(app: App) -> Keys:
    """The keys of this person."""
    named = app.env.get("RECOLLECT_IDENTITY_FILE", "")
    return Keys(folder_of(app), os.path.abspath(named) if named else "", app.ask_passphrase)


def sealing_of(app: App) -> age.AgeSealing:
    """What opens and closes encrypted memories; for an agent it opens none."""
    keys = keys_of(app)

    def secrets() -> Sequence[str]:
        if here.is_agent(app.env):
            raise ForPersonsOnly
        return keys.secrets()

    return age.AgeSealing([one.key for one in keys.recipients()], secrets)


def _require_person(app: App, command: str) -> None:
    what = "Keys are changed by a person only: run it in a terminal of your own."
    here.require_person(app.env, command, what)


# ---------------------------------------------------------------------------------------- making


class Wish(NamedTuple):
    """How a key is to be made and kept."""

    name: str = HERE
    passphrase: str = ""
    keyring: bool = False
    recovery: str = ""  # the public key of a recovery key that is there already
    recovery_file: str = ""
    can_show: bool = False  # there is a terminal on which a recovery key can be shown


class Made(NamedTuple):
    """A key that was made. `secret` is the recovery key, where it was not put into a file."""

    path: str
    recipients: list[Recipient]
    secret: str = ""
    recovery_file: str = ""

    def as_json(self) -> dict[str, Any]:
        """The public half of it."""
        rows = [one._asdict() for one in self.recipients]
        return {"identity": self.path, "recipients": rows, "recovery_file": self.recovery_file}


def init(app: App, wish: Wish, *, dry_run: bool) -> Made:
    """Make the key of this machine, and a recovery key unless there is one.

    Of the keys that are encrypted for already, that of this name is replaced.

    Raises:
        AlreadyThere: there is a key.
        UsageProblem: the recovery key could be handed to nobody.
    """
    _require_person(app, "key-init")
    keys = keys_of(app)
    if keys.state() != "none":
        raise AlreadyThere(path=keys.identity_path)
    if wish.recovery and not age.is_public(wish.recovery):
        raise UsageProblem(what=f"“{wish.recovery}” is no public key of age.", command="key-init")
    own = age.new_secret()
    others = [one for one in keys.recipients() if wish.name != one.name]
    recovery = ""
    if wish.recovery:
        others = [Recipient(RECOVERY, wish.recovery), *others]
    elif wish.recovery_file or not others:
        recovery = age.new_secret()
        others = [Recipient(RECOVERY, age.public_of(recovery)), *others]
    recipients = [Recipient(wish.name, age.public_of(own)), *others]
    made = Made(keys.identity_path, recipients, recovery, wish.recovery_file)
    if dry_run:
        return made._replace(secret="")
    if recovery and not wish.recovery_file and not wish.can_show:
        what = (
            "There is no terminal to show the recovery key on: give --recovery-file or --recovery."
        )
        raise UsageProblem(what=what, command="key-init")
    if recovery and wish.recovery_file:
        _keep_recovery(app, wish.recovery_file, recovery)
        made = made._replace(secret="")
    keys.keep([own], passphrase=wish.passphrase, keyring=wish.keyring)
    keys.keep_recipients(recipients)
    return made


def _keep_recovery(app: App, path: str, secret: str) -> None:
    full = os.path.abspath(os.path.join(app.folder, path))
    for root in app.roots.values():
        if os.path.realpath(full).startswith(f"{os.path.realpath(root)}/"):
            what = "A recovery key in the store would open it for whoever has the store."
            raise UsageProblem(what=what, command="key-init")
    text = f"# recovery key of Recollect, {app.now[:10]}\n# public key: {age.public_of(secret)}\n"
    fsio.create_whole(full, f"{text}{secret}\n".encode())
    fsio.sync_folder(os.path.dirname(full))


# --------------------------------------------------------------------------------------- looking


class Row(NamedTuple):
    """A key that is encrypted for."""

    name: str
    key: str
    is_own: bool


class State(NamedTuple):
    """What keys there are, and how many memories of each store are for others than these."""

    path: str
    kept: str  # none, file, passphrase, keyring
    recipients: list[Row]
    stores: list[tuple[str, int, int]]  # scope, encrypted memories, those for other keys

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        return {
            "identity": self.path,
            "kept": self.kept,
            "recipients": [one._asdict() for one in self.recipients],
            "stores": [
                {"scope": scope, "encrypted": n, "for_other_keys": other}
                for scope, n, other in self.stores
            ],
        }


def state(app: App) -> State:
    """What keys there are; no passphrase is asked for."""
    keys = keys_of(app)
    kept = keys.state()
    own = {age.public_of(one) for one in keys.secrets()} if kept == "file" else set()
    recipients = keys.recipients()
    public = [one.key for one in recipients]
    stores = [
        (store.scope, len(service.entries_in(store)), len(service.not_for(store, public)))
        for store in (app.stores() if app.roots else ())
    ]
    rows = [Row(one.name, one.key, one.key in own) for one in recipients]
    return State(keys.identity_path, kept, rows, stores)


# -------------------------------------------------------------------------------------- changing


class Changed(NamedTuple):
    """Keys that were changed, and what was encrypted anew for them, by store."""

    recipients: list[Recipient]
    rewrapped: list[tuple[str, service.Rewrapped]]

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        return {
            "recipients": [one._asdict() for one in self.recipients],
            "stores": [
                {"scope": scope, "rewrapped": found.done, "left": dict(found.left)}
                for scope, found in self.rewrapped
            ],
        }


def add(app: App, key: str, name: str, *, dry_run: bool) -> Changed:
    """Encrypt for one more key, what is there already as well."""
    _require_person(app, "key-add")
    if not age.is_public(key):
        raise UsageProblem(what=f"“{key}” is no public key of age.", command="key-add")
    keys = keys_of(app)
    kept = [one for one in keys.recipients() if one.key != key]
    return _changed(app, keys, [*kept, Recipient(" ".join(name.split()), key)], dry_run=dry_run)


def remove(app: App, name: str, *, dry_run: bool) -> Changed:
    """Encrypt for a key no more. What it could read it may have kept."""
    _require_person(app, "key-remove")
    keys = keys_of(app)
    had = keys.recipients()
    gone = [one for one in had if name in (one.key, one.name)]
    if len(gone) != 1:
        what = f"“{name}” is no key that is encrypted for, or more than one."
        raise UsageProblem(what=what, command="key-remove")
    kept = [one for one in had if one not in gone]
    if len(kept) < age.LEAST_RECIPIENTS:
        what = "Two keys must be left: one of this machine and one to recover with."
        raise UsageProblem(what=what, command="key-remove")
    if not {age.public_of(one) for one in keys.secrets()} & {one.key for one in kept}:
        what = "That is the key of this machine: `recollect key-rotate` replaces it."
        raise UsageProblem(what=what, command="key-remove")
    return _changed(app, keys, kept, dry_run=dry_run)


def rotate(app: App, *, dry_run: bool) -> Changed:
    """Make a new key for this machine in place of the newest one, which still opens what it did."""
    _require_person(app, "key-rotate")
    keys = keys_of(app)
    secrets = keys.secrets()
    new, old = age.new_secret(), age.public_of(secrets[0])
    had = keys.recipients()
    name = next((one.name for one in had if one.key == old), HERE)
    kept = [one for one in had if one.key != old]
    if not dry_run:  # first, so that no memory is ever for a key that is nowhere
        keys.keep([new, *secrets])
    return _changed(app, keys, [Recipient(name, age.public_of(new)), *kept], dry_run=dry_run)


def rewrap(app: App, *, dry_run: bool) -> Changed:
    """Encrypt anew what is for other keys than those of today."""
    _require_person(app, "key-rewrap")
    keys = keys_of(app)
    return _changed(app, keys, keys.recipients(), dry_run=dry_run)


def _changed(app: App, keys: Keys, recipients: list[Recipient], *, dry_run: bool) -> Changed:
    if not dry_run and recipients != keys.recipients():
        keys.keep_recipients(recipients)
    sealing = age.AgeSealing([one.key for one in recipients], keys.secrets)
    app.__dict__.pop("sealing", None)
    found = [
        (store.scope, service.rewrap(store, sealing, dry_run=dry_run))
        for store in (app.stores() if app.roots else ())
    ]
    return Changed(recipients, found)
