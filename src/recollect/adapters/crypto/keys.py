"""Crypto: the keys of a person, in files of their own.

Promises: an identity that others can read is not used; it is never on disk in a file that others
could open, not even while it is written; a passphrase is asked for once, and only if there is
somebody to ask; the keyring is waited for no longer than two seconds.
Touches: `identity` and `recipients` in the folder it is given; the system's keyring, if the
identity file says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from recollect import fsio
from recollect.adapters.crypto import age, ring
from recollect.domain.codec.sealed import is_recipient
from recollect.errors import FileNotThere, KeyLocked, KeyMissing, KeyRefused
from recollect.named import NamedTuple

IDENTITY, RECIPIENTS = "identity", "recipients"
_ARMOR = "-----BEGIN AGE ENCRYPTED FILE-----"
_SECRET = "AGE-SECRET-KEY-1"  # noqa: S105 - with this begins an identity
_RING = "keyring:"
SERVICE = "recollect"

Ask = Callable[[], str]


class Recipient(NamedTuple):
    """Whom is encrypted for: a public key and what the person calls it."""

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
                raise KeyRefused(
                    path=self.identity_path, reason="there is no identity of age in it"
                )
            self._secrets = found
        return self._secrets

    def _text(self) -> str:
        path = self.identity_path
        try:
            text = fsio.read_file(path).decode("utf-8", "replace")
        except FileNotThere:
            if os.path.lexists(path):
                raise KeyRefused(path=path, reason="it is no regular file") from None
            raise KeyMissing(path=path) from None
        if os.stat(path).st_mode & 0o077:
            raise KeyRefused(path=path, reason="others on this machine can read it (chmod 600)")
        return text

    def _found(self, text: str) -> list[str]:
        state = _state_of(text)
        if state == "passphrase":
            text = self._unlocked(text)
        elif state == "keyring":
            name = text.strip().removeprefix(_RING).strip()
            service, _, user = name.rpartition("/")
            try:
                text = ring.secret_of(service, user)
            except ValueError as error:
                raise KeyRefused(path=self.identity_path, reason=str(error)) from None
        return [line.strip() for line in text.splitlines() if line.strip().startswith(_SECRET)]

    def _unlocked(self, armor: str) -> str:
        if self.ask is None:
            raise KeyLocked(path=self.identity_path)
        self._passphrase = self.ask()
        text = age.unlocked(armor, self._passphrase)
        if text is None:
            raise KeyRefused(path=self.identity_path, reason="the passphrase is another one")
        return text

    def keep(self, secrets: Iterable[str], *, passphrase: str = "", keyring: bool = False) -> None:
        """Keep these identities, the newest first; as they were kept before, unless it is said how."""
        secrets = list(secrets)
        text = "".join(f"{secret}\n" for secret in secrets)
        state = self.state()
        if state == "passphrase" and not passphrase:
            self.secrets()  # asks, unless that is done
            passphrase = self._passphrase
        if keyring or state == "keyring":
            user = age.public_of(secrets[0])[:16]
            try:
                ring.keep_secret(SERVICE, user, text)
            except ValueError as error:
                raise KeyRefused(path=self.identity_path, reason=str(error)) from None
            text = f"{_RING} {SERVICE}/{user}\n"
        elif passphrase:
            text = age.locked(text, passphrase)
        self._write(self.identity_path, text)
        self._secrets = secrets

    # ---------------------------------------------------------------------------- the recipients

    def recipients(self) -> list[Recipient]:
        """Whom is encrypted for: the lines of the file, each called what the remark above it says."""
        try:
            text = fsio.read_file(self.recipients_path).decode("utf-8", "replace")
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
        fsio.make_folder(os.path.dirname(path))
        fsio.write_whole(path, text.encode())
        fsio.sync_folder(os.path.dirname(path))


def _state_of(text: str) -> str:
    if text.lstrip().startswith(_ARMOR):
        return "passphrase"
    return "keyring" if text.strip().startswith(_RING) else "file"
