"""The stores that tests begin with are as `init` makes them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.cli.running import Person
from tests.hooks.machine import Machine
from tests.prepared import Prepared

from recollect.interfaces.hooks.recall import changed_sources
from recollect.store import locations


def all_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and bytes of all that is there; names and notes that come of its place are the same."""
    env = {"HOME": f"{folder}/home"}
    words: dict[str, str] = {}
    for store in map(str, folder.rglob(".claude/memory")):
        name = store.removeprefix(str(folder))
        note, mark = locations.note_of(store, env)
        words |= {locations.cache_folder(store, env): f"cache of {name}", note: f"note of {name}"}
        words |= {mark: f"mark of {name}"}
    words[str(folder)] = ""
    found = {}
    for path in folder.rglob("*"):
        name, data = str(path), b"" if path.is_dir() else path.read_bytes()
        if path.name == "brief":
            head, _, text = data.decode().partition("\n\n")
            first, *sources = head.split("\n")
            rows = [row.split(" ", 2)[2] for row in sources]
            data = "\n".join([first.split(" ", 3)[3], *rows, text]).encode()
            data = data.replace(first.split(" ")[2].encode(), b"")  # the mark of the fence
        elif path.name in ("machine", "index.db"):
            data = str(len(data)).encode()
        for was, word in words.items():
            name, data = name.replace(was, word), data.replace(was.encode(), word.encode())
        found[name] = path.stat().st_mode, data
    return found


@pytest.mark.parametrize("scope", ["project", "both", "a machine's"])
def test_what_is_put_somewhere_is_what_would_be_made_there(
    scope: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    names = {"project": "store_of_a_project", "both": "both_stores"}
    prepared: Prepared = request.getfixturevalue(names.get(scope, "stores_of_a_machine"))
    made, put = tmp_path / "made", tmp_path / "put-elsewhere"
    put.mkdir()
    prepared.put(put)
    if scope in names:
        for part in ("home", "project/.git"):
            (made / part).mkdir(parents=True)
        Person(made / "home", made / "project").ok("init", "--scope", scope)
    else:
        Machine(made).make_stores()
    assert all_of(put) == all_of(made)
    for brief in put.rglob("brief"):
        assert changed_sources(str(brief)) == []


def test_each_is_a_machine_of_its_own_and_its_store_is_believed(
    tmp_path: Path, both_stores: Prepared
) -> None:
    names = set()
    for n in "12":
        folder = tmp_path / n
        folder.mkdir()
        both_stores.put(folder)
        names.add((folder / "home/.cache/recollect/machine").read_text())
        root, env = f"{folder}/project/.claude/memory", {"HOME": f"{folder}/home"}
        assert not locations.is_doubted(root, env)
        person = Person(folder / "home", folder / "project")
        before = os.listdir(root)
        assert person.ok("list", "--json").json == []
        assert os.listdir(root) == before
    assert len(names) == 2
