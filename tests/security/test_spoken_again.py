"""A password that a conversation tells is gone wherever it is spoken of, before and later."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from tests.capture.transcripts import Transcript
from tests.cli.running import Person

from .footprint import left_in
from .ways import GIVEN, captured, folder_of

PASSWORD = "Kettle" + "42xyBrew"
Say = Callable[[Transcript], object]


def _again(log: Transcript) -> None:
    log.prompt(f"Now log in with {PASSWORD} on the other host, too.")
    log.answer(f"I decided to use {PASSWORD}, as you said.")
    log.shell(f"deploy --as ada {PASSWORD}", f"Error: login({PASSWORD}) was refused", 1)
    log.edit("/srv/shop/a.py", old="a", new=f"login({PASSWORD})")
    todo = {"content": f"Log in with {PASSWORD}", "status": "pending", "activeForm": "x"}
    log.result(log.call("TodoWrite", todos=[todo]), "Todos have been modified")


def _asked(question: str) -> list[Say]:
    return [lambda log: log.answer(question), lambda log: log.prompt(PASSWORD)]


def _changed(before: str, after: str = "") -> list[Say]:
    old, new = (f"{before}{value}{after}" for value in ("oldvalue1", PASSWORD))
    return [lambda log: log.edit("/srv/conf.yml", old=old, new=new)]


_FILLED = f"Error: getByRole('textbox', {{ name: 'Password' }}).fill('{PASSWORD}') timed out"
CASES: dict[str, list[Say]] = {
    "told before": [lambda log: log.prompt(f"The password is {PASSWORD}!"), _again],
    "told before in Chinese": [lambda log: log.prompt(f"密码是{PASSWORD}"), _again],
    "told afterwards": [_again, lambda log: log.prompt(f"That was the password: {PASSWORD}")],
    "told by a command": [lambda log: log.shell(f"PGPASSWORD={PASSWORD} psql"), _again],
    "asked for by the agent": _asked("What is the database password?"),
    "asked for in Chinese": _asked("请提供数据库密码。"),
    "asked for by the person": [lambda log: log.prompt("the password is"), lambda log: log.prompt(PASSWORD)],
    "question with options": [lambda log: log.ask(("Which password?", ["None"], PASSWORD))],
    "change below its name": _changed("password: |\n  ", "\nport: 1"),
    "change beside its name": _changed("- name: DB_PASSWORD\n  value: "),
    "change of a variable": _changed('variable "db_password" {\n  default = "', '"\n}'),
    "browser": [lambda log: log.result(log.call("mcp__web__type", text=PASSWORD), _FILLED, error=True)],
    "colours": [lambda log: log.shell("env", f"\x1b[1mDB_PASSWORD\x1b[0m=\x1b[36m{PASSWORD}\x1b[0m", 1)],
}  # fmt: skip


@pytest.mark.parametrize("hooks", [1, 6])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.sampled(2)
def test_a_password_of_a_conversation_leaves_nothing_on_disk(
    case: str, hooks: int, person: Person
) -> None:
    if case == "told afterwards" and hooks > 1:
        pytest.skip("what was kept before it was told stays: docs/security.md")
    person.ok("init")
    log = Transcript(cwd=str(person.project))
    log.prompt("Please set up the staging server of the shop.")
    for say in CASES[case]:
        say(log)
    log.prompt("We decided to keep the staging server as it is.")
    log.answer("Done, and it works now.")
    lines = log.lines
    for n in range(1, hooks + 1):  # the client's hooks come while it writes
        log.lines = lines[: len(lines) * n // hooks]
        person.ok("capture", log.save(folder_of(person) / GIVEN))
    person.ok("consolidate")
    assert left_in(person, {"password": PASSWORD}) == {}


def test_a_key_is_not_cut_in_two_where_too_much_is_given_out(person: Person) -> None:
    key = "ghp_" + "x7K2m9Qa" * 5
    log = Transcript(cwd=str(person.project))
    log.prompt("Please make it.")
    log.shell("make", "Error: " + "x " * 499_980 + key + " y" * 1000, 1)
    person.ok("capture", log.save(folder_of(person) / GIVEN))
    assert left_in(person, {"half": key[:19]}) == {}


def test_an_answer_that_is_no_password_stays(person: Person) -> None:
    log = Transcript(cwd=str(person.project))
    log.prompt("Please hash the passwords of the shop.")
    log.answer("By which algorithm do I hash the password?")
    log.prompt("argon2id")
    log.answer("Done.")
    person.ok("capture", log.save(folder_of(person) / GIVEN))
    assert left_in(person, {"word": "argon2id"})


def test_what_was_learned_is_kept_as_a_hash_with_the_key_of_this_machine(person: Person) -> None:
    person.ok("capture", captured(person, f"the password is {PASSWORD}"))
    (state,) = (person.store / "sessions" / "active").glob("*.json")
    row = json.loads(state.read_text())["passwords"][0]
    size, kind, name = row.split()
    assert (size, kind, len(name)) == (str(len(PASSWORD)), "said", 16)
