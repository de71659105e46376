"""Command line: a text in the person's editor.

Promises: the editor is run without a shell; a text that must not get to a disk is edited in a
folder that only memory holds; the folder is private to this user, and nothing of it is left, the
editor's own copies neither.
Touches: a temporary folder; for a secret text one in $XDG_RUNTIME_DIR or /dev/shm. The editor.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile

from recollect import fsio
from recollect.errors import Failed

USUAL = ("sensible-editor", "editor", "vim", "nano", "vi")


def in_editor(text: bytes, is_secret: bool) -> bytes | None:
    """What a person made of a text in their editor; None if they left it as it was.

    Raises:
        Failed: there is no editor, or it ended with an error.
    """
    with tempfile.TemporaryDirectory(prefix="recollect-", dir=_in_memory(is_secret)) as folder:
        path = os.path.join(folder, "memory.md")
        fsio.create_whole(path, text)
        _run([*_editor(), path])
        new = fsio.read_file(path)
    return None if new == text else new


def _editor() -> list[str]:
    """The words of the person's editor, as a shell would split them."""
    import shutil

    said = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        words = shlex.split(said)
    except ValueError:
        raise Failed(
            what=f"Your editor ($VISUAL or $EDITOR) is {said!r}: a quote is open."
        ) from None
    return words or [next(filter(shutil.which, USUAL), USUAL[-1])]


def _run(words: list[str]) -> None:
    try:
        code = subprocess.run(words, check=False).returncode  # noqa: S603 - the person's own words
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        raise Failed(what=f"The editor {words[0]} cannot be run: {reason}.") from None
    if code:
        raise Failed(what=f"The editor {words[0]} ended with {code}; nothing was changed.")


def _in_memory(is_secret: bool) -> str | None:
    if not is_secret:
        return None
    for folder in (os.environ.get("XDG_RUNTIME_DIR", ""), "/dev/shm"):  # noqa: S108 - no disk
        if folder and os.path.isdir(folder) and os.access(folder, os.W_OK):
            return folder
    raise Failed(
        what="There is no folder in memory for an editor to work in: give --body, --append or -."
    )
