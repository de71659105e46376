"""`init --client` and `uninstall` on the settings files that people have."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Person

from recollect import __version__
from recollect.clients import claude as settings
from recollect.clients import gemini
from recollect.clients.base import HookProgram
from recollect.ops.setup import program_paths

PLUGIN = Path(__file__).parents[2] / "plugin" / "recollect"
FORM = settings.hooks(HookProgram("/p", "/x/recollect/hook.py"))
EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUseFailure", "PreCompact", "Stop", "SubagentStop", "SessionEnd")  # fmt: skip
OTHERS = {"hooks": [{"type": "command", "command": "~/bin/notify.sh done", "timeout": 5}]}
SHAPES = {
    "empty": b"",
    "blank": b" \n\n",
    "a mark only": b"\xef\xbb\xbf",
    "nothing in it": b"{}",
    "on one line": b'{"model":"opus","permissions":{"allow":["Bash(git:*)"]}}',
    "four blanks": json.dumps({"model": "opus", "env": {"A": "1"}}, indent=4).encode() + b"\n",
    "tabs": json.dumps({"model": "opus", "env": {"A": "1"}}, indent="\t").encode() + b"\n",
    "CRLF and a mark": b'\xef\xbb\xbf{\r\n  "model": "opus",\r\n  "env": {}\r\n}\r\n',
    "hooks of others": json.dumps(
        {"hooks": {event: [OTHERS] for event in (*EVENTS, "Notification")}}, indent=2
    ).encode(),
    "no hooks yet": b'{\n  "hooks": {}\n}\n',
    "an event without hooks": b'{\n  "hooks": {\n    "Stop": [ ]\n  },\n  "z": 1\n}',
    "Chinese": '{\n  "语言": "简体中文",\n  "statusLine": "“好” \\u4e2d"\n}\n'.encode(),
    "two megabytes": json.dumps({"notes": ["x" * 1000] * 2000, "last": True}, indent=1).encode(),
    "odd blanks": b'\n\n{ "a" : [1,2 ,3] ,\n"b":{ }\n\n}\n\n\n',
}
INVALID = {
    "not JSON": b'{"model": opus}',
    "comments": b'{\n  // mine\n  "model": "opus"\n}\n',
    "a comma too many": b'{"model": "opus",}',
    "cut off": b'{"model": "op',
    "a list": b'[{"model": "opus"}]',
    "a string": b'"model"',
    "hooks of another form": b'{"hooks": ["Stop"]}',
    "an event of another form": b'{"hooks": {"Stop": {"command": "x"}}}',
    "not UTF-8": b'{"model": "caf\xe9"}',
    "NaN": b'{"model": NaN}',
    "too deep": b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}",
    "two objects": b'{"a": 1} {"b": 2}',
}


def _is_ours(path: Path) -> bool:
    return ".cache" not in path.parts and "memory" not in path.parts


@pytest.fixture
def file(stranger: Person) -> Path:
    """The place of the settings file."""
    path = stranger.home / ".claude" / "settings.json"
    path.parent.mkdir()
    return path


def _ours(data: bytes) -> dict[str, list[Any]]:
    """Our groups in a settings file, by event."""
    hooks = json.loads(data.decode("utf-8-sig"))["hooks"]
    found = {
        event: [g for g in groups if any(map(FORM.is_ours, g["hooks"]))]
        for event, groups in hooks.items()
    }
    return {event: groups for event, groups in found.items() if groups}


def _without_ours(data: bytes) -> Any:
    """What a settings file says besides our groups."""
    found = json.loads(data.decode("utf-8-sig"))
    hooks = found.get("hooks", {})
    for event in list(hooks):
        hooks[event] = [g for g in hooks[event] if not any(map(FORM.is_ours, g["hooks"]))]
        if not hooks[event]:
            del hooks[event]
    if not hooks:
        found.pop("hooks", None)
    return found


@pytest.mark.sampled(2)
@pytest.mark.parametrize("before", SHAPES.values(), ids=SHAPES)
def test_our_hooks_go_in_once_and_come_out_to_the_byte(
    stranger: Person, file: Path, before: bytes
) -> None:
    file.write_bytes(before)
    file.chmod(0o640)
    stranger.ok("init", "--client", "claude")
    after = file.read_bytes()
    assert set(_ours(after)) == set(EVENTS)
    assert all(len(groups) == 1 for groups in _ours(after).values())
    if before.strip(b"\xef\xbb\xbf \n"):
        assert _without_ours(after) == _without_ours(before)
    stranger.ok("init", "--client", "claude")
    assert file.read_bytes() == after
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    backup = file.with_name("settings.json.before-recollect")
    assert backup.read_bytes() == before
    assert stat.S_IMODE(backup.stat().st_mode) == 0o640
    stranger.ok("uninstall")
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.glob("settings*")] == ["settings.json"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


WITH_SOMETHING = {
    n: b for n, b in SHAPES.items() if n not in ("empty", "blank", "a mark only", "nothing in it")
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("before", WITH_SOMETHING.values(), ids=WITH_SOMETHING)
def test_only_ours_comes_out_when_others_wrote_in_between(
    stranger: Person, file: Path, before: bytes
) -> None:
    file.write_bytes(before)
    stranger.ok("init", "--client", "claude")
    data = file.read_bytes()
    at = data.index(b"{") + 1
    file.write_bytes(data[:at] + b'"theirs": "later", ' + data[at:])
    stranger.ok("uninstall")
    start = before.index(b"{") + 1
    assert file.read_bytes() == before[:start] + b'"theirs": "later", ' + before[start:]


def test_a_file_that_was_not_there_goes_again(stranger: Person, file: Path) -> None:
    stranger.ok("init", "--client", "claude")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(json.loads(file.read_bytes())) == ["hooks"]
    stranger.ok("uninstall")
    assert not list(file.parent.glob("settings*"))


@pytest.mark.slow
def test_a_file_that_was_not_there_goes_after_others_wrote_into_it(
    stranger: Person, file: Path
) -> None:
    for client in ("claude", "codex", "gemini", "opencode", "cursor", "vscode", "copilot"):
        stranger.ok("init", "--client", client)
    ours = {path: path.read_text() for path in stranger.home.rglob("*.json") if _is_ours(path)}
    assert file in ours
    assert len(ours) > 4
    for path, text in ours.items():  # as a client writes its file anew
        path.write_text(json.dumps(json.loads(text), indent=4) + "\n")
    stranger.ok("uninstall")
    assert not [path for path in ours if path.exists()]


def test_a_file_that_was_not_there_stays_with_what_others_left_in_it(
    stranger: Person, file: Path
) -> None:
    stranger.ok("init", "--client", "claude")
    file.write_text(json.dumps(json.loads(file.read_text()) | {"model": "opus"}))
    stranger.ok("uninstall")
    assert json.loads(file.read_text()) == {"model": "opus"}


def test_without_our_note_ours_still_comes_out(stranger: Person, file: Path) -> None:
    file.write_bytes(SHAPES["four blanks"])
    stranger.ok("init", "--client", "claude")
    (stranger.home / ".cache" / "recollect" / "installed-claude.json").unlink()
    stranger.ok("uninstall")
    assert file.read_bytes() == SHAPES["four blanks"]


@pytest.mark.parametrize("before", INVALID.values(), ids=INVALID)
def test_a_file_that_is_not_valid_is_not_touched(
    stranger: Person, file: Path, before: bytes
) -> None:
    file.write_bytes(before)
    ran = stranger.run("init", "--client", "claude")
    assert ran.code == 15
    assert f"{file} cannot be read: " in ran.err
    assert stranger.run("uninstall").code in (0, 15)
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == ["settings.json"]
    assert not stranger.store.exists(), "nothing is made when the client cannot be connected"


def test_a_link_into_another_repository_stays_a_link(
    stranger: Person, file: Path, tmp_path: Path
) -> None:
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_bytes(SHAPES["tabs"])
    file.symlink_to(real)
    stranger.ok("init", "--client", "claude")
    assert file.is_symlink()
    assert set(_ours(real.read_bytes())) == set(EVENTS)
    stranger.ok("uninstall")
    assert file.is_symlink()
    assert real.read_bytes() == SHAPES["tabs"]
    assert [path.name for path in real.parent.iterdir()] == ["claude.json"]


def test_a_read_only_file_is_not_touched(stranger: Person, file: Path) -> None:
    file.write_bytes(SHAPES["tabs"])
    file.chmod(0o444)
    ran = stranger.run("init", "--client", "claude")
    assert ran.code == 16
    assert "it is read-only" in ran.err
    assert file.read_bytes() == SHAPES["tabs"]
    file.chmod(0o644)
    stranger.ok("init", "--client", "claude")
    file.chmod(0o444)
    assert stranger.run("uninstall").code == 16
    assert set(_ours(file.read_bytes())) == set(EVENTS)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("call", [1, 2, 3])
def test_a_kill_in_the_middle_leaves_the_old_file_or_the_new_one(
    stranger: Person, file: Path, call: int
) -> None:
    before = SHAPES["hooks of others"]
    file.write_bytes(before)
    code = (
        "import os, sys, signal\n"
        "rename, left = os.rename, [int(sys.argv.pop(1))]\n"
        "def dying(*args):\n"
        "    if 'settings.json' in str(args):\n"
        "        left[0] -= 1\n"
        "        if not left[0]: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    rename(*args)\n"
        "os.rename = dying\n"
        "from recollect.interfaces.cli.main import main; main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(call), "init", "--client", "claude"],
        cwd=stranger.project, env=stranger.environment({"PYTHONPATH": ":".join(sys.path)}),
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == (-signal.SIGKILL if call < 3 else 0), ran
    data = file.read_bytes()
    assert data == before or set(_ours(data)) == set(EVENTS)
    stranger.ok("init", "--client", "claude")
    stranger.ok("uninstall")
    assert file.read_bytes() == before


def test_the_client_s_own_folder_is_honoured(stranger: Person, tmp_path: Path) -> None:
    env = {"CLAUDE_CONFIG_DIR": str(tmp_path / "other config")}
    stranger.ok("init", "--client", "claude", env=env)
    assert set(_ours((tmp_path / "other config" / "settings.json").read_bytes())) == set(EVENTS)
    assert not (stranger.home / ".claude" / "settings.json").exists()
    stranger.ok("uninstall", env=env)
    assert not (tmp_path / "other config" / "settings.json").exists()


def test_hooks_of_another_installation_are_renewed_in_place(stranger: Person, file: Path) -> None:
    older = settings.hooks(HookProgram("/old/python", "/old/recollect/hook.py"))
    text = older.put(older.put('{"first": 1}'))
    file.write_text(text)
    stranger.ok("init", "--client", "claude")
    assert "/old/" not in file.read_text()
    assert all(len(groups) == 1 for groups in _ours(file.read_bytes()).values())
    stranger.ok("uninstall")
    assert file.read_text() == '{"first": 1}'


def test_tool_uses_are_counted_only_where_the_agent_is_asked(stranger: Person, file: Path) -> None:
    file.write_bytes(SHAPES["hooks of others"])
    stranger.ok("init", "--client", "claude")
    quiet = file.read_bytes()

    said = stranger.ok("config", "capture.mode", "ask", "--json").json
    assert [row["path"] for row in said["clients"]] == [str(file)]
    assert set(_ours(file.read_bytes())) == {*EVENTS, "PostToolUse"}
    asking = file.read_bytes()
    stranger.ok("init", "--client", "claude")
    stranger.ok("config", "capture.save_interval", "9")
    assert file.read_bytes() == asking

    stranger.ok("config", "capture.mode", "auto")
    assert file.read_bytes() == quiet
    stranger.ok("uninstall")
    assert file.read_bytes() == SHAPES["hooks of others"]


def test_the_agent_is_asked_as_long_as_any_store_wants_it(stranger: Person, file: Path) -> None:
    stranger.ok("init", "--client", "claude")
    for scope, mode in (("global", "ask"), ("project", "ask"), ("project", "auto")):
        stranger.ok("config", "capture.mode", mode, "--scope", scope)
        assert "PostToolUse" in _ours(file.read_bytes())
    stranger.ok("config", "capture.mode", "auto", "--scope", "global")
    assert "PostToolUse" not in _ours(file.read_bytes())


def test_asking_connects_no_client_and_renews_no_other_installation(
    stranger: Person, file: Path
) -> None:
    stranger.ok("init")
    stranger.ok("config", "capture.mode", "ask")
    assert not file.exists()
    text = settings.hooks(HookProgram("/old/python", "/old/recollect/hook.py")).put("{}")
    file.write_text(text)
    stranger.ok("config", "capture.mode", "auto")
    assert file.read_text() == text


def test_the_hook_of_an_earlier_version_goes(stranger: Person, file: Path) -> None:
    """It had PostToolUse always: the doctor says so, `init` and `uninstall` take it out."""
    earlier = settings.hooks(HookProgram(*program_paths(), asks=True))
    file.write_text(earlier.put('{"first": 1}'))
    stranger.ok("init")
    assert "from another installation or version" in stranger.run("doctor").out
    stranger.ok("init", "--client", "claude")
    assert set(_ours(file.read_bytes())) == set(EVENTS)

    file.write_text(earlier.put('{"first": 1}'))
    stranger.ok("uninstall", "--client", "claude")
    assert json.loads(file.read_text()) == {"first": 1}


def test_ours_is_told_from_what_only_looks_like_it() -> None:
    theirs = [
        "/opt/my-recollect/hook.py claude Stop",
        "recollect/hook.py claude Stop",
        "/x/recollect/hook.py claude Stop; rm -rf /",
        "/x/recollect/hook.py other Stop",
        'echo "/x/recollect/hook.py claude"',
    ]
    assert not any(FORM.is_ours({"type": "command", "command": c}) for c in theirs)
    assert not FORM.is_ours("/x/recollect/hook.py claude Stop")
    assert FORM.is_ours(
        {"command": HookProgram("/p", "/x/recollect/hook.py").hook_command("claude", "Stop")}
    )


def test_a_handler_of_ours_in_a_group_of_others_comes_out_alone() -> None:
    command = HookProgram("/p", "/x/recollect/hook.py").hook_command("claude", "Stop")
    mixed = {
        "hooks": {"Stop": [{"hooks": [*OTHERS["hooks"], {"type": "command", "command": command}]}]}
    }
    text = json.dumps(mixed, indent=2)
    assert json.loads(FORM.taken(text)) == {"hooks": {"Stop": [OTHERS]}}
    again = FORM.put(text)
    assert again.count("claude Stop") == 1
    assert FORM.put(again) == again


@pytest.mark.parametrize(
    "folder",
    [
        "with blanks",
        'it\'s "quoted"',
        "$HOME `id` $(id)",
        "back\\slash",
        "中文 文件夹",
        "!bang; &*?[x]",
    ],
)
def test_the_shell_runs_the_hook_wherever_it_is(tmp_path: Path, folder: str) -> None:
    hook = tmp_path / folder / "recollect" / "hook.py"
    hook.parent.mkdir(parents=True)
    hook.write_text("import sys\nprint(*sys.argv[1:], sys.flags.isolated, sys.flags.no_site)\n")
    python = tmp_path / folder / "python"
    python.symlink_to(sys.executable)
    command = HookProgram(str(python), str(hook)).hook_command("claude", "Stop")
    assert FORM.is_ours({"command": command})
    for shell in ("sh", "bash"):
        ran = subprocess.run(
            [shell, "-c", command], capture_output=True, text=True, timeout=30, check=True,
            env={"PATH": os.environ["PATH"], "HOME": "/"},
        )  # fmt: skip
        assert ran.stdout == "claude Stop 1 1\n"


def test_a_client_with_the_plugin_gets_no_second_set_of_hooks(stranger: Person, file: Path) -> None:
    stranger.ok("init", "--client", "claude")
    enabled = {"enabledPlugins": {"recollect@recollect": True}}
    file.write_text(json.dumps(json.loads(file.read_text()) | enabled))
    both = stranger.run("doctor")
    assert "both run the hooks" in both.out
    stranger.ok("uninstall", "--client", "claude")
    file.write_text(json.dumps(enabled))
    assert "its plugin runs the hooks" in stranger.run("init", "--client", "claude").out
    assert json.loads(file.read_text()) == enabled
    assert "connected by the plugin" in stranger.run("doctor").out


def enabled_in(name: str, home: Path, *, on: bool) -> None:
    """Install our plugin for a client, enabled or not, as the client itself writes it down."""
    if name == "codex":
        path = home / ".codex" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'[plugins."recollect@recollect"]\nenabled = {str(on).lower()}\n')
        return
    folder = home / ".gemini" / "extensions"
    (folder / "recollect").mkdir(parents=True, exist_ok=True)
    rules = {"recollect": {"overrides": [f"{'' if on else '!'}{home}/*"]}}
    (folder / "extension-enablement.json").write_text(json.dumps(rules))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["codex", "gemini"])
def test_the_plugin_of_another_client_is_known_too(stranger: Person, name: str) -> None:
    enabled_in(name, stranger.home, on=True)
    assert "its plugin runs the hooks" in stranger.run("init", "--client", name).out
    said = stranger.run("doctor").out
    assert "connected by the plugin" in said
    assert "hooks not called yet" in said
    assert ("say so at `/hooks`" in said) == (name == "codex")  # it skips what nobody trusted
    assert "init --client claude" not in said  # it is not used here
    enabled_in(name, stranger.home, on=False)
    assert "connected by the plugin" not in stranger.run("doctor").out
    assert "its plugin runs the hooks" not in stranger.ok("init", "--client", name).out


@pytest.mark.parametrize(
    ("text", "is_on"),
    [
        ('[plugins."recollect@recollect"]  # [ours]\nenabled = false\n', False),
        ("plugins = { 'recollect@recollect' = { enabled = false } }\n", False),
        ('plugins."recollect@recollect".enabled = true\n', True),
        ('[plugins."recollect@recollect"]\n', True),
        ('plugins = ["recollect@recollect"]\n', False),
        ("[plugins\n", False),
    ],
)
def test_the_plugin_of_codex_is_known_however_its_settings_are_written(
    stranger: Person, text: str, *, is_on: bool
) -> None:
    path = stranger.home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(text)
    assert ("connected by the plugin" in stranger.run("doctor").out) is is_on


def test_the_plugin_has_the_version_of_the_program() -> None:
    for path in (".claude-plugin/plugin.json", "../gemini/gemini-extension.json"):
        assert json.loads((PLUGIN / path).read_text(encoding="utf-8"))["version"] == __version__


def test_the_extension_runs_the_hooks_that_init_installs() -> None:
    hooks = json.loads((PLUGIN / "../gemini/hooks/hooks.json").read_text(encoding="utf-8"))["hooks"]
    for event, own in gemini.EVENTS.items():
        [handler] = hooks.pop(event)[0]["hooks"]
        assert handler["command"] == f'sh "${{extensionPath}}/bin/recollect-hook" gemini {own}'
        assert handler["timeout"] == gemini.TIMEOUT_MS
    assert hooks == {}


def test_where_no_client_is_found_none_is_said_to_be_connected(stranger: Person) -> None:
    done = stranger.ok("init", "--client", "all").out
    assert "No client was found here, so none is connected." in done


def claude_that(tmp_path: Path, does: str) -> dict[str, str]:
    """The environment with a client of that name, which does this."""
    program = tmp_path / "programs" / "claude"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{does}\n", "utf-8")
    program.chmod(0o755)
    return {"PATH": f"{program.parent}:/usr/bin:/bin"}


OURS = HookProgram(*program_paths()).server


def state_with(person: Person, server: object) -> Path:
    """The client's state file, with this server under our name."""
    path = person.home / ".claude.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"mcpServers": {"recollect": server}}), "utf-8")
    return path


@pytest.mark.parametrize(
    ("does", "why"),
    [
        ("echo no, never >&2; exit 1", "no, never"),
        ("exit 3", "exit code 3"),
        ("exit 0", "its program changed nothing"),
    ],
)
def test_a_client_that_does_not_add_the_tools_leaves_its_command_to_the_person(
    stranger: Person, tmp_path: Path, does: str, why: str
) -> None:
    env = claude_that(tmp_path, does)
    ran = stranger.ok("init", "--client", "claude", env=env)
    assert "Connected claude" in ran.out
    assert f"The tools (MCP) of claude were not added: {why}\n" in ran.out
    assert "to add them: `claude mcp add --scope user recollect -- " in ran.out
    without = stranger.ok("init", "--client", "claude", "--dry-run")
    assert "were not added: its program is not on the PATH" in without.out


def test_a_client_that_hangs_is_ended_with_its_children(
    stranger: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.ops.client_servers.LONGEST_SECONDS", 2)
    env = claude_that(tmp_path, "sleep 300 & echo $! > $HOME/child; sleep 300")
    ran = stranger.ok("init", "--client", "claude", env=env)
    assert "were not added: its program did not answer" in ran.out
    child = int((stranger.home / "child").read_text())
    status = Path(f"/proc/{child}/stat")
    for _ in range(100):
        if not status.exists() or status.read_text().split()[2] == "Z":
            return
        time.sleep(0.05)
    pytest.fail("its child is still running")


@pytest.mark.parametrize(
    "server",
    [
        {"command": "/usr/bin/other-recollect", "args": ["mcp"]},
        {"command": "/opt/other/recollect", "args": ["serve", "--db", "x"]},
        {"type": "http", "url": "http://127.0.0.1:8741/mcp"},
        {"command": "npx"},
        3,
    ],
)
def test_a_server_of_somebody_else_under_our_name_stays(
    stranger: Person, tmp_path: Path, server: object
) -> None:
    env = claude_that(tmp_path, "echo called >> $HOME/called")
    state = state_with(stranger, server)
    text = state.read_text("utf-8")
    told = stranger.ok("init", "--client", "claude", env=env).out
    assert "Another server of claude is called recollect; it stays" in told
    assert "another program" in stranger.run("doctor", env=env).out
    stranger.ok("uninstall", env=env)
    assert state.read_text("utf-8") == text
    assert not (stranger.home / "called").exists()


def test_a_server_added_by_hand_stays_until_uninstall(stranger: Person, tmp_path: Path) -> None:
    state_with(stranger, {"command": "recollect", "args": ["mcp"]})
    env = claude_that(tmp_path, 'echo "$@" >> $HOME/called')
    told = stranger.ok("init", "--client", "claude", env=env).out
    assert "claude has the tools (MCP) already" in told
    stranger.ok("uninstall", env=env)
    assert (stranger.home / "called").read_text() == "mcp remove --scope user recollect\n"


def test_a_server_that_does_not_start_is_a_problem_and_is_renewed_in_two_steps(
    stranger: Person, tmp_path: Path
) -> None:
    gone = {"command": "/gone/python", "args": ["-I", "/gone/recollect/__main__.py", "mcp"]}
    stranger.ok("init", "--client", "claude")
    state_with(stranger, gone)
    assert b"its MCP server does not respond" in stranger.process("doctor").stdout
    told = stranger.ok("init", "--client", "claude").out
    both = "`claude mcp remove --scope user recollect && claude mcp add --scope user recollect -- "
    assert both in told


def test_a_server_that_cannot_be_removed_is_named(stranger: Person, tmp_path: Path) -> None:
    state = state_with(stranger, {"command": OURS[0], "args": OURS[1:]})
    ran = stranger.ok("uninstall")
    assert "to remove them: `claude mcp remove --scope user recollect`" in ran.out
    ran = stranger.ok("uninstall", "--dry-run", env=claude_that(tmp_path, "exit 1"))
    assert f"Would remove the tools (MCP) with `claude mcp remove`: {state}" in ran.out


def test_an_older_state_file_comes_first_as_for_the_client(stranger: Person) -> None:
    state_with(stranger, {"command": OURS[0], "args": OURS[1:]})
    older = stranger.home / ".claude" / ".config.json"
    older.parent.mkdir(parents=True, exist_ok=True)
    older.write_text("{}", "utf-8")
    assert settings.server(stranger.environment({})) is None
    older.unlink()
    assert settings.server(stranger.environment({})) == OURS


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"mcpServers": []}', '{"mcpServers": 3}', "{", "\x00"])  # fmt: skip
def test_a_state_file_in_another_shape_has_no_server(stranger: Person, text: str) -> None:
    state = stranger.home / ".claude.json"
    state.parent.mkdir(exist_ok=True)
    state.write_text(text, "utf-8")
    stranger.ok("init", "--client", "claude")
    stranger.ok("uninstall")
    assert state.read_text("utf-8") == text
    state.unlink()
    os.mkfifo(state)
    assert settings.server(stranger.environment({})) is None  # nobody waits for a pipe


def test_several_that_make_a_store_at_once_make_one(stranger: Person) -> None:
    words = [sys.executable, "-m", "recollect", "init", "--scope", "both"]
    env = stranger.environment({"PYTHONPATH": os.pathsep.join(sys.path)})
    running = [
        subprocess.Popen(words, cwd=stranger.project, env=env, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    said = [one.communicate(timeout=60)[1] for one in running]
    assert [one.returncode for one in running] == [0] * 4, said
    stranger.ok("save", "Never push to main")
    assert "Never push to main" in stranger.ok("list").out
