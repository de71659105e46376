"""Hook: the program that the client runs at its events, as `python -I -S hook.py <client> <event>`.

Promises: exit code 0, whatever happens; to import it runs nothing. All else is in `hooks.program`,
which Python keeps compiled; a program given by its path would be compiled anew at every event.
Touches: nothing itself.
"""

import os
import sys

if __name__ == "__main__":
    try:
        sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        from recollect.hooks.program import main

        main()
    finally:
        os._exit(0)
