"""A store that version 0.1 made is sorted out by project: once, told, with nothing lost."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.cli.running import Person
from tests.hooks.machine import HOOK

from recollect.model import document as codec
from recollect.model.footnotes import in_one_form

FIXTURE = Path(__file__).parent.parent / "fixtures/store_of_0_1"
HOME = "/home/ada"  # whose projects need not be there: their stores are outside of them
ALL = "all projects"
STATEMENTS = {
    "orchard": (
        "JSONB", "negative invoices", "reachable from the office", "unpaid orders", "apples and pears",
        "9600 baud", "scale's manual",
    ),
    "bakery": (
        "kitchen has no network", "flour in grams", "OVEN_PORT=0", "sourdough", "Christmas stollen",
        "mill in the valley", "two sacks of rye", "oven sensor",
    ),
    "图书馆": (
        "延迟投递", "提交信息一律用中文", "uv run --extra 借阅", "逾期罚金", "整理儿童书架", "绘本放在最下面一层",
        "给绘本贴标签",
    ),
    ALL: ("sign the release tags", "customer as client", "before six", "garage at the bridge"),
    "": ("EPRINTJAM", "chute of the cellar"),  # of a session of which nothing else is known
}  # fmt: skip
KILLED = """
import os, sys
left = int(sys.argv.pop(1))
def counted(do):
    def done(*args, **more):
        global left
        left -= 1
        if left == 0:
            os._exit(9)
        return do(*args, **more)
    return done
for name in ("rename", "replace", "unlink", "remove", "link", "mkdir", "ftruncate", "write", "pwrite"):
    setattr(os, name, counted(getattr(os, name)))
from recollect.interfaces.cli.main import main
try:
    main()
finally:
    print("calls left", left, file=sys.stderr)
"""


@pytest.fixture
def people(tmp_path: Path) -> dict[str, Person]:
    """Somebody in the three projects, of which the first has a store in it."""
    for name in ("orchard", "elsewhere"):
        subprocess.run(["git", "init", "-q", str(tmp_path / name)], check=True)
    for name, folder in (("global", tmp_path / "home"), ("orchard", tmp_path / "orchard")):
        root = folder / ".claude/memory"
        shutil.copytree(FIXTURE / name, root)
        (root / "gitignore").rename(root / ".gitignore")
        for path in (root, *root.rglob("*")):
            path.chmod(0o700 if path.is_dir() else 0o600)
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    others = {
        name: Person(home, elsewhere, {"RECOLLECT_PROJECT_ROOT": f"{HOME}/{name}"})
        for name in ("bakery", "图书馆")
    }
    return {"orchard": Person(home, tmp_path / "orchard"), **others}


def all_said(person: Person) -> str:
    """All that can be read from a project, whatever somebody asks for."""
    said = [person.ok("recall", "--start").out, person.ok("list-sessions", "--all").out]
    for words in (["list"], ["list", "--archived"]):
        rows = person.ok(*words, "--json").json
        said += [person.ok("show", row["id"], "--level", "3").out for row in rows]
    rows = person.ok("list-sessions", "--all", "--json").json
    said += [person.ok("show-session", row["session"]).out for row in rows]
    for statement in itertools.chain(*STATEMENTS.values()):
        shown = person.ok("search", "--json", "--", *statement.split()).json
        said.append(json.dumps(shown["hits"], ensure_ascii=False))
    return "\n".join(said)


def kept(*homes: Path) -> Counter[str]:
    """What the memories in some folders say, part by part, and which sessions are kept there."""
    found: Counter[str] = Counter()
    for path in (path for home in homes for path in home.rglob("*") if path.is_file()):
        if path.suffix == ".md" and path.name != "MEMORY.md" and "skills" not in path.parts:
            for one in codec.sections_of(codec.body_of(path.read_text("utf-8"))):
                found[f"{one.heading}\n{in_one_form(one.text)}"] += bool(one.heading)
        elif "sessions" in path.parts or path.name.startswith(("claude-", "terminal-")):
            found[path.name] += 1
    return +found


@pytest.mark.slow
def test_each_statement_is_found_from_its_own_project_and_no_other(
    people: dict[str, Person],
) -> None:
    missing, crossed = [], []
    for name, person in people.items():
        said = all_said(person)
        for owner, statements in STATEMENTS.items():
            there = {statement for statement in statements if statement in said}
            if owner in (name, ALL):
                missing += [(name, one) for one in statements if one not in there]
            else:
                crossed += [(name, one) for one in there]
    assert (missing, crossed) == ([], [])


@pytest.mark.parametrize("first", ["orchard", "bakery", "图书馆"])
@pytest.mark.sampled(1)
def test_nothing_is_lost_and_it_is_told_once(people: dict[str, Person], first: str) -> None:
    """Whoever comes first, a command that reads, with another project named by the environment."""
    folder = people["orchard"].project.parent
    before = kept(folder)
    ran = people[first].ok("list")
    assert "moved from the global store" in ran.err
    assert "of these solutions is unknown" in ran.err
    assert kept(folder) == before
    root = people[first].home / ".claude/memory"
    for place in ("sessions/active/*", "sessions/raw/*", "journal/[!o]*"):
        assert not list(root.glob(place)), place  # no session is of all projects
    assert "逾期罚金" not in people["bakery"].ok("list").out
    assert "sourdough" not in people["图书馆"].ok("list").out
    then = {path: path.read_bytes() for path in folder.rglob("*.md")}
    for person in people.values():
        assert person.ok("list").err == ""
        person.ok("doctor")
    assert {path: path.read_bytes() for path in folder.rglob("*.md")} == then


def test_what_is_listed_first_is_whole(people: dict[str, Person]) -> None:
    """The command that sorts it out answers as the next one does."""
    first = people["bakery"].ok("list").out
    assert first == people["bakery"].ok("list").out
    assert "sourdough" in first


@pytest.mark.slow
def test_an_undo_puts_it_back_and_doctor_moves_it_again(people: dict[str, Person]) -> None:
    bakery, root = people["bakery"], people["bakery"].home / ".claude/memory"
    before = {p.relative_to(root): p.read_bytes() for p in root.rglob("*.md")}
    bakery.ok("list")
    bakery.ok("undo")
    names = [path for path in before if "sourdough" in str(path)]
    assert names
    assert all((root / path).read_bytes() == before[path] for path in names)
    assert b"OVEN_PORT" in (root / "procedural/feedback.md").read_bytes()
    assert "were moved" not in bakery.ok("list").err  # it was a person's wish
    assert "图书馆" not in bakery.ok("list").out
    said = bakery.run("doctor")
    assert "doctor --repair" in said.out
    assert "project" in said.out
    bakery.ok("doctor", "--repair")
    assert not any((root / path).exists() for path in names)
    assert "OVEN_PORT" in bakery.ok("show", "feedback").out
    assert "OVEN_PORT" not in (root / "procedural/feedback.md").read_text()


def test_an_agent_cannot_put_it_back(people: dict[str, Person]) -> None:
    agent = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}
    people["bakery"].ok("list", env=agent)
    assert people["bakery"].run("undo", env=agent).code == 2
    assert "sourdough" not in people["orchard"].ok("list", "--scope", "global").out


def test_the_past_of_one_project_shows_in_no_other(people: dict[str, Person]) -> None:
    for person in people.values():
        person.ok("list")
    orchard = people["orchard"]
    shown = [
        orchard.run("history").out,
        orchard.run("history", "--scope", "global").out,
        orchard.run("history", "--scope", "global", "--json").out,
        orchard.run("undo", "--gone", "--dry-run", "--scope", "global").out,
        orchard.run("search", "sourdough", "starter", "--as-of", "2026-11-24T03:58").out,
        orchard.run("search", "sourdough", "--as-of", "2026-11-24T03:58", "--scope", "global").out,
        orchard.run("search", "EADDRINUSE", "--as-of", "2026-11-24T03:58", "--json").out,
    ]
    for words in ("sourdough-starter", "OVEN_PORT", "Answered", "flour", "yu-qi"):
        assert not [text for text in shown if words in text], words


@pytest.mark.slow
def test_killed_in_the_middle_it_is_finished_by_the_next(
    people: dict[str, Person], tmp_path: Path
) -> None:
    folder, orchard = people["orchard"].project.parent, people["orchard"]
    start = tmp_path.parent / f"{tmp_path.name}-start"
    shutil.copytree(folder, start)
    before = kept(folder)
    total = 100_000 - int(_killed(orchard, 100_000).split()[-1])
    assert total > 100
    for n in range(5, total, total // 14):
        shutil.rmtree(folder)
        shutil.copytree(start, folder)
        assert "calls left" not in _killed(orchard, n)
        for person in people.values():
            person.ok("list")
        assert kept(folder) == before, n
        assert "sourdough" not in orchard.ok("list").out


def _killed(person: Person, n: int) -> str:
    env = person.environment({"PYTHONPATH": os.pathsep.join(sys.path)})
    program = [sys.executable, "-c", KILLED, str(n), "list"]
    ran = subprocess.run(program, cwd=person.project, env=env, capture_output=True, check=False)
    return ran.stderr.decode()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PostToolUseFailure"])
def test_a_hook_that_is_first_tells_nothing_of_others(
    people: dict[str, Person], event: str
) -> None:
    """Before any command or worker has sorted it out."""
    orchard = people["orchard"]
    payload = {
        "session_id": "s-new",
        "cwd": str(orchard.project),
        "hook_event_name": event,
        "source": "startup",
        "prompt": "What about the sourdough starter, EADDRINUSE and OSError of pytest?",
        "tool_input": {"command": "pytest tests/oven"},
        "error": "E   OSError: [Errno 98] EADDRINUSE: address already in use: 4711",
    }
    ran = subprocess.run(
        [sys.executable, "-I", "-S", HOOK, "claude", event],
        input=json.dumps(payload).encode(),
        capture_output=True,
        env=orchard.environment({}),
        cwd=orchard.project,
        timeout=20,
        check=True,
    )
    said = ran.stdout.decode()
    for name in ("bakery", "图书馆", ""):
        assert not [one for one in STATEMENTS[name] if one in said]


def test_a_solution_of_nobody_waits_for_a_person(people: dict[str, Person]) -> None:
    people["orchard"].ok("list")
    home, folder = people["orchard"].home, people["orchard"].project.parent / "elsewhere"
    nobody = Person(home, folder, {"RECOLLECT_PROJECT_ROOT": "/unknown-project"})
    assert "EPRINTJAM" in nobody.ok("show", "feedback").out
    nobody.ok("promote", "feedback#solution-lpr-eprintjam", "--to", "global")
    for path in (home / ".cache").rglob("index.db"):
        path.unlink()  # all is looked at anew: what a person promoted stays
    [row] = people["orchard"].ok("search", "EPRINTJAM", "--json").json["hits"]
    assert row["scope"] == "global"
