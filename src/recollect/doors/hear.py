"""The door of a process that hears new sessions for another one.

Promises: a line of JSON on stdout for each line on stdin, in their order; it ends with the one that
it works for.
Touches: stdin, stdout, and transcripts (reading).
"""

from __future__ import annotations

import sys

from recollect.app.ahead import hear_all


def main(folder: str) -> None:
    """Hear what stdin says (see `app.ahead`)."""
    for line in hear_all(folder, sys.stdin.buffer):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
