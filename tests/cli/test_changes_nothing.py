"""Commands that only read create nothing, and neither does `--dry-run`."""

from __future__ import annotations

import pytest
from tests.cli.running import Person, tree_of

READERS = (
    ("list",),
    ("list", "--json"),
    ("export", "--to", "markdown"),
    ("export", "--to", "json", "--private"),
    ("timeline",),
    ("stats",),
    ("search", "cache"),
    ("search", "--kind", "fact"),
    ("search", "cache", "--as-of", "2020-01-01"),
    ("recall", "cache of sessions"),
    ("recall", "--start"),
    ("show", "cache-of-sessions"),
    ("show", "cache-of-sessions", "--level", "3"),
    ("history",),
    ("history", "cache-of-sessions"),
    ("memory-list",),
    ("memory-get",),
    ("memory-get", "project"),
    ("list-sessions", "--all"),
    ("show-session", "teatime"),
    ("todo", "--session-id", "teatime"),
    ("review",),
    ("review", "--episodes", "--session", "teatime"),
    ("doctor", "--secrets"),
    ("merge",),
    ("conflicts",),
    ("archive", "--stats"),
    ("activate", "--list"),
)
WITHOUT_STORE = (("doctor",), ("config",), ("config", "lang"), ("--help",))
CHANGES = (
    ("init", "--scope", "both", "--client", "claude"),
    ("uninstall",),
    ("config", "lang", "zh"),
    ("config", "--unset", "lang"),
    ("save", "Another one", "--body", "text"),
    ("save", "Always run the tests"),
    ("save", "A private one", "--private"),
    ("edit", "cache-of-sessions", "--append", "more"),
    ("set", "cache-of-sessions", "salience=high"),
    ("forget", "cache-of-sessions"),
    ("forget", "cache-of-sessions", "--purge"),
    ("review", "--approve", "cache-of-sessions"),
    ("review", "--reject", "cache-of-sessions"),
    ("undo",),
    ("undo", "--to", "2020-01-01"),
    ("undo", "--gone"),
    ("consolidate",),
    ("rebuild-index",),
    ("archive", "--force"),
    ("merge", "cache-of-sessions", "i001-it-leaks", "--dismiss"),
    ("supersede", "cache-of-sessions", "i001-it-leaks"),
    ("doctor", "--repair"),
    ("capture", "."),
    ("add-decision", "Use Redis", "It is fast"),
    ("add-pattern", "Small commits"),
    ("add-issue", "It leaks again"),
    ("resolve", "i001"),
    ("extract-facts", "log.md"),
    ("extract-facts", "--session", "cache-of-sessions"),
    ("clear-facts",),
    ("memory-set", "project", "New text."),
    ("start-session", "Another task"),
    ("note", "A word", "--session-id", "teatime"),
    ("todo", "A thing", "--session-id", "teatime"),
    ("todo", "--done", "1", "--session-id", "teatime"),
    ("save-session", "--session-id", "teatime", "--tags", "tea"),
    ("cleanup-sessions", "--older-than", "0"),
    ("compress", "--older-than", "1"),
)


def _everything_of(person: Person) -> dict[str, str]:
    """All but what may be made again at any moment."""
    return tree_of(person.home, person.project, without=[str(person.home / ".cache")])


@pytest.fixture
def kept(person: Person) -> Person:
    """Somebody with a memory in their store."""
    person.ok("save", "Cache of sessions", "--body", "Redis, one hour.")
    person.ok("memory-set", "project", "A queue.")
    person.ok("add-issue", "It leaks")
    person.ok("todo", "Paint the lid", env={"RECOLLECT_SESSION": "teatime"})
    (person.project / "log.md").write_text("## Decisions\n- Use SQLite: it is there\n")
    return person


@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_nothing_is_created_when_there_is_no_store(
    stranger: Person, words: tuple[str, ...]
) -> None:
    before = tree_of(stranger.home, stranger.project)
    ran = stranger.run(*words)
    assert ran.code == 10
    assert "recollect init" in ran.err + ran.out
    assert tree_of(stranger.home, stranger.project) == before


@pytest.mark.parametrize("words", WITHOUT_STORE, ids=" ".join)
def test_nothing_is_created_by_commands_that_need_no_store(
    stranger: Person, words: tuple[str, ...]
) -> None:
    before = tree_of(stranger.home, stranger.project)
    assert stranger.run(*words).code == (1 if words == ("doctor",) else 0)
    assert tree_of(stranger.home, stranger.project) == before


@pytest.mark.slow
@pytest.mark.parametrize("words", [*READERS, *WITHOUT_STORE], ids=" ".join)
def test_reading_changes_nothing_but_the_cache(kept: Person, words: tuple[str, ...]) -> None:
    before = _everything_of(kept)
    kept.ok(*words)
    assert _everything_of(kept) == before


def test_reading_without_a_cache_folder_makes_the_index_again_and_nothing_else(
    kept: Person, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("cache")
    before = tree_of(kept.home, kept.project)
    kept.ok("search", "redis", env={"XDG_CACHE_HOME": str(elsewhere)})
    assert tree_of(kept.home, kept.project) == before
    assert list(elsewhere.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("words", CHANGES, ids=" ".join)
def test_a_dry_run_changes_nothing(kept: Person, words: tuple[str, ...]) -> None:
    before = _everything_of(kept)
    ran = kept.ok(*words, "--dry-run")
    assert _everything_of(kept) == before
    assert ran.out.strip()
    assert isinstance(kept.ok(*words, "--dry-run", "--json").json, dict | list)
    assert _everything_of(kept) == before


@pytest.mark.parametrize("words", CHANGES[3:8], ids=" ".join)
def test_a_dry_run_makes_no_private_store(stranger: Person, words: tuple[str, ...]) -> None:
    private = stranger.home / ".claude" / "memory"
    dry = stranger.run(*words, "--dry-run").code
    assert not private.exists()
    assert stranger.run(*words).code == dry
    assert not (stranger.project / ".claude").exists()
