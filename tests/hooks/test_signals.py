"""What the hooks that only record leave behind, and when they start the worker."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from recollect.app import App
from recollect.store.journal import FolderJournal

from .machine import SESSION, Machine, until

SECRET = "what-the-tool-said"


def test_a_tool_call_leaves_one_line_without_its_output(machine: Machine) -> None:
    ran = machine.fire(
        "PostToolUse",
        tool_input={"command": f"cat {SECRET}"},
        tool_response={"stdout": SECRET, "stderr": SECRET},
    )

    (file,) = (machine.root / "journal").iterdir()
    (line,) = machine.journal()
    assert (ran.out, ran.code) == (b"", 0)
    assert SECRET not in file.read_text()
    assert {key: line[key] for key in ("op", "event", "session", "client", "folder")} == {
        "op": "signal",
        "event": "post-tool",
        "session": SESSION,
        "client": "claude",
        "folder": str(machine.project),
    }
    assert line["transcript"].endswith(f"{SESSION}.jsonl")


@pytest.mark.slow
def test_a_reason_that_is_no_word_and_a_path_that_is_too_long_are_left_out(
    machine: Machine,
) -> None:
    machine.fire("SessionEnd", reason="prompt_input_exit")
    machine.fire("SessionEnd", reason="password: kettle42!", transcript_path="/t/" + "x" * 5000)

    first, second = machine.journal()
    assert first["reason"] == "prompt_input_exit"
    assert first["transcript"]
    assert not {"reason", "transcript"} & set(second)


@pytest.mark.slow
def test_parallel_hooks_lose_and_mix_nothing(machine: Machine) -> None:
    # The journal's folder is not there yet: all of them try to make it.
    paths = [f"/t/{n:03}" + "x" * 3000 for n in range(20)]
    with ThreadPoolExecutor(20) as pool:
        runs = list(pool.map(lambda path: machine.fire("PostToolUse", transcript_path=path), paths))

    assert {ran.code for ran in runs} == {0}
    lines = machine.journal()
    assert sorted(line["transcript"] for line in lines) == paths
    assert len({line["op_id"] for line in lines}) == 20
    assert not (machine.home / ".cache" / "recollect" / "hook.log").exists()


def test_the_journal_reads_what_hooks_wrote(machine: Machine) -> None:
    for text in ("plain", 'quote " and \\ back', "新行\nund\ttab", "\u2028 \x7f \x00", "🎈"):
        machine.fire("PostToolUse", transcript_path=text)

    app = App(str(machine.project), machine.env)
    store = app.opened(str(machine.root), "project")
    journal = store.journal
    assert isinstance(journal, FolderJournal)
    found = [line["transcript"] for line in journal.hot("signal")]
    app.close()
    assert found == ["plain", 'quote " and \\ back', "新行\nund\ttab", "\u2028 \x7f \x00", "🎈"]
    assert not journal.problems


@pytest.mark.parametrize("session", ["../../evil", "a/b", "", ".", "x" * 300, "会话", "a\nb", "-"])
def test_a_session_of_any_name_stays_inside_the_journal(session: str, machine: Machine) -> None:
    before = set(machine.folder.rglob("*"))

    machine.fire("PostToolUse", session_id=session)

    made = {path for path in set(machine.folder.rglob("*")) - before if path.is_file()}
    assert {path.parent for path in made} <= {machine.root / "journal"}
    assert all(path.name.startswith("claude-") and len(path.name) < 100 for path in made)
    assert len(made) == bool(session)


def test_sessions_have_files_of_their_own(machine: Machine) -> None:
    for session in ("one", "two", "one"):
        machine.fire("PostToolUse", session_id=session)

    assert len(machine.journal("one")) == 2
    assert len(machine.journal("two")) == 1


def test_a_sub_agent_without_a_type_is_the_clients_own_business(machine: Machine) -> None:
    machine.fire("SubagentStop", agent_type="")
    assert machine.journal() == []

    machine.fire("SubagentStop", agent_type="Explore")
    assert machine.signals() == ["subagent-stop"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("event", ["Stop", "SessionEnd"])
def test_a_turn_that_ends_starts_one_worker_that_ends_too(event: str, machine: Machine) -> None:
    ran = machine.fire(event)

    assert ran.out == b""
    until((machine.cache() / "worker.lock").exists)
    machine.settle()
    assert not (machine.cache() / "pending").exists()
    assert not (machine.cache() / "working").exists()


@pytest.mark.parametrize("event", ["PostToolUse", "SubagentStop", "UserPromptSubmit"])
def test_what_only_records_starts_no_worker(event: str, machine: Machine) -> None:
    machine.fire(event)

    assert not (machine.cache() / "worker.lock").exists()
    assert not (machine.cache() / "pending").exists()


def test_the_worker_outlives_its_parent_and_its_session(machine: Machine) -> None:
    # The hook's process is gone when `fire` returns; the worker has a session of its own.
    machine.fire("Stop")

    until((machine.cache() / "worker.lock").exists)
    until(lambda: not (machine.cache() / "pending").exists())
    machine.settle()


@pytest.mark.parametrize("spelling", ["PostToolUse", "post-tool-use", "posttooluse"])
def test_an_event_may_be_spelt_in_any_client_s_way(spelling: str, machine: Machine) -> None:
    machine.feed(spelling, json.dumps(machine.payload("PostToolUse")).encode())

    assert machine.signals() == ["post-tool"]


@pytest.mark.parametrize("event", ["PreToolUse", "Notification", "OfTomorrow", ""])
def test_an_event_that_is_not_ours_does_nothing(event: str, machine: Machine) -> None:
    ran = machine.feed(event, json.dumps(machine.payload("PostToolUse")).encode())

    assert (ran.code, ran.out, ran.err) == (0, b"", b"")
    assert not machine.journal()
