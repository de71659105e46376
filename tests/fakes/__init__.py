"""Store, journal and index in memory; they pass the contracts of tests/contracts."""

from .index import MemoryIndex
from .journal import MemoryJournal, Pages
from .store import Before, MemoryStore

__all__ = ["Before", "MemoryIndex", "MemoryJournal", "MemoryStore", "Pages"]
