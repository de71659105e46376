"""Writing: save, edit, set and forget a memory.

Promises: nothing is replaced without being asked; a section of a shared file (a rule, a pointer)
is found by its title, whatever the case, and amended in place; each call is one group of the
journal and can be undone as one.
Touches: the ports behind the store it is given.
"""

from recollect.services.writing.changing import (
    edit,
    edit_text,
    files_of,
    forget,
    purge,
    set_fields,
)
from recollect.services.writing.drafts import SHARED, Advice, Draft, Written
from recollect.services.writing.saving import save, section_change

__all__ = [
    "SHARED",
    "Advice",
    "Draft",
    "Written",
    "edit",
    "edit_text",
    "files_of",
    "forget",
    "purge",
    "save",
    "section_change",
    "set_fields",
]
