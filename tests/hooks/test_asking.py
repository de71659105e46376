"""`capture.mode = ask`: the agent is asked at the right moments, once, with words that run nothing."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from recollect.app import App
from recollect.derived_files import keep_asking
from recollect.ops.setup import change_setting

from .machine import SESSION, Machine
from .test_modules import OF_OS, modules_of


def ask(machine: Machine, interval: int = 5, **settings: str) -> None:
    """Let the project's store ask after so many tool uses."""
    app = App(str(machine.project), machine.env)
    values = {"capture.mode": "ask", "capture.save_interval": str(interval)}
    for key, value in (values | settings).items():
        change_setting(app, key, value, scope="project", dry_run=False)
    app.close()


def use(machine: Machine, times: int, **fields: Any) -> list[str]:
    """What the agent is told after each of so many tool uses."""
    return [machine.fire("PostToolUse", **fields).context for _ in range(times)]


def stop(machine: Machine, **fields: Any) -> str:
    return machine.fire("Stop", **fields).context


def test_the_agent_is_asked_each_time_the_interval_is_reached(machine: Machine) -> None:
    ask(machine, 3)
    assert [bool(text) for text in use(machine, 7)] == [
        False,
        False,
        True,
        False,
        False,
        True,
        False,
    ]


@pytest.mark.slow
def test_no_tool_use_is_lost_when_hooks_run_at_once(machine: Machine) -> None:
    ask(machine, 5)
    with ThreadPoolExecutor(20) as pool:
        ran = list(pool.map(lambda _: machine.fire("PostToolUse"), range(20)))
    assert sum(bool(one.out) for one in ran) == 4
    asked = [line for line in machine.journal() if line["op"] == "ask"]
    assert sorted(int(line["at"]) for line in asked) == [5, 10, 15, 20]


def test_each_session_has_its_own_counter(machine: Machine) -> None:
    ask(machine, 2)
    told = [
        machine.fire("PostToolUse", session_id=name).context
        for name in ("aaaa", "bbbb", "bbbb", "aaaa")
    ]
    assert [bool(text) for text in told] == [False, False, True, True]
    names = {text[text.index("extract-facts ") :].split()[1] for text in told if text}
    assert len(names) == 2  # K13: two sessions of one minute have two files


def test_a_sub_agent_is_not_asked_and_not_counted(machine: Machine) -> None:
    ask(machine, 2)
    assert use(machine, 5, agent_id="a496") == [""] * 5
    assert [bool(text) for text in use(machine, 2)] == [False, True]


@pytest.mark.slow
def test_the_end_of_a_turn_asks_for_the_rest_and_does_not_go_round(machine: Machine) -> None:
    ask(machine, 5)
    use(machine, 2)
    assert stop(machine) == ""  # too little for a turn of its own
    use(machine, 1)
    assert "since the last time: 3." in stop(machine)
    use(machine, 2)  # the agent writes the file and runs the command
    assert stop(machine, stop_hook_active=True) == ""
    assert stop(machine) == ""
    assert [bool(text) for text in use(machine, 5)] == [False] * 4 + [True]
    assert stop(machine) == ""


@pytest.mark.slow
def test_what_was_compacted_away_is_asked_for_once(machine: Machine) -> None:
    ask(machine, 5)
    machine.fire("PreCompact")
    assert use(machine, 2) == [""] * 2  # nothing was lost by it
    kept = machine.fire("PreCompact").out.decode()
    assert "corrected and learned" in kept
    machine.fire("SessionStart", source="compact")
    assert [bool(text) for text in use(machine, 3)] == [True, False, False]
    machine.settle()


@pytest.mark.parametrize(("lang", "most"), [("en", "at most five"), ("zh", "最多五条")])
def test_five_entries_are_asked_for_at_most(machine: Machine, lang: str, most: str) -> None:
    ask(machine, 1, lang=lang)
    (text,) = use(machine, 1)
    assert most in text
    assert "`remember`" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lang", "head", "content"),
    [("en", "## Decisions", "Decision content: Reason why"), ("zh", "## 决定", "决定的内容：原因")],
)
def test_what_it_asks_for_can_be_done_as_it_is_told(
    machine: Machine, lang: str, head: str, content: str
) -> None:
    ask(machine, 1, lang=lang)
    (text,) = use(machine, 1)
    lines = text.splitlines()
    path = Path(next(line for line in lines if line.endswith(".md")))
    form = text[text.index(head) : text.index("\n2. ")]
    path.parent.mkdir(exist_ok=True)
    path.write_text(form)
    command = lines[-2]
    done = subprocess.run(
        ["sh", "-c", f"{command} --json"], env=machine.env, cwd="/", capture_output=True, check=True
    )
    assert json.loads(done.stdout)["facts"] == []  # the form as it was handed out says nothing
    path.write_text(form.replace(content, "Use Redis: it is fast"))
    done = subprocess.run(
        ["sh", "-c", f"{command} --json"], env=machine.env, cwd="/", capture_output=True, check=True
    )
    facts = json.loads(done.stdout)["facts"]
    assert [fact["content"] for fact in facts] == ["Use Redis"]


def test_nothing_of_session_or_store_is_in_the_words(machine: Machine) -> None:
    """Memory text is never in what an agent might paste into a shell."""
    machine.write("core/project.md", "$(touch /tmp/owned) `id`")
    ask(machine, 1)
    evil = machine.project / "it's $(id) `x`"
    evil.mkdir()
    told = machine.fire(
        "PostToolUse",
        cwd=str(evil),
        session_id="$(touch x)",
        tool_input={"command": "$(id)"},
    ).context
    command = told.splitlines()[-2]
    words = shlex.split(command)
    assert words[words.index("-C") + 1] == str(evil)
    assert command.startswith(shlex.quote(sys.executable))
    assert Path(words[words.index("-I") + 1]).is_file()
    quoted = "'" + str(evil).replace("'", "'\\''") + "'"
    assert quoted in told
    assert not set("$`") & set(told.replace(quoted, "").replace("`remember`", ""))
    assert len(told) < 2_000


def test_it_asks_in_chinese_where_the_store_is_chinese(machine: Machine) -> None:
    ask(machine, 1, lang="zh")
    (text,) = use(machine, 1)
    assert "## 决定" in text
    assert "Decisions" not in text


@pytest.mark.sampled(2)
@pytest.mark.parametrize("value", ['"often"', "0", "-3", "true", "[]"])
def test_an_interval_that_is_none_is_five(machine: Machine, value: str) -> None:
    """K17."""
    (machine.root / "config.toml").write_text(f'[capture]\nmode = "ask"\nsave_interval = {value}\n')
    machine.publish()
    assert [bool(text) for text in use(machine, 5)] == [False] * 4 + [True]


@pytest.mark.slow
def test_the_project_decides_then_the_global_store(machine: Machine) -> None:
    (machine.everywhere / "config.toml").write_text('[capture]\nmode = "ask"\nsave_interval = 2\n')
    machine.publish()
    assert [bool(text) for text in use(machine, 2)] == [False, True]
    (machine.root / "config.toml").write_text("[capture]\nsave_interval = 3\n")
    machine.publish()
    assert [bool(text) for text in use(machine, 3)] == [False, False, True]
    (machine.root / "config.toml").write_text('[capture]\nmode = "auto"\n')
    machine.publish()
    assert use(machine, 4) == [""] * 4
    assert stop(machine) == ""


def test_a_store_that_captures_nothing_asks_for_nothing(machine: Machine) -> None:
    ask(machine, 1, **{"capture.enabled": "false"})
    assert use(machine, 2) == ["", ""]


def test_a_damaged_journal_stops_nothing(machine: Machine) -> None:
    ask(machine, 2)
    file = machine.root / "journal" / f"claude-{SESSION}.jsonl"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b'{"op":"ask","at":"x"\n\xff{"op":"ask"')
    assert [bool(text) for text in use(machine, 2)] == [False, True]


def test_asking_imports_little(machine: Machine) -> None:
    ask(machine, 1)
    for event in ("PostToolUse", "Stop"):
        names = modules_of(machine, event)
        ours = {name for name in names if name.startswith("recollect")}
        assert len(ours) <= 9
        assert names - ours <= {"gc", "binascii", *OF_OS}


def test_leaving_word_is_done_again_when_it_is_gone(machine: Machine) -> None:
    ask(machine, 1)
    (machine.cache() / "asking").unlink()
    app = App(str(machine.project), machine.env)
    keep_asking(app, app.store())
    app.close()
    assert use(machine, 1) != [""]
