"""The memory that a session becomes, and what happens to it afterwards."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .desk import Desk, sections
from .scripts import PORT_TAKEN, a_day, resumed
from .transcripts import SESSION, Transcript

# ------------------------------------------------------------------------------------ its content


def test_a_session_becomes_a_memory_with_all_its_parts(desk: Desk) -> None:
    (done,) = desk.capture(a_day())

    memory = desk.memory()
    found = sections(memory)
    assert (done.what, done.memory) == ("created", memory.id)
    assert (memory.kind, memory.layer, memory.session) == ("session", "episodic", SESSION)
    assert memory.created == "2026-03-04T09:30:07Z"
    assert memory.title == "Build the teapot service"
    assert "Asked: Build the teapot service" in found["Summary"]
    assert "Outcome: The schema is in place and all tests pass" in found["Summary"]
    assert found["Commits"] == "- Add the teapot schema"
    assert "- [technology] Use PostgreSQL: it has JSON" in found["Decisions"]
    assert "- [convention] Always run the linter before you commit" in found["Patterns"]
    assert "EADDRINUSE" in found["Issues"]
    assert "PORT=0 npm test" in found["Solutions"]
    assert found["Files"] == "- `src/schema.sql`"
    assert found["TODOs"] == "- [ ] Write the docs"


def test_the_same_session_in_a_chinese_store_speaks_chinese(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "zh")
    transcript = Transcript()
    transcript.prompt("请实现茶壶服务。我们决定使用 PostgreSQL，因为它支持 JSON。")
    transcript.edit("/home/ada/teapot/src/茶.py")
    transcript.shell("npm test", PORT_TAKEN, code=1)
    transcript.shell("PORT=0 npm test", "通过")
    transcript.prompt("以后都要先运行测试。")
    transcript.call("TodoWrite", todos=[{"content": "写文档", "status": "pending"}])
    transcript.answer("已完成。")

    desk.capture(transcript)

    found = sections(desk.memory())
    assert {"摘要", "决定", "模式", "问题", "解决方案", "文件", "待办"} <= found.keys()
    assert "PostgreSQL" in found["决定"]
    assert "先运行测试" in found["模式"]
    assert "- [ ] 写文档" in found["待办"]
    assert "# 原始对话记录" in desk.conversation()
    assert "**症状：**" in desk.feedback()


def test_what_was_asked_twice_is_told_once(desk: Desk) -> None:
    transcript = Transcript()
    for _ in range(3):
        transcript.prompt("Implement the following plan:\n\n# Glaze the teapot\n\n1. Glaze it.")
        transcript.prompt("why is the glaze of the spout still green?")
    transcript.edit("/home/ada/teapot/src/glaze.py")
    desk.capture(transcript)

    asked = [line for line in sections(desk.memory())["Summary"].splitlines() if "Asked" in line]
    assert asked == [
        "- Asked: plan: Glaze the teapot",
        "- Asked: why is the glaze of the spout still green?",
    ]


def test_the_conversation_is_kept_as_level_three(desk: Desk) -> None:
    desk.capture(a_day())

    log = desk.conversation()
    assert "### User [09:30:07]\n\nBuild the teapot service." in log
    assert "### Claude [09:30:14]\n\nI start with the schema." in log
    assert "> Tool [09:30:35] shell: `npm test`" in log
    assert f"> Failed [09:30:42]: Exit code 1 {PORT_TAKEN}" in log


def test_what_a_call_that_worked_gave_out_is_not_kept(desk: Desk) -> None:
    desk.capture(a_day())

    assert not [name for name, data in desk.everything() if b"12 passing" in data]
    assert [name for name, data in desk.everything() if b"EADDRINUSE" in data]


def test_files_of_the_project_are_named_from_its_root(desk: Desk) -> None:
    transcript = Transcript(cwd=str(desk.project / "src"))
    transcript.prompt("Please mend the spout of the teapot.")
    transcript.edit(str(desk.project / "src" / "spout.py"))
    transcript.edit("/etc/hosts")

    desk.capture(transcript)

    assert desk.memory().files == ("src/spout.py", "/etc/hosts")


def test_a_session_that_did_nothing_leaves_no_memory(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("hi")

    (done,) = desk.capture(transcript)

    assert done.what == "skipped"
    assert desk.memories() == []


def test_who_only_tries_the_client_leaves_no_memory(desk: Desk) -> None:
    trial, asked = Transcript("trial"), Transcript("asked")
    trial.prompt("Reply with exactly OK. Do not inspect or edit files.")
    trial.answer("OK.")
    asked.prompt("Where are the loans kept?")
    asked.answer("In the table loans of desk.db.")

    assert [done.what for done in desk.capture(trial)] == ["skipped"]
    assert [done.what for done in desk.capture(asked)] == ["created"]


def test_nothing_of_bookkeeping_or_injections_is_kept(desk: Desk) -> None:
    transcript = a_day()
    transcript.noise()
    transcript.compaction("A summary.")
    transcript.prompt("noise of a sub-agent", "sdk", isSidechain=True)
    for tool in ("mcp__recollect__search", "mcp__plugin_recollect_recollect__recall"):
        call = transcript.call(tool, query="noise that we asked for")
        transcript.result(call, "noise that we knew before", error=False)

    desk.capture(transcript)

    assert not [name for name, data in desk.everything() if b"noise" in data]


def test_what_our_own_tool_answers_is_not_kept_across_portions(desk: Desk) -> None:
    transcript = a_day()
    call = transcript.call("mcp__recollect__search", query="x")
    desk.capture(transcript, over=False)
    transcript.result(call, "noise that we knew before", error=True)

    desk.capture(transcript)

    assert not [name for name, data in desk.everything() if b"noise" in data]


@pytest.mark.parametrize(
    ("tool", "trust"),
    [("Read", "tool"), ("WebFetch", "external"), ("mcp__x__y", "external"), ("mcp__ide__getDiagnostics", "tool"), ("mcp__recollect__recall", "tool")],
)  # fmt: skip
def test_a_session_that_read_from_outside_is_trusted_less(
    tool: str, trust: str, desk: Desk
) -> None:
    transcript = a_day()
    transcript.result(transcript.call(tool, url="https://x", file_path="/x"), "text")

    desk.capture(transcript)

    assert desk.memory().trust == trust


# ------------------------------------------------------------------------------------------ twice


def test_capturing_twice_changes_no_byte(desk: Desk) -> None:
    transcript = a_day()
    desk.capture(transcript)
    before = desk.tree()

    (again,) = desk.capture(transcript)

    assert (again.what, again.events) == ("nothing", 0)
    assert desk.tree() == before


def test_capturing_anew_after_the_states_are_lost_makes_no_twin(desk: Desk) -> None:
    transcript = a_day()
    desk.capture(transcript)
    before = desk.tree()
    for file in (desk.root / "sessions").rglob("claude-*"):
        file.unlink()

    desk.capture(transcript)

    after = desk.tree()
    assert len(desk.memories()) == 1
    assert {k: v for k, v in after.items() if not k.startswith("sessions/")} == {
        k: v for k, v in before.items() if not k.startswith("sessions/")
    }


@pytest.mark.parametrize("stops", [0, 1, 3])
def test_a_memory_is_the_same_however_often_the_session_was_looked_at(
    stops: int, desk: Desk, tmp_path: Path
) -> None:
    whole = Desk(tmp_path / "whole")
    whole.capture(a_day())
    lines = a_day().lines
    transcript = Transcript()
    for n in range(stops + 1):
        transcript.lines += lines[
            len(lines) * n // (stops + 1) : len(lines) * (n + 1) // (stops + 1)
        ]
        desk.capture(transcript, over=False)

    desk.capture(transcript)

    memory = "episodic/2026-03-04-build-the-teapot-service/summary.md"
    for name in (memory, memory.replace("summary", "conversation")):
        assert desk.tree()[name] == whole.tree()[name]


# ---------------------------------------------------------------------------------- it goes on


def test_a_resumed_session_brings_its_memory_up_to_date(desk: Desk) -> None:
    transcript = a_day()
    desk.capture(transcript)

    again = resumed(transcript)
    again.answer("I've added a lid that fits.")
    (done,) = desk.capture(again)

    found = sections(desk.memory())
    assert done.what == "changed"
    assert "- [anti-pattern] Never paint the lid red" in found["Patterns"]
    assert "lid.py" in found["Files"]
    assert "added a lid that fits" in found["Summary"]
    assert desk.conversation().count("Build the teapot service.") == 1
    assert "Now the lid." in desk.conversation()


def test_a_resumed_session_counts_when_its_last_turn_was_seen_before_its_end(desk: Desk) -> None:
    transcript = a_day()
    desk.capture(transcript)
    desk.capture(resumed(transcript), over=False)
    assert desk.state(SESSION)["status"] == "active"

    desk.capture(transcript)

    assert "Never paint the lid red" in desk.memory().body
    assert desk.state(SESSION)["status"] == "saved"


def test_two_sessions_in_turns_lose_nothing(desk: Desk) -> None:
    one, two = Transcript("one"), Transcript("two")
    for n in range(5):
        for transcript in (one, two):
            transcript.prompt(f"Please paint the {transcript.session} wall, coat {n}.")
            transcript.answer(f"Coat {n} of {transcript.session} is dry.")
        desk.capture(one if n % 2 else two, over=False)

    desk.capture(one, two)

    for transcript in (one, two):
        texts = [row["text"] for row in desk.raw(transcript.session)]
        assert len(texts) == len(set(texts)) == 10
        assert all(transcript.session in text for text in texts)
    assert len(desk.memories()) == 2


def test_a_compacted_session_is_one_session(desk: Desk) -> None:
    transcript = a_day()
    transcript.compaction("We decided to use SECRET-OF-THE-SUMMARY.")

    desk.capture(resumed(transcript))

    assert "Use PostgreSQL" in desk.memory().body
    assert "Never paint the lid red" in desk.memory().body
    assert "SECRET-OF-THE-SUMMARY" not in desk.conversation()


def test_a_file_that_was_replaced_gives_only_what_is_new(desk: Desk) -> None:
    transcript = a_day()
    path = Path(transcript.save(desk.logs))
    desk.capture(transcript, over=False)
    resumed(transcript)
    copy = path.with_suffix(".new")
    copy.write_bytes(transcript.data)
    os.replace(copy, path)
    transcript._saved = len(transcript.lines)

    (done,) = desk.capture(transcript)

    assert done.events == 4
    assert desk.conversation().count("Build the teapot service.") == 1


def test_a_broken_state_is_made_anew_from_the_transcript(desk: Desk) -> None:
    transcript = a_day()
    desk.capture(transcript)
    before = desk.tree()
    state = desk.root / "sessions" / "active" / f"claude-{SESSION}.json"
    for broken in ("", "{", "[]", '{"session_id": 7}', '{"session_id": "x", "ids": null}',
                   '{"session_id": "x", "sources": [1], "calls": 7, "prompts": "many"}'):  # fmt: skip
        state.write_text(broken)

        desk.capture(transcript)

        assert desk.tree() == before


# ------------------------------------------------------------------------------------------ forks


@pytest.mark.parametrize("marked", [True, False])
def test_a_fork_gives_only_what_is_its_own(marked: bool, desk: Desk) -> None:
    parent = a_day()
    desk.capture(parent, over=False)
    fork = parent.fork("fork", marked=marked)
    fork.prompt("Let us try a teapot of glass instead, please.")
    fork.answer("Glass it is.")
    resumed(parent)

    desk.capture(parent, fork)

    log = [row["text"] for row in desk.raw("fork")]
    assert log == ["Let us try a teapot of glass instead, please.", "Glass it is."]
    bodies = {memory.session: memory.body for memory in desk.memories()}
    assert "PostgreSQL" not in bodies["fork"]
    assert "glass" not in bodies[SESSION]


@pytest.mark.parametrize("cut", [1, 5, 9, 14])
def test_a_fork_that_is_seen_while_it_is_copied_gives_only_what_is_its_own(
    cut: int, desk: Desk
) -> None:
    parent = a_day()
    desk.capture(parent, over=False)
    fork = parent.fork("fork", marked=False)
    lines, fork.lines = fork.lines, []
    fork.lines += lines[:cut]
    desk.capture(fork, over=False)
    fork.lines += lines[cut:]
    fork.prompt("Let us try a teapot of glass instead, please.")

    desk.capture(fork, over=False)

    assert [row["text"] for row in desk.raw("fork")] == [
        "Let us try a teapot of glass instead, please."
    ]


def test_a_fork_of_a_fork_and_a_second_fork_give_only_what_is_their_own(desk: Desk) -> None:
    parent = a_day()
    desk.capture(parent, over=False)
    first = parent.fork("first", marked=False)
    first.prompt("Let us try a teapot of glass, please.")
    resumed(parent)
    second = parent.fork("second", marked=False)
    second.prompt("Let us try a teapot of wood, please.")
    third = first.fork("third", marked=False)
    third.prompt("Let us try a teapot of stone, please.")

    desk.capture(first, parent, second, third)

    for session, word in (("first", "glass"), ("second", "wood"), ("third", "stone")):
        (row,) = desk.raw(session)
        assert word in row["text"]
    assert len([row for row in desk.raw(SESSION) if row["kind"] == "prompt"]) == 3


def test_a_fork_of_what_was_compacted_gives_only_what_is_its_own(desk: Desk) -> None:
    parent = a_day()
    parent.compaction("Summary")
    resumed(parent)
    desk.capture(parent, over=False)
    fork = parent.fork("fork", marked=False)
    fork.lines = fork.lines[-5:]  # the client copies what it still has in its context
    fork.prompt("Let us try a teapot of glass, please.")

    desk.capture(fork, over=False)

    (row,) = desk.raw("fork")
    assert "glass" in row["text"]


def test_a_cleared_session_is_followed_by_one_of_its_own(desk: Desk) -> None:
    one, two = a_day(), Transcript("two")
    caveat = "<local-command-caveat>The command below was run directly.</local-command-caveat>"
    two.prompt(caveat, None, isMeta=True)
    two.prompt("<command-name>/clear</command-name>\n<command-args></command-args>", None)
    two.prompt("Please write the poem of the teapot now.")
    two.answer("O teapot.")

    desk.capture(one, two)

    assert [m.title for m in desk.memories()] == [
        "Build the teapot service",
        "Write the poem of the teapot",
    ]
