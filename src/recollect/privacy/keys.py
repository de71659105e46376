"""A person's keys, in files outside any store.

Promises: an identity that others can read is refused, and is never written to a file that others
could open. A passphrase is asked for once, and only on a terminal. The keyring has two seconds to
answer.
Touches: `identity` and `recipients` in the given folder; the system's keyring if the identity file
names it.
"""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from recollect import workspace
from recollect._fastimport import NamedTuple
from recollect.errors import (
    AlreadyThere,
    FileNotThere,
    ForOtherKeys,
    ForPersonsOnly,
    KeyLocked,
    KeyMissing,
    KeyRefused,
    MissingExtra,
    RecoveryMissing,
    SealBroken,
    UsageProblem,
)
from recollect.model.document import is_recipient
from recollect.privacy import sealing
from recollect.store import disk, locations
from recollect.workspace import Workspace

# -------------------- Texts in and out of the age format, keys made and named.


LEAST_RECIPIENTS = 2
_NO_MATCH = "No matching keys"  # what age says of a file that is for others


def age() -> Any:
    """The library. Raises MissingExtra."""
    try:
        return importlib.import_module("pyrage")
    except ImportError:
        raise MissingExtra(feature="Encryption", package="pyrage", extra="crypto") from None


class AgeSealing:
    """Encrypts for some keys, and opens with those that `secrets` gives when it is first asked."""

    def __init__(self, recipients: Sequence[str], secrets: Callable[[], Sequence[str]]) -> None:
        """`recipients` are public keys; `secrets` may ask a person, so it is asked once."""
        self.recipients = tuple(recipients)
        self._secrets = secrets
        self._identities: list[Any] = []

    def seal(self, text: str) -> str:
        """The text, encrypted for all recipients, differently each time. Raises RecoveryMissing."""
        if len(set(self.recipients)) < LEAST_RECIPIENTS:
            raise RecoveryMissing
        keys = [age().x25519.Recipient.from_str(key) for key in self.recipients]
        data = text.encode("utf-8", "surrogateescape")
        return str(age().encrypt(data, keys, armored=True).decode("ascii"))

    def open(self, armor: str, name: str) -> str:
        """Decrypt it. Raises ForOtherKeys, SealBroken, or what `secrets` raises."""
        if not self._identities:
            self._identities = [age().x25519.Identity.from_str(one) for one in self._secrets()]
        try:
            data = age().decrypt(armor.encode("ascii", "replace"), self._identities)
        except age().DecryptError as error:
            problem = ForOtherKeys if _NO_MATCH in str(error) else SealBroken
            raise problem(id=name) from None
        return str(data.decode("utf-8", "surrogateescape"))


def new_secret() -> str:
    """A new identity."""
    return str(age().x25519.Identity.generate())


def public_of(secret: str) -> str:
    """The public key of an identity. Raises ValueError where it is none."""
    try:
        return str(age().x25519.Identity.from_str(secret).to_public())
    except age().IdentityError as error:
        raise ValueError(str(error)) from None


def is_public(key: str) -> bool:
    """Whether somebody can be encrypted for by this key."""
    try:
        age().x25519.Recipient.from_str(key)
    except age().RecipientError:
        return False
    return True


# -------------------- A secret in the system's keyring, for those who have the package `keyring`.


WAIT_SECONDS = 2.0


def secret_of(service: str, user: str) -> str:
    """What the keyring has under this name. Raises ValueError with the reason why not."""
    found = _asked(lambda ring: ring.get_password(service, user))
    if not isinstance(found, str) or not found:
        raise ValueError(f"the keyring has nothing under {service}/{user}")
    return found


def _asked(ask: Callable[[Any], object]) -> object:
    """What the keyring answers. Raises ValueError with the reason why not."""
    answer: list[object] = []
    problem: list[BaseException] = []

    def run() -> None:
        try:
            answer.append(ask(importlib.import_module("keyring")))
        except BaseException as error:  # noqa: BLE001 - anything a backend raises is a reason
            problem.append(error)

    # A daemon: the program does not wait for it when it ends.
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(WAIT_SECONDS)
    if answer:
        return answer[0]
    if not problem:
        raise ValueError(f"the keyring did not answer within {WAIT_SECONDS:.0f} seconds")
    if isinstance(problem[0], ImportError):
        raise ValueError("the package keyring is not installed")  # noqa: TRY004 - one kind for all
    raise ValueError(f"the keyring says {type(problem[0]).__name__}")


IDENTITY, RECIPIENTS = "identity", "recipients"
_ARMOR = "-----BEGIN AGE ENCRYPTED FILE-----"
_SECRET = "AGE-SECRET-KEY-1"  # noqa: S105 - with this begins an identity
_RING = "keyring:"
SERVICE = "recollect"

Ask = Callable[[], str]


class Recipient(NamedTuple):
    """Somebody to encrypt for: a public key and what the person calls it."""

    name: str
    key: str


class Keys:
    """The identity and the recipients of a person."""

    def __init__(self, folder: str, identity: str = "", ask: Ask | None = None) -> None:
        """`identity` is the path of the file, if it is not in `folder`; `ask` asks for a passphrase."""
        self.identity_path = identity or os.path.join(folder, IDENTITY)
        self.recipients_path = os.path.join(folder, RECIPIENTS)
        self.ask = ask
        self._secrets: list[str] | None = None
        self._passphrase = ""

    # -------------------------------------------------------------------------------- the secret

    def state(self) -> str:
        """How the identity is kept: `none`, `file`, `passphrase` or `keyring`. Raises KeyRefused."""
        try:
            text = self._text()
        except KeyMissing:
            return "none"
        return _state_of(text)

    def secrets(self) -> list[str]:
        """The identities, the newest first.

        Raises:
            KeyMissing, KeyLocked, KeyRefused.
        """
        if self._secrets is None:
            found = self._found(self._text())
            if not found:
                raise KeyRefused(path=self.identity_path, reason="it contains no age identity")
            self._secrets = found
        return self._secrets

    def _text(self) -> str:
        path = self.identity_path
        try:
            text = disk.read_file(path).decode("utf-8", "replace")
        except FileNotThere:
            if os.path.lexists(path):
                raise KeyRefused(path=path, reason="it is not a regular file") from None
            raise KeyMissing(path=path) from None
        if os.stat(path).st_mode & 0o077:
            raise KeyRefused(path=path, reason="other users can read it (chmod 600)")
        return text

    def _found(self, text: str) -> list[str]:
        state = _state_of(text)
        if state == "passphrase":
            text = self._unlocked(text)
        elif state == "keyring":
            name = text.strip().removeprefix(_RING).strip()
            service, _, user = name.rpartition("/")
            try:
                text = secret_of(service, user)
            except ValueError as error:
                raise KeyRefused(path=self.identity_path, reason=str(error)) from None
        return [line.strip() for line in text.splitlines() if line.strip().startswith(_SECRET)]

    def _unlocked(self, armor: str) -> str:
        if self.ask is None:
            raise KeyLocked(path=self.identity_path)
        self._passphrase = self.ask()
        try:
            return str(age().passphrase.decrypt(armor.encode(), self._passphrase).decode())
        except age().DecryptError:
            reason = "the passphrase is wrong"
            raise KeyRefused(path=self.identity_path, reason=reason) from None

    def keep(self, secrets: Iterable[str], *, passphrase: str = "", keyring: bool = False) -> None:
        """Keep these identities, the newest first; as they were kept before, unless it is said how."""
        secrets = list(secrets)
        text = "".join(f"{secret}\n" for secret in secrets)
        state = self.state()
        if state == "passphrase" and not passphrase:
            self.secrets()  # asks, unless that is done
            passphrase = self._passphrase
        if keyring or state == "keyring":
            user = public_of(secrets[0])[:16]
            try:
                _asked(lambda ring: ring.set_password(SERVICE, user, text))
            except ValueError as error:
                raise KeyRefused(path=self.identity_path, reason=str(error)) from None
            text = f"{_RING} {SERVICE}/{user}\n"
        elif passphrase:
            data = age().passphrase.encrypt(text.encode(), passphrase, armored=True)
            text = str(data.decode("ascii"))
        self._write(self.identity_path, text)
        self._secrets = secrets

    # ---------------------------------------------------------------------------- the recipients

    def recipients(self) -> list[Recipient]:
        """Everybody to encrypt for: the keys in the file, each with the name in the remark above it."""
        try:
            text = disk.read_file(self.recipients_path).decode("utf-8", "replace")
        except FileNotThere:
            return []
        found: list[Recipient] = []
        name = ""
        for line in map(str.strip, text.splitlines()):
            if line.startswith("#"):
                name = line.lstrip("# ")
            elif is_recipient(line):
                if line not in (one.key for one in found):
                    found.append(Recipient(name, line))
                name = ""
        return found

    def keep_recipients(self, recipients: Iterable[Recipient]) -> None:
        """Keep these public keys, in the form that `age -R` reads."""
        text = "".join(f"# {one.name}\n{one.key}\n" for one in recipients)
        self._write(self.recipients_path, text)

    def _write(self, path: str, text: str) -> None:
        disk.make_folder(os.path.dirname(path))
        disk.write_whole(path, text.encode())
        disk.sync_folder(os.path.dirname(path))


def _state_of(text: str) -> str:
    if text.lstrip().startswith(_ARMOR):
        return "passphrase"
    return "keyring" if text.strip().startswith(_RING) else "file"


# -------------------- The keys of a person, and whom is encrypted for.


HERE, RECOVERY = "this machine", "recovery"


def folder_of(app: Workspace) -> str:
    """The folder with the keys of this person."""
    folder = locations.own_folder(app.env, "XDG_CONFIG_HOME", ".config")
    if not folder:
        raise FileNotThere(path="identity", reason="HOME is not set")
    return folder


def keys_of(app: Workspace) -> Keys:
    """The keys of this person."""
    named = app.env.get("RECOLLECT_IDENTITY_FILE", "")
    return Keys(folder_of(app), os.path.abspath(named) if named else "", app.ask_passphrase)


def sealing_of(app: Workspace) -> AgeSealing:
    """The sealing that opens and closes encrypted memories; for an agent it opens none."""
    keys = keys_of(app)

    def secrets() -> Sequence[str]:
        if workspace.is_agent(app.env):
            raise ForPersonsOnly
        return keys.secrets()

    return AgeSealing([one.key for one in keys.recipients()], secrets)


def _require_person(app: Workspace, command: str) -> None:
    what = "Only a person changes keys: run it in your own terminal."
    workspace.require_person(app.env, command, what)


class KeyRequest(NamedTuple):
    """How a key is made and kept."""

    name: str = HERE
    passphrase: str = ""
    keyring: bool = False
    recovery: str = ""  # the public key of a recovery key that is there already
    recovery_file: str = ""
    can_show: bool = False  # there is a terminal on which a recovery key can be shown


class Made(NamedTuple):
    """A key that was made. `secret` is the recovery key, where it was not put into a file."""

    identity: str  # the path of the file
    recipients: list[Recipient]
    recovery_file: str = ""
    secret: str = ""


def init(app: Workspace, wish: KeyRequest, *, dry_run: bool) -> Made:
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
    if wish.recovery and not is_public(wish.recovery):
        raise UsageProblem(what=f"“{wish.recovery}” is not an age public key.", command="key-init")
    own = new_secret()
    others = [one for one in keys.recipients() if wish.name != one.name]
    recovery = ""
    if wish.recovery:
        others = [Recipient(RECOVERY, wish.recovery), *others]
    elif wish.recovery_file or not others:
        recovery = new_secret()
        others = [Recipient(RECOVERY, public_of(recovery)), *others]
    recipients = [Recipient(wish.name, public_of(own)), *others]
    made = Made(keys.identity_path, recipients, wish.recovery_file, recovery)
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


def _keep_recovery(app: Workspace, path: str, secret: str) -> None:
    full = os.path.abspath(os.path.join(app.folder, path))
    for root in app.roots.values():
        if os.path.realpath(full).startswith(f"{os.path.realpath(root)}/"):
            what = "A recovery key in the store would open it for everyone who has the store."
            raise UsageProblem(what=what, command="key-init")
    text = f"# recovery key of Recollect, {app.now[:10]}\n# public key: {public_of(secret)}\n"
    disk.create_whole(full, f"{text}{secret}\n".encode())
    disk.sync_folder(os.path.dirname(full))


class RecipientRow(NamedTuple):
    """A key to encrypt for."""

    name: str
    key: str
    is_own: bool


class EncryptedIn(NamedTuple):
    """How many memories of a store are encrypted, and how many of them for other keys than today's."""

    scope: str
    encrypted: int
    for_other_keys: int


class State(NamedTuple):
    """What keys there are, and what each store has for these and others."""

    identity: str  # the path of the file
    kept: str  # none, file, passphrase, keyring
    recipients: list[RecipientRow]
    stores: list[EncryptedIn]


def state(app: Workspace) -> State:
    """What keys there are; no passphrase is asked for."""
    keys = keys_of(app)
    kept = keys.state()
    own = {public_of(one) for one in keys.secrets()} if kept == "file" else set()
    recipients = keys.recipients()
    public = [one.key for one in recipients]
    stores = [
        EncryptedIn(
            store.scope, len(sealing.entries_in(store)), len(sealing.not_for(store, public))
        )
        for store in (app.stores() if app.roots else ())
    ]
    rows = [RecipientRow(one.name, one.key, one.key in own) for one in recipients]
    return State(keys.identity_path, kept, rows, stores)


class Changed(NamedTuple):
    """Keys that were changed, and what was re-encrypted for them, by store."""

    recipients: list[Recipient]
    stores: list[sealing.Rewrapped]


def add(app: Workspace, key: str, name: str, *, dry_run: bool) -> Changed:
    """Encrypt for one more key, also what is there already."""
    _require_person(app, "key-add")
    if not is_public(key):
        raise UsageProblem(what=f"“{key}” is not an age public key.", command="key-add")
    keys = keys_of(app)
    had, new = keys.recipients(), Recipient(" ".join(name.split()), key)
    for one in had:
        # By its name a key is kept, replaced or removed: neither is changed in passing.
        name = one.name
        if one.key == key and name != new.name:
            what = f"That key is already there, as “{name}”; nothing was changed."
            raise UsageProblem(what=what, command="key-add")
        if one.key != key and name == new.name:
            what = f"“{name}” is the name of another key already; choose another one."
            raise UsageProblem(what=what, command="key-add")
    recipients = had if new in had else [*had, new]
    return _changed(app, keys, recipients, dry_run=dry_run)


def remove(app: Workspace, name: str, *, dry_run: bool) -> Changed:
    """Stop encrypting for a key. Its owner may have kept what it could read."""
    _require_person(app, "key-remove")
    keys = keys_of(app)
    had = keys.recipients()
    gone = [one for one in had if name in (one.key, one.name)]
    if len(gone) != 1:
        what = f"“{name}” matches no recipient, or more than one."
        raise UsageProblem(what=what, command="key-remove")
    kept = [one for one in had if one not in gone]
    if len(kept) < LEAST_RECIPIENTS:
        what = "Two keys must remain: one of this machine and a recovery key."
        raise UsageProblem(what=what, command="key-remove")
    if not {public_of(one) for one in keys.secrets()} & {one.key for one in kept}:
        what = "That is the key of this machine: `recollect key rotate` replaces it."
        raise UsageProblem(what=what, command="key-remove")
    return _changed(app, keys, kept, dry_run=dry_run)


def rotate(app: Workspace, *, dry_run: bool) -> Changed:
    """Make a new key for this machine in place of the newest one, which still opens what it did."""
    _require_person(app, "key-rotate")
    keys = keys_of(app)
    secrets = keys.secrets()
    new, old = new_secret(), public_of(secrets[0])
    had = keys.recipients()
    name = next((one.name for one in had if one.key == old), HERE)
    kept = [one for one in had if one.key != old]
    if not dry_run:  # first, so that no memory is ever for a key that is nowhere
        keys.keep([new, *secrets])
    return _changed(app, keys, [Recipient(name, public_of(new)), *kept], dry_run=dry_run)


def rewrap(app: Workspace, *, dry_run: bool) -> Changed:
    """Re-encrypt what is for other keys than those of today. Raises KeyMissing, RecoveryMissing."""
    _require_person(app, "key-rewrap")
    keys = keys_of(app)
    if not keys.recipients():
        keys.secrets()  # raises KeyMissing, most often: there is nothing to encrypt for
        raise RecoveryMissing
    return _changed(app, keys, keys.recipients(), dry_run=dry_run)


def _changed(app: Workspace, keys: Keys, recipients: list[Recipient], *, dry_run: bool) -> Changed:
    if not dry_run and recipients != keys.recipients():
        keys.keep_recipients(recipients)
    todays = AgeSealing([one.key for one in recipients], keys.secrets)
    app.__dict__.pop("sealing", None)
    found = [
        sealing.rewrap(store, todays, dry_run=dry_run)
        for store in (app.stores() if app.roots else ())
    ]
    return Changed(recipients, found)
