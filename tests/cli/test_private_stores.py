"""Every project has a store of its own: a private one, until it gets one in its repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import Person
from tests.clients.transcripts import SESSION, as_bytes, gemini_lines
from tests.hooks.machine import HOOK, until

from recollect.store import locations

WORD = "zanzibar"


@pytest.fixture
def two(tmp_path: Path) -> tuple[Person, Person]:
    """Somebody in two projects, none of which has a store."""
    home = tmp_path / "home"
    home.mkdir()
    people = []
    for name in ("one", "two"):
        (tmp_path / name / ".git").mkdir(parents=True)
        people.append(Person(home, tmp_path / name))
    return people[0], people[1]


def private(person: Person) -> Path:
    env = {"HOME": str(person.home)}
    return Path(locations.private_root(str(person.project), env))


def transcript(person: Person, name: str, said: str) -> Path:
    """A session of Claude Code as it lies in its folder."""
    path = person.home / ".claude/projects" / f"-{person.project.name}" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    about = {"sessionId": name, "cwd": str(person.project), "version": "2.1.330"}
    rows = [
        {"type": "user", "uuid": f"{name}-1", "message": {"role": "user", "content": said}},
        {
            "type": "assistant",
            "uuid": f"{name}-2",
            "message": {
                "role": "assistant",
                "content": [{"type": "text", "text": f"Done: {said}"}],
            },
        },
    ]
    lines = [
        json.dumps({**row, **about, "timestamp": f"2026-11-20T10:0{n}:00Z"})
        for n, row in enumerate(rows)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def fire(person: Person, event: str, **fields: str) -> bytes:
    payload = {"session_id": "s1", "cwd": str(person.project), "hook_event_name": event, **fields}
    return subprocess.run(
        [sys.executable, "-I", "-S", HOOK, "claude", event],
        input=json.dumps(payload).encode(),
        capture_output=True,
        env={"HOME": str(person.home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
        cwd=person.project,
        timeout=20,
        check=True,
    ).stdout


def test_what_is_saved_without_a_store_is_private_to_the_project(
    two: tuple[Person, Person],
) -> None:
    one, other = two
    one.ok("save", f"Use {WORD} for billing", "--kind", "decision")
    assert WORD in one.ok("list").out
    assert not (one.project / ".claude").exists()
    assert WORD not in other.run("list").out
    other.ok("save", "Tea at four")
    for words in (["list"], ["search", WORD], ["recall", f"which {WORD} for billing?"]):
        shown = other.ok(*words)
        assert WORD not in (shown.out + shown.err).replace(f"“{WORD}”", "")
    assert other.run("list", "--scope", "global").code == 10  # nobody asked for that store


def test_each_transcript_goes_to_the_store_of_its_own_project(two: tuple[Person, Person]) -> None:
    one, other = two
    one.ok("init", "--scope", "project")
    transcript(one, "aaaa", "Paint the fence of the orchard in green please")
    transcript(other, "bbbb", f"Which {WORD} holds the billing events of the shop?")
    one.ok("capture", str(one.home / ".claude/projects"))
    assert "bbbb" not in "".join(map(str, one.store.rglob("*")))
    shown = one.ok("search", "billing")
    assert WORD not in shown.out
    assert one.run("list", "--scope", "global").code == 10
    assert WORD in other.ok("search", "billing events").out
    assert (private(other) / locations.PROJECT_FILE).read_text().strip() == str(other.project)


def test_a_transcript_of_no_known_project_is_left_out_unless_it_is_named(
    two: tuple[Person, Person],
) -> None:
    """Chats of Gemini CLI name their project in a file beside them, which older ones lack."""
    one, _ = two
    chats = one.home / ".gemini/tmp/1b46/chats"
    chats.mkdir(parents=True)
    chat = chats / f"session-2026-03-04T09-30-{SESSION[:8]}.jsonl"
    chat.write_bytes(b"".join(map(as_bytes, gemini_lines())))
    for words in (["--dry-run"], []):
        ran = one.ok("capture", str(one.home / ".gemini/tmp"), "--client", "gemini", *words)
        assert "skipped because they do not name their project: 1" in ran.out
    assert "PostgreSQL" not in one.run("list").out
    one.ok("capture", str(chat), "--client", "gemini")
    assert "PostgreSQL" in one.ok("search", "event store").out


@pytest.mark.slow
def test_a_session_whose_agent_went_to_another_project_stays_in_its_own(
    two: tuple[Person, Person],
) -> None:
    one, other = two
    other.ok("init", "--scope", "project")
    log = transcript(one, "s1", f"We use {WORD} for billing because it is quick.")
    fire(other, "UserPromptSubmit", transcript_path=str(log), prompt="And now?")
    fire(other, "SessionEnd", transcript_path=str(log))
    until(lambda: WORD in one.run("list").out)
    other.process("work", str(other.store))
    assert WORD not in other.ok("list").out
    assert not list((other.store / "sessions").rglob("*s1*"))


def test_hooks_keep_a_session_in_the_private_store(two: tuple[Person, Person]) -> None:
    one, other = two
    log = transcript(one, "s1", f"Which {WORD} holds the billing events of the shop?")
    assert fire(one, "SessionStart", source="startup") == b""
    assert not (one.home / ".claude/memory").exists()  # nothing was said yet
    fire(one, "Stop", transcript_path=str(log))
    fire(one, "SessionEnd", transcript_path=str(log))
    assert list((private(one) / "journal").glob("claude-s1.jsonl"))
    assert not private(other).exists()
    assert not (one.project / ".claude").exists()


def test_init_moves_the_private_store_in_with_its_history(two: tuple[Person, Person]) -> None:
    one, _ = two
    one.ok("save", f"Use {WORD} for billing", "--kind", "decision")
    made = one.ok("init", "--scope", "project")
    assert "memories were moved from" in made.err
    assert not private(one).exists()
    assert not (one.store / locations.PROJECT_FILE).exists()  # a path of this machine
    assert WORD in one.ok("list").out
    one.ok("undo")
    assert one.ok("list", "--json").json == []


def test_init_brings_both_together_where_a_clone_has_a_store_already(
    two: tuple[Person, Person],
) -> None:
    one, _ = two
    one.ok("save", "Database of the shop", "--body", "PostgreSQL.")
    (one.store / "semantic").mkdir(parents=True)
    theirs = "---\nid: database-of-the-shop\n---\n# Database of the shop\n\nSQLite.\n"
    (one.store / "semantic/database-of-the-shop.md").write_text(theirs)
    one.ok("init", "--scope", "project")
    texts = [path.read_text() for path in (one.store / "semantic").glob("*.md")]
    assert {"PostgreSQL." in text for text in texts} == {True, False}
    assert len(texts) == 2
    assert not list(private(one).rglob("semantic/*.md"))


@pytest.mark.slow
@pytest.mark.parametrize("where", ["home", "/"])
def test_the_home_folder_and_the_root_have_private_stores_for_good(
    two: tuple[Person, Person], where: str
) -> None:
    """A store in them would serve every folder below, so `init` makes none there."""
    one, _ = two
    there = Person(one.home, one.home if where == "home" else Path("/"))
    below = one.home / "notes"
    below.mkdir()
    there.ok("save", f"Use {WORD} for billing")
    fire(there, "SessionStart", source="startup")
    fire(there, "Stop", transcript_path=str(transcript(there, "s1", f"What of the {WORD} here?")))
    would = there.ok("init", "--scope", "project", "--dry-run")
    assert "the global store" in would.out
    if where == "home":
        there.ok("init", "--scope", "project")
        assert WORD in there.ok("search", "billing").out
    assert [path for path in private(there).rglob("*.md") if path.name != "MEMORY.md"]
    assert (private(there) / locations.PROJECT_FILE).read_text().strip() == str(there.project)
    assert list((private(there) / "journal").glob("claude-s1.jsonl"))
    for other in (one, Person(one.home, below)):
        assert WORD not in (other.run("list").out + other.run("recall", "--start").out)
        assert WORD not in other.run("search", "billing").out


@pytest.mark.slow
@pytest.mark.parametrize("of", ["home", "all homes"])
def test_a_repository_around_the_home_folder_does_not_make_one_project_of_all_below(
    of: str, two: tuple[Person, Person]
) -> None:
    one, _ = two
    (one.home if of == "home" else one.home.parent).joinpath(".git").mkdir()
    shop, notes, real = one.home / "work/shop", one.home / "notes", one.home / "work/repository"
    for folder in (shop, notes, real / "src"):
        folder.mkdir(parents=True)
    (real / ".git").mkdir()

    for where, said in ((shop, "shop"), (one.home, "home"), (real, "repository")):
        Person(one.home, where).ok("save", f"A teapot of the {said}", "--body", "It is blue.")

    for where, known in (
        (shop, "shop"),
        (notes, ""),
        (one.home, "home"),
        (real / "src", "repository"),
    ):
        found = Person(one.home, where).run("list").out
        assert [said for said in ("shop", "home", "repository") if f"of the {said}" in found] == [
            *filter(None, [known])
        ], where


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


def made(person: Person, origin: str = "") -> None:
    """A repository where the person is."""
    person.project.mkdir(exist_ok=True)
    git(person.project, "init", "-q")
    if origin:
        git(person.project, "remote", "add", "origin", origin)


def brief(person: Person) -> str:
    payload = {
        "session_id": "s1",
        "cwd": str(person.project),
        "hook_event_name": "SessionStart",
        "source": "startup",
    }
    return subprocess.run(
        [sys.executable, "-I", "-S", HOOK, "claude", "SessionStart"], input=json.dumps(payload),
        capture_output=True, env=person.environment({}), cwd=person.project, text=True, timeout=20, check=True,
    ).stdout  # fmt: skip


@pytest.fixture
def owner(tmp_path: Path) -> Person:
    """Somebody with a repository with a private store."""
    (tmp_path / "home").mkdir()
    one = Person(tmp_path / "home", tmp_path / "shop")
    made(one, "https://example.org/ada/shop.git")
    one.ok("save", f"Always ring the {WORD} bell before a deploy")
    return one


@pytest.mark.slow
def test_another_repository_at_the_same_path_gets_a_store_of_its_own(
    owner: Person, tmp_path: Path
) -> None:
    old = Person(owner.home, tmp_path / "shop-before")
    owner.project.rename(old.project)
    made(owner)
    assert WORD not in owner.run("list").out + owner.run("search", WORD).out
    owner.ok("save", "Always water the plants before a release")
    assert WORD not in owner.ok("list").out
    assert f"recollect adopt {owner.project}" in old.run("list").err

    old.ok("adopt", str(owner.project))

    assert WORD in old.ok("list").out
    assert WORD in brief(old)
    assert "plants" not in old.ok("list").out
    assert "plants" in owner.ok("list").out
    told = brief(owner)
    assert WORD not in told
    assert "plants" in told
    assert "adopt" not in owner.run("doctor").out


@pytest.mark.slow
def test_a_session_of_the_former_repository_stays_with_it(owner: Person, tmp_path: Path) -> None:
    root, said = private(owner), f"We use {WORD} for the tags because it is quick."
    log = transcript(owner, "s-old", said)
    locations.record(
        str(root), "claude-s-old", "signal",
        {"event": "session-end", "session": "s-old", "client": "claude", "transcript": str(log), "folder": str(owner.project)},
    )  # fmt: skip
    cache = Path(locations.cache_folder(str(root), {"HOME": str(owner.home)}))
    (cache / "pending").touch()
    owner.project.rename(tmp_path / "shop-before")
    made(owner)

    owner.process("work", str(root))

    assert private(owner) != root
    assert not private(owner).exists()
    assert list((root / "episodic").iterdir())


def test_a_session_that_a_former_repository_has_is_not_captured_again(
    owner: Person, tmp_path: Path
) -> None:
    log = transcript(owner, "s-old", f"We use {WORD} for the tags because it is quick.")
    owner.ok("capture", str(log))
    owner.project.rename(tmp_path / "shop-before")
    made(owner)
    for _ in range(2):
        owner.ok("capture", str(log))
        assert WORD not in owner.run("list").out
        owner.ok("save", "Always water the plants before a release")


@pytest.mark.slow
@pytest.mark.parametrize("in_between", [False, True])
def test_both_former_and_new_memories_are_where_the_former_ones_are_brought(
    owner: Person, in_between: bool
) -> None:
    shutil.rmtree(owner.project)
    made(owner, "https://example.org/ada/other.git")
    owner.ok("save", "Always water the plants before a release")
    owner.ok("adopt", str(owner.project))
    assert WORD in owner.ok("list").out
    assert "plants" in owner.ok("list").out
    assert "adopt" not in owner.run("doctor").out
    if in_between:
        owner.ok("save", "The lamp is red")
        owner.ok("undo")
    owner.ok("undo")
    assert WORD not in owner.ok("list").out
    assert "plants" in owner.ok("list").out
    owner.ok("adopt", str(owner.project))
    assert WORD in owner.ok("list").out


def test_what_is_brought_elsewhere_takes_nothing_from_the_repository_that_is_there(
    owner: Person, tmp_path: Path
) -> None:
    old = Person(owner.home, tmp_path / "shop-before")
    owner.project.rename(old.project)
    made(owner)
    owner.ok("save", "Always water the plants before a release")
    old.ok("save", "The lamp is red")
    old.ok("adopt", str(owner.project))
    assert WORD in old.ok("list").out
    assert "lamp" in old.ok("list").out
    assert "plants" in owner.ok("list").out


def test_of_several_former_repositories_each_gets_its_own_memories_back(
    owner: Person, tmp_path: Path
) -> None:
    first, second = (Person(owner.home, tmp_path / f"shop-{name}") for name in ("first", "second"))
    owner.project.rename(first.project)
    made(owner)
    owner.ok("save", "Always water the plants before a release")
    owner.project.rename(second.project)
    assert (
        Person(owner.home, tmp_path).run("doctor").out.count(f"recollect adopt {owner.project}")
        == 1
    )
    made(third := Person(owner.home, tmp_path / "third"))

    asked = third.run("adopt", str(owner.project))
    assert asked.code == 2
    stores = sorted(map(str, (owner.home / ".claude/memory/projects").glob("shop-*")))
    assert len([one for one in stores if one in asked.err]) == 2

    second.ok("adopt", str(owner.project))
    assert "plants" in second.ok("list").out
    assert WORD not in second.ok("list").out
    first.ok("adopt", str(owner.project))
    assert WORD in first.ok("list").out


def test_who_died_between_the_note_and_the_move_brings_the_memories_once_more(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, was = Person(owner.home, owner.project.with_name("new")), str(owner.project)
    owner.project.rename(here.project)

    def dies(*_: str) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr("recollect.store.disk.move_folder", dies)
        here.run("adopt", was)
    here.ok("adopt", was)
    assert WORD in here.ok("list").out


def test_a_store_is_named_where_several_projects_were_at_a_path(
    owner: Person, tmp_path: Path
) -> None:
    root = private(owner)
    for name in ("first", "second"):
        owner.project.rename(tmp_path / name)
        made(owner)
        owner.ok("save", f"A note of the {name}")
    shutil.rmtree(owner.project)
    made(third := Person(owner.home, tmp_path / "third"))
    third.ok("adopt", str(root))
    assert WORD in third.ok("list").out


def test_a_folder_without_git_in_between_makes_no_memories_anybodys(
    owner: Person, tmp_path: Path
) -> None:
    owner.project.rename(tmp_path / "shop-before")
    owner.project.mkdir()
    assert WORD not in owner.run("list").out
    owner.ok("save", "A note of the folder")
    assert WORD not in owner.run("list").out
    made(owner, "https://example.org/ada/other.git")
    assert WORD not in owner.run("list").out + brief(owner)
    assert "A note of the folder" in owner.ok("list").out
    shutil.rmtree(owner.project)
    (tmp_path / "shop-before").rename(owner.project)
    assert WORD in owner.ok("list").out
    assert "A note of the folder" not in owner.ok("list").out


def test_a_repository_beside_a_former_one_keeps_its_memories_without_git_too(
    owner: Person, tmp_path: Path
) -> None:
    owner.project.rename(tmp_path / "shop-before")
    made(owner)
    (owner.project / "README").write_text("Plants\n")
    owner.ok("save", "Always water the plants before a release")
    shutil.rmtree(owner.project / ".git")
    for _ in range(2):
        assert WORD not in owner.ok("list").out
        assert "plants" in owner.ok("list").out
        made(owner)


@pytest.mark.parametrize("is_there", [False, True])
def test_a_repository_without_gits_description_is_known_by_its_origin(
    owner: Person, is_there: bool
) -> None:
    (owner.project / ".git/description").unlink()
    assert WORD in owner.ok("list").out
    (private(owner) / "project").write_text(f"{owner.project}\n")
    assert WORD in owner.ok("list").out  # and is noted
    shutil.rmtree(owner.project)
    made(owner, "https://example.org/ada/other.git")
    if not is_there:
        (owner.project / ".git/description").unlink()
    assert WORD not in owner.run("list").out


def test_a_repository_from_an_archive_that_keeps_whole_seconds_is_the_same(owner: Person) -> None:
    git(owner.project, "remote", "remove", "origin")
    note = private(owner) / "project"
    note.write_text("\n".join([*note.read_text().split("\n")[:2], "1", "", ""]))
    description = owner.project / ".git/description"
    seconds = description.stat().st_mtime_ns // 1_000_000_000
    os.utime(description, (seconds, seconds))
    assert WORD in owner.ok("list").out


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "origin",
    [
        "git@example.org:ada/shop",
        "https://example.org/ada/shop.git/",
        "example.org:/ada/shop.git",
        "ssh://git@example.org:2222/ada/shop.git",
        "https://ada:key@Example.org/ada/shop",
    ],
)
def test_a_repository_that_is_cloned_again_keeps_its_store(owner: Person, origin: str) -> None:
    shutil.rmtree(owner.project)
    made(owner, origin)
    assert WORD in owner.ok("list").out
    assert WORD in brief(owner)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("git@git.uni.edu:2024/project.git", "git@git.uni.edu:2025/project.git"),
        ("http://localhost:3000/me/app", "http://localhost:4000/me/app"),
        ("https://a.org/x@v1/app", "https://b.org/y@v1/app"),
        ("/srv/git/one.git", "/srv/git/two.git"),
    ],
)
def test_other_addresses_are_other_repositories(owner: Person, one: str, other: str) -> None:
    git(owner.project, "remote", "set-url", "origin", one)
    assert WORD in owner.ok("list").out
    shutil.rmtree(owner.project)
    made(owner, other)
    assert WORD not in owner.run("list").out


@pytest.mark.parametrize("is_newer", [False, True])
def test_a_volume_mounted_in_the_place_of_another_one_is_another_repository(
    owner: Person, tmp_path: Path, is_newer: bool
) -> None:
    """Both may have the same inode, and all in it is older than what was noted."""
    note = private(owner) / "project"
    owner.project.rename(tmp_path / "shop-before")
    made(owner, "https://example.org/ada/other.git")
    noted = note.read_text().split("\n")
    noted[2] = str(owner.project.stat().st_ino)
    note.write_text("\n".join(noted))
    (owner.project / "README").touch()
    later = owner.project.stat().st_mtime + 1000
    os.utime(note, (later, later))
    if is_newer:  # then git was set up anew in the folder
        os.utime(owner.project / ".git/description", (later + 1, later + 1))
    assert (WORD in owner.run("list").out) == is_newer


def test_a_new_address_keeps_the_memories_without_gits_description_too(owner: Person) -> None:
    (owner.project / ".git/description").unlink()
    (private(owner) / "project").unlink()
    assert WORD in owner.ok("list").out
    (owner.project / "README").touch()
    git(owner.project, "remote", "set-url", "origin", "https://example.org/ada/moved.git")
    assert WORD in owner.ok("list").out


def test_a_new_address_keeps_the_memories_where_the_folder_has_another_inode_too(
    owner: Person,
) -> None:
    note = private(owner) / "project"
    note.write_text(note.read_text().replace(str(owner.project.stat().st_ino), "1"))
    git(owner.project, "remote", "set-url", "origin", "https://example.org/ada/moved.git")
    assert WORD in owner.ok("list").out


def test_a_clone_of_another_repository_at_the_same_path_is_another_one(owner: Person) -> None:
    shutil.rmtree(owner.project)
    made(owner, "https://example.org/ada/warehouse.git")
    assert WORD not in owner.run("list").out + brief(owner)


def test_a_repository_that_is_made_anew_in_its_folder_keeps_its_store(owner: Person) -> None:
    (owner.project / "README").write_text("The shop\n")
    owner.ok("save", "The lamp is red")
    os.utime(private(owner) / "project")  # as of a later day
    shutil.rmtree(owner.project / ".git")
    assert WORD in owner.ok("list").out
    made(owner)
    assert WORD in owner.ok("list").out
    assert WORD in brief(owner)
    shutil.rmtree(owner.project / ".git")
    made(owner, "git@example.org:ada/template.git")
    assert WORD in owner.ok("list").out


def test_a_repository_without_origin_in_a_folder_made_anew_is_another_one(owner: Person) -> None:
    git(owner.project, "remote", "remove", "origin")
    (private(owner) / "project").unlink()
    assert WORD in owner.ok("list").out  # and is noted without an origin
    for _ in range(3):  # the folder often gets the same inode
        shutil.rmtree(owner.project)
        made(owner)
        (owner.project / "README").write_text("Another\n")
        assert WORD not in owner.run("list").out + brief(owner)


def test_private_stores_that_cannot_be_listed_are_no_bug(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, listed = str(private(owner).parent), os.listdir

    def refused(path: str) -> list[str]:
        if path == folder:
            raise PermissionError(13, "Permission denied", path)
        return listed(path)

    other = Person(owner.home, owner.project.parent / "new")
    made(other)
    monkeypatch.setattr(os, "listdir", refused)
    assert other.run("list").code == 10
    assert WORD in owner.ok("list").out


def test_whose_a_store_of_an_earlier_version_is_is_noted_by_the_first_command(
    owner: Person, tmp_path: Path
) -> None:
    note = private(owner) / "project"
    note.write_text(f"{owner.project}\n")
    assert WORD in owner.ok("list").out
    owner.project.rename(tmp_path / "shop-before")
    made(owner)
    assert WORD not in owner.run("list").out


def test_a_person_brings_back_what_was_taken_for_another_repositorys(owner: Person) -> None:
    shutil.rmtree(owner.project)
    made(owner, "https://example.org/ada/shop-moved.git")
    assert WORD not in owner.run("list").out
    owner.ok("adopt", str(owner.project))
    owner.ok("save", "Always water the plants before a release")
    assert WORD in owner.ok("list").out
    assert WORD in brief(owner)


def test_an_environment_that_names_a_project_draws_no_other_session_into_it(
    two: tuple[Person, Person],
) -> None:
    one, other = two
    transcript(other, "bbbb", f"Which {WORD} holds the billing events of the shop?")
    named = {"RECOLLECT_PROJECT_ROOT": str(one.project)}
    one.ok("capture", str(one.home / ".claude/projects"), env=named)
    assert WORD not in one.run("list", env=named).out
    assert WORD in other.ok("list").out


@pytest.mark.parametrize("inside", ["", "/.claude/memory"])
def test_a_project_that_the_environment_names_has_one_store_wherever_it_is_named(
    two: tuple[Person, Person], tmp_path: Path, inside: str
) -> None:
    one, other = two
    for person in two:
        subprocess.run(["git", "init", "-q", str(person.project)], check=True)
        person.ok("save", f"The {person.project.name} kettle is green")
    third = tmp_path / "third"
    third.mkdir()
    named = {"RECOLLECT_PROJECT_ROOT": f"{third}{inside}"}
    for person in two:
        person.ok("save", f"The {WORD} shelf of {person.project.name}", env=named)
    assert one.ok("list", env=named).out.count(f"The {WORD}") == 2
    there = Person(one.home, third)
    assert there.ok("list").out.count(f"The {WORD}") == 2

    other.ok("init", "--scope", "project", env=named)
    assert there.ok("list").out.count(f"The {WORD}") == 2
    assert "kettle" not in there.ok("list").out
    assert "kettle" in other.ok("list").out


def moved(person: Person, name: str) -> Person:
    """The person in the same project under another name."""
    new = person.project.with_name(name)
    person.project.rename(new)
    return Person(person.home, new)


def test_a_project_that_was_renamed_gets_its_memories_back(two: tuple[Person, Person]) -> None:
    one, other = two
    one.ok("save", f"Use {WORD} for billing", "--kind", "decision")
    was = str(one.project)
    one = moved(one, "three")

    said = one.run("list")
    assert said.code == 10
    assert f"recollect adopt {was}" in said.err
    assert f"recollect adopt {was}" in one.run("doctor").out
    assert "1" in one.ok("adopt", was, "--dry-run").out
    assert one.run("list").code == 10

    assert one.ok("adopt", was, "--json").json["memories"] == 1

    assert WORD in one.ok("search", "billing").out
    assert private(one).joinpath("project").read_text() == f"{one.project}\n"
    assert not Path(locations.private_root(was, {"HOME": str(one.home)})).exists()
    assert "adopt" not in one.run("doctor").out
    assert WORD not in other.run("list").out


def test_what_was_said_at_the_new_place_stays_beside_what_is_brought(
    two: tuple[Person, Person],
) -> None:
    one, _ = two
    one.ok("save", f"Use {WORD} for billing", "--kind", "decision")
    was = str(one.project)
    one = moved(one, "three")
    one.ok("init", "--scope", "project")
    one.ok("save", "Deploy on Fridays", "--kind", "rule")

    one.ok("adopt", was)

    told = one.ok("list").out
    assert WORD in told
    assert "Fridays" in told
    assert "adopt" not in one.run("doctor").out


@pytest.mark.sampled(1)
@pytest.mark.parametrize("has_global", [False, True])
def test_what_was_brought_goes_back_to_where_it_was(
    two: tuple[Person, Person], has_global: bool
) -> None:
    one, _ = two
    if has_global:
        one.ok("init", "--scope", "global")
    one.ok("save", f"Use {WORD} for billing", "--kind", "decision")
    was = str(one.project)
    one = moved(one, "three")
    one.ok("save", "Deploy on Fridays", "--kind", "rule")
    one.ok("adopt", was)

    one.ok("undo")

    assert WORD not in one.ok("list").out
    one.ok("adopt", was)
    assert WORD in one.ok("list").out


def test_the_memories_of_a_project_that_is_there_stay_with_it(two: tuple[Person, Person]) -> None:
    one, other = two
    one.ok("save", f"Use {WORD} for billing", "--kind", "decision")
    said = other.run("adopt", str(one.project))
    assert said.code == 2
    assert "still there" in said.err
    never = other.run("adopt", str(one.project / "never-was"))
    assert never.code == 2
    assert "No private memories" in never.err
    assert WORD in one.ok("list").out


def test_an_agent_brings_no_other_projects_memories(two: tuple[Person, Person]) -> None:
    one, other = two
    one.ok("save", f"Use {WORD} for billing", "--kind", "decision")
    was = str(one.project)
    moved(one, "three")
    other.env["CLAUDECODE"] = "1"
    assert "adopt" not in other.run("list").err
    assert other.run("adopt", was).code == 2
    assert WORD not in other.run("search", "billing").out
