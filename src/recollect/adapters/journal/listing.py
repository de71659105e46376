"""Journal: which files it has.

Promises: a folder that is a link has none.
Touches: the journal's folder (listing it). A short search loads this, so it imports next to nothing.
"""

import os

OPS_PREFIX = "ops-"  # of the files of commands and workers


def files_in(folder: str) -> dict[str, int]:
    """The journal files in a folder with their sizes, by name. Raises OSError."""
    if os.path.islink(folder):
        return {}
    try:
        with os.scandir(folder) as found:
            return {
                e.name: e.stat(follow_symlinks=False).st_size
                for e in found
                if e.name.endswith(".jsonl") and e.is_file(follow_symlinks=False)
            }
    except (FileNotFoundError, NotADirectoryError):
        return {}


def of_ops(files: dict[str, int]) -> dict[str, int]:
    """Those of commands and workers; those of hooks have no ops about files."""
    return {name: size for name, size in sorted(files.items()) if name.startswith(OPS_PREFIX)}
