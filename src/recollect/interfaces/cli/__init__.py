"""The command line, `recollect COMMAND`.

`main.py` lists every command with its file; there a function with `@command` declares its options,
calls a feature and prints the answer. `command.py` runs it and reports errors, `parsing.py` parses
options, `console.py` prints, `help.py` explains and completes. Only the file of the command that
runs is imported.
"""
