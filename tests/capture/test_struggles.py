"""What a session struggles with, from its transcript to the rule that it leaves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from recollect.model.entries import without_comments
from recollect.model.footnotes import expanded, label_of

from .desk import Desk
from .transcripts import Transcript

TAKEN = "npm error code ERESOLVE\nnpm error could not resolve"


def attempts(session: str) -> Transcript:
    transcript = Transcript(session)
    transcript.prompt("Please install the packages of the teapot.")
    transcript.shell("npm install", TAKEN, code=1)
    transcript.shell("npm install --force", TAKEN, code=1)
    transcript.edit("/home/ada/teapot/package.json")
    transcript.shell("npm install --legacy-peer-deps", "added 12 packages")
    transcript.answer("They are installed.")
    return transcript


def corrected(session: str, said: str) -> Transcript:
    transcript = Transcript(session)
    transcript.prompt("Please install the packages of the teapot.")
    transcript.shell("npm install", "added 12 packages")
    transcript.answer("They are installed.")
    transcript.prompt(said)
    transcript.shell("pnpm install", "done")
    transcript.answer("Now with pnpm.")
    return transcript


@pytest.fixture(params=["en", "zh"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    return Desk(tmp_path, request.param)


def test_every_attempt_at_the_same_thing_is_in_one_lesson(desk: Desk) -> None:
    desk.capture(attempts("one"))
    text = desk.feedback()
    assert text.count("\n## ") == 1
    assert "`npm install`, `npm install --force`" in text
    assert "`npm install --legacy-peer-deps`" in text
    told = r"seen in the session, fairly sure|会话中所见, 较确定"
    assert re.search(rf"\n\[\^{label_of('one')}\]: 2026-.*({told})\n", text)


def told(text: str) -> list[str]:
    """The lines without those that say who told it, and when."""
    said = without_comments(expanded(text))
    return [line for line in said.splitlines() if "updated:" not in line]


def test_a_lesson_has_the_day_on_which_it_was_learned(desk: Desk) -> None:
    transcript = attempts("one")
    for line in transcript.lines[3:]:
        line["timestamp"] = line["timestamp"].replace("2026-03-04", "2026-03-05")
    desk.capture(transcript)
    assert "]: 2026-03-05, " in desk.feedback()


def test_what_is_met_again_is_believed_more_and_has_no_twin(desk: Desk) -> None:
    desk.capture(attempts("one"))
    before = desk.feedback()
    desk.capture(attempts("two"))
    text = desk.feedback()
    assert text.count("\n## ") == 1
    lines = text.splitlines()
    (note,) = [line for line in lines if line.startswith(f"[^{label_of('two')}]: ")]
    assert note.endswith((", sure", ", 确定"))
    assert told(text) == told(before)
    desk.capture(attempts("one"), attempts("three"))
    assert desk.feedback() == text


@pytest.mark.parametrize("said", ["No, we use pnpm here.", "不对，我们用 pnpm。"])
def test_a_correction_by_the_person_is_a_lesson(desk: Desk, said: str) -> None:
    desk.capture(corrected("one", said))
    text = desk.feedback()
    assert "Solution: pnpm install, not npm install" in text
    assert f"** {said.rstrip('。.')}\n" in text
    assert "`npm install`" in text
    assert "`pnpm install`" in text


@pytest.mark.parametrize(
    "said", ["Actually, could you also use pnpm?", "再用 pnpm 装一次", "No.", "Great. Now commit."]
)
def test_what_is_no_correction_or_names_nothing_teaches_nothing(desk: Desk, said: str) -> None:
    desk.capture(corrected("one", said))
    assert desk.feedback() == ""


REFUSED = "E   psycopg.OperationalError: port 5432 failed: Connection refused"
LID = "/home/ada/teapot/src/lid.ts"
# Sessions in which things failed and nothing was learned: commands with what they said if they failed,
# edits as `edit PATH OLD NEW`, and what the person says.
NOTHING_SOLVED: dict[str, list[str | tuple[str, str]]] = {
    "it looked elsewhere": [
        ("cat src/lid.py", "cat: src/lid.py: No such file or directory"),
        "ls src",
        "cat src/spout.py",
        ("git log --oneline -3 -- src/lid.py", "fatal: ambiguous argument 'src/lid.py'"),
        "git log --oneline -3",
    ],
    "a test failed and the code was mended": [
        ("pytest -q", "FAILED tests/test_lid.py::test_lid - assert 1 == 2\n1 failed"),
        "edit /home/ada/teapot/src/lid.py 1 2",
        "pip install -e .",
        "pytest -q",
    ],
    "the agent mended its own mistake": [
        f"edit {LID} lid lids",
        ("npx tsc --noEmit", "src/lid.ts(3,9): error TS2552: Cannot find name 'lids'."),
        f"edit {LID} lids lid",
        "npx tsc --noEmit",
    ],
    "it never passed": [
        ("pytest tests/integration", REFUSED),
        "docker compose up -d db",
        ("pytest tests/integration", REFUSED),
        "pytest tests/unit",
    ],
    "it was got around": [
        ("git commit -m 'Lid'", "husky - error: prettier not found"),
        "git commit -m 'Lid' --no-verify",
        ("git pull", "error: cannot pull with rebase: You have unstaged changes."),
        "git stash && git pull && git stash pop",
        ("npm ci", "npm error EBUSY: resource busy or locked, rmdir 'node_modules'"),
        "rm -rf node_modules && npm ci",
    ],
    "what was in the way was thrown away": [
        ("make report", 'ERROR: relation "orders_idx" already exists'),
        "psql shop -c 'drop index orders_idx'",
        "make report",
        (
            "alembic upgrade head",
            "alembic.util.exc.CommandError: Can't locate revision identified by 'ab12'",
        ),
        "dropdb shop && createdb shop",
        "alembic upgrade head",
        ("rails test", "ActiveRecord::PendingMigrationError: Migrations are pending"),
        "rails db:drop db:create db:migrate",
        "rails test",
        (
            "make cached",
            "Error: WRONGTYPE Operation against a key holding the wrong kind of value, cache invalid",
        ),
        "redis-cli FLUSHALL",
        "make cached",
        (
            "terraform plan",
            "Error: Error acquiring the state lock: ConditionalCheckFailedException",
        ),
        "terraform force-unlock 7f3e",
        "terraform plan",
    ],
    "the client failed, not the command": [
        (
            "npm test",
            "The user doesn't want to proceed with this tool use. The tool use was rejected",
        ),
        ("npm test", "Command timed out after 2m 0.0s\nerror: cannot connect"),
        ("npm test", "<tool_use_error>Sibling tool call errored</tool_use_error>"),
        "npm install",
        "npm test",
    ],
    "nobody sees why it works, or whether": [
        ("npm test", "Error: connect ECONNREFUSED 127.0.0.1:6379"),
        "npm test",
        ("npm run lint", "error: failed to load plugin 'teapot': not found"),
        "npm install",
        "npm run lint 2>&1 | tail -5 || true",
    ],
    "the person does not say what to run": [
        "npm install",
        "> No, that's wrong.",
        "npm install left-pad",
        "> Stop, don't use yarn",
        "make all",
    ],
}


def session_of(name: str) -> Transcript:
    transcript = Transcript("nothing")
    transcript.prompt("Please get the tests of the teapot to run.")
    for step in NOTHING_SOLVED[name]:
        if isinstance(step, tuple):
            transcript.shell(*step, code=1)
        elif step.startswith("edit "):
            _, path, old, new = step.split()
            transcript.edit(path, old=old, new=new)
        elif step.startswith("> "):
            transcript.prompt(step[2:])
        else:
            transcript.shell(step, "ok")
    transcript.answer("Done.")
    return transcript


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", NOTHING_SOLVED)
def test_a_session_that_solved_nothing_stores_nothing(name: str, desk: Desk) -> None:
    desk.capture(session_of(name))
    assert desk.feedback() == ""
    assert desk.state("nothing")["solutions"] == []
