"""Crypto: a secret in the system's keyring, for those who have the package `keyring`.

Promises: an answer or a sentence within two seconds, whatever the keyring does (with half a desktop
it may think for minutes); it is never asked unless the identity file names it.
Touches: the system's keyring.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from typing import Any

WAIT_SECONDS = 2.0


def secret_of(service: str, user: str) -> str:
    """What the keyring has under this name. Raises ValueError with the reason why not."""
    found = _asked(lambda: _keyring().get_password(service, user))
    if not isinstance(found, str) or not found:
        raise ValueError(f"the keyring has nothing under {service}/{user}")
    return found


def keep_secret(service: str, user: str, secret: str) -> None:
    """Put a secret into the keyring. Raises ValueError with the reason why not."""
    _asked(lambda: _keyring().set_password(service, user, secret))


def _keyring() -> Any:
    return importlib.import_module("keyring")


def _asked(ask: Callable[[], object]) -> object:
    answer: list[object] = []
    problem: list[BaseException] = []

    def run() -> None:
        try:
            answer.append(ask())
        except BaseException as error:  # noqa: BLE001 - whatever a backend raises is a reason
            problem.append(error)

    # A daemon: the program does not wait for it when it ends.
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(WAIT_SECONDS)
    if answer:
        return answer[0]
    if not problem:
        raise ValueError(f"the keyring did not answer within {WAIT_SECONDS:.0f} seconds")
    is_missing = isinstance(problem[0], ImportError)
    raise ValueError(
        "the package keyring is not installed"
        if is_missing
        else f"the keyring says {type(problem[0]).__name__}"
    )
