"""What every transcript reader promises, and what each finds in its client's own shape."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.state import fold
from recollect.clients import CAPTURED
from recollect.clients.codex import CodexTranscripts
from recollect.clients.copilot import CopilotTranscripts
from recollect.clients.gemini import GeminiTranscripts
from recollect.clients.opencode import OpenCodeTranscripts
from recollect.clients.registry import KNOWN, READERS
from recollect.model.session import Event, SessionState
from recollect.ports import TranscriptReader

from . import transcripts as told

# What all of them tell of the conversation: kind, tool, target or text, and whether it worked.
STORY = [
    ("prompt", "", told.PROMPT),
    ("answer", "", "I look."),
    ("call", "edit", f"{told.CWD}/app.py"),
    ("call", "shell", "lintool install"),
    ("failed", "", "bash: lintool: command not found"),
    ("call", "shell", "./tools/lintool install"),
    ("worked", "", "installed"),
    ("web", "", ""),
    ("call", "recollect", ""),
    ("answer", "", "Done."),
]


class Case(NamedTuple):
    """A client's transcript of that conversation."""

    reader: TranscriptReader
    path: str
    session: str


def _codex(folder: Path) -> Case:
    path = told.codex_path(folder)
    path.write_bytes(b"".join(map(told.as_bytes, told.codex_lines())))
    return Case(CodexTranscripts(), str(path), told.SESSION)


def _gemini(folder: Path) -> Case:
    path = told.gemini_path(folder)
    path.write_bytes(b"".join(map(told.as_bytes, told.gemini_lines())))
    return Case(GeminiTranscripts(), str(path), told.SESSION)


def _gemini_of_old(folder: Path) -> Case:
    path = told.gemini_path(folder).with_suffix(".json")
    path.write_text(json.dumps(told.gemini_chat_of_old(), indent=2))
    return Case(GeminiTranscripts(), str(path), told.SESSION)


def _opencode(folder: Path) -> Case:
    path = folder / "opencode.db"
    told.OpenCode(path).tell_all()
    name = f"{path}#{told.OPENCODE_SESSION}"
    return Case(OpenCodeTranscripts(), name, told.OPENCODE_SESSION)


def _export(folder: Path) -> Case:
    path, kept = folder / "tea.json", folder / "kept"
    kept.mkdir()
    database = told.OpenCode(kept / "pot.sqlite")
    database.tell_all()
    path.write_text(json.dumps(database.export(), indent=2))
    return Case(OpenCodeTranscripts(), str(path), told.OPENCODE_SESSION)


def _copilot(folder: Path) -> Case:
    path = told.copilot_path(folder)
    path.write_bytes(b"".join(map(told.as_bytes, told.copilot_lines())))
    return Case(CopilotTranscripts(), str(path), told.SESSION)


@pytest.fixture(
    params=[_codex, _gemini, _gemini_of_old, _opencode, _export, _copilot],
    ids=["codex", "gemini", "older gemini", "opencode", "export of opencode", "copilot"],
)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    """Each client's transcript of the conversation."""
    make: Callable[[Path], Case] = request.param
    return make(tmp_path)


def story(events: list[Event]) -> Iterator[tuple[str, str, str]]:
    """What the events tell; results of what is of no interest are left out."""
    shells = {event.call for event in events if event.tool == "shell"}
    for event in events:
        if event.kind == "result" and event.call in shells:
            text = event.text.removeprefix("Output: ").partition("\n")[0]
            yield ("worked" if event.ok else "failed", "", text)
        elif event.kind == "web" or event.tool in ("shell", "edit", "recollect"):
            yield (event.kind, event.tool, event.target)
        elif event.kind in ("prompt", "answer"):
            yield (event.kind, "", event.text)


def read_all(case: Case) -> list[Event]:
    return case.reader.read(case.path, 0, 0).events


# --------------------------------------------------------------------------- what all of them promise


def test_the_conversation_is_told_as_it_went(case: Case) -> None:
    portion = case.reader.read(case.path, 0, 0)

    assert list(story(portion.events)) == STORY
    assert portion.session == case.reader.session_of(case.path) == case.session
    assert portion.cwd == case.reader.folder_of(case.path) == told.CWD
    assert {event.time[:17] for event in portion.events} == {"2026-03-04T09:30:"}


def test_nothing_of_what_we_injected_or_answered_is_told(case: Case) -> None:
    assert told.OURS not in str(read_all(case))


def test_nothing_is_told_twice(case: Case) -> None:
    state = SessionState(case.session)
    first = case.reader.read(case.path, 0, 0)
    fold(state, first.events)

    again = case.reader.read(case.path, first.offset, first.inode)
    assert fold(state, again.events) == []
    assert (again.offset, again.inode) == (first.offset, first.inode)
    # Nor if all is read anew, as behind a crash.
    assert fold(state, read_all(case)) == []


def test_what_is_not_there_gives_nothing(case: Case) -> None:
    missing = case.path.replace(".json", "-x.json").replace(".db", "-x.db")

    portion = case.reader.read(missing, 7, 3)

    assert (portion.events, portion.offset, portion.inode) == ([], 7, 3)
    assert case.reader.folder_of(missing) == ""


def test_garbage_gives_nothing_and_is_no_error(case: Case, tmp_path: Path) -> None:
    path = Path(case.path.partition("#")[0])
    path.write_bytes(
        b'{"type":\n[1]\nnull\n\xff\xfe\n{"payload":3,"type":"event_msg"}\n{"id":[]}\n'
    )

    assert case.reader.read(case.path, 0, 0).events == []


def test_transcripts_are_found_below_a_folder(case: Case, tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text("{}\n")

    assert case.reader.find(str(tmp_path)) == [case.path]


def test_every_client_that_is_captured_has_its_reader() -> None:
    assert tuple(READERS) == CAPTURED
    assert set(READERS) <= set(KNOWN)


# ------------------------------------------------------------------------------ files of lines


@given(st.integers(1, 40), st.sampled_from([_codex, _gemini, _copilot]))
def test_reading_as_it_grows_tells_what_reading_at_the_end_tells(
    tmp_path_factory: pytest.TempPathFactory, step: int, make: Callable[[Path], Case]
) -> None:
    case = make(tmp_path_factory.mktemp("growing"))
    whole = read_all(case)
    path = Path(case.path)
    data = path.read_bytes()
    path.write_bytes(b"")
    state, found, offset, inode = SessionState(case.session), [], 0, 0
    size = len(data) // step + 1
    with path.open("ab", buffering=0) as file:
        for at in range(0, len(data), size):
            file.write(data[at : at + size])
            portion = case.reader.read(case.path, offset, inode)
            found += fold(state, portion.events)
            offset, inode = portion.offset, portion.inode

    seen: set[str] = set()
    expected = [e for e in whole if not (e.id in seen or seen.add(e.id))]  # type: ignore[func-returns-value]
    assert found == expected


def test_what_a_script_of_codex_runs_is_told(tmp_path: Path) -> None:
    def ran(call: str, script: str, *texts: str) -> Iterator[tuple[str, told.Json]]:
        text = ("Script completed\nWall time 0.1 seconds\nOutput:\n", *texts)
        about = {"type": "custom_tool_call", "name": "exec", "call_id": call, "input": script}
        output = [{"type": "input_text", "text": one} for one in text]
        yield "response_item", about
        yield (
            "response_item",
            {"type": "custom_tool_call_output", "call_id": call, "output": output},
        )

    lint = 'const r = await tools.exec_command({cmd:"lintool \\"install\\"", workdir:"/w"}); '
    commit = 'const r = await tools.exec_command({"cmd":"git commit -m Tea"}); text(r.output)'
    rows = [
        *ran("c1", f"{lint} text(r.output);", "half of it"),
        *ran("c2", f"{lint} text(JSON.stringify(r))", '{"exit_code":127,"output":"not found"}'),
        *ran("c3", commit, "[main 1a2b3c4] Tea\n"),
        *ran("c4", 'text(await tools.web__run({open:[{ref_id:"turn0"}]}))', "Green tea"),
        ("event_msg", {"type": "web_search_end", "call_id": "w1", "query": "tea"}),
        *ran("c5", "await tools.exec_command({cmd: `curl -s https://tea.example/${page}`})", "Tea"),
        *ran("c6", "const c = 'curl -s https://tea.example'; tools.exec_command({cmd: c})", "Tea"),
        *ran("c7", "await tools.exec_command({cmd: `ls ${folder}`})", "Tea"),
    ]
    path = told.codex_path(tmp_path)
    path.write_bytes(b"".join(map(told.as_bytes, told.codex_rows(*rows, ordinal=False))))
    assert list(story(CodexTranscripts().read(str(path), 0, 0).events)) == [
        ("call", "shell", 'lintool "install"'),  # how it ended, nobody knows
        ("call", "shell", 'lintool "install"'),
        ("failed", "", "not found"),
        ("call", "shell", "git commit -m Tea"),
        ("worked", "", "[main 1a2b3c4] Tea"),
        *[("web", "", "")] * 4,
    ]


def test_the_files_that_a_patch_of_codex_of_old_changes_are_told(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: {}\n@@\n-cold\n+hot\n*** Add File: {}\n+tea\n*** End Patch"
    rows = [
        *told.codex_call("apply_patch", "c1", {"input": patch.format("pot.md", "cup.md")}, "Done!"),
        *told.codex_call("shell", "c2", {"command": ["apply_patch", patch.format("a.md", "b.md")]},
                         '{"output":"Success.","metadata":{"exit_code":0}}'),
        *told.codex_call("apply_patch", "c3", {"input": patch.format("x.md", "y.md")},
                         "apply_patch verification failed: Failed to find expected lines in x.md"),
    ]  # fmt: skip
    path = told.codex_path(tmp_path)
    path.write_bytes(b"".join(map(told.as_bytes, told.codex_rows(*rows, ordinal=False))))
    events = CodexTranscripts().read(str(path), 0, 0).events
    changes = [e.text for e in events if e.target == "pot.md"]
    state = SessionState(told.SESSION)
    fold(state, events)
    assert (state.files_modified, changes) == (
        ["pot.md", "cup.md", "a.md", "b.md"],
        ["`cold` → `hot`"],
    )


LONG = "python3 - <<'EOF'\n" + "print('a cup of tea')\n" * 30 + "EOF"
ABOVE = [
    "Exit code: 3\nWall time: 0.2 seconds\nOutput:\n",
    "Exit code: 3\nWall time: 0 seconds\nTotal output lines: 2\nOutput:\n",
    "Chunk ID: a1b2c3\nWall time: 0.1 seconds\nProcess exited with code 3\nOriginal token count: 9\nOutput:\n",
    f"Command: /bin/bash -lc {LONG!r}\nChunk ID: a1b2c3\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\n",
    f"Command: /bin/bash -lc {LONG}\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\n",
]


@pytest.mark.parametrize("above", ABOVE)
def test_what_codex_of_old_says_above_an_output_is_no_part_of_it(
    above: str, tmp_path: Path
) -> None:
    calls = told.codex_call("exec_command", "c1", {"cmd": LONG}, f"{above}the pot is empty\n")
    path = told.codex_path(tmp_path)
    path.write_bytes(b"".join(map(told.as_bytes, told.codex_rows(*calls, ordinal=False))))
    [result] = [e for e in CodexTranscripts().read(str(path), 0, 0).events if e.kind == "result"]
    assert (result.ok, result.text) == (False, "the pot is empty\n")


def test_codex_of_old_is_told_as_well(tmp_path: Path) -> None:
    path = told.codex_path(tmp_path)
    path.write_bytes(b"".join(map(told.as_bytes, told.codex_lines_of_old())))

    events = CodexTranscripts().read(str(path), 0, 0).events

    assert [row for row in story(events) if row[0] in ("prompt", "answer", "failed")] == [
        ("prompt", "", told.PROMPT),
        ("answer", "", "I look."),
        ("failed", "", "bash: lintool: command not found"),
        ("answer", "", "Done."),
    ]
    assert ("edit", "app.py") in [(event.tool, event.target) for event in events]
    assert ("shell", "lintool install") in [(event.tool, event.target) for event in events]


def test_a_fork_of_codex_of_old_does_not_repeat_its_parents_prompts(tmp_path: Path) -> None:
    """Its file begins with the lines of the other session, all written at once."""
    parent = told.codex_path(tmp_path / "sessions")
    fork = parent.with_name(parent.name.replace(told.SESSION, told.SESSION.replace("0", "9")))
    first, *rest = told.codex_lines_of_old()
    meta = {**first, "payload": {**first["payload"], "id": told.SESSION.replace("0", "9")}}
    rest.append({"type": "response_item", "payload": {"type": "web_search_call"}})
    copied = [{**line, "timestamp": "2026-03-04T11:00:00.500Z"} for line in (first, *rest)]
    asked = {"type": "user_message", "message": "Which pot is the largest?"}
    new = {"timestamp": "2026-03-04T11:00:09.000Z", "type": "event_msg", "payload": asked}
    fork.write_bytes(b"".join(map(told.as_bytes, (meta, *copied, new))))

    def kinds() -> list[tuple[str, str]]:
        found = CodexTranscripts().read(str(fork), 0, 0).events
        return [(one.kind, one.text) for one in found if one.kind in ("prompt", "answer", "web")]

    alone = kinds()
    parent.write_bytes(b"".join(map(told.as_bytes, told.codex_lines_of_old())))
    assert kinds() == [("web", ""), ("prompt", "Which pot is the largest?")]
    assert ("prompt", told.PROMPT) in alone  # the other session has no transcript: it is told here
    copied[0]["timestamp"] = "yesterday"
    fork.write_bytes(b"".join(map(told.as_bytes, (meta, *copied, new))))
    assert kinds() == alone


def test_a_session_of_a_sub_agent_is_not_told(tmp_path: Path) -> None:
    lines = told.codex_lines()
    lines[0]["payload"]["source"] = {"subagent": {"thread_spawn": {"parent_thread_id": "x"}}}
    path = told.codex_path(tmp_path)
    path.write_bytes(b"".join(map(told.as_bytes, lines)))
    assert CodexTranscripts().session_of(str(path)) == ""
    assert str(path) not in CodexTranscripts().find(str(tmp_path))

    chat = told.gemini_path(tmp_path)
    head, *rest = told.gemini_lines()
    chat.write_bytes(b"".join(map(told.as_bytes, [head | {"kind": "subagent"}, *rest])))
    assert GeminiTranscripts().session_of(str(chat)) == ""
    assert str(chat) not in GeminiTranscripts().find(str(tmp_path))

    older, about = chat.with_suffix(".json"), told.gemini_chat_of_old()
    about["messages"][0]["content"] = "Your task is to do a deep investigation of the codebase to …"
    older.write_text(json.dumps(about))
    assert GeminiTranscripts().find(str(tmp_path)) == []


def test_what_copilot_reports_at_the_end_of_a_task_is_its_answer(tmp_path: Path) -> None:
    done = "The kettle was empty: the valve closed too early, and now waits for the float."
    rows = told.copilot_rows(
        ("user.message", {"content": "Why is the kettle cold?"}),
        ("assistant.message", {"content": "I look at the valve of the kettle."}),
        *told.copilot_call("c1", "task_complete", {"summary": done}, "Completed"),
    )
    path = told.copilot_path(tmp_path)
    path.write_bytes(b"".join(map(told.as_bytes, rows)))
    state = SessionState(told.SESSION)
    fold(state, CopilotTranscripts().read(str(path), 0, 0).events)
    assert state.last_answer == done


def test_an_editor_of_copilot_that_does_it_all_changes_only_what_it_writes(tmp_path: Path) -> None:
    tool, tea, pot = "str_replace_editor", f"{told.CWD}/tea.py", f"{told.CWD}/pot.py"
    rows = told.copilot_rows(
        *told.copilot_call("c1", tool, {"command": "view", "path": tea}, "1. x = 1"),
        *told.copilot_call("c2", tool, {"command": "create", "path": pot}, "Created"),
    )
    path = told.copilot_path(tmp_path)
    path.write_bytes(b"".join(map(told.as_bytes, rows)))
    events = CopilotTranscripts().read(str(path), 0, 0).events
    assert [event.target for event in events if event.tool == "edit"] == [pot]


def test_a_session_of_an_older_copilot_is_a_file(tmp_path: Path) -> None:
    rows = told.copilot_lines()
    rows[2]["data"]["content"] += (
        "\n\n<current_datetime>2025-12-02T08:26:25.627Z</current_datetime>"
    )
    path = tmp_path / "session-state" / f"{told.SESSION}.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"".join(map(told.as_bytes, rows)))
    reader = CopilotTranscripts()
    assert reader.find(str(tmp_path)) == [str(path)]
    assert reader.session_of(str(path)) == told.SESSION
    assert list(story(reader.read(str(path), 0, 0).events)) == STORY


# ----------------------------------------------------------------------------------- a database


def test_a_message_that_goes_on_is_told_to_its_end(tmp_path: Path) -> None:
    base = told.OpenCode(tmp_path / "opencode.db")
    path = f"{base.path}#{told.OPENCODE_SESSION}"
    base.add("user", told._text("Hello there"))
    running = base.add("assistant", told._text("I look."), done=False)
    reader, state = OpenCodeTranscripts(), SessionState(told.OPENCODE_SESSION)
    first = reader.read(path, 0, 0)
    fold(state, first.events)

    base.finish(running)
    base.add("assistant", told._text("Done."))
    second = reader.read(path, first.offset, first.inode)

    assert first.offset < second.offset
    assert [event.text for event in fold(state, second.events)] == ["Done."]


@pytest.mark.parametrize("is_listed", [True, False])
def test_each_file_of_a_patch_is_changed(tmp_path: Path, is_listed: bool) -> None:
    """Some models edit with `apply_patch`: the client lists the files behind it, earlier ones did not."""
    base = told.OpenCode(tmp_path / "opencode.db")
    patch = "*** Begin Patch\n*** Add File: a.py\n+one\n*** Update File: b.py\n@@\n-one\n+two\n*** End Patch"
    call = told._tool("apply_patch", {"patchText": patch})
    if is_listed:
        files = [{"filePath": f"{told.CWD}/{name}", "type": "add"} for name in ("a.py", "b.py")]
        call["state"]["metadata"] = {"files": files}
    base.add("user", told._text("Please count the loans."))
    base.add("assistant", call)
    state = SessionState(told.OPENCODE_SESSION)
    fold(state, OpenCodeTranscripts().read(f"{base.path}#{told.OPENCODE_SESSION}", 0, 0).events)

    changes = [event.text for event in OpenCodeTranscripts().read(f"{base.path}#{told.OPENCODE_SESSION}", 0, 0).events
               if event.kind == "call"]  # fmt: skip
    folder = f"{told.CWD}/" if is_listed else ""
    assert changes == ["+ `one`"]
    assert state.files_modified == [f"{folder}a.py", f"{folder}b.py"]


PATCH = """*** Begin Patch
*** Update File: lid.toml
@@
 [lid]
-port = 1
+port = 2
*** Add File: src/lid.py
+one
*** Delete File: old.cfg
*** End Patch
"""


@pytest.mark.parametrize("given", [PATCH, {"patch": PATCH}, {"input": PATCH}])
def test_what_a_patch_of_copilot_changes_is_known(tmp_path: Path, given: Any) -> None:
    """Its models of OpenAI edit with `apply_patch`, which is given the patch and no path."""
    path = told.copilot_path(tmp_path)
    rows = told.copilot_rows(
        *told.copilot_call("c1", "apply_patch", given, "Done"),
        *told.copilot_call("c2", "apply_patch", "*** Begin Patch\n+not closed", "Done"),
        *told.copilot_call("c3", "apply_patch", 7, "Done"),
    )
    path.write_bytes(b"".join(map(told.as_bytes, rows)))
    state = SessionState(told.SESSION)
    events = CopilotTranscripts().read(str(path), 0, 0).events
    fold(state, events)

    assert state.files_modified == ["lid.toml", "src/lid.py", "old.cfg"]
    assert [event.text for event in events if event.kind == "call"][:3] == ["`port = 1` → `port = 2`", "+ `one`", ""]  # fmt: skip


def test_a_patch_that_failed_changes_nothing(tmp_path: Path) -> None:
    path = told.copilot_path(tmp_path)
    start, (kind, done) = told.copilot_call("c1", "apply_patch", PATCH, "x")
    rows = told.copilot_rows(start, (kind, done | {"success": False}))
    path.write_bytes(b"".join(map(told.as_bytes, rows)))
    state = SessionState(told.SESSION)
    fold(state, CopilotTranscripts().read(str(path), 0, 0).events)

    assert state.files_modified == []


def test_sessions_of_sub_agents_are_not_found_in_a_database(tmp_path: Path) -> None:
    base = told.OpenCode(tmp_path / "opencode.db")

    found = OpenCodeTranscripts().find(str(base.path))

    assert found == [f"{base.path}#{told.OPENCODE_SESSION}"]


def test_an_export_of_a_session_tells_what_its_database_tells(tmp_path: Path) -> None:
    """But what a sub-agent read is not in it: it may have been a page."""
    database, path = told.OpenCode(tmp_path / "opencode.db"), tmp_path / "tea.json"
    database.tell_all()
    task = {"type": "tool", "tool": "task", "callID": "c9", "state": {"status": "completed"}}
    database.add("assistant", task)
    whole = database.export()
    path.write_text(json.dumps(whole))
    reader = OpenCodeTranscripts()

    def events(name: str) -> list[tuple[str, str, str]]:
        return [(one.id, one.kind, one.text) for one in reader.read(name, 0, 0).events]

    stored = events(f"{database.path}#{told.OPENCODE_SESSION}")
    assert [one for one in events(str(path)) if one not in stored] == [("prt_0000080.s", "web", "")]
    assert [one for one in stored if one not in events(str(path))] == []

    whole["info"]["parentID"] = "ses_other"
    path.write_text(json.dumps(whole))
    assert reader.session_of(str(path)) == ""  # a sub-agent's


def test_a_database_is_only_read(tmp_path: Path) -> None:
    case = _opencode(tmp_path)
    path = Path(case.path.partition("#")[0])
    before = path.read_bytes(), path.stat().st_mtime_ns

    read_all(case)

    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
