"""`NamedTuple`, compiled patterns, and names for annotations that cost little at start-up.

`typing.NamedTuple` compiles the annotations of every class, and `collections.namedtuple` a
constructor for each: with the seventy classes of a command that takes more than half of a bare
interpreter's start. This one keeps annotations as text and shares a constructor among classes with
the same number of fields. Fields, defaults, methods and documentation are the same; type checkers
see the original.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    import re
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from typing import Any, NamedTuple, NoReturn
else:
    from _collections import _tuplegetter

    # `os` has loaded it; `collections` and `typing` would take longer than a search.
    from _collections_abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    Any = NoReturn = object

    CONSTRUCTORS = {}
    new = tuple.__new__

    def _constructor(count: int) -> object:
        if count not in CONSTRUCTORS:
            names = ", ".join(f"_{n}" for n in range(count))
            made = eval(f"lambda _cls, {names}: new(_cls, ({names},))")  # noqa: S307 - of numbers alone
            CONSTRUCTORS[count] = made
        return CONSTRUCTORS[count]

    def _make(cls: type, iterable: object) -> tuple:
        """Make one of its values in order."""
        made = new(cls, iterable)
        if len(made) != len(cls._fields):
            raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
        return made

    def _replace(self: tuple, /, **values: object) -> tuple:
        """Give the same with other values for these fields."""
        made = self._make(map(values.pop, self._fields, self))
        if values:
            raise TypeError(f"Got unexpected field names: {list(values)!r}")
        return made

    def _asdict(self: tuple) -> dict:
        """Give the values by the names of their fields."""
        return dict(zip(self._fields, self, strict=True))

    def _shown(self: tuple) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
        return f"{type(self).__name__}({values})"

    def _plain(self: tuple) -> tuple:
        return tuple(self)

    METHODS = {
        "__slots__": (),
        "__repr__": _shown,
        "__getnewargs__": _plain,
        "_make": classmethod(_make),
        "_replace": _replace,
        "__replace__": _replace,
        "_asdict": _asdict,
    }

    class _Maker(type):
        def __new__(mcs, name: str, bases: tuple, namespace: dict) -> type:
            if not bases:
                return super().__new__(mcs, name, bases, namespace)
            fields = tuple(namespace["__annotations__"])
            defaults = {field: namespace.pop(field) for field in fields if field in namespace}
            if fields[len(fields) - len(defaults) :] != tuple(defaults):
                raise TypeError(f"a field of {name} without a default stands behind one with it")
            one = _constructor(len(fields))
            code = one.__code__.replace(
                co_varnames=("_cls", *fields), co_name="__new__", co_qualname=f"{name}.__new__"
            )
            made = type(one)(code, one.__globals__, "__new__", tuple(defaults.values()))
            getters = {field: _tuplegetter(n, "") for n, field in enumerate(fields)}
            known = {"_fields": fields, "__match_args__": fields, "_field_defaults": defaults}
            return type(name, (tuple,), METHODS | known | getters | namespace | {"__new__": made})

    class NamedTuple(metaclass=_Maker):
        """Base of a class of named values."""


__all__ = [
    "Any",
    "Callable",
    "Collection",
    "Iterable",
    "Iterator",
    "Mapping",
    "NamedTuple",
    "NoReturn",
    "Pattern",
    "Sequence",
    "digest",
]

IGNORE_CASE = 2  # re.IGNORECASE


class Pattern:
    """A regular expression, compiled when it is first used."""

    def __init__(self, text: str, flags: int = 0) -> None:
        """The same arguments as `re.compile`."""
        self.text, self.flags = text, flags
        self._compiled: re.Pattern[str] | None = None

    @property
    def compiled(self) -> re.Pattern[str]:
        """The expression as `re` knows it."""
        if self._compiled is None:
            import re

            self._compiled = re.compile(self.text, self.flags)
        return self._compiled

    def of(self, _text: str) -> re.Pattern[str]:
        """The expression for a text; `values.bilingual` has less to compile for English."""
        for name in ("search", "match", "fullmatch", "finditer", "findall", "split", "sub"):
            setattr(self, name, getattr(self.compiled, name))  # called without us from now on
        return self.compiled

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        """The first match anywhere in the text, from `start` on."""
        return self.of(text).search(text, start)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """The match at the start of the text, or at `start`."""
        return self.of(text).match(text, start)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """The match of the whole text."""
        return self.of(text).fullmatch(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches, in order."""
        return self.of(text).finditer(text)

    def findall(self, text: str) -> list[str]:
        """The texts of all matches (of their one group, where there is one)."""
        return self.of(text).findall(text)

    def split(self, text: str) -> list[str]:
        """The text cut at the matches."""
        return self.of(text).split(text)

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        """The text with the matches replaced."""
        return self.of(text).sub(new, text, count)


def digest(text: str, size: int) -> bytes:
    """The BLAKE2 digest of a text in so many bytes."""
    try:
        from _blake2 import blake2b  # `hashlib` would load all of OpenSSL, 4 MB in every process
    except ImportError:  # an interpreter that is built in another way
        from hashlib import blake2b
    return blake2b(text.encode("utf-8", "replace"), digest_size=size).digest()
