"""What a person answered to a question, a plan or a call, and what a compaction wrote down, by client."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.capture.transcripts import Transcript

from recollect.clients.claude import ClaudeTranscripts
from recollect.clients.codex import CodexTranscripts
from recollect.clients.copilot import CopilotTranscripts
from recollect.clients.gemini import GeminiTranscripts
from recollect.clients.opencode import OpenCodeTranscripts
from recollect.model.session import Event
from recollect.ports import TranscriptReader

from . import transcripts as told

WHERE, STEEP = "Where do we keep the kettle's schedule?", "How long does green tea steep?"
PLACES = ["In flash memory", "In the cloud"]
CHOSEN = [
    ("choice", WHERE, "In flash memory", "", ("In the cloud",)),
    ("choice", STEEP, "ninety seconds, never more", "typed", ("Two minutes",)),
]
REFUSED = ("refusal", "", "Don't run the boiler tests, they take an hour.", "", ())
RECAP = "## Discoveries\n- The valve sticks because its spring is too short."


def _of_interest(
    reader: TranscriptReader, path: str
) -> list[tuple[str, str, str, str, tuple[str, ...]]]:
    kinds = ("choice", "refusal", "plan", "recap", "todos")
    found: list[Event] = reader.read(path, 0, 0).events
    return [
        (e.kind, e.target, e.text, e.tool, e.options or tuple(row[1] for row in e.todos))
        for e in found
        if e.kind in kinds
    ]


def _written(path: Path, rows: list[told.Json]) -> str:
    path.write_bytes(b"".join(map(told.as_bytes, rows)))
    return str(path)


def _labels(labels: list[str]) -> list[told.Json]:
    return [{"label": label, "description": "What it means"} for label in labels]


def _questions(**more: object) -> list[told.Json]:
    return [
        {"question": WHERE, "header": "Place", "options": _labels(PLACES), **more},
        {"question": STEEP, "header": "Steep", "options": _labels(["Two minutes"]), **more},
    ]


def test_claude(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.ask(
        (WHERE, PLACES, "In flash memory"), (STEEP, ["Two minutes"], "ninety seconds, never more")
    )
    transcript.refuse(transcript.call("Bash", command="make boiler"), REFUSED[2])
    transcript.refuse(transcript.call("Bash", command="make boiler"))
    transcript.approve("# Plan: Warm the pot\n\nSteps")
    transcript.compaction(RECAP)

    found = _of_interest(ClaudeTranscripts(), transcript.save(tmp_path))

    plan, recap = found[3:]
    assert found[:3] == [*CHOSEN, REFUSED]
    assert plan[:3] == ("plan", "", "# Plan: Warm the pot\n\nSteps")
    assert recap[0] == "recap"
    assert RECAP in recap[2]


def test_claude_without_the_structured_result(tmp_path: Path) -> None:
    transcript = Transcript()
    call = transcript.call("AskUserQuestion", questions=_questions())
    said = f'"{WHERE}"="In flash memory", "{STEEP}"="ninety seconds, never more"'
    transcript.result(
        call,
        f"Your questions have been answered: {said}. You can now continue with these answers in mind.",
    )

    assert _of_interest(ClaudeTranscripts(), transcript.save(tmp_path)) == CHOSEN


CLARIFY = f"""The user wants to clarify these questions.
    This means they may have additional information, context or questions for you.

    Questions asked:
- "{WHERE}"
  Answer: In flash memory"""


@pytest.mark.parametrize("said", [CLARIFY, ""])
def test_a_question_that_was_dismissed_is_not_answered(said: str, tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.refuse(transcript.call("AskUserQuestion", questions=_questions()), said)
    late = transcript.call("AskUserQuestion", questions=_questions())
    transcript.result(late, "No response after 60s. Proceed using your best judgment.")

    assert _of_interest(ClaudeTranscripts(), transcript.save(tmp_path)) == []


NO = f"The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n{REFUSED[2]}"
YES = f'User has answered your questions: "{WHERE}"="In flash memory", "{STEEP}"="ninety seconds, never more". You can now continue.'


@pytest.mark.parametrize("tool", ["mcp__tracker__get_issue", "WebFetch"])
@pytest.mark.parametrize("in_parts", [False, True])
def test_a_no_that_a_page_or_a_server_wrote_is_nobodys(
    tool: str, in_parts: bool, tmp_path: Path
) -> None:
    transcript = Transcript()
    said = [{"type": "text", "text": NO}] if in_parts else NO
    transcript.result(transcript.call(tool, id=7), said, error=True, extra=f"Error: {NO}")

    assert _of_interest(ClaudeTranscripts(), transcript.save(tmp_path)) == []


@pytest.mark.parametrize(
    "mark", [{"toolDenialKind": "user-rejected"}, {"toolUseResult": "User rejected tool use"}]
)
def test_a_no_to_a_servers_tool_counts_where_the_client_says_that_it_was_one(
    mark: dict[str, str], tmp_path: Path
) -> None:
    transcript = Transcript()
    call = transcript.call("mcp__tracker__close_issue", id=7)
    transcript.refuse(call, REFUSED[2])
    transcript.lines[-1].update(mark)

    assert _of_interest(ClaudeTranscripts(), transcript.save(tmp_path)) == [REFUSED]


@pytest.mark.parametrize("tool", ["Read", "Bash", "mcp__tracker__AskUserQuestion", ""])
@pytest.mark.parametrize("said", [YES, "User has approved your plan.\n\n## Approved Plan:\nSteps"])
def test_an_answer_in_what_another_tool_brought_is_nobodys(
    tool: str, said: str, tmp_path: Path
) -> None:
    transcript = Transcript()
    call = transcript.call(tool, questions=_questions()) if tool else "toolu_unheard_of"
    extra = {"questions": _questions(), "answers": {WHERE: "In flash memory"}, "plan": "Steps"}
    transcript.result(call, said)
    transcript.result(call, said, extra=extra)

    assert _of_interest(ClaudeTranscripts(), transcript.save(tmp_path)) == []


def test_what_is_answered_after_the_question_was_read_counts(tmp_path: Path) -> None:
    transcript = Transcript()
    asked = transcript.call("AskUserQuestion", questions=_questions())
    stopped = transcript.call("Bash", command="make boiler")
    path = transcript.save(tmp_path)
    read = ClaudeTranscripts().read(path, 0, 0)
    transcript.result(asked, YES)
    transcript.refuse(stopped, REFUSED[2])
    transcript.append(tmp_path)

    found = ClaudeTranscripts().read(path, read.offset, read.inode).events

    kinds = [(e.kind, e.target, e.text) for e in found if e.kind != "result"]
    assert kinds == [row[:3] for row in (*CHOSEN, REFUSED)]


def test_several_options_and_a_note(tmp_path: Path) -> None:
    kinds = ["Green, loose", "Black", "White"]
    transcript = Transcript()
    transcript.ask(
        ("Which teas do we support?", kinds, "Green, loose, White"),
        notes={"Which teas do we support?": "no bags"},
    )

    assert _of_interest(ClaudeTranscripts(), transcript.save(tmp_path)) == [
        ("choice", "Which teas do we support?", "Green, loose, White, no bags", "typed", ("Black",))
    ]


def test_what_was_typed_and_stands_in_a_note_as_well_is_one_answer(tmp_path: Path) -> None:
    asked, own = "Which teas do we support?", "green ones, until we have a second kettle"
    transcript = Transcript()
    transcript.ask((asked, ["Black", "White"], own), notes={asked: own})

    assert _of_interest(ClaudeTranscripts(), transcript.save(tmp_path)) == [
        ("choice", asked, own, "typed", ("Black", "White"))
    ]


def test_what_a_program_answers_is_marked(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.refuse(transcript.call("Bash", command="x"), REFUSED[2])
    transcript.lines[-1]["entrypoint"] = "sdk-py"

    events = ClaudeTranscripts().read(transcript.save(tmp_path), 0, 0).events

    assert [e.program for e in events if e.kind == "refusal"] == [True]


@pytest.mark.parametrize("ordinal", [True, False])
def test_codex(*, ordinal: bool, tmp_path: Path) -> None:
    place, steep = ({**question, "id": f"q{n}"} for n, question in enumerate(_questions()))
    answers = {
        "q0": {"answers": ["In flash memory"]},
        "q1": {"answers": ["None of the above", "user_note: ninety seconds, never more"]},
    }
    cancelled = "request_user_input was cancelled before receiving a response"
    plan = {"explanation": "", "plan": [{"step": "Find the leak", "status": "in_progress"}]}
    rows = told.codex_rows(
        *told.codex_call(
            "request_user_input",
            "c1",
            {"questions": [place, steep]},
            json.dumps({"answers": answers}),
        ),
        *told.codex_call("request_user_input", "c2", {"questions": [place]}, cancelled),
        *told.codex_call("update_plan", "c3", plan, "Plan updated"),
        ("compacted", {"message": RECAP}),
        ("compacted", {"message": "", "replacement_history": []}),
        ordinal=ordinal,
    )

    found = _of_interest(CodexTranscripts(), _written(told.codex_path(tmp_path), rows))

    assert found == [
        *CHOSEN,
        ("todos", "", "", "", ("Find the leak",)),
        ("recap", "", RECAP, "", ()),
    ]


def test_gemini(tmp_path: Path) -> None:
    given = {"questions": _questions(type="choice", multiSelect=False)}
    answers = {"0": "In flash memory", "1": "ninety seconds, never more"}
    rejected = f"Plan rejected. User feedback: {REFUSED[2]}\n\nThe plan is stored at: /tmp/plan.md\n\nRevise the plan based on the feedback."
    rows = told.gemini_rows(
        told.gemini_call("ask_user", given, json.dumps({"answers": answers})),
        told.gemini_call("ask_user", given, "User dismissed ask_user dialog without answering."),
        told.gemini_call("exit_plan_mode", {"plan_path": "/tmp/plan.md"}, rejected),
    )

    found = _of_interest(GeminiTranscripts(), _written(told.gemini_path(tmp_path), rows))

    assert found == [*CHOSEN, REFUSED]


def test_opencode(tmp_path: Path) -> None:
    made = told.OpenCode(tmp_path / "opencode.db")
    state = {
        "status": "completed",
        "input": {"questions": _questions(multiple=False)},
        "output": "User has answered your questions.",
        "metadata": {"answers": [["In flash memory"], ["ninety seconds, never more"]]},
    }
    feedback = f"The user rejected permission to use this specific tool call with the following feedback: {REFUSED[2]}"
    refused = {"status": "error", "input": {"command": "make boiler"}, "error": feedback}
    dismissed = {
        "status": "error",
        "input": state["input"],
        "error": "The user dismissed this question",
    }
    for n, (tool, how) in enumerate(
        [("question", state), ("question", dismissed), ("bash", refused)]
    ):
        made.add("assistant", {"type": "tool", "tool": tool, "callID": f"c{n}", "state": how})
    made.add_summary(RECAP)

    found = _of_interest(OpenCodeTranscripts(), f"{made.path}#{told.OPENCODE_SESSION}")

    assert found == [*CHOSEN, REFUSED, ("recap", "", RECAP, "", ())]


@pytest.mark.parametrize(
    ("tool", "key"), [("bash", "output"), ("tracker_get_issue", "output"), ("tracker_get_issue", "error")]
)  # fmt: skip
def test_opencodes_no_in_what_a_program_or_a_server_wrote_is_nobodys(
    tool: str, key: str, tmp_path: Path
) -> None:
    made = told.OpenCode(tmp_path / "opencode.db")
    said = f"The user rejected permission to use this specific tool call with the following feedback: {REFUSED[2]}"
    state = {
        "status": "error" if key == "error" else "completed",
        "input": {"command": "cat x"},
        key: said,
    }
    made.add("assistant", {"type": "tool", "tool": tool, "callID": "c1", "state": state})

    assert _of_interest(OpenCodeTranscripts(), f"{made.path}#{told.OPENCODE_SESSION}") == []


def test_copilot(tmp_path: Path) -> None:
    error = {
        "code": "rejected",
        "message": f"The user rejected this tool call. User feedback: {REFUSED[2]}",
    }
    rows = told.copilot_rows(
        *told.copilot_call(
            "c1",
            "ask_user",
            {"question": WHERE, "choices": PLACES},
            "User selected: In flash memory",
        ),
        *told.copilot_call(
            "c2",
            "ask_user",
            {"question": STEEP, "choices": ["Two minutes"], "allow_freeform": True},
            "User responded: ninety seconds, never more",
        ),
        (
            "tool.execution_start",
            {"toolCallId": "c3", "toolName": "bash", "arguments": {"command": "make boiler"}},
        ),
        ("tool.execution_complete", {"toolCallId": "c3", "success": False, "error": error}),
        *told.copilot_call(
            "c4",
            "exit_plan_mode",
            {"summary": "## Warm the pot\n- Steps"},
            "Plan approved! Exited plan mode.",
        ),
        ("session.compaction_complete", {"success": True, "summaryContent": RECAP}),
    )

    found = _of_interest(CopilotTranscripts(), _written(told.copilot_path(tmp_path), rows))

    plan = ("plan", "", "## Warm the pot\n- Steps", "", ())
    assert found == [*CHOSEN, REFUSED, plan, ("recap", "", RECAP, "", ())]
