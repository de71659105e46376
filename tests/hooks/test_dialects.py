"""Each client is understood in its own words, and answered in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.interfaces.hooks import payload as dialects
from recollect.interfaces.hooks.payload import members, text_of

from . import payloads
from .machine import SESSION, Machine, Ran
from .payloads import Json

SOLUTION = """## Solution: npm-eaddrinuse

**Symptom:** Error: listen EADDRINUSE: address already in use :::3000
**Failed:** `npm test`
**Solution:** `PORT=0 npm test`

<!-- source: observed; trust: tool; session: s0 -->"""
CLIENTS = ("claude", "codex", "gemini", "opencode", "cursor", "copilot", "of-tomorrow")


@pytest.fixture
def known(machine: Machine) -> Machine:
    """A machine that has something to tell at every moment."""
    machine.write("core/project.md", "Teapots for the moon.", publish=False)
    machine.write("semantic/database.md", "The database is Postgres.", publish=False)
    machine.write(
        "procedural/feedback.md", SOLUTION, kind="rule", trigger="[EADDRINUSE]", title="How to work"
    )
    return machine


def hook(machine: Machine, client: str, event: str, payload: Json) -> Ran:
    """Run the hook of a client."""
    machine.hook[-1] = client
    ran = machine.feed(event, json.dumps(payload).encode())
    assert (ran.code, ran.err) == (0, b"")
    machine.settle()
    return ran


def notes(ran: Ran, event: str) -> str:
    """The notes in an answer of the usual form, which names the client's own event."""
    said = ran.output.get("hookSpecificOutput", {})
    assert not said or said["hookEventName"] == event
    return str(said.get("additionalContext", ""))


# --------------------------------------------------------------------------------- the four clients


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("client", "start", "prompt", "names"),
    [
        (payloads.codex, "SessionStart", "UserPromptSubmit", ("SessionStart", "UserPromptSubmit")),
        (payloads.gemini, "SessionStart", "BeforeAgent", ("SessionStart", "BeforeAgent")),
        (
            payloads.opencode,
            "SessionStart",
            "UserPromptSubmit",
            ("SessionStart", "UserPromptSubmit"),
        ),
    ],
    ids=["codex", "gemini", "opencode"],
)
def test_a_client_is_told_the_brief_and_what_a_prompt_is_about(
    client: Any, start: str, prompt: str, names: tuple[str, str], known: Machine
) -> None:
    name = client.__name__
    brief = hook(known, name, "SessionStart", client(known, start))
    found = hook(known, name, "UserPromptSubmit", client(known, prompt))

    assert "Teapots for the moon." in notes(brief, names[0])
    assert "The database is Postgres." in notes(found, names[1])


@pytest.mark.slow
def test_the_end_of_a_session_is_signalled_with_its_client_and_transcript(known: Machine) -> None:
    for client, event in (
        (payloads.codex, "Stop"), (payloads.gemini, "AfterAgent"), (payloads.opencode, "Stop"),
    ):  # fmt: skip
        payload = client(known, event)
        hook(known, client.__name__, "Stop", payload)
        [line] = known.journal(payload["session_id"], client=client.__name__)
        assert (line["event"], line["client"]) == ("stop", client.__name__)
        assert line["transcript"] == payload["transcript_path"]


def test_codex_gets_the_solution_when_its_transcript_says_that_the_command_failed(
    known: Machine,
) -> None:
    payload = payloads.codex(known, "PostToolUse")
    path = Path(payload["transcript_path"])
    path.parent.mkdir(parents=True)

    def ran_with(code: int, call: str = "call_000001") -> str:
        item = {"type": "CommandExecution", "id": call, "status": "failed", "exit_code": code}
        line = {"type": "event_msg", "payload": {"type": "item_completed", "item": item}}
        path.write_text("{}\n" + json.dumps(line, separators=(",", ":")) + "\n")
        return notes(hook(known, "codex", "PostToolUse", payload), "PostToolUse")

    assert ran_with(0) == ""
    assert ran_with(1, "call_000002") == ""
    assert "PORT=0 npm test" in ran_with(1)


def test_codex_without_a_transcript_takes_no_tool_for_failed(known: Machine) -> None:
    ran = hook(known, "codex", "PostToolUse", payloads.codex(known, "PostToolUse"))

    assert ran.out == b""
    assert known.signals(client="codex") == ["post-tool"]


@pytest.mark.parametrize(
    ("response", "is_told"),
    [
        ({}, True),
        ({"llmContent": "Output: EADDRINUSE\nProcess Group PGID: 1"}, False),
        ({"llmContent": "Output: EADDRINUSE\nExit Code: 0\n"}, False),
        (
            {"llmContent": "Not found.", "error": {"message": "listen EADDRINUSE", "type": "x"}},
            True,
        ),
        ({"llmContent": [{"text": "listen EADDRINUSE"}]}, False),
    ],
)
def test_gemini_gets_the_solution_when_its_tool_failed(
    response: Json, is_told: bool, known: Machine
) -> None:
    payload = payloads.gemini(known, "AfterTool")
    payload["tool_response"] = response or payload["tool_response"]

    ran = hook(known, "gemini", "PostToolUse", payload)

    assert ("PORT=0 npm test" in notes(ran, "AfterTool")) is is_told


def test_our_own_brief_in_a_prompt_of_gemini_is_no_cue(known: Machine) -> None:
    ours = "<hook_context>The database is Postgres.</hook_context>\n\n"

    about = [
        notes(hook(known, "gemini", "UserPromptSubmit", payloads.gemini(known, "BeforeAgent", prompt=p)), "BeforeAgent")
        for p in (f"{ours}Hello there", f'{ours}Which "database" is it?', "<hook_context>database")
    ]  # fmt: skip

    assert ["Postgres" in text for text in about] == [False, True, False]


def test_opencode_gets_the_solution_and_its_summariser_plain_text(known: Machine) -> None:
    failed = payloads.opencode(known, "PostToolUseFailure")
    told = notes(hook(known, "opencode", "PostToolUseFailure", failed), "PostToolUseFailure")
    ran = hook(known, "opencode", "PreCompact", payloads.opencode(known, "PreCompact"))

    assert "PORT=0 npm test" in told
    assert b"Notes of Recollect that were in use" in ran.out


@pytest.mark.slow
def test_what_takes_no_text_before_a_compaction_gets_none(known: Machine) -> None:
    hook(known, "codex", "UserPromptSubmit", payloads.codex(known, "UserPromptSubmit"))

    assert hook(known, "codex", "PreCompact", payloads.codex(known, "PreCompact")).out == b""


# -------------------------------------------------------------------------------------- the editors


def test_cursor_is_told_the_brief_under_its_own_key(known: Machine) -> None:
    ran = hook(known, "cursor", "SessionStart", payloads.cursor(known, "sessionStart"))

    assert list(ran.output) == ["additional_context"]
    assert "Teapots for the moon." in ran.output["additional_context"]
    assert known.journal(client="cursor")[0]["folder"] == str(known.project)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("client", [payloads.vscode, payloads.copilot], ids=["vscode", "copilot"])
def test_copilot_is_told_the_brief_where_either_of_its_programs_looks(
    client: Any, known: Machine
) -> None:
    ran = hook(known, "copilot", "SessionStart", client(known, "SessionStart"))

    assert "Teapots for the moon." in notes(ran, "SessionStart")
    assert ran.output["additionalContext"] == notes(ran, "SessionStart")


def test_cursor_is_told_nothing_with_a_prompt(known: Machine) -> None:
    payload = payloads.cursor(known, "beforeSubmitPrompt")

    assert hook(known, "cursor", "UserPromptSubmit", payload).out == b""


def test_copilot_is_told_what_a_prompt_is_about_and_the_solution_of_a_failure(
    known: Machine,
) -> None:
    about = hook(known, "copilot", "UserPromptSubmit", payloads.copilot(known, "UserPromptSubmit"))
    worked = payloads.copilot(known, "PostToolUse")
    failed = payloads.copilot(known, "PostToolUse")
    failed["tool_result"]["text_result_for_llm"] += "\n<shellId: 0 completed with exit code 1>"
    quiet = hook(known, "copilot", "PostToolUse", worked)
    told = hook(known, "copilot", "PostToolUse", failed)

    assert "The database is Postgres." in about.output["additionalContext"]
    assert quiet.out == b""
    assert "PORT=0 npm test" in told.output["additionalContext"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("client", "event", "name"),
    [(payloads.vscode, "SessionStart", "copilot"), (payloads.cursor, "sessionStart", "cursor")],
    ids=["vscode", "cursor"],
)
def test_an_editor_that_runs_the_hooks_of_claude_too_is_told_once(
    client: Any, event: str, name: str, known: Machine
) -> None:
    payload = client(known, event)
    payload.pop("session_id", None)

    first = hook(known, "claude", "SessionStart", payload)
    second = hook(known, name, "SessionStart", payload)

    assert "Teapots" in first.out.decode()
    assert second.out == b""
    assert known.journal(client="claude") == []
    assert {line["client"] for line in known.journal(client=name) if "client" in line} == {name}


# ---------------------------------------------------------------------------------- whatever comes


@given(
    st.sampled_from(CLIENTS),
    st.sampled_from(["post-tool", "user-prompt", "session-start", "stop"]),
    st.dictionaries(
        st.sampled_from(dialects.WANTED),
        st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text(), max_size=2)
        | st.dictionaries(st.sampled_from(["error", "llmContent", "message"]), st.text(), max_size=2),
    ),
)  # fmt: skip
def test_any_payload_stays_an_object_with_all_that_was_in_it(
    client: str, event: str, payload: Json
) -> None:
    _, _, raw = dialects.parse_event(client, event, json.dumps(payload).encode())

    names = tuple(payload)
    before, after = members(json.dumps(payload).encode(), names), members(raw, (*names, "error"))
    assert after[""] == b"whole"
    changed = {key for key in before if after.get(key) != before[key]}
    assert changed <= {"prompt", "cwd"}


@given(st.text(), st.sampled_from(sorted(dialects.TAKES)))
def test_what_we_say_arrives_as_it_was_said(text: str, client: str) -> None:
    ours = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}
    ours["systemMessage"] = text  # type: ignore[assignment]
    said = dialects.spoken(client, "session-start", json.dumps(ours).encode())

    found = json.loads(said)
    is_shown = client in dialects.TELLS_PERSON
    assert found.get("systemMessage") == (text if is_shown else None)
    assert text in (
        found.get("additional_context"),
        found.get("hookSpecificOutput", {}).get("additionalContext"),
    )


def test_strings_of_ours_are_read_back_as_they_were() -> None:
    for text in ('a "b"\\', "\n\t\x00", "中文 🎉"):
        raw = b"{" + b'"prompt":' + dialects._as_member(text) + b'"}'
        assert text_of(members(raw, ("prompt",))["prompt"]) == text


@pytest.mark.slow
def test_sessions_of_two_clients_never_share_a_journal_file(known: Machine) -> None:
    hook(known, "codex", "SessionStart", payloads.codex(known, "SessionStart"))
    hook(known, "gemini", "SessionStart", payloads.gemini(known, "SessionStart"))

    names = sorted(path.name for path in (known.root / "journal").glob(f"*{SESSION}*"))
    assert names == [f"codex-{SESSION}.jsonl", f"gemini-{SESSION}.jsonl"]
