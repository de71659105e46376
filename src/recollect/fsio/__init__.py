"""The only writer to disk: create, replace, move, remove, append, lock, hash.

Promises: those of `files` and `locks`; there is no other way to the disk than what stands here.
Touches: the files and folders it is given. It knows nothing of memories.
"""

from recollect.fsio.files import (
    FILE_MODE,
    LARGEST_FILE_BYTES,
    TEMP_SUFFIX,
    append_bytes,
    append_durably,
    create_whole,
    failed,
    make_folder,
    move,
    pieces_of,
    read_file,
    read_inside,
    remove,
    remove_empty_folder,
    replace_name,
    set_private,
    stamp_of,
    sync_folder,
    sync_folders,
    truncate,
    write_whole,
)
from recollect.fsio.locks import LOCK_WAIT_SECONDS, lock, locked_folder, take_lock

__all__ = [
    "FILE_MODE",
    "LARGEST_FILE_BYTES",
    "LOCK_WAIT_SECONDS",
    "TEMP_SUFFIX",
    "append_bytes",
    "append_durably",
    "create_whole",
    "failed",
    "lock",
    "locked_folder",
    "make_folder",
    "move",
    "pieces_of",
    "read_file",
    "read_inside",
    "remove",
    "remove_empty_folder",
    "replace_name",
    "set_private",
    "stamp_of",
    "sync_folder",
    "sync_folders",
    "take_lock",
    "truncate",
    "write_whole",
]
