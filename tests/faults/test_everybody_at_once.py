"""Commands, servers, programs and hooks on one store at once: what was acknowledged is there, once."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.crash.test_many_at_once import ROOT, accounts
from tests.hooks.machine import HOOK, until
from tests.services.project import SOURCE, Project

from recollect.api import open_store
from recollect.store import locations

pytest.importorskip("mcp")
from tests.mcp.talking import PROGRAM, Server

Saved = list[tuple[str, str]]  # what was acknowledged: an id, and the word that stands in its text
PROGRAMS, SERVERS, COMMANDS, SESSIONS = 24, 6, 4, 6
AT_ONCE = 5  # hooks of one session: tools that run in parallel


@pytest.fixture
def project(quick_folder: Path, tmp_path: Path) -> Project:
    project = Project(quick_folder / tmp_path.name)
    project.env["PYTHONPATH"] = f"{SOURCE}:{ROOT}"
    return project


def title_of(name: str, n: int) -> str:
    """Half of the writers' titles are the same."""
    return "The same title" if n % 2 else f"Memory {n} of {name}"


def by_program(project: Project, name: str, times: int) -> Saved:
    saved = []
    with open_store(str(project.folder), env=project.env) as store:
        for n in range(times):
            word = f"{name}t{n}z"
            done = store.save(title_of(name, n), f"It has {word}.", kind="fact")
            saved.append((done.id, word))
    return saved


def by_server(project: Project, name: str, times: int) -> Saved:
    started = subprocess.Popen(
        [*PROGRAM, "mcp"], cwd=project.folder, env=project.env,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    saved = []
    with Server(started) as server:
        for n in range(times):
            word = f"{name}t{n}z"
            # A server asks an agent for another title where there is one already.
            title = f"Memory {n} of {name}"
            done = server.call("remember", title=title, text=f"It has {word}.", kind="fact")
            assert not done.get("isError"), done
            saved.append((done["structuredContent"]["id"], word))
    return saved


def by_command(project: Project, name: str, times: int) -> Saved:
    saved = []
    for n in range(times):
        word = f"{name}t{n}z"
        body = ("--body", f"It has {word}.", "--kind", "fact")
        saved.append((project.answer("save", title_of(name, n), *body)["id"], word))
    return saved


def by_hooks(project: Project, name: str, times: int) -> Saved:
    """Tools that run in parallel: each hook leaves a line, and says nothing."""
    payload = {
        "session_id": name,
        "transcript_path": str(project.home / ".claude" / "projects" / "p" / f"{name}.jsonl"),
        "cwd": str(project.folder),
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "true"},
    }
    words = [sys.executable, "-I", "-S", HOOK, "claude", "PostToolUse"]
    for _ in range(0, times, AT_ONCE):
        _fire(project, words, json.dumps(payload).encode())
    return []


def _fire(project: Project, words: list[str], payload: bytes) -> None:
    running = [
        subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=project.env, cwd=project.folder,
        )
        for _ in range(AT_ONCE)
    ]  # fmt: skip
    for hook in running:
        out, err = hook.communicate(payload, timeout=60)
        assert (hook.returncode, out, err) == (0, b"", b"")


def readers(project: Project, over: threading.Event) -> None:
    """Nobody ever sees half of a file."""
    while not over.is_set():
        for path in (project.root / "semantic").glob("*.md"):
            text = path.read_text()
            assert text.startswith("---\nid: ")
            assert text.endswith("z.\n")


def still_running(project: Project) -> Iterator[str]:
    """The processes that have this home."""
    owner = f"HOME={project.home}\0".encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if owner in (entry / "environ").read_bytes():
                    yield (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue


def everybody(project: Project, times: int) -> None:
    kinds = [
        (by_program, "program", PROGRAMS),
        (by_server, "server", SERVERS),
        (by_command, "command", COMMANDS),
        (by_hooks, "hooks", SESSIONS),
    ]
    writers = [(work, f"{kind}{n}") for work, kind, many in kinds for n in range(many)]
    over = threading.Event()
    with ThreadPoolExecutor(len(writers) + 1) as pool:
        reader = pool.submit(readers, project, over)
        done = [pool.submit(work, project, name, times) for work, name in writers]
        try:
            saved = [one for future in done for one in future.result()]
        finally:
            over.set()
        reader.result()
    assert len(saved) == (PROGRAMS + SERVERS + COMMANDS) * times
    until(lambda: not list(still_running(project)), lambda: list(still_running(project)))
    project.answer("consolidate")  # the views of a large store are left to whoever comes next
    accounts(project, [one for one, _ in saved], [word for _, word in saved])
    with project.opened() as store:
        heard = [line["session"] for line in store.journal.hot("signal")]
    assert {n: heard.count(n) for n in set(heard)} == {f"hooks{n}": times for n in range(SESSIONS)}
    cache = Path(locations.cache_folder(str(project.root), project.env))
    # Whoever asks for the worker may end before it starts one: the command has done so.
    until(lambda: not {"pending", "working"} & {path.name for path in cache.iterdir()})
    until(lambda: not list(still_running(project)), lambda: list(still_running(project)))


@pytest.mark.slow
def test_forty_writers_of_four_kinds_save_five_memories_each(project: Project) -> None:
    everybody(project, 5)


@pytest.mark.slow
def test_forty_writers_of_four_kinds_save_twenty_five_memories_each(project: Project) -> None:
    everybody(project, 25)
