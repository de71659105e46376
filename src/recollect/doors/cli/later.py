"""Command line: what click does as it is imported, and a short command has no use for, is not done.

`inspect` brings four other modules with it: together as much as a bare interpreter takes to start.
The standard library's `LazyLoader` is of no use for that: there a second `import` counts as a touch.
The types that click names in text are compiled by `typing` as it meets them, for which the
interpreter makes all the classes of its syntax trees: a third of a bare start.

Promises: whoever touches a module has all of it; what is loaded already stays as it is. Behind
`names_are_text` all is as before.
Touches: `sys.modules`, and `typing` for as long as click is imported.
"""

import sys
import typing
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def names_are_text() -> Iterator[None]:
    """Within it, types that are named in text are not looked at, as they will not be here."""
    usual = typing.ForwardRef
    if sys.version_info < (3, 14):  # later ones wait by themselves

        class Name(usual, _root=True):  # type: ignore[misc, valid-type, call-arg]
            __slots__ = ()

            def __init__(self, arg: str, *_: object, **__: object) -> None:
                self.__forward_arg__ = arg  # type: ignore[misc]

        typing.ForwardRef = Name  # type: ignore[misc]
    try:
        yield
    finally:
        typing.ForwardRef = usual  # type: ignore[misc]
