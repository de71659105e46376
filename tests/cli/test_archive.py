"""The archive through the commands: what goes into it, what comes back."""

from __future__ import annotations

import subprocess

import pytest

from recollect.model.footnotes import label_of

from .running import Person
from .test_entries import ORDERS, RULES

RULE, FACT = "feedback#write-migrations-by-hand", "orders#^k3f9"
COLD = {RULE: "procedural/feedback-q4w5", FACT: "semantic/orders-k3f9"}
CLAUDE = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s-1"}


@pytest.fixture
def kept(person: Person) -> Person:
    """Somebody with a page of rules and a page of facts."""
    person.write("procedural/feedback.md", RULES)
    person.write("semantic/orders.md", ORDERS)
    return person


def pages(person: Person) -> dict[str, str]:
    """The pages of a store, without views."""
    return {
        path.relative_to(person.store).as_posix(): path.read_text()
        for path in person.store.rglob("*/*.md")
    }


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["q4w5", RULE, "k3f9", FACT])
def test_an_entry_leaves_its_page_and_comes_back_as_it_was(kept: Person, name: str) -> None:
    before, full = pages(kept), {"q4w5": RULE, "k3f9": FACT}.get(name, name)
    row = next(one for one in kept.ok("list", "--json").json if one["entry"][:4] == COLD[full][-4:])
    page = f"archive/{COLD[full]}.md"
    would = kept.ok("archive", name, "--dry-run")
    assert (would.out, pages(kept)) == (f"Would archive {full}: {kept.store}/{page}\n", before)
    done = kept.ok("archive", name)
    back = COLD[full].rpartition("/")[2]
    assert done.out == (
        f"Archived {full}: {kept.store}/{page}\n  `recollect activate {back}` brings it back\n"
    )
    after = pages(kept)
    assert set(after) == {*before, page}
    assert f"entry-of: {full.partition('#')[0]}\n" in after[page]
    [cold] = kept.ok("list", "--archived", "--json").json
    assert " · archived · " in kept.ok("show", back).out
    about = (
        "kind",
        "status",
        "trust",
        "source",
        "created",
        "session",
        "text",
        "entry",
        "title",
        "tags",
    )
    assert [cold[key] for key in about] == [row[key] for key in about]
    others = [one["text"] for one in kept.ok("list", "--json").json]
    assert row["text"] not in others
    assert len(others) == 4
    assert kept.ok("archive", back).out == f"{back} is already archived.\n"
    would = kept.ok("activate", back, "--dry-run")
    assert (would.out.startswith(f"Would bring back {back}: "), pages(kept)) == (True, after)
    kept.ok("activate", name)  # by the id of the entry, or the name that it had on its page
    assert pages(kept) == before
    assert kept.ok("list", "--archived").out == "No memory matches.\n"


@pytest.mark.parametrize("is_alone", [False, True])
def test_what_is_brought_back_is_named_as_it_is_called_now(kept: Person, is_alone: bool) -> None:
    cold = kept.ok("archive", "k3f9", "--json").json["archived"]
    if is_alone:
        kept.ok("forget", "orders")
    told = [kept.ok("activate", cold, "--json", *words).json for words in (["--dry-run"], [])]
    assert told[0] == told[1]
    for key in ("id", "active"):
        assert "PostgreSQL" in kept.ok("show", told[1][key]).out
    assert is_alone or "#" in told[1]["id"]


@pytest.mark.parametrize("letters", ["k3f9", "k3f9ab"])
def test_the_archive_lists_an_entry_by_its_words(kept: Person, letters: str) -> None:
    kept.write("semantic/orders.md", ORDERS.replace("k3f9", letters))
    kept.ok("archive", letters)
    [row] = kept.ok("activate", "--list", "--json").json
    assert (row["id"], "PostgreSQL" in row["title"]) == (f"orders-{letters}", True)


def test_what_is_archived_is_told_nowhere_and_search_knows_of_it(kept: Person) -> None:
    asked = "how do we write migrations by hand?"
    assert RULE in kept.ok("recall", asked).out
    kept.ok("archive", "q4w5")
    told = [kept.ok("recall", asked).out, kept.ok("recall", "--start").out, kept.ok("list").out]
    told.append((kept.store / "MEMORY.md").read_text())
    assert not any("by hand" in text.replace(asked, "") for text in told)
    assert "Skip the migrations" in told[0]
    assert "In the archive: 1; --archived shows what is there." in kept.ok("search", "by hand").out
    [hit] = kept.ok("search", "by hand", "--archived", "--json").json["hits"]
    assert (hit["id"], hit["trust"], hit["created"][:10]) == ("feedback-q4w5", "user", "2026-10-06")
    why = kept.ok("recall", asked, "--why-not", "q4w5").out
    assert "feedback-q4w5#write-migrations-by-hand is archived" in why
    kept.ok("consolidate")
    assert "by hand" not in kept.ok("list").out
    kept.ok("activate", "q4w5")
    assert RULE in kept.ok("recall", asked).out


def test_undo_and_history_know_both_ways(kept: Person) -> None:
    before = pages(kept)
    kept.ok("archive", "q4w5")
    cold = pages(kept)
    kept.ok("activate", "q4w5")
    what = [one["what"] for one in kept.ok("history", "feedback", "--json").json[:2]]
    causes = [one["cause"] for one in kept.ok("history", "feedback", "--json").json[:2]]
    assert (what, causes) == (["moved", "changed"], ["activate", "archive"])
    kept.ok("undo")
    assert pages(kept) == cold
    kept.ok("undo", "feedback")
    assert pages(kept) == before


def test_a_page_that_only_the_entry_was_on_is_there_again(kept: Person) -> None:
    kept.ok("forget", "z7x8")
    kept.ok("forget", "feedback#review-every-migration")
    page = pages(kept)["procedural/feedback.md"]
    kept.ok("archive", "q4w5")
    assert "procedural/feedback.md" not in pages(kept)
    kept.ok("save", "Always squash", "--kind", "rule")
    kept.ok("activate", "q4w5")
    rules = pages(kept)["procedural/feedback.md"]
    for line in (
        "## Write migrations by hand ^q4w5 [^0b6f]\n\nNever generate a migration.\n",
        "squash",
    ):
        assert line in rules
    kept.ok("forget", "feedback#always-squash")
    assert page.partition("# How")[2] == pages(kept)["procedural/feedback.md"].partition("# How")[2]
    kept.ok("archive", "q4w5")
    kept.ok("activate", "feedback-q4w5")
    assert "entry-of" not in pages(kept)["procedural/feedback.md"]
    assert "^q4w5" in pages(kept)["procedural/feedback.md"]


def test_a_rule_that_was_saved_again_meanwhile_is_not_doubled(kept: Person) -> None:
    kept.ok("archive", "q4w5")
    kept.ok("save", "Write migrations by hand", "--kind", "rule")
    name = next(one["anchor"] for one in kept.ok("list", "--json").json if "by hand" in one["text"])
    ran = kept.run("activate", "feedback-q4w5")
    assert (ran.code, f"`recollect forget feedback#{name}`" in ran.err) == (1, True), ran
    kept.ok("forget", f"feedback#{name}")
    kept.ok("activate", "feedback-q4w5")
    texts = [one["text"] for one in kept.ok("list", "--json").json]
    assert len([text for text in texts if "by hand" in text]) == 1


def test_core_files_and_whole_shared_pages_stay(kept: Person) -> None:
    before = pages(kept)
    for name, why in (("feedback", "one by one"), ("project", "`recollect forget project`")):
        kept.ok("core", "set", "project", "Orders in Go.") if name == "project" else None
        before = pages(kept)
        ran = kept.run("archive", name)
        assert (ran.code, why in ran.err) == (2, True), ran
        assert pages(kept) == before


def test_one_statement_of_a_session_is_not_archived_alone(kept: Person) -> None:
    kept.write(
        "episodic/2026-10-06-orders/summary.md",
        "---\ntitle: Orders\ntype: episodic\nkind: session\ncreated: 2026-10-06\n---\n"
        "## Decisions\n\n- [technology] Zebras are in PostgreSQL: we need JSONB\n"
        "- [approach] Zebras have stripes\n",
    )
    name = next(one for one in kept.ok("list", "--json").json if "stripes" in one["text"])
    ran = kept.run("archive", name["entry"])
    assert ran.code == 2
    assert "`recollect archive 2026-10-06-orders`" in ran.err
    assert f"`recollect forget 2026-10-06-orders#{name['anchor']}`" in ran.err


def test_an_agent_takes_back_only_what_it_archived_itself(kept: Person) -> None:
    before = pages(kept)
    kept.ok("archive", "q4w5", env=CLAUDE)
    assert kept.run("undo", env={**CLAUDE, "CLAUDE_CODE_SESSION_ID": "s-2"}).code == 2
    kept.ok("undo", env=CLAUDE)
    assert pages(kept) == before
    kept.ok("archive", "z7x8", env=CLAUDE)
    kept.ok("activate", "z7x8")
    assert kept.run("undo", env=CLAUDE).code != 0
    assert pages(kept) == before


@pytest.mark.parametrize("origin", ["s-9", "2026-10-06-schema"])
def test_the_session_that_taught_it_does_not_tell_it_instead(kept: Person, origin: str) -> None:
    kept.write(
        "episodic/2026-10-06-schema/summary.md",
        "---\ntitle: Schema for orders\ntype: episodic\nkind: session\nsession: s-9\n"
        "created: 2026-10-06\n---\n## Decisions\n\n- [technology] Order store: PostgreSQL, because we need JSONB.\n",
    )
    kept.write("semantic/orders.md", ORDERS.replace("0b6f]", f"{label_of(origin)}]"))
    kept.ok("archive", "k3f9")
    assert "JSONB" not in kept.ok("list").out
    assert "JSONB" not in kept.ok("recall", "which store do orders use, PostgreSQL?").out
    kept.ok("consolidate")
    assert "JSONB" not in kept.ok("list").out
    kept.ok("activate", "k3f9")
    assert kept.ok("list").out.count("JSONB") == 1
    kept.ok("forget", "k3f9")
    assert not any("JSONB" in text for text in pages(kept).values())


def test_it_is_said_in_chinese(kept: Person) -> None:
    kept.ok("config", "lang", "zh")
    done = kept.ok("archive", "q4w5").out
    assert done.startswith(f"已归档 {RULE}：")
    assert "`recollect activate feedback-q4w5` 可取回" in done
    assert kept.ok("activate", "q4w5").out.startswith("已取回 ")
    assert "逐条归档" in kept.run("archive", "feedback").err


def test_an_entry_of_a_private_page_stays_out_of_git(kept: Person) -> None:
    kept.write("semantic/orders.md", ORDERS.replace("type:", "private: true\ntype:"))
    (kept.store / ".gitignore").write_text("/semantic/orders.md\n")
    kept.ok("archive", "k3f9")
    assert seen_by_git(kept) == set()
    kept.ok("forget", "orders")
    kept.ok("activate", "k3f9")
    assert seen_by_git(kept) == set()


def seen_by_git(person: Person) -> set[str]:
    """The private files of a store that a commit would take along."""
    subprocess.run(["git", "init", "-q", str(person.project)], check=True)
    files = [str(path) for path in person.store.rglob("*.md") if "private:" in path.read_text()]
    said = subprocess.run(
        ["git", "check-ignore", *files],
        cwd=person.project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert files
    return set(files) - set(said.stdout.splitlines())


def test_what_is_private_stays_out_of_git_in_the_archive(person: Person) -> None:
    person.ok("save", "Use PostgreSQL for salaries", "--kind", "decision", "--private")
    assert seen_by_git(person) == set()
    person.ok("archive", "use-postgresql-for-salaries")
    assert seen_by_git(person) == set()
    before = (person.store / ".gitignore").read_text()
    person.ok("activate", "use-postgresql-for-salaries")
    person.ok("archive", "use-postgresql-for-salaries")
    assert (person.store / ".gitignore").read_text() == before
    person.ok("undo")
    person.ok("undo")
    person.ok("undo")
    assert seen_by_git(person) == set()
    assert (person.store / "semantic" / "decisions" / "use-postgresql-for-salaries.md").exists()


@pytest.mark.parametrize("how", ["set", "editor", "renamed"])
def test_whatever_makes_a_memory_private_keeps_it_out_of_git(how: str, person: Person) -> None:
    is_renamed = how == "renamed"
    private = ["--private"] if is_renamed else []
    person.ok("save", "Safe", "--kind", "fact", "--body", "Behind the teapot.", *private)
    page = person.store / "semantic/safe.md"
    if how == "set":
        person.ok("set", "safe", "private=true")
    elif is_renamed:
        page.rename(page.with_name("vault.md"))
    else:
        page.write_text(page.read_text().replace("---\n", "---\nprivate: true\n", 1))
    if how != "set":
        person.ok("list")
        assert ".gitignore does not list it" in person.run("doctor").out
        person.ok("save", "Tea", "--kind", "fact", "--body", "Green.")
    assert seen_by_git(person) == set()
    assert ".gitignore does not list it" not in person.run("doctor").out
    if how != "set":
        person.ok("undo")  # of what another memory brought along
        assert seen_by_git(person) == set()


def test_private_facts_stay_out_of_git_when_they_are_cleared(person: Person) -> None:
    person.ok("fact", "decision", "Pay salaries on Fridays")
    [page] = (person.store / "semantic" / "decisions").glob("*.md")
    page.write_text(page.read_text().replace("---\n", "---\nprivate: true\n", 1))
    (person.store / ".gitignore").write_text(f"/semantic/decisions/{page.name}\n")
    person.ok("fact", "clear", "--yes")
    assert seen_by_git(person) == set()


def test_an_empty_archive_is_called_empty(person: Person) -> None:
    person.ok("save", "Orders are in PostgreSQL")
    assert person.ok("activate", "--list").out == "The archive is empty.\n"
    assert person.ok("activate", "--search", "orders").out == "Nothing found.\n"


def test_the_id_under_which_a_conversation_is_archived_is_said(person: Person) -> None:
    for folder in ("episodic", "archive/episodic"):
        person.write(f"{folder}/talk/summary.md", f"---\nkind: conversation\n---\n# In {folder}\n")
    shown = person.ok("archive", "talk").out
    assert "`recollect activate talk-2` brings it back" in shown
    person.ok("activate", "talk-2")
    assert "In episodic" in (person.store / "episodic/talk-2/summary.md").read_text()
