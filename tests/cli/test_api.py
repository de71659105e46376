"""The Python API: `from recollect import open_store`."""

from __future__ import annotations

import inspect
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.running import Person

import recollect
from recollect import app
from recollect.api import Memories, open_store
from recollect.errors import (
    ChangedMeanwhile,
    ChangeNotFound,
    CoreOfPerson,
    MemoryNotFound,
    NothingToUndo,
    StoreNotFound,
    UsageProblem,
)
from recollect.model.memory import Filter


@pytest.fixture
def both(person: Person) -> Person:
    """Somebody with a store for the project and one for all projects."""
    person.ok("init", "--scope", "global")
    return person


def _open(person: Person, scope: str = "") -> Memories:
    return open_store(str(person.project), scope=scope, env=person.environment({}))


@pytest.fixture
def memories(both: Person) -> Iterator[Memories]:
    """The memories of that person's project."""
    with _open(both) as memories:
        yield memories


@pytest.mark.slow
def test_the_worker_of_a_large_store_works_where_the_program_was_told_to(
    both: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "MOST_AT_ONCE", 0)
    own = Path(os.environ["HOME"])  # not that of the environment which the program hands over
    assert own != both.home
    with _open(both) as memories:
        memories.save("Note 0", "It says something.")
        workers = list(memories._app.workers)
        os.kill(workers[0], signal.SIGSTOP)  # else a slow machine lets it take its mark
        memories.save("Note 1", "It says something.")
        memories.save("Note 2", "It says something.")
        assert list(memories._app.workers) == workers  # asked three times within a moment
        os.kill(workers[0], signal.SIGCONT)
        os.waitid(os.P_PID, workers[0], os.WEXITED | os.WNOWAIT)
        assert "Note 2" in Path(memories.root, "MEMORY.md").read_text()
    assert not list(own.rglob("recollect"))
    with pytest.raises(ChildProcessError):  # it was taken note of
        os.waitpid(workers[0], os.WNOHANG)


def test_a_memory_goes_through_its_whole_life(memories: Memories, both: Person) -> None:
    saved = memories.save(
        "Use PostgreSQL", "We need JSONB.", kind="decision", tags=["postgres", "events"]
    )
    assert saved.id == "use-postgresql"
    assert Path(memories.root, saved.path).is_file()
    assert [hit.candidate.id for hit in memories.search("jsonb")] == ["use-postgresql"]
    assert "We need JSONB." in memories.recall("why do we use postgresql").text
    assert memories.show("use-postgresql").tags == ("postgres", "events")
    memories.set("use-postgresql", salience="high", tags=["postgres"], decay_after="2027-01-01")
    shown = memories.show("use-postgresql")
    assert (shown.salience, shown.tags, shown.decay_after) == ("high", ("postgres",), "2027-01-01")
    memories.edit("use-postgresql", "We need LISTEN.", title="Use PostgreSQL 17")
    assert memories.show("use-postgresql").title == "Use PostgreSQL 17"
    memories.forget("use-postgresql")
    with pytest.raises(MemoryNotFound):
        memories.show("use-postgresql")
    memories.undo()
    assert "LISTEN" in memories.show("use-postgresql").body
    assert [past.cause for past in memories.history("use-postgresql")] == [
        "undo", "forget", "edit", "set", "save",
    ]  # fmt: skip
    assert [entry.id for entry in memories.entries(Filter(kind="decision"))] == ["use-postgresql"]
    assert "Use PostgreSQL 17" in (both.store / "MEMORY.md").read_text("utf-8")


def test_one_word_for_a_list_is_a_list_of_one(memories: Memories) -> None:
    memories.save("Tagged", tags="sqlite", trigger="database is locked")
    assert memories.show("tagged").tags == ("sqlite",)
    assert memories.show("tagged").trigger == ("database is locked",)


def test_a_section_is_named_by_its_anchor(memories: Memories) -> None:
    rule = memories.save("Always measure first")
    assert rule.id == "feedback#always-measure-first"
    memories.edit(rule.id, "Then change one thing.")
    assert "Then change one thing." in memories.show(rule.id).body
    memories.save("Always measure twice")
    memories.forget(rule.id)
    assert "first" not in memories.show("feedback").body


def test_writing_goes_to_the_store_that_has_the_memory(memories: Memories, both: Person) -> None:
    with _open(both, "global") as everywhere:
        everywhere.save("For all projects", kind="fact")
        root = Path(everywhere.root)
    assert root == both.home / ".claude" / "memory"
    memories.save("For this one", kind="fact")
    memories.set("for-all-projects", title="For every project")
    assert "For every project" in (root / "MEMORY.md").read_text("utf-8"), "its own views"
    assert {entry.id for entry in memories.entries()} == {"for-all-projects", "for-this-one"}
    assert [p.cause for p in memories.history("for-all-projects")] == ["set", "save"]
    memories.undo("for-all-projects")
    assert memories.show("for-all-projects").title == "For all projects"
    with _open(both, "project") as here:
        assert [entry.id for entry in here.entries()] == ["for-this-one"]
        assert not here.search("projects")
        with pytest.raises(MemoryNotFound):
            here.edit("for-all-projects", "text")


def test_what_goes_wrong_has_a_type(memories: Memories, tmp_path: Path) -> None:
    with pytest.raises(NothingToUndo):
        memories.undo()
    with pytest.raises(ChangeNotFound):
        memories.undo("nothing")
    for call in (memories.show, memories.forget):
        with pytest.raises(MemoryNotFound):
            call("nothing")
    assert memories.history("nothing") == []
    with pytest.raises(UsageProblem):
        memories.save("")
    with pytest.raises(UsageProblem):
        memories.save("x", salience="enormous")
    with pytest.raises(UsageProblem):
        memories.set(memories.save("x", kind="fact").id, colour="red")
    (tmp_path / "elsewhere").mkdir()
    with pytest.raises(StoreNotFound):
        open_store(str(tmp_path / "elsewhere"), env={"HOME": str(tmp_path / "nobody")})
    assert not (tmp_path / "nobody").exists()


def test_what_an_agents_program_writes_is_the_agents(memories: Memories, both: Person) -> None:
    memories.save("Use PostgreSQL", "We need JSONB.", kind="decision")
    memories.save("Staging listens on port 8080", kind="fact")
    agent = both.environment({"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"})
    with open_store(str(both.project), env=agent) as programs:
        name = programs.save(
            "The kettle is blue", kind="fact", trust="user", source="instructed"
        ).id
        assert (programs.show(name).trust, programs.show(name).session) == ("agent", "s1")
        programs.save("Staging listens on port 9090", kind="fact")
        programs.edit("use-postgresql", "We need nothing.")
        with pytest.raises(UsageProblem):
            programs.set(name, trust="user")
        with pytest.raises(UsageProblem):
            programs.undo("staging-listens-on-port-8080")
        programs.undo("use-postgresql")
        programs.edit("use-postgresql", "We need rows.")
    assert memories.show("use-postgresql").trust == "agent"
    assert memories.show("staging-listens-on-port-8080").status == "confirmed"
    memories.save("Cups are white", kind="fact", trust="tool")
    assert memories.show("cups-are-white").trust == "tool"


def test_an_open_store_sees_what_others_write(memories: Memories, both: Person) -> None:
    file = both.write("semantic/note.md", "# Note\n\nthe first wording\n")
    assert [hit.candidate.id for hit in memories.search("wording")] == ["note"]
    file.write_text("# Note\n\nanother phrasing\n")
    assert not memories.search("wording")
    assert memories.show("note").body.endswith("another phrasing\n")
    both.ok("save", "By command", "--kind", "fact")
    assert {entry.id for entry in memories.entries()} == {"note", "by-command"}
    both.ok("forget", "by-command")
    assert [entry.id for entry in memories.entries()] == ["note"]
    file.unlink()
    with pytest.raises(MemoryNotFound):
        memories.edit("note", "text")


def test_two_objects_have_the_same_store_open(memories: Memories, both: Person) -> None:
    with _open(both) as other:
        one, two = (
            memories.save("Same title", kind="fact"),
            other.save("Same title", "By another.", kind="fact"),
        )
        assert (one.id, two.id) == ("same-title", "same-title-2")
        other.edit("same-title", "by the other")
        memories.edit("same-title", "by the first")
        assert other.show("same-title").body.strip() == "by the first"
        with pytest.raises(ChangedMeanwhile):
            other.undo(next(p.id for p in other.history("same-title") if p.cause == "save"))
        assert {p.id for p in memories.history()} == {p.id for p in other.history()}


def test_the_clock_of_an_open_store_goes_on(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    now = time.time_ns()
    memories.save("Early", kind="fact")
    monkeypatch.setattr(time, "time_ns", lambda: now + 3600 * 10**9)
    memories.save("Late", kind="fact")
    assert memories.show("late").created > memories.show("early").created


def test_every_public_name_says_what_it_gives_and_takes() -> None:
    for name, function in inspect.getmembers(Memories, inspect.isfunction):
        if not name.startswith("_"):
            assert function.__doc__, name
            assert "return" in function.__annotations__, name
    assert open_store.__doc__
    assert set(recollect.__all__) == {"__version__", "open_store"}
    with pytest.raises(AttributeError, match="nothing"):
        recollect.nothing  # noqa: B018 - it is the reading that raises


def test_importing_the_package_imports_nothing_else() -> None:
    code = (
        "import sys; before = set(sys.modules); import recollect; print(*set(sys.modules) - before)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout.split() == ["recollect"]


def test_a_field_that_no_memory_has_is_named(memories: Memories) -> None:
    with pytest.raises(UsageProblem, match="“nonsense” cannot be set; choose one of layer, kind"):
        memories.save("A title", nonsense=1)  # type: ignore[call-arg]


def test_an_agents_program_replaces_no_core_file_of_a_person(both: Person) -> None:
    both.ok("core", "set", "project", "A shop.")
    env = both.environment({"CLAUDECODE": "1"})
    with open_store(str(both.project), env=env) as opened:
        with pytest.raises(CoreOfPerson):
            opened.edit("project", "Mine.")
        with pytest.raises(CoreOfPerson):
            opened.forget("project")
