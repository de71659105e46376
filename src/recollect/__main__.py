"""The program `recollect` (also `python -m recollect`) and the entry point of the worker.

The worker and the MCP server start without loading the command line.
"""

import gc
import os
import sys

# What a command imports is there to stay: looking through it again and again for garbage, as it is
# loaded, would be a tenth of a short command's time.
COLLECT_AFTER = 50_000


def main() -> None:
    """Run the command line, the worker, or the server."""
    if __package__ in (None, ""):  # run by its path, as the hooks do
        sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if len(sys.argv) == 3 and sys.argv[1] == "work":
        gc.set_threshold(COLLECT_AFTER, 50, 100)
        from recollect.worker import main as worker

        worker(sys.argv[2])
        _leave(0)
    if sys.argv[1:] == ["mcp"] and not (sys.stdin and sys.stdin.isatty()):
        from recollect.interfaces.mcp.server import serve

        serve()
    gc.set_threshold(COLLECT_AFTER, 50, 100)
    from recollect.interfaces.cli.main import main as command_line

    try:
        command_line()
    except SystemExit as end:
        _leave(end.code)


def _leave(code: object) -> None:
    """End the process without taking down every module first: all that matters is closed."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(1)
    os._exit(code if isinstance(code, int) else bool(code))


if __name__ == "__main__":
    main()
