"""Hooks: their modules out of one file, so that none has to be looked for.

To find, look at and read a module costs as much as to run it. The worker puts what hooks load into
one file (`app.together`); `hook.py` reads the start of it at one stroke and runs the code of this
module, which is the first thing in it. Of the rest each group is read when a hook asks for it.

Promises: a module is taken from the file only if its source looks as it did when it was compiled;
what is not there, or not so any more, Python finds as ever.
Touches: the file; a look at each source.
"""

import sys
from marshal import loads
from posix import pread, stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

    Look = tuple[int, int, int, int]
    Row = tuple[str, str, Look, CodeType]  # name, place of its source, how that looks
    Span = tuple[int, int]  # where a group stands in the file, and how long it is

HOOK = "/recollect/hook.py"
PACKAGE = "/__init__.py"
SQLITE = "_sqlite3"


class Together:
    """Finds modules for Python: with the one that asks for a group, all of the group."""

    def __init__(self, folder: str, file: int, spans: "dict[str, Span]", sqlite: str) -> None:
        """`folder` has the package, `file` is open, `sqlite` is where the library's module is."""
        self.folder, self.file, self.spans, self.sqlite = folder, file, spans, sqlite

    def take(self, rows: "list[Row]") -> bool:
        """Make the modules of a group, if all of their sources are as they were."""
        if any(look_of(self.folder + place) != look for _, place, look, _ in rows):
            return False
        for name, place, _, code in rows:
            if name not in sys.modules:
                self._make(name, self.folder + place, code)
        return True

    def _make(self, name: str, path: str, code: "CodeType") -> None:
        module = sys.modules[name] = type(sys)(name)
        module.__file__ = path
        if path.endswith(PACKAGE):
            module.__path__ = [path.removesuffix(PACKAGE)]
        try:
            exec(code, module.__dict__)
        except BaseException:
            del sys.modules[name]
            raise
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)

    # ------------------------------------------------------------------ what Python's import asks

    def find_spec(
        self, name: str, path: object = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        """How to load a module; None for all that is not ours to find."""
        try:
            if name in self.spans:
                start, size = self.spans.pop(name)
                if self.take(loads(pread(self.file, size, start))):
                    return type(sys.__spec__)(name, self)  # type: ignore[arg-type]
            elif name == SQLITE and self.sqlite.rpartition("/")[0] in sys.path:
                stat(self.sqlite)  # one of many in its folder, which need not be listed
                from _frozen_importlib_external import ExtensionFileLoader

                loader = ExtensionFileLoader(name, self.sqlite)
                return type(sys.__spec__)(name, loader, origin=self.sqlite)
        except Exception:
            pass
        return None

    def create_module(self, spec: "ModuleSpec") -> "ModuleType":
        """The module: `take` has made and run it."""
        return sys.modules[spec.name]

    def exec_module(self, module: "ModuleType") -> None:
        """Nothing is left to do."""


def look_of(path: str) -> "Look":
    """What of a file changes when somebody writes it, or puts another one in its place."""
    info = stat(path)
    return info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino


def begin(hook: str, file: int, rows: "list[Row]", spans: "dict[str, Span]", sqlite: str) -> None:
    """Make the modules that every hook needs, and let Python ask for the others."""
    together = Together(hook.removesuffix(HOOK), file, spans, sqlite)
    if hook.endswith(HOOK) and together.take(rows):
        sys.meta_path.insert(0, together)
