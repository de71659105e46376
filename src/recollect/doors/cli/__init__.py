"""Command line: `recollect <command>`.

Promises: one function for each command; only the module of the command that runs is imported;
errors come as one sentence and a next step, with the exit code of their class.
Touches: stdin, stdout, stderr.
"""

from recollect.doors.cli.later import load_when_touched, names_are_text

load_when_touched("inspect")
with names_are_text():
    import click  # noqa: F401 - all others find it loaded

from recollect.doors.cli.program import main  # noqa: E402 - behind click

__all__ = ["main"]
