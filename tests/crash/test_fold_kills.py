"""Folding what hooks left: killed before any step, and beside hooks that append all the time."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from pathlib import Path

import pytest
from tests.capture.mortal import KILLED, dying_at, forked

from recollect.store import locations
from recollect.store.journal import FolderJournal

HOOKS, LINES, SESSIONS = 4, 400, 3
AT_A_GO = 20  # lines; then a hook waits for the worker, who would hardly come up with it


def say(root: Path, session: int, op: str, name: str) -> None:
    """Append as a hook does."""
    raw = json.dumps({"op": op, "op_id": name, "time": "2026-01-11T14:30:00Z"}).encode()
    path = f"{root}/journal/claude-{session}.jsonl"
    locations.append(str(root), path, locations.with_checksum(raw))


def journal_of(root: Path) -> FolderJournal:
    return FolderJournal(str(root), "ops-here-0a1b2c-2026-01")


def told(root: Path) -> Counter[str]:
    return Counter(line["op_id"] for line in journal_of(root).hot("inject"))


@pytest.mark.slow
def test_a_kill_before_any_step_of_folding_loses_and_doubles_nothing(quick_folder: Path) -> None:
    start, now = quick_folder / "start", quick_folder / "now"
    start.mkdir()
    for n in range(6):
        say(start, n % SESSIONS, "inject", f"told-{n}")
        say(start, n % SESSIONS, "signal", f"signal-{n}")
    before = told(start)
    heard = {name: file.size for name, file in journal_of(start).sessions().items()}
    say(start, 1, "signal", "late")
    killed = 0
    for step in range(100):
        shutil.rmtree(now, ignore_errors=True)
        shutil.copytree(start, now)
        code, _ = dying_at(step, lambda: journal_of(now).fold(heard), quick_folder / "steps")
        assert told(now) == before, step
        journal_of(now).fold({})
        assert told(now) == before, step
        late = [line.data["op_id"] for line in journal_of(now).lines("claude-1.jsonl")]
        assert "late" in late, step
        left = [name for name in os.listdir(now / "journal") if name.endswith(".aside")]
        assert not left, step
        killed += code == KILLED
        if code == 0:
            break
    assert killed > 8
    assert step < 99


@pytest.mark.slow
def test_hooks_that_append_while_their_files_are_folded_again_and_again_lose_nothing(
    quick_folder: Path,
) -> None:
    root = quick_folder / "together"
    root.mkdir()
    may_go, go = os.pipe()

    def hook(who: int) -> None:
        for n in range(LINES):
            if n % AT_A_GO == 0:
                os.read(may_go, 1)
            say(root, n % SESSIONS, "inject", f"told-{who}-{n}")
            say(root, n % SESSIONS, "signal", f"signal-{who}-{n}")

    hooks = [forked(lambda who=who: hook(who)) for who in range(HOOKS)]  # type: ignore[misc]
    os.write(go, b"." * HOOKS)
    seen: set[str] = set()
    folds, heard = 0, set[str]()
    while hooks:
        ended = [pid for pid in hooks if os.waitpid(pid, os.WNOHANG)[0]]
        hooks = [pid for pid in hooks if pid not in ended]
        now = told(root)
        assert max(now.values(), default=1) == 1
        assert seen <= now.keys()
        seen = set(now)
        done = listen_and_fold(root, heard)
        folds += done
        if done:
            os.write(go, b"." * HOOKS)
    listen_and_fold(root, heard)
    every = {f"{who}-{n}" for who in range(HOOKS) for n in range(LINES)}
    assert told(root) == Counter(f"told-{name}" for name in every)
    waiting = {
        line.data["op_id"]
        for name in journal_of(root).sessions()
        for line in journal_of(root).lines(name)
    }
    assert {f"signal-{name}" for name in every} <= heard | waiting
    assert folds > 20


def listen_and_fold(root: Path, heard: set[str]) -> int:
    """What the worker does, without waiting for a session to rest."""
    journal = journal_of(root)
    ends: dict[str, int] = {}
    for name in journal.sessions():
        for line in journal.lines(name):
            heard.add(line.data["op_id"])
            ends[name] = line.end
    return journal.fold(ends)
