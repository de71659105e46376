"""`recollect embedder`: installed whole or not at all, and what is found with it."""

from __future__ import annotations

import json
import stat
import sys
import threading
from pathlib import Path

import pytest
from tests.cli.running import Person
from tests.contracts.test_embedders import Server
from tests.fakes.embedder import wheel
from tests.prepared import Prepared

from recollect.app import App
from recollect.worker import make_vectors
from recollect_minilm import download

MODELS = ".local/share/recollect/embedders"


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store_of_a_project: Prepared) -> Person:
    """Somebody with a store and a memory; nobody else starts workers for it."""
    store_of_a_project.put(tmp_path)
    monkeypatch.setattr("recollect.interfaces.hooks.events.start_worker", lambda *_: 0)
    monkeypatch.setattr("os.nice", lambda _: 0)  # this process goes on
    somebody = Person(tmp_path / "home", tmp_path / "project")
    somebody.ok("save", "Clock drifts in the cold", "--body", "The crystal.", "--tags", "hardware")
    return somebody


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A very small model, as if it were the one that we know."""
    path = tmp_path / "model.whl"
    monkeypatch.setattr(download, "WHEEL_SHA256", wheel(path))
    return str(path)


def names_in(folder: Path) -> set[str]:
    return {one.name for one in folder.iterdir()} if folder.is_dir() else set()


def test_the_model_is_installed_for_this_person_alone(person: Person, package: str) -> None:
    done = person.ok("embedder", "install", "--from", package, "--json").json
    assert (done["name"], done["in_use"]) == ("minilm", True)
    models = person.home / MODELS
    assert names_in(models) == {"minilm", "in-use", ".lock"}
    assert names_in(models / "minilm") == {"embedder.json", "model.safetensors", "vocab.txt"}
    for path in models.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    assert not list(person.store.rglob("*.safetensors"))


def test_another_file_than_the_expected_one_is_refused(person: Person, tmp_path: Path) -> None:
    wheel(tmp_path / "other.whl")
    ran = person.run("embedder", "install", "--from", str(tmp_path / "other.whl"))
    assert ran.code == 20
    assert "is not the expected file" in ran.err
    assert names_in(person.home / MODELS) == {".lock"}
    assert person.ok("embedder", "list", "--json").json["embedders"] == []


def test_a_package_that_is_not_there_is_said(person: Person) -> None:
    ran = person.run("embedder", "install", "--from", "/nowhere.whl")
    assert (ran.code, "/nowhere.whl" in ran.err) == (10, True)


def test_what_was_left_by_one_who_was_killed_is_no_embedder_and_goes(
    person: Person, package: str
) -> None:
    half = person.home / MODELS / ".new" / "minilm"
    half.mkdir(parents=True)
    (half / "model.safetensors").write_bytes(b"half")
    unfinished = person.home / MODELS / "unfinished"
    unfinished.mkdir()
    assert person.ok("embedder", "list", "--json").json["embedders"] == []
    person.ok("embedder", "install", "--from", package)
    assert names_in(person.home / MODELS) == {"minilm", "in-use", ".lock", "unfinished"}


def test_a_dry_run_installs_nothing(person: Person) -> None:
    person.ok("embedder", "install", "--dry-run")
    assert names_in(person.home / MODELS) == set()


def test_memories_are_found_by_meaning_once_the_worker_has_been(
    person: Person, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.ok("save", "Buttons are blue", "--body", "So says the design.", "--tags", "design")
    person.ok("embedder", "install", "--from", package)
    assert person.ok("search", "cold clock", "--json").json["hits"]  # by its words, meanwhile
    monkeypatch.setenv("HOME", str(person.home))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert make_vectors(str(person.store)) == 2
    [state] = person.ok("embedder", "list", "--json").json["stores"]
    assert (state["have"], state["total"]) == (2, 2)
    [hit, *_] = person.ok("search", "cold", "--json").json["hits"]
    assert hit["id"].startswith("clock")
    assert "meaning" in person.ok("search", "cold", "--explain").out


@pytest.mark.slow
def test_a_broken_model_is_said_and_words_still_find(person: Person, package: str) -> None:
    person.ok("embedder", "install", "--from", package)
    (person.home / MODELS / "minilm" / "embedder.json").write_text("{", encoding="utf-8")
    ran = person.ok("search", "cold", "--json")
    assert ran.json["hits"]
    assert "cannot be used" in ran.err
    assert person.run("doctor").code == 1


def test_a_model_that_is_damaged_later_is_said_and_words_still_find(
    person: Person, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.ok("embedder", "install", "--from", package)
    monkeypatch.setenv("HOME", str(person.home))
    make_vectors(str(person.store))
    (person.home / MODELS / "minilm" / "model.safetensors").write_bytes(b"damaged!")
    ran = person.ok("search", "cold", "--json")
    assert ran.json["hits"]
    assert ran.err.count("cannot be used") == 1


def test_use_none_goes_back_to_words_and_remove_takes_it_away(person: Person, package: str) -> None:
    person.ok("embedder", "install", "--from", package)
    person.ok("embedder", "use", "none")
    [row] = person.ok("embedder", "list", "--json").json["embedders"]
    assert row["in_use"] is False
    person.ok("embedder", "use", "minilm")
    person.ok("embedder", "remove", "minilm")
    assert names_in(person.home / MODELS) == {"in-use", ".lock"}
    assert App(str(person.project), person.environment({})).embedder is None


@pytest.mark.parametrize("name", ["nobody", "../minilm", ".new", "a/b"])
def test_an_embedder_that_is_not_there_is_refused(person: Person, name: str) -> None:
    assert person.run("embedder", "use", name).code == 10
    assert person.run("embedder", "remove", name).code == 10


def test_the_description_says_what_it_was_made_of(person: Person, package: str) -> None:
    person.ok("embedder", "install", "--from", package)
    text = (person.home / MODELS / "minilm" / "embedder.json").read_text(encoding="utf-8")
    about = json.loads(text)
    assert about["made-from"] == download.PACKAGE
    assert len(about["identity"]) == 16


def test_a_model_of_ones_own_is_added_when_it_has_answered(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site" / "acme_embed.py"
    info = tmp_path / "site" / "acme_embed-1.0.dist-info"
    info.mkdir(parents=True)
    package.write_text("def embed(texts):\n    return [[len(text), 1.0] for text in texts]\n")
    (info / "METADATA").write_text("Name: acme-embed\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[recollect.embedders]\nacme = acme_embed:embed\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert person.run("embedder", "add", "mine", "--package", "nobody").code == 20
    assert person.ok("embedder", "list", "--json").json["embedders"] == []
    person.ok("embedder", "add", "mine", "--package", "acme")
    [row] = person.ok("embedder", "list", "--json").json["embedders"]
    assert (row["name"], row["kind"], row["in_use"]) == ("mine", "package", True)
    monkeypatch.setenv("HOME", str(person.home))
    assert make_vectors(str(person.store)) == 1


def test_who_has_nothing_to_compare_vectors_with_is_told_so_and_words_still_find(
    person: Person, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.ok("embedder", "install", "--from", package)
    monkeypatch.setitem(sys.modules, "numpy", None)
    ran = person.ok("search", "cold", "--json")
    assert ran.json["hits"]
    assert "numpy" in ran.err
    words = ["--endpoint", "http://127.0.0.1:9/v1", "--model", "m"]
    assert person.run("embedder", "add", "mine", *words).code == 14


def test_an_endpoint_is_told_the_memories_by_the_worker_and_the_cue_by_the_search(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            person.ok("embedder", "add", "mine", "--endpoint", server.url, "--model", "small")
            monkeypatch.setenv("HOME", str(person.home))
            monkeypatch.delenv("XDG_DATA_HOME", raising=False)
            assert make_vectors(str(person.store)) == 1
            [hit] = person.ok("search", "cold", "--json", "--explain").json["hits"]
        finally:
            server.shutdown()
            thread.join()
    assert hit["id"].startswith("clock")
    inputs = [text for told in server.told for text in told["input"]]
    assert [text.partition("\n")[0] for text in inputs] == [
        "ok",
        "Clock drifts in the cold",
        "cold",
    ]


def test_an_agent_tells_no_endpoint_what_is_stored(person: Person) -> None:
    words = ["--endpoint", "http://127.0.0.1:9/v1", "--model", "m"]
    ran = person.run("embedder", "add", "mine", *words, env={"CLAUDECODE": "1"})
    assert ran.code == 2
    assert "Only a person" in ran.err


@pytest.mark.parametrize(
    "words",
    [
        ("add", "mine"),
        ("add", "mine", "--onnx", "m.onnx"),
        ("add", "mine", "--sentence-transformers"),
        ("add", "mine", "--endpoint", "https://example.com/v1"),
        ("add", "Mine!", "--package", "x"),
        ("add", "minilm", "--package", "x"),
        ("list", "mine"),
        ("use", "mine", "--model", "m"),
        ("list", "--from", "x.whl"),
    ],
)
def test_words_that_do_not_go_together_are_refused(person: Person, words: tuple[str, ...]) -> None:
    assert person.run("embedder", *words).code == 2
