"""Sessions at the command line: many at once, each its own; nothing in them is ever dropped.

The names M1 to M17 are those of the list of bugs of the first implementation.
"""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Person, tree_of

OLD = {
    "session_id": "session-20260110-091500-4f1a9c",
    "started": "2026-01-10T09:15:00",
    "last_updated": "2026-01-10T11:00:00",
    "task": "Cache the catalogue",
    "status": "active",
    "files_modified": ["src/cache.py"],
    "decisions": [{"decision": "Use Redis", "rationale": "It is there", "alternatives": []}],
    "problems": [],
    "notes": ["Ann knows the catalogue"],
    "todos": ["Measure it"],
}


def at(name: str) -> dict[str, str]:
    """The environment of somebody whose session has this name."""
    return {"RECOLLECT_SESSION": name}


def memory_of(person: Person, session: str, env: dict[str, str] | None = None) -> str:
    """The text of the memory that a session is saved as."""
    done = person.ok("save-session", "--session-id", session, "--json", env=env).json
    return Path(done["path"]).read_text("utf-8")


def sessions(person: Person, *words: str) -> dict[str, Any]:
    return {row["session"]: row for row in person.ok("list-sessions", "--json", *words).json}


# ------------------------------------------------------------------------------- many at once


@pytest.mark.slow
def test_each_session_of_a_day_lands_where_it_should(person: Person, tmp_path: Path) -> None:
    """Two in one project, one in another: no word of one is in the memory of another."""
    (tmp_path / "other" / ".git").mkdir(parents=True)
    other = Person(person.home, tmp_path / "other")
    other.ok("init")
    for who, name in ((person, "alpha"), (person, "beta"), (other, "gamma")):
        who.ok("start-session", f"Task of {name}", env=at(name))
    for n in range(3):
        for who, name in ((person, "beta"), (other, "gamma"), (person, "alpha")):
            who.ok("note", f"{name} note {n}", env=at(name))
            who.ok("todo", f"{name} todo {n}", env=at(name))
    other.ok("add-decision", "gamma decides", env=at("gamma"))
    person.ok("add-decision", "alpha decides", env=at("alpha"))
    texts = {
        "alpha": memory_of(person, "alpha"),
        "beta": memory_of(person, "beta"),
        "gamma": memory_of(other, "gamma"),
    }
    for name, text in texts.items():
        assert [n for n in ("alpha", "beta", "gamma") if n in text] == [name]
        assert text.count(f"{name} note") == text.count(f"{name} todo") == 3
    assert "alpha decides" in texts["alpha"]
    assert "gamma decides" in texts["gamma"]
    assert set(sessions(person, "--all")) == {"alpha", "beta"}
    assert set(sessions(other, "--all")) == {"gamma"}


def test_two_agents_in_one_folder_have_a_session_each(person: Person) -> None:
    for name in ("aaaa-1", "bbbb-2"):
        env = {"CLAUDE_CODE_SESSION_ID": name, "CLAUDECODE": "1"}
        person.ok("note", f"of {name}", env=env)
    shown = sessions(person)
    assert {name: row["notes"] for name, row in shown.items()} == {"aaaa-1": 1, "bbbb-2": 1}
    assert {row["client"] for row in shown.values()} == {"claude"}


def test_nobody_else_s_session_is_taken_for_ours(person: Person) -> None:
    """M10: without a session of its own, a command says so and changes nothing."""
    person.ok("note", "of another", env=at("another"))
    before = tree_of(person.project)
    for words in (("note", "x"), ("todo", "x"), ("todo", "--done", "1"), ("save-session",)):
        refused = person.run(*words)
        assert refused.code == 10
        assert "Which session? The command runs in no terminal" in refused.err
    assert tree_of(person.project) == before


def test_a_session_is_shown_by_the_ids_of_its_page(person: Person) -> None:
    person.ok("note", "The lid is red", env=at("lid"))
    person.ok("save-session", env=at("lid"))
    (page,) = (one for one in person.ok("list", "--json").json if one["kind"] == "session")
    shown = {person.ok("show-session", page[name], "--json").out for name in ("id", "entry")}
    assert shown == {person.ok("show-session", "lid", "--json").out}


def test_a_list_of_sessions_has_short_ids_and_the_titles_of_their_pages(person: Person) -> None:
    names = [
        f"{start}-0000-4000-8000-000000000000" for start in ("5e550a00", "5e551a00", "5e551a00-1")
    ]
    for name in names:
        person.ok(
            "start-session",
            f"Paint the lids and the spouts of all the teapots {name[:10]}",
            env=at(name),
        )
    person.ok("save-session", env=at(names[0]))
    (page,) = (one for one in person.ok("list", "--json").json if one["kind"] == "session")
    person.ok("edit", page["id"], "--title", "The lids of the teapots are red by now")
    ran = person.at_terminal("session", "list", "--all", columns=80, env={"NO_COLOR": "1"})
    shown = [line.rstrip() for line in ran.out.splitlines()]
    assert max(map(len, shown)) <= 80
    ids = [line.split()[0] for line in shown[1:]]
    assert sorted(ids) == ["5e550a00", "5e551a00-0000", "5e551a00-1"]
    assert all(person.ok("session", "show", one).out for one in ids)
    assert "The lids of the teapots are red by now" in "".join(shown)


def test_who_names_no_session_is_told_how_to(person: Person) -> None:
    refused = person.run("session", "show")
    assert (refused.code, "Which session?" in refused.err) == (10, True)
    assert "`recollect session show ID`" in refused.err


class Terminal:
    """A terminal with a shell in it, as a window has."""

    def __init__(self, person: Person) -> None:
        self.person = person

    def run(self, *commands: str) -> list[str]:
        """Run commands one after the other; gives what they printed."""
        script = "; ".join(f"{sys.executable} -m recollect {command}" for command in commands)
        master, slave = pty.openpty()
        done = subprocess.run(
            ["sh", "-c", script],
            cwd=self.person.project,
            env=self.person.environment({"PYTHONPATH": os.pathsep.join(sys.path)}),
            stdin=slave,
            capture_output=True,
            start_new_session=True,
            timeout=120,
            check=True,
        )
        os.close(slave)
        os.close(master)
        return done.stdout.decode().splitlines()


@pytest.mark.slow
def test_a_terminal_knows_its_own_session(person: Person) -> None:
    first = Terminal(person).run(
        'start-session "First" --json', 'note "of the first"', "show-session --json"
    )
    second = Terminal(person).run(
        'start-session "Second" --json',
        'add-decision "Of the second"',
        "note --json more",
        "show-session --json",
    )
    one, two = json.loads(first[-1]), json.loads(second[-1])
    assert (one["task"], one["notes"]) == ("First", ["of the first"])
    assert (two["task"], two["notes"]) == ("Second", ["more"])
    assert [fact["content"] for fact in two["facts"]] == ["Of the second"]
    assert one["session"] != two["session"]
    assert re.fullmatch(r"session-\d{8}-\d{6}-[0-9a-f]{6}", one["session"])
    third = Terminal(person).run('save-session || echo "none"')
    assert third == ["none"]


# ------------------------------------------------------------------------------------- saving


def test_two_sessions_of_one_task_and_day_are_two_memories(person: Person) -> None:
    """M1: neither the memory nor the session of the first is written over."""
    for name in ("one", "two"):
        person.ok("start-session", "Fix login", env=at(name))
        person.ok("note", f"said in {name}", env=at(name))
    saved = [person.ok("save-session", "--json", env=at(n)).json for n in ("one", "two")]
    assert len({row["path"] for row in saved}) == 2
    assert ["said in one" in Path(row["path"]).read_text() for row in saved] == [True, False]
    assert set(sessions(person, "--all")) == {"one", "two"}


@pytest.mark.parametrize(
    "name", ["unknown", "../../../../victim/data", "..", "/etc/passwd", "session\n", "a/b", "x" * 300]
)  # fmt: skip
@pytest.mark.sampled(2)
def test_an_unknown_session_is_named_and_nothing_is_saved(person: Person, name: str) -> None:
    """M11: nor is anything read or moved outside of the store."""
    victim = person.home / "victim" / "data.json"
    victim.parent.mkdir()
    victim.write_text(json.dumps(OLD))
    person.ok("note", "mine", env=at("mine"))
    before = tree_of(person.project, person.home / "victim")
    for words in (("save-session",), ("note", "x"), ("todo", "x")):
        assert person.run(*words, "--session-id", name).code == 10
    assert person.run("show-session", name).code == 10
    assert tree_of(person.project, person.home / "victim") == before


def test_a_session_may_have_any_name_in_the_environment(person: Person) -> None:
    for name in ("../../x", "a b", "会话", "$(date)"):
        person.ok("note", "said", env=at(name))
    folder = person.store / "sessions" / "active"
    assert len(list(folder.iterdir())) == 4
    assert set(sessions(person)) == {"../../x", "a b", "会话", "$(date)"}
    assert not (person.project / "x").exists()


@pytest.mark.parametrize("task", ["\\U", "\\1", "\\g<0>", "$&", "a\nb", "[/oops]", "## Current Work", "   "])  # fmt: skip
@pytest.mark.sampled(3)
def test_a_task_is_data(person: Person, task: str) -> None:
    """M6, M14, M16."""
    person.ok("start-session", task, env=at("s"))
    person.ok("note", "n", env=at("s"))
    first, again = memory_of(person, "s"), memory_of(person, "s")
    assert first == again
    assert all("\n" not in name.name for name in person.store.rglob("*"))
    if task.strip():
        assert " ".join(task.split()) in person.ok("list-sessions", "--all").out


def test_blank_titles_do_no_harm(person: Person) -> None:
    """M12, as far as sessions go: two without a task, and lists that show them."""
    for name in ("one", "two"):
        person.ok("start-session", env=at(name))
        person.ok("note", " x ", env=at(name))
        person.ok("save-session", env=at(name))
    for words in (("list-sessions", "--all"), ("list",), ("stats",), ("timeline",)):
        person.ok(*words)


@pytest.mark.slow
def test_the_tags_of_a_session_do_not_depend_on_a_hash(person: Person) -> None:
    """M13."""
    person.ok("start-session", "Move billing events from queue to PostgreSQL", env=at("s"))
    shown = {
        person.process(
            "save-session", "--session-id", "s", "--dry-run", env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(shown) == 1


def test_a_clock_that_goes_back_loses_nothing(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M17: what was said later comes later, whatever its clock says."""
    for hours, text in ((10, "one"), (9, "two"), (11, "three")):
        monkeypatch.setattr(time, "time_ns", lambda h=hours: (1_768_141_800 + h * 3600) * 10**9)
        person.ok("note", text, env=at("s"))
    shown = person.ok("show-session", "s", "--json").json
    assert shown["notes"] == ["one", "two", "three"]
    assert shown["started"] < shown["updated"]


def test_a_session_can_be_saved_to_the_global_store(person: Person) -> None:
    person.ok("init", "--scope", "global")
    person.ok("note", "for all projects", env=at("s"))
    saved = person.ok("save-session", "--scope", "global", "--json", env=at("s")).json
    assert saved["path"].startswith(str(person.home))
    assert not list((person.store / "episodic").rglob("*.md"))
    hits = person.ok("search", "for all projects", "--json").json["hits"]
    assert [hit["scope"] for hit in hits] == ["global"]


def test_a_project_without_a_store_has_its_sessions_in_a_private_one(
    stranger: Person, tmp_path: Path
) -> None:
    stranger.ok("init", "--scope", "global")
    (tmp_path / "other" / ".git").mkdir(parents=True)
    other = Person(stranger.home, tmp_path / "other")
    stranger.ok("note", "secret of one", env=at("one"))
    other.ok("start-session", "Task of two", env=at("two"))
    assert set(sessions(stranger)) == {"one"}
    assert set(sessions(other)) == {"two"}
    assert stranger.ok("list", "--scope", "global", "--json").json == []
    assert other.ok("search", "secret of one", "--json").json["hits"] == []


def test_private_words_and_secrets_reach_no_disk(person: Person) -> None:
    env = at("s")
    person.ok("start-session", "Log in as <private>user:hunter2</private>", env=env)
    person.ok("note", "<private>hunter2", env=env)
    person.ok("todo", "rotate password: hunter2!x9", env=env)
    person.ok("save-session", "--summary", "<private>hunter2</private> ok", "--tags", "a,<private>hunter2</private>", env=env)  # fmt: skip
    person.ok("note", "said after the private part", env=env)
    assert "said after the private part" in memory_of(person, "s", env)
    for folder in (person.home, person.project):
        for path in folder.rglob("*"):
            assert "hunter2" not in str(path)
            assert not path.is_file() or b"hunter2" not in path.read_bytes(), path


def test_what_is_open_in_a_saved_session_is_in_the_next_brief(person: Person) -> None:
    person.ok("start-session", "Fix the login", env=at("s"))
    person.ok("todo", "Tell Ann about the login", env=at("s"))
    person.ok("save-session", env=at("s"))
    assert "Tell Ann about the login" in person.ok("recall", "--start").out


# -------------------------------------------------------------------------------- cleaning up


@pytest.fixture
def later(person: Person, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Three days after a session in which something was said, and one in which nothing was."""
    person.ok("note", "do not drop me", env=at("stale"))
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now + 3 * 86_400 * 10**9)
    person.ok("note", "still at it", env=at("fresh"))
    return person


def test_stale_sessions_are_saved_and_not_dropped(later: Person) -> None:
    tried = later.ok("cleanup-sessions", "--dry-run", "--json").json
    assert [row["session"] for row in tried] == ["stale"]
    assert not list(later.store.rglob("summary.md"))
    done = later.ok("cleanup-sessions", "--json").json
    assert [(row["session"], row["what"]) for row in done] == [("stale", "created")]
    assert "do not drop me" in Path(done[0]["path"]).read_text()
    assert set(sessions(later)) == {"fresh"}
    assert later.ok("cleanup-sessions", "--json").json == []
    assert later.ok("cleanup-sessions", "--older-than", "0", "--json").json[0]["session"] == "fresh"


def test_undoing_a_cleanup_takes_the_memory_and_leaves_the_session(later: Person) -> None:
    later.ok("cleanup-sessions")
    later.ok("undo")
    assert not list(later.store.rglob("summary.md"))
    assert "do not drop me" in memory_of(later, "stale")


# ------------------------------------------------------------------------- sessions of seed 002


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "folder",
    ["memory/sessions/active", "sessions/active", "memory/sessions/archived", "sessions/archived"],
)
def test_the_sessions_of_the_seed_are_read_where_it_kept_them(person: Person, folder: str) -> None:
    file = person.project / ".claude" / folder / f"{OLD['session_id']}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(OLD))
    before = file.read_bytes()
    (row,) = sessions(person, "--all").values()
    assert (row["task"], row["notes"], row["todos"]) == ("Cache the catalogue", 1, 1)
    name = str(OLD["session_id"])
    assert "Use Redis: It is there" in person.ok("show-session", name[:20]).out
    person.ok("note", "one more", "--session-id", name)
    text = memory_of(person, name)
    assert text.count("- Ann knows the catalogue") == text.count("- one more") == 1
    assert "created: 2026-01-10T09:15:00Z" in text
    assert file.read_bytes() == before
    assert set(sessions(person, "--all")) == {name}


def test_an_archived_session_of_seed_002_becomes_a_memory_when_it_is_saved(person: Person) -> None:
    folder = person.store / "sessions/archived"
    folder.mkdir(parents=True)
    file = folder / "2026-01-10-cache-the-catalogue.json"
    file.write_text(json.dumps(OLD | {"status": "archived"}), "utf-8")
    name = str(OLD["session_id"])
    done = person.ok("save-session", "--session-id", name, "--json").json
    assert (done["what"], done["id"]) == ("created", "2026-01-10-cache-the-catalogue")
    assert person.ok("save-session", "--session-id", name, "--json").json["what"] == "nothing"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("damage", ["", "{", "[]", "null", '{"session_id": 7}', '{"session_id": "x", "notes": 7}'])  # fmt: skip
def test_a_damaged_session_file_stops_no_other(person: Person, damage: str) -> None:
    """M3."""
    person.ok("note", "mine", env=at("mine"))
    folder = person.store / "sessions" / "active"
    (folder / "session-1.json").write_text(damage)
    (folder / "terminal-2.jsonl").write_text(damage)
    assert "mine" in sessions(person)
    assert person.ok("save-session", "--json", env=at("mine")).json["what"] == "created"


def test_a_part_of_an_id_names_a_session_only_if_it_names_no_other(person: Person) -> None:
    for name in ("morning-one", "morning-two"):
        person.ok("note", f"of {name}", env=at(name))
    assert person.run("show-session", "morning").code == 10
    assert person.run("show-session", "morni-").code == 10
    assert person.ok("show-session", "morning-o", "--json").json["session"] == "morning-one"
    person.ok("note", "short", env=at("morning"))
    assert person.ok("show-session", "morning", "--json").json["session"] == "morning"
