"""What a hook imports: every module costs every prompt a part of a millisecond."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from .machine import HOOK, LONGEST, Machine

# Runs the hook in an interpreter that tells at its end which modules it has.
WATCHED = """
import sys
bare = set(sys.modules)
import posix
def end(code, leave=posix._exit):
    posix.write(2, " ".join(set(sys.modules) - bare).encode())
    leave(code)
posix._exit = end
hook = sys.argv[1]
del sys.argv[1]
with open(hook) as file:
    exec(compile(file.read(), hook, "exec"), {"__name__": "__main__", "__file__": hook})
"""
RECORDING = ("PostToolUse", "Stop", "SubagentStop", "SessionEnd")
RECALLING = ("SessionStart", "UserPromptSubmit", "PostToolUseFailure")
OF_OS = {"os", "os.path", "posixpath", "genericpath", "stat", "_stat", "_collections_abc", "abc"}
HEAVY = {
    "json", "re", "typing", "dataclasses", "pathlib", "subprocess", "logging", "sqlite3",
    "contextlib", "collections", "functools", "enum", "hashlib", "datetime", "socket", "threading",
    "inspect", "traceback", "signal", "tempfile", "shutil", "ast",
}  # fmt: skip


def modules_of(machine: Machine, event: str, client: str = "claude", **fields: str) -> set[str]:
    """The modules that the hook of an event has beyond a bare interpreter."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", WATCHED, HOOK, client, event],
        input=json.dumps(machine.payload(event, **fields)).encode(),
        capture_output=True,
        env=machine.env,
        cwd=machine.project,
        timeout=LONGEST,
        check=True,
    )
    names = set(done.stderr.decode().split())
    assert "recollect.interfaces.hooks.events" in names
    return names


@pytest.fixture
def known(machine: Machine) -> Machine:
    """A machine on which every recalling hook has something to say."""
    machine.write("core/project.md", "数据库: the billing events are in Postgres.", publish=False)
    machine.write("semantic/billing.md", "The database of the billing events is Postgres.")
    return machine


@pytest.mark.sampled(1)
@pytest.mark.parametrize("event", RECORDING)
def test_a_hook_that_records_imports_next_to_nothing(event: str, known: Machine) -> None:
    names = modules_of(known, event)

    ours = {name for name in names if name.startswith("recollect")}
    assert len(ours) <= 9
    assert names - ours <= {"gc", "binascii", *OF_OS}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("event", RECALLING)
def test_a_hook_that_recalls_stays_below_its_budget(event: str, known: Machine) -> None:
    names = modules_of(known, event)

    assert not names & HEAVY
    assert len(names) <= 45


def test_a_chinese_prompt_stays_below_the_budget(known: Machine) -> None:
    names = modules_of(known, "UserPromptSubmit", prompt="数据库在哪里？")

    assert not names & HEAVY
    assert len(names) <= 45


@pytest.mark.slow
def test_the_words_of_another_client_cost_no_module(known: Machine) -> None:
    assert modules_of(known, "Stop", client="codex") == modules_of(known, "Stop")


@pytest.mark.slow
def test_only_what_searches_opens_sqlite(known: Machine) -> None:
    assert "_sqlite3" in modules_of(known, "UserPromptSubmit")
    assert "_sqlite3" not in modules_of(known, "SessionStart")
    assert "_sqlite3" not in modules_of(known, "PreCompact")
