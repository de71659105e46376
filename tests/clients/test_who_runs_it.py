"""A command that an agent runs is known by what its client sets for it, and by nothing else.

With the real clients: `tests/e2e/test_who_runs_it.py`.
"""

from __future__ import annotations

import pytest
from tests.cli.running import Person

from recollect.workspace import current_session, is_agent

SESSION = "01a20305-d872-7ac0-9633-fcca5755c771"
# What was seen in the environment of a command of each of the clients, or stands in its documents.
COMMANDS = {
    "Claude Code": {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION},
    "Codex CLI": {"CODEX_CI": "1", "CODEX_THREAD_ID": SESSION, "CODEX_VERSION": "0.169.0"},
    "Gemini CLI": {"GEMINI_CLI": "1", "GEMINI_CLI_NO_RELAUNCH": "true"},
    "OpenCode": {"AGENT": "1", "OPENCODE": "1", "OPENCODE_PID": "30598"},
    "Copilot CLI": {"COPILOT_CLI": "1", "COPILOT_AGENT_SESSION_ID": SESSION},
    "Cursor": {"CURSOR_AGENT": "1", "CURSOR_TRACE_ID": "4f1a9c"},
    "VS Code": {"COPILOT_AGENT": "1", "AI_AGENT": "github_copilot_vscode_agent"},
    "an older Codex in its sandbox": {"CODEX_SANDBOX": "seatbelt"},
    "Antigravity": {"ANTIGRAVITY_AGENT": "1"},
    "Auggie": {"AUGMENT_AGENT": "1"},
    "Cline": {"CLINE_ACTIVE": "true"},
    "Goose": {"GOOSE_TERMINAL": "1", "AGENT": "goose"},
    "another one": {"AI_AGENT": "goose@1.2"},
}
# What people set for their clients, and what their editors set in a terminal of theirs.
PERSONS = {
    "nothing": {},
    "folders": {"CODEX_HOME": "/x", "COPILOT_HOME": "/x", "CLAUDE_CONFIG_DIR": "/x"},
    "keys": {"GEMINI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "CODEX_API_KEY": "k"},
    "settings": {"OPENCODE_CONFIG": "/x", "COPILOT_MODEL": "m", "CLAUDE_CODE_USE_BEDROCK": "1"},
    "a terminal of Cursor": {"CURSOR_TRACE_ID": "4f1a9c", "TERM_PROGRAM": "vscode"},
    "keys of ssh": {"SSH_AGENT_PID": "1", "SSH_AUTH_SOCK": "/x"},
    "switched off": {"CLAUDECODE": "", "GEMINI_CLI": ""},
}


@pytest.mark.parametrize("env", COMMANDS.values(), ids=COMMANDS)
def test_what_an_agent_runs_is_known_as_such(env: dict[str, str]) -> None:
    assert is_agent(env)
    assert current_session(env)[1] == (SESSION if SESSION in env.values() else "")


@pytest.mark.parametrize("name", ["Codex CLI", "OpenCode"])
def test_an_agent_approves_nothing_of_what_it_saved(name: str, person: Person) -> None:
    env = COMMANDS[name]
    person.ok("init")
    saved = person.ok("save", "Use Redis", "--kind", "decision", "--json", env=env).json["id"]
    refused = person.run("review", "--approve", saved, env=env)
    assert refused.code == 2
    assert "Only a person" in refused.err
    [row] = person.ok("review", "--json").json
    assert (row["name"], row["trust"]) == (saved, "agent")
    text = (person.project / person.ok("show", saved, "--json").json["path"]).read_text("utf-8")
    assert (f"session: {SESSION}" in text) == (SESSION in env.values())


@pytest.mark.parametrize("env", PERSONS.values(), ids=PERSONS)
def test_what_a_person_sets_makes_nobody_an_agent(env: dict[str, str]) -> None:
    assert not is_agent(env)
    assert current_session(env) == ("", "")
