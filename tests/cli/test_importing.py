"""The files of four earlier memory systems, imported and used as one's own."""

from __future__ import annotations

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Person
from tests.security.ways import GIVEN, bytes_kept, folder_of

from recollect.store import disk

SUMMARY = """# Conversation Memory: Kettle table

## Metadata

- **Time**: 2026-01-11 14:30
- **Keywords**: glaze, useMemo

## Topic Summary

Why the kettle table is slow.

## Key Decisions

1. Use useMemo for the sums of kettles
"""
CHINESE = (
    "# 对话记忆：茶叶订单\n\n## 元信息\n\n- **时间**：2026-01-12 10:00\n- **关键词**：茶叶，订单\n"
)
FACTS = {
    "_meta": {"counter": 3, "lastSave": None},
    "decisions": [
        {
            "id": "d001", "type": "technology", "date": "2025-12-21", "content": "Store teas in PostgreSQL",
            "reason": "We need JSONB", "files": ["src/teas.py"], "concepts": ["storage"],
        }
    ],
    "patterns": [
        {"id": "p001", "type": "convention", "date": "2025-12-21", "content": "Small commits"}
    ],
    "issues": [
        {"id": "i001", "type": "bugfix", "date": "2025-12-21", "content": "Lids leak", "status": "resolved"}
    ],
    "concepts": {"storage": ["d001"]},
}  # fmt: skip
SESSION_FILE = """# Session 2025-12-23_1010

## Summary
Measured the slow list of kettles

## Decisions
- [approach] Show fifty kettles a page: the browser stalls beyond that
  - files: src/list.ts
"""
SESSION_PAGE = """## Summary
Cached the list

# Session: session-20260119-143000-abc123
**Started**: 2026-01-19 14:30:00
**Last Updated**: 2026-01-19 15:10:00
**Task**: Add a kettle cache
**Status**: archived

## Files Modified
- src/cache.py

## Decisions Made

### Use Redis for the cache
**Rationale**: It expires keys
**Alternatives considered**:
- memcached

## Problems Encountered

### Redis refuses connections
**Solution**: Set REDIS_PORT

## Notes
- None

## TODOs
- [ ] Warm the cache
"""
SOLUTION = """---
type: procedural
tags: [workflow, pip]
salience: high
source: instructed
trigger: [pip, command-not-found]
related: []
created: 2026-03-01
---
## Test one after the other

Run the tests one after the other.

## Solution: pip-scripts

**Symptom:** a script that pip installed is missing
**Solution:** it lies in Scripts
"""


def put(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


def imported(person: Person, *words: str) -> list[tuple[str, str]]:
    rows = person.ok("import", *words, "--json").json["files"]
    return [(row["id"], row["what"]) for row in rows]


def shown(person: Person, name: str) -> dict[str, Any]:
    found: dict[str, Any] = person.ok("show", name, "--json").json
    return found


def test_conversations_keep_their_ids_their_raw_talk_and_their_shelf(person: Person) -> None:
    data = person.project / ".claude/data"
    put(
        data,
        {
            "conversation-memory/memories/active/mem-20260111-143000/summary.md": SUMMARY,
            "conversation-memory/memories/active/mem-20260111-143000/conversation.md": "### User [14:30:22]\n\nWhy so slow?\n",
            "conversation-memory/memories/archive/mem-20251001-090000/summary.md": SUMMARY.replace("Kettle", "Saucer"),
            "conversation-memory/memories/active/mem-20260112-100000/summary.md": "# 对话记忆：{主题标题}\n",
            "conversation-memory-zh/memories/active/mem-20260111-143000/summary.md": CHINESE,
        },
    )  # fmt: skip
    first = person.ok("import")
    assert "mem-20260112-100000/summary.md: is a template that nobody filled in" in first.out
    assert [what for _, what in imported(person)] == ["unchanged"] * 3
    page = shown(person, "mem-20260111-143000")
    assert (page["title"], page["created"]) == ("Kettle table", "2026-01-11T14:30:00Z")
    assert (page["kind"], page["trust"]) == ("conversation", "agent")
    assert "Why so slow?" in person.ok("show", "mem-20260111-143000", "--level", "3").out
    assert shown(person, "mem-20260111-143000-2")["title"] == "茶叶订单"
    assert "Saucer table" in person.ok("activate", "--list").out
    person.ok("activate", "mem-20251001-090000")
    assert (data / "conversation-memory/memories/active/mem-20260111-143000/summary.md").exists()


@pytest.mark.slow
def test_a_store_of_memory_keeper_is_taken_over_where_it_lies(stranger: Person) -> None:
    put(
        stranger.store,
        {
            "facts.json": json.dumps(FACTS, indent=2),
            "project.md": "The shop sells kettles.\n",
            "memory.md": "## 2025-12-21_0300\nMeasured the lids.\n",
            "sessions/2025-12-23_1010.md": SESSION_FILE,
            "sessions/archive/2025-10.md": "\n\n---\n\n# Session 2025-10-01_0900\n\n## Summary\nMoved a shelf\n",
        },
    )
    assert {what for _, what in imported(stranger)} == {"created"}
    assert {what for _, what in imported(stranger)} == {"unchanged"}
    assert stranger.ok("memory-get", "project").out.strip() == "The shop sells kettles."
    assert not (stranger.store / "project.md").exists()
    fact = shown(stranger, "d001-store-teas-in-postgresql")
    assert (fact["created"][:10], fact["trust"]) == ("2025-12-21", "agent")
    view = json.loads((stranger.store / "facts.json").read_text("utf-8"))
    assert {k: view[k] for k in ("decisions", "patterns", "issues", "concepts")} == {
        k: FACTS[k] for k in ("decisions", "patterns", "issues", "concepts")
    }
    assert "facts.json#" not in stranger.ok("review").out
    found = stranger.ok("search", "fifty kettles", "--json").json["hits"][0]
    assert (found["kind"], found["created"][:10]) == ("decision", "2025-12-23")
    assert "2025-10-01-moved-a-shelf" in stranger.ok("list").out
    assert "Measured the lids" in stranger.ok("search", "measured lids").out


def test_sessions_and_pages_of_claude_memory_system_are_read(person: Person) -> None:
    state = {
        "session_id": "session-20260121-090000-d4e5f6", "started": "2026-01-21T09:00:00", "task": "Add saucers",
        "last_updated": "2026-01-21T09:30:00", "status": "archived", "notes": [], "todos": [], "problems": [],
        "decisions": [{"decision": "Render saucers on the server", "rationale": "No JavaScript", "alternatives": []}],
        "files_modified": ["src/saucer.py"],
    }  # fmt: skip
    row = {"file": "decisions/tea-queue.md", "title": "Tea queue", "tags": ["queue"], "triggers": ["backlog"], "created": "2026-01-20T10:11:12.123"}  # fmt: skip
    put(
        person.project / "old",
        {
            "memory/index.json": json.dumps({"version": "1.0", "memories": []}),
            "memory/index-log/20260120101112123456-s.json": json.dumps({"operation": "add", "memory": row}),
            "memory/index-log/20260120101113123456-s.json": '{"operation": "add", "mem',
            "memory/sessions/archived/2026-01-21-add-saucers.json": json.dumps(state),
            "memory/sessions/2026-01-19-add-a-kettle-cache.md": SESSION_PAGE,
            "memory/decisions/tea-queue.md": "# Tea queue\n\nOrders wait in a queue.\n",
        },
    )  # fmt: skip
    first = person.ok("import", "old")
    assert "20260120101113123456-s.json: cannot be read" in first.out
    assert {what for _, what in imported(person, "old")} == {"unchanged"}
    saucers = shown(person, "2026-01-21-add-saucers")["text"]
    assert "- [other] Render saucers on the server: No JavaScript" in saucers
    cache = shown(person, "2026-01-19-add-a-kettle-cache")["text"]
    assert "Use Redis for the cache: It expires keys (alternatives: memcached)" in cache
    assert "Redis refuses connections → Set REDIS_PORT: resolved" in cache
    assert "Cached the list\n" in cache
    assert "- [ ] Warm the cache" in cache
    assert "- None" not in cache
    queue = shown(person, "tea-queue")
    assert (queue["kind"], queue["tags"], queue["created"]) == ("decision", ["queue"], "2026-01-20T10:11:12Z")  # fmt: skip


def test_layers_of_claude_memory_are_read_with_their_fields(person: Person) -> None:
    page = "---\ntype: semantic\ntags: [catalogue, paging]\nsalience: high\nstatus: confirmed\nmine: 1\nrelated: [reference/external-systems.md]\ncreated: 2026-03-01\n---\nThe catalogue has 250 rows a page.\n"  # fmt: skip
    put(
        person.home / "notes",
        {
            "semantic/catalogue.md": page,
            "procedural/feedback.md": SOLUTION,
            "reference/external-systems.md": "---\ntype: reference\ncreated: 2026-03-01\n---\n## Dashboard\n\nIt can be found at https://example.org/kettles\n",
            "episodic/2026-03-02-cursor.md": page.replace("semantic", "episodic"),
        },
    )  # fmt: skip
    person.ok("save", "Always warm the pot")
    folder = str(person.home / "notes")
    assert {what for _, what in imported(person, folder)} == {"created"}
    assert {what for _, what in imported(person, folder)} == {"unchanged"}
    text = (person.store / "semantic/catalogue.md").read_text("utf-8")
    assert "salience: high\n" in text
    assert "mine: 1\n" in text
    assert "related: [external-systems]\n" in text
    rules = (person.store / "procedural/feedback.md").read_text("utf-8")
    assert [line.split(" ^")[0] for line in rules.splitlines() if line.startswith("## ")] == [
        "## Always warm the pot", "## Test one after the other", "## Solution: pip-scripts",
    ]  # fmt: skip
    assert "]: 2026-03-01, reported by the agent" in rules  # and not when it was imported
    assert "Solution: pip-scripts" in person.ok("recall", "command-not-found again").out


def test_nothing_outside_and_no_secret_is_imported_and_no_agent_does_it(person: Person) -> None:
    put(person.project / "old", {"semantic/a.md": "<private>The safe is blue.</private> Tea is green.\n"})  # fmt: skip
    (person.project / "old/semantic/b.md").symlink_to("/etc/hostname")
    ran = person.ok("import", "old", "--json").json
    assert [row["id"] for row in ran["files"]] == ["a"]
    assert [Path(one["path"]).name for one in ran["unread"]] == ["b.md"]
    assert "safe" not in (person.store / "semantic/a.md").read_text("utf-8")
    refused = person.run("import", "old", env={"CLAUDECODE": "1"})
    assert refused.code == 2
    assert person.run("import", "nowhere").code != 0
    person.ok("key-init", "--recovery-file", str(person.home / "recovery.txt"))
    person.ok("config", "encryption.episodic", "true")
    assert "An import cannot encrypt" in person.run("import", "old").err
    person.ok("config", "encryption.episodic", "false")
    assert person.ok("import").out == "No earlier memory system has left files here.\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is empty"),
        ('{"decisions": [{"content": "Use tin', "cannot be read: it is not valid JSON"),
        ("[1]", "cannot be read: it is not one JSON object"),
    ],
)
def test_of_a_broken_file_alone_is_said_what_it_is_and_what_to_do(
    person: Person, text: str, why: str
) -> None:
    put(person.project / "old", {"facts.json": text})
    first, second, *rest = person.ok("import", "old").out.splitlines()
    assert first.startswith(f"{person.project}/old/facts.json: {why}")
    assert "Nothing is lost" in second
    assert not rest
    assert (person.project / "old/facts.json").read_text() == text


def test_a_secret_in_the_name_of_a_file_or_folder_becomes_no_id(person: Person) -> None:
    token = "ghp_" + "x7K2m9Qa" * 5
    place = folder_of(person) / GIVEN
    page = f"---\ntitle: Tea\nrelated: [{token}2]\n---\nTea is green.\n"
    put(
        place,
        {
            f"semantic/{token}.md": page,
            f"semantic/{token}2.md": page.replace("Tea", "Pot"),
            f"active/{token}3/summary.md": SUMMARY,
            f"active/{token}3/conversation.md": "### User [14:30:22]\n\nWhy so slow?\n",
        },
    )
    assert {what for _, what in imported(person, str(place))} == {"created"}
    assert [
        name for name, data in bytes_kept(person) if token in name or token.encode() in data
    ] == []
    assert {what for _, what in imported(person, str(place))} == {"unchanged"}
    ids = [
        row["id"]
        for row in person.ok("list", "--json").json
        if row["id"].startswith("redacted-github-token-")
    ]
    assert len(ids) >= 2


@pytest.mark.parametrize("folder", ["", ".claude", ".claude/data/conversation-memory"])
def test_a_project_its_folder_and_the_data_itself_may_be_named(person: Person, folder: str) -> None:
    place = person.project / ".claude/data/conversation-memory/memories/active"
    put(place, {"mem-20260111-143000/summary.md": SUMMARY})
    words = [folder] if folder else []
    assert imported(person, *words) == [("mem-20260111-143000", "created")]


def test_a_linked_folder_of_a_clone_brings_nothing_of_other_stores(person: Person) -> None:
    other = person.home / "elsewhere/semantic"
    other.mkdir(parents=True)
    (other / "teapot.md").write_text("# Teapot\n\nThe other project's teapot is blue.\n")
    (person.project / "memory").symlink_to(other.parent)
    done = person.run("import", ".")
    assert "is a link that leads out of the folder" in done.out + done.err
    assert person.ok("search", "teapot", "--json").json["hits"] == []
    person.ok("import", "memory")  # named by the person
    assert person.ok("search", "teapot", "--json").json["hits"]


def test_an_imported_page_that_is_private_stays_out_of_git(person: Person) -> None:
    (person.project / "old/semantic").mkdir(parents=True)
    page = "---\ntitle: Safe\nprivate: true\n---\nIt is behind the teapot.\n"
    (person.project / "old/semantic/safe.md").write_text(page)
    person.ok("import", "old")
    assert "/semantic/safe.md" in (person.store / ".gitignore").read_text("utf-8").splitlines()


def test_a_page_with_private_parts_stays_where_it_lies(stranger: Person) -> None:
    page = "The shop sells kettles.\n<private>The safe is blue.</private>\n"
    put(stranger.store, {"facts.json": json.dumps(FACTS), "project.md": page})
    first = stranger.ok("import")
    assert "project.md: has private parts or secrets; it stays" in first.out
    assert (stranger.store / "project.md").read_text("utf-8") == page
    assert "sells kettles" in stranger.ok("memory-get", "project").out
    assert "safe" not in (stranger.store / "core/project.md").read_text("utf-8")
    assert {what for _, what in imported(stranger)} == {"unchanged"}


def test_what_has_another_id_or_another_title_by_now_is_known_again(person: Person) -> None:
    page = "---\ncreated: 2026-03-01\n---\n# {}\n\nIt is done at night.\n"
    put(
        person.project / "old",
        {
            "semantic/deploy.md": page.format("Deploy the shop"),
            "reference/deploy.md": page.format("Where the shop is"),
            "semantic/lids.md": page.format("Lids"),
            "active/mem-20260111-143000/summary.md": SUMMARY,
        },
    )
    assert {what for _, what in imported(person, "old")} == {"created"}
    person.ok("set", "lids", "title=Lids of kettles")
    person.ok("set", "mem-20260111-143000", "title=Slow table")
    assert {what for _, what in imported(person, "old")} == {"unchanged"}


def test_what_is_no_text_or_no_file_is_named_and_not_taken(person: Person) -> None:
    old = person.project / "old"
    put(old, {"semantic/a.md": "Tea is green.\n", "memory/facts.json": "{}"})
    for path in (
        "semantic/b.md", "active/mem-20260111-143000/summary.md", "decisions/c.md",
        "memory/project.md", "sessions/2025-12-23_1010.md", "sessions/active/x.json",
    ):  # fmt: skip
        put(old, {path: ""})
        (old / path).write_bytes("# Kessel für Tee\n".encode("latin-1"))
    (old / "semantic/folder.md").mkdir()
    os.mkfifo(old / "semantic/pipe.md")
    (old / "decisions/link.md").symlink_to("/etc/hostname")
    for _ in range(2):
        ran = person.ok("import", "old", "--json").json
        assert [row["id"] for row in ran["files"]] == ["a"]
        why = {str(Path(one["path"]).relative_to(old)): one["sentence"] for one in ran["unread"]}
        assert why.pop("semantic/folder.md") == "cannot be read: it is not a regular file"
        assert why.pop("semantic/pipe.md") == "cannot be read: it is not a regular file"
        assert why.pop("decisions/link.md") == "cannot be read: it is a link or a device"
        assert set(why.values()) == {"cannot be read: it is not UTF-8 text"}
        assert len(why) == len(ran["unread"]) - 3 == 6


def test_json_that_nests_too_deep_or_has_half_a_character_ends_no_import(person: Person) -> None:
    state = '{"session_id": "session-%d", "task": "Weigh tea", "started": "2026-01-21T09:00:00", "notes": [%s]}'
    row = {"type": "other", "content": "Store \ud800 teas", "date": "2025-12-21"}
    put(
        person.project / "old",
        {
            "sessions/active/deep.json": state % (1, "[" * 900 + "]" * 900),
            "sessions/active/half.json": state % (2, r'"The scale \ud800 is off by two grams"'),
            "facts.json": json.dumps({"decisions": [row]}),
            "index.json": json.dumps({"memories": [{"title": "Weigh tea", "summary": "\udfff"}]}),
            "semantic/a.md": "Tea is green.\n",
        },
    )
    ran = person.ok("import", "old", "--json").json
    assert [Path(one["path"]).name for one in ran["unread"]] == ["deep.json"]
    assert len([row for row in ran["files"] if row["what"] == "created"]) == 3
    assert "The scale ? is off" in shown(person, "2026-01-21-weigh-tea")["text"]


def test_a_name_in_other_letters_is_another_file(
    stranger: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(stranger.store, {"facts.json": "{}", "MEMORY.md": "Our own view.\n"})
    read = disk.read_inside

    def of_any_case(root: str, path: str, *limit: int) -> bytes:  # as on a disk that ignores case
        return read(root, path.replace("memory.md", "MEMORY.md"), *limit)

    monkeypatch.setattr(disk, "read_inside", of_any_case)
    assert imported(stranger) == []


def files_of(store: Path) -> dict[str, bytes]:
    """What a person has in a store, by path."""
    return {
        str(file.relative_to(store)): file.read_bytes()
        for file in sorted(store.rglob("*.md"))
        if file.name not in ("MEMORY.md", "CATALOG.md") and "/." not in str(file.relative_to(store))
    }


def test_the_command_that_an_import_names_takes_all_of_it_back(person: Person) -> None:
    state = {"session_id": "session-1", "task": "Weigh tea", "started": "2026-01-21T09:00:00", "notes": ["Two grams are off"]}  # fmt: skip
    put(
        person.store,
        {
            "facts.json": json.dumps(FACTS),
            "project.md": "The shop sells kettles.\n",
            "sessions/2025-12-23_1010.md": SESSION_FILE,
        },
    )
    put(
        person.project / ".claude",
        {
            "memory/sessions/active/a.json": json.dumps(state),
            "data/conversation-memory/memories/active/mem-20260111-143000/summary.md": SUMMARY,
            "memories/procedural/feedback.md": SOLUTION,
        },
    )
    person.ok("save", "Always warm the pot")
    before = files_of(person.store)
    ran = person.ok("import")
    assert files_of(person.store) != before
    words = re.search(r"`recollect (undo --to \S+)` takes back", ran.out)
    assert words, ran.out
    person.ok(*words[1].split())
    assert files_of(person.store) == before
    assert "takes back" not in person.ok("import", "--dry-run").out


def test_a_first_import_names_the_history(stranger: Person) -> None:
    put(stranger.project / "old", {"semantic/a.md": "Tea is green.\n"})
    stranger.ok("init", "--scope", "global")
    first = stranger.ok("import", "old", "--scope", "global").out
    assert "`recollect history --scope global` lists its changes" in first
    assert "lists its changes" not in stranger.ok("import", "old", "--scope", "global").out


def test_a_session_that_runs_is_not_taken_over(person: Person) -> None:
    session = person.ok("session", "start", "Count lids", "--json").json["session"]
    state = {"session_id": session, "task": "Weigh tea", "started": "2026-01-21T09:00:00", "notes": ["Two grams are off"]}  # fmt: skip
    put(person.project / "old", {"sessions/active/a.json": json.dumps(state)})
    assert imported(person, "old") == [(session, "unchanged")]
    shown_now = person.ok("session", "show", session, "--json").json
    assert (shown_now["task"], shown_now["status"]) == ("Count lids", "active")


@pytest.mark.slow
def test_two_imports_at_once_make_one_memory_of_each_page(person: Person) -> None:
    pages = {f"semantic/tea-{n}.md": f"# Tea {n}\n\nIt is green.\n" for n in range(30)}
    pages["active/mem-20260111-143000/summary.md"] = SUMMARY
    put(person.project / "old", pages)
    with ThreadPoolExecutor(3) as pool:
        ran = [pool.submit(person.process, "import", "old") for _ in range(3)]
    assert [one.result().returncode for one in ran] == [0, 0, 0]
    ids = [one["id"] for one in person.ok("list", "--json").json]
    assert len(set(ids)) == 31  # a page with two statements is in the list twice


def test_what_is_no_folder_is_said_to_be_none(person: Person) -> None:
    put(person.project, {"old.md": "Tea\n"})
    for name in ("old.md", "nowhere"):
        assert f"{name} is not a folder.\n" in person.run("import", name).err


def test_one_facts_json_is_imported_alone(person: Person) -> None:
    put(person.project, {"old/facts.json": json.dumps(FACTS), "old/project.md": "The shop.\n"})
    first = person.ok("import", "old/facts.json", "--json").json["files"]
    assert "d001-store-teas-in-postgresql" in {one["id"] for one in first}
    assert {one["what"] for one in first} == {"created"}
    again = person.ok("import", "old/facts.json", "--json").json["files"]
    assert {one["what"] for one in again} == {"unchanged"}
    assert person.run("memory-get", "project").code


LEFT_BY_ALL = {
    "conversation-memory-skill": ("active/mem-20260111-143000/summary.md", SUMMARY, "mem-20260111-143000"),
    "claude-memory-system": ("decisions/tea-queue.md", "# Tea queue\n\nOrders wait.\n", "tea-queue"),
    "memory-keeper": ("facts.json", json.dumps(FACTS), "d001-store-teas-in-postgresql"),
    "claude-memory": ("semantic/lids.md", "# Lids\n\nThey leak.\n", "lids"),
}  # fmt: skip


@pytest.mark.parametrize("system", LEFT_BY_ALL)
def test_only_the_files_of_the_named_system_are_read(person: Person, system: str) -> None:
    put(person.project / "old", {path: text for path, text, _ in LEFT_BY_ALL.values()})
    put(
        person.project / "old",
        {"sessions/2025-12-23_1010.md": SESSION_FILE, "sessions/2026-01-19-cache.md": SESSION_PAGE},
    )
    rows = person.ok("import", "old", "--from", system, "--json").json["files"]
    others = {
        f"{person.project}/old/{one[0]}" for name, one in LEFT_BY_ALL.items() if name != system
    }
    assert LEFT_BY_ALL[system][2] in {row["id"] for row in rows}
    assert not others.intersection(row["source"] for row in rows)
    pages = [Path(row["source"]).name for row in rows if "/sessions/" in row["source"]]
    own = {"memory-keeper": ["2025-12-23_1010.md"], "claude-memory-system": ["2026-01-19-cache.md"]}
    assert pages == own.get(system, [])


@pytest.mark.parametrize("system", LEFT_BY_ALL)
def test_an_import_says_what_it_looked_for_where_the_named_system_left_nothing(
    person: Person, system: str
) -> None:
    put(
        person.project / "old",
        {path: text for name, (path, text, _) in LEFT_BY_ALL.items() if name != system},
    )
    ran = person.run("import", "old", "--from", system)
    path = LEFT_BY_ALL[system][0].replace("mem-20260111-143000", "*")
    path = re.sub(r"(tea-queue|lids)\.md", "*.md", path)
    assert ran.code == 1
    assert f"old has no files of {system}: looked for " in " ".join(ran.err.split())
    assert path in ran.err
    assert not person.ok("list", "--json").json
    assert "is not one of" in person.run("import", "old", "--from", "tea").err


def test_comments_and_footnotes_of_an_imported_page_are_no_words_of_what_is_filed(
    person: Person,
) -> None:
    page = """---
created: 2026-03-02
---
# Catalogue of teas

## Decisions

- Teas of the catalogue are stored in PostgreSQL <!-- from: session-1; date: 2026-03-01; trust: agent -->
- Lids of the catalogue are checked on Mondays <!-- from: session-1 -->
- Pots of the catalogue are blue <!-- superseded 2026-03-01: previously red -->
- Cups of the catalogue are green [^abcd12]
- Spoons of the catalogue are bent [^beef01]

[^abcd12]: 2026-03-01, "Teas", seen by the agent
"""
    put(
        person.project / "old",
        {
            "episodic/2026-03-02-catalogue.md": page,
            "semantic/catalogue.md": "# Catalogue\n\nThe catalogue of teas has 250 rows.\n",
        },
    )
    person.ok("import", "old")
    person.ok("consolidate")
    text = shown(person, "catalogue")["text"]
    for said in ("stored in PostgreSQL", "checked on Mondays", "are blue", "are green"):
        assert re.search(rf"^- \w+ of the catalogue (are )?{said} <!-- ", text, re.M), said
    assert "‹" not in text
    # Its footnote is missing, so it counts as from outside.
    assert re.search(r"are bent <!-- .*; trust: external;", text)
