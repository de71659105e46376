"""Import the files of four earlier memory systems, which are only read.

These are conversation-memory-skill (a folder for each conversation, below `active` and `archive`),
claude-memory-system (`index.json`, sessions as JSON), memory-keeper 7 (`facts.json`, core files,
session files) and claude-memory 2 (Markdown in the folders of its layers). What an agent wrote there
is trusted as an agent's. Doing it again adds nothing.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.capture import save_memory
from recollect.capture.save_memory import Draft
from recollect.context.views import FACTS_JSON
from recollect.errors import Failed, FileNotThere, RecollectError, UsageProblem
from recollect.features import facts
from recollect.features.facts import FactOrigin
from recollect.model import document, session
from recollect.model.entries import is_conversation, is_solution, unvouched
from recollect.model.facts import facts_in_json
from recollect.model.layers import SHARED, name_of
from recollect.model.list_items import matched_triggers
from recollect.model.memory import (
    LAYERS,
    SOURCES,
    Change,
    Entry,
    Memory,
    Problem,
    free_name,
    id_from,
    is_id,
)
from recollect.model.times import time_of
from recollect.store import disk, history
from recollect.store.store import OpenStore
from recollect.workspace import Workspace, require_person

CAUSE = "import"
TRUST = "agent"
# Where they are, below the folder that is given and its `.claude`.
PLACES = (
    "", "memory", "memories",
    "data/conversation-memory/memories", "data/conversation-memory-zh/memories",
)  # fmt: skip
SKILL, SYSTEM, KEEPER, LAYERED = (
    "conversation-memory-skill", "claude-memory-system", "memory-keeper", "claude-memory",
)  # fmt: skip
# The systems by the names that `--from` has for them, and the files by which each is recognised.
FORMATS = {
    SKILL: "active/*/summary.md, archive/*/summary.md",
    SYSTEM: "decisions/*.md, implementations/*.md, sessions/active/*.json, sessions/archived/*.json, sessions/*.md",
    KEEPER: "facts.json, sessions/*.md, sessions/archive/*.md",
    LAYERED: "semantic/*.md, procedural/*.md, reference/*.md, episodic/*.md",
}
# The pages of memory-keeper, and what they become.
PAGES = {
    "project.md": "core/project.md",
    "architecture.md": "core/architecture.md",
    "conventions.md": "core/conventions.md",
    "memory.md": "episodic/rolling-summary.md",
}
_SESSION_FILE = re.compile(r"\d{4}-\d\d-\d\d_\d{4}[\w-]*")
_MONTH = re.compile(r"\d{4}-\d\d")
_SESSION_HEAD = re.compile(r"^# Session:? (\S+)[ \t]*$", re.M)
_FIELD = re.compile(r"^\*\*([A-Z][\w ]*)\*\*:[ \t]*(\S.*)$", re.M)
_LIST_ITEM = re.compile(r"^- (?:\[ \] )?(?!None$)`?(.+?)`?$", re.M)
_UNFILLED = re.compile(r"^# [^\n]*[:：]\s*\{[^{}\n]*\}\s*$", re.M)
_TITLED = re.compile(r"^### ", re.M)
_SUMMARY = re.compile(r"^## Summary[ \t]*\n+(?:[-*] )?(\S.*)$", re.M)


class ImportedFile(NamedTuple):
    """What became of a file, or of one statement in it."""

    source: str
    id: str
    what: str  # created, changed, unchanged

    @property
    def is_new(self) -> bool:
        """Whether the store has something by it that it had not."""
        return self.what != "unchanged"


class ImportReport(NamedTuple):
    """What was imported, and what could not be read."""

    root: str  # of the store
    files: list[ImportedFile]
    unread: list[Problem]
    before: str  # the change to which `undo --to` takes the store back; empty if there was none

    def as_json(self) -> dict[str, Any]:
        """What `--json` shows."""
        rows = [one._asdict() for one in self.files]
        unread = [problem._asdict() for problem in self.unread]
        return {"root": self.root, "files": rows, "unread": unread, "before": self.before}


def import_folder(
    app: Workspace, folder: str, *, system: str = "", scope: str, dry_run: bool
) -> ImportReport:
    """Import what the earlier systems, or the one of FORMATS, left in a folder, a project or a facts.json.

    Raises:
        UsageProblem: an agent asks, there is no such folder, or the store encrypts.
        Failed: the system that is named has left nothing in it.
    """
    what = "An agent cannot import another store's memories; the person can."
    require_person(app.env, CAUSE, what)
    top = os.path.abspath(os.path.join(app.folder, os.path.expanduser(folder)))
    is_facts = os.path.basename(top) == FACTS_JSON and os.path.isfile(top)
    if not (is_facts or os.path.isdir(top)):
        raise UsageProblem(what=f"{top} is not a folder.", command=CAUSE)
    store = app.store(scope)
    if store.settings.encrypt:  # what is encrypted cannot be compared, so it would come twice
        what = "An import cannot encrypt: turn the encryption settings off, import, and run `recollect key encrypt`."
        raise UsageProblem(what=what, command=CAUSE)
    importer = Importer(app, store, system=system, dry_run=dry_run)
    lock = f"{app.cache_of(store.root)}/import.lock"
    with disk.lock(lock, who="another import"), store.one_change():
        before = history.history(store)[:1]
        if is_facts:
            importer.take_facts(os.path.dirname(top))
        for place in dict.fromkeys(
            os.path.normpath(f"{start}/{below}")
            for start in (() if is_facts else (top, f"{top}/.claude"))
            for below in PLACES
        ):
            if f"{os.path.realpath(place)}/".startswith(f"{os.path.realpath(top)}/"):
                importer.take(place)
            elif os.path.isdir(place):
                why = "is a link that leads out of the folder; to import it, name where it leads"
                importer.unread.append(Problem(place, why))
    if system and not importer.files and not importer.unread:
        what = f"{top} has no files of {system}: looked for {FORMATS[system]}, also in .claude, memory, memories and data/conversation-memory below it."
        raise Failed(what=what)
    point = before[0].id if before else ""
    return ImportReport(store.root, importer.files, importer.unread, point)


class Importer:
    """Imports into one store; keeps what became of each file."""

    def __init__(self, app: Workspace, store: OpenStore, *, system: str, dry_run: bool) -> None:
        """Of one system, if it is named; with `dry_run` nothing is written."""
        self._app, self._store, self._dry_run = app, store, dry_run
        self._wanted = (system,) if system else tuple(FORMATS)
        self.files: list[ImportedFile] = []
        self.unread: list[Problem] = []
        self._sessions: set[str] = set()  # of claude-memory-system, that were taken
        self._running = _running(app, store)

    def take(self, place: str) -> None:
        """Import what lies in one folder."""
        if SKILL in self._wanted:
            self._take_conversations(place)
        if KEEPER in self._wanted:
            self._take_pages(place)
        rows = self._rows_of_index(place) if SYSTEM in self._wanted else {}
        if SYSTEM in self._wanted:
            self._take_states(place, rows)
        if {SYSTEM, KEEPER}.intersection(self._wanted):
            self._take_session_files(place, rows)
        if SYSTEM in self._wanted:
            self._take_decisions(place, rows)
        if LAYERED in self._wanted and not self._is_own_store(place):
            for layer in LAYERS:
                for name in _pages_in(f"{place}/{layer}"):
                    self._take_layered(place, f"{layer}/{name}")

    # ------------------------------------------------------------------ conversation-memory-skill

    def _take_conversations(self, place: str) -> None:
        for shelf, ours in (("active", "episodic"), ("archive", "archive/episodic")):
            for name in filter(is_id, disk.names_in(f"{place}/{shelf}")):
                self._take_conversation(place, f"{shelf}/{name}", ours)

    def _take_conversation(self, place: str, folder: str, ours: str) -> None:
        path = f"{folder}/summary.md"
        text = self._text(place, path)
        if not text:
            return
        name = self._name(folder.rpartition("/")[2])
        memory = document.memory_from_text(text, f"episodic/{name}/summary.md")
        if _UNFILLED.search(text):
            self.unread.append(Problem(f"{place}/{path}", "is a template that nobody filled in"))
            return
        found = self._store.index.entries_of_session(name)
        if known := self._made_of(memory, [one for one in found if one.layer == "episodic"]):
            self._note(f"{place}/{path}", known, "unchanged")
            return
        log = self._text(place, f"{folder}/conversation.md")
        text = document.with_field(_as_agents(text, memory), "session", name)

        def plan() -> tuple[str, list[Change]]:
            new = self._store.free_id(name)
            changes = [Change("put", f"{ours}/{new}/summary.md", new, None, text)]
            if log:
                changes.insert(0, Change("put", f"{ours}/{new}/conversation.md", new, None, log))
            return new, changes

        self._carry_out(f"{place}/{path}", plan)

    # ------------------------------------------------------------------------------ memory-keeper

    def _take_pages(self, place: str) -> None:
        names = disk.names_in(place)  # as they are spelt: `MEMORY.md` is a view of ours
        if FACTS_JSON in names:
            self.take_facts(place)
            for name in filter(PAGES.__contains__, names):
                self._take_over(place, name, PAGES[name])

    def take_facts(self, place: str) -> None:
        """Import the decisions, patterns and issues in the facts.json of a folder."""
        text, path = self._text(place, FACTS_JSON, clean=False), f"{place}/{FACTS_JSON}"
        if not text.strip():
            if all(one.path != path for one in self.unread) and not self._is_own_store(place):
                self.unread.append(Problem(path, "is empty"))
            return
        try:
            rows = facts_in_json(text)
        except (ValueError, RecursionError) as error:
            self.unread.append(Problem(path, f"cannot be read: {error}"))
            return
        said = [
            (fact.mapped(_sound), FactOrigin(TRUST, "observed", created=time_of(day)))
            for fact, day in rows
        ]
        for done in facts.extract(self._store, said, dry_run=self._dry_run):
            self._note(path, done.id, done.what)

    def _take_over(self, place: str, name: str, ours: str) -> None:
        """A page, unless the store has its own; one that lies in the store itself is moved."""
        path, page = f"{place}/{name}", document.stem_of(ours)
        raw = self._text(place, name, clean=False)
        text = self._store.ledger.redact(raw)
        if not text.strip():
            return
        if self._store.files.exists(ours):
            self._note(path, page, "unchanged")
            return
        is_whole = text == raw
        text = _as_agents(text, document.memory_from_text(text, ours))
        changes = [Change("put", ours, page, None, text)]
        if self._is_own_store(place) and is_whole:
            stamp = disk.stamp_of(raw.encode())
            changes.append(Change("remove", name, document.stem_of(name), stamp))
        elif self._is_own_store(place):
            self.unread.append(Problem(path, "has private parts or secrets; it stays"))
        self._carry_out(path, lambda: (page, changes))

    def _take_session_files(self, place: str, rows: Mapping[str, Any]) -> None:
        """The pages of sessions: two systems have them in the same folder."""
        for name in _pages_in(f"{place}/sessions"):
            path, stem = f"sessions/{name}", name.removesuffix(".md")
            text = self._text(place, path)
            head = _SESSION_HEAD.search(text)
            if head and head[1].startswith("session-"):
                if SYSTEM in self._wanted:
                    data = {"session_id": head[1], "task": stem, **_session_data(text)}
                    self._take_state(f"{place}/{path}", data, rows.get(path, {}))
            elif KEEPER in self._wanted and text.strip() and _SESSION_FILE.fullmatch(stem):
                self._take_session(f"{place}/{path}", text, stem)
        for name in _pages_in(f"{place}/sessions/archive") if KEEPER in self._wanted else ():
            if _MONTH.fullmatch(name.removesuffix(".md")):
                path = f"sessions/archive/{name}"
                for session_id, part in _sessions_in(self._text(place, path)):
                    self._take_session(f"{place}/{path}", part, session_id)

    def _take_session(self, path: str, text: str, name: str) -> None:
        """A page about one session, in the form that ours have, too."""
        if known := self._known(name):
            self._note(path, known, "unchanged")
            return
        title = _first(_SUMMARY, text) or f"Session {name}"
        body = _SESSION_HEAD.sub("", text).strip("\n")
        draft = Draft(title, body, "episodic", "session", session=name, created=time_of(name))
        self._save(path, draft)

    # ------------------------------------------------------------------------ claude-memory-system

    def _rows_of_index(self, place: str) -> dict[str, dict[str, Any]]:
        """What the index and its log say of the pages, by the path of each below `place`."""
        names = [n for n in disk.names_in(f"{place}/index-log") if n.endswith(".json")]
        base = self._json(place, "index.json") if os.path.isfile(f"{place}/index.json") else {}
        found = [row for row in _rows(base.get("memories")) if isinstance(row, dict)]
        for name in names:
            row = self._json(place, f"index-log/{name}").get("memory")
            found += [row] if isinstance(row, dict) else []
        return {_words(row.get("file")).removeprefix("memory/"): row for row in found}

    def _take_states(self, place: str, rows: Mapping[str, Any]) -> None:
        """Sessions that were kept as JSON; their pages say less."""
        by_title = {_words(row.get("title")): row for row in rows.values()}
        for part in ("sessions/active", "sessions/archived"):
            for name in disk.names_in(f"{place}/{part}"):
                data = self._json(place, f"{part}/{name}") if name.endswith(".json") else {}
                if session.is_old(data):
                    row = by_title.get(_words(data.get("task")), {})
                    self._take_state(f"{place}/{part}/{name}", data, row)

    def _take_state(self, path: str, data: Mapping[str, Any], row: Mapping[str, Any]) -> None:
        """A session, which becomes a memory as if it were over now; once in a run."""
        state = session.state_of(data)
        if state.session_id in self._sessions or state.status == "discarded":
            return
        self._sessions.add(state.session_id)
        is_running = state.session_id in self._running
        if known := state.session_id if is_running else self._known(state.session_id):
            self._note(path, known, "unchanged")
            return
        state.tags = list(_list(row.get("tags")))
        state.summary = _words(data.get("summary")) or _words(row.get("summary"))
        state.status, state.trust = "active", TRUST
        if self._dry_run:
            self._note(path, name_of("episodic", state.task, state.started), "created")
            return
        done = self._app.capture(self._store).finish(state)
        self._note(path, done.memory, "created" if done.memory else "unchanged")

    def _take_decisions(self, place: str, rows: Mapping[str, Any]) -> None:
        for folder, kind in (("decisions", "decision"), ("implementations", "implementation")):
            for name in _pages_in(f"{place}/{folder}"):
                self._take_page(place, f"{folder}/{name}", kind, rows)

    def _take_page(self, place: str, path: str, kind: str, rows: Mapping[str, Any]) -> None:
        text, row = self._text(place, path), rows.get(path, {})
        if not text.strip():
            return
        memory = document.memory_from_text(text, f"semantic/{path}")
        draft = Draft(
            _words(row.get("title")) or memory.title,
            memory.body,
            kind=kind,
            tags=_list(row.get("tags")),
            trigger=_list(row.get("triggers")),
            files=_list(row.get("files_modified")),
            created=_time(row.get("created")) or memory.created,
        )
        self._save(f"{place}/{path}", draft)

    # ------------------------------------------------------------------------------- claude-memory

    def _take_layered(self, place: str, path: str) -> None:
        text = self._text(place, path)
        if not text.strip():
            return
        layer, _, file = path.partition("/")
        name = self._name(file.removesuffix(".md"))
        memory = document.memory_from_text(text, f"{layer}/{name}.md")
        if memory.problem:
            self.unread.append(Problem(f"{place}/{path}", memory.problem))
            return
        if path in SHARED.values():
            self._take_sections(f"{place}/{path}", memory)
            return
        if known := self._made_of(memory, self._numbered(memory.id)):
            self._note(f"{place}/{path}", known, "unchanged")
            return
        text = _as_agents(text, memory)
        if memory.related:
            related = [
                self._name(os.path.basename(one).removesuffix(".md")) for one in memory.related
            ]
            text = document.with_field(text, "related", related)

        def plan() -> tuple[str, list[Change]]:
            new = self._store.free_id(memory.id)
            own = document.with_field(text, "id", new) if new != memory.id else text
            return new, [Change("put", f"{memory.layer}/{new}.md", new, None, own)]

        self._carry_out(f"{place}/{path}", plan)

    def _take_sections(self, path: str, memory: Memory) -> None:
        """The rules, solutions or pointers of a shared page, each by itself."""
        sections = [one for one in document.sections_of(memory.body) if one.heading]
        solutions = [one for one in sections if is_solution(one.heading)]
        for one in sections:
            said = matched_triggers(memory.trigger, f"{one.heading}\n{one.text}")
            is_solved = one in solutions
            kind = "pointer" if memory.layer == "reference" else "solution" if is_solved else "rule"
            draft = Draft(
                one.heading,
                one.text,
                kind=kind,
                trigger=tuple(memory.trigger if is_solved and len(solutions) == 1 else said),
                source=memory.source if memory.source in SOURCES else "",
                confidence=memory.confidence if is_solved else "",
                created=memory.created,
            )
            self._save(path, draft)

    # --------------------------------------------------------------------------------- in general

    def _save(self, path: str, draft: Draft) -> None:
        if draft.title.strip():
            done = save_memory.save(self._store, draft._replace(trust=TRUST), dry_run=self._dry_run)
            self._note(path, done.id, "changed" if done.what == "amended" else done.what)

    def _carry_out(self, path: str, plan: Any) -> None:
        name = self._store.carry_out(plan, cause=CAUSE, tries=3, dry_run=self._dry_run)
        self._note(path, name, "created")

    def _note(self, path: str, name: str, what: str) -> None:
        self.files.append(ImportedFile(path, name, what))

    def _known(self, name: str) -> str:
        """The memory that was made of this session, if there is one."""
        found = self._store.index.entries_of_session(name)
        return next((e.id for e in found if e.layer == "episodic"), "")

    def _numbered(self, name: str) -> list[Entry]:
        """The memories that have this id, or it with a number behind it."""
        found: list[Entry] = []

        def is_taken(one: str) -> bool:
            if entry := self._store.index.entry(one):
                found.append(entry)
            return self._store.is_taken(one)

        free_name(name, is_taken)
        return found

    def _made_of(self, memory: Memory, entries: list[Entry]) -> str:
        """The one of these that was made of a memory, also if a person gave it another title since."""
        said = (memory.title, memory.created[:10])
        same = [one for one in entries if (one.title, one.created[:10]) == said]
        if not same:
            same = [one for one in entries if said in self._imported_as(one.id)]
        return same[0].id if same else ""

    def _imported_as(self, name: str) -> set[tuple[str, str]]:
        """The titles and days that a memory had when it was imported."""
        ops = self._store.journal.ops_about("memory", name)
        pages = [
            document.memory_from_text(op.text, op.path)
            for op in ops
            if op.cause == CAUSE and op.text and not is_conversation(op.path)
        ]
        return {(page.title, page.created[:10]) for page in pages}

    def _is_own_store(self, place: str) -> bool:
        """Whether this is the store that is imported into."""
        return os.path.realpath(place) == os.path.realpath(self._store.root)

    def _name(self, name: str) -> str:
        """The name of a file as it may become an id, which is written in many places."""
        clean = self._store.ledger.redact(name)
        return id_from(clean) if "[redacted:" in clean else name

    def _text(self, place: str, path: str, *, clean: bool = True) -> str:
        """The text of a file in a folder, without secrets; nothing if it is not there."""
        try:
            text = disk.read_inside(place, path).decode()
        except (FileNotThere, UnicodeDecodeError) as error:
            if os.path.lexists(f"{place}/{path}"):
                why = f"cannot be read: {_reason(error)}"
                self.unread.append(Problem(f"{place}/{path}", why))
            return ""
        except RecollectError as error:
            self.unread.append(Problem(f"{place}/{path}", str(error)))
            return ""
        return self._store.ledger.redact(text) if clean else text

    def _json(self, place: str, path: str) -> dict[str, Any]:
        """What a file says, without secrets; nothing if it is not there or says no object."""
        text = self._text(place, path, clean=False)
        try:
            data = self._cleaned(json.loads(text)) if text else {}
        except (ValueError, RecursionError) as error:
            self.unread.append(Problem(f"{place}/{path}", f"cannot be read: {error}"))
            return {}
        return data if isinstance(data, dict) else {}

    def _cleaned(self, value: Any) -> Any:
        """A value of JSON with every text in it redacted by itself."""
        if isinstance(value, str):
            return self._store.ledger.redact(_sound(value))
        if isinstance(value, list):
            return [self._cleaned(one) for one in value]
        if isinstance(value, dict):
            return {key: self._cleaned(one) for key, one in value.items()}
        return value


def _running(app: Workspace, store: OpenStore) -> set[str]:
    """The sessions of ours that are not over: what has the id of one takes nothing over."""
    sessions = app.sessions(store)
    return {
        one.session_id
        for one in sessions.every()
        if one.status == "active"
        and (
            sessions.has(one.client, one.session_id)
            or store.files.exists(sessions.remarks_path(one.client, one.session_id))
        )
    }


def _session_data(text: str) -> dict[str, Any]:
    """What the page of a session of claude-memory-system says, as its JSON has it."""
    fields = dict(_FIELD.findall(text))
    parts = {one.heading: one.text for one in document.sections_of(text)}

    def listed(heading: str) -> list[str]:
        return _LIST_ITEM.findall(parts.get(heading, ""))

    def titled(heading: str, name: str, label: str) -> list[dict[str, Any]]:
        parted = _TITLED.split(parts.get(heading, ""))[1:]
        return [
            {
                name: part.partition("\n")[0],
                label.lower(): dict(_FIELD.findall(part)).get(label, ""),
                "alternatives": _LIST_ITEM.findall(part),
            }
            for part in parted
        ]

    return {
        "task": fields.get("Task", ""),
        "started": fields.get("Started", ""),
        "last_updated": fields.get("Last Updated", ""),
        "summary": _SESSION_HEAD.split(parts.get("Summary", ""))[0],
        "files_modified": listed("Files Modified"),
        "decisions": titled("Decisions Made", "decision", "Rationale"),
        "problems": titled("Problems Encountered", "problem", "Solution"),
        "notes": listed("Notes"),
        "todos": listed("TODOs"),
    }


def _pages_in(folder: str) -> list[str]:
    """The Markdown files of a folder, by name."""
    return [n for n in disk.names_in(folder) if n.endswith(".md") and is_id(n.removesuffix(".md"))]


def _as_agents(text: str, memory: Memory) -> str:
    """The text of a memory that is trusted as an agent's, unless it says less."""
    text = unvouched(text)
    return document.with_field(text, "trust", TRUST) if memory.trust == "user" else text


def _sessions_in(text: str) -> Iterator[tuple[str, str]]:
    """`(name, text)` of each session in a page of a month."""
    heads = [*_SESSION_HEAD.finditer(text)]
    for n, head in enumerate(heads):
        end = heads[n + 1].start() if n + 1 < len(heads) else len(text)
        yield head[1], text[head.start() : end].rstrip("- \n") + "\n"


def _reason(error: FileNotThere | UnicodeDecodeError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    return str(error.fields["reason"])


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found[1].strip() if found else ""


def _sound(text: str) -> str:
    """The text without halves of characters, which JSON can name and no file can have."""
    return text.encode("utf-8", "replace").decode()


def _words(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _time(value: object) -> str:
    return time_of(value) if isinstance(value, str) else ""


def _rows(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _list(value: object) -> tuple[str, ...]:
    return tuple(word for one in _rows(value) if (word := _words(one)))
