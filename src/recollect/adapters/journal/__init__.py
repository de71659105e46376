"""Journal: the append-only log of a store."""

TYPE_CHECKING = False  # a short search asks of it no more than which files it has
if TYPE_CHECKING:
    from recollect.adapters.journal.folder import FolderJournal
    from recollect.adapters.journal.listing import OPS_PREFIX
    from recollect.adapters.journal.sessions import is_folded

__all__ = ["OPS_PREFIX", "FolderJournal", "is_folded"]
_HOMES = {"FolderJournal": "folder", "OPS_PREFIX": "listing", "is_folded": "sessions"}


def __getattr__(name: str) -> object:
    """What is asked for, from where it lives."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
