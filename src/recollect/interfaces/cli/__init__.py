"""The command line, `recollect COMMAND`.

One function per command. Only the module of the command that runs is imported. An error is one
sentence and a next step, with the exit code of its class.
"""

from recollect.interfaces.cli.main import main

__all__ = ["main"]
