"""Command line: a module that click imports, and a short command never touches, waits until it is touched.

`inspect` brings four other modules with it: together as much as a bare interpreter takes to start.
The standard library's `LazyLoader` is of no use for that: there a second `import` counts as a touch.

Promises: whoever touches it has all of it; what is loaded already stays as it is.
Touches: `sys.modules`.
"""

import sys
from importlib import import_module
from types import ModuleType


class _Later(ModuleType):
    """Stands for a module until something of it is asked for."""

    def __getattr__(self, name: str) -> object:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        module = import_module(self.__name__)
        self.__dict__.update(module.__dict__)
        return getattr(module, name)


def load_when_touched(name: str) -> None:
    """Let `import name` cost nothing until something of it is asked for."""
    if name not in sys.modules:
        sys.modules[name] = _Later(name)
