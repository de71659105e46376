"""Keys: how they are made, kept, asked for, added, taken out and replaced."""

from __future__ import annotations

import os
import re
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest
from tests.cli.running import Person, Ran
from tests.crypto.desk import BODY, WORDS, Desk, says

from recollect.model.document import sealed_of
from recollect.privacy import keys as age
from recollect.privacy import keys as ring

NEW = age.new_secret()


def recipients_of(desk: Desk, name: str) -> set[str]:
    found = sealed_of(desk.file(name).read_text("utf-8"))
    assert found
    return set(found.recipients)


def keys_in(desk: Desk) -> dict[str, str]:
    rows = desk.person.ok("key-list", "--json").json["recipients"]
    return {row["name"]: row["key"] for row in rows}


def typing(monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    """Let somebody type these at the hidden prompts; gives what is left to type."""
    left = list(words)
    monkeypatch.setattr(click.termui, "hidden_prompt_func", lambda _: left.pop(0))
    return left


# ---------------------------------------------------------------------------------------- making


def test_keys_are_private_and_the_recovery_key_is_kept_nowhere_else(desk: Desk) -> None:
    secret = desk.recovery.read_text("utf-8").splitlines()[-1]
    assert secret.startswith("AGE-SECRET-KEY-1")
    assert desk.left([secret.lower()]) == ["stick/recovery.txt"]
    for path in (desk.identity, desk.recovery, desk.identity.parent):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077
    assert sorted(keys_in(desk)) == ["recovery", "this machine"]


def test_a_key_that_is_there_is_not_replaced(desk: Desk) -> None:
    before = desk.identity.read_bytes()
    assert desk.person.run("key-init", "--recovery-file", "r").code == 11
    assert desk.identity.read_bytes() == before


def test_without_a_terminal_and_a_file_no_recovery_key_is_made(desk: Desk) -> None:
    desk.forget_keys()
    assert desk.person.run("key-init").code == 2
    assert desk.person.run("key-init", "--json").code == 2
    assert not desk.identity.exists()


def test_on_a_terminal_the_recovery_key_is_shown_once(desk: Desk) -> None:
    desk.forget_keys()
    ran = desk.person.at_terminal("key-init", columns=120)
    words = re.findall("AGE-SECRET-KEY-1[A-Z0-9]+", ran.out)
    assert len(words) == 1
    assert age.public_of(words[0]) == keys_in(desk)["recovery"]
    assert desk.left([words[0].lower()]) == []


def test_a_recovery_key_does_not_get_into_a_store(desk: Desk) -> None:
    desk.lock()
    ran = desk.person.run("key-init", "--recovery-file", ".claude/memory/recovery.txt")
    assert ran.code == 2
    assert not (desk.person.store / "recovery.txt").exists()
    assert not desk.identity.exists()


def test_another_machine_takes_the_same_recovery_key_by_its_public_half(desk: Desk) -> None:
    public = keys_in(desk)["recovery"]
    desk.forget_keys()
    desk.person.ok("key-init", "--recovery", public)
    assert keys_in(desk)["recovery"] == public
    assert desk.person.run("key-init", "--recovery", "age1nonsense").code == 11


def test_a_key_that_was_lost_is_replaced_and_the_recovery_key_stays(desk: Desk) -> None:
    before, name = keys_in(desk), desk.save()
    desk.identity.unlink()
    desk.person.ok("key-init")
    after = keys_in(desk)
    assert after["recovery"] == before["recovery"]
    assert after["this machine"] != before["this machine"]
    assert len(after) == 2
    assert desk.person.run("show", name).code == 19
    # What the recovery key is for: it goes into the identity file, as docs/encryption.md says.
    with desk.identity.open("a") as file:
        file.write(desk.recovery.read_text())
    assert BODY in desk.person.ok("show", name).out
    desk.person.ok("key-rewrap")
    assert recipients_of(desk, name) == set(after.values())


def test_a_dry_run_makes_nothing(desk: Desk) -> None:
    desk.lock()
    desk.person.ok("key-init", "--dry-run")
    assert not desk.identity.exists()


@pytest.mark.parametrize("line", ["key-init --dry-run", "key-rotate", "key-rewrap", "key-remove x"])
def test_an_agent_does_not_change_keys(desk: Desk, line: str) -> None:
    ran = desk.person.run(*line.split(), env={"CLAUDECODE": "1"})
    assert ran.code == 2
    assert "person" in ran.err


# --------------------------------------------------------------------------------------- keeping


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644])
def test_a_key_that_others_can_read_is_not_used(desk: Desk, mode: int) -> None:
    name = desk.save()
    desk.identity.chmod(mode)
    ran = desk.person.run("show", name)
    assert ran.code == 19
    assert "chmod 600" in ran.err
    assert not says(ran)


@pytest.mark.parametrize("make", ["link", "folder", "pipe", "empty"])
def test_what_is_no_key_is_named_and_not_waited_for(desk: Desk, make: str) -> None:
    name = desk.save()
    kept = desk.identity.rename(desk.folder / "kept")
    if make == "link":
        desk.identity.symlink_to(kept)
    elif make == "folder":
        desk.identity.mkdir()
    elif make == "pipe":
        os.mkfifo(desk.identity, 0o600)
    else:
        desk.identity.touch(0o600)
    ran = desk.person.run("show", name)
    assert ran.code == 19
    assert str(desk.identity) in ran.err


def test_another_file_can_be_named_by_the_environment_but_by_no_store(desk: Desk) -> None:
    name = desk.save()
    desk.lock()
    elsewhere = {"RECOLLECT_IDENTITY_FILE": str(desk.folder / "stick" / "identity")}
    assert BODY in desk.person.ok("show", name, env=elsewhere).out
    desk.person.write("config.toml", f'[crypto]\nidentity = "{desk.folder}/stick/identity"\n')
    (desk.person.store / "identity").write_bytes((desk.folder / "stick" / "identity").read_bytes())
    assert desk.person.run("show", name).code == 19


@pytest.mark.slow
def test_a_passphrase_is_asked_for_on_a_terminal_once_and_nowhere_else(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.lock()
    words = "correct horse battery"
    left = typing(monkeypatch, words, words)
    desk.person.at_terminal("key-init", "--passphrase", "--recovery-file", str(desk.folder / "r"))
    assert left == []
    assert "AGE-SECRET-KEY" not in desk.identity.read_text("utf-8")
    name, other = desk.save(), desk.save()

    ran = desk.person.run("show", name)  # nobody is there to be asked
    assert (ran.code, says(ran)) == (19, False)
    left = typing(monkeypatch, words)
    found = desk.person.at_terminal("search", "marmalade", "--encrypted")
    assert name in found.out
    assert other in found.out
    typing(monkeypatch, "wrong horse")
    assert not says(desk.person.at_terminal("show", name), WORDS)
    typing(monkeypatch, words)
    assert "re-encrypted: 2" in desk.person.at_terminal("key-rotate").out
    assert "AGE-SECRET-KEY" not in desk.identity.read_text("utf-8")
    typing(monkeypatch, words)
    assert BODY in desk.person.at_terminal("show", name).out


LONGEST = 20  # for whoever waits for a keyring that does not answer


class Ring(ModuleType):
    """A keyring that answers, or does not."""

    def __init__(self) -> None:
        super().__init__("keyring")
        self.kept: dict[tuple[str, str], str] = {}
        self.answers = threading.Event()
        self.answers.set()

    def get_password(self, service: str, user: str) -> str | None:
        self.answers.wait(LONGEST)
        return self.kept.get((service, user))

    def set_password(self, service: str, user: str, secret: str) -> None:
        self.answers.wait(LONGEST)
        self.kept[service, user] = secret


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ring]:
    made = Ring()
    monkeypatch.setitem(sys.modules, "keyring", made)
    yield made
    made.answers.set()


def test_a_key_can_be_in_the_keyring(desk: Desk, keyring: Ring) -> None:
    desk.lock()
    desk.person.ok("key-init", "--keyring", "--recovery-file", str(desk.folder / "r"))
    assert "AGE-SECRET-KEY" not in desk.identity.read_text("utf-8")
    name = desk.save()
    assert BODY in desk.person.ok("show", name).out
    desk.person.ok("key-rotate")
    assert "AGE-SECRET-KEY" not in desk.identity.read_text("utf-8")
    assert BODY in desk.person.ok("show", name).out


def test_a_keyring_that_does_not_answer_is_not_waited_for(
    desk: Desk, keyring: Ring, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ring.WAIT_SECONDS == 2.0
    monkeypatch.setattr(ring, "WAIT_SECONDS", 0.05)
    name = desk.save()
    desk.identity.write_text("keyring: recollect/me\n")
    keyring.answers.clear()
    ran = desk.person.run("show", name)
    assert ran.code == 19
    assert "did not answer" in ran.err
    keyring.answers.set()
    assert "nothing under recollect/me" in desk.person.run("show", name).err


def test_without_the_package_the_error_says_so(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    name = desk.save()
    secrets = desk.identity.read_bytes()
    desk.identity.write_text("keyring: recollect/me\n")
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert "not installed" in desk.person.run("show", name).err
    desk.identity.write_bytes(secrets)
    monkeypatch.setitem(sys.modules, "pyrage", None)
    ran = desk.person.run("show", name)
    assert ran.code == 14
    assert "recollect-memory[crypto]" in ran.err


# -------------------------------------------------------------------------------------- changing


def opened_by(desk: Desk, secret: str, name: str) -> Ran:
    path = desk.folder / "other-identity"
    path.write_text(f"{secret}\n")
    path.chmod(0o600)
    return desk.person.run("show", name, env={"RECOLLECT_IDENTITY_FILE": str(path)})


def test_a_key_that_is_added_opens_what_is_there_and_one_that_is_removed_what_comes_no_more(
    desk: Desk,
) -> None:
    old = desk.save()
    assert opened_by(desk, NEW, old).code == 19
    desk.person.ok("key-add", age.public_of(NEW), "--name", "laptop")
    assert BODY in opened_by(desk, NEW, old).out
    new = desk.save()
    assert BODY in opened_by(desk, NEW, new).out

    desk.person.ok("key-remove", "laptop")
    assert [opened_by(desk, NEW, name).code for name in (old, new, desk.save())] == [19] * 3
    assert BODY in desk.person.ok("show", old).out


def test_a_key_that_is_rotated_is_encrypted_for_no_more_but_still_opens(desk: Desk) -> None:
    name, before = desk.save(), keys_in(desk)["this machine"]
    old = desk.file(name).read_bytes()
    desk.person.ok("key-rotate")
    after = keys_in(desk)["this machine"]
    assert after != before
    assert recipients_of(desk, name) == set(keys_in(desk).values())
    assert before not in recipients_of(desk, name)
    desk.file(name).write_bytes(old)  # as it may come from another clone
    assert BODY in desk.person.ok("show", name).out
    assert "for other keys" in desk.person.ok("key-list").out
    desk.person.ok("key-rewrap")
    assert after in recipients_of(desk, name)
    assert desk.left() == []


@pytest.mark.parametrize("line", ["key-add {new} --name x", "key-rotate", "key-remove third"])
def test_a_dry_run_changes_no_key_and_no_file(desk: Desk, line: str) -> None:
    desk.person.ok("key-add", age.public_of(age.new_secret()), "--name", "third")
    desk.save()
    before = {path: data for path, data in desk.everything() if ".cache" not in path}
    ran = desk.person.ok(*line.format(new=age.public_of(NEW)).split(), "--dry-run")
    assert "would be re-encrypted: 1" in ran.out
    assert {path: data for path, data in desk.everything() if ".cache" not in path} == before


def test_what_is_for_the_keys_of_today_is_not_encrypted_again(desk: Desk) -> None:
    name = desk.save()
    before = desk.file(name).read_bytes()
    assert "re-encrypted: 0" in desk.person.ok("key-rewrap").out
    assert desk.file(name).read_bytes() == before


def test_what_cannot_be_opened_is_left_as_it_is_and_said(desk: Desk) -> None:
    name, good = desk.save(), desk.save()
    broken = desk.file(name).read_text("utf-8").replace("\n-----END", "A\n-----END")
    desk.file(name).write_text(broken, "utf-8")
    ran = desk.person.ok("key-add", age.public_of(NEW), "--name", "laptop")
    assert "re-encrypted: 1" in ran.out
    assert f"not changed: {name}" in ran.out
    assert desk.file(name).read_text("utf-8") == broken
    assert BODY in opened_by(desk, NEW, good).out


@pytest.mark.parametrize("name", ["recovery", "this machine", "nobody"])
def test_the_last_two_keys_and_ones_own_cannot_be_removed(desk: Desk, name: str) -> None:
    before = keys_in(desk)
    assert desk.person.run("key-remove", name).code == 2
    desk.person.ok("key-add", age.public_of(NEW), "--name", "laptop")
    if name == "this machine":
        assert desk.person.run("key-remove", name).code == 2
    assert keys_in(desk).items() >= before.items()


@pytest.mark.parametrize("named", ["recovery", "this machine"])
def test_adding_a_key_that_is_there_or_under_a_name_that_is_taken_changes_no_name(
    named: str, desk: Desk
) -> None:
    before = keys_in(desk)
    ran = desk.person.run("key-add", before[named], "--name", "laptop")
    assert ran.code == 2
    assert f"That key is already there, as “{named}”" in ran.err
    ran = desk.person.run("key-add", age.public_of(NEW), "--name", named)
    assert ran.code == 2
    assert f"“{named}” is the name of another key already" in ran.err
    assert list(keys_in(desk).items()) == list(before.items())
    desk.person.ok("key-add", before[named], "--name", named)  # once more
    assert list(keys_in(desk).items()) == list(before.items())


def test_a_store_has_no_say_in_whom_is_encrypted_for(desk: Desk) -> None:
    text = f"# mine\n{age.public_of(NEW)}\n"
    for place in ("recipients", "encrypted/recipients", "config/recollect/recipients"):
        desk.person.write(place, text)
    assert opened_by(desk, NEW, desk.save()).code == 19


def test_lines_of_the_recipients_that_a_person_wrote_are_read_as_age_does(desk: Desk) -> None:
    path: Path = desk.identity.parent / "recipients"
    path.write_text(path.read_text() + f"\n\n#mine\nnonsense\n{age.public_of(NEW)}\r\n")
    assert keys_in(desk)["mine"] == age.public_of(NEW)


def test_to_encrypt_again_needs_a_key(tmp_path: Path) -> None:
    person = Person(tmp_path / "home", tmp_path / "project")
    for folder in (person.home, person.project):
        folder.mkdir()
    for words in ([], ["--dry-run"]):
        error = person.run("key", "rewrap", "--json", *words).json["error"]
        assert error["kind"] == "key-missing"
        assert "key init" in error["next"]
