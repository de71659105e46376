"""What holds for every command."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator

import pytest
from tests.cli.running import Person

from recollect.interfaces.cli.help import help_of
from recollect.interfaces.cli.main import FAMILIES, FULL_NAMES, GROUPS, MEANT, command_of

NAMES = [name for rows in GROUPS.values() for name, _, _ in rows]
READERS = set(
    "doctor search recall show list timeline stats history memory-get memory-list list-sessions"
    " show-session key-list textconv given status".split()
)
WITHOUT_DRY_RUN = READERS | {
    "export",
    "browse",
    "calls",
    "demo",
    "mcp",
    "merge-driver",
}


def _examples(name: str) -> Iterator[str]:
    text = help_of(name).split("Example:", 1)[1].split("Options:", 1)[0]
    for line in text.replace("\\\n", "").splitlines():
        command = line.strip().split("| ")[-1].removeprefix('eval "$(').replace(')"', "")
        if command:
            yield command.split("  #")[0].split(" > ")[0].strip()


@pytest.mark.parametrize("name", NAMES)
def test_help_says_what_it_does_and_shows_an_example(name: str) -> None:
    text = help_of(name)
    first = text.split("\n\n")[1].strip()
    assert first.endswith((".", ":"))
    assert f"recollect {FULL_NAMES.get(name, name)}" in text.split("Example:")[1]
    assert all(len(line) <= 100 for line in text.splitlines())


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_are_understood(name: str) -> None:
    examples = list(_examples(name))
    assert examples
    for example in examples:
        words = shlex.split(example)
        full = ["recollect", *FULL_NAMES.get(name, name).split()]
        assert words[: len(full)] == full
        command_of(name).parse(words[len(full) :])


@pytest.mark.parametrize("name", NAMES)
def test_every_command_answers_as_json_and_every_change_can_be_tried(name: str) -> None:
    options = {flag for one in command_of(name).parameters for flag in one.flags}
    assert "--json" in options
    assert ("--dry-run" in options) == (name not in WITHOUT_DRY_RUN) or name == "doctor"


def _modules(person: Person, code: str) -> set[str]:
    """The modules that a program names at its end, run as a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=person.project, env=person.environment({"PYTHONPATH": ":".join(sys.path)}),
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return set(ran.stdout.splitlines()[-1].split())


# What `sys.modules` gains: 171 when every command loaded click; what reads and writes JSON are 13 more.
MODULES_OF_A_SEARCH, MODULES_OF_JSON = 91, 13


def _loaded_by(person: Person, *words: str) -> set[str]:
    code = (
        f"import sys; before = {{*sys.modules}}; sys.argv = ['recollect', *{words!r}]\n"
        "from recollect.model import memory as looks; looks.TICK_NS = -(1 << 62)\n"  # files are old enough
        "from recollect.interfaces.cli.main import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print('', *{*sys.modules} - before)"
    )
    return _modules(person, code)


def test_what_people_type_for_a_command_names_it(person: Person) -> None:
    assert not MEANT.keys() & {*NAMES, *FAMILIES}
    assert {said.split()[0] for said in MEANT.values()} <= {*NAMES, "--help"}
    assert "Did you mean `recollect forget`?" in person.run("delete").err
    assert "`recollect review --approve`" in person.run("approve", "x").err
    assert "`recollect forget --purge`" in person.run("purge", "x").err
    assert "`recollect session --help`" in person.run("session", "xx").err


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_choice_is_taken_as_lists_show_it(lang: str, person: Person) -> None:
    person.ok("init", "--scope", "project", "--lang", lang)
    person.ok("save", "Orders use PostgreSQL", "--kind", "决定")
    for words in (
        ["--kind", "决定"],
        ["--type", "决定"],
        ["--layer", "语义"],
        ["--kind", "decision"],
    ):
        assert [one["kind"] for one in person.ok("list", *words, "--json").json] == ["decision"]
    assert person.run("list", "--kind", "决心").code == 2


def test_a_time_that_is_none_is_answered_with_one(person: Person) -> None:
    for words in (["undo", "--to", "昨天"], ["search", "x", "--as-of", "yesterday"]):
        failed = person.run(*words)
        assert (failed.code, "a day such as 2026-01-31" in failed.err) == (10, True)


def test_who_searches_for_an_option_of_another_program_is_told_how(person: Person) -> None:
    assert "If you mean the word, write `-- --dev-key`." in person.run("search", "--dev-key").err
    assert "If you mean" not in person.run("stats", "--dev-key").err
    person.ok("init")
    person.ok("search", "--", "--dev-key")


def test_who_forgets_the_quotes_is_told_so(person: Person) -> None:
    assert "in quotes" in person.run("save", "Orders", "use", "MySQL").err
    assert "in quotes" not in person.run("show", "a", "b").err


def test_only_the_module_of_a_command_is_imported(person: Person) -> None:
    modules = _loaded_by(person, "list")
    ours = {m.rpartition(".")[2] for m in modules if m.startswith("recollect.interfaces.cli.")}
    assert ours == {"command", "console", "main", "parsing", "read"}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", [["pool"], ["pool", "--limit", "3", "--json"], ["nothinglikeit"]])
def test_a_search_is_light_in_the_set_up_that_everybody_has(
    person: Person, words: list[str]
) -> None:
    person.ok("init", "--scope", "both")  # the store of all projects stays empty
    person.ok("config", "recall.prompt_tokens", "700")
    person.ok("save", "The pool has 20 connections", "--kind", "fact")
    person.ok("list")  # what a save did is seen to be done
    modules = _loaded_by(person, "search", *words)
    ours = {m.rpartition(".")[2] for m in modules if m.startswith("recollect.interfaces.cli.")}
    assert ours == {"command", "console", "main", "parsing", "read"}
    most = MODULES_OF_A_SEARCH + MODULES_OF_JSON * ("--json" in words)
    assert len(modules) <= most, sorted(modules)
    heavy = {"click", "typing", "datetime", "shutil", "tomllib", "rich", "ast", "locale"}
    more = {"tomlkit", "anyascii", "_hashlib", "recollect.text.redact"}
    assert not modules & (heavy | more)
    assert not modules & {"re", "enum"} or "--json" in words


def test_a_save_brings_neither_openssl_nor_what_only_an_embedder_needs(person: Person) -> None:
    code = (
        "import sys; sys.argv = ['recollect', 'save', 'Told', '--kind', 'fact']\n"
        "from recollect.interfaces.cli.main import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print(*sys.modules)"
    )
    assert not _modules(person, code) & {"_hashlib", "numpy", "click", "typing", "tomllib", "ast"}


def test_a_note_loads_nothing_of_consolidation_and_no_reader_of_transcripts(person: Person) -> None:
    person.ok("session", "start", "Pool", env={"RECOLLECT_SESSION": "s1"})
    modules = _loaded_by(person, "session", "note", "Twenty connections", "--session-id", "s1")
    assert "recollect.features.sessions" in modules
    assert "recollect.features.capture" not in modules
    assert not [name for name in modules if name.startswith("recollect.consolidate")]


def test_a_worker_with_nothing_to_do_loads_nothing_of_consolidation(person: Person) -> None:
    person.ok("save", "The pool has 20 connections", "--kind", "fact")
    code = (
        "import sys; from recollect.worker import main\n"
        f"main({str(person.store)!r})\n"
        "print(*sys.modules)"
    )
    _modules(person, code)  # which does what is to be done once a day
    loaded = _modules(person, code)
    assert not loaded & {"dataclasses", "subprocess", "click", "tomllib", "yaml"}
    assert not [name for name in loaded if name.startswith("recollect.consolidate")]


# ------------------------------------------------------------------------------- the editor


def _editor(person: Person, script: str) -> dict[str, str]:
    """An environment whose editor does this to the file `$1`."""
    path = person.home / "my editor.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return {"VISUAL": f'"{path}"', "EDITOR": "false"}


@pytest.fixture
def kept(person: Person) -> Person:
    """Somebody with a memory whose lines end as on another system."""
    person.write("semantic/old.md", "---\r\nid: old\r\ntitle: Old\r\n---\r\n# Old\r\n\r\nfirst\r\n")
    return person


def test_the_editor_gets_the_file_and_every_byte_comes_back(kept: Person) -> None:
    ran = kept.at_terminal("edit", "old", env=_editor(kept, 'sed -i s/first/second/ "$1"'))
    assert ran.code == 0, ran
    data = (kept.store / "semantic" / "old.md").read_bytes()
    assert data.endswith(b"---\r\n# Old\r\n\r\nsecond\r\n")
    assert b"title: Old\r\n" in data


def test_an_editor_that_changes_nothing_changes_nothing(kept: Person) -> None:
    before = (kept.store / "semantic" / "old.md").read_bytes()
    assert "already like that" in kept.at_terminal("edit", "old", env=_editor(kept, ":")).out
    assert (kept.store / "semantic" / "old.md").read_bytes() == before


def test_an_editor_that_fails_changes_nothing_and_is_named(kept: Person) -> None:
    before = (kept.store / "semantic" / "old.md").read_bytes()
    ran = kept.at_terminal("edit", "old", env={"EDITOR": "false"})
    assert ran.code != 0
    assert "The editor false exited with 1" in ran.out
    assert (kept.store / "semantic" / "old.md").read_bytes() == before


def test_a_text_is_kept_when_somebody_else_was_quicker(kept: Person) -> None:
    file = kept.store / "semantic" / "old.md"
    script = f'sed -i s/first/mine/ "$1"; sed -i s/first/theirs/ "{file}"'
    ran = kept.at_terminal("edit", "old", columns=1000, env=_editor(kept, script))
    assert ran.code == 12
    assert b"theirs" in file.read_bytes()
    kept_text = ran.out.split("saved to ")[1].split(";")[0]
    with open(kept_text, "rb") as found:
        assert b"mine\r\n" in found.read()


def test_a_purge_is_confirmed_at_a_terminal_and_refused_without_one(kept: Person) -> None:
    file = kept.store / "semantic" / "old.md"
    assert kept.run("forget", "old", "--purge").code == 2
    ran = kept.at_terminal("forget", "old", "--purge", typed="n\n")
    assert ran.code == 1
    assert "Stopped; nothing was changed." in ran.out
    assert file.exists()
    assert kept.at_terminal("forget", "old", "--purge", typed="y\n").code == 0
    assert not file.exists()


def test_errors_name_commands_as_help_does(person: Person) -> None:
    assert "See `recollect core set --help`." in person.run("core", "set").err
    assert "See `recollect session todo --help`." in person.run("todo", "--nope").err
    assert person.ok("help", "help").out == person.ok("help").out


def test_help_is_json_where_that_is_asked_for(person: Person) -> None:
    told = person.ok("help", "core", "set", "--json").json
    assert told == person.ok("core", "set", "--help", "--json").json
    assert (told["command"], told["usage"].split()[:3]) == (
        "core set",
        ["recollect", "core", "set"],
    )
    assert "--file PATH" in {row["option"] for row in told["options"]}
    every = {row["command"] for row in person.ok("help", "all", "--json").json["commands"]}
    assert {"save", "key rewrap"} <= every
    assert person.ok("key", "--json").json["commands"][0]["command"] == "key init"
    assert {row["group"] for row in person.ok("help", "--json").json["groups"]} >= {"core"}
    assert person.run("help", "nonsense", "--json").json["error"]["kind"] == "command-not-found"


def test_a_statement_that_is_saved_is_a_save_in_the_history(person: Person) -> None:
    person.ok("save", "Order numbers are ULIDs", "--subject", "Orders")
    assert person.ok("history", "--json").json[0]["cause"] == "save"
    assert person.ok("undo").out.startswith("Undid save of orders")


def test_what_needs_the_store_of_all_projects_says_how_to_make_that(person: Person) -> None:
    person.ok("save", "Use Redis", "--kind", "decision")
    refused = person.run("promote", "use-redis", "--to", "global")
    assert refused.code == 10
    assert refused.err.endswith("→ Make one with `recollect init --scope global`.\n")
