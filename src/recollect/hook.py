"""Hook: the program that the client runs at its events, as `python -I -S hook.py <client> <event>`.

Promises: exit code 0, whatever happens; to import it runs nothing. All else is in `hooks.program`,
which Python keeps compiled; a program given by its path would be compiled anew at every event.
Touches: nothing itself.
"""

import gc
import sys
from posix import _exit

if __name__ == "__main__":
    try:
        gc.disable()  # the process ends before there is anything to collect
        folder = __file__.removesuffix("/recollect/hook.py")
        if folder == __file__ or folder[:1] != "/":
            from os.path import abspath, dirname

            folder = dirname(dirname(abspath(__file__)))
        sys.path.insert(0, folder)
        from recollect.hooks.program import main

        main()
    finally:
        _exit(0)
