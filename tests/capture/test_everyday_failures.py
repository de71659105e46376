"""Everyday failures, each fixed once: the fix comes first when it happens again, and at no other failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recollect.interfaces.hooks import recall
from recollect.interfaces.hooks.search import Search
from recollect.store import locations

from .desk import Desk
from .transcripts import Transcript

DATA = Path(__file__).parent.parent / "fixtures" / "failures"


def examples(name: str) -> list[dict[str, Any]]:
    import tomllib

    found: list[dict[str, Any]] = tomllib.loads((DATA / name).read_text(encoding="utf-8"))["error"]
    return found


def fixed(number: int, error: dict[str, Any]) -> Transcript:
    """A session in which this happened and was fixed."""
    transcript = Transcript(f"everyday-{number}")
    transcript.prompt("Please get this to run.")
    transcript.shell(error["ran"], error["said"], code=1)
    for step in error["then"]:
        if step.startswith("edit "):
            path, old, new = step.removeprefix("edit ").split(" | ")
            transcript.edit(f"/home/ada/teapot/{path}", old=old, new=new)
        else:
            transcript.shell(step, "done")
    transcript.answer("It runs.")
    return transcript


def told(desk: Desk, ran: str, said: str) -> list[str]:
    """The solutions that the hook has for a failure, best first."""
    cue = recall.cue_of(f"{ran}\n{said}")
    search = Search(cue)
    search.look_in(str(desk.root), "project", locations.cache_folder(str(desk.root), desk.env))
    return [one.text for one in search.solutions(set(), f"Exit code 1\n{said}", ran)]


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A store that has seen each everyday failure fixed once."""
    desk = Desk(tmp_path_factory.mktemp("everyday"))
    for number, error in enumerate(examples("everyday.toml")):
        desk.capture(fixed(number, error))
    return desk


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("ran", "said", "then"),
    [
        ("git push", "错误：推送一些引用到 'origin' 失败", ["git pull --rebase", "git push"]),
        ("foo --version", "bash: foo：未找到命令", ["npm install -g foo", "foo --version"]),
        ("npm run migrate", "错误：无法连接到数据库 orders", ["docker compose up -d db", "npm run migrate"]),
        ("./run.sh", "bash: ./run.sh: 权限不够", ["chmod +x run.sh", "./run.sh"]),
        ("./run.sh", "bash: ./run.sh: 拒絕不符權限的操作", ["chmod +x run.sh", "./run.sh"]),
        ("npm start", "错误：地址已被使用 :::3000", ["PORT=0 npm start"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_fix_of_a_chinese_error_comes_back(
    tmp_path: Path, lang: str, ran: str, said: str, then: list[str]
) -> None:
    desk = Desk(tmp_path, lang=lang)
    desk.capture(fixed(1, {"ran": ran, "said": said, "then": then}))

    (found,) = told(desk, ran, said)
    assert then[0] in found
    assert told(desk, ran, "错误：文件已损坏") == []


POWERSHELL = """At line:1 char:29
+ chcp 65001 >$null;{ran}
+                             ~~
The token '&&' is not a valid statement separator in this version.
    + CategoryInfo          : ParserError: (:) [], ParentContainsErrorRecordException
    + FullyQualifiedErrorId : InvalidEndOfLine"""


def test_commands_that_windows_powershell_cannot_join_are_joined_otherwise(tmp_path: Path) -> None:
    """Nothing else was wrong: what was edited meanwhile is not the fix."""
    desk = Desk(tmp_path)
    ran, again = "cd desk && npm install express", "cd desk && npm run lint"
    then = ["edit .env | PORT=1 | PORT=2", "cd desk ; npm install express"]
    desk.capture(fixed(1, {"ran": ran, "said": POWERSHELL.format(ran=ran), "then": then}))

    (found,) = told(desk, again, POWERSHELL.format(ran=again))
    assert "cd desk ; npm install express" in found
    assert ".env" not in found


HOOK = """src/desk.js:3:1 lint/style/useConst
  This let is never written to again.
Checked 240 files in 3 s.
husky - pre-push script failed
error: failed to push some refs to 'https://example.org/ada/teapot.git'"""


@pytest.mark.parametrize(
    ("ran", "said", "then"),
    [
        ("git push origin lids", HOOK, ["edit biome.json | 1 | 2", "git push origin lids"]),
        ("curl --fail -o a.png https://example.org/assets/8158f914-8483-4968-b784-113eea353703",
         "curl: (22) The requested URL returned error: 404",
         ["curl --fail -H 'X: 1' -o a.png https://example.org/assets/8158f914-8483-4968-b784-113eea353703"]),
        ("npm run fetch", "Error: connect ECONNREFUSED: no credentials for the registry",
         ["TOKEN=$(cat token)\nLOGIN=$TOKEN npm run fetch"]),
    ],
)  # fmt: skip
def test_what_helps_only_once_is_not_learned(
    tmp_path: Path, ran: str, said: str, then: list[str]
) -> None:
    desk = Desk(tmp_path)
    desk.capture(fixed(1, {"ran": ran, "said": said, "then": then}))

    assert told(desk, ran, said) == []


@pytest.mark.parametrize(
    "step", ["export PATH=$GOPATH/bin:$PATH && npm run fetch", "$env:PORT=0; npm run fetch"]
)
def test_a_fix_may_use_what_is_always_set(tmp_path: Path, step: str) -> None:
    desk = Desk(tmp_path)
    ran, said = "npm run fetch", "Error: listen EADDRINUSE: address already in use :::3000"
    desk.capture(fixed(1, {"ran": ran, "said": said, "then": [step]}))

    assert len(told(desk, ran, said)) == 1


def test_a_fix_has_no_step_that_only_tried_or_shortened_what_is_printed(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    ran, said = "npm run migrate", "Error: connect ECONNREFUSED: could not connect to the database"
    then = [
        "docker compose up --dry-run db | head -20",
        "docker compose up -d db | tail -5",
        "npm run migrate",
    ]
    desk.capture(fixed(1, {"ran": ran, "said": said, "then": then}))

    (found,) = told(desk, ran, said)
    assert "`docker compose up -d db && npm run migrate`" in found


NO_JQ = "./scripts/brew.sh: line 7: jq: command not found"
NO_LID = "E   ModuleNotFoundError: No module named 'lidlib'"
NO_SUM = "a.go:9:2: missing go.sum entry for module providing package example.org/lid (imported by cup/a); to add:"


@pytest.mark.parametrize(
    ("ran", "said", "then", "again", "is_told"),
    [
        ("./scripts/brew.sh", NO_JQ, "apt-get install -y jq",
         ("./scripts/pour.sh", "./scripts/pour.sh: line 22: jq: command not found"), True),
        ("./scripts/brew.sh", NO_JQ, "apt-get install -y jq",
         ("cat a | jq .x", "/bin/bash: line 1: jq: command not found"), True),
        ("./scripts/brew.sh", NO_JQ, "apt-get install -y jq",
         ("./scripts/brew.sh", "./scripts/brew.sh: line 7: yq: command not found"), False),
        ("go test ./...", NO_SUM, "go mod tidy",
         ("go test ./cup", NO_SUM.replace("lid", "spout")), True),
        ("go test ./...", NO_SUM, "go get example.org/lid",
         ("go test ./cup", NO_SUM.replace("lid", "spout")), False),
        ("pytest", NO_LID, "pip install -r dev.txt",
         ("make test", f"{NO_LID}\nmake: *** [Makefile:9: test] Error 4"), True),
        ("pytest", NO_LID, "pip install -r dev.txt",
         ("make test", "E   ModuleNotFoundError: No module named 'cuplib'"), False),
        ("pytest", NO_LID, "pip install -r dev.txt",
         ("./brew.sh", NO_LID), False),
        ("npx tsc", "a.ts(2,2): error TS2307: Cannot find module 'http' or its types.", "npm i -D @types/node",
         ("npx tsc", "b.ts(2,2): error TS2307: Cannot find module './lids' or its types."), False),
        ("mvn package", "[ERROR] COMPILATION ERROR :\n[ERROR] Source option 7 is no longer supported. Use 8 or later.", "./use-java-8 --install",
         ("mvn package", "[ERROR] COMPILATION ERROR :\n[ERROR] /home/ada/Lid.java:[12,9] cannot find symbol"), False),
    ],
)  # fmt: skip
def test_the_same_trouble_comes_back_elsewhere_and_no_other(
    tmp_path: Path, ran: str, said: str, then: str, again: tuple[str, str], *, is_told: bool
) -> None:
    desk = Desk(tmp_path)
    desk.capture(fixed(1, {"ran": ran, "said": said, "then": [then, ran]}))

    assert len(told(desk, ran, said)) == 1
    assert len(told(desk, *again)) == is_told


@pytest.mark.slow
def test_of_fifty_everyday_failures_the_fix_comes_back_first(learned: Desk) -> None:
    missed = []
    for error in examples("everyday.toml"):
        found = told(learned, error["again"], error["again_said"])
        if not found or error["fix"] not in found[0]:
            missed.append((error["again"], error["again_said"][:80], found[:1]))

    assert len(missed) <= 5, missed


@pytest.mark.slow
def test_of_fifty_foreign_failures_hardly_one_is_told_anything(learned: Desk) -> None:
    wrong = [
        (error["ran"], error["said"][:80], found[:1])
        for error in examples("foreign.toml")
        if (found := told(learned, error["ran"], error["said"]))
    ]

    assert len(wrong) <= 2, wrong
