"""A model reads a session that is over: with a yes, within a budget, and nothing is lost when it fails."""

from __future__ import annotations

import json
import os
import stat
import time
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Person

from recollect import worker
from recollect.app import App
from recollect.features import models
from recollect.features.models import ModelCall
from recollect.model.document import memory_from_text
from recollect.model.entries import entries_of
from recollect.ports import Question
from recollect.privacy.purge import MODEL_LOCK, MODEL_LOG
from recollect.store import disk, locations

from .desk import Desk
from .scripts import resumed
from .test_reactions import consolidate
from .transcripts import START, Transcript

PROGRAM = """#!/bin/sh
here=$(dirname "$0")
cat > "$here/read"
printf '%s\\n' "$@" > "$here/words"
env > "$here/env"
echo x >> "$here/count"
. "$here/does"
"""
DECIDED = "Orders are kept in PostgreSQL because we need JSONB."
FOUND = "The build failed because the `lock` file was stale; I removed it. The tests need a running database, so they start one in a container. Migrations run at start-up, one after the other, and each in a transaction of its own."


class Model:
    """A program in the place of Claude Code: what it does, and what it was given."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        path = folder / "claude"
        path.write_text(PROGRAM)
        path.chmod(0o755)
        self.does("exit 3")

    def does(self, script: str) -> None:
        (self.folder / "does").write_text(script)

    def answers(self, answer: object, **fields: Any) -> None:
        said = {"structured_output": answer, "usage": {"input_tokens": 900, "output_tokens": 80}}
        (self.folder / "out").write_text(json.dumps(said | fields))
        self.does('cat "$here/out"')

    def given(self, name: str) -> str:
        path = self.folder / name
        return path.read_text() if path.exists() else ""

    @property
    def count(self) -> int:
        return self.given("count").count("x")


def entry(statement: str, quote: str, kind: str = "decision", **fields: str) -> dict[str, str]:
    row = {"subject": "order store", "why": "", "replaces": ""}
    return row | {"statement": statement, "quote": quote, "kind": kind} | fields


def answer(*entries: dict[str, str]) -> dict[str, Any]:
    return {"title": "Order store on PostgreSQL", "summary": "The order store was chosen.",
            "entries": entries, "open": ["Migrate the old orders"]}  # fmt: skip


@pytest.fixture
def model(tmp_path: Path) -> Model:
    return Model(tmp_path / "bin")


@pytest.fixture(autouse=True)
def at_home(desk: Desk, model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker takes its environment from its process; the day is that of the session."""
    monkeypatch.setenv("HOME", desk.env["HOME"])
    monkeypatch.setenv("PATH", f"{model.folder}:/usr/bin:/bin")
    monkeypatch.setenv("RECOLLECT_TEST_MODEL", str(model.folder / "claude"))
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setattr(time, "time_ns", lambda: int(START.timestamp()) * 10**9)
    monkeypatch.setattr("signal.alarm", lambda _seconds: 0)


def choose(desk: Desk, **settings: object) -> None:
    """Set what the person has set for all projects."""
    home = Path(desk.env["HOME"]) / ".claude" / "memory"
    home.mkdir(parents=True, exist_ok=True)
    rows = {"model": "claude", **settings}
    lines = [f"{key} = {json.dumps(value)}\n" for key, value in rows.items()]
    (home / "config.toml").write_text(f"[capture]\n{''.join(lines)}")


def talk(
    desk: Desk, session: str = "5e55104e-0000-4000-8000-000000000001", first: str = ""
) -> None:
    """Capture a session in which something was decided."""
    transcript = Transcript(session)
    transcript.prompt(f"{first}Where should orders be kept? I think {DECIDED}")
    transcript.answer(FOUND)
    transcript.prompt("<private>my salary is 7</private> good, keep Postgres for all orders")
    transcript.answer("Done: orders are in PostgreSQL.")
    desk.capture(transcript)


def read(desk: Desk) -> int:
    log = Path(locations.cache_root(desk.env)) / "worker.log"
    log.unlink(missing_ok=True)
    done = worker.read_by_model(str(desk.root))
    assert not log.exists(), log.read_text()
    return done


def calls(desk: Desk) -> list[ModelCall]:
    return models.calls(App(str(desk.project), dict(os.environ)))


def texts(desk: Desk) -> str:
    files = (path for path in desk.root.rglob("*.md") if path.name != "conversation.md")
    return "\n".join(path.read_text() for path in files)


def test_without_the_setting_nothing_is_asked(desk: Desk, model: Model) -> None:
    talk(desk)
    assert (read(desk), model.count, calls(desk)) == (0, 0, [])


def test_a_project_cannot_have_its_sessions_sent(desk: Desk, model: Model) -> None:
    (desk.root / "config.toml").write_text('[capture]\nmodel = "claude"\nmodel_calls = 9000\n')
    talk(desk)
    assert (read(desk), model.count) == (0, 0)
    app = App(str(desk.project), dict(os.environ))
    assert "capture.model is set for all projects only" in "".join(app.setting_problems())


def test_a_project_can_keep_its_sessions_to_itself(desk: Desk, model: Model) -> None:
    choose(desk)
    (desk.root / "config.toml").write_text('[capture]\nmodel = ""\n')
    talk(desk)
    assert (read(desk), model.count) == (0, 0)


def test_a_session_is_read_once_and_what_it_says_is_remembered(desk: Desk, model: Model) -> None:
    choose(desk)
    talk(desk)
    own = entry("Orders are kept in PostgreSQL", DECIDED[:30], why="JSONB is needed")
    found = entry("The build failed because of a stale lock file", "failed because the lock file was stale", "fact")  # fmt: skip
    model.answers(answer(own, found, entry("Orders are in MongoDB", "orders are kept in MongoDB")))
    assert read(desk) == 1

    memory = desk.memory()
    assert memory.title == "Order store on PostgreSQL"
    assert "The order store was chosen." in memory.body
    assert "- [ ] Migrate the old orders" in memory.body
    (page,) = desk.root.glob("semantic/*.md")
    rows = {
        row.text: row.trust for row in entries_of(memory_from_text(page.read_text(), str(page)))
    }
    assert rows == {
        "Orders are kept in PostgreSQL, because JSONB is needed": "user",
        "The build failed because of a stale lock file": "agent",
    }
    assert "MongoDB" not in texts(desk)

    (call,) = calls(desk)
    assert (call.outcome, call.entries, call.dropped) == ("answered", 2, ("quote",))
    assert (call.tokens_in, call.tokens_out) == (900, 80)
    assert "PERSON: Where should orders be kept?" in call.sent
    assert "salary" not in model.given("read") + model.given("words") + call.sent
    log = Path(locations.cache_root(desk.env)) / MODEL_LOG
    assert stat.S_IMODE(log.stat().st_mode) == 0o600

    assert (read(desk), model.count) == (0, 1)


def test_what_a_model_sums_up_is_filed_nowhere_as_a_statement(desk: Desk, model: Model) -> None:
    choose(desk)
    talk(desk)
    model.answers(answer())
    read(desk)
    consolidate(desk)
    assert "The order store was chosen." in texts(desk)
    pages = [*desk.root.glob("semantic/**/*.md"), *desk.root.glob("procedural/**/*.md")]
    assert not [page for page in pages if "order store" in page.read_text()]


def test_the_program_has_no_tools_hooks_or_session_and_is_of_no_session(
    desk: Desk, model: Model
) -> None:
    choose(desk, model="claude:sonnet")
    talk(desk)
    model.answers(answer())
    read(desk)
    words = model.given("words").splitlines()
    for option, value in (("--tools", ""), ("--setting-sources", ""), ("--model", "sonnet")):
        assert words[words.index(option) + 1] == value
    assert {"--no-session-persistence", "--strict-mcp-config"} <= {*words}
    assert '"disableAllHooks": true' in words[words.index("--settings") + 1]
    env = model.given("env").splitlines()
    assert "RECOLLECT_DISABLE=1" in env
    assert not any(line.startswith("CLAUDECODE=") for line in env)


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("echo 'Error: rate limited (429)' >&2; exit 1", ("failed", "429")),
        ('echo \'{"is_error": true, "result": "API Error: 500"}\'', ("failed", "500")),
        ("echo nothing like JSON", ("failed", "its answer cannot be read")),
        ("exit 0", ("failed", "its answer cannot be read")),
        ("yes | head -c 30000000", ("failed", "its answer cannot be read")),
        ("sleep 30 & sleep 30", ("failed", "longer than 1 s")),
        ('echo \'{"result": "I would rather not."}\'', ("no-answer", "no JSON object")),
        ('echo \'{"structured_output": {"entries": 7}}\'', ("no-answer", "no title")),
    ],
    ids=["429", "500", "garbage", "empty", "flood", "time-out", "refusal", "schema"],
)
@pytest.mark.sampled(2)
def test_whatever_fails_leaves_what_is_there_without_it(
    desk: Desk, model: Model, monkeypatch: pytest.MonkeyPatch, does: str, said: tuple[str, str]
) -> None:
    choose(desk)
    talk(desk)
    seconds = 1.0 if "longer than" in said[1] else 20.0
    monkeypatch.setattr(models, "SECONDS", seconds)
    before = desk.tree()
    model.does(does)
    started = time.monotonic()
    read(desk)
    assert time.monotonic() - started < seconds + 5
    (call,) = calls(desk)
    assert (call.outcome, said[1] in call.reason) == (said[0], True), call.reason
    states = {name for name in before if name.startswith("sessions/")}
    after = desk.tree()
    assert {n: t for n, t in after.items() if n not in states} == {
        n: t for n, t in before.items() if n not in states
    }
    # A failure is tried again, three times in all; an answer that is none is not.
    for _ in range(4):
        read(desk)
    assert model.count == (3 if said[0] == "failed" else 1)


def test_a_program_that_is_not_there_is_no_failure_of_the_worker(desk: Desk, model: Model) -> None:
    choose(desk, model="codex")
    talk(desk)
    read(desk)
    (call,) = calls(desk)
    assert (call.outcome, call.reason, model.count) == ("failed", "it is not installed", 0)


@pytest.mark.parametrize("limit", [{"model_calls": 1}, {"model_tokens": 3_000}])
def test_the_budget_of_a_day_ends_it(desk: Desk, model: Model, limit: dict[str, int]) -> None:
    choose(desk, **limit)
    talk(desk)
    talk(desk, "5e55104e-0000-4000-8000-000000000002", "Once more. ")
    model.answers(answer(), usage={"input_tokens": 1_500, "output_tokens": 100})
    read(desk)
    assert model.count == 1
    assert [call.outcome for call in calls(desk)] == ["over-budget", "answered"]
    read(desk)
    assert model.count == 1


def test_a_projects_own_budget_is_for_it_alone(desk: Desk, model: Model) -> None:
    choose(desk, model_calls=5)
    (desk.root / "config.toml").write_text("[capture]\nmodel_calls = 0\n")
    talk(desk)
    read(desk)
    assert (model.count, calls(desk)[0].outcome) == (0, "over-budget")


def test_a_memory_that_a_person_took_away_stays_away(desk: Desk, model: Model) -> None:
    choose(desk)
    talk(desk)
    (page,) = desk.root.rglob("summary.md")
    page.unlink()
    model.answers(answer())
    read(desk)
    assert desk.memories() == []


def test_a_session_of_a_program_is_not_sent(desk: Desk, model: Model) -> None:
    choose(desk)
    transcript = Transcript()
    transcript.prompt(f"Check the release. {DECIDED}", "sdk")
    transcript.answer("The release is complete. " + "The checks ran one after the other. " * 20)
    desk.capture(transcript)
    model.answers(answer())
    assert (read(desk), model.count) == (0, 0)


def test_a_session_that_ended_more_than_a_week_ago_is_not_sent(
    desk: Desk, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(desk)
    talk(desk)
    model.answers(answer())
    now = int(START.timestamp())
    monkeypatch.setattr(time, "time_ns", lambda: (now + 8 * 86_400) * 10**9)
    assert (read(desk), model.count) == (0, 0)
    monkeypatch.setattr(time, "time_ns", lambda: (now + 6 * 86_400) * 10**9)
    assert (read(desk), model.count) == (1, 1)


def test_a_session_that_is_resumed_is_read_again(desk: Desk, model: Model) -> None:
    choose(desk)
    transcript = Transcript()
    transcript.prompt("Where should orders be kept? I think " + DECIDED)
    transcript.answer(FOUND)
    desk.capture(transcript)
    model.answers(answer())
    assert (read(desk), read(desk), model.count) == (1, 0, 1)
    desk.capture(resumed(transcript))
    assert (read(desk), model.count) == (1, 2)


@pytest.mark.parametrize("is_left_out", [True, False])
def test_personal_data_is_sent_only_if_it_is_stored(
    desk: Desk, model: Model, is_left_out: bool
) -> None:
    choose(desk)
    config = Path(desk.env["HOME"]) / ".claude/memory/config.toml"
    with config.open("a") as file:
        file.write(f"[privacy]\npersonal = {json.dumps(is_left_out)}\n")
    transcript = Transcript()
    transcript.prompt(f"Mail ada.quill@kettle-works.dev when it is done. {DECIDED}")
    transcript.answer(FOUND)
    desk.capture(transcript)
    model.answers(answer())
    read(desk)
    (call,) = calls(desk)
    assert DECIDED in call.sent
    assert ("ada.quill" in call.sent + model.given("read")) is not is_left_out


def test_what_is_encrypted_is_not_sent(desk: Desk, model: Model) -> None:
    choose(desk)
    talk(desk)
    (desk.root / "config.toml").write_text("[encryption]\nepisodic = true\n")
    assert (read(desk), model.count) == (0, 0)


def test_the_log_keeps_the_last_calls(desk: Desk) -> None:
    app = App(str(desk.project), dict(os.environ))
    for n in range(60):
        models.log_call(app, ModelCall("2026-01-01T00:00:00Z", "claude", str(desk.project), str(n), "failed"))  # fmt: skip
    assert [call.session for call in calls(desk)] == [str(n) for n in range(59, 9, -1)]


def test_no_secret_of_a_model_reaches_the_log_or_a_page(desk: Desk, model: Model) -> None:
    choose(desk)
    talk(desk)
    secret = f"ghp_{'a1B2c3D4e5' * 4}"[:40]
    model.answers({**answer(), "summary": f"The token is {secret}."})
    read(desk)
    (call,) = calls(desk)
    assert "The token is [redacted:" in call.answer
    assert "The token is [redacted:" in texts(desk)
    for path in (Path(locations.cache_root(desk.env)) / MODEL_LOG, *desk.root.rglob("*.*")):
        assert path.is_dir() or secret.encode() not in path.read_bytes(), path


def purge(desk: Desk) -> None:
    """What the person does in a terminal of their own."""
    person = Person(Path(desk.env["HOME"]), desk.project, {"CLAUDECODE": ""})
    person.ok("forget", desk.memory().id, "--purge", "--yes")


def test_what_a_model_was_sent_of_a_session_is_purged_with_it(desk: Desk, model: Model) -> None:
    choose(desk)
    talk(desk)
    other = "5e55104e-0000-4000-8000-000000000002"
    app = App(str(desk.project), dict(os.environ))
    models.log_call(app, ModelCall("2026-01-01T00:00:00Z", "claude", str(desk.project), other, "answered", sent="PERSON: Which kettle?", answer="{}"))  # fmt: skip
    read(desk)
    assert "orders" in calls(desk)[0].sent
    purge(desk)
    found, kept = calls(desk)
    assert (found.outcome, found.sent, found.answer) == ("failed", "", "")
    assert kept.sent == "PERSON: Which kettle?"
    left = [name for name, data in desk.everything() if b"Where should orders be" in data]
    assert left == [str(model.folder / "read")]  # what the made-up program got


def test_what_is_purged_while_a_model_reads_it_is_written_nowhere(
    desk: Desk, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(desk)
    talk(desk)
    model.answers(answer(entry("Orders are kept in PostgreSQL", "keep Postgres for all orders")))
    asked = models.ask

    def ask(*about: Any, **named: Any) -> ModelCall:
        called = asked(*about, **named)
        purge(desk)
        return called

    monkeypatch.setattr(models, "ask", ask)
    read(desk)
    (call,) = calls(desk)
    assert (call.sent, call.answer) == ("", "")
    assert "PostgreSQL" not in texts(desk)


def test_half_a_character_of_a_model_costs_no_answer(desk: Desk, model: Model) -> None:
    choose(desk)
    talk(desk)
    model.answers({**answer(), "summary": "Orders are kept \ud83d in a \ud83c\udf88."})
    assert (read(desk), len(calls(desk))) == (1, 1)
    assert "Orders are kept ? in a 🎈." in texts(desk)


def test_one_question_at_a_time_is_asked_on_a_machine(
    desk: Desk, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(desk)
    talk(desk)
    model.answers(answer())
    monkeypatch.setattr(models, "LOCK_SECONDS", 0.1)
    handle = disk.take_lock(f"{locations.cache_root(desk.env)}/{MODEL_LOCK}", wait_seconds=5)
    assert handle is not None
    app = App(str(desk.project), dict(os.environ))
    asker = models.Asker(app, app.store(), lambda: pytest.fail("asked beside another question"))
    called = models.ask(asker, Question("a", "b", "c"))
    os.close(handle)
    assert (called.outcome, called.reason) == ("failed", "another question was still open")
    assert (read(desk), model.count) == (1, 1)
