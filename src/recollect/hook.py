"""Hook: the program that the client runs at its events, as `python -I -S hook.py <client> <event>`.

Promises: exit code 0, whatever happens; to import it runs nothing. All else is in `hooks.program`,
which Python keeps compiled; a program given by its path is compiled anew at every event.
Touches: nothing.
"""

import os

if __name__ == "__main__":
    try:
        import gc
        import sys

        gc.disable()  # the process ends before there is anything to collect
        sys.path.insert(0, f"{__file__[:-7]}..")
        from recollect.interfaces.hooks.events import main

        main()
    finally:
        os._exit(0)
