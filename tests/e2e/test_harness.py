"""The harness on its own: the real client, the fake API and tiny hooks, without Recollect."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from .client import read_jsonl
from .memory import Memory
from .messages_api import (
    Answer,
    Json,
    MessagesApi,
    Refusal,
    Request,
    all_text,
    call,
    last_user_text,
    say,
    stall,
    system_reminders,
    tool_results,
)
from .processes import describe, leftovers, processes_of
from .screen import Screen
from .tui import ESCAPE, Tui

if TYPE_CHECKING:
    from pathlib import Path

    from .client import ClaudeClient
    from .recorder import Recorder

# They try the tools that the scenario is tested with: part of the long run.
pytestmark = [pytest.mark.e2e, pytest.mark.slow]


def test_bash_result_reaches_the_second_request(
    client: ClaudeClient, api: MessagesApi, project: Path
) -> None:
    api.add(
        [say("I look."), call("Bash", command="echo from-the-shell", description="Say it")],
        [call("Write", file_path=str(project / "a.txt"), content="one\n")],
        [call("Edit", file_path=str(project / "a.txt"), old_string="one", new_string="two")],
        [call("Bash", command="env")],
        [say("All of it worked.")],
    )

    result = client.prompt("Use the tools", cwd=project)

    assert result.returncode == 0, result.stderr
    assert result.text == "All of it worked."
    assert last_user_text(api.turns[0]) == "Use the tools"
    assert tool_results(api.turns[1])[-1]["content"] == "from-the-shell"
    assert (project / "a.txt").read_text() == "two\n"
    assert f"HOME={client.home}" in tool_results(api.turns[4])[-1]["content"]
    assert "PYTEST_CURRENT_TEST" not in all_text(api.turns[4])
    assert {"Bash", "Edit", "Read", "Write"} <= set(api.turns[0].tool_names)
    assert all(request.session_id == result.session_id for request in api.requests)


def test_hook_context_reaches_the_request(
    client: ClaudeClient, api: MessagesApi, project: Path, recorder: Recorder
) -> None:
    hooks = recorder.hooks(SessionStart="start-$&-note", UserPromptSubmit="提示 'note'")
    client.write_settings({"hooks": hooks})

    client.prompt("Hello", cwd=project)

    reminders = "\n".join(system_reminders(api.turns[0]))
    assert "SessionStart hook additional context: start-$&-note" in reminders
    assert "UserPromptSubmit hook additional context: 提示 'note'" in reminders
    assert "start-$&-note" in all_text(api.turns[0])
    assert "note" not in last_user_text(api.turns[0])
    assert recorder.names() == ["SessionStart", "UserPromptSubmit"]


def test_failed_tool_call_fires_post_tool_use_failure(
    client: ClaudeClient, api: MessagesApi, project: Path, recorder: Recorder
) -> None:
    client.write_settings({"hooks": recorder.hooks("PostToolUse", "PostToolUseFailure")})
    api.add([call("Bash", command="echo part; ls /no-such-place; exit 3")], [say("It failed.")])

    client.prompt("Try it", cwd=project)

    [failure] = recorder.events()
    assert failure["hook_event_name"] == "PostToolUseFailure"
    assert failure["error"].startswith("Exit code 3\npart\n")
    assert "/no-such-place" in failure["error"]
    assert tool_results(api.turns[1])[-1]["is_error"] is True


def test_resume_keeps_the_session_and_fork_starts_another(
    client: ClaudeClient, api: MessagesApi, project: Path, recorder: Recorder
) -> None:
    client.write_settings({"hooks": recorder.hooks("SessionStart")})
    first = client.prompt("First words", cwd=project).session_id

    resumed = client.resume(first, "Second words", cwd=project).session_id
    forked = client.fork(first, "Third words", cwd=project).session_id
    continued = client.continue_("Fourth words", cwd=project).session_id

    assert resumed == first
    assert forked not in {"", first}
    assert continued == forked
    sources = [event["source"] for event in recorder.events()]
    assert sources == ["startup", "resume", "fork", "resume"]
    assert "First words" in all_text(api.turns[2])
    assert "Third words" not in json.dumps(client.transcript(first))
    assert "First words" in json.dumps(client.transcript(forked))


def test_subagent_asks_beside_the_script(
    client: ClaudeClient, api: MessagesApi, project: Path
) -> None:
    def respond(request: Request) -> Answer | None:
        return [say("found by the sub-agent")] if request.kind == "subagent" else None

    api.responder = respond
    task = {"description": "look around", "prompt": "Look", "subagent_type": "general-purpose"}
    api.add([call("Agent", **task, run_in_background=False)], [say("Both are done.")])

    result = client.prompt("Delegate", cwd=project)

    assert result.text == "Both are done."
    assert [request.kind for request in api.requests] == ["turn", "subagent", "turn"]
    assert "found by the sub-agent" in all_text(api.turns[1])


def test_clear_and_compact_in_the_terminal(
    client: ClaudeClient, api: MessagesApi, project: Path, recorder: Recorder
) -> None:
    watched = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
    client.write_settings({"hooks": recorder.hooks(*watched)})
    api.add([say("Apple pie.")], [say("Banana split.")], [say("Cherry cake.")])

    with Tui(client, cwd=project) as tui:
        tui.ask("First course", "Apple pie.")
        tui.submit("/compact keep the recipes")
        tui.wait_until(lambda: "compact" in _sources(recorder), what="SessionStart(compact)")
        tui.wait_idle()
        tui.ask("Second course", "Banana split.")
        tui.submit("/clear")
        tui.wait_until(lambda: "clear" in _sources(recorder), what="SessionStart(clear)")
        tui.ask("Third course", "Cherry cake.")
        assert tui.exit() == 0

    story = [_line(event) for event in recorder.events()]
    turn = ["UserPromptSubmit", "Stop"]
    assert story == [
        "SessionStart startup",
        *turn,
        "PreCompact manual",
        "SessionStart compact",
        *turn,
        "SessionEnd clear",
        "SessionStart clear",
        *turn,
        "SessionEnd prompt_input_exit",
    ]
    ids = [event["session_id"] for event in recorder.events()]
    assert len(set(ids[:8])) == len(set(ids[8:])) == 1
    assert ids[0] != ids[-1]
    assert "SUMMARY-OF-THE-CONVERSATION" in all_text(api.turns[1])
    assert "First course" not in last_user_text(api.turns[2])


def test_pasted_lines_and_an_interruption_in_the_terminal(
    client: ClaudeClient, api: MessagesApi, project: Path, recorder: Recorder
) -> None:
    client.write_settings({"hooks": recorder.hooks("UserPromptSubmit", "Stop")})
    api.add([say("Half an answer"), stall(30), say("never seen")], [say("A whole answer.")])

    with Tui(client, cwd=project) as tui:
        tui.type("look: ")
        tui.paste("one\ntwo\n  three")
        tui.submit(" 中文 🎉")
        tui.wait_for("Half an answer")
        tui.press(ESCAPE)
        tui.wait_for("Interrupted")
        tui.ask("Once more", "A whole answer.")
        tui.hang_up()
        tui.wait_exit()

    prompts = [event["prompt"] for event in recorder.events("UserPromptSubmit")]
    assert "one\ntwo\n  three" in prompts[0]
    assert prompts[0].endswith("中文 🎉")
    assert prompts[1] == "Once more"
    assert "never seen" not in all_text(api.turns[1])
    assert len(recorder.events("Stop")) == 1


def test_plugin_of_a_local_marketplace_runs_its_hooks(
    client: ClaudeClient, api: MessagesApi, project: Path, tmp_path: Path
) -> None:
    market = _write_market(tmp_path / "it's a market")

    for outcome in (
        client.validate_plugin(market / "noter"),
        client.add_marketplace(market),
        client.install_plugin("noter@kitchen"),
    ):
        assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    client.prompt("Hello", cwd=project)

    assert "noted by the plugin" in "\n".join(system_reminders(api.turns[0]))


def test_detached_worker_of_a_hook_is_seen_until_it_ends(
    client: ClaudeClient, project: Path
) -> None:
    sleeper = "import subprocess; subprocess.Popen(['sleep', '2'], start_new_session=True)"
    command = (
        f"{shlex.join([sys.executable, '-I', '-S', '-c', sleeper])} </dev/null >/dev/null 2>&1"
    )
    hook = {"type": "command", "command": command}
    client.write_settings({"hooks": {"SessionEnd": [{"hooks": [hook]}]}})

    client.prompt("Hello", cwd=project)

    left = processes_of(client.home)
    assert [process.command for process in left] == ["sleep 2"], describe(left)
    assert leftovers(client.home, within=5) == []


def test_run_that_hangs_is_ended_with_its_group(
    client: ClaudeClient, api: MessagesApi, project: Path
) -> None:
    api.add([stall(60)])

    result = client.prompt("Hang", cwd=project, timeout=3)

    assert result.returncode < 0
    assert "ended by the test" in result.stderr
    assert leftovers(client.home, within=2) == []


def test_api_answers_without_a_stream_and_refuses_other_paths() -> None:
    with MessagesApi([[call("Read", file_path="/a")], Refusal(529, "busy")]) as api:
        status, message = _post(f"{api.url}/v1/messages?beta=true", {"messages": []})
        assert (status, message["stop_reason"]) == (200, "tool_use")
        assert message["content"][0]["input"] == {"file_path": "/a"}
        assert _post(f"{api.url}/v1/messages", {})[0] == 529
        assert _post(f"{api.url}/v1/messages", {})[1]["content"] == [say("Done.")]
        assert _post(f"{api.url}/v1/messages/count_tokens", {})[0] == 404
        assert [request.kind for request in api.requests] == ["turn", "turn", "turn", "other"]


def test_api_leaves_no_thread_and_tells_how_its_responder_failed() -> None:
    def respond(_request: Request) -> Answer:
        raise LookupError("no such page")

    def ask_once() -> None:
        with MessagesApi(responder=respond) as api:
            assert not api.wait_for(lambda running: bool(running.requests), timeout=0.1)
            assert _post(f"{api.url}/v1/messages", {})[0] == 400

    before = threading.active_count()
    with pytest.raises(LookupError, match="no such page"):
        ask_once()
    assert threading.active_count() == before


def test_screen_shows_what_a_terminal_would() -> None:
    screen = Screen(3, 12)

    for piece in (
        "first\r\nsec",
        "ond\x1b[2",
        "D..\x1b[1;8H中",
        "文\x1b]0;busy\x07",
        "\x1b[3;1Hx\n",
    ):
        screen.feed(piece)

    assert screen.text == "seco..\nx\n"
    assert screen.title == "busy"


def test_a_hook_that_outlives_its_client_is_waited_for(tmp_path: Path) -> None:
    """An agent's client may end before the hook of its end has, which then starts the worker."""
    memory = Memory(SimpleNamespace(home=tmp_path), tmp_path)  # type: ignore[arg-type]
    memory.settle(0.2)
    reads = "import sys; print(flush=True); sys.stdin.read()"
    words = ["-c", reads, f"{tmp_path}/hook.py", "claude", "SessionEnd"]
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, *words], stdin=pipe, stdout=pipe) as hook:
        assert hook.stdout is not None
        hook.stdout.readline()  # until it runs, its command line is ours
        with pytest.raises(AssertionError, match="still at work"):
            memory.settle(0.2)
        hook.communicate()
    memory.settle(0.2)


def test_transcript_line_without_its_end_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1}\n{"b": ')

    assert list(read_jsonl(path)) == [{"a": 1}]


def _post(url: str, body: Json) -> tuple[int, Json]:
    request = urllib.request.Request(url, json.dumps(body).encode())
    # A proxy of the machine has no business with loopback.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=5) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def _sources(recorder: Recorder) -> list[str]:
    return [event["source"] for event in recorder.events("SessionStart")]


def _line(event: dict[str, str]) -> str:
    detail = event.get("source") or event.get("trigger") or event.get("reason") or ""
    return f"{event['hook_event_name']} {detail}".strip()


def _write_market(market: Path) -> Path:
    """A marketplace `kitchen` with one plugin, whose path needs quoting in a shell."""
    plugin = market / "noter"
    inserted = {"hookEventName": "SessionStart", "additionalContext": "noted by the plugin"}
    files = {
        market / ".claude-plugin" / "marketplace.json": {
            "name": "kitchen",
            "owner": {"name": "Cook"},
            "metadata": {"description": "A test market"},
            "plugins": [{"name": "noter", "source": "./noter", "description": "Notes"}],
        },
        plugin / ".claude-plugin" / "plugin.json": {
            "name": "noter",
            "version": "0.1.0",
            "description": "Notes",
            "author": {"name": "Cook"},
        },
        plugin / "note.json": {"hookSpecificOutput": inserted},
        plugin / "hooks" / "hooks.json": {
            "hooks": {
                "SessionStart": [
                    {
                        "hooks": [
                            {
                                "type": "command",
                                "command": 'cat "${CLAUDE_PLUGIN_ROOT}/note.json"',
                            }
                        ]
                    }
                ]
            }
        },
    }
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    return market
