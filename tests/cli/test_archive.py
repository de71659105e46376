"""The archive through the commands: what goes into it, what comes back."""

from __future__ import annotations

import subprocess

from .running import Person


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
    person.ok("init", "--scope", "project")
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


def test_private_facts_stay_out_of_git_when_they_are_cleared(person: Person) -> None:
    person.ok("init", "--scope", "project")
    person.ok("fact", "decision", "Pay salaries on Fridays")
    [page] = (person.store / "semantic" / "decisions").glob("*.md")
    page.write_text(page.read_text().replace("---\n", "---\nprivate: true\n", 1))
    (person.store / ".gitignore").write_text(f"/semantic/decisions/{page.name}\n")
    person.ok("fact", "clear", "--yes")
    assert seen_by_git(person) == set()
