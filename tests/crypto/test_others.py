"""Who is not the person at the terminal gets nothing of what is encrypted, and can't change whom it is for."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest
from tests.cli.running import Person
from tests.crypto.desk import BODY, TITLE, Desk, says
from tests.hooks.machine import HOOK

from recollect.api import open_store
from recollect.app import App
from recollect.errors import Encrypted, Failed, RecollectError
from recollect.features import agent_tools as tools
from recollect.model.document import sealed_of
from recollect.model.memory import Change, Filter
from recollect.privacy import keys as age

OTHER = age.new_secret()


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "line",
    [
        "show {id}", "show {id} --level 0", "search kingfisher --encrypted", "list --encrypted",
        "edit {id} --append x", "edit {id} --append x --dry-run", "set {id} salience=high",
        "decrypt {id}", "decrypt {id} --dry-run", "textconv .claude/memory/encrypted/{id}.md.age",
        "merge {id} plain", "promote {id} --to global", "pin {id}", "supersede {id} plain",
    ],
)  # fmt: skip
def test_an_agent_gets_no_word_of_it(desk: Desk, line: str) -> None:
    name = desk.save()
    desk.person.ok("save", "Plain", "--body", "text")
    before = desk.file(name).read_bytes()
    ran = desk.person.run(*line.format(id=name).split(), env={"CLAUDECODE": "1"})
    assert not says(ran, ("salary", "zbigniew", "marmalade"))
    assert ran.code != 70
    assert desk.file(name).read_bytes() == before
    assert desk.left() == []


def test_an_agent_can_save_what_it_cannot_read(desk: Desk) -> None:
    ran = desk.person.ok(
        "save", TITLE, "--encrypt", "--body", BODY, "--json", env={"CLAUDECODE": "1"}
    )
    shown = desk.person.ok("show", ran.json["id"], "--json").json
    assert (shown["text"], shown["trust"]) == (f"# {TITLE}\n\n{BODY}", "agent")


@pytest.fixture
def app(desk: Desk) -> App:
    return App(str(desk.person.project), desk.person.environment({}))


def test_the_tools_of_the_server_open_nothing(desk: Desk, app: App) -> None:
    name = desk.save()
    said = ""
    for ask in (
        lambda: tools.expand(app, name).text,
        lambda: tools.expand(app, name, level=3).text,
        lambda: tools.update(app, name, tools.UpdateRequest(append="more")),
        lambda: tools.recall(app, "kingfisher doubloons", budget=None).text,
        lambda: tools.search(app, "kingfisher", Filter(), limit=5).text,
        lambda: tools.timeline(app, Filter(), limit=5).text,
        lambda: tools.index_pages(app),
        lambda: list(tools.list_stores(app)),
    ):
        try:
            said += str(ask())
        except RecollectError as error:
            said += str(error)
    assert "kingfisher" not in said.lower()
    assert "marmalade" not in said
    with pytest.raises(Encrypted, match=name):
        tools.expand(app, name)
    assert [one.entry.id for one in tools.newest(app, 10)] == []
    app.close()


def test_the_python_api_opens_nothing_by_the_way(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = desk.save()
    for key, value in desk.person.environment({}).items():
        monkeypatch.setenv(key, value)
    with open_store(str(desk.person.project)) as store:
        assert store.search("kingfisher") == []
        with pytest.raises(Encrypted):
            store.show(name)


@pytest.mark.parametrize("text", [f"# {TITLE}\n", "", "---\nenc: age/v1\n---\n"])
def test_no_plain_text_gets_to_the_place_of_an_encrypted_one(
    desk: Desk, app: App, text: str
) -> None:
    name = desk.save()
    store = app.store()
    path = f"encrypted/{name}.md.age"
    for change in (
        Change("put", path, name, store.files.stamp(path), text),
        Change("put", "encrypted/sealed-ffffffff.md.age", "sealed-ffffffff", None, text),
    ):
        with pytest.raises(Failed):
            store.commit(lambda one=change: [one], cause="test")  # type: ignore[misc]
        with pytest.raises(Failed):
            store.ledger.commit(lambda one=change: [one], cause="test")  # type: ignore[misc]
    assert desk.left() == []
    assert BODY in desk.person.ok("show", name).out
    app.close()


def test_a_key_that_somebody_wrote_into_a_file_is_not_encrypted_for(desk: Desk) -> None:
    name = desk.save()
    text = desk.file(name).read_text("utf-8")
    key = age.public_of(OTHER)
    desk.file(name).write_text(text.replace("recipients: [", f"recipients: [{key}, "), "utf-8")
    desk.person.ok("edit", name, "--append", "More.")
    found = sealed_of(desk.file(name).read_text("utf-8"))
    assert found
    assert key not in found.recipients


def test_what_a_person_broke_by_hand_is_said_and_comes_back_with_undo(desk: Desk) -> None:
    name = desk.save()
    good = desk.file(name).read_bytes()
    desk.person.ok("edit", name, "--append", "More.")
    desk.file(name).write_bytes(good[: len(good) // 2])
    ran = desk.person.run("show", name)
    assert ran.code in (10, 19)
    assert "docs/format.md" in desk.person.run("doctor").out
    assert desk.person.ok("list", "--json").json
    assert desk.left() == []


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("UserPromptSubmit", {"prompt": "What of the kingfisher salary and the doubloons?"}),
        ("SessionStart", {"source": "startup"}),
        ("PostToolUseFailure", {"tool_name": "Bash", "error": "kingfisher doubloon marmalade"}),
    ],
)
def test_a_hook_says_nothing_of_it(desk: Desk, event: str, fields: dict[str, str]) -> None:
    name = desk.save()
    desk.person.ok("recall", "--start")
    payload = {"session_id": "s-1", "cwd": str(desk.person.project), "hook_event_name": event}
    ran = subprocess.run(
        [sys.executable, "-I", "-S", HOOK, "claude", event],
        input=json.dumps(payload | fields).encode(),
        cwd=desk.person.project,
        env=desk.person.environment({}),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0
    assert name.encode() not in ran.stdout
    assert b"salary" not in ran.stdout.lower()


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "forget --from-session s-1", "review", "review --episodes", "review --from-session s-1",
        "consolidate", "conflicts", "analyze-skills", "merge", "compress", "archive",
        "stats", "timeline", "doctor", "doctor --secrets", "pin", "promote", "clear-facts --yes",
        "rebuild-index", "undo --gone", "search x", "search --file src/x.py", "list --archived",
        "recall --start", "recall events", "extract-facts", "memory-list", "list-sessions",
    ],
)  # fmt: skip
def test_every_other_command_does_as_without_it(desk: Desk, line: str) -> None:
    for title, session in (("Use x for events", "s-1"), ("Keep x away", "s-2")):
        desk.person.ok("save", title, "--kind", "decision", env={"CLAUDE_CODE_SESSION_ID": session})
    shutil.copytree(desk.person.project, desk.folder / "other")
    alone = Person(desk.person.home, desk.folder / "other").run(*line.split())
    desk.save()
    desk.lock()
    beside = desk.person.run(*line.split())
    assert beside.code == alone.code or line == "doctor"
    assert "encrypted" not in beside.err
