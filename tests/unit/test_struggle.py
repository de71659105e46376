"""What is learned from a failure, and what is not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture import failure_fix as struggle
from recollect.capture.failure_fix import Failure, Solution

from .build import is_quick

NOT_FOUND = "Exit code 127\nbash: lintool: command not found"
REFUSED = (
    "Exit code 1\nE   psycopg.OperationalError: connection to server at localhost, port 5432 "
    "failed: Connection refused"
)


def solved(failed: str, error: str, worked: str, said: str = "") -> Solution | None:
    return struggle.solved(Failure("shell", failed, error, 1), worked, said)


@pytest.mark.parametrize(
    ("failed", "error", "worked"),
    [
        ("lintool strict", NOT_FOUND, "npx lintool strict"),
        ("lintool strict", NOT_FOUND, 'PATH="$PATH:./tools" lintool strict'),
        ("lintool strict", NOT_FOUND, "./tools/lintool strict --config a.toml"),
        ("npm test", "Error: listen EADDRINUSE: address already in use :::3000", "PORT=0 npm test"),
        (
            "pytest tests/integration",
            REFUSED,
            "docker compose up -d db && pytest tests/integration",
        ),
        ("pip install httpx", "error: externally-managed-environment", "uv pip install httpx"),
        ("python app.py", "ModuleNotFoundError: No module named 'flask'", "uv run python app.py"),
        ("make build", "fatal: not a git repository", "git init && make build"),
        ("mypy src", "错误：找不到模块 pydantic", "uv run mypy src"),
    ],
)
def test_another_way_that_works_is_a_solution(failed: str, error: str, worked: str) -> None:
    found = solved(failed, error, worked, "It was not there.")
    assert found is not None
    assert (found.failed, found.solution, found.why) == (failed, worked, "It was not there.")
    assert found.symptom in error
    assert found.triggers


@pytest.mark.parametrize(
    ("failed", "error", "worked"),
    [
        ("lintool strict", NOT_FOUND, "lintool strict"),  # it was mended elsewhere
        ("cat src/a.py", "cat: src/a.py: No such file or directory", "cat lib/a.py"),
        ("pytest tests/a.py", "FAILED tests/a.py::test_x - assert 1 == 2", "pytest -x tests/a.py"),
        ("pytest tests/a.py", "E   AssertionError\n1 failed", "pytest tests/a.py -k name"),
        ("grep -r zebra .", "Exit code 1", "grep -ri zebra ."),
        ("lintool strict", NOT_FOUND, "git status"),
        ("make all", "Exit code 2\nit went red", "make all -j1"),
    ],
)
def test_what_was_mended_elsewhere_teaches_nothing(failed: str, error: str, worked: str) -> None:
    assert solved(failed, error, worked) is None


def again(error: str, *since: str, edited: bool = False) -> Solution | None:
    failure = Failure("shell", "pytest tests/integration", error, 1, since, edited)
    return struggle.solved(failure, "pytest tests/integration", "")


def test_what_was_done_before_the_same_command_worked_is_the_solution() -> None:
    found = again(REFUSED, "docker ps", "docker compose up -d db", "ls | head")
    assert found is not None
    assert found.solution == "docker compose up -d db && pytest tests/integration"
    assert "connection-refused" in found.triggers


def test_after_many_attempts_at_the_same_thing_each_is_named_and_what_was_edited() -> None:
    failure = Failure(
        "shell", "make image", "error: unknown base 'alpine:9'", 9, (), edited=True,
        edits=("Dockerfile",), tries=("docker build .", "make image"),
    )  # fmt: skip
    found = struggle.solved(failure, "make image", "")
    assert found is not None
    assert (found.failed, found.solution) == ("make image", "make image")
    assert (found.tries, found.edits) == (("docker build .",), ("Dockerfile",))
    assert struggle.solved(failure._replace(tries=()), "make image", "") is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (("npm i", "npm error ERESOLVE"), ("npm i --force", "npm error ERESOLVE"), True),
        (("npm i", "npm error ERESOLVE"), ("npm i", "npm error EACCES"), False),
        (("npm i", "npm error ERESOLVE"), ("docker build .", "npm error ERESOLVE"), False),
        (("mypy src", "错误：找不到模块"), ("mypy src -p x", "错误：找不到模块"), True),
        (("npm i left", "error: no"), ("npm i right", "error: not so"), False),
    ],
)
def test_the_same_error_of_the_same_thing_is_another_attempt(
    one: tuple[str, str], other: tuple[str, str], *, same: bool
) -> None:
    first, second = (Failure("shell", *row, step=n) for n, row in enumerate((one, other)))
    assert struggle.is_same_trouble(first, second) is same


@pytest.mark.parametrize(
    ("ran", "said", "worked", "slug"),
    [
        ("npm install", "No, we use pnpm here.", "pnpm install", "not-npm-install"),
        ("pip install httpx", "不对，我们用uv。", "uv pip install httpx", "not-pip-install"),
        ("pnpm install", "Wrong, I said --frozen-lockfile.", "pnpm install --frozen-lockfile", "not-pnpm-install"),
    ],
)  # fmt: skip
def test_a_correction_that_names_the_other_way_is_a_solution(
    ran: str, said: str, worked: str, slug: str
) -> None:
    found = struggle.solved(Failure("shell", ran, "", 1, objection=said), worked, "Sorry.")
    assert found is not None
    assert (found.slug, found.failed, found.solution) == (slug, ran, worked)
    assert found.symptom == found.why == said
    assert found.triggers == (slug.removeprefix("not-"),)


@pytest.mark.parametrize(
    ("ran", "said", "then"),
    [
        ("pytest src/a.py", "No, that's wrong.", "git diff src/a.py"),
        ("npm install", "No, that's wrong.", "npm install left-pad"),
        ("npm install", "No, we use pnpm here.", "ls"),
        ("npm install", "No, we use pnpm here.", "npm install"),
    ],
)
def test_a_correction_that_names_nothing_teaches_nothing(ran: str, said: str, then: str) -> None:
    assert struggle.solved(Failure("shell", ran, "", 1, objection=said), then, "") is None


def test_what_only_looked_or_edited_made_nothing_work() -> None:
    assert again(REFUSED, "docker ps", "git status", "cat a | grep b", "node --version") is None
    assert again(REFUSED, "docker compose up -d db", edited=True) is None
    assert again("1 failed in 0.2s", "docker compose up -d db") is None


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (NOT_FOUND, "bash: lintool: command not found"),
        ("Exit code 1", ""),
        ("one\ntwo", "one"),
        (
            "Traceback (most recent call last):\n  x\nKeyError: 'a'\nValueError: bad",
            "ValueError: bad",
        ),
        ("\x1b[31merror:\x1b[0m it broke", "error: it broke"),
        ("正在构建\n错误：找不到文件", "错误：找不到文件"),
    ],
)
def test_the_line_that_tells_most(error: str, line: str) -> None:
    assert struggle.telling_line(error) == line


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("cd app && npm test", "npm"), ("PORT=0 npm test", "npm"), ("sudo -E /usr/bin/apt x", "apt"),
        ("", ""), ("FOO=1", ""), ("a | b", "a"),
    ],
)  # fmt: skip
def test_the_program_of_a_command(command: str, program: str) -> None:
    assert struggle.program_of(command) == program


def test_triggers_name_the_error_the_program_and_the_thing() -> None:
    found = struggle.triggers_of(
        "npm test", "Error: Cannot find module 'left-pad' EADDRINUSE TS2304"
    )
    assert {"npm", "left-pad", "EADDRINUSE", "TS2304"} <= set(found)
    assert "command-not-found" in struggle.triggers_of("lintool x", NOT_FOUND)


@given(st.text(max_size=200), st.text(max_size=400), st.text(max_size=200), st.text(max_size=200))
def test_whatever_was_said_a_solution_is_single_lines_and_plain_triggers(
    failed: str, error: str, worked: str, said: str
) -> None:
    found = solved(failed, f"error {error}", worked, said)
    if found:
        for text in (found.symptom, found.failed, found.solution, found.why):
            assert "\n" not in text
            assert len(text) <= struggle.LONGEST_LINE
        assert all(re.fullmatch(r"[\w@./:+-]{2,40}", word) for word in found.triggers)
        assert len(found.triggers) <= struggle.MOST_TRIGGERS


@pytest.mark.parametrize("unit", ["error ", "'a' ", "E1 ", "x\n", "\x1b[", "A_B", "word&&", "a=1 "])
def test_a_long_error_is_soon_read(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    assert is_quick(lambda: solved(text[:2000], text, text[:1990]))


LINES = st.sampled_from(
    [
        "exit code 1", "E   Exit code 2", "not  found", "command not\tfound", "er\x1b[0mror: x",
        "fine", "Traceback (most recent call last):", "TIMEOUT", "找不到", "a lone lin\ud800e",
        "İnvalid", "",
    ]
)  # fmt: skip


@given(st.lists(LINES | st.text(max_size=20), max_size=8).map("\n".join))
def test_the_telling_line_is_the_first_or_last_that_tells(error: str) -> None:
    cleaned = [struggle.clean_line(line.removeprefix("E   ")) for line in error.splitlines()]
    kept = [line for line in cleaned if line and not re.match(r"exit code \d+$", line, re.I)]
    telling = [line for line in kept if struggle._tells(line)]
    best = telling[-1 if "Traceback" in error else 0] if telling else (kept or [""])[0]
    assert struggle.telling_line(error) == best


@given(st.text(st.characters(codec=None)))
def test_a_line_has_no_escapes_and_one_blank_between_words(text: str) -> None:
    line = struggle.clean_line(text)
    assert line == " ".join(struggle._ESCAPES.sub("", text).split())[: struggle.LONGEST_LINE]
