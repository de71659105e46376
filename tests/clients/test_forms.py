"""What of ours goes into the files of clients: documented shapes, and out again to the byte."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.clients.base import HookProgram, OwnedFile
from recollect.clients.config_files import Table
from recollect.clients.registry import KNOWN
from recollect.text import json_edit

from .homes import PROGRAM, part_of

HOOK = '"/usr/bin/python3" -I -S "/opt/a b/recollect/hook.py"'
SERVER = ["/usr/bin/python3", "-I", "/opt/a b/recollect/__main__.py", "mcp"]
TABLE = Table("mcp_servers", "recollect", {"command": SERVER[0], "args": SERVER[1:]})
JSON_PARTS = [("gemini", ""), ("codex", ""), ("opencode", "mcp"), ("cursor", ""), ("cursor", "mcp"), ("vscode", "mcp"), ("copilot", "mcp")]  # fmt: skip
WITH_COMMENTS = [("gemini", ""), ("opencode", "mcp"), ("vscode", "mcp")]


def parsed(text: str) -> dict[str, Any]:
    """What a TOML file says."""
    import tomllib

    return tomllib.loads(text)


def made(client: str, name: str = "") -> Any:
    """What we put into an empty file."""
    return json.loads(part_of(client, name).form.put(""))


# ------------------------------------------------------------------------------------ their shapes


def test_codex_has_groups_of_hooks_and_no_time_out_that_it_complains_about() -> None:
    hooks = made("codex")["hooks"]

    assert list(hooks) == ["SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop", "SessionEnd"]  # fmt: skip
    [[handler]] = [group["hooks"] for group in hooks["SessionEnd"]]
    assert handler == {"type": "command", "command": f"{HOOK} codex SessionEnd", "timeout": 3}


def test_codex_has_our_server_in_its_toml() -> None:
    said = parsed(part_of("codex", "mcp").form.put('model = "x"\n'))

    assert said == {
        "model": "x",
        "mcp_servers": {"recollect": {"command": SERVER[0], "args": SERVER[1:]}},
    }


def test_gemini_has_names_of_its_own_and_time_outs_in_milliseconds() -> None:
    settings = made("gemini")

    names = {event: groups[0]["hooks"][0] for event, groups in settings["hooks"].items()}
    assert {event: h["command"].rpartition(" ")[2] for event, h in names.items()} == {
        "SessionStart": "SessionStart",
        "BeforeAgent": "UserPromptSubmit",
        "AfterTool": "PostToolUse",
        "AfterAgent": "Stop",
        "SessionEnd": "SessionEnd",
    }
    assert {handler["timeout"] for handler in names.values()} == {10_000}
    assert settings["mcpServers"] == {"recollect": {"command": SERVER[0], "args": SERVER[1:]}}


def test_opencode_has_our_plugin_and_our_server() -> None:
    settings = made("opencode", "mcp")
    plugin = part_of("opencode").form.put("")

    assert settings["mcp"]["recollect"] == {"type": "local", "command": SERVER, "enabled": True}
    assert '"/opt/a b/recollect/hook.py"' in plugin
    assert "{python}" not in plugin
    assert "const ASKS = false;" in plugin


def test_cursor_has_a_flat_list_of_hooks_and_a_rule() -> None:
    assert made("cursor") == {
        "version": 1,
        "hooks": {"sessionStart": [{"command": f"{HOOK} cursor SessionStart", "timeout": 10}]},
    }
    assert made("cursor", "mcp") == {
        "mcpServers": {"recollect": {"command": SERVER[0], "args": SERVER[1:]}}
    }
    rule = part_of("cursor", "rule")
    assert rule.path == "/work/teapot/.cursor/rules/recollect.mdc"
    text = rule.form.put("")
    assert text.startswith("---\ndescription: ")
    assert "alwaysApply: true\n---\n" in text


def test_copilot_has_one_file_of_hooks_for_both_of_its_programs() -> None:
    hooks = made("copilot")
    handler = {"type": "command", "command": f"{HOOK} copilot SessionStart", "timeout": 10}
    assert (hooks["version"], hooks["hooks"]["SessionStart"]) == (1, [handler])
    assert set(hooks["hooks"]) >= {"UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"}
    assert part_of("vscode")[:2] == part_of("copilot")[:2]
    assert made("vscode", "mcp") == {
        "servers": {"recollect": {"type": "stdio", "command": SERVER[0], "args": SERVER[1:]}}
    }
    local = {"type": "local", "command": SERVER[0], "args": SERVER[1:], "tools": ["*"]}
    assert made("copilot", "mcp") == {"mcpServers": {"recollect": local}}


def test_every_client_runs_the_one_hook_program() -> None:
    for client in KNOWN.values():
        hooks = client.parts({"HOME": "/home/ada"}, PROGRAM)[0].form.put("")
        assert "recollect/hook.py" in hooks, client.name


def test_the_plugin_is_javascript(tmp_path: Any) -> None:
    import shutil

    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node here to look at it")
    path = tmp_path / "plugin.mjs"
    odd = HookProgram('/a "b"/python', "/ü/$x/`y`/recollect/hook.py")
    path.write_text(KNOWN["opencode"].parts({"HOME": "/"}, odd)[0].form.put(""), encoding="utf-8")
    ran = subprocess.run([node, "--check", str(path)], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr


# ------------------------------------------------------------------------------------- in and out


OTHERS = {
    "a hook of theirs": {
        "hooks": {
            "SessionStart": [{"hooks": [{"type": "command", "command": "x"}]}],
            "sessionStart": [{"command": "x"}],
        }
    },
    "servers of theirs": {
        name: {"other": {"command": "y", "args": []}} for name in ("mcpServers", "mcp", "servers")
    },
    "empty places": {"hooks": {}, "mcpServers": {}, "mcp": {}, "servers": {}, "last": 1},
    "other things": {"model": "m", "nested": {"list": [1, 2, {"hooks": 3}]}},
}


@pytest.mark.sampled(35)
@pytest.mark.parametrize("indent", [None, 1, 2, 4, "\t"])
@pytest.mark.parametrize("theirs", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize(("client", "name"), JSON_PARTS)
def test_ours_goes_in_once_and_comes_out_to_the_byte(
    client: str, name: str, theirs: dict[str, Any], indent: Any
) -> None:
    form = part_of(client, name).form
    before = json.dumps(theirs, indent=indent)

    text = form.put(before)

    assert form.put(text) == text
    assert form.taken(text, frozenset(form.empties(before))) == before
    assert form.taken(before, frozenset(form.empties(before))) == before


@pytest.mark.parametrize(("client", "name"), WITH_COMMENTS)
def test_comments_stay_where_the_client_reads_over_them(client: str, name: str) -> None:
    form = part_of(client, name).form
    before = '// mine\n{\n  /* of "mine" */\n  "a": "http://x", // here\n  "b": [1, 2,], \n}\n'

    text = form.put(before)

    assert all(part in text for part in ("// mine\n", '/* of "mine" */', "// here", '"http://x"'))
    assert "recollect" in str(json.loads(json_edit.plain(text)))
    assert form.put(text) == text
    assert form.taken(text, frozenset(form.empties(before))) == before


@pytest.mark.parametrize(("client", "name"), [p for p in JSON_PARTS if p not in WITH_COMMENTS])
def test_a_file_with_comments_is_refused_where_the_client_would_refuse_it(
    client: str, name: str
) -> None:
    with pytest.raises(ValueError, match="not valid JSON"):
        part_of(client, name).form.put('{"a": 1} // mine')


def test_an_entry_of_our_name_that_is_not_ours_is_left_alone() -> None:
    theirs = '{"mcpServers": {"recollect": {"command": "other"}}}'
    form = part_of("cursor", "mcp").form

    with pytest.raises(ValueError, match="not ours"):
        form.put(theirs)
    assert form.taken(theirs) == theirs
    with pytest.raises(ValueError, match="not ours"):
        TABLE.put('[mcp_servers.recollect]\ncommand = "other"\n')


def test_what_a_person_added_to_our_entry_stays_when_it_is_renewed() -> None:
    form = part_of("gemini").form
    older = (
        KNOWN["gemini"].parts({"HOME": "/"}, HookProgram("/old", "/old/recollect/hook.py"))[0].form
    )
    text = older.put("{}").replace('"command": "/old"', '"trust": true,\n      "command": "/old"')
    assert '"trust": true' in text

    entry = json.loads(form.put(text))["mcpServers"]["recollect"]

    assert entry == {"trust": True, "command": SERVER[0], "args": SERVER[1:]}
    assert "/old" not in form.put(text)


def test_a_whole_file_of_somebody_else_is_left_alone() -> None:
    form = OwnedFile("ours: mark\n", "mark")

    with pytest.raises(ValueError, match="not ours"):
        form.put("theirs\n")
    assert form.taken("theirs\n") == "theirs\n"
    assert form.put("an older one of ours: mark") == "ours: mark\n"
    assert form.taken("ours: mark\n") == ""


# -------------------------------------------------------------------------------------------- TOML


TOML = {
    "nothing": "",
    "values": 'model = "x"\n\n[a]\nb = 1\n',
    "servers of theirs": '[mcp_servers.other]\ncommand = "y"\n\n[mcp_servers.other.env]\nA = "1"\n',
    "comments": "# mine\n[a] # here\nb = '''\n[mcp_servers.x]\n'''\n",
    "CRLF": 'model = "x"\r\n[a]\r\nb = 1\r\n',
}


@pytest.mark.parametrize("before", TOML.values(), ids=TOML)
def test_our_table_goes_in_once_and_comes_out_to_the_byte(before: str) -> None:
    text = TABLE.put(before)

    assert text.startswith(before)
    assert TABLE.put(text) == text
    assert TABLE.taken(text) == before
    assert parsed(text)["mcp_servers"]["recollect"]["args"] == SERVER[1:]


def test_tables_that_came_behind_ours_stay_and_those_below_it_go() -> None:
    before = 'model = "x"\n'
    below = '[mcp_servers.recollect.tools.recall]\napproval_mode = "approve"\n'
    later = '[projects."/work"]\ntrust_level = "trusted"\n'

    assert TABLE.taken(f"{TABLE.put(before)}\n{below}\n{later}") == f"{before}\n{later}"


def test_a_table_of_another_installation_is_renewed() -> None:
    old = TABLE._replace(value={"command": "/old", "args": ["/old/recollect/__main__.py", "mcp"]})

    assert TABLE.put(old.put("a = 1\n")) == TABLE.put("a = 1\n")


@pytest.mark.parametrize(
    "text", ["mcp_servers = {}\n", "mcp_servers = 3\n", "a = \n", "[a\n", "a = 1\na = 2\n"]
)
def test_a_text_that_cannot_take_a_table_is_refused(text: str) -> None:
    with pytest.raises(
        ValueError, match=r"does not have the form|no table can be added|not valid TOML"
    ):
        TABLE.put(text)


@given(st.text())
def test_any_value_is_written_so_that_it_reads_back(command: str) -> None:
    table = TABLE._replace(value={"command": command, "args": ["/x/recollect/__main__.py"]})

    text = table.put("# mine\n")

    assert parsed(text)["mcp_servers"]["recollect"]["command"] == command
    assert table.taken(text) == "# mine\n"
