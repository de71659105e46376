"""Old sessions are put away: a page for each month, and nothing of them is lost."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.cli.running import Person, tree_of

DAY_NS = 86_400 * 10**9
START_NS = 1_768_141_800 * 10**9  # 2026-01-11T14:30:00Z


class Calendar:
    """The day that every command sees."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_ns = START_NS
        monkeypatch.setattr(time, "time_ns", lambda: self.now_ns)

    def wait(self, days: float) -> None:
        self.now_ns += int(days * DAY_NS)


@pytest.fixture
def calendar(monkeypatch: pytest.MonkeyPatch) -> Calendar:
    return Calendar(monkeypatch)


def hold(person: Person, name: str, *words: str) -> str:
    """A session that says this; gives the id of its memory."""
    env = {"RECOLLECT_SESSION": name}
    person.ok("start-session", f"Task of {name}", env=env)
    for text in words:
        person.ok("note", text, env=env)
    found: str = person.ok("save-session", "--json", env=env).json["id"]
    return found


def page(person: Person, month: str) -> str:
    return (person.store / "sessions" / "archive" / f"{month}.md").read_text("utf-8")


@pytest.fixture
def kept(person: Person, calendar: Calendar) -> Person:
    """Sessions of January and February, a session file, and one of today, in March."""
    hold(person, "one", "the lid is red", "# no heading\nof ours")
    calendar.wait(20)
    hold(person, "two", "the spout drips")
    file = person.store / "sessions" / "2026-01-20_0915.md"
    file.parent.mkdir(exist_ok=True)
    file.write_text(
        "# A morning\n\n## Decisions\n- Use enamel: it holds\n\n```sh\n# make it\n```\n"
    )
    calendar.wait(40)
    hold(person, "three", "the handle is hot")
    return person


def test_what_is_older_than_thirty_days_goes_to_the_page_of_its_month(kept: Person) -> None:
    done = kept.ok("compress", "--json").json[0]
    assert [(row["month"], row["memories"], row["files"]) for row in done["months"]] == [
        ("2026-01", ["2026-01-11-task-of-one", "2026-01-31-task-of-two"], ["2026-01-20_0915.md"])
    ]
    text = page(kept, "2026-01")
    assert text.startswith("# Sessions of 2026-01\n\n## 2026-01-11 Task of one\n")
    for said in ("the lid is red", "the spout drips", "- Use enamel: it holds", "\n# make it\n", "### Decisions"):  # fmt: skip
        assert said in text
    assert "the handle is hot" not in text
    assert not (kept.store / "sessions" / "2026-01-20_0915.md").exists()
    left = kept.ok("list", "--kind", "session", "--json").json
    assert [one["id"] for one in left] == ["2026-03-12-task-of-three"]


def test_everything_stays_within_reach_under_its_id(kept: Person) -> None:
    kept.write("episodic/2026-01-11-task-of-one/conversation.md", "# Raw Conversation Log\n\n### User [14:30:00]\n\nPaint it vermilion\n")  # fmt: skip
    kept.ok("compress")
    for words, found in (
        (("lid red",), "2026-01-11-task-of-one"),
        (("enamel",), "2026-01-20_0915"),
    ):
        hits = kept.ok("search", *words, "--archived", "--json").json["hits"]
        assert hits[0]["id"] == found
    raw = kept.ok("search", "vermilion", "--archived", "--json").json["hits"]
    assert raw[0]["id"] == "2026-01-11-task-of-one"
    assert "vermilion" in kept.ok("show", "2026-01-11-task-of-one", "--level", "3").out
    assert "Use enamel" in kept.ok("show", "2026-01-20_0915").out
    assert "the lid is red" in kept.ok("show-session", "one").out


@pytest.mark.slow
def test_doing_it_again_changes_nothing(kept: Person) -> None:
    kept.ok("compress")
    before = tree_of(kept.store, without=[str(kept.store / "journal")])
    assert kept.ok("compress", "--json").json[0]["months"] == []
    assert tree_of(kept.store, without=[str(kept.store / "journal")]) == before


def test_a_month_that_was_undone_is_as_it_was_and_its_sessions_stay(kept: Person) -> None:
    def memories() -> dict[str, bytes]:
        folders = [kept.store / "episodic", kept.store / "archive", kept.store / "sessions"]
        return {str(f): f.read_bytes() for d in folders for f in d.rglob("*.md")}

    before = memories()
    kept.ok("compress")
    kept.ok("undo")
    assert memories() == before
    again = kept.ok("compress", "--json").json[0]["months"]
    assert [row["memories"] for row in again] in ([], [[]])


@pytest.mark.slow
def test_what_a_person_writes_on_a_page_stays(kept: Person, calendar: Calendar) -> None:
    kept.ok("compress")
    path = kept.store / "sessions" / "archive" / "2026-01.md"
    path.write_text(path.read_text().replace("the lid is red", "the lid was red") + "\nMine.\n")
    old = kept.store / "sessions" / "2026-01-05_0800.md"
    old.write_text("## Decisions\n- late\n")
    kept.ok("compress")
    text = page(kept, "2026-01")
    assert "the lid was red" in text
    assert "\nMine.\n" in text
    assert "- late" in text
    calendar.wait(40)
    kept.ok("compress")
    assert "the handle is hot" in page(kept, "2026-03")


def test_a_session_that_goes_on_is_not_put_away(person: Person, calendar: Calendar) -> None:
    name = hold(person, "long", "begun in January")
    calendar.wait(40)
    person.ok("note", "still at it", env={"RECOLLECT_SESSION": "long"})
    assert person.ok("compress", "--json").json[0]["months"] == []
    person.ok("save-session", env={"RECOLLECT_SESSION": "long"})
    assert person.ok("compress", "--json").json[0]["months"] == []
    calendar.wait(40)
    assert person.ok("compress", "--json").json[0]["months"][0]["memories"] == [name]


@pytest.mark.parametrize("days", [30, 31])
def test_thirty_days_are_not_more_than_thirty(
    person: Person, calendar: Calendar, days: int
) -> None:
    hold(person, "one", "said")
    calendar.wait(days)
    months = person.ok("compress", "--json").json[0]["months"]
    assert len(months) == (days > 30)


def test_a_private_session_is_on_no_page(person: Person, calendar: Calendar) -> None:
    name = hold(person, "one", "between us")
    file = person.store / "episodic" / name / "summary.md"
    text = file.read_text()
    file.write_text(text.replace("kind: ", "private: true\nkind: ", 1))
    assert file.read_text() != text
    calendar.wait(40)
    person.ok("compress")
    assert file.exists()
    assert not (person.store / "sessions" / "archive").exists()


@pytest.mark.slow
def test_who_comes_back_after_months_is_told_where_the_last_session_was_left_off(
    kept: Person, calendar: Calendar
) -> None:
    calendar.wait(60)
    kept.ok("compress")
    brief = kept.ok("recall", "--start").out
    assert "Last session, 2026-03-12: Task of three" in brief
    assert kept.ok("list", "--kind", "session", "--json").json == []
    hold(kept, "four", "the tray is new")
    brief = kept.ok("recall", "--start").out
    assert "Last session, 2026-05-11: Task of four" in brief
    assert "Task of three" not in brief


@pytest.mark.slow
def test_a_session_that_a_person_archived_is_not_told_at_the_start(
    kept: Person, calendar: Calendar
) -> None:
    kept.ok("archive", "2026-03-12-task-of-three")
    calendar.wait(60)
    kept.ok("compress")
    brief = kept.ok("recall", "--start").out
    assert "Task of three" not in brief
    assert "Last session, 2026-01-31: Task of two" in brief


@pytest.mark.slow
def test_recent_tells_in_few_words_what_came_before_the_last_sessions(
    person: Person, calendar: Calendar
) -> None:
    for n in range(16):
        hold(person, f"s{n}", f"said {n}")
        calendar.wait(20 if n < 3 else 1)
    person.ok("compress")
    recent = person.store / "core" / "recent.md"
    text = recent.read_text()
    block = text[text.index("<!-- RECENT_START -->") :]
    assert block.splitlines() == [
        "<!-- RECENT_START -->",
        "## Before the last sessions",
        "",
        "- 2026-03-18: Task of s9",
        "- 2026-03-17: Task of s8",
        "- 2026-03-16: Task of s7",
        "- 2026-03-15: Task of s6",
        "- 2026-03-14: Task of s5",
        "- 2026-03-13: Task of s4",
        "- 2026-03-12: Task of s3",
        "- 2026-02: sessions: 1, about task",
        "- 2026-01: sessions: 2, about task",
        "<!-- RECENT_END -->",
    ]
    recent.write_text(text.replace("<!-- RECENT_START -->", "My own line.\n\n<!-- RECENT_START -->") + "\nAnd mine.\n")  # fmt: skip
    calendar.wait(1)
    hold(person, "more", "said")
    person.ok("compress")
    new = recent.read_text()
    assert "My own line." in new
    assert "And mine." in new
    assert new != text
    assert "Before the last sessions" in person.ok("recall", "--start").out


def test_a_crash_between_two_months_leaves_the_first_done_and_the_rest_to_do(
    kept: Person, calendar: Calendar, monkeypatch: pytest.MonkeyPatch
) -> None:
    from recollect.store.store import OpenStore

    calendar.wait(40)
    real = OpenStore.commit
    done: list[object] = []

    def once(self: OpenStore, *args: object, **keys: object) -> object:
        if keys.get("cause") == "compress":
            if len(done) == 2:  # recent.md, January
                raise KeyboardInterrupt
            done.append(args)
        return real(self, *args, **keys)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(OpenStore, "commit", once)
        assert kept.run("compress").code == 130
    months = kept.ok("compress", "--json").json[0]["months"]
    assert [row["month"] for row in months] in (["2026-01", "2026-03"], ["2026-03"])
    pages = sorted(path.name for path in Path(kept.store / "sessions" / "archive").iterdir())
    assert pages == ["2026-01.md", "2026-03.md"]
    assert page(kept, "2026-01").count("the lid is red") == 1
