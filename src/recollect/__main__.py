"""The program: `recollect …`, `python -m recollect …`, and the worker that the hooks start.

Promises: the worker and the server that agents wait for start without the command line's libraries.
Touches: what the command touches.
"""

import os
import sys


def main() -> None:
    """Run the command line, or the worker."""
    if __package__ in (None, ""):  # run by its path, as the hooks do
        sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if len(sys.argv) == 3 and sys.argv[1] == "work":
        from recollect.app.worker import main as worker

        worker(sys.argv[2])
        return
    if sys.argv[1:] == ["mcp"] and not (sys.stdin and sys.stdin.isatty()):
        from recollect.doors.mcp.stdio import serve

        serve()
    from recollect.doors.cli import main as command_line

    command_line()


if __name__ == "__main__":
    main()
