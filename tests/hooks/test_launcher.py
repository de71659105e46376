"""The launcher of the plugin: which events it starts Python for."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .machine import SOURCE

LAUNCHER = SOURCE.parent / "plugin" / "recollect" / "bin" / "recollect-hook"


@pytest.fixture
def started(tmp_path: Path) -> Path:
    """A home in which `init` noted an interpreter and a hook; the file says what was run."""
    place = tmp_path / ".local" / "share" / "recollect" / "place"
    place.parent.mkdir(parents=True)
    python, hook, log = tmp_path / "python", tmp_path / "hook.py", tmp_path / "log"
    python.write_text(f'#!/bin/sh\necho "$@" >> {log}\n')
    python.chmod(0o755)
    hook.touch()
    place.write_text(f"{python}\n{hook}\n")
    return log


def ran(home: Path, *words: str, **env: str) -> str:
    """What the launcher runs with these words."""
    log = home / "log"
    log.unlink(missing_ok=True)
    done = subprocess.run(
        [shutil.which("sh") or "sh", str(LAUNCHER), *words],
        env={"HOME": str(home), "PATH": os.environ["PATH"]} | env,
        capture_output=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == (b"", b"")
    return log.read_text() if log.exists() else ""


@pytest.mark.parametrize(
    "event", ["SessionStart", "UserPromptSubmit", "PostToolUseFailure", "Stop"]
)
def test_an_event_runs_the_hook(event: str, started: Path, tmp_path: Path) -> None:
    assert ran(tmp_path, "claude", event) == f"-I -S {tmp_path}/hook.py claude {event}\n"


@pytest.mark.parametrize("where", ["", "relative", "set"])
def test_a_tool_runs_it_only_where_the_agent_is_asked(
    where: str, started: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "a cache" if where == "set" else tmp_path / ".cache"
    env = {"XDG_CACHE_HOME": str(cache) if where == "set" else where} if where else {}
    for store in ("0123", "4567"):
        (cache / "recollect" / store).mkdir(parents=True)
    assert ran(tmp_path, "claude", "PostToolUse", **env) == ""
    (cache / "recollect" / "4567" / "asking").touch()
    assert ran(tmp_path, "claude", "PostToolUse", **env).endswith(" claude PostToolUse\n")


def test_codex_tells_by_it_of_tools_that_failed(started: Path, tmp_path: Path) -> None:
    said = ran(tmp_path, "claude", "PostToolUse", PLUGIN_ROOT="/plugin")
    assert said.endswith(" codex PostToolUse\n")
