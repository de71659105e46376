"""Sessions whose memories are written together: whatever comes in between, each is there once."""

from __future__ import annotations

import errno
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from recollect.app import App
from recollect.features import capture as capturing
from recollect.features import lifecycle

from .desk import Desk
from .mortal import KILLED, NEVER, dying_at
from .scripts import a_day, resumed
from .transcripts import Transcript

WRITTEN_NOW = ("updated:", "created:", "last-accessed:")
ABOUT_THE_DISK = (b'   "inode"', b'   "offset"')  # lines have the names of folders in them


def name_of(n: int) -> str:
    return f"00000000-0000-4000-8000-{n:012}"


def capture_all(desk: Desk) -> capturing.CaptureReport:
    """Capture all that is in the folder of the client, as the command does."""
    app = App(str(desk.project), desk.env)
    try:
        return capturing.capture_paths(
            app, [str(desk.logs)], "claude", scope="", dry_run=False, progress=lambda done, of: None
        )
    finally:
        app.close()


def consolidate(desk: Desk) -> None:
    """Bring the store into order, as the next session does where a capture ended before it did."""
    app = App(str(desk.project), desk.env)
    try:
        lifecycle.consolidate(app, scope="", dry_run=False)
    finally:
        app.close()


def several(desk: Desk, count: int = 3) -> list[Transcript]:
    """Sessions that ended, two of one title, which teach something."""
    made = [a_day(name_of(1)), a_day(name_of(2)), *(twin(n) for n in range(3, count + 1))]
    for n, transcript in enumerate(made):
        path = here(desk, transcript).save(desk.logs)
        os.utime(path, (1_780_000_000 + n, 1_780_000_000 + n))
    return made


def here(desk: Desk, transcript: Transcript) -> Transcript:
    """A session that was in the project of the desk."""
    for line in transcript.lines:
        line["cwd"] = str(desk.project)
    return transcript


def twin(n: int) -> Transcript:
    transcript = Transcript(name_of(n))
    transcript.prompt("Paint the teapot. Never paint it red.")
    transcript.answer(f"It is number {n} and blue.")
    return transcript


def kept(desk: Desk) -> dict[str, bytes]:
    """What is kept, to the byte but for times of writing, places on this disk and views."""
    found = {}
    for folder in ("episodic", "procedural", "sessions"):
        for path in sorted(file for file in (desk.root / folder).rglob("*") if file.is_file()):
            lines = path.read_bytes().replace(str(desk.folder).encode(), b"").split(b"\n")
            if path.suffix == ".md":
                lines = [one for one in lines if not one.decode().startswith(WRITTEN_NOW)]
            lines = [one for one in lines if not one.startswith(ABOUT_THE_DISK)]
            found[str(path.relative_to(desk.root))] = b"\n".join(lines)
    return {name: data for name, data in found.items() if not Path(name).name.startswith(".")}


@pytest.mark.slow
@pytest.mark.parametrize("stride", [61, pytest.param(3, marks=pytest.mark.slow)])
def test_the_next_capture_ends_what_a_crash_cut_short(stride: int, tmp_path: Path) -> None:
    whole = Desk(tmp_path / "whole")
    several(whole)
    code, steps = dying_at(NEVER, lambda: capture_all(whole), whole.folder / "steps")
    assert code == 0
    assert len(whole.memories()) == 3

    for step in range(stride // 2, len(steps), stride):
        desk = Desk(tmp_path / f"at-{step}")
        several(desk)
        code, _ = dying_at(step, partial(capture_all, desk), desk.folder / "steps")
        assert code == KILLED
        for memory in desk.memories():
            assert memory.problem == ""
            assert (desk.root / memory.path).with_name("conversation.md").exists()
        capture_all(desk)
        consolidate(desk)
        assert kept(desk) == kept(whole), f"died before step {step}, {steps[step]}"


@pytest.mark.slow
def test_sessions_of_one_title_have_a_name_each(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    several(desk, count=capturing.MOST_TOGETHER + 2)
    done = capture_all(desk)
    assert done.created == capturing.MOST_TOGETHER + 2
    assert sorted(done.memories) == sorted(memory.id for memory in desk.memories())
    assert len({memory.session for memory in desk.memories()}) == done.created
    one_by_one = Desk(tmp_path / "alone")
    for transcript in several(one_by_one, count=capturing.MOST_TOGETHER + 2):
        one_by_one.capture(transcript)
    assert {m.session: m.id for m in one_by_one.memories()} == {
        m.session: m.id for m in desk.memories()
    }


def test_each_of_them_is_undone_by_itself(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    several(desk)
    capture_all(desk)
    with desk.opened() as capture:
        written = (op for op in capture.store.journal.ops() if op.cause == "capture")
        groups = {op.group for op in written if op.path.endswith("summary.md")}
        assert len(groups) == 3
        assert capture.store.index.differences() == []


def test_two_transcripts_of_one_session_are_one_memory(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    first, second = twin(1), resumed(twin(1))
    del second.lines[:2]
    for transcript, folder in ((first, desk.logs), (second, desk.logs / "elsewhere")):
        here(desk, transcript).save(folder)
    done = capture_all(desk)
    assert (done.created, done.changed) == (1, 1)
    assert "The lid fits." in desk.conversation()
    assert "number 1 and blue" in desk.conversation()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("call", ["fdatasync", "fsync", "link"])
def test_what_a_full_disk_refuses_is_named_and_taken_in_later(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, desk = Desk(tmp_path / "whole"), Desk(tmp_path / "full")
    several(whole)
    several(desk)
    capture_all(whole)

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as full:
        full.setattr(os, call, refuse)
        done = capture_all(desk)
    assert len(done.failed) == 3
    assert all("No space left on device" in why for _, why in done.failed)
    again = capture_all(desk)
    assert again.failed == []
    assert kept(desk) == kept(whole)
    assert capture_all(desk).nothing == 3


def test_a_person_who_edits_meanwhile_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(tmp_path)
    transcripts = several(desk)
    capture_all(desk)
    for transcript in transcripts:
        here(desk, resumed(transcript)).append(desk.logs)
    file = desk.root / desk.memories()[0].path
    real = os.fdatasync

    def edited(handle: int) -> None:
        real(handle)
        if "Mine" not in file.read_text() and "/journal/" in os.readlink(f"/proc/self/fd/{handle}"):
            file.write_text(file.read_text().replace("## Files", "## Mine\n\nTea.\n\n## Files"))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fdatasync", edited)
        done = capture_all(desk)
    assert (done.changed, done.failed) == (3, [])
    assert "Tea." in file.read_text()
    assert all("lid" in memory.body for memory in desk.memories())
