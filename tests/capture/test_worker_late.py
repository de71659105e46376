"""Some clients write the last lines of a transcript when the hooks of its end have run already."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect import worker
from recollect.features import lifecycle
from recollect.store import locations

from .desk import Desk
from .scripts import a_day, resumed
from .test_worker import DAY_OF_THE_SESSION, ended, watched
from .transcripts import SESSION, Transcript

Paused = list[float]


@pytest.fixture(autouse=True)
def at_home(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with the tests of the worker; it has no daily work to do."""
    monkeypatch.setenv("HOME", desk.env["HOME"])
    monkeypatch.setattr(time, "time_ns", lambda: DAY_OF_THE_SESSION)
    monkeypatch.setattr(signal, "alarm", lambda _: 0)
    monkeypatch.setattr(lifecycle, "consolidate_if_due", lambda *_: False)


def run(desk: Desk, monkeypatch: pytest.MonkeyPatch, *meanwhile: Callable[[], object]) -> Paused:
    """Be the worker from start to end; in its pauses these things happen. Gives the pauses."""
    paused: Paused = []
    happens = iter(meanwhile)

    def sleep(seconds: float) -> None:
        assert desk.marks == set()  # nobody waits for what the worker waits for
        paused.append(seconds)
        next(happens, lambda: None)()

    monkeypatch.setattr(time, "sleep", sleep)
    worker.main(str(desk.root))
    log = Path(locations.cache_root(desk.env)) / "worker.log"
    assert not log.exists(), log.read_text()
    return paused


def test_lines_behind_the_end_are_in_the_memory(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript = ended(desk)
    taken = watched(monkeypatch)

    paused = run(desk, monkeypatch, lambda: resumed(transcript).append(desk.logs))

    assert "The lid fits." in desk.conversation()
    assert "lid.py" in desk.memory().body
    assert taken == [SESSION, SESSION]
    assert paused == list(worker.LATE_SECONDS)
    assert desk.state(SESSION)["status"] == "saved"


def test_a_line_of_which_half_was_there_is_in_the_memory(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript = a_day()
    path = Path(resumed(transcript).save(desk.logs))
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    desk.signal(SESSION, "session-end")

    run(desk, monkeypatch, lambda: path.write_bytes(whole))

    assert "The lid fits." in desk.conversation()


def test_a_transcript_that_is_made_behind_the_end_is_captured(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.signal(SESSION, "session-end")

    paused = run(desk, monkeypatch, lambda: a_day().save(desk.logs))

    assert desk.memory().session == SESSION
    assert paused == list(worker.LATE_SECONDS)


def test_a_transcript_that_never_comes_is_looked_for_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.signal("gone", "session-end")

    assert run(desk, monkeypatch) == [worker.LATE_SECONDS[0]]


def test_a_transcript_that_stays_as_it_is_is_read_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended(desk)
    taken = watched(monkeypatch)

    assert run(desk, monkeypatch) == [worker.LATE_SECONDS[0]]
    assert taken == [SESSION]


def test_a_transcript_that_goes_on_and_on_is_not_waited_for(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript = ended(desk)
    taken = watched(monkeypatch)

    def goes_on() -> None:
        resumed(transcript).append(desk.logs)

    paused = run(desk, monkeypatch, *[goes_on] * 9)

    assert paused == list(worker.LATE_SECONDS)
    assert taken == [SESSION] * 3
    assert desk.conversation().count("The lid fits.") == 2


def test_only_the_one_that_went_on_is_heard_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended(desk, "a")
    late: Transcript = ended(desk, "b")
    taken = watched(monkeypatch)

    run(desk, monkeypatch, lambda: resumed(late).append(desk.logs))

    assert taken == ["a", "b", "b"]
    assert len(desk.memories()) == 2


@pytest.mark.parametrize("event", ["stop", "session-start", "session-end of nothing"])
def test_nothing_is_waited_for_where_no_session_ended(
    event: str, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    if event.endswith("nothing"):
        desk.signal("unnamed", "session-end", transcript="")
    else:
        ended(desk, event=event)

    assert run(desk, monkeypatch) == []


def test_a_session_that_goes_on_meanwhile_is_not_ended_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript = ended(desk)

    def goes_on() -> None:
        resumed(transcript).append(desk.logs)
        desk.signal(SESSION, "session-start")
        os.unlink(desk.cache / "pending")  # its own worker is on the way

    run(desk, monkeypatch, goes_on)

    assert desk.state(SESSION)["status"] == "active"
    assert "The lid fits." not in desk.conversation()


def test_a_transcript_that_goes_away_meanwhile_is_no_trouble(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended(desk)
    path = desk.logs / f"{SESSION}.jsonl"

    run(desk, monkeypatch, path.unlink)

    assert desk.memory().session == SESSION
