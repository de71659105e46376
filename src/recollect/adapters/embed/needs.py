"""Embed: the libraries that one embedder or another needs.

Promises: what is missing is named, with how to get it.
Touches: nothing.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from recollect.errors import MissingExtra


def numpy() -> Any:
    """The library. Raises MissingExtra."""
    return library("numpy", "embed")


def library(name: str, extra: str) -> Any:
    """A library that an extra brings. Raises MissingExtra."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtra(feature="Search by meaning", package=name, extra=extra) from None


def require(name: str, extra: str) -> None:
    """Nothing, if a library is there; it is not loaded. Raises MissingExtra."""
    if importlib.util.find_spec(name) is None:
        raise MissingExtra(feature="Search by meaning", package=name, extra=extra)
