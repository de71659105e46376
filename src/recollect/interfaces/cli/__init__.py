"""Command line: `recollect <command>`.

Promises: one function for each command; only the module of the command that runs is imported;
errors come as one sentence and a next step, with the exit code of their class.
Touches: stdin, stdout, stderr.
"""

from recollect.interfaces.cli.main import main

__all__ = ["main"]
