"""Each kind of secret by each way in, by itself; then the whole of what is on disk is looked through."""

from __future__ import annotations

import base64
import random
import subprocess

import pytest
from bench.secrets_benign import benign_lines
from bench.secrets_kinds import KINDS
from tests.cli.running import Person
from tests.unit.build import is_quick

from recollect.text.redact import redact
from recollect.text.secret_rules import possible_in

from .footprint import everything_kept, left_by, left_in
from .ways_of_each import EACH, _captured

QUICK = ("prompt",)
NOT_KEPT = ("tool result",)  # what a tool answered is kept where it failed only
MOST_LEFT = 0.03


@pytest.mark.parametrize("way", [pytest.param(w, marks=() if w in QUICK else pytest.mark.slow) for w in EACH])  # fmt: skip
def test_a_secret_of_each_kind_leaves_nothing_on_disk(way: str, person: Person) -> None:
    left = left_by(way, person, "test")
    assert len(left) <= MOST_LEFT * len(KINDS), left
    marks = sum(data.count(b"[redacted:") for _, data in everything_kept(person))
    assert marks > len(KINDS) / 2 or way in NOT_KEPT  # they did come in


def test_what_is_no_secret_is_found_by_the_search_for_secrets(person: Person) -> None:
    _captured(lambda log, text: log.prompt(f"We call it {text} from now on."), person, ["teapot-nine4711"])  # fmt: skip
    (names,) = left_in(person, {"word": "teapot-nine4711"}).values()
    for part in ("conversation.md", ".jsonl", "unpacked", "index.db", "by its rows"):
        assert any(part in name for name in names), part
    assert "names" in left_in(person, {"name": "conversation"})["name"]


# A password that somebody says in passing, where a title, a name or a folder is made of it.
PASSWORD = "kettle42!" + "Brew7x"
SAID = (f"the password is {PASSWORD}", f"db password {PASSWORD}", f"密码{PASSWORD}", f"密码 `{PASSWORD}`")  # fmt: skip


@pytest.mark.parametrize("said", SAID)
@pytest.mark.slow
def test_a_password_is_in_no_name_that_is_made_of_a_title(said: str, person: Person) -> None:
    here = {"RECOLLECT_SESSION": "one"}
    person.ok("save", said, "--body", "For staging.")
    person.ok("save", said, "--kind", "rule")
    person.ok("save", f"{said} (2)", "--layer", "episodic")
    person.ok("save", "Shop", "--body", "For staging.", "--tags", said)
    person.ok("edit", "shop", "--title", said)
    person.ok("set", "shop", f"title={said}")
    person.ok("add-decision", said, "staging needs it")
    person.ok("memory-set", "project", f"# Shop\n\n{said}\n")
    assert person.run("memory-set", said, "# Shop\n").code == 2
    person.ok("start-session", said, env=here)
    person.ok("todo", said, env=here)
    person.ok("note", said, env=here)
    person.ok("save-session", "--summary", said, env=here)
    file = person.project / "import.md"
    person.run("save", "Whole talk", "--conversation", "-", stdin=said)
    _captured(lambda log, text: log.prompt(text), person, [said])
    assert not file.exists()
    assert left_in(person, {"password": PASSWORD}) == {}
    told = person.ok("doctor", "--secrets").out  # what was redacted is no secret
    assert "MEMORY.md" not in told  # nor a possible one, in names; paths have that of this test


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scope", ["project", "global"])
def test_git_takes_nothing_raw_along_after_init(scope: str, person: Person) -> None:
    root = person.project if scope == "project" else person.home
    git = ["git", "-c", "init.defaultBranch=main", "-C", str(root)]
    env = person.environment({})
    subprocess.run([*git, "init", "-q"], check=True, env=env)
    person.ok("init", "--scope", scope)
    _captured(lambda log, text: log.prompt(text), person, ["Please set up the shop with a teapot."])
    person.ok("save", "A talk", "--conversation", "-", "--scope", scope, stdin="User: hello\n")
    subprocess.run([*git, "add", ".claude"], check=True, env=env)
    listed = subprocess.run([*git, "ls-files"], check=True, env=env, capture_output=True, text=True)
    names = listed.stdout.split()
    assert any(name.endswith("summary.md") for name in names)
    raw = ("conversation.md", "/raw/", "/active/", "/journal/", ".jsonl", ".gz", "index", ".lock")
    assert not [name for name in names if any(part in name for part in raw)]


# ---------------------------------------------------------------------------- what may be one

POSSIBLE = {
    "named": "The admin password: kettleandtea",
    "random": "It answers with q7Rk2ZxW9mT4bLp8VnC3sYd6Hf1J",
    "encoded": base64.b64encode(f"DB_PASSWORD={PASSWORD}".encode()).decode(),
}


@pytest.mark.parametrize("kind", POSSIBLE)
@pytest.mark.sampled(1)
def test_doctor_tells_of_a_possible_secret_by_file_and_line_and_never_shows_it(
    kind: str, person: Person
) -> None:
    person.ok("save", "Shop", "--body", "For staging.")
    assert "possible" not in person.ok("doctor", "--secrets").out
    person.write("semantic/by-hand.md", f"# Shop\n\n{POSSIBLE[kind]}\n")
    ran = person.ok("doctor", "--secrets")  # nothing is sure: the exit code is 0
    assert f"semantic/by-hand.md  possible secrets, in the lines 3: {kind}" in ran.out
    (found,) = [
        f for f in person.ok("doctor", "--secrets", "--json").json["findings"] if f["about"] == "semantic/by-hand.md"
    ]  # fmt: skip
    assert found["state"] == "note"
    value = POSSIBLE[kind].split()[-1]
    assert value not in ran.out + str(found)
    person.ok("config", "lang", "zh")
    assert "第 3 行可能含有机密" in person.ok("doctor", "--secrets").out


@pytest.mark.parametrize(
    "title",
    [
        "The token {} is used for releases",
        "Never use {} in CI",
        "Today {} leaked",
        "发布用的令牌 {} 在哪里",
    ],
)
def test_doctor_takes_no_name_of_ours_for_a_secret(title: str, person: Person) -> None:
    """What stands where a secret was is part of the name that is made of the title."""
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    done = person.ok("save", title.format(token), "--json").json
    assert "redacted-github-token" in done["id"]
    person.ok("recall", "--start")
    told = person.ok("doctor", "--secrets").out
    assert "possible" not in told
    assert "none found" in told
    person.write("semantic/by-hand.md", f"# x\n\n{done['id']} password=k7dKq2xx9f\n")
    assert "by-hand.md" in person.run("doctor", "--secrets").out


def test_doctor_tells_what_is_sure_apart_from_what_is_possible(person: Person) -> None:
    text = f"# Shop\n\nthe password is {PASSWORD}\n\nThe admin password: kettleandtea\n"
    person.write("semantic/by-hand.md", text)
    ran = person.run("doctor", "--secrets")
    assert ran.code == 1
    assert "semantic/by-hand.md  looks like it contains a secret, first in line 3: said" in ran.out
    assert "semantic/by-hand.md  possible secrets, in the lines 5: named" in ran.out


@pytest.mark.slow
def test_ordinary_lines_are_seldom_possible_secrets() -> None:
    lines = benign_lines(random.Random(1), 2_000)
    asked = [line for line in lines if possible_in(line, redact(line), redact)]
    assert len(asked) <= 0.1 * len(lines)


@pytest.mark.parametrize("unit", ["password: abcd ", "aB3" * 40 + " ", "QUJD" * 40 + " ", "密码是ab12 ", "61" * 50 + " ", "key a1b2c3d4 "])  # fmt: skip
@pytest.mark.sampled(1)
def test_a_long_text_is_soon_looked_through_for_possible_secrets(unit: str) -> None:
    text = unit * (300_000 // len(unit))
    assert is_quick(lambda: possible_in(text, redact(text), redact), seconds=6)
