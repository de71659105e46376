"""Hook: the program that the client runs at its events, as `python -I -S hook.py <client> <event>`.

Promises: exit code 0, whatever happens; to import it runs nothing. All else is in `hooks.program`,
which Python keeps compiled; a program given by its path is compiled anew at every event.
Touches: the file with all modules (see `hooks.together`), if it is whole and as safe as our own.
"""

import posix

if __name__ == "__main__":
    try:
        import gc
        import sys
        from marshal import loads

        gc.disable()  # the process ends before there is anything to collect
        sys.path.insert(0, f"{__file__[:-7]}..")
        try:
            name = f"hook-{sys.implementation.cache_tag}-{sys.hexversion:x}.pyc"
            file = posix.open(
                f"{__file__[:-7]}hooks/__pycache__/{name}", posix.O_NOFOLLOW | posix.O_NONBLOCK
            )
            info = posix.fstat(file)
            if not info.st_mode & 0o22 and info.st_uid == posix.stat(__file__).st_uid:
                size, code, *rest = loads(posix.read(file, 81_920))
                if size == info.st_size:
                    together = {"__name__": "recollect.hooks.together"}
                    exec(code, together)
                    together["begin"](__file__, file, *rest)  # type: ignore[operator]
        except Exception:
            pass
        from recollect.hooks.program import main

        main()
    finally:
        posix._exit(0)
