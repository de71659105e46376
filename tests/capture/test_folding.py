"""What hooks left long ago is put together by the worker, and nothing else is."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from tests.cli.running import Person

from recollect import worker
from recollect.app import App
from recollect.capture import save_memory as save
from recollect.capture.save_memory import Draft
from recollect.features import memories as writing
from recollect.store import locations
from recollect.store.background import mark_pending
from recollect.store.history import forget_old_changes, undo
from recollect.store.store import OpenStore

from .desk import Desk
from .scripts import a_day
from .transcripts import START

DAY = 86_400
NOW = START.timestamp()


@pytest.fixture(autouse=True)
def at_home(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker takes its environment from its process."""
    monkeypatch.setenv("HOME", desk.env["HOME"])


def work(desk: Desk, monkeypatch: pytest.MonkeyPatch, days: float = 0.0) -> None:
    """Be the worker of this store so many days later."""
    monkeypatch.setattr(time, "time_ns", lambda: int((NOW + days * DAY) * 10**9))
    mark_pending(str(desk.cache))
    worker.work(str(desk.root))


def session(desk: Desk, name: str, days: float = 0.0) -> Path:
    """A session of that day, of which hooks told the worker, and told the agent something."""
    transcript = a_day(name)
    if not transcript.is_saved:
        transcript.save(desk.logs)
    desk.signal(name, "post-tool")
    desk.signal(name, "session-end")
    writer = locations.writer_of("claude", name)
    fields = {"session": name, "moment": "prompt", "items": ["ports"], "tokens": 7}
    locations.record(str(desk.root), writer, "inject", fields)  # type: ignore[arg-type]
    return rested(desk, name, days)


def rested(desk: Desk, name: str, days: float) -> Path:
    file = desk.root / "journal" / f"{locations.writer_of('claude', name)}.jsonl"
    os.utime(file, (NOW + days * DAY, NOW + days * DAY))
    return file


def opened(desk: Desk) -> tuple[App, OpenStore]:
    app = App(str(desk.project), desk.env)
    return app, app.opened(str(desk.root), "project")


def injections(desk: Desk) -> int:
    app, store = opened(desk)
    found = sum(1 for _ in store.journal.hot("inject"))
    app.close()
    return found


def test_the_files_of_sessions_that_rest_become_one(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = [session(desk, f"old-{n}") for n in range(3)]
    new = session(desk, "new", days=5)
    work(desk, monkeypatch, days=5)
    assert all(file.exists() for file in (*old, new))
    work(desk, monkeypatch, days=8)
    assert [file.exists() for file in (*old, new)] == [False, False, False, True]
    folded = list((desk.root / "journal").glob("folded-*.jsonl"))
    assert len(folded) == 1
    assert injections(desk) == 4


def test_it_is_done_once_a_day(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    work(desk, monkeypatch, days=8)
    file = session(desk, "one")
    work(desk, monkeypatch, days=8.01)
    assert file.exists()
    work(desk, monkeypatch, days=9)
    assert not file.exists()


def test_a_session_that_was_not_heard_is_not_folded(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ValueError("a transcript that cannot be read")

    file = session(desk, "one")
    with monkeypatch.context() as patched:
        patched.setattr("recollect.capture.capture.Capture.take_in", refuse)
        work(desk, patched, days=8)
    assert file.exists()
    work(desk, monkeypatch, days=8.1)
    assert len(desk.memories()) == 1
    work(desk, monkeypatch, days=9)
    assert not file.exists()


def test_a_session_that_goes_on_after_its_file_was_folded_is_heard(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(desk, "one")
    work(desk, monkeypatch, days=8)
    heard: list[str] = []
    monkeypatch.setattr(
        "recollect.capture.capture.Capture.take_in",
        lambda self, client, transcript, **keys: heard.append(transcript),
    )
    session(desk, "one", days=8)  # the new file is as long as the old one was
    work(desk, monkeypatch, days=8.1)
    desk.signal("one", "stop")
    work(desk, monkeypatch, days=8.2)
    work(desk, monkeypatch, days=8.3)
    assert len(heard) == 2


def test_undo_and_forgetting_old_changes_do_not_touch_what_hooks_left(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(desk, "one")
    work(desk, monkeypatch, days=8)
    app, store = opened(desk)
    save.save(store, Draft("One", "It is.", kind="fact"))
    for n in range(6):
        writing.edit(store, "one", body=f"It is {n}.")
    undo(store)
    assert forget_old_changes(store, 2) > 0
    undo(store)
    app.close()
    assert injections(desk) == 1
    work(desk, monkeypatch, days=9)
    assert injections(desk) == 1


def test_the_doctor_counts_them(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(3):
        session(desk, f"old-{n}")
    work(desk, monkeypatch, days=8)
    session(desk, "new", days=8)
    done = Person(Path(desk.env["HOME"]), desk.project, desk.env).run("doctor")
    assert "session files: 1, compacted: 1" in done.out


def test_a_clock_that_was_wrong_for_a_while_does_not_stop_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """400 days ahead, and back: sessions that said no end are swept, and old files are folded."""
    work(desk, monkeypatch, days=400)
    file = session(desk, "one")
    transcript = a_day("lost")
    transcript.save(desk.logs)
    desk.signal("lost", "stop")
    rested(desk, "lost", 0)
    work(desk, monkeypatch, days=1)
    assert {memory.session for memory in desk.memories()} == {"one", "lost"}
    work(desk, monkeypatch, days=8)
    assert not file.exists()
