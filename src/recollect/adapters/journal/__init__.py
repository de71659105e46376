"""Journal: the append-only log of a store."""

from recollect.adapters.journal.folder import FolderJournal
from recollect.adapters.journal.lines import OPS_PREFIX
from recollect.adapters.journal.sessions import is_folded

__all__ = ["OPS_PREFIX", "FolderJournal", "is_folded"]
