"""A dry run shows what the run does: the same answer, and nothing changes that it did not name."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import pytest
from tests.cli.running import Person, tree_of

OLD = "2026-01-05T10:00:00Z"
# What a run may write behind what it names: what is made from the memories, and the books of a command.
MADE = re.compile(
    r"(?:^|/)(?:MEMORY\.md|facts\.json|\.index\.json|skill-candidates\.md|\.skill-candidates\.json"
    r"|journal/[^/]*|\.gitignore|\.gitattributes|config\.toml|rulings\.toml|pins\.json|dismissed[^/]*|skills\.json|recollect/place)$"
)
ONLY_MADE = (
    "rebuild-index",
    "config",
    "merge --dismiss",
    "analyze-skills",
    "dismiss-skill",
)  # these write nothing else
CASES: dict[str, tuple[str, ...]] = {
    "archive": ("archive",),
    "archive --force": ("archive", "--force"),
    "activate": ("activate", "gone"),
    "compress": ("compress", "--older-than", "1"),
    "consolidate": ("consolidate",),
    "consolidate --force-decay": ("consolidate", "--force-decay"),
    "merge": ("merge", "tea-one", "tea-two"),
    "supersede": ("supersede", "tea-one", "tea-two"),
    "cleanup-sessions": ("cleanup-sessions", "--older-than", "0"),
    "save-session": ("save-session", "--session-id", "teatime"),
    "promote": ("promote", "tea-one", "--to", "global"),
    "clear-facts": ("clear-facts", "--yes"),
    "resolve": ("resolve", "i001"),
    "extract-facts": ("extract-facts", "log.md"),
    "review": ("review", "--approve", "by-agent"),
    "review --reject": ("review", "--reject", "by-agent"),
    "capture": ("capture", "old.jsonl"),
    "import": ("import",),
    "save": ("save", "Brew oolong at ninety degrees", "--kind", "rule"),
    "add-decision": ("add-decision", "Use SQLite"),
    "edit": ("edit", "tea-one", "--append", "More."),
    "set": ("set", "tea-one", "salience=high"),
    "forget": ("forget", "tea-one"),
    "forget --from-session": ("forget", "--from-session", "s-9"),
    "undo": ("undo",),
    "undo --to": ("undo", "--to", "2026-01-01"),
    "memory-set": ("memory-set", "project", "New text."),
    "rebuild-index": ("rebuild-index",),
    "pin": ("pin", "tea-one"),
    "init": ("init", "--scope", "both", "--client", "claude"),
    "uninstall": ("uninstall",),
    "config": ("config", "lang", "zh"),
    "note": ("note", "A word", "--session-id", "teatime"),
    "todo": ("todo", "A thing", "--session-id", "teatime"),
    "start-session": ("start-session", "Another task"),
    "add-pattern": ("add-pattern", "Warm pots keep tea warm"),
    "add-issue": ("add-issue", "The lid drips"),
    "forget --purge": ("forget", "tea-one", "--purge", "--yes"),
    "merge --dismiss": ("merge", "tea-one", "tea-two", "--dismiss"),
    "unpin": ("unpin", "tea-two"),
    "conflicts": ("conflicts", "--choose", "conflict", "new"),
    "promote-skill": ("promote-skill", "deploy-part-staging"),
    "dismiss-skill": ("dismiss-skill", "deploy-part-staging"),
    "analyze-skills": ("analyze-skills",),
}
LAPTOP = "age10jq4eu89qk4yk0dc67pfp93k92rlfucgv0h3g5unwsxvungr9vgsmqlwuh"
SEALED = "sealed"  # the id that an encrypted memory got
ENCRYPTION: dict[str, tuple[str, ...]] = {
    "encrypt": ("encrypt", "tea-one"),
    "decrypt": ("decrypt", SEALED),
    "key-init": ("key-init", "--recovery-file", "recovery.txt"),
    "key-add": ("key-add", LAPTOP, "--name", "laptop"),
    "key-remove": ("key-remove", "laptop"),
    "key-rotate": ("key-rotate",),
    "key-rewrap": ("key-rewrap",),
}  # fmt: skip


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
    """An answer without what no plan can know: the views, the name of a session, the second of a change."""
    unknown = {"views", "change"} | (
        {"session", "started", "updated"} if words[0] == "start-session" else set()
    )
    if isinstance(answer, dict):
        return {k: plain(v, words) for k, v in answer.items() if k not in unknown}
    if isinstance(answer, str):
        return re.sub(r"(?m)^updated: .*$", "updated:", answer)
    return [plain(one, words) for one in answer] if isinstance(answer, list) else answer


def prepared(person: Person, name: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a case, when what it is about is there."""
    if name == "unpin":
        person.ok("pin", "tea-two")
    elif name == "import":
        place = (
            person.project / ".claude/data/conversation-memory/memories/active/mem-20260103-090000"
        )
        place.mkdir(parents=True)
        (place / "summary.md").write_text("# Conversation Memory: Saucers\n\nThey are glazed.\n")
    elif name == "conflicts":
        person.write("semantic/cache.md", "---\ntitle: Stores\ntags: [cache, port]\ncreated: 2025-11-02T10:00:00Z\n---\nWe use Postgres.\n")  # fmt: skip
        episode(person, "cache-work", "We use MariaDB.", tags="[cache, port]")
        person.ok("consolidate")
        return (words[0], person.ok("conflicts", "--json").json[0]["id"], *words[2:])
    elif name.endswith("skill"):
        for n in range(3):
            person.ok("save", f"Deploy part {n} to staging", "--kind", "note", "--tags", "deploy,staging", "--files", "deploy/run.sh", "--body", f"Build and push {n}.")  # fmt: skip
        person.ok("analyze-skills")
    return words


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sampled(2)
def test_a_dry_run_shows_what_the_run_does(
    settled: Person, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = CASES[name]
    if name == "uninstall":
        settled.ok("init", "--client", "claude")
    if name == "capture":  # what is filed then is what `consolidate --dry-run` shows
        monkeypatch.setattr("recollect.features.capture._with_filed", lambda report, *_: report)
    words = (words[0], *prepared(settled, name, words[1:]))
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


@pytest.mark.slow
def test_a_dry_run_names_the_views_that_the_run_writes(settled: Person) -> None:
    episode(settled, "port", "The port of the store is 5433.", tags="[port, store]")
    planned = settled.ok("consolidate", "--dry-run", "--json").json
    done = settled.ok("consolidate", "--json").json
    assert [one["views"] for one in planned] == [one["views"] for one in done] != [[], []]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ENCRYPTION)
def test_a_dry_run_of_encryption_shows_what_the_run_does(settled: Person, name: str) -> None:
    words = ENCRYPTION[name]
    if name != "key-init":
        settled.ok("key-init", "--recovery-file", "recovery.txt", "--name", "desk")
        made = settled.ok("save", "A secret", "--encrypt", "--body", "Sesame.", "--json").json["id"]
        words = tuple(made if word == SEALED else word for word in words)
        if name == "key-remove":
            settled.ok("key-add", LAPTOP, "--name", "laptop")
    cache = str(settled.home / ".cache")
    before = tree_of(settled.home, settled.project, without=[cache])
    planned = unnumbered(settled.ok(*words, "--dry-run", "--json").json)
    assert tree_of(settled.home, settled.project, without=[cache]) == before
    done = unnumbered(settled.ok(*words, "--json").json)
    after = tree_of(settled.home, settled.project, without=[cache])
    assert planned == done
    assert (after != before) is (name != "key-rewrap")  # nothing is for other keys


def unnumbered(answer: Any) -> Any:
    """An answer without what is made by chance: keys, and the names of encrypted files."""
    return json.loads(re.sub(r"age1[0-9a-z]{58}|sealed-[0-9a-f]+", "…", json.dumps(answer)))


@pytest.mark.slow
def test_a_dry_run_of_a_repair_names_what_is_mended_and_mends_nothing(settled: Person) -> None:
    page = settled.store / "semantic" / "tea-one.md"
    page.chmod(0o644)
    before = tree_of(settled.home, settled.project, without=[str(settled.home / ".cache")])
    planned = settled.run("doctor", "--repair", "--dry-run")
    assert "--repair makes them private" in planned.out
    assert tree_of(settled.home, settled.project, without=[str(settled.home / ".cache")]) == before
    settled.ok("doctor", "--repair")
    assert page.stat().st_mode & 0o077 == 0
