"""What is said of a session by command and what capture sees become one memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import Person

from recollect.app import App
from recollect.features.sessions import StoredSession, add_remarks
from recollect.model.session import Remark, SessionState
from recollect.text.redact import redact

from .desk import Desk, sections
from .scripts import a_day, resumed
from .transcripts import SESSION


@pytest.fixture
def agent(desk: Desk) -> Person:
    """The agent of the session, who runs commands in the project."""
    env = {"CLAUDE_CODE_SESSION_ID": SESSION, "CLAUDECODE": "1"}
    return Person(desk.folder / "home", Path(desk.project), env)


def test_commands_and_capture_make_one_memory(desk: Desk, agent: Person) -> None:
    transcript = a_day()
    desk.capture(transcript, over=False)
    agent.ok("note", "The staging port is 3001")
    agent.ok("todo", "Paint the lid")
    agent.ok("todo", "--done", "1")
    agent.ok("add-decision", "Serve the tea hot", "people like it")
    desk.capture(resumed(transcript))

    memory = desk.memory()
    said = sections(memory)
    assert memory.session == SESSION
    assert "- The staging port is 3001" in said["Notes"]
    assert "- [x] Write the docs" in said["TODOs"]
    assert "- [ ] Paint the lid" in said["TODOs"]
    assert "Serve the tea hot: people like it" in said["Decisions"]
    assert "PostgreSQL" in said["Decisions"]
    assert "lid.py" in said["Files"]


def test_a_note_while_events_are_being_folded_is_in_the_memory(desk: Desk, agent: Person) -> None:
    """The worker has read the state, the note comes, the worker keeps its state."""
    desk.capture(a_day(), over=False)
    with desk.opened() as capture:
        state = capture.sessions.load("claude", SESSION)
        assert state
        agent.ok("note", "Said in between")
        capture.sessions.save(state)
        assert capture.finish(state).what == "created"
    assert "- Said in between" in desk.memory().body


def test_a_note_before_the_first_event_is_kept(desk: Desk, agent: Person) -> None:
    agent.ok("note", "Said first")
    desk.capture(a_day())
    assert "- Said first" in desk.memory().body


def test_a_note_after_the_end_brings_the_memory_up_to_date(desk: Desk, agent: Person) -> None:
    transcript = a_day()
    desk.capture(transcript)
    agent.ok("note", "Said afterwards")
    assert desk.capture(transcript)[0].what == "changed"
    assert "- Said afterwards" in desk.memory().body
    before = desk.tree()
    assert desk.capture(transcript)[0].what == "nothing"
    assert desk.tree() == before


def test_a_note_that_was_undone_goes_from_the_memory(desk: Desk, agent: Person) -> None:
    transcript = a_day()
    agent.ok("note", "Said in error")
    agent.ok("undo")
    desk.capture(transcript)
    assert "Said in error" not in desk.memory().body


def test_what_a_person_wrote_into_the_memory_stays_when_a_note_comes(
    desk: Desk, agent: Person
) -> None:
    transcript = a_day()
    desk.capture(transcript)
    file = next(desk.root.rglob("summary.md"))
    file.write_text(file.read_text().replace("## Files", "My own line.\n\n## Files"))
    agent.ok("note", "Said afterwards")
    desk.capture(transcript)
    body = desk.memory().body
    assert "My own line." in body
    assert "- Said afterwards" in body


def test_saving_reads_on_in_the_client_s_log(desk: Desk, agent: Person) -> None:
    transcript = a_day()
    desk.signal(transcript.session, "stop")
    transcript.save(desk.logs)
    saved = agent.ok("save-session", "--tags", "tea,pots", "--json").json
    assert saved["id"] == desk.memory().id
    assert desk.memory().tags == ("tea", "pots")
    assert "PostgreSQL" in desk.memory().body
    desk.capture(resumed(transcript))
    assert desk.memory().tags == ("tea", "pots")
    assert "lid.py" in desk.memory().body


def test_a_memory_that_was_forgotten_comes_back_only_when_it_is_asked_for(
    desk: Desk, agent: Person
) -> None:
    transcript = a_day()
    desk.capture(transcript)
    agent.ok("forget", desk.memory().id)
    desk.capture(resumed(transcript))
    assert desk.memories() == []
    assert agent.ok("save-session", "--json").json["what"] == "created"
    assert "lid.py" in desk.memory().body


NASTY = ["token:", "my password is", "--token", "see https://a", "curl -u", "<private>x", "-----BEGIN PRIVATE KEY-----\nabc", 'api_key="', "\\", "\ud83d", "\x00", "a\r\nb\u2028c"]  # fmt: skip


@pytest.mark.slow
def test_a_note_never_spoils_another(desk: Desk, agent: Person) -> None:
    """The ledger redacts the whole file once more; every field was redacted for itself before."""
    texts = [redact(f"{a} {b}.") for a in NASTY for b in NASTY]
    app = App(str(desk.project), desk.env)
    store = app.store()
    about = StoredSession(store, SessionState("s1", "terminal"))
    for start in range(0, len(texts), 12):
        remarks = [Remark("note", text, tags=(text,)) for text in texts[start : start + 12]]
        said = add_remarks(app, about, lambda _, new=remarks: new, cause="note", dry_run=False)  # type: ignore[misc]
    app.close()
    assert said.state.notes == [text.encode("utf-8", "replace").decode() for text in texts]
