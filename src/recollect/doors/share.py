"""The door of a process that takes in its share of many transcripts.

Promises: a line of JSON on stdout for each of them, in their order, as soon as it is taken in, and
one for each warning behind them; it ends when nobody reads it any more.
Touches: stdin, stdout, and what capturing touches.
"""

from __future__ import annotations

import json
import sys

from recollect.app.capturing import outcomes_of_share


def main() -> None:
    """Do what stdin says (see `app.shares`)."""
    for outcome in outcomes_of_share(json.load(sys.stdin.buffer)):
        sys.stdout.write(f"{json.dumps(outcome)}\n")
        sys.stdout.flush()
