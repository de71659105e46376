"""What the agent did: calls, their results, to-do lists, and what came from outside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recollect.capture.state import fold
from recollect.clients.claude import ClaudeTranscripts
from recollect.model.session import Event, SessionState

from .transcripts import Transcript


def events(transcript: Transcript, folder: Path) -> list[Event]:
    """All events of a transcript."""
    return ClaudeTranscripts().read(transcript.save(folder), 0, 0).events


def test_a_shell_command_is_a_call_with_its_result(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.shell("echo out; echo err >&2", "out\nerr")
    transcript.shell("ls nowhere", "ls: cannot access 'nowhere'", code=2)

    call, result, _, failure = events(transcript, tmp_path)
    assert (call.kind, call.tool, call.target) == ("call", "shell", "echo out; echo err >&2")
    assert (result.kind, result.text, result.ok) == ("result", "out\nerr", True)
    assert result.call == call.call
    assert (failure.ok, failure.text) == (False, "Exit code 2\nls: cannot access 'nowhere'")


@pytest.mark.parametrize("tool", ["Edit", "Write", "MultiEdit", "NotebookEdit"])
def test_a_changed_file_is_an_edit(tool: str, tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.edit("/home/ada/teapot/src/a.py", tool)
    transcript.edit("/home/ada/teapot/src/b.py", tool, works=False)

    first, worked, second, failed = events(transcript, tmp_path)
    assert (first.tool, first.target) == ("edit", "/home/ada/teapot/src/a.py")
    assert second.target == "/home/ada/teapot/src/b.py"
    assert (worked.ok, failed.ok) == (True, False)


RESULTS: dict[str, tuple[Any, bool | None, Any, str, bool]] = {
    "no is_error": ("1\thello", None, {"type": "text"}, "1\thello", True),
    "persisted": ("<persisted-output>\nOutput too large", False, {}, "<persisted-output>\nOutput too large", True),
    "a list": ([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}], None, [], "one\ntwo", True),
    "a picture": ([{"type": "image", "source": {"data": "iVBO"}}], None, {}, "", True),
    "a reference": ([{"type": "tool_reference", "tool_name": "WebFetch"}], None, {}, "", True),
    "an error of a server": ("it failed", True, "Error: it failed", "it failed", False),
    "nothing": (None, None, None, "", True),
    "an empty list": ([], False, None, "", True),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_may_be(name: str, tmp_path: Path) -> None:
    content, error, extra, text, ok = RESULTS[name]
    transcript = Transcript()
    transcript.result("toolu_1", content, error=error, extra=extra)

    (found,) = events(transcript, tmp_path)

    assert (found.kind, found.text, found.ok, found.call) == ("result", text, ok, "toolu_1")


def test_parallel_calls_find_their_own_results(tmp_path: Path) -> None:
    transcript = Transcript()
    calls = [transcript.call("Bash", command=f"run {n}") for n in range(4)]
    for call in reversed(calls):
        transcript.result(call, f"result of {call}", error=False)

    found = events(transcript, tmp_path)

    assert [e.call for e in found if e.kind == "call"] == calls
    assert all(e.text == f"result of {e.call}" for e in found if e.kind == "result")


def test_several_results_on_one_line_are_all_there(tmp_path: Path) -> None:
    transcript = Transcript()
    blocks = [{"type": "tool_result", "tool_use_id": f"t{n}", "content": f"r{n}"} for n in range(3)]
    transcript.add("user", message={"role": "user", "content": blocks})

    found = events(transcript, tmp_path)

    assert [e.text for e in found] == ["r0", "r1", "r2"]
    assert len({e.id for e in found}) == 3


def test_what_a_person_refused_is_no_lesson(tmp_path: Path) -> None:
    transcript = Transcript()
    call = transcript.call("Bash", command="rm -rf build")
    transcript.result(
        call, "The user doesn't want to proceed with this tool use. Error: denied", error=True,
        extra="User rejected tool use", toolDenialKind="user-rejected",
    )  # fmt: skip

    _, found = events(transcript, tmp_path)

    assert (found.ok, found.text) == (False, "")


def test_a_list_of_todos_is_taken_whole(tmp_path: Path) -> None:
    transcript = Transcript()
    todos = [
        {"content": "Write parser", "status": "completed", "activeForm": "Writing"},
        {"content": "Test it", "status": "pending", "activeForm": "Testing"},
        {"status": "pending"},
        7,
    ]
    transcript.call("TodoWrite", todos=todos)
    transcript.call("TodoWrite", todos="none")

    found = [e for e in events(transcript, tmp_path) if e.kind == "todos"]

    assert found[0].todos == (("completed", "Write parser", ""), ("pending", "Test it", ""))
    assert found[1].todos == ()


def test_tasks_are_followed_by_their_number(tmp_path: Path) -> None:
    transcript = Transcript()
    call = transcript.call("TaskCreate", subject="Write the parser", description="all of it")
    extra: dict[str, Any] = {"task": {"id": "1", "subject": "Write the parser"}}
    transcript.result(call, "Task #1 created successfully: Write the parser", extra=extra)
    call = transcript.call("TaskUpdate", taskId="1", status="completed")
    extra = {"taskId": "1", "statusChange": {"from": "pending", "to": "completed"}}
    transcript.result(call, "Updated task #1 status", extra=extra)

    found = [e.todos for e in events(transcript, tmp_path) if e.kind == "todos"]

    assert found == [(("open", "Write the parser", "1"),), (("completed", "", "1"),)]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_task_that_another_agent_of_the_team_has_done_is_done(
    is_there: bool, tmp_path: Path
) -> None:
    """The client says that nothing was changed."""
    transcript = Transcript()
    call = transcript.call("TaskUpdate", taskId="1", status="completed")
    extra: dict[str, Any] = {"success": is_there, "taskId": "1", "updatedFields": []}
    transcript.result(call, "Updated task #1 " if is_there else "Task not found", extra=extra)
    call = transcript.call("TaskUpdate", taskId="2", addBlockedBy=["1"])
    extra = {"success": True, "taskId": "2", "updatedFields": ["blockedBy"]}
    transcript.result(call, "Updated task #2 blockedBy", extra=extra)
    found = [e.todos for e in events(transcript, tmp_path) if e.kind == "todos"]
    assert found == ([(("completed", "", "1"),)] if is_there else [])


@pytest.mark.parametrize("tool", ["WebFetch", "WebSearch", "mcp__tracker__get_issue"])
def test_what_reaches_outside_is_marked(tool: str, tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.call(tool, url="https://example.org", query="x")

    assert [e.kind for e in events(transcript, tmp_path)] == ["call", "web"]


@pytest.mark.parametrize(
    "tool", ["mcp__recollect__recall", "mcp__plugin_recollect_recollect__search"]
)
def test_our_own_tools_bring_nothing_from_outside(tool: str, tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.call(tool, query="what we knew")

    (call,) = events(transcript, tmp_path)

    assert (call.kind, call.tool, call.target) == ("call", "recollect", "")


def test_what_sub_agents_say_among_themselves_is_no_event(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.prompt("Find all tests", "sdk", isSidechain=True, agentId="a1")
    transcript.answer("I found them", isSidechain=True, agentId="a1")
    reader = ClaudeTranscripts()
    main = tmp_path / transcript.session
    own = main / "subagents"

    assert events(transcript, tmp_path) == []
    transcript.session = "agent-a1"
    assert reader.session_of(transcript.save(own)) == ""
    assert reader.find(str(tmp_path)) == [str(main) + ".jsonl"]


def test_lines_without_a_uuid_are_each_an_event(tmp_path: Path) -> None:
    transcript = Transcript()
    for number in ("1", "2"):
        extra = {"task": {"id": number, "subject": f"Task {number}"}}
        del transcript.result("t", "created", extra=extra)["uuid"]

    assert {e.id for e in events(transcript, tmp_path)} == {""}


def test_lines_whose_uuids_begin_alike_are_each_an_event(tmp_path: Path) -> None:
    transcript = Transcript()
    for end in ("7a10-8c6b-2f8d5b1d0c11", "7a11-8c6b-2f8d5b1d0c12"):  # UUIDv7, of one millisecond
        transcript.prompt(f"Mend teapot {end[:4]}")["uuid"] = f"0195f3a2-6c1e-{end}"

    assert len({e.id for e in events(transcript, tmp_path)}) == 2


def test_a_task_that_the_client_does_not_know_any_more_is_not_open(tmp_path: Path) -> None:
    transcript = Transcript()
    call = transcript.call("TaskCreate", subject="Write the parser")
    extra: dict[str, Any] = {"task": {"id": "2", "subject": "Write the parser"}}
    transcript.result(call, "Task #2 created successfully: Write the parser", extra=extra)
    call = transcript.call("TaskUpdate", taskId="2", status="in_progress")
    extra = {"success": False, "taskId": "2", "updatedFields": [], "error": "Task not found"}
    transcript.result(call, "Task not found", error=True, extra=extra)
    state = SessionState("s")
    fold(state, events(transcript, tmp_path))
    assert [(todo["text"], todo["status"]) for todo in state.todos] == [
        ("Write the parser", "done")
    ]
