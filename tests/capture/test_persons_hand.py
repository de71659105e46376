"""What a person wrote stays, what a person took away stays away."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.capture import added_turns, with_new_lines
from recollect.features import memories as writing
from recollect.model.footnotes import label_of

from .desk import Desk, sections
from .scripts import PORT_TAKEN, a_day, resumed
from .transcripts import Transcript


def file_of(desk: Desk) -> Path:
    """The file of the one memory that there is."""
    return desk.root / desk.memory().path


def edit(file: Path, *changes: tuple[str, str]) -> list[str]:
    """Change a file as a person does in an editor; gives its lines."""
    text = file.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)
    return text.splitlines()


# ------------------------------------------------------------------------------------- the memory


def test_a_memory_edited_by_hand_keeps_every_line_and_gets_the_new_ones(desk: Desk) -> None:
    transcript = a_day()
    desk.capture(transcript)
    lines = edit(
        file_of(desk),
        ("title: Build the teapot service", "title: My teapot"),
        ("- [technology] Use PostgreSQL: it has JSON", "- [technology] Use SQLite, after all"),
        ("## Files", "## My own thoughts\n\nTea first.\n\n## Files"),
    )

    desk.capture(resumed(transcript))

    text = file_of(desk).read_text()
    rest = iter(text.splitlines())
    assert all(line in rest for line in lines)  # every line, in its order
    assert "Never paint the lid red" in sections(desk.memory())["Patterns"]
    assert "- [technology] Use PostgreSQL" not in text
    assert text.count("# Build the teapot service") == 1


def test_a_line_that_a_person_took_out_stays_out(desk: Desk) -> None:
    transcript = a_day()
    desk.capture(transcript)
    edit(file_of(desk), ("- [ ] Write the docs\n", ""))

    desk.capture(resumed(transcript))

    assert "Write the docs" not in desk.memory().body
    assert "Never paint the lid red" in desk.memory().body


def test_a_to_do_is_ticked_where_it_stands_unless_a_person_changed_it(desk: Desk) -> None:
    transcript = a_day()
    steps = [{"content": text, "status": "pending"} for text in ("Boil water", "Write the docs")]
    transcript.call("TodoWrite", todos=steps)
    desk.capture(transcript)
    edit(file_of(desk), ("- [ ] Boil water", "- [ ] Boil the water, Bo"), ("## Files", "## Ours"))
    done = [{"content": text, "status": "completed"} for text in ("Boil water", "Write the docs")]
    transcript.call("TodoWrite", todos=done)

    desk.capture(resumed(transcript))

    lines = desk.memory().body.splitlines()
    assert "- [x] Write the docs" in lines
    assert "- [ ] Write the docs" not in lines
    assert "- [ ] Boil the water, Bo" in lines


def test_an_edited_memory_changes_by_no_byte_when_nothing_is_new(desk: Desk) -> None:
    transcript = a_day()
    desk.capture(transcript)
    edit(file_of(desk), ("## Files", "## Mine\n\nTea first.\r\n\n## Files"))
    desk.capture(resumed(transcript))
    before = desk.tree()

    desk.capture(transcript)
    for file in (desk.root / "sessions" / "active").iterdir():
        file.unlink()
    desk.capture(transcript)

    assert desk.tree()[desk.memory().path] == before[desk.memory().path]


@pytest.mark.parametrize("how", ["forget", "unlink"])
def test_a_memory_that_was_taken_away_does_not_come_back(how: str, desk: Desk) -> None:
    transcript = a_day()
    desk.capture(transcript)
    if how == "forget":
        with desk.opened() as capture:
            writing.forget(capture.store, desk.memory().id)
    else:
        file_of(desk).unlink()
        (file_of_folder := next(desk.root.rglob("conversation.md"))).unlink()
        assert file_of_folder

    desk.capture(transcript)
    desk.capture(resumed(transcript))
    desk.capture(transcript, over=False)
    desk.capture(transcript)

    assert desk.memories() == []
    assert not list(desk.root.rglob("conversation.md"))


@pytest.mark.parametrize(
    "place",
    [
        "episodic/tea/summary.md",
        "archive/episodic/2026-03-04-build-the-teapot-service/summary.md",
        "semantic/teapot.md",
        "episodic/teapot.md",
    ],
)
def test_a_memory_that_was_moved_is_brought_up_to_date_where_it_is(place: str, desk: Desk) -> None:
    transcript = a_day()
    desk.capture(transcript)
    old = file_of(desk)
    new = desk.root / place
    new.parent.mkdir(parents=True, exist_ok=True)
    old.rename(new)
    if place.endswith("/summary.md"):
        (old.parent / "conversation.md").rename(new.parent / "conversation.md")
        old.parent.rmdir()

    desk.capture(resumed(transcript))

    assert "Never paint the lid red" in new.read_text()
    assert not old.exists()
    files = {str(f.relative_to(desk.root)) for f in desk.root.rglob("*.md")}
    kept = "episodic/2026-03-04-build-the-teapot-service/conversation.md"
    log = place.replace("summary", "conversation") if "summary" in place else kept
    assert files == {place, log, "procedural/feedback.md"}
    assert "Now the lid." in (desk.root / log).read_text()


def test_a_memory_with_another_id_is_known_by_its_session(desk: Desk) -> None:
    transcript = a_day()
    desk.capture(transcript)
    edit(file_of(desk), ("kind: session", "id: my-teapot\nkind: session"))

    desk.capture(resumed(transcript))

    assert desk.memory().id == "my-teapot"
    assert "Never paint the lid red" in desk.memory().body


# ------------------------------------------------------------------------------- the conversation


def test_a_conversation_edited_by_hand_keeps_what_the_person_made_of_it(desk: Desk) -> None:
    transcript = a_day()
    desk.capture(transcript)
    log = next(desk.root.rglob("conversation.md"))
    edit(log, ("I start with the schema.", "(I took this out.)"))

    desk.capture(resumed(transcript))
    desk.capture(transcript)

    text = log.read_text()
    assert "(I took this out.)" in text
    assert "I start with the schema." not in text
    assert text.count("Now the lid.") == 1


def test_a_conversation_keeps_its_start_when_the_raw_copy_is_lost(desk: Desk) -> None:
    transcript = a_day()
    desk.capture(transcript)
    for file in (desk.root / "sessions" / "raw").iterdir():
        file.unlink()

    desk.capture(resumed(transcript))

    text = desk.conversation()
    assert text.count("Build the teapot service.") == 1
    assert text.count("Now the lid.") == 1


# --------------------------------------------------------------------------------- the solutions


def struggle(transcript: Transcript, fix: str = "PORT=0 npm test") -> Transcript:
    """A session in which something failed, and then worked in another way."""
    transcript.prompt("Please run all the tests of the teapot.")
    transcript.shell("npm test", PORT_TAKEN, code=1)
    transcript.shell(fix, "12 passing")
    transcript.answer("All tests pass.")
    return transcript


def test_a_solution_is_learned_once(desk: Desk) -> None:
    for session in ("one", "two", "three"):
        desk.capture(struggle(Transcript(session)))

    assert desk.feedback().count("## Solution: npm: listen EADDRINUSE") == 1
    assert "trigger: [EADDRINUSE]" in desk.feedback()
    (note,) = [one for one in desk.feedback().splitlines() if f"[^{label_of('two')}]:" in one]
    assert note.endswith("seen in the session, sure")


def test_a_newer_solution_takes_the_place_of_ours(desk: Desk) -> None:
    desk.capture(struggle(Transcript("one")))

    desk.capture(struggle(Transcript("two"), "PORT=4000 npm test"))

    assert desk.feedback().count("## Solution: npm: listen EADDRINUSE") == 1
    assert "PORT=4000" in desk.feedback()
    assert "PORT=0" not in desk.feedback()


def test_a_solution_that_a_person_worded_stays_theirs(desk: Desk) -> None:
    transcript = struggle(Transcript("one"))
    desk.capture(transcript)
    file = desk.root / "procedural" / "feedback.md"
    lines = edit(file, ("**Symptom:** ", "**Symptom:** (the dev server runs there; stop it) "))

    desk.capture(resumed(transcript), struggle(Transcript("two"), "PORT=4000 npm test"))

    assert file.read_text().splitlines() == lines


def test_a_solution_that_a_person_took_out_stays_out_of_that_session(desk: Desk) -> None:
    transcript = struggle(Transcript("one"))
    desk.capture(transcript)
    (desk.root / "procedural" / "feedback.md").unlink()

    desk.capture(resumed(transcript))

    assert "Solution" not in desk.feedback()


def test_the_rules_beside_a_solution_are_left_alone(desk: Desk) -> None:
    file = desk.root / "procedural" / "feedback.md"
    file.parent.mkdir()
    rules = "---\ntitle: Mine\n# a comment\nown-key: x\n---\n\n# Mine\n\n## Tabs\n\nNever.\n\n## solution: NPM: listen eaddrinuse address already in use\n\nMine.\n"
    file.write_text(rules)

    desk.capture(struggle(Transcript("one")))

    assert file.read_text() == rules


# ---------------------------------------------------------------------------------------- as laws

LINES = st.lists(st.sampled_from(["- a", "- b", "- c", "text", "- [ ] d", "", "x | y"]), max_size=5)
BODIES = st.dictionaries(st.sampled_from(["One", "Two", "三"]), LINES, max_size=3).map(
    lambda parts: "# T\n" + "".join(f"\n## {h}\n\n" + "\n".join(p) + "\n" for h, p in parts.items())
)


@given(theirs=BODIES, ours=BODIES, base=BODIES)
def test_no_line_of_a_person_is_lost_moved_or_changed(theirs: str, ours: str, base: str) -> None:
    merged = with_new_lines(theirs, ours, base)

    rest = iter([line for line in merged.splitlines() if line.strip()])
    assert all(line in rest for line in theirs.splitlines() if line.strip())
    have = {*theirs.splitlines(), *base.splitlines()}
    wanted = {line for line in ours.splitlines() if line and not line.startswith("#")} - have
    assert wanted <= set(merged.splitlines())
    assert with_new_lines(merged, ours, base) == merged


@given(
    turns=st.lists(st.text("ab\n#-> ", max_size=12), min_size=1, max_size=6),
    cut=st.integers(0, 6),
    edit_it=st.booleans(),
)
def test_only_later_turns_are_added_to_an_edited_conversation(
    turns: list[str], cut: int, edit_it: bool
) -> None:
    def log(some: list[str]) -> str:
        return "# L\n" + "".join(f"\n### User [{n:02}]\n\n{t}\n\n---\n" for n, t in enumerate(some))

    ours, base = log(turns), log(turns[:cut])
    theirs = base.replace("a", "ä") if edit_it else base

    added = added_turns(ours, theirs, base)

    assert theirs + added == theirs + ours[len(base) :]
