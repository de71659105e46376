"""A store in which every text, name, tag and session tries to command whoever reads it.

Promises: `EVERY` has each command of the program at least once, in a form that reaches what the store
says; the same folder gives the same store.
Touches: the folder of the person it is given.
"""

from __future__ import annotations

import json
import re
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.capture.transcripts import Transcript
from tests.cli.running import Person

EVIL = (
    "\x1b]52;c;aGk=\x07 \x1b]0;title\x07 \x1b[2J \x1b]8;;http://x.example\x07link \x9b31m \rover \x08 "
    "\u202egnp.exe \u2066x [/x] [red]not markup[/red] [link=http://x.example]y[/link] :smile: "
    "\U000e0041\u200b\ufeff"
)
WORDS = "teapot kettle"  # by which it is found
TEXT = f"The {WORDS} is {EVIL}"
NAME = "evil" + EVIL.replace("/", "").replace("\0", "")[:60]
# Colours; and what draws a bar of progress: to the start of the line, erase it, one up, the cursor.
OWN_STYLES = re.compile(r"\x1b\[[0-9;]*m")
OWN_MOVES = re.compile(r"\r?(?:\x1b\[1A)?\x1b\[2K|\x1b\[\?25[lh]")
# What commands a terminal, turns text round or is hidden in it; line ends and tabs are no harm.
HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)

# Each command with the words after it; what changes something comes with `--dry-run` too.
EVERY: tuple[tuple[str, ...], ...] = (
    ("activate", "--list"), ("activate", "--search", "teapot"), ("activate", "old"), ("activate", EVIL),
    ("add-decision", TEXT, TEXT, "--concepts", EVIL, "--files", EVIL, "--tags", EVIL),
    ("add-issue", TEXT, TEXT), ("add-pattern", TEXT, TEXT),
    ("analyze-skills",), ("analyze-skills", "--dry-run"),
    ("archive", "--stats"), ("archive", "--dry-run"), ("archive",),
    ("capture", "{transcript}"), ("capture", EVIL), ("cleanup-sessions",), ("clear-facts", "--yes"),
    ("compress", "--days", "1"), ("compress", "--dry-run"),
    ("config",), ("config", EVIL), ("config", "lang", EVIL), ("config", "--unset", EVIL),
    ("conflicts",), ("consolidate", "--dry-run"), ("consolidate",),
    ("decrypt", EVIL), ("decrypt", "evil"), ("dismiss-skill", EVIL), ("demo", "--help"),
    ("doctor",), ("doctor", "--secrets"), ("doctor", "--repair"),
    ("edit", "evil", "--append", TEXT, "--dry-run"), ("edit", "evil", "--title", TEXT), ("edit", EVIL, "--body", EVIL),
    ("encrypt", EVIL), ("embedder", "list"), ("embedder", "use", EVIL), ("embedder", "remove", EVIL), ("embedder", "add", EVIL, "--endpoint", EVIL),
    ("embedder", "add", "tea", "--onnx", EVIL, "--vocabulary", EVIL), ("embedder", "install", "--from", EVIL),
    ("encrypt", "evil"), ("export", "--to", "markdown", "--private"), ("export", "--to", "json"), ("export", "--to", "json", "--out", EVIL), ("export", "--to", EVIL),
    ("extract-facts", "{session file}"), ("extract-facts", EVIL),
    ("forget", "evil", "--dry-run"), ("forget", "evil"), ("forget", "evil#teapot"), ("forget", "evil", "--purge", "--yes"),
    ("forget", "--from-session", "s1", "--dry-run"), ("forget", "--from-session", "s1"), ("forget", EVIL),
    ("given",), ("given", EVIL), ("given", "--last", "9"), ("status",), ("calls",), ("calls", "9"), ("browse",),
    ("history",), ("history", "evil"), ("history", EVIL), ("init", "--client", "claude"), ("init", "--client", EVIL),
    ("key-add", EVIL), ("key-init", EVIL), ("key-list",), ("key-remove", EVIL), ("key-rewrap",), ("key-rotate",),
    ("list",), ("list", "--archived"), ("list", "--tags", EVIL), ("list-sessions", "--all"),
    ("memory-get",), ("memory-get", "project"), ("memory-get", EVIL), ("memory-list",), ("memory-set", "other", TEXT), ("memory-set", EVIL, "x"),
    ("merge",), ("merge", "evil", "evil2", "--dry-run"), ("merge", "evil", "evil2"), ("merge", EVIL, EVIL),
    ("merge-driver", EVIL, EVIL, EVIL),
    ("note", TEXT), ("pin", "evil"), ("pin", "evil", "--brief", TEXT, "--when", EVIL), ("pin", "--test", "teapot"), ("pin",),
    ("promote", "evil"), ("promote", EVIL), ("promote-skill", EVIL), ("promote-skill", "fill-teapot"), ("rebuild-index",),
    ("recall", WORDS), ("recall", WORDS, "--why"), ("recall", "--start"), ("recall", EVIL),
    ("resolve", "i001"), ("resolve", EVIL),
    ("review",), ("review", "--episodes"), ("review", "--session", "s1"), ("review", "--page", "tea.example"), ("review", "--approve", "outside"),
    ("review", "--reject", "outside"), ("review", "--approve", EVIL), ("review", "--page", EVIL),
    ("save", TEXT, "--body", TEXT, "--tags", EVIL, "--dry-run"), ("save", TEXT, "--body", TEXT), ("save", "x", "--file", EVIL), ("save", "x", "--kind", EVIL),
    ("save-session",), ("save-session", "--summary", TEXT, "--tags", EVIL), ("save-session", "--session-id", EVIL),
    ("search", WORDS), ("search", WORDS, "--sections"), ("search", WORDS, "--archived"), ("search", EVIL),
    ("set", "evil", f"title={TEXT}"), ("set", "evil", f"salience={EVIL}"), ("set", "evil", EVIL),
    ("show", "evil"), ("show", "evil", "--level", "1"), ("show", "evil", "--level", "3"), ("show", "s1", "--level", "3"), ("show", EVIL),
    ("show-session",), ("show-session", "s1"), ("show-session", EVIL), ("start-session", TEXT), ("stats",),
    ("supersede", "evil", "evil2", "--dry-run"), ("supersede", EVIL, EVIL), ("textconv", EVIL), ("textconv", "{session file}"),
    ("timeline",), ("todo", TEXT), ("todo", "--done", "1"), ("undo",), ("undo", "--to", EVIL), ("undo", EVIL), ("undo", "--gone"),
    ("adopt", EVIL, "--dry-run"), ("import", "{given}"), ("import", EVIL), ("uninstall",), ("uninstall", "--client", EVIL), ("unpin", "evil2"), ("unpin", EVIL), (EVIL,),
)  # fmt: skip


def haunt(person: Person) -> None:
    """Fill the store of somebody who has one."""
    _memories(person)
    _sessions(person)
    key = json.dumps(EVIL.replace("\U000e0041", ""))  # which TOML writes in another way
    person.write("config.toml", f'lang = "en"\n{key} = 1\n[recall]\nstart_tokens = {key}\n')
    given = _given(person)
    given.mkdir(exist_ok=True)
    (given / "semantic").mkdir(exist_ok=True)
    (given / "semantic" / "evil3.md").write_text(f"---\ntitle: {TEXT}\n---\n# {TEXT}\n")
    (given / "2026-01-11.md").write_text(f"# {TEXT}\n\n## Decisions\n- [other] {TEXT}\n")
    person.run("pin", "evil2")
    person.run("set", "evil", "salience=low")
    person.run("consolidate")


def words_for(person: Person, words: tuple[str, ...]) -> tuple[str, ...]:
    """The words with the files of this person in them."""
    places = {
        "{transcript}": str(_given(person) / f"{Transcript().session}.jsonl"),
        "{session file}": str(_given(person) / "2026-01-11.md"),
        "{given}": str(_given(person)),
    }
    return tuple(places.get(word, word) for word in words)


def _given(person: Person) -> Path:
    return person.home.parent / "given"


def _memories(person: Person) -> None:
    quoted = json.dumps(EVIL)
    today = datetime.fromtimestamp(time.time(), UTC)
    for n, name in enumerate(("evil", "evil2")):
        person.write(
            f"semantic/{name}.md",
            f"---\nid: {name}\ntitle: {json.dumps(TEXT)}\nkind: decision\ntags: [{quoted}, tea]\n"
            f"trigger: [{quoted}]\nfiles: [{quoted}]\nconcepts: [{quoted}]\nrelated: [{quoted}]\n"
            f"salience: {quoted if n else 'low'}\n---\n# {TEXT}\n\n{TEXT}\n\n## Teapot\n\n{TEXT} [a]({EVIL})\n",
        )
    person.write(f"semantic/{NAME}.md", f"{TEXT}\n")
    person.write("semantic/outside.md", f"---\nid: outside\ntrust: external\n---\n{TEXT}\n")
    person.write("semantic/broken.md", f"---\nid: [{EVIL}\n---\n{TEXT}\n")
    person.write("semantic/issue.md", f"---\nid: i001-lid\nkind: issue\nstatus: open\ntitle: {quoted}\n---\n{TEXT}\n")  # fmt: skip
    person.write("core/project.md", f"{TEXT}\n")
    person.write("procedural/feedback.md", f"# Feedback\n\n## {TEXT}\n\n- Always {TEXT}\n")
    person.write("archive/episodic/old.md", f"---\nid: old\n---\n# {TEXT}\n\n{TEXT}\n")
    person.write("sessions/2026-01-01_1000.md", f"# {TEXT}\n\n## Decisions\n- [other] {TEXT}\n")
    for n in range(4):  # work that comes again, and says something else each time
        day = (today - timedelta(days=3 + n)).strftime("%Y-%m-%d")
        head = f"id: s{n}\nkind: session\nsession: s{n}\ntitle: {json.dumps(f'Fill teapot {EVIL}')}\ncreated: {day}T10:00:00Z"
        said = f"## Decisions\n\n- [technology] The kettle port is 80{n}{EVIL}: {EVIL}\n\n## Patterns\n- [other] {TEXT}\n"
        person.write(
            f"episodic/s{n}/summary.md", f"---\n{head}\nretention: temporary\n---\n{said}\n"
        )
        person.write(f"episodic/s{n}/conversation.md", f"### User [10:00]\n{TEXT}\n")


def _sessions(person: Person) -> None:
    log = Transcript(cwd=str(person.project), branch=EVIL)
    log.prompt(f"Please fill the teapot. {TEXT}")
    log.shell(f"fill teapot {EVIL}", f"Error: the lid is closed {TEXT}", code=1)
    log.shell(f"fill --lid teapot {EVIL}", "full")
    log.edit(f"{person.project}/{NAME}")
    log.call("WebFetch", url=f"https://tea.example/{EVIL}")
    log.answer(f"We decided to use the kettle. {TEXT}")
    log.save(_given(person))
    person.run("start-session", TEXT)
    person.run("note", TEXT)
    person.run("todo", TEXT)


def is_harmless(text: str) -> bool:
    """Whether nothing in what was printed commands a terminal, but for our own colours."""
    return not HARMFUL.search(OWN_MOVES.sub("", OWN_STYLES.sub("", text)))
