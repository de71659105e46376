"""Every kind of thing, through every interface, from every project: what is one's own shows, no other's.

Three projects: one with a store in it, one with a private store, one of which nothing is kept; and
what a person keeps for all projects. Each thing has a word of its own, so that it can be told which
of them an interface has shown; what it shows of its own is what would show if a store were mixed up.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Person
from tests.hooks.machine import HOOK
from tests.mcp.talking import Agent, Server

OWNERS = ("stored", "private", "global")
ASKERS = ("stored", "private", "bare")
KINDS = ("conversation", "session", "fact", "solution", "rule", "todo", "core", "skill")
FOR_ALL = {"fact", "solution", "rule", "core"}  # what a person can keep for all projects


def word(kind: str, owner: str) -> str:
    """The word that is in one thing only."""
    return f"{kind}of{owner}"


def failure_of(owner: str) -> str:
    """What is printed where the solution helps."""
    return f"EHARBOUR{owner.upper()}"


WORDS = {word(kind, owner): (kind, owner) for kind, owner in product(KINDS, OWNERS)}


class World:
    """The three projects of somebody."""

    def __init__(self, folder: Path, git: str) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self.people = {}
        for name in ASKERS:
            (folder / name / git).mkdir(parents=True)
            self.people[name] = Person(self.home, folder / name)
        self.ids: dict[str, set[str]] = {}
        self.asked = 0
        self._shown: dict[tuple[str, str], str] = {}

    def fill(self) -> None:
        self.people["stored"].ok("init", "--scope", "both")
        for owner in ("stored", "private"):
            self._hold_a_session(self.people[owner], owner)
            self._keep(self.people[owner], owner, "project")
        logs = self.home / ".claude/projects"
        self.people["stored"].ok("capture", str(logs))
        self._keep(self.people["stored"], "global", "global")
        for owner in ("stored", "private"):
            person = self.people[owner]
            person.ok(
                "start-session", "Work in the harbour", env={"RECOLLECT_SESSION": f"t-{owner}"}
            )
            person.ok(
                "todo", f"Harbour {word('todo', owner)}", env={"RECOLLECT_SESSION": f"t-{owner}"}
            )
            person.ok("save-session", env={"RECOLLECT_SESSION": f"t-{owner}"})
            for n in range(3):
                task = f"Deploy {word('skill', owner)} to the harbour"
                person.ok("save", task, "--kind", "note", "--body", f"The {n}. time.")
            person.ok("analyze-skills")
            person.ok("recall", "--start")
        self.ids["global"] = {r["id"] for r in self._listed("stored", "--scope", "global")}
        for owner in ("stored", "private"):
            self.ids[owner] = {r["id"] for r in self._listed(owner, "--scope", "project")}

    def _listed(self, owner: str, *words: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.people[owner].ok("list", *words, "--json").json
        return found

    def _keep(self, person: Person, owner: str, scope: str) -> None:
        at = ("--scope", scope)
        port = f"The harbour port of {word('fact', owner)}"
        person.ok("save", port, "--kind", "fact", "--body", "It is 8080.", *at)
        person.ok("save", f"Always lock the harbour {word('rule', owner)}", "--kind", "rule", *at)
        person.ok("memory-set", owner, f"The harbour of {word('core', owner)}.", *at)
        if scope == "global":
            failure = failure_of(owner)
            body = f"**Symptom:** {failure} in the harbour\\n**Solution:** `make {word('solution', owner)}`"
            given = (
                "--kind",
                "solution",
                "--trigger",
                failure,
                "--body",
                body.replace("\\n", "\n"),
            )
            person.ok("save", "Solution: harbour for all", *given, *at)

    def _hold_a_session(self, person: Person, owner: str) -> None:
        """A session as the client writes it: what was said, and a failure that was got over."""
        name = f"5e55-{owner}"
        failure = f"E   OSError: {failure_of(owner)}: the harbour is closed already"

        def used(n: int, command: str, back: str, *, failed: bool) -> list[dict[str, Any]]:
            use = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": command}}
            result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": back}
            if failed:
                result["is_error"] = True  # type: ignore[assignment]
            return [
                {"type": "assistant", "message": {"role": "assistant", "content": [use]}},
                {"type": "user", "message": {"role": "user", "content": [result]}},
            ]

        def said(who: str, text: str) -> dict[str, Any]:
            content: Any = text if who == "user" else [{"type": "text", "text": text}]
            return {"type": who, "message": {"role": who, "content": content}}

        rows = [
            said("user", f"Build the harbour wall of {word('session', owner)} please"),
            said("assistant", f"I look at the harbour {word('conversation', owner)} first."),
            *used(1, f"pytest tests/{owner}", failure, failed=True),
            *used(2, f"{word('solution', owner)}=0 pytest tests/{owner}", "9 passed", failed=False),
            said("user", "Thank you, and now the harbour lights."),
            said("assistant", "I have fixed the harbour lights: a cable was cut."),
        ]
        about = {"sessionId": name, "cwd": str(person.project), "version": "2.1.330"}
        lines = [
            json.dumps(
                row | about | {"uuid": f"{owner}{n}", "timestamp": f"2026-11-20T10:{n:02}:00Z"}
            )
            for n, row in enumerate(rows)
        ]
        log = self.home / ".claude/projects" / f"-{owner}" / f"{name}.jsonl"
        log.parent.mkdir(parents=True)
        log.write_text("\n".join(lines) + "\n")

    def shown(self, way: Callable[[World, str], str], asker: str) -> str:
        """What an interface shows to somebody, asked once."""
        key = way.__name__, asker
        if key not in self._shown:
            self._shown[key] = way(self, asker).casefold()
        return self._shown[key]

    def hook(self, person: Person, event: str, **fields: object) -> str:
        """What a hook says to a session of its own."""
        self.asked += 1
        payload = {
            "session_id": f"asked-{self.asked}", "cwd": str(person.project), "source": "startup",
            "hook_event_name": event, "transcript_path": str(self.home / "none.jsonl"), **fields,
        }  # fmt: skip
        return subprocess.run(
            [sys.executable, "-I", "-S", HOOK, "claude", event],
            input=json.dumps(payload).encode(), capture_output=True, cwd=person.project, check=True,
            env={"HOME": str(self.home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}, timeout=20,
        ).stdout.decode()  # fmt: skip


@pytest.fixture(
    scope="module", params=[".git", pytest.param("", marks=pytest.mark.slow)], ids=["git", "no-git"]
)
def world(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> World:
    made = World(tmp_path_factory.mktemp("matrix"), request.param)
    made.fill()
    return made


def asked_of(world: World, asker: str, *words: str) -> str:
    return world.people[asker].run(*words).out


def search(world: World, asker: str) -> str:
    """By each word and by what they have in common; without the words that it repeats."""
    found = [asked_of(world, asker, "search", "harbour", "--limit", "100", "--json")]
    found += [asked_of(world, asker, "search", one, "--json") for one in WORDS]
    return "".join(json.dumps(json.loads(one)["hits"]) for one in found if one)


def recall(world: World, asker: str) -> str:
    asked = [asked_of(world, asker, "recall", f"the harbour {one}", "--json") for one in WORDS]
    return "".join(json.loads(one)["text"] for one in asked if one)


def brief(world: World, asker: str) -> str:
    return asked_of(world, asker, "recall", "--start") + world.hook(
        world.people[asker], "SessionStart"
    )


def prompt_hook(world: World, asker: str) -> str:
    person = world.people[asker]
    return "".join(
        world.hook(person, "UserPromptSubmit", prompt=f"What of the harbour {one}?")
        for one in WORDS
    )


def failure_hook(world: World, asker: str) -> str:
    person, said = world.people[asker], []
    for owner in OWNERS:
        error = f"Exit code 1\nE   OSError: {failure_of(owner)}: the harbour is closed already"
        given = {"tool_name": "Bash", "tool_input": {"command": f"pytest tests/{owner}/other"}}
        said.append(world.hook(person, "PostToolUseFailure", error=error, **given))
    return "".join(said).lower()


def listed(world: World, asker: str) -> str:
    return "".join(
        asked_of(world, asker, *words)
        for words in (
            ["list"],
            ["list", "--json"],
            ["list", "--archived"],
            ["list-sessions", "--all"],
        )
    )


def timeline(world: World, asker: str) -> str:
    return asked_of(world, asker, "timeline") + asked_of(world, asker, "timeline", "--json")


def shown(world: World, asker: str) -> str:
    """By the ids of everybody, whole; and the sessions."""
    names = sorted(set().union(*world.ids.values()))
    said = [asked_of(world, asker, "show", name, "--level", "3") for name in names]
    sessions = ["t-stored", "t-private", "5e55-stored", "5e55-private"]
    return "".join(said + [asked_of(world, asker, "show-session", one) for one in sessions])


def skills(world: World, asker: str) -> str:
    return asked_of(world, asker, "analyze-skills", "--json")


def core(world: World, asker: str) -> str:
    return asked_of(world, asker, "memory-get") + asked_of(world, asker, "memory-list")


def over_mcp(world: World, asker: str, ask: Callable[[Server], list[str]]) -> str:
    with Agent(world.home, world.people[asker].project).server() as server:
        return "".join(ask(server))


def tool(server: Server, name: str, **given: Any) -> str:
    return str(server.call(name, **given)["content"][0]["text"])


def _echoed(server: Server, name: str, key: str) -> list[str]:
    """What a tool says of each word, without the question that it repeats."""
    asked = [f"{one} harbour?" for one in WORDS]
    return [tool(server, name, **{key: one}).replace(one, "") for one in asked]


def mcp_search(world: World, asker: str) -> str:
    return over_mcp(world, asker, lambda server: _echoed(server, "search", "query"))


def mcp_recall(world: World, asker: str) -> str:
    return over_mcp(world, asker, lambda server: _echoed(server, "recall", "cue"))


def mcp_expand(world: World, asker: str) -> str:
    names = sorted(set().union(*world.ids.values()))

    def ask(server: Server) -> list[str]:
        texts = []
        for name, level in product(names, (2, 3)):
            found = server.call("expand", id=name, level=level)
            texts.append("" if found.get("isError") else found["content"][0]["text"])
        return texts

    return over_mcp(world, asker, ask)


def mcp_timeline(world: World, asker: str) -> str:
    return over_mcp(world, asker, lambda s: [tool(s, "timeline")])


def mcp_resources(world: World, asker: str) -> str:
    names = sorted(set().union(*world.ids.values()))

    def ask(server: Server) -> list[str]:
        texts = [json.dumps(server.result("resources/list"))]
        for name in ["index", *names]:
            found = server.ask("resources/read", uri=f"memory://{name}")
            texts.append(json.dumps(found.get("result", "")))
        return texts

    return over_mcp(world, asker, ask)


# What each interface shows of one's own. All of it is asked of every project.
FOUND = {"session", "fact", "solution", "rule", "todo", "skill"}
GIVEN = FOUND - {"todo"}  # what is open stands in the brief
LISTED = {"session", "fact", "rule", "todo", "core", "skill"}
WAYS: dict[Callable[[World, str], str], set[str]] = {
    search: {"conversation", "core"} | FOUND,
    recall: GIVEN,
    brief: LISTED - {"skill"},  # what holds, and where the last sessions were left off
    prompt_hook: GIVEN,
    failure_hook: {"solution"},
    listed: LISTED,
    timeline: LISTED,
    shown: set(KINDS),
    skills: {"skill"},
    core: {"core"},
    mcp_search: {"conversation", "core"} | FOUND,
    mcp_recall: GIVEN,
    mcp_expand: set(KINDS),
    mcp_timeline: {"session", "fact", "skill", "rule"},
    mcp_resources: set(KINDS) - {"conversation"},
}


@pytest.mark.parametrize("asker", ASKERS)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.sampled(2)
def test_a_door_shows_ones_own_and_what_is_for_all(
    world: World, way: Callable[[World, str], str], asker: str
) -> None:
    said = world.shown(way, asker)
    seen = {what for text, what in WORDS.items() if text in said}
    crossed = {(kind, owner) for kind, owner in seen if owner not in (asker, "global")}
    assert crossed == set()
    own = {kind for kind, owner in seen if owner == asker}
    assert own == (WAYS[way] if asker != "bare" else set())


@pytest.mark.slow
def test_what_is_for_all_shows_in_each_project(world: World) -> None:
    for asker in ASKERS:
        for way in (search, prompt_hook, mcp_search):
            said = world.shown(way, asker)
            seen = {
                kind for text, (kind, owner) in WORDS.items() if owner == "global" and text in said
            }
            assert seen == FOR_ALL & WAYS[way], (asker, way)
        assert word("solution", "global") in world.shown(failure_hook, asker)
        assert word("core", "global") in world.shown(brief, asker)


def test_nothing_was_made_for_the_project_that_only_asked(world: World) -> None:
    assert not list((world.home / ".claude/memory/projects").glob("bare-*/*/*.md"))
    assert not (world.people["bare"].project / ".claude").exists()
