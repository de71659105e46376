"""The program that clients run at each event: `python -I -S hook.py CLIENT EVENT`.

Promises: exits with 0 whatever happens. Importing it runs nothing. The work is in
`interfaces/hooks/events.py`, which Python keeps compiled; a program run by path is compiled at
every start.
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
