"""A secret reaches no disk: by no way, in no form, at no moment."""

from __future__ import annotations

import base64
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.secrets import secrets_of
from bench.secrets_kinds import KINDS
from tests.cli.running import Person

import recollect
from recollect import worker
from recollect.interfaces.hooks import events as program

from .tracing import PROGRAM, require_strace, written
from .ways import WAYS, bytes_kept, captured, handed

SECRET = "ghp_" + "x7K2m9Qa" * 5


def _every_kind(seed: int) -> tuple[str, dict[str, str]]:
    """A text with a secret of each kind, and the secrets."""
    chance = random.Random(seed)
    made = {kind: next(secrets_of(kind, chance, 1)) for kind in KINDS}
    text = "\n".join(f"It is the {n}th:\n{text}\n" for n, (text, _) in enumerate(made.values()))
    return text, {kind: secret for kind, (_, secret) in made.items()}


def _forms(secret: str) -> Iterator[bytes]:
    """The secret as it may be written: as it is, in hex, in base64 wherever it begins."""
    data = secret.encode()
    yield data
    yield data.hex().encode()
    for before in range(3):
        coded = base64.b64encode(b"x" * before + data)
        yield coded[4 * (before > 0) : -4]  # without the ends, which depend on what stands beside


def _left(person: Person, secrets: dict[str, str]) -> set[tuple[str, str]]:
    forms = {kind: tuple(_forms(secret)) for kind, secret in secrets.items()}
    return {
        (kind, name)
        for name, data in bytes_kept(person)
        for kind, some in forms.items()
        if any(one in data for one in some)
    }


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_secret_of_each_kind_is_in_no_file_whichever_way_it_came(
    way: str, person: Person
) -> None:
    text, secrets = _every_kind(len(way))
    WAYS[way](person, text)
    person.ok("consolidate")
    person.run("doctor", "--repair")  # keeps a copy of everything
    assert _left(person, secrets) == set()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["save", "capture", "extract-facts", "memory-set"])
def test_a_secret_is_at_no_moment_written_to_any_file(command: str, person: Person) -> None:
    require_strace()
    text, secrets = _every_kind(7)
    words = {
        "save": ["A teapot", "--file", str(handed(person, "note.md", text))],
        "capture": [captured(person, text)],
        "extract-facts": [str(handed(person, "s.md", f"## Decisions\n- [other] Tea: {text}\n"))],
        "memory-set": ["project", "--file", str(handed(person, "core.md", text))],
    }[command]
    env = person.environment({"PYTHONPATH": str(Path(recollect.__file__).parents[1])})
    data = written([*PROGRAM, command, *words], cwd=person.project, env=env)
    assert b"[redacted:" in data
    assert {kind for kind, secret in secrets.items() if secret.encode() in data} == set()


@pytest.mark.parametrize("words", [("set", "tea", "salience=high"), ("merge", "tea", "pot")])  # fmt: skip
def test_what_an_editor_brought_goes_with_the_next_change_and_stays_out_of_the_journal(
    words: tuple[str, ...], person: Person
) -> None:
    for name in ("tea", "pot"):
        head = f"id: {name}\ntitle: The blue teapot of {name}\ntags: [tea, pot, blue]"
        person.write(f"semantic/{name}.md", f"---\n{head}\n---\nThe key is {SECRET}.\n")
    person.ok(*words)
    assert SECRET not in (person.store / "semantic/tea.md").read_text("utf-8")
    journal = "".join(file.read_text("utf-8") for file in (person.store / "journal").iterdir())
    assert "[redacted:github-token:" in journal
    assert SECRET not in journal


# ------------------------------------------------------------------------------ logs and reports


def _fails(*_: object, **__: object) -> None:
    raise ValueError(f"cannot read {SECRET}")


def test_a_report_of_a_bug_has_no_secret(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.features.reading.search", _fails)
    ran = person.run("search", "tea")
    assert ran.code == 70
    kept = dict(bytes_kept(person))
    assert [name for name in kept if "/report-" in name]
    assert not [name for name, data in kept.items() if SECRET.encode() in data]


def test_the_log_of_the_worker_has_no_secret(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in person.environment({}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(worker, "work", _fails)
    worker.main(str(person.store))
    (log,) = [data for name, data in bytes_kept(person) if name.endswith("worker.log")]
    assert b"ValueError at test_secrets.py" in log
    assert SECRET.encode() not in log


def test_the_log_of_the_hooks_has_no_secret(person: Person) -> None:
    for error in (ValueError(SECRET), KeyError(SECRET), UnicodeDecodeError("utf-8", SECRET.encode(), 0, 1, SECRET)):  # fmt: skip
        with pytest.raises(type(error)) as caught:
            raise error
        program.complain(person.environment({}), caught.value)
    program.complain(person.environment({}), OSError(28, "No space left on device", "/x/y"))
    (log,) = [data for name, data in bytes_kept(person) if name.endswith("hook.log")]
    assert SECRET.encode() not in log
    assert b"KeyError at test_secrets.py" in log
    assert b"No space left on device: '/x/y'" in log


def test_the_key_of_the_marks_is_of_this_machine_and_for_its_owner_only(person: Person) -> None:
    person.ok("save", "A teapot", "--body", f"It is {SECRET}.")
    key = person.home / ".cache" / "recollect" / "key"
    assert len(key.read_text().strip()) == 32
    assert key.stat().st_mode & 0o077 == 0
    ran = subprocess.run(
        [sys.executable, "-c", "from recollect.text.redact import redact; import sys; print(redact(sys.argv[1]))", SECRET],
        capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(Path(recollect.__file__).parents[1])},
    )  # fmt: skip
    assert ran.stdout.strip() not in (person.store / "semantic/a-teapot.md").read_text()
