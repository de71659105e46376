"""Many processes that speak of sessions while the worker folds them: every word is there, once."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from tests.capture.transcripts import Transcript
from tests.services.project import SOURCE, Project

from recollect.store import locations
from recollect.store.background import mark_pending

from .test_many_at_once import finish


@pytest.fixture
def project(quick_folder: Path, tmp_path: Path) -> Project:
    project = Project(quick_folder / tmp_path.name)
    project.env["PYTHONPATH"] = f"{SOURCE}:{SOURCE.parent}"
    return project


def start(project: Project, session: str, *words: str) -> subprocess.Popen[str]:
    project.env["CLAUDE_CODE_SESSION_ID"] = session
    return project.start(*words)


def fold(project: Project, transcript: Transcript, *, over: bool) -> subprocess.Popen[str]:
    """Add to a transcript, tell of it as a hook does, and start the worker."""
    logs = project.home / ".claude" / "projects" / "-x"
    path = transcript.append(logs) if transcript.is_saved else transcript.save(logs)
    signal: dict[str, str | list[str] | int] = {
        "event": "session-end" if over else "stop",
        "session": transcript.session,
        "client": "claude",
        "transcript": str(path),
        "folder": str(project.folder),
    }
    root = str(project.root)
    locations.record(root, locations.writer_of("claude", transcript.session), "signal", signal)
    mark_pending(str(project.cache))
    return project.start("work", root)


def notes_of(project: Project, session: str) -> list[str]:
    notes: list[str] = project.answer("show-session", session)["notes"]
    return sorted(notes)


def speak_while_it_is_folded(project: Project, speakers: int) -> None:
    transcripts = [Transcript(f"{name}-session") for name in ("one", "two")]
    running = []
    for n in range(speakers):
        for transcript in transcripts:
            running.append(start(project, transcript.session, "note", f"{transcript.session} {n}"))
            transcript.prompt(f"Prompt {n} of {transcript.session}, which is long enough.")
            transcript.answer(f"Answer {n}.")
            running.append(fold(project, transcript, over=False))
    list(finish(running))
    for transcript in transcripts:
        wanted = sorted(f"{transcript.session} {n}" for n in range(speakers))
        assert notes_of(project, transcript.session) == wanted
        list(finish([fold(project, transcript, over=True)]))
    memories = [path.read_text() for path in project.root.rglob("summary.md")]
    assert len(memories) == 2
    for transcript in transcripts:
        (text,) = [text for text in memories if f"session: {transcript.session}" in text]
        said = [f"- {transcript.session} {n}\n" for n in range(speakers)]
        text = re.sub(r" <!-- .*? -->", "", text)  # a pass marks what it read
        assert [text.count(line) for line in said] == [1] * speakers
        state = (
            project.root
            / "sessions"
            / "active"
            / f"claude-{locations.writer_of('', transcript.session)[1:]}.json"
        )
        assert json.loads(state.read_text())["prompts"] == speakers


@pytest.mark.slow
def test_notes_while_the_worker_folds_the_same_sessions_are_never_lost(project: Project) -> None:
    speak_while_it_is_folded(project, 3)


@pytest.mark.slow
def test_many_notes_while_the_worker_folds_the_same_sessions_are_never_lost(
    project: Project,
) -> None:
    speak_while_it_is_folded(project, 12)
