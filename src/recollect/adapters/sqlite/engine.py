"""SQLite: the bare `_sqlite3` module, without the library that it drags along.

Promises: `sqlite` is the C module of the standard library, whole.
Touches: nothing. The hook imports this module.

On import `_sqlite3` loads `functools` for one function, `lru_cache`, which keeps its statements;
and with it come `collections`, `types`, `operator` and ten more: as much CPU as half a bare
interpreter. A process that has them anyway is left alone; a hook gets the one function.
"""

import sys

if "functools" in sys.modules:
    import _sqlite3 as sqlite
else:
    from _functools import _lru_cache_wrapper  # type: ignore[import-not-found]

    _stand_in = type(sys)("functools")
    _stand_in.lru_cache = lambda size: lambda made: _lru_cache_wrapper(made, size, False, tuple)  # type: ignore[attr-defined]
    sys.modules["functools"] = _stand_in
    try:
        import _sqlite3 as sqlite
    finally:
        del sys.modules["functools"]

__all__ = ["sqlite"]
