"""The rooms of the house, where linters do not look: who writes, prints, tells the time; sizes."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "recollect"
MODULES = sorted(SOURCE.rglob("*.py"))
LONGEST_FILE = 400
LONGEST_FUNCTION = 50
MOST_POSITIONAL = 5


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """All that a module is made of."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def calls_of(path: Path) -> list[tuple[str, ast.Call]]:
    """Every call in a module with its dotted name."""
    return [(ast.unparse(n.func), n) for n in nodes_of(path) if isinstance(n, ast.Call)]


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


def test_only_fsio_and_the_hooks_write_to_disk() -> None:
    writers = r"os\.(write|replace|rename|link|unlink|remove|rmdir|mkdir|makedirs|truncate|ftruncate|chmod|fchmod|symlink)|shutil\.\w+|.*\.(write_text|write_bytes|unlink|touch|mkdir|rmtree)"
    # The demo and a person's editor work in folders of their own; a command asks its terminal.
    mine = ("fsio/", "hooks/", "app/demo/", "doors/cli/demo.py")
    assert [f for f in found(writers, *mine) if "get_terminal_size" not in f] == []


def test_files_are_opened_for_writing_by_fsio_and_the_hooks_only() -> None:
    opened = []
    for path in MODULES:
        if in_rooms(path, "fsio/", "hooks/", "app/demo/"):
            continue
        for name, call in calls_of(path):
            mode = ast.unparse(call.args[1]) if name == "open" and len(call.args) > 1 else ""
            if any(letter in mode for letter in "wax+"):
                opened.append(f"{name_of(path)}:{call.lineno}")
    assert opened == []


def test_only_app_and_the_hooks_know_what_time_it_is() -> None:
    clocks = r"time\.(time|time_ns|gmtime|localtime|strftime)|(datetime\.)?(datetime|date)\.(now|today|utcnow)"
    assert found(clocks, "app/", "hooks/") == []


def test_only_the_command_line_prints() -> None:
    mine = (
        "doors/cli/",
        "doors/paper.py",
        "doors/short.py",
        "doors/hear.py",
    )  # the latter to the process that started it
    assert found(r"print|click\.echo|sys\.std(out|err)\.write", *mine) == []


def test_nothing_random_in_the_domain_and_the_services() -> None:
    chance = r"(random|uuid|secrets)\.\w+|os\.urandom"
    assert [f for f in found(chance) if f.startswith(("domain/", "services/"))] == []


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
        ("yaml", ("domain/codec/",)),
        (
            "sqlite3",
            (
                "adapters/sqlite/",
                "adapters/clients/opencode/",
                "app/wiring.py",
                "app/surroundings.py",
            ),
        ),
        ("_sqlite3", ("adapters/sqlite/",)),
        ("tomllib", ("adapters/config.py", "adapters/clients/tomlform.py")),
        ("tomlkit", ("adapters/config.py",)),
        ("click", ("doors/cli/",)),
        ("rich", ("doors/cli/", "doors/paper.py")),
        ("mcp", ("doors/mcp/",)),
        ("anyascii", ("domain/names.py",)),
        ("fcntl", ("fsio/",)),
        ("numpy", ("adapters/embed/", "adapters/sqlite/nearness.py")),
        (
            "subprocess",
            (
                "app/ahead.py",
                "app/demo/",
                "app/probing.py",
                "doors/cli/editor.py",
                "adapters/embed/fetching.py",
            ),
        ),
        ("tempfile", ("doors/cli/demo.py", "doors/cli/editor.py")),
    ],
)
def test_a_library_has_one_room(library: str, rooms: tuple[str, ...]) -> None:
    users = [name_of(path) for path in MODULES if library in imports_of(path)]
    assert [user for user in users if not user.startswith(rooms)] == []


def test_named_tuples_are_those_that_are_made_quickly() -> None:
    guilty = [
        name_of(path)
        for path in MODULES
        if not in_rooms(path, "named.py")
        for node in nodes_of(path)
        if isinstance(node, ast.ImportFrom) and node.module == "typing"
        if any(alias.name == "NamedTuple" for alias in node.names)
    ]
    assert guilty == []


def test_the_domain_is_pure() -> None:
    banned = {"os", "io", "pathlib", "time", "random", "uuid", "logging", "subprocess", "socket"}
    guilty = {name_of(p): imports_of(p) & banned for p in MODULES if in_rooms(p, "domain/")}
    assert {name: found for name, found in guilty.items() if found} == {}


def test_sql_stands_in_the_database_adapter_only() -> None:
    sql = re.compile(
        r"\b(SELECT .+ FROM|INSERT INTO|DELETE FROM|CREATE (VIRTUAL )?TABLE \w|PRAGMA \w)"
    )
    guilty = [
        f"{name_of(path)}:{node.lineno}"
        for path in MODULES
        # The other one is a client's own database, which is only read.
        if not in_rooms(path, "adapters/sqlite/", "adapters/clients/opencode/")
        for node in nodes_of(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and sql.search(node.value)
    ]
    assert guilty == []


def test_rules_and_services_know_no_client_by_name() -> None:
    guilty = []
    for path in MODULES:
        if not in_rooms(path, "domain/", "services/", "ports.py", "fsio/"):
            continue
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            # The heading of a turn is a format of seed 001, and `.claude` is where a store lies.
            plain = line.replace('"agent": "Claude"', "").replace(".claude/memory", "")
            if "claude" in plain.lower():
                guilty.append(f"{name_of(path)}:{n}")
    assert guilty == []


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if name_of(path) != "lang_zh.py":  # a table
        assert len(text.splitlines()) <= LONGEST_FILE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1
            assert length <= LONGEST_FUNCTION, f"{node.name} has {length} lines"
            if not in_rooms(path, "doors/cli/"):  # what click hands over
                assert len(node.args.args) <= MOST_POSITIONAL + 1, node.name


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_say_what_they_promise_and_touch(path: Path) -> None:
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert doc
    assert doc.splitlines()[0].endswith((".", "…"))
