"""The contract of what closes and opens, by age; and that age itself can read it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.crypto.desk import BODY, Desk
from tests.crypto.sealing import Makes, SealingContract

from recollect.errors import KeyMissing
from recollect.model.document import sealed_of
from recollect.ports import Sealing
from recollect.privacy import keys as age

SECRETS = [age.new_secret() for _ in range(4)]


class TestAgeSealing(SealingContract):
    @pytest.fixture
    def make(self) -> Makes:
        def make(recipients: list[int], secrets: list[int]) -> Sealing:
            def give() -> list[str]:
                if not secrets:
                    raise KeyMissing(path="identity")
                return [SECRETS[n] for n in secrets]

            return age.AgeSealing([age.public_of(SECRETS[n]) for n in recipients], give)

        return make


def test_the_secrets_are_asked_for_once() -> None:
    asked = []

    def give() -> list[str]:
        asked.append(1)
        return SECRETS[:1]

    sealing = age.AgeSealing([age.public_of(one) for one in SECRETS], give)
    armor = sealing.seal("text")
    assert [sealing.open(armor, "x") for _ in range(3)] == ["text"] * 3
    assert len(asked) == 1


@pytest.mark.parametrize("word", ["", "age1xyz", "AGE-SECRET-KEY-1", "ssh-ed25519 AAAA"])
def test_what_is_no_key_is_told_from_one(word: str) -> None:
    assert age.is_public(age.public_of(SECRETS[0]))
    assert not age.is_public(word)
    with pytest.raises(ValueError, match=r"."):
        age.public_of(word)


def test_the_recovery_key_and_age_alone_open_what_is_behind_the_front_matter(desk: Desk) -> None:
    name = desk.save()
    found = sealed_of(desk.file(name).read_text("utf-8"))
    assert found
    secret = desk.recovery.read_text("utf-8").splitlines()[-1]
    key = age.age().x25519.Identity.from_str(secret)
    assert BODY in age.age().decrypt(found.armor.encode(), [key]).decode()


@pytest.mark.parametrize("command", ["list", "search x", "save x --body y", "recall x"])
@pytest.mark.sampled(1)
def test_no_command_that_needs_no_key_loads_anything_of_this(desk: Desk, command: str) -> None:
    desk.save()
    words = ["recollect", *command.split()]
    code = (
        "import sys; from recollect.interfaces.cli.main import main; sys.argv = "
        + repr(words)
        + "\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print([m for m in sys.modules if 'crypto' in m or 'pyrage' in m or m.endswith('sealing')])"
    )
    person = desk.person
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=person.project,
        env=person.environment({"PYTHONPATH": ":".join(sys.path)}),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert ran.stdout.splitlines()[-1] == "[]"
