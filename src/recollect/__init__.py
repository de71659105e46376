"""Long-term memory for coding agents, in files that belong to the user.

`from recollect import open_store` is the typed Python API. Every hook imports this file, so it
does no work.
"""

__all__ = ["__version__", "open_store"]

TYPE_CHECKING = False  # for type checkers it is true; `typing` is not imported for it
if TYPE_CHECKING:
    from recollect._version import __version__
    from recollect.api import open_store


def __getattr__(name: str) -> object:
    """Load what the package offers on first use, so that importing it costs nothing."""
    if name == "__version__":
        from recollect._version import __version__

        return __version__
    if name == "open_store":
        from recollect.api import open_store

        return open_store
    raise AttributeError(f"module 'recollect' has no attribute {name!r}")
