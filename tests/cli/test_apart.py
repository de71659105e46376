"""What belongs to one project shows in no other: not by any command, not by any hook.

Three projects: one with a store of its own, one whose sessions are kept in the store of all
projects, and one from which everything is asked.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import Person
from tests.hooks.machine import EVENTS, FIELDS, HOOK

from recollect import worker
from recollect.app import App
from recollect.features.models import ModelCall, log_call
from recollect.interfaces.cli.main import GROUPS
from recollect.store import locations

WORD = "zanzibar"  # stands in everything that is not to be seen
HERE = "marmalade"  # stands in everything that may be
KINDS = {
    "semantic/decisions/a.md": "decision",
    "semantic/issues/a.md": "issue",
    "semantic/a.md": "fact",
    "procedural/patterns/a.md": "pattern",
    "procedural/a.md": "rule",
    "reference/a.md": "pointer",
    "episodic/a.md": "note",
    "episodic/2026-01-03-a/summary.md": "session",
    "archive/semantic/a.md": "fact",
}
# What a person there might run; some of it finds nothing to do.
ASKED: dict[str, str] = {
    "init": "--dry-run",
    "uninstall": "--dry-run",
    "adopt": "/gone/before --dry-run",
    "import": "--dry-run",
    "export": "--to json --private",
    "doctor": "",
    "config": "",
    "save": f"Another {WORD[:3]} of {HERE} --kind decision --tags {HERE},shared --dry-run",
    "edit": "own --body Other --dry-run",
    "set": "own salience=high --dry-run",
    "forget": "own --dry-run",
    "supersede": "own other --dry-run",
    "merge": "own other --dry-run",
    "review": "--episodes",
    "undo": "--dry-run",
    "history": "",
    "given": "",
    "status": "",
    "calls": "",
    "promote": "",
    "pin": "--test shared",
    "unpin": "own --dry-run",
    "add-decision": f"Use {HERE} --tags shared --dry-run",
    "add-pattern": f"Use {HERE} --dry-run",
    "add-issue": f"Use {HERE} --dry-run",
    "resolve": "i001 --dry-run",
    "extract-facts": "- --dry-run",
    "clear-facts": "--dry-run",
    "memory-set": "project Text --dry-run",
    "memory-get": "",
    "memory-list": "",
    "search": "shared",
    "recall": "--start",
    "show": "own --level 3",
    "list": "",
    "timeline": "",
    "stats": "",
    "start-session": "Mine --dry-run",
    "note": "Mine --dry-run",
    "todo": "Mine --dry-run",
    "list-sessions": "--all",
    "show-session": "",
    "save-session": "--dry-run",
    "cleanup-sessions": "--older-than 0 --dry-run",
    "compress": "--dry-run",
    "capture": ". --dry-run",
    "consolidate": "--dry-run",
    "conflicts": "",
    "archive": "--dry-run",
    "activate": "--list",
    "rebuild-index": "--dry-run",
    "analyze-skills": "--dry-run",
    "promote-skill": "deploy-shared --dry-run",
    "dismiss-skill": "deploy-shared --dry-run",
    "embedder": "list",
}
MORE = [
    "search", f"search {WORD}", f"search {WORD} --archived", "search --type decision", "recall shared",
    f"recall {WORD}", "list --archived", "list --kind session", "archive --stats", "activate --search shared",
    "timeline --json", "stats --json", "review --json", "analyze-skills --json", "doctor --json",
    "list-sessions --json", "search shared --json", "conflicts --json", "promote --json", "calls 1", "calls --json",
]  # fmt: skip


def said(n: int) -> str:
    return f"Deploy shared {WORD}.\n\nThe shared port of {WORD} is 80{n}. Never push {WORD} to shared.\n\n## TODOs\n\n- [ ] {WORD}\n\n## Decisions\n\n- [technology] Use {WORD}: {WORD}\n  - source: instructed\n"


def fill(store: Path, numbers: range) -> None:
    """Memories of every kind, in which the word stands everywhere."""
    for n in numbers:
        for m, (path, kind) in enumerate(KINDS.items()):
            name = path.replace("a.md", f"{WORD}-{n}-{m}.md").replace("-a/", f"-{WORD}-{n}/")
            trust = ("user", "agent", "tool", "external")[n % 4]
            file = store / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.parent.chmod(0o700)
            file.touch(0o600)  # as `doctor` wants it: a file that is wrong is named to everybody
            file.write_text(
                f"---\ntitle: Deploy shared {WORD} {n}\nkind: {kind}\ntags: [{WORD}, shared, deploy]\ntrigger: [{WORD}]\n"
                f"files: [src/{WORD}.py]\nconcepts: [{WORD}]\ntrust: {trust}\nstatus: open\nsession: s-{n}\n"
                f"created: 2026-01-0{n + 1}T10:00:00Z\n---\n{said(n)}",
                encoding="utf-8",
            )
    talk = store / f"episodic/2026-01-03-{WORD}-{numbers[0]}/conversation.md"
    talk.touch(0o600)
    talk.write_text(f"### User [10:00]\nshared {WORD}\n", encoding="utf-8")


@pytest.fixture(scope="module")
def person(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """Somebody in a third project."""
    folder = tmp_path_factory.mktemp("apart")
    people = {}
    for name in ("theirs", "homeless", "own"):
        (folder / name / ".git").mkdir(parents=True)
        people[name] = Person(folder / "home", folder / name)
    (folder / "home").mkdir()
    theirs, homeless, own = people["theirs"], people["homeless"], people["own"]
    own.ok("init", "--scope", "both")
    theirs.ok("init", "--scope", "project")
    fill(theirs.store, range(4))
    for one in (theirs, homeless):
        for words in (("start-session", f"Task {WORD}"), ("note", WORD), ("todo", WORD)):
            one.ok(*words, env={"RECOLLECT_SESSION": f"s-{one.project.name}"})
    private = Path(locations.private_root(str(homeless.project), homeless.environment({})))
    fill(private, range(4))
    theirs.ok("memory-set", "project", WORD)
    call = ModelCall("2026-11-25T10:00:00Z", "claude", str(theirs.project), WORD, "answered")
    app = App(str(theirs.project), theirs.environment({}))
    log_call(app, call._replace(sent=WORD, answer=WORD, reason=WORD))
    own.write("semantic/own.md", f"---\ntags: [shared, {HERE}]\n---\nThe shared {HERE}.\n")
    own.write("semantic/other.md", f"---\ntags: [shared, {HERE}]\n---\nAnother shared {HERE}.\n")
    for one in (theirs, homeless, own):
        one.ok("consolidate")
        one.ok("analyze-skills")
    # What no pass has seen yet.
    fill(private, range(4, 8))
    return own


def test_every_command_is_asked() -> None:
    """But for those that show what they make themselves, what a key opens, or what they are given."""
    names = {name for rows in GROUPS.values() for name, _, _ in rows}
    others = set("browse demo mcp textconv merge-driver encrypt decrypt".split())
    assert {name for name in names if not name.startswith("key-")} - set(ASKED) <= others


@pytest.mark.sampled(5)
@pytest.mark.parametrize("words", [f"{name} {rest}".strip() for name, rest in ASKED.items()] + MORE)
def test_no_command_shows_what_belongs_to_another_project(person: Person, words: str) -> None:
    ran = person.run(*words.split(), env={"RECOLLECT_SESSION": ""})
    assert ran.code in (0, 1, 2, 10, 11), ran
    shown = (ran.out + ran.err).replace(f"“{WORD}”", "").replace(f'"query": "{WORD}"', "")
    assert WORD not in shown, words


def test_what_is_its_own_does_show(person: Person) -> None:
    """Otherwise the test above would prove nothing."""
    assert HERE in person.ok("search", "shared").out
    assert HERE in person.ok("recall", f"what of the shared {HERE}?").out
    theirs = Person(person.home, person.project.parent / "theirs")
    for words in ("search shared", "list", "recall --start", "review --episodes", "list-sessions"):
        assert WORD in theirs.ok(*words.split()).out, words
    homeless = Person(person.home, person.project.parent / "homeless")
    for words in ("search shared", "list", "recall --start", "list-sessions", "export --to json"):
        assert WORD in homeless.ok(*words.split()).out, words


def test_nothing_is_written_into_a_project_that_belongs_to_another(person: Person) -> None:
    person.ok("consolidate")
    person.ok("save", f"More {HERE}")
    worker.consolidate_if_due(str(person.store))
    for path in person.project.rglob("*"):
        assert WORD not in str(path)
        assert not path.is_file() or WORD.encode() not in path.read_bytes(), path


@pytest.mark.sampled(3)
@pytest.mark.parametrize("event", EVENTS)
def test_no_hook_tells_what_belongs_to_another_project(person: Person, event: str) -> None:
    about = {
        "session_id": "0b6f1c2e-7d51-4c1e-9a11-6d1f00000009",
        "transcript_path": str(person.home / "none.jsonl"),
        "cwd": str(person.project),
        "hook_event_name": event,
    }
    payload = about | FIELDS[event]
    if event == "UserPromptSubmit":
        payload["prompt"] = f"How do we deploy the shared {WORD}?"
    if event == "PostToolUseFailure":
        payload["error"] = f"Exit code 2\nshared {WORD} refused"
    ran = subprocess.run(
        [sys.executable, "-I", "-S", HOOK, "claude", event],
        input=json.dumps(payload).encode(),
        capture_output=True,
        env={"HOME": str(person.home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
        cwd=person.project,
        timeout=20,
        check=True,
    )
    assert WORD.encode() not in ran.stdout + ran.stderr
