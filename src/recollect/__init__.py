"""Recollect: long-term memory for coding agents that belongs to its user.

Promises: `from recollect import open_store` gives the typed Python API.
Touches: nothing at import; every start of a hook pays for this file, so it stays empty of work.
"""

__version__ = "0.1.0"
__all__ = ["__version__", "open_store"]

TYPE_CHECKING = False  # for type checkers it is true; `typing` is not imported for it
if TYPE_CHECKING:
    from recollect.api import open_store


def __getattr__(name: str) -> object:
    """Load the API on first use, so that importing the package costs nothing."""
    if name == "open_store":
        from recollect.api import open_store

        return open_store
    raise AttributeError(f"module 'recollect' has no attribute {name!r}")
