"""The rooms of the house, where linters do not look: who writes, prints, tells the time; sizes."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "recollect"
MODULES = sorted(SOURCE.rglob("*.py"))
LONGEST_FILE = 600
LONGEST_FUNCTION = 50
MOST_POSITIONAL = 5
# A file of these rooms touches nothing: what it gives depends on what it is given.
PURE = ("text/", "model/")


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """All that a module is made of."""
    return list(ast.walk(tree_of(path)))


def dotted(called: ast.expr) -> str:
    """The dotted name of what is called; what has no name is left out: `f(x).unlink` is `.unlink`."""
    if isinstance(called, ast.Attribute):
        return f"{dotted(called.value)}.{called.attr}"
    return called.id if isinstance(called, ast.Name) else ""


@cache
def calls_of(path: Path) -> list[tuple[str, ast.Call]]:
    """Every call in a module with its dotted name."""
    return [(dotted(n.func), n) for n in nodes_of(path) if isinstance(n, ast.Call)]


def in_rooms(path: Path, *rooms: str) -> bool:
    return name_of(path).startswith(rooms)


def found(pattern: str, *rooms: str) -> list[str]:
    """Calls whose name matches, outside of the rooms that may make them."""
    wanted = re.compile(pattern)
    return [
        f"{name_of(path)}:{call.lineno} {name}"
        for path in MODULES
        if not in_rooms(path, *rooms)
        for name, call in calls_of(path)
        if wanted.fullmatch(name)
    ]


def test_only_the_disk_and_the_hooks_write() -> None:
    writers = r"os\.(write|replace|rename|link|unlink|remove|rmdir|mkdir|makedirs|truncate|ftruncate|chmod|fchmod|symlink)|shutil\.\w+|.*\.(write_text|write_bytes|unlink|touch|mkdir|rmtree)"
    # The demo and a person's editor work in folders of their own; a command asks its terminal.
    mine = ("store/disk.py", "store/locations.py", "interfaces/hooks/", "ops/demo", "interfaces/cli/demo.py")  # fmt: skip
    assert [
        f for f in found(writers, *mine) if not f.endswith(("get_terminal_size", "shutil.which"))
    ] == []


def test_only_the_disk_and_the_hooks_open_files_for_writing() -> None:
    opened = []
    for path in MODULES:
        if in_rooms(path, "store/disk.py", "store/locations.py", "interfaces/hooks/", "ops/demo"):
            continue
        for name, call in calls_of(path):
            mode = ast.unparse(call.args[1]) if name == "open" and len(call.args) > 1 else ""
            if any(letter in mode for letter in "wax+"):
                opened.append(f"{name_of(path)}:{call.lineno}")
    assert opened == []


def test_the_clock_is_read_above_the_store() -> None:
    clocks = r"time\.(time|time_ns|gmtime|localtime|strftime)|(datetime\.)?(datetime|date)\.(now|today|utcnow)"
    above = ("store/locations.py", "workspace.py", "capture/signals.py", "features/", "ops/", "interfaces/")  # fmt: skip
    assert found(clocks, *above) == []


def test_only_the_command_line_prints() -> None:
    assert found(r"print|click\.echo|sys\.std(out|err)\.write", "interfaces/cli/") == []


@cache
def imports_of(path: Path) -> set[str]:
    names = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize(
    ("library", "rooms"),
    [
        ("yaml", ("model/frontmatter.py", "model/document.py")),
        (
            "sqlite3",
            ("search/", "clients/opencode.py", "workspace.py", "ops/environment_checks.py"),
        ),
        ("_sqlite3", ("search/",)),
        (
            "tomllib",
            ("store/settings.py", "clients/config_files.py", "model/merge.py", "ops/demo.py"),
        ),
        ("tomlkit", ("store/settings.py",)),
        ("click", ("interfaces/cli/",)),
        ("rich", ("interfaces/cli/",)),
        ("textual", ("interfaces/cli/browser.py",)),
        ("mcp", ("interfaces/mcp/",)),
        ("anyascii", ("model/memory.py",)),
        ("fcntl", ("store/disk.py",)),
        ("numpy", ("search/vectors.py", "search/embedders.py")),
        ("recollect_minilm", ("search/embedders.py", "features/embedding.py")),
        (
            "subprocess",
            (
                "interfaces/cli/write.py",
                "features/repository.py",
                "ops/repair.py",
                "ops/",
                "clients/models.py",
            ),
        ),
        ("tempfile", ("interfaces/cli/demo.py", "interfaces/cli/write.py")),
    ],
)
def test_a_library_has_one_room(library: str, rooms: tuple[str, ...]) -> None:
    users = [name_of(path) for path in MODULES if library in imports_of(path)]
    assert [user for user in users if not user.startswith(rooms)] == []


def test_named_tuples_are_those_that_are_made_quickly() -> None:
    guilty = [
        name_of(path)
        for path in MODULES
        if not in_rooms(path, "_fastimport.py")
        for node in nodes_of(path)
        if isinstance(node, ast.ImportFrom) and node.module == "typing"
        if any(alias.name == "NamedTuple" for alias in node.names)
    ]
    assert guilty == []


def test_texts_and_models_are_pure() -> None:
    banned = {"os", "io", "pathlib", "time", "random", "uuid", "logging", "subprocess", "socket"}
    guilty = {name_of(p): imports_of(p) & banned for p in MODULES if in_rooms(p, *PURE)}
    assert {name: found for name, found in guilty.items() if found} == {}


def test_sql_stands_in_search_only() -> None:
    sql = re.compile(
        r"\b(SELECT .+ FROM|INSERT INTO|DELETE FROM|CREATE (VIRTUAL )?TABLE \w|PRAGMA \w)"
    )
    guilty = [
        f"{name_of(path)}:{node.lineno}"
        for path in MODULES
        # The other one is a client's own database, which is only read.
        if not in_rooms(path, "search/", "clients/opencode.py")
        for node in nodes_of(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and sql.search(node.value)
    ]
    assert guilty == []


def test_the_kernel_knows_no_client_by_name() -> None:
    guilty = []
    for path in MODULES:
        if not in_rooms(path, *PURE, "store/", "search/", "consolidate/", "ports.py"):
            continue
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            # The heading of a turn is a format of seed 001, and `.claude` is where a store lies.
            plain = line.replace('"agent": "Claude"', "").replace(".claude/memory", "")
            if "claude" in plain.lower() and not in_rooms(path, "store/locations.py"):
                guilty.append(f"{name_of(path)}:{n}")
    assert guilty == []


def test_files_and_functions_stay_small() -> None:
    long, wide = [], []
    for path in MODULES:
        name, text = name_of(path), path.read_text(encoding="utf-8")
        if len(text.splitlines()) > LONGEST_FILE:
            long.append(name)
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef):
                if (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION:
                    long.append(f"{name} {node.name}")
                # A command takes all of its values.
                if len(node.args.args) > MOST_POSITIONAL + 1 and not in_rooms(
                    path, "interfaces/cli/"
                ):
                    wide.append(f"{name} {node.name}")
    assert (long, wide) == ([], [])


def test_no_thing_has_a_name_that_says_nothing() -> None:
    """Modules, classes and functions have the field's words for what they are or give."""
    empty = re.compile(
        r"(^|_)(heard|told|said|kept|here|past|together|several|looks|matter|talk)(_|$)"
    )
    known = {"NoSessionHere", "EditKept", "FrontMatterEntry"}  # kinds of errors; front matter
    guilty = [name_of(path) for path in MODULES if empty.search(path.stem)]
    for path in MODULES:
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name not in known:
                words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", node.name).lower()
                if empty.search(words):
                    guilty.append(f"{name_of(path)}:{node.lineno} {node.name}")
    assert guilty == []


def test_a_class_name_exists_once() -> None:
    homes: dict[str, list[str]] = {}
    for path in MODULES:
        for node in nodes_of(path):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(f"{name_of(path)}:{node.lineno}")
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


def test_modules_say_what_they_are() -> None:
    silent = []
    for path in MODULES:
        doc = ast.get_docstring(tree_of(path))
        if not doc or not doc.splitlines()[0].endswith((".", "…")):
            silent.append(name_of(path))
    assert silent == []


def test_no_pattern_has_an_optional_group_that_gives_nothing_back() -> None:
    """`(…)?+` does not match where the group begins to match and then fails, before Python 3.11.5."""
    found = [name_of(path) for path in MODULES if ")?+" in path.read_text(encoding="utf-8")]
    assert found == []
