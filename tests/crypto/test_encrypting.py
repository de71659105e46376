"""A plain memory is encrypted: its text, its name and its title go from everywhere."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.cli.running import Person
from tests.crypto.desk import BODY, TAGS, TITLE, WORDS, Desk

import recollect.privacy.plaintext
from recollect.app import App
from recollect.errors import StorageFailed
from recollect.features.models import ModelCall, log_call

NAME = "kingfisher-salary-for-zbigniew"


def save(desk: Desk, *words: str) -> str:
    given = words or ("--kind", "decision")
    ran = desk.person.ok("save", TITLE, "--body", BODY, "--tags", TAGS, *given, "--json")
    return str(ran.json["id"])


def encrypt(desk: Desk, name: str = NAME) -> str:
    return str(desk.person.ok("encrypt", name, "--json").json["id"])


def plain_file(desk: Desk) -> Path:
    return desk.person.store / "semantic" / "decisions" / f"{NAME}.md"


def test_no_file_says_a_word_of_it_afterwards(desk: Desk) -> None:
    save(desk)
    desk.person.ok("edit", NAME, "--append", "The marmalade is sour.")
    plain_file(desk).write_text(
        plain_file(desk).read_text("utf-8") + "By hand: Zbigniew.\n", "utf-8"
    )
    desk.person.ok("consolidate")
    desk.person.ok("recall", "--start")
    desk.person.ok("clear-facts", "--yes")
    desk.person.ok("activate", NAME)
    assert desk.left()

    (desk.person.project / ".git/objects/0f").mkdir(parents=True)
    ran = desk.person.ok("encrypt", NAME, "--json").json
    assert desk.left() == []
    assert ran["left"] == [{"what": "git history", "path": str(desk.person.project)}]
    assert "By hand: Zbigniew." in desk.person.ok("show", ran["id"]).out


def test_no_brief_of_any_project_tells_of_it(desk: Desk, tmp_path: Path) -> None:
    desk.person.ok("save", TITLE, "--body", BODY, "--kind", "decision")
    (desk.person.home / ".claude" / "memory").mkdir(parents=True)
    desk.person.ok("save", "Marmalade for all", "--scope", "global", "--kind", "decision")
    other = Person(desk.person.home, tmp_path / "other")
    (other.project / ".claude" / "memory").mkdir(parents=True)
    other.ok("recall", "--start")
    for person, scope in ((desk.person, "global"), (desk.person, "project")):
        for row in person.ok("list", "--scope", scope, "--json").json:
            person.ok("encrypt", row["id"])
    assert desk.left() == []


@pytest.mark.parametrize("mark", ["", "# of my own\n"], ids=["as-made", "with-lines-of-its-own"])
def test_decrypting_gives_back_the_same_bytes_under_the_same_name(desk: Desk, mark: str) -> None:
    save(desk)
    text = plain_file(desk).read_text("utf-8")
    text = text.replace("type: ", f"{mark}mine: 'yes'\ntype: ", 1)
    assert text.count("mine: 'yes'") == 1
    plain_file(desk).write_text(text + "\r\nodd   \n\n", "utf-8", newline="")
    before = plain_file(desk).read_bytes()
    done = desk.person.ok("decrypt", encrypt(desk), "--json").json
    assert done["id"] == NAME
    assert plain_file(desk).read_bytes() == before
    assert not (desk.person.store / "encrypted").exists() or not list(
        (desk.person.store / "encrypted").iterdir()
    )


def test_a_file_without_front_matter_keeps_its_layer_and_its_title(desk: Desk) -> None:
    desk.person.write("reference/kingfisher.md", f"{BODY}\n")
    done = desk.person.ok("decrypt", encrypt(desk, "kingfisher"), "--json").json
    assert done["path"].endswith("/reference/kingfisher.md")
    shown = desk.person.ok("show", "kingfisher", "--json").json
    assert (shown["title"], shown["text"], shown["type"]) == ("kingfisher", BODY, "reference")


def test_a_decrypted_memory_gets_another_name_where_its_own_is_taken(desk: Desk) -> None:
    save(desk)
    name = encrypt(desk)
    assert save(desk) == NAME
    assert desk.person.ok("decrypt", name, "--json").json["id"] == f"{NAME}-2"


def test_undoing_a_decryption_leaves_no_word(desk: Desk) -> None:
    name = desk.save()
    desk.person.ok("decrypt", name)
    assert desk.left()
    desk.person.ok("undo")
    assert desk.left() == []
    assert BODY in desk.person.ok("show", name).out


def test_going_back_behind_an_encryption_leaves_the_memory_encrypted(desk: Desk) -> None:
    save(desk)
    before = desk.person.ok("history", "--json").json[0]["change"]
    name = encrypt(desk)
    desk.person.ok("save", "The kettle whistles")
    ran = desk.person.ok("undo", "--to", before)
    assert "its old text was purged" in ran.out
    assert BODY in desk.person.ok("show", name).out
    assert not desk.person.store.joinpath("semantic", "the-kettle-whistles.md").exists()


def test_undoing_an_encryption_is_refused_and_changes_nothing(desk: Desk) -> None:
    save(desk)
    name = encrypt(desk)
    assert desk.person.run("undo", name).code == 1
    assert desk.left() == []
    assert BODY in desk.person.ok("show", name).out


def test_the_history_goes_on_under_the_new_name_and_can_be_read(desk: Desk) -> None:
    save(desk)
    desk.person.ok("edit", NAME, "--append", "More.")
    name = encrypt(desk)
    causes = [row["cause"] for row in desk.person.ok("history", name, "--json").json]
    assert causes == ["encrypt", "edit", "save"]
    assert desk.person.run("undo", "--to", "2099-01-01").code == 0


@pytest.mark.parametrize("edited", [False, True])
def test_no_word_stays_where_it_was_before_it_was_moved_by_hand(desk: Desk, edited: bool) -> None:
    save(desk)
    path = plain_file(desk)
    path.rename(path.with_name("lid.md"))
    if edited:
        desk.person.ok("edit", NAME, "--append", "Zbigniew comes late.")
    name = encrypt(desk)
    assert desk.left() == []
    assert BODY in desk.person.ok("show", name).out
    assert [row["cause"] for row in desk.person.ok("history", name, "--json").json][-1] == "save"
    assert desk.person.run("undo", "--to", "2099-01-01").code == 0
    desk.person.ok("doctor")


def test_no_word_stays_in_the_project_that_it_was_promoted_from(desk: Desk) -> None:
    desk.person.ok("init", "--scope", "global")
    save(desk)
    desk.person.ok("save", "The kettle whistles", "--kind", "fact")
    desk.person.ok("promote", NAME, "--to", "global")
    ran = desk.person.ok("encrypt", NAME, "--json").json
    assert (ran["left"], desk.left()) == ([], [])
    promoted = next(
        row["change"]
        for row in desk.person.ok("history", "--json").json
        if row["cause"] == "promote"
    )
    assert desk.person.run("undo", promoted).code == 1
    desk.person.ok("undo", "the-kettle-whistles")
    assert desk.left() == []
    assert BODY in desk.person.ok("show", ran["id"]).out


def test_a_page_that_was_merged_into_it_is_named(desk: Desk) -> None:
    save(desk)
    desk.person.ok("save", "Jars", "--body", "Seven jars stand in the cellar.", "--kind", "fact")
    desk.person.ok("merge", NAME, "jars")
    ran = desk.person.ok("encrypt", NAME, "--json").json
    [old] = desk.person.store.glob("archive/**/jars.md")
    assert {"what": "still mentions it", "path": str(old)} in ran["left"]


def test_what_a_model_was_sent_of_it_is_gone(desk: Desk) -> None:
    save(desk)
    app = App(str(desk.person.project), desk.person.environment({}))
    for text in (f"- {BODY}", "PERSON: Which kettle?"):
        call = ModelCall("2026-01-01T00:00:00Z", "claude", "p", "", "answered")
        log_call(app, call._replace(sent=text))
    encrypt(desk)
    assert desk.left() == []
    rows = desk.person.ok("calls", "--all", "--json").json
    assert [row["reason"] for row in rows] == ["", "its old text was purged"]


def test_where_the_journal_still_names_it_nobody_says_otherwise(desk: Desk) -> None:
    save(desk, "--kind", "decision")
    desk.person.ok("save", "Jars", "--body", f"As {TITLE} says.", "--kind", "fact")
    said = desk.person.ok("encrypt", NAME).out
    assert "removed from the store, the index and the views. The journal still" in " ".join(
        said.split()
    )
    assert "/journal/" in said


def test_what_still_names_it_is_said(desk: Desk) -> None:
    save(desk)
    other = desk.person.ok("save", "Another", "--body", f"As {TITLE} says.", "--json").json
    left = desk.person.ok("encrypt", NAME, "--json").json["left"]
    assert other["path"] in {row["path"] for row in left if row["what"] == "still mentions it"}


def test_a_dry_run_changes_nothing(desk: Desk) -> None:
    save(desk)
    before = dict(desk.everything())
    assert NAME in desk.person.ok("encrypt", NAME, "--dry-run").out
    after = {path: data for path, data in desk.everything() if not path.startswith("home/.cache")}
    assert after.items() <= before.items()


def test_a_crash_before_the_journal_is_cleaned_is_mended_by_the_next_run(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(desk)

    def crash(*_: object) -> None:
        raise StorageFailed(path="journal", reason="the machine went down")

    with monkeypatch.context() as broken:
        broken.setattr(recollect.privacy.plaintext, "_take_out", crash)
        assert desk.person.run("encrypt", NAME).code == 16
    assert desk.left()
    report = desk.person.ok("doctor", "--json").json
    (done,) = (row for row in report["findings"] if row["state"] == "mended")
    assert "interrupted" in done["sentence"]
    assert desk.left() == []
    # Something of the same name that comes later is somebody else's.
    desk.person.ok("save", TITLE, "--body", "Something else.", "--kind", "decision")
    assert BODY in desk.person.ok("show", done["about"]).out
    assert desk.person.ok("history", NAME, "--json").json[0]["cause"] == "save"
    assert desk.person.ok("encrypt", "--json").json["finished"] == []


def test_encrypt_itself_says_what_it_finished_also_without_the_cache(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(desk)

    def crash(*_: object) -> None:
        raise StorageFailed(path="journal", reason="the machine went down")

    with monkeypatch.context() as broken:
        broken.setattr(recollect.privacy.plaintext, "_take_out", crash)
        broken.setattr(App, "publish", crash)  # nothing follows after a crash
        assert desk.person.run("encrypt", NAME).code == 16
    shutil.rmtree(desk.person.home / ".cache")
    (done,) = desk.person.ok("encrypt", "--json").json["finished"]
    # Without the cache nobody knows how it was written: an edit of a person, perhaps.
    assert desk.left() == ["project/.claude/memory/facts.json"]
    assert "facts.json" in desk.person.run("doctor").out
    assert BODY in desk.person.ok("show", done).out


def test_what_cannot_be_finished_now_is_a_problem_of_doctor_and_stops_no_reading(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(desk)
    desk.person.ok("save", "Plain", "--body", "text")

    def crash(*_: object) -> None:
        raise StorageFailed(path="journal", reason="the machine went down")

    with monkeypatch.context() as broken:
        broken.setattr(recollect.privacy.plaintext, "_take_out", crash)
        assert desk.person.run("encrypt", NAME).code == 16
        assert "plain" in desk.person.ok("list").out
        report = desk.person.run("doctor", "--json").json
        assert "encrypted" in {
            row["about"] for row in report["findings"] if row["state"] == "problem"
        }
    assert desk.person.ok("doctor", "--json").json["problems"] == 0
    assert desk.left() == []


@pytest.mark.parametrize(
    ("make", "name", "why"),
    [
        (["memory-set", "project", "Kingfishers."], "project", "Every session"),
        (["save", "Be kind", "--kind", "rule", "--body", "x"], "feedback", "shared file"),
    ],
)
def test_what_agents_live_by_cannot_be_encrypted(
    desk: Desk, make: list[str], name: str, why: str
) -> None:
    desk.person.ok(*make)
    ran = desk.person.run("encrypt", name)
    assert ran.code == 2
    assert why in ran.err


def test_what_is_encrypted_is_not_encrypted_again(desk: Desk) -> None:
    name = desk.save()
    assert desk.person.run("encrypt", name).code == 2
    save(desk)
    assert desk.person.run("decrypt", NAME).code == 2


def test_the_views_and_the_index_of_other_programs_leave_it_out(desk: Desk) -> None:
    name = desk.save()
    desk.person.ok("save", "Plain", "--body", "text")
    desk.person.ok("consolidate")
    page = (desk.person.store / "MEMORY.md").read_text("utf-8")
    rows = json.loads((desk.person.store / ".index.json").read_text("utf-8"))["entries"]
    assert name not in page
    assert [row["id"] for row in rows] == ["plain"]


def test_a_plain_text_in_the_place_of_an_encrypted_one_is_a_problem_and_not_indexed(
    desk: Desk,
) -> None:
    desk.person.write("encrypted/sealed-aaaaaaaa.md.age", f"# {TITLE}\n\n{BODY}\n")
    assert desk.person.ok("search", "kingfisher", "--json").json["hits"] == []
    assert "marmalade" not in desk.person.run("show", "sealed-aaaaaaaa").out
    assert [path for path in desk.left(WORDS[1:]) if "home" in path] == []


def test_a_whole_store_is_encrypted_as_far_as_it_can_be(desk: Desk) -> None:
    for title in ("Kingfisher one", "Marmalade two", "Zbigniew three"):
        desk.person.ok("save", title, "--body", BODY, "--kind", "decision")
    desk.person.ok("save", "Look there", "--layer", "reference", "--kind", "note", "--body", BODY)
    desk.person.ok("memory-set", "project", "Of birds.")
    assert desk.person.run("encrypt", "--all").code == 2
    before = dict(desk.everything())
    found = desk.person.ok("encrypt", "--all", "--dry-run", "--json").json
    assert (len(found["encrypted"]), list(found["plain"])) == (4, ["project"])
    assert {path for path, data in desk.everything() if before.get(path) != data} <= set(before)

    found = desk.person.ok("encrypt", "--layer", "reference", "--yes", "--json").json
    assert [row["was"] for row in found["encrypted"]] == ["look-there"]
    found = desk.person.ok("encrypt", "--all", "--yes", "--json").json
    assert len(found["encrypted"]) == 3
    assert desk.left() == []
    assert len(desk.person.ok("list", "--encrypted", "--json").json) == 4
    assert desk.person.ok("encrypt", "--all", "--yes", "--json").json["encrypted"] == []


def test_several_that_are_named_are_encrypted_and_each_is_a_change_of_its_own(desk: Desk) -> None:
    names = [desk.person.ok("save", f"Kingfisher {n}", "--json").json["id"] for n in range(2)]
    ran = desk.person.ok("encrypt", *names)
    assert ran.out.count("Encrypted ") == 2
    causes = [row["cause"] for row in desk.person.ok("history", "--json").json]
    assert causes.count("encrypt") == 2
    assert desk.left() == []
