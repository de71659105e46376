"""A dry run shows what the run does: the same answer, and nothing changes that it did not name."""

from __future__ import annotations

import json
import os
import re
import time
from typing import Any

import pytest
from tests.cli.running import Person, tree_of

OLD = "2026-01-05T10:00:00Z"
# What a run may write behind what it names: what is made from the memories, and the books of a command.
MADE = re.compile(
    r"(?:^|/)(?:MEMORY\.md|facts\.json|\.index\.json|skill-candidates\.md|\.skill-candidates\.json"
    r"|journal/[^/]*|\.gitignore|\.gitattributes|config\.toml|rulings\.toml|pins\.json|dismissed[^/]*|recollect/place)$"
)
ONLY_MADE = ("rebuild-index", "config")  # these write nothing else
CASES: dict[str, tuple[str, ...]] = {
    "archive": ("archive",),
    "archive --force": ("archive", "--force"),
    "activate": ("activate", "gone"),
    "compress": ("compress", "--older-than", "1"),
    "consolidate": ("consolidate",),
    "consolidate --force-decay": ("consolidate", "--force-decay"),
    "prune": ("prune", "--apply"),
    "merge": ("merge", "tea-one", "tea-two"),
    "supersede": ("supersede", "tea-one", "tea-two"),
    "related": ("related", "tea-one", "d001-use-redis", "--accept"),
    "cleanup-sessions": ("cleanup-sessions", "--older-than", "0"),
    "save-session": ("save-session", "--session-id", "teatime"),
    "promote": ("promote", "tea-one", "--to", "global"),
    "clear-facts": ("clear-facts", "--yes"),
    "resolve": ("resolve", "i001"),
    "extract-facts": ("extract-facts", "log.md"),
    "review": ("review", "--approve", "by-agent"),
    "review --reject": ("review", "--reject", "by-agent"),
    "capture": ("capture", "old.jsonl"),
    "save": ("save", "Brew oolong at ninety degrees", "--kind", "rule"),
    "add-decision": ("add-decision", "Use SQLite"),
    "edit": ("edit", "tea-one", "--append", "More."),
    "set": ("set", "tea-one", "salience=high"),
    "forget": ("forget", "tea-one"),
    "forget --from-session": ("forget", "--from-session", "s-9"),
    "undo": ("undo",),
    "undo --to": ("undo", "--to", "2026-01-01"),
    "memory-set": ("memory-set", "project", "Another text."),
    "rebuild-index": ("rebuild-index",),
    "pin": ("pin", "tea-one"),
    "init": ("init", "--scope", "both", "--client", "claude"),
    "uninstall": ("uninstall",),
    "config": ("config", "lang", "zh"),
    "note": ("note", "A word", "--session-id", "teatime"),
    "todo": ("todo", "A thing", "--session-id", "teatime"),
    "start-session": ("start-session", "Another task"),
}


def episode(person: Person, name: str, body: str, **fields: str) -> None:
    head = {"kind": "session", "created": OLD, "decay-after": "2026-04-05", **fields}
    lines = "".join(f"{key.replace('_', '-')}: {value}\n" for key, value in head.items())
    file = person.write(f"episodic/{name}/summary.md", f"---\n{lines}---\n# {name}\n\n{body}\n")
    os.utime(file, (1.76e9, 1.76e9))


@pytest.fixture
def settled(person: Person) -> Person:
    """Somebody with something for every command to do."""
    person.ok("init", "--scope", "global")
    for n in range(12):
        person.write(
            f"semantic/filler-{n}.md", f"---\ntitle: Filler {n}\n---\nNumber {n} is {n}.\n"
        )
    episode(person, "brewing", "## Patterns\n\n- [convention] Always warm the pot first\n")
    episode(person, "talk", "Port is 8080.", kind="conversation")
    episode(person, "asked", "## Decisions\n\n- [technology] Use MySQL for the orders\n")
    episode(person, "gone", "Nothing.", kind="conversation")
    (person.store / "archive/episodic").mkdir(parents=True)
    (person.store / "episodic/gone").rename(person.store / "archive/episodic/gone")
    person.write(
        "semantic/tea-one.md",
        "---\ntitle: Tea one\ntags: [tea, pot]\n---\nTea is green.\n\nPots are blue.\n",
    )
    person.write(
        "semantic/tea-two.md",
        "---\ntitle: Tea two\ntags: [tea, pot]\n---\nTea is green.\n\nPots are blue.\n",
    )
    person.write(
        "semantic/from-s9.md", "---\ntitle: From s9\nsession: s-9\ntrust: agent\n---\nSaid.\n"
    )
    person.ok("add-decision", "Use Redis")
    person.ok("add-issue", "It leaks")
    person.ok(
        "save",
        "By agent",
        "--kind",
        "fact",
        env={"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s-1"},
    )
    person.ok("memory-set", "project", "A shop.")
    person.ok("todo", "Paint the lid", env={"RECOLLECT_SESSION": "teatime"})
    (person.project / "log.md").write_text("## Decisions\n- Use SQLite: it is there\n")
    rows = [
        {
            "type": "user",
            "message": {"role": "user", "content": "Always sort the imports. Fix it."},
        },
        {
            "type": "assistant",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
        },
    ]
    about = {"sessionId": "old", "cwd": str(person.project), "timestamp": "2026-01-05T10:00:00Z"}
    text = "".join(f"{json.dumps(row | about | {'uuid': str(n)})}\n" for n, row in enumerate(rows))
    (person.project / "old.jsonl").write_text(text)
    return person


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """The files that are new, gone or other; without what is made from the memories."""
    paths = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    files = {p for p in paths if not (before.get(p) or after[p]).startswith("4")}
    return {path for path in files if not MADE.search(path)}


def names_of(path: str) -> set[str]:
    """How a plan may call what stands in a file: by its path, its memory or its session."""
    parts = path.split("/")
    stem = parts[-1].split(".")[0]
    of_folder = {parts[-2]} if parts[-1] in ("summary.md", "conversation.md") else set()
    of_session = {stem.partition("-")[2]} if "/sessions/" in path else set()
    return {path, parts[-1], stem, *of_folder, *of_session} - {""}


def plain(answer: Any, words: tuple[str, ...]) -> Any:
    """An answer without what no plan can know: views follow from memories, a session has no name yet."""
    unknown = {"views", "change"} | (
        {"session", "started", "updated"} if words[0] == "start-session" else set()
    )
    if isinstance(answer, dict):
        return {k: plain(v, words) for k, v in answer.items() if k not in unknown}
    return [plain(one, words) for one in answer] if isinstance(answer, list) else answer


@pytest.mark.parametrize("name", CASES)
def test_a_dry_run_shows_what_the_run_does(
    settled: Person, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = CASES[name]
    if name == "uninstall":
        settled.ok("init", "--client", "claude")
    if name == "prune":
        settled.ok("resolve", "i001")
        now = time.time_ns() + 200 * 86_400 * 10**9
        monkeypatch.setattr(time, "time_ns", lambda: now)
    cache = str(settled.home / ".cache")
    at_first = tree_of(settled.home, settled.project, without=[cache])
    planned = settled.ok(*words, "--dry-run", "--json").json
    before = tree_of(settled.home, settled.project, without=[cache])
    assert before == at_first
    done = settled.ok(*words, "--json").json
    after = tree_of(settled.home, settled.project, without=[cache])
    assert plain(planned, words) == plain(done, words)
    told = json.dumps([planned, words], ensure_ascii=False)
    if name == "start-session":
        told += str(done["session"])
    unnamed = {
        path for path in changed(before, after) if not any(n in told for n in names_of(path))
    }
    assert unnamed == set()
    assert changed(before, after) or name in ONLY_MADE, "the case changes nothing"
