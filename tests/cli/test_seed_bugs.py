"""What went wrong in the first implementations and has no better place; and where the rest is.

The names are those of the list of their bugs: M of the two-tier memory, K of the structured facts in
version 7, H of what became of it. Each is shown by one of the tests named below.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tests.cli.running import Person
from tests.unit.build import is_quick

TESTS = Path(__file__).resolve().parents[1]
SHOWN = {
    "M1": "cli/test_sessions.py::test_two_sessions_of_one_task_and_day_are_two_memories",
    "M2": "cli/test_seed_bugs.py::test_words_are_found_in_any_order_and_tags_in_any_case",
    "M3": "cli/test_seed_bugs.py::test_what_cannot_be_read_is_named_when_the_index_is_made_anew",
    "M4": "cli/test_seed_bugs.py::test_everything_is_found_again_when_the_index_was_spoilt_and_made_anew",
    "M5": "crash/test_many_at_once.py::test_eight_writers_beside_three_rebuilds_and_two_consolidations_lose_nothing",
    "M6": "cli/test_sessions.py::test_a_task_is_data",
    "M7": "unit/test_pointers.py::test_taking_the_block_out_gives_back_the_bytes_that_were_there",
    "M8": "capture/test_seed_bugs.py::test_broken_or_partial_settings_stop_no_session",
    "M9": "cli/test_seed_bugs.py::test_a_home_that_a_client_made_before_is_no_store_yet",
    "M10": "cli/test_sessions.py::test_nobody_else_s_session_is_taken_for_ours",
    "M11": "cli/test_sessions.py::test_an_unknown_session_is_named_and_nothing_is_saved",
    "M12": "cli/test_sessions.py::test_blank_titles_do_no_harm",
    "M13": "cli/test_sessions.py::test_the_tags_of_a_session_do_not_depend_on_a_hash",
    "M14": "cli/test_sessions.py::test_a_task_is_data",
    "M15": "cli/test_changes_nothing.py::test_nothing_is_created_when_there_is_no_store",
    "M16": "cli/test_sessions.py::test_a_task_is_data",
    "M17": "cli/test_sessions.py::test_a_clock_that_goes_back_loses_nothing",
    "K1": "cli/test_facts.py::test_a_damaged_view_costs_nothing",
    "K2": "crash/test_many_facts.py::test_twenty_commands_at_once_keep_all_twenty_facts",
    "K3": "cli/test_facts.py::test_a_concept_may_have_any_name",
    "K4": "unit/test_facts.py::test_items_are_found_with_all_their_lines",
    "K5": "cli/test_facts.py::test_any_text_is_data",
    "K6": "cli/test_facts.py::test_any_text_is_data",
    "K7": "cli/test_facts.py::test_nothing_private_reaches_a_disk",
    "K8": "cli/test_facts.py::test_line_ends_make_no_difference",
    "K9": "cli/test_facts.py::test_extracting_twice_adds_nothing",
    "K10": "services/test_facts.py::test_clearing_archives_what_it_is_asked_for_and_leaves_no_concept_behind",
    "K11": "services/test_facts.py::test_a_number_is_not_given_again_when_its_fact_is_gone",
    "K12": "hooks/test_any_input.py::test_nothing_is_recorded_without_a_session",
    "K13": "capture/test_seed_bugs.py::test_sessions_of_one_minute_have_a_copy_and_a_memory_each",
    "K14": "cli/test_facts.py::test_a_folder_below_is_the_same_project",
    "K15": "cli/test_facts.py::test_a_damaged_view_costs_nothing",
    "K16": "hooks/test_session_start.py::test_a_brief_stays_below_the_cap_of_the_client",
    "K17": "hooks/test_asking.py::test_an_interval_that_is_none_is_five",
    "K18": "cli/test_facts.py::test_a_name_never_leads_out_of_the_folder_of_sessions",
    "K19": "cli/test_facts.py::test_search_knows_words_in_any_order_concepts_and_files",
    "H1": "capture/test_seed_bugs.py::test_every_line_is_taken_when_two_sessions_take_turns",
    "H2": "capture/test_seed_bugs.py::test_every_line_is_taken_when_two_sessions_take_turns",
    "H3": "hooks/test_asking.py::test_no_tool_use_is_lost_when_hooks_run_at_once",
    "H4": "capture/test_seed_bugs.py::test_nothing_is_taken_again_however_often_it_is_asked_for",
    "H5": "capture/test_seed_bugs.py::test_no_session_command_touches_a_person_s_file",
    "H6": "cli/test_seed_bugs.py::test_everything_is_found_again_when_the_index_was_spoilt_and_made_anew",
    "H7": "cli/test_compress.py::test_doing_it_again_changes_nothing",
    "H8": "cli/test_seed_bugs.py::test_no_search_is_taken_for_a_pattern",
    "H9": "capture/test_seed_bugs.py::test_secrets_and_private_parts_are_in_no_copy_of_a_session",
    "H10": "cli/test_sessions.py::test_what_is_open_in_a_saved_session_is_in_the_next_brief",
    "H11": "capture/test_seed_bugs.py::test_a_turn_of_words_and_calls_keeps_both",
    "H12": "hooks/test_any_input.py::test_hooks_end_when_stdin_never_says_anything",
    "H13": "crash/test_locks.py::test_a_lock_of_a_killed_holder_is_free",
    "H14": "unit/test_text.py::test_two_or_more_chinese_characters_find_the_text_they_are_in",
}


def test_every_bug_of_the_lists_has_its_test() -> None:
    assert list(SHOWN) == [
        f"{letter}{n}"
        for letter, last in (("M", 17), ("K", 19), ("H", 14))
        for n in range(1, last + 1)
    ]


@pytest.mark.parametrize("place", sorted(set(SHOWN.values())))
def test_the_test_of_a_bug_is_there(place: str) -> None:
    file, _, name = place.partition("::")
    tree = ast.parse((TESTS / file).read_text("utf-8"))
    known = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert name in known


@pytest.mark.parametrize(
    "words", ["redis pooling", "pooling redis", "--tags CACHE", "--tags cache"]
)
def test_words_are_found_in_any_order_and_tags_in_any_case(person: Person, words: str) -> None:
    """M2."""
    person.ok("save", "Redis connection pooling", "--tags", "Cache,redis")
    person.ok("save", "Something else")
    hits = person.ok("search", *words.split(), "--json").json["hits"]
    assert [hit["id"] for hit in hits] == ["redis-connection-pooling"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("damage", [b"", b"{", b"\0" * 4096, b"SQLite format 3\0" + b"x" * 4096])
def test_everything_is_found_again_when_the_index_was_spoilt_and_made_anew(
    person: Person, damage: bytes
) -> None:
    """M4, H6: nothing depends on what can be made again; views are made again too."""
    for title in ("Blue kettle", "Red lid", "Green spout"):
        person.ok("save", title)
    (index,) = person.home.rglob("index.db")
    index.write_bytes(damage)
    for view in ("MEMORY.md", ".index.json"):
        (person.store / view).write_bytes(damage)
    person.ok("rebuild-index")
    for word in ("kettle", "lid", "spout"):
        assert len(person.ok("search", word, "--json").json["hits"]) == 1
    assert "Blue kettle" in (person.store / "MEMORY.md").read_text("utf-8")
    assert "Blue kettle" in (person.store / ".index.json").read_text("utf-8")


def test_what_cannot_be_read_is_named_when_the_index_is_made_anew(person: Person) -> None:
    """M3: one unreadable entry of the log ended every command."""
    person.ok("save", "Blue kettle")
    person.write("semantic/broken.md", "---\ntags: [a, b\ntitle: open\n---\nRed lid.\n")
    (person.store / "semantic/link.md").symlink_to("/etc/passwd")
    [journal] = (person.store / "journal").glob("ops-*.jsonl")
    with journal.open("a") as file:
        file.write('{"op":"put","half\n')
    named = ["semantic/broken.md", "semantic/link.md", f"journal/{journal.name}"]
    for words in ((), ("--dry-run",)):
        [row] = person.ok("rebuild-index", "--json", *words).json
        assert (row["before"], row["after"], row["problems"]) == (2, 2, 3)
        assert sorted(one["path"] for one in row["unread"]) == sorted(named)
        said = person.ok("rebuild-index", *words).out
        assert all(f"  {path}  " in said for path in named)
    assert person.ok("search", "kettle", "--json").json["hits"]
    assert person.ok("search", "lid", "--json").json["hits"]


def test_a_home_that_a_client_made_before_is_no_store_yet(stranger: Person) -> None:
    """M9."""
    (stranger.home / ".claude" / "projects").mkdir(parents=True)
    (stranger.home / ".claude" / "settings.json").write_text("{}")
    stranger.ok("init", "--scope", "global")
    stranger.ok("save", "For all projects", "--scope", "global")
    assert (stranger.home / ".claude/memory/semantic/for-all-projects.md").exists()
    assert (stranger.home / ".claude/settings.json").read_text() == "{}"


@pytest.mark.sampled(5)
@pytest.mark.parametrize("cue", ["(", "(a+)+$", "[", "*", "a{1,9999}", "NEAR(", '"', "-", "\\"])
def test_no_search_is_taken_for_a_pattern(person: Person, cue: str) -> None:
    """H8."""
    person.ok("save", "Letters", "--body", "a" * 5_000 + "!")
    assert is_quick(lambda: person.ok("search", "--json", "--", cue))
