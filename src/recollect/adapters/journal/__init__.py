"""Journal: the append-only log of a store."""

from recollect.adapters.journal.folder import OPS_PREFIX, FolderJournal

__all__ = ["OPS_PREFIX", "FolderJournal"]
