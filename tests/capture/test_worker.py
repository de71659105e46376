"""The worker: one for a store, gone when it is done, with nothing lost on the way."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recollect import worker
from recollect.app import App
from recollect.capture.capture import Capture, Captured
from recollect.store import locations
from recollect.store.background import mark_pending

from .desk import Desk
from .scripts import a_day
from .transcripts import SESSION, START, Transcript

HOUR_NS = 3_600_000_000_000
DAY_OF_THE_SESSION = int(START.timestamp()) * 1_000_000_000


@pytest.fixture(autouse=True)
def at_home(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker takes its environment from its process, and its clock stands at the session's day."""
    monkeypatch.setenv("HOME", desk.env["HOME"])
    monkeypatch.setattr(time, "time_ns", lambda: DAY_OF_THE_SESSION)


def work(desk: Desk) -> int:
    """Be the worker of this store."""
    return worker.work(str(desk.root))


def ended(desk: Desk, session: str = SESSION, event: str = "session-end") -> Transcript:
    """A session on disk that its hooks have told of."""
    transcript = a_day(session)
    transcript.save(desk.logs)
    desk.signal(transcript.session, event)
    return transcript


# ---------------------------------------------------------------------------- what it does


def test_what_a_session_s_end_asked_for_is_done(desk: Desk) -> None:
    ended(desk)

    assert work(desk) == 1
    assert desk.memory().session == SESSION
    assert desk.marks == set()
    assert (desk.cache / "brief").exists()
    assert (desk.root / "MEMORY.md").exists()


def test_an_end_that_names_no_transcript_ends_what_was_named_before(desk: Desk) -> None:
    desk.signal(SESSION, "stop")
    work(desk)  # the client has not written the transcript yet
    assert desk.memories() == []
    a_day(SESSION).save(desk.logs)
    desk.signal(SESSION, "session-end", transcript="")

    work(desk)
    assert desk.memory().session == SESSION


def test_nothing_is_done_when_nobody_asked(desk: Desk) -> None:
    ended(desk)
    (desk.cache / "pending").unlink()

    assert work(desk) == 0
    assert desk.memories() == []


def test_a_turn_s_end_makes_a_state_and_no_memory(desk: Desk) -> None:
    ended(desk, event="stop")

    work(desk)

    assert desk.state(SESSION)["task"] == "Build the teapot service"
    assert desk.memories() == []


@pytest.mark.parametrize(
    ("events", "over"),
    [
        (["session-start", "stop", "session-end"], True),
        (["session-end", "post-tool"], True),
        (["session-end", "subagent-stop", "stop"], True),
        (["session-end", "session-start"], False),
        (["session-end", "session-start", "stop"], False),
        (["session-end", "session-start", "session-end"], True),
        (["stop"], False),
    ],
)
def test_a_session_is_over_when_it_ended_and_did_not_start_again(
    events: list[str], over: bool, desk: Desk
) -> None:
    transcript = a_day()
    transcript.save(desk.logs)
    for event in events:
        desk.signal(transcript.session, event)

    work(desk)

    assert len(desk.memories()) == over


def test_signals_are_taken_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = watched(monkeypatch)
    transcript = ended(desk)
    work(desk)
    mark_pending(str(desk.cache))
    work(desk)
    assert taken == [SESSION]

    desk.signal(transcript.session, "stop")
    work(desk)
    assert taken == [SESSION, SESSION]


def watched(
    monkeypatch: pytest.MonkeyPatch, fails: Callable[[str], bool] = lambda _: False
) -> list[str]:
    """The sessions that are captured, in order; some fail."""
    taken: list[str] = []
    real = Capture.take_in

    def take_in(self: Capture, client: str, transcript: str, **keys: Any) -> Captured:
        taken.append(Path(transcript).stem)
        if fails(transcript):
            raise RuntimeError(f"cannot read {transcript}")
        return real(self, client, transcript, **keys)

    monkeypatch.setattr(Capture, "take_in", take_in)
    return taken


def test_one_bad_transcript_does_not_stop_the_others(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for session in ("a", "bad", "c"):
        ended(desk, session)
    with pytest.MonkeyPatch.context() as patch:
        watched(patch, lambda path: Path(path).stem == "bad")
        work(desk)

    assert {memory.session for memory in desk.memories()} == {"a", "c"}
    log = (Path(locations.cache_root(desk.env)) / "worker.log").read_text()
    assert "RuntimeError" in log
    assert "bad.jsonl" in log

    taken = watched(monkeypatch)
    mark_pending(str(desk.cache))
    work(desk)
    assert taken == ["bad"]  # it is tried again, the others are not
    assert len(desk.memories()) == 3


def test_a_session_resumed_in_another_folder_is_found(desk: Desk) -> None:
    transcript = a_day()
    transcript.save(desk.logs)
    elsewhere = desk.logs.parent / "-home-elsewhere" / f"{SESSION}.jsonl"
    desk.signal(transcript.session, "session-end", transcript=str(elsewhere))

    work(desk)

    assert desk.memory().session == SESSION
    assert list(desk.state(SESSION)["sources"]) == [str(desk.logs / f"{SESSION}.jsonl")]


def test_a_transcript_that_is_gone_or_no_transcript_is_no_trouble(desk: Desk) -> None:
    ended(desk, "good")
    for name in ("gone.jsonl", "agent-1.jsonl", ""):
        desk.signal(f"s{len(name)}", "session-end", transcript=name and f"/x/{name}")
    desk.signal("other", "session-end", client="of-tomorrow")

    work(desk)

    assert [memory.session for memory in desk.memories()] == ["good"]
    assert not (Path(locations.cache_root(desk.env)) / "worker.log").exists()


def test_a_store_that_captures_nothing_still_makes_briefs(desk: Desk) -> None:
    everywhere = desk.folder / "home" / ".claude" / "memory"
    (everywhere / "core").mkdir(parents=True)
    (everywhere / "config.toml").write_text("[capture]\nenabled = false\n")
    (everywhere / "core" / "me.md").write_text("Ada drinks tea.\n")
    desk.root = everywhere
    a_day().save(desk.logs)
    desk.signal(SESSION, "session-end")

    work(desk)

    assert desk.memories() == []
    assert not (desk.root / "sessions").exists()
    assert "Ada drinks tea." in (desk.cache / "brief").read_text()


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "change",
    [
        lambda desk: desk.signal(SESSION, "stop"),  # nothing new
        lambda desk: _put(_everywhere(desk) / "core" / "me.md", "Ada drinks coffee.\n"),
        lambda desk: _put(desk.root / "semantic" / "deep" / "er" / "new.md", "# New\n"),
        lambda desk: _put(desk.root / "config.toml", 'lang = "zh"\n'),
        lambda desk: _put(_everywhere(desk) / "semantic" / "deep" / "er" / "all.md", "# All\n"),
        lambda desk: os.utime(
            _everywhere(desk) / "core" / "me.md", (1, 1)
        ),  # its look is in the brief
        lambda desk: os.truncate(desk.cache / "brief", 900),  # a power cut
        lambda desk: os.truncate(  # the same, behind a line
            desk.cache / "brief", (desk.cache / "brief").read_bytes().index(b"\n", 250) + 1
        ),
        lambda desk: (desk.cache / "brief").unlink(),
    ],
    ids="nothing core deep settings global touched torn torn-line gone".split(),
)
def test_a_brief_is_made_again_where_it_would_be_another(
    change: Callable[[Desk], object], desk: Desk, request: pytest.FixtureRequest
) -> None:
    _put(_everywhere(desk) / "core" / "me.md", "Ada drinks tea.\n" + "She says so.\n" * 60)
    desk.signal(SESSION, "stop")
    work(desk)
    before = (desk.cache / "brief").read_bytes()
    assert b"Ada drinks tea." in before

    change(desk)
    desk.signal(SESSION, "stop")
    work(desk)

    is_kept = (desk.cache / "brief").read_bytes() == before  # its nonce is a new one each time
    assert is_kept == ("[nothing]" in request.node.name)


def _everywhere(desk: Desk) -> Path:
    return desk.folder / "home" / ".claude" / "memory"


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_store_that_was_taken_away_is_not_made_again(desk: Desk) -> None:
    ended(desk)
    desk.root.rename(desk.root.with_name("elsewhere"))

    work(desk)

    assert not desk.root.exists()
    assert desk.marks == set()


def test_what_goes_wrong_altogether_is_in_the_log(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended(desk)
    monkeypatch.setattr(App, "publish", lambda *_: 1 / 0)
    monkeypatch.setattr(signal, "alarm", lambda _: 0)

    worker.main(str(desk.root))

    log = (Path(locations.cache_root(desk.env)) / "worker.log").read_text()
    assert "ZeroDivisionError" in log
    assert desk.marks == set()


# ---------------------------------------------------------------------- sessions that never ended


@pytest.mark.parametrize(("hours", "memories"), [(1, 0), (5, 0), (7, 1), (1000, 1)])
def test_a_session_that_fell_silent_becomes_a_memory_after_six_hours(
    hours: int, memories: int, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended(desk, event="stop")
    work(desk)

    monkeypatch.setattr(time, "time_ns", lambda: DAY_OF_THE_SESSION + hours * HOUR_NS)
    other = ended(desk, "other", "stop")
    (desk.logs / f"{other.session}.jsonl").unlink()
    work(desk)

    assert len(desk.memories()) == memories


def test_a_silent_session_becomes_a_memory_when_its_transcript_is_gone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended(desk, event="stop")
    work(desk)
    (desk.logs / f"{SESSION}.jsonl").unlink()

    monkeypatch.setattr(time, "time_ns", lambda: DAY_OF_THE_SESSION + 7 * HOUR_NS)
    mark_pending(str(desk.cache))
    work(desk)

    assert desk.memory().title == "Build the teapot service"


def test_one_bad_silent_session_does_not_stop_the_others(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for session in ("a", "bad", "c"):
        ended(desk, session, "stop")
    work(desk)

    monkeypatch.setattr(time, "time_ns", lambda: DAY_OF_THE_SESSION + 7 * HOUR_NS)
    watched(monkeypatch, lambda path: Path(path).stem == "bad")
    mark_pending(str(desk.cache))
    work(desk)

    assert {memory.session for memory in desk.memories()} == {"a", "c"}
