"""What the server loads before its first answer, and how it is started."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.mcp.talking import PROGRAM, Agent

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "plugin" / "recollect"
INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}\n'
)
# What the first answer may cost; what the calls need is loaded beside it.
MOST_MODULES = 90


def modules_after(statement: str) -> set[str]:
    """The modules that are loaded after a statement, in an interpreter of its own."""
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r})\n{statement}\nprint(*sys.modules)"
    )
    command = [sys.executable, "-I", "-c", code]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_the_first_answer_waits_for_few_modules_and_for_none_of_the_stores() -> None:
    bare = modules_after("")
    loaded = modules_after("import recollect.interfaces.mcp.server") - bare
    assert len(loaded) <= MOST_MODULES, sorted(loaded)
    assert not {m for m in loaded if m.startswith(("recollect.workspace", "recollect.store.files"))}
    assert not loaded & {"click", "sqlite3", "mcp", "pydantic", "asyncio", "dataclasses", "logging"}


def test_the_server_does_without_the_sdk_that_tests_it() -> None:
    loaded = modules_after(
        "from recollect.interfaces.mcp import answers; from recollect.interfaces.mcp import answers as prompts; from recollect.interfaces.mcp import answers as resources; from recollect.interfaces.mcp import server as stdio"
    )
    assert not loaded & {"mcp", "mcp_types", "pydantic", "anyio", "click", "rich"}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", [["mcp"], ["-C", ".", "mcp"], ["mcp", "--read-only"]])
def test_it_is_started_in_each_way(agent: Agent, words: list[str]) -> None:
    ran = subprocess.run([*PROGRAM, *words], cwd=agent.project, env=agent.env, input=INITIALIZE,
                         capture_output=True, timeout=60, check=True)  # fmt: skip
    assert json.loads(ran.stdout)["result"]["serverInfo"]["name"] == "recollect"
    assert ran.stderr == b""


def test_the_entry_that_it_prints_starts_it_from_anywhere(agent: Agent, tmp_path: Path) -> None:
    agent.cli("save", "Use Redis", "--kind", "fact")
    entry = json.loads(agent.cli("-C", ".", "mcp", "--json"))["mcpServers"]["recollect"]
    asked = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"redis"}}}\n'
    # A module of the folder in which it starts must not stand in for one of ours.
    (tmp_path / "json.py").write_text("raise SystemExit(3)")
    ran = subprocess.run([entry["command"], *entry["args"]], cwd=tmp_path, env=agent.env,
                         input=asked, capture_output=True, timeout=60, check=True)  # fmt: skip
    assert "use-redis" in json.loads(ran.stdout)["result"]["structuredContent"]["ids"]


def launched(env: dict[str, str], cwd: Path, plugin: Path = PLUGIN) -> tuple[int, bytes, bytes]:
    """The plugin's entry, started as the client starts it."""
    entry = json.loads((PLUGIN / ".mcp.json").read_text())["mcpServers"]["recollect"]
    words = [entry["command"], *entry["args"]]
    command = [word.replace("${CLAUDE_PLUGIN_ROOT}", str(plugin)) for word in words]
    ran = subprocess.run(command, cwd=cwd, env=env, input=INITIALIZE, capture_output=True,
                         timeout=60, check=False)  # fmt: skip
    return ran.returncode, ran.stdout, ran.stderr


def copied(plugin: Path) -> Path:
    """The plugin alone, as a client keeps it: nothing of the checkout is around it."""
    return shutil.copytree(PLUGIN, plugin)


def test_the_plugin_starts_what_init_noted(agent: Agent, tmp_path: Path) -> None:
    agent.cli("init", "--client", "claude")
    code, out, err = launched(agent.env, agent.project, copied(tmp_path / "plugin"))
    assert (code, err) == (0, b"")
    assert json.loads(out)["id"] == 1


def test_the_plugin_starts_the_program_on_the_path_or_says_what_is_missing(
    stranger: Agent, tmp_path: Path
) -> None:
    plugin = copied(tmp_path / "plugin")
    code, out, err = launched(stranger.env, stranger.project, plugin)
    assert (code, out) == (127, b"")
    assert b"not installed" in err
    tool = tmp_path / "bin" / "recollect"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec {" ".join(PROGRAM)} "$@"\n')
    tool.chmod(0o755)
    env = {**stranger.env, "PATH": f"{tool.parent}{os.pathsep}{stranger.env['PATH']}"}
    code, out, err = launched(env, stranger.project, plugin)
    assert (code, err) == (0, b"")
    assert json.loads(out)["id"] == 1
