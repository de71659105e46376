"""What stands between `<private>` and `</private>` is on no disk, whoever said it and however."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.capture.desk import Desk
from tests.capture.transcripts import Transcript
from tests.cli.running import Person

from recollect.model.layers import SHARED
from recollect.text.redact import PRIVATE_MARK, strip_private, strip_private_in_part

from .ways import WAYS, bytes_kept

HIDDEN = "kangaroo"
FORMS = {
    "plain": "<private>{}</private>",
    "nested": "<private>a <private>b</private> {}</private>",
    "unclosed": "<private>{}",
    "upper case": "<PRIVATE>{}</Private>",
    "with attributes": '<private reason="x > y" level=2>{}</private>',
    "with blanks": "< private >{}< / private >",
    "in code": "```\n<private>{}</private>\n```",
    "as HTML": "&lt;private&gt;{}&lt;/private&gt;",
    "as numbers": "&#60;private&#62;{}&#x3c;/private&#x3e;",
    "as JSON": "\\u003cprivate\\u003e{}\\u003c/private\\u003e",
    "as other JSON": "<private>{}<\\/private>",
    "as an address": "%3Cprivate%3E{}%3C%2Fprivate%3E",
    "with full width": "＜private＞{}＜/private＞",
    "over lines": "<private>\n\n# {}\n\n- x\n</private>",
}


def _kept(person: Person, word: str) -> list[str]:
    return [name for name, data in bytes_kept(person) if word.encode() in data.lower()]


@pytest.mark.parametrize("form", ["plain", "unclosed", "nested"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.sampled(4)
def test_a_private_part_is_in_no_file_whichever_way_it_came(
    way: str, form: str, person: Person
) -> None:
    WAYS[way](person, FORMS[form].replace("{}", HIDDEN))
    assert _kept(person, HIDDEN) == []
    assert _kept(person, "tea") or _kept(person, "kettle") or way == "core"  # it came in at all


@pytest.mark.sampled(4)
@pytest.mark.parametrize("form", FORMS)
def test_a_private_part_is_in_no_file_in_whichever_form(form: str, person: Person) -> None:
    text = FORMS[form].replace("{}", HIDDEN)
    for way in ("save from stdin", "transcript"):
        WAYS[way](person, f"before {text}")
    assert _kept(person, HIDDEN) == []


@pytest.mark.parametrize(
    "words",
    [
        ("edit", "tea", "--title", "Tea <private>x"),
        ("set", "tea", "title=Tea <private>x", "tags=a,<private>x"),
        ("edit", "tea#pot", "--append", "It is <private>x"),
        ("edit", "tea#pot", "--title", "Pot <private>x"),
    ],
    ids=" ".join,
)
def test_what_is_left_open_takes_nothing_along_that_stands_behind_it(
    words: tuple[str, ...], person: Person
) -> None:
    file = person.write(
        "semantic/tea.md", "---\nid: tea\ntitle: Tea\n---\n## Pot\n\nBlue.\n\n## Cup\n\nRed.\n"
    )
    person.ok(*words)
    text = file.read_text("utf-8")
    assert "[private]" in text
    assert text.startswith("---\nid: tea\n")
    assert text.endswith("\n\n## Cup\n\nRed.\n")


# --------------------------------------------------------------------------- over several events


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def _prompts(log: Transcript, parts: list[str]) -> None:
    for part in parts:
        log.prompt(part)
        log.answer("Understood, the lid is next.")


def _queued(log: Transcript, parts: list[str]) -> None:
    for part in parts:
        log.queued(part)


def _answers(log: Transcript, parts: list[str]) -> None:
    for part in parts:
        log.answer(part)
        log.shell("fill teapot", "full")


def _results(log: Transcript, parts: list[str]) -> None:
    for part in parts:
        log.shell("fill teapot", f"Error: {part}", code=1)


SPLIT = {
    "in two": [f"One <private>{HIDDEN} a", f"{HIDDEN} b</private> The spout is red."],
    "in three": [f"One <private>{HIDDEN}", f"the {HIDDEN} c", f"{HIDDEN}</private> The spout is red."],
    "nested": [f"One <private><private>{HIDDEN}</private>", f"{HIDDEN}</private> The spout is red."],
    "the start was cut off": [f"One {HIDDEN} b</private> The spout is red."],
}  # fmt: skip


@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "line by line"])
@pytest.mark.parametrize("split", SPLIT)
@pytest.mark.parametrize("said", [_prompts, _queued, _answers, _results])
@pytest.mark.sampled(4)
def test_a_private_part_that_is_split_over_events_is_in_no_file(
    said: Callable[[Transcript, list[str]], None], split: str, at_once: bool, desk: Desk
) -> None:
    log = Transcript()
    log.prompt("Please set up the teapot for the afternoon.")
    said(log, SPLIT[split])
    log.prompt("And now the kettle, please.")
    log.answer("It is on.")
    if not at_once:
        path = desk.logs / f"{log.session}.jsonl"
        path.parent.mkdir(parents=True)
        ends = [n + 1 for n, byte in enumerate(log.data) if byte == 10]
        for end in ends:
            path.write_bytes(log.data[:end])
            with desk.opened() as capture:
                capture.take_in("claude", str(path), over=end == ends[-1])
    else:
        desk.capture(log)
    assert [name for name, data in desk.everything() if HIDDEN.encode() in data] == []
    if said is not _results:  # of which nothing is told unless it taught something
        assert "The spout is red." in desk.conversation()
    assert "And now the kettle" in desk.conversation()


def test_a_tag_that_is_only_spoken_of_hides_nothing_that_comes_later(desk: Desk) -> None:
    log = Transcript()
    log.prompt("Please explain how to keep something out of the notes.")
    log.answer("Put `<private>` before it.")
    log.answer("It is closed like HTML.")
    log.prompt("And in code, is `<private>` read there?")
    log.prompt("Then use the blue teapot.")
    log.answer("The teapot is blue now.")
    desk.capture(log)
    for kept in ("closed like HTML", "use the blue teapot", "blue now"):
        assert kept in desk.conversation()


def test_what_an_agent_left_open_ends_when_the_person_speaks(desk: Desk) -> None:
    log = Transcript()
    log.prompt("Please set up the teapot for the afternoon.")
    log.answer(f"<private>{HIDDEN}")
    log.prompt("And now the kettle, please.")
    log.answer("It is on.")
    desk.capture(log)
    assert "And now the kettle" in desk.conversation()
    assert "It is on." in desk.conversation()
    assert HIDDEN not in desk.conversation()


_part = st.text("ab ", max_size=4) | st.sampled_from(["<private>", "</private>", "<private/>"])


@given(st.lists(_part, max_size=12), st.integers(0, 12))
def test_a_text_in_two_parts_keeps_what_the_whole_keeps(parts: list[str], cut: int) -> None:
    first, depth = strip_private_in_part("".join(parts[:cut]))
    second, rest = strip_private_in_part("".join(parts[cut:]), depth)
    text = "".join(parts)
    whole, left = strip_private_in_part(text)
    assert rest == left
    if "</private>" not in strip_private(text):  # every end has a start
        assert (first + second).replace(PRIVATE_MARK, "") == whole.replace(PRIVATE_MARK, "")
        assert whole == strip_private(text)


@pytest.mark.parametrize(("kind", "shared"), SHARED.items())
def test_what_is_private_gets_a_file_of_its_own_and_is_in_no_view(
    person: Person, kind: str, shared: str
) -> None:
    person.ok("save", "Solution: ours" if kind == "solution" else "Ours", "--kind", kind)
    done = person.ok(
        "save", "Kingfisher", "--kind", kind, "--body", "marmalade", "--private", "--json"
    )
    path = Path(done.json["path"])
    assert path != person.store / shared
    assert f"/{path.relative_to(person.store)}" in (person.store / ".gitignore").read_text("utf-8")
    told = [file for file in person.store.iterdir() if file.is_file() and file.name != ".gitignore"]
    assert not [file for file in [*told, person.store / shared] if "ingfisher" in file.read_text()]
    assert "ingfisher" not in person.ok("recall", "--start").out


@pytest.mark.parametrize("is_archived", [False, True])
def test_what_is_private_no_more_is_in_git_again(person: Person, is_archived: bool) -> None:
    """Every other line of .gitignore stays as it is."""
    ignore = person.store / ".gitignore"
    person.ok("save", "Heron", "--private")
    with ignore.open("ab") as file:
        file.write(b"\r\n# mine\r\n/semantic/heron.md.bak")
    person.ok("save", "Kingfisher", "--private")
    before = ignore.read_bytes()
    assert b"/semantic/kingfisher.md\n" in before
    if is_archived:
        person.ok("archive", "kingfisher")
        assert b"/archive/semantic/kingfisher.md\n" in ignore.read_bytes()
    person.ok("set", "kingfisher", "private=false")
    assert ignore.read_bytes() == before.replace(b"/semantic/kingfisher.md\n", b"")
    person.ok("set", "kingfisher", "title=Dipper")
    person.ok("undo")
    person.ok("undo")
    assert b"/semantic/kingfisher.md\n" in ignore.read_bytes()
    person.ok("set", "kingfisher", "private=")
    assert b"kingfisher" not in ignore.read_bytes()
    assert b"/semantic/heron.md\n" in ignore.read_bytes()
