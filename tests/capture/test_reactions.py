"""What a person says of an answer, from the transcript to the confidence of the memory behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.app import App
from recollect.features import lifecycle
from recollect.model.document import memory_from_text
from recollect.store import locations

from .desk import Desk
from .transcripts import SESSION, Transcript

PORT = "semantic/the-port.md"


def desk_with(folder: Path, *items: str, lang: str = "en") -> Desk:
    """A store with two memories; they were handed over for the second prompt of the session."""
    desk = Desk(folder, lang)
    path = desk.root / PORT
    path.parent.mkdir(parents=True)
    for name in ("the-port", "the-host"):
        text = f"---\nid: {name}\n---\n# {name}\n\nThe port is 8080.\n"
        (path.parent / f"{name}.md").write_text(text)
    return desk


def inject(desk: Desk, monkeypatch: pytest.MonkeyPatch, time: str, *items: str) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(locations, "utc", lambda _: time)
        fields: dict[str, str | list[str] | int] = {
            "session": SESSION,
            "moment": "prompt",
            "items": list(items),
        }
        locations.record(str(desk.root), locations.writer_of("claude", SESSION), "inject", fields)


def confidence(desk: Desk, path: str = PORT) -> str:
    return memory_from_text((desk.root / path).read_text(), path).confidence


def consolidate(desk: Desk) -> int:
    """A pass over the store; gives how many files it changed."""
    app = App(str(desk.project), desk.env)
    try:
        found = lifecycle.consolidate_store(app, app.opened(str(desk.root), "project"))
        return len(found.steps)
    finally:
        app.close()


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("That's wrong, it moved.", "medium"),
        ("不对，已经换了。", "medium"),
        ("Perfect.", "high"),
        ("Actually, could you also check the host?", "high"),
    ],
)
def test_a_reaction_in_a_transcript_reaches_the_first_memory_of_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, then: str
) -> None:
    desk = desk_with(tmp_path)
    talk = Transcript()
    asked = talk.prompt("Which port does the teapot service listen on?")
    inject(desk, monkeypatch, asked["timestamp"][:19] + "Z", "the-port", "the-host")
    talk.answer("It listens on 8080.")
    reacted = talk.prompt(said)
    inject(desk, monkeypatch, reacted["timestamp"][:19] + "Z", "the-host")
    talk.answer("I see.")
    desk.capture(talk)
    consolidate(desk)
    assert confidence(desk) == then
    assert confidence(desk, "semantic/the-host.md") == "high"
    consolidate(desk)
    assert confidence(desk) == then


def test_a_transcript_that_is_read_again_corrects_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desk_with(tmp_path)
    talk = Transcript()
    asked = talk.prompt("Which port does the teapot service listen on?")
    inject(desk, monkeypatch, asked["timestamp"][:19] + "Z", "the-port")
    talk.answer("It listens on 8080.")
    talk.prompt("That's wrong.")
    desk.capture(talk, over=False)
    consolidate(desk)
    talk.answer("Let me look again.")
    desk.capture(talk)
    consolidate(desk)
    assert confidence(desk) == "medium"
