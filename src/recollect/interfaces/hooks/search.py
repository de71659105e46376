"""Search the stores of a session from a hook.

Promises: returns what the files contain now, whatever the index says. Reads nothing outside a
store. Searches the views of a store whose index is unusable.
Touches: the index in the cache; the memories it returns (their stat; edited ones are read); the
views of a store without an index.
"""

import os

from recollect.search import lookup, rank
from recollect.search.lookup import sqlite
from recollect.store import locations
from recollect.text import commands, failures
from recollect.text.tokens import index_terms, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Row = dict[str, str]

BUSY_MS = 200
MOST_SOLUTIONS = 2
LARGEST_EDITED = 65_536
NO_TRIGGERS = frozenset(
    "error errors failed failure fail fatal exception warning 错误 失败".split()
)
MOST_OF_VIEW = 12  # memories
LARGEST_VIEW = 8 * 1024 * 1024
_LISTS = ("tags", "trigger", "related")
EXTERNAL = "trust: external"  # as a comment in a section says it


class Search:
    """A search through several stores for one cue, asked in a session."""

    def __init__(self, cue: rank.Cue, session: str = "") -> None:
        self.cue = cue
        self.session = session
        self.found: list[rank.Candidate] = []
        self.counts: dict[str, int] = {}
        self.total = 0
        self.opened: "list[tuple[str, str, sqlite.Connection]]" = []

    def look_in(self, root: str, scope: str, cache: str) -> None:
        """Search a store: its index, or its views if the index is missing or unusable."""
        path = f"{cache}/index.db"
        db = lookup.open_index(path, BUSY_MS) if cache and locations.is_file(path) else None
        try:
            if db is not None:
                self._take_from(db, root, scope)
                self.opened.append((root, scope, db))
                return
        except sqlite.Error:
            pass
        if locations.is_doubted(root, dict(os.environ)):
            return  # the person has not accepted this store, so its views are not trusted
        hits, counts, total = view_candidates(root, scope, self.cue.words)
        self._take([fresh(one, root, whole=True) for one in hits], counts, total)

    def _take_from(self, db: "sqlite.Connection", root: str, scope: str) -> None:
        hits, counts, total = lookup.recall_candidates(db, self.cue.weighed, scope)
        if self.cue.period[0]:
            have = {one.memory for one in hits}
            dated = lookup.dated(db, self.cue.period, scope)
            hits += [one for one in dated if one.memory not in have]
        self._take([fresh(one, root) for one in hits], counts, total)

    def _take(self, found: "list[rank.Candidate]", counts: "dict[str, int]", total: int) -> None:
        self.found += found
        for word, count in counts.items():
            self.counts[word] = self.counts.get(word, 0) + count
        self.total += total

    def chosen(self, known: "set[str]") -> "list[rank.Candidate]":
        """The best of what was found, and the memories that these name as related."""
        found = [one for one in self.found if _is_news(one, known) and not self._is_own(one)]
        chosen = rank.choose(found, self.cue, self.counts, self.total)
        for root, scope, db in self.opened:
            try:
                near = lookup.heads_of(db, lookup.related_names(chosen, scope), scope)
            except sqlite.Error:
                continue
            chosen += [
                one for one in near if _is_news(one, known) and rank.is_fit(fresh(one, root))
            ]
        return chosen

    def _is_own(self, one: rank.Candidate) -> bool:
        """Whether it is the memory of the asking session itself, saved at a compaction or pause."""
        return bool(self.session) and one.kind == "session" and one.session == self.session

    def solutions(self, known: "set[str]", error: str, command: str) -> "list[rank.Candidate]":
        """The solutions of failures like this one, most similar and most reliable first."""
        if failures.is_of_client(error):
            return []
        programs = commands.programs_of(command)
        told = failures.lines_of(error)
        told = [failures.with_rest(told, n) for n in range(len(told))]
        lines = {line: failures.ErrorSignature(line) for line in told}
        said = _spoken(error), _spoken(command)
        found = []
        for one in self._solutions():
            if _is_news(one, known) and rank.is_fit(one):
                like = _likeness(one, programs, lines, *said)
                if like:
                    found.append((-round(like, 1), one.confidence != "high", -like, one.name, one))
        found.sort(key=lambda row: row[:4])
        return [row[4] for row in found[:MOST_SOLUTIONS]]

    def _solutions(self) -> "list[rank.Candidate]":
        """All solutions of the stores that have an index, and those found in the others."""
        roots = {scope: root for root, scope, _ in self.opened}
        found = [one for one in self.found if one.kind == "solution" and one.scope not in roots]
        for root, scope, db in self.opened:
            try:
                found += [fresh(one, root) for one in lookup.solutions(db, scope)]
            except sqlite.Error:
                continue
        return found


def _is_news(one: rank.Candidate, known: "set[str]") -> bool:
    return one.name not in known and not one.path.startswith("core/")


SURELY = 0.9  # alike, where another program runs the one that fails
# `go mod tidy` mends this for any module.
_GO_SUM, _GO_MOD = "missing go.sum entry", "go mod "


_TASKS = ("make", "just", "tox", "nox", "npm run", "npm test", "pnpm run", "pnpm test", "yarn run", "yarn test", "bun run")  # fmt: skip


def _likeness(
    one: rank.Candidate,
    programs: "set[str]",
    lines: "dict[str, failures.ErrorSignature]",
    error: str,
    command: str,
) -> float:
    """How similar a failure is to the one that a solution solves, by error and program, 0 to 1.

    A program that is not there is the same trouble in whichever script; what `make` or `npm run`
    runs must say the very same.
    A solution that names neither is judged by its triggers.
    """
    fields = _fields_of(one.text)
    symptom = fields.get("Symptom") or fields.get("症状")
    failed = fields.get("Failed") or fields.get("失败的做法")
    solution = _code_in(fields.get("Solution") or fields.get("解决办法") or "")
    if commands.is_dangerous(solution):
        return 0.0
    wording = failures.ErrorSignature(symptom or "")
    if symptom and failed:
        failed = _code_in(failed)
        if not _in_the_way(symptom, failed, solution) <= {*error.split()}:
            return 0.0
        like = _likeness_anywhere(symptom, solution, lines)
        like = like or failures.best_likeness(wording, lines.values())
        if not programs.isdisjoint(commands.programs_of(failed)):
            return like
        if failures.missing_program(symptom):
            return _likeness_anywhere(symptom, "", lines)
        is_task = any(f" {task} " in command for task in _TASKS)
        return like if is_task and like > SURELY and wording.names else 0.0
    like = failures.best_likeness(wording, lines.values()) if symptom else 0.0
    return like or float(bool(_count_triggers(one.trigger, error, command)))


def _likeness_anywhere(
    symptom: str, solution: str, lines: "dict[str, failures.ErrorSignature]"
) -> float:
    """1 if the same program is not there, whichever script says it, or a sum of any Go module."""
    gone = failures.missing_program(symptom)
    if gone and any(failures.missing_program(line) == gone for line in lines):
        return 1.0
    is_sum = _GO_SUM in symptom and _GO_MOD in solution
    return float(is_sum and any(_GO_SUM in line for line in lines))


def _in_the_way(symptom: str, failed: str, solution: str) -> "set[str]":
    """What a solution frees or replaces: the port in `lsof -ti:3000`, a wrong option."""
    said, mended = {*_spoken(symptom).split()}, {*_spoken(solution).split()}
    found = {word for word in said & mended if word.isdigit() and len(word) > 2}
    if len(commands.parts_of(solution)) == 1 and not commands.programs_of(failed).isdisjoint(
        commands.programs_of(solution)
    ):
        found |= said & {*_spoken(failed).split()} - mended
    return found


def _fields_of(text: str) -> "dict[str, str]":
    """The lines of a solution by their labels: `**Symptom:** …`."""
    found: dict[str, str] = {}
    for line in text.split("\n"):
        name, mark, said = line[2:].partition("**")
        if mark and line.startswith("**") and name.endswith((":", "：")):
            found.setdefault(name[:-1].strip(), said.strip())
    return found


def _code_in(text: str) -> str:
    """The commands that a text quotes, as one command line; the text itself where it quotes none."""
    parts = text.split("`")
    return " ; ".join(parts[1::2]) or text


def _count_triggers(trigger: str, error: str, command: str) -> int:
    """How many of these triggers (a line each) occur in an error; 0 if only by accident.

    A plain word does not count if the command contains it, since every failure of a program names
    that program, and is not enough if there is a more specific trigger.
    """
    said = plain = 0
    phrases = [phrase for phrase in trigger.split("\n") if phrase.lower() not in NO_TRIGGERS]
    phrases = [phrase for phrase in phrases if phrase]
    for phrase in phrases:
        is_plain = phrase.isascii() and phrase.isalpha() and phrase.islower()
        words = _spoken(phrase)
        plain += is_plain
        if words.strip() and words in error and not (is_plain and words in command):
            said += 1 if is_plain else 1_000
    return said if said >= 1_000 or plain == len(phrases) else 0


def _spoken(text: str) -> str:
    """The words of a text in lower case, with one space around each."""
    text = "".join([char if char.isalnum() else " " for char in text.lower()])
    return f" {' '.join(text.split())} "


def fresh(one: rank.Candidate, root: str, *, whole: bool = False) -> rank.Candidate:
    """The candidate, with its file's present text if that changed since it was indexed.

    With `whole`, the candidate is a memory and not one of its sections.
    """
    path = f"{root}/{one.path}"
    try:
        info = os.lstat(path)
        if (info.st_size, info.st_mtime_ns, info.st_ino) == (one.size, one.mtime_ns, one.inode):
            return one
        text = _text_inside(root, one.path)
        if text and (_may_hide(text) or locations.is_doubted(root, dict(os.environ))):
            text = None  # only the worker can tell what is private, and what is trusted
    except (OSError, ValueError):
        text = None
    body = None if text is None else _excerpt(text, one, whole=whole)
    if body is None:
        one.status = "superseded"  # gone, so it is not given
    else:
        one.text = body
    return one


def _text_inside(root: str, path: str) -> "str | None":
    """The text of a regular file of the store; no link is followed, in no part of the path."""
    *folders, name = path.split("/")
    if ".." in folders:
        return None
    passing = os.O_RDONLY | os.O_DIRECTORY
    handle = os.open(root, passing)
    try:
        for flags, part in [
            *((passing, folder) for folder in folders),
            (os.O_RDONLY | os.O_NONBLOCK, name),
        ]:
            below = os.open(part, flags | os.O_NOFOLLOW, dir_fd=handle)
            os.close(handle)
            handle = below
        if os.fstat(handle).st_mode & 0o170000 != 0o100000:
            return None
        return os.read(handle, LARGEST_EDITED).decode("utf-8", "replace")
    finally:
        os.close(handle)


def _may_hide(text: str) -> bool:
    low = text.lower()
    return "private" in low and any(sign in low for sign in ("<", "＜", "&lt;"))


def _excerpt(text: str, one: rank.Candidate, *, whole: bool) -> "str | None":
    """The part of a file that is this candidate, None if it is gone; sets its status and trust."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if text.startswith("---\n"):
        front, _, text = text[4:].partition("\n---")
        text = text.partition("\n")[2]
        for line in front.split("\n"):
            key, _, value = line.partition(":")
            value = value.strip(" \"'")
            if key == "status" and value:
                one.status = value
            elif key == "trust" and value == "external":  # a section's own may be lower
                one.trust = value
    if "^" in text:
        from recollect.model.page_form import in_memory  # seldom needed

        text = in_memory(text)
    parts = [part for part in f"\n{text}".split("\n## ") if EXTERNAL not in part]
    if whole:
        return _without_comments("\n## ".join(parts)) or None
    for part in parts:
        heading, _, body = part.partition("\n")
        title = heading.strip().rstrip("#").strip()
        if one.heading in (title, title.rpartition(" ^")[0]):  # its id
            return _without_comments(body) or None
    return None


def _without_comments(text: str) -> str:
    parts = text.split("<!--")
    return "".join([parts[0], *(part.partition("-->")[2] for part in parts[1:])]).strip()


# ------------------------------------------------------------------- recall from the views


def view_candidates(
    root: str, scope: str, words: "list[str]"
) -> "tuple[list[rank.Candidate], dict[str, int], int]":
    """The memories whose row in a view has some of the words, those with most first.

    Also, as from an index: how many rows have each word, and how many rows there are.
    """
    wanted = {stem(word): word for word in words}
    counts = dict.fromkeys(words, 0)
    found: "list[tuple[int, str, Row]]" = []
    rows = _rows_of_json(root)
    if any(row.get("project") for row in rows):
        rows = []  # the index of an earlier system, which mixes several projects
    elif scope != "global":
        rows = rows or _rows_of_page(root)  # which does not name the project
    for row in rows:
        text = " ".join(row.get(key, "") for key in ("title", "tags", "summary", "trigger"))
        hits = wanted.keys() & set(index_terms(text).split())
        for term in hits:
            counts[wanted[term]] += 1
        if hits:
            found.append((-len(hits), row["id"], row))
    found.sort(key=lambda one: one[:2])
    return (
        [_candidate(row, -hits, scope) for hits, _, row in found[:MOST_OF_VIEW]],
        counts,
        len(rows),
    )


def _rows_of_json(root: str) -> "list[Row]":
    import json

    try:
        with open(f"{root}/.index.json", encoding="utf-8") as file:
            page = json.loads(file.read(LARGEST_VIEW))
        entries = page.get("entries") if isinstance(page, dict) else None
    except (OSError, ValueError, RecursionError):
        return []
    if not isinstance(entries, list):
        return []
    rows = [_plain(entry) for entry in entries if isinstance(entry, dict)]
    return [row for row in rows if row.get("id") and row.get("path")]


def _plain(entry: "dict[str, Any]") -> "Row":
    """The strings of an entry, its lists as one string with a line for each item."""
    row = {key: value for key, value in entry.items() if isinstance(value, str)}
    for key in _LISTS:
        items = entry.get(key)
        if isinstance(items, list):
            row[key] = "\n".join(item for item in items if isinstance(item, str))
    return row


def _rows_of_page(root: str) -> "list[Row]":
    """The rows of the table in MEMORY.md: id, title, layer, keywords, date."""
    rows: "list[Row]" = []
    try:
        with open(f"{root}/MEMORY.md", encoding="utf-8", errors="replace") as file:
            lines = file.read(LARGEST_VIEW).splitlines()
    except OSError:
        return rows
    for line in lines:
        cells = [cell.strip() for cell in line.replace("\\|", "¦").strip("|").split("|")]
        link = cells[0]
        if len(cells) != 5 or not link.startswith("[") or "](" not in link:
            continue
        name, _, path = link[1:-1].partition("](")
        rows.append(
            {
                "id": name.replace("\\", ""),
                "path": _unquoted(path),
                "title": cells[1].replace("\\", ""),
                "type": cells[2],
                "tags": cells[3].replace("\\", "").replace(", ", "\n"),
                "created": "" if cells[4] == "-" else cells[4],
            }
        )
    return rows


def _unquoted(path: str) -> str:
    """A path as it was before it became part of a link."""
    first, *parts = path.split("%")
    try:
        data = first.encode() + b"".join(bytes([int(p[:2], 16)]) + p[2:].encode() for p in parts)
    except ValueError:
        return path
    return data.decode("utf-8", "replace")


def _candidate(row: "Row", hits: int, scope: str) -> rank.Candidate:
    def one(key: str, default: str = "") -> str:
        return row.get(key) or default

    return rank.Candidate(
        (
            0, 0, one("id"), "", one("title"), "", one("summary") or one("title"), one("path"),
            one("type", "semantic"), one("kind"), one("salience", "medium"),
            one("confidence", "medium"), one("source"), one("trust", "agent"),
            one("status", "confirmed"), one("trigger"), one("files"), one("related"),
            one("session"), one("created"), 0, 0, 0, 0, 0,
            one("tags"), "",
        ),
        float(hits),
        scope,
    )  # fmt: skip
