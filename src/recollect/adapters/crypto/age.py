"""Crypto: texts in and out of the age format, keys made and named.

Promises: what is opened is what was encrypted, to the byte, or an error; nothing is encrypted for
fewer than two keys; pyrage is imported when something is encrypted or opened, and by nobody else.
Touches: nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from recollect.errors import ForOtherKeys, MissingExtra, RecoveryMissing, SealBroken

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
        """The text, encrypted for all recipients; another one each time. Raises RecoveryMissing."""
        if len(set(self.recipients)) < LEAST_RECIPIENTS:
            raise RecoveryMissing
        keys = [age().x25519.Recipient.from_str(key) for key in self.recipients]
        data = text.encode("utf-8", "surrogateescape")
        return str(age().encrypt(data, keys, armored=True).decode("ascii"))

    def open(self, armor: str, name: str) -> str:
        """What was encrypted. Raises ForOtherKeys, SealBroken, or what `secrets` raises."""
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


def locked(text: str, passphrase: str) -> str:
    """`text` in an age file that a passphrase opens; that takes two seconds, by design."""
    data = age().passphrase.encrypt(text.encode(), passphrase, armored=True)
    return str(data.decode("ascii"))


def unlocked(armor: str, passphrase: str) -> str | None:
    """What `locked` was given, or None if the passphrase is another one."""
    try:
        return str(age().passphrase.decrypt(armor.encode(), passphrase).decode())
    except age().DecryptError:
        return None
