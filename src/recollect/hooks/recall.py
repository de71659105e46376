"""Hooks: the half that recalls: the brief, the notes for a prompt, the solution for an error.

Promises: what a session was given is not given again until its context is compacted; nothing is
said to machine prompts; a store that cannot be read says nothing.
Touches: the brief and the index in the cache, the files of the memories it quotes (a look at
their size and time, to quote nothing that was edited since), the session's journal file.

Imported by `program` only when a hook recalls; uses the pure modules that it shares with the
services, and the one module that has the SQL.
"""

import os
import time

from recollect.adapters.sqlite import lookup
from recollect.domain import pack, rank
from recollect.domain.text import cue_words
from recollect.hooks import places, program
from recollect.hooks.payload import decoded, members

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

BUSY_MS = 200
MOST_CANDIDATES = 40
MOST_WORDS = 24
MOST_ROWS = 2_500
PROMPT_TOKENS = 800
ERROR_TOKENS = 400
SHORTEST_PROMPT = 3


def run(moment: program.Moment) -> None:
    """Do what an event that recalls asks for."""
    if moment.event == "session-start":
        start(moment)
    elif moment.event == "user-prompt":
        prompt(moment)
    elif moment.event == "post-tool-failure":
        failure(moment)
    else:
        compaction(moment)


# ------------------------------------------------------------------------------- session start


def start(moment: program.Moment) -> None:
    """Hand over the brief, made beforehand; wait for it a moment if it is out of date."""
    source = moment.fields.get("source", "")
    given = ids_given(moment)
    moment.signal()
    if (source == "resume" and "brief" in given) or source == "fork":
        moment.work()
        return
    path = f"{moment.cache}/{places.brief_name('' if moment.project else _project_of(moment))}"
    worker = 0
    if program.is_pending(moment.cache) or not is_fresh(path):
        worker = moment.work()
        _wait(moment.cache, worker)
    said = read_brief(path) or read_brief(f"{moment.cache}/brief")
    if said:
        ids, text = said
        program.emit(text.encode("utf-8"))
        fields: dict[str, str | list[str] | int] = {
            "session": moment.session,
            "moment": "start",
            "items": ["brief", *ids],
            "tokens": pack.count_tokens(text),
        }
        moment.record("inject", fields)
    if not worker:
        moment.work()


def _project_of(moment: program.Moment) -> str:
    return places.main_work_tree(moment.folder) or os.path.abspath(moment.folder)


def _wait(cache: str, worker: int) -> None:
    deadline = time.monotonic() + program.BRIEF_WAIT_SECONDS
    while program.is_pending(cache) and time.monotonic() < deadline:
        time.sleep(0.01)
    if worker:
        os.waitpid(worker, os.WNOHANG)


def is_fresh(path: str) -> bool:
    """Whether the files and folders that the brief was made of look as they did then."""
    try:
        with open(path, encoding="utf-8") as file:
            if not file.readline().startswith("recollect-brief 1 "):
                return False
            for line in file:
                if line == "\n":
                    return True
                mtime, size, source = line.rstrip("\n").split(" ", 2)
                try:
                    info = os.stat(source)
                    look = f"{info.st_mtime_ns} {info.st_size if size != '-' else '-'}"
                except OSError:
                    look = "0 0"
                if look != f"{mtime} {size}":
                    return False
    except (OSError, ValueError):
        return False
    return False


def read_brief(path: str) -> "tuple[list[str], str] | None":
    """The ids in the brief and the brief itself as hook output, its fence marked anew."""
    try:
        with open(path, encoding="utf-8") as file:
            head, _, text = file.read().partition("\n\n")
    except OSError:
        return None
    words = head.split("\n", 1)[0].split(" ")
    if len(words) < 4 or not text:
        return None
    return [i for i in words[3].split(",") if i], text.replace(words[2], new_nonce())


def new_nonce() -> str:
    """A mark for a fence that no stored text can know."""
    return os.urandom(4).hex()


# --------------------------------------------------------------------------- prompts and errors


def prompt(moment: program.Moment) -> None:
    """Hand over what is stored about the subject of a person's prompt."""
    text = moment.more("prompt").get("prompt", "")
    if text.lstrip().startswith(program.MACHINE_PROMPTS) or len(text.strip()) < SHORTEST_PROMPT:
        return
    cue = cue_of(moment, text)
    found = recall(moment, cue, only_solutions=False)
    say(moment, "UserPromptSubmit", "prompt", found)


def failure(moment: program.Moment) -> None:
    """Hand over the solution of a failure that was met before."""
    found = members(moment.raw, ("error", "tool_name", "tool_input", "is_interrupt"))
    error = decoded(found.get("error", b""))
    given = members(found.get("tool_input", b""), ("command", "file_path"))
    command = decoded(given.get("command", b"") or given.get("file_path", b""))
    moment.signal()
    if not error.strip():
        return
    cue = cue_of(moment, f"{command[:400]}\n{error[:1200]}\n{error[-600:]}")
    say(moment, "PostToolUseFailure", "error", recall(moment, cue, only_solutions=True))


def cue_of(moment: program.Moment, text: str) -> rank.Cue:
    """What to search with."""
    words = cue_words(text)
    files = [
        word.strip("\"'`()[],;:!?") for word in text[:4000].split() if "." in word or "/" in word
    ]
    return rank.Cue(
        text, words, int(time.time() // 86400), files[:24], moment.project or _project_of(moment)
    )


def recall(
    moment: program.Moment, cue: rank.Cue, *, only_solutions: bool
) -> "list[rank.Candidate]":
    """What is worth saying, from the project's store and the global one, best first."""
    found: list[rank.Candidate] = []
    counts: dict[str, int] = {}
    total = 0
    filed = lookup.stems(cue.words) if cue.words else {}
    opened = []
    for root, scope in ((moment.project, "project"), (moment.home, "global")):
        db = index_of(moment, root) if root else None
        if db is None:
            if root:
                from recollect.hooks import fallback

                found += fallback.candidates(root, scope, cue)
            continue
        opened.append((root, scope, db))
        here = lookup.counts_of(db, filed)
        rare = dict(sorted(((w, n) for w, n in here.items() if n), key=lambda p: p[1])[:MOST_WORDS])
        hits = lookup.find(db, rare, limit=MOST_CANDIDATES, most_rows=MOST_ROWS, scope=scope)
        found += [fresh(one, root) for one in hits]
        for word, count in here.items():
            counts[word] = counts.get(word, 0) + count
        total += lookup.total_sections(db)
    if only_solutions:
        found = [one for one in found if one.kind == "solution"]
    known = ids_given(moment)
    found = [one for one in found if one.name not in known and not one.path.startswith("core/")]
    chosen = rank.choose(found, cue, counts, total)
    for root, scope, db in opened:
        near = lookup.heads_of(db, rank.related_names(chosen, scope), scope)
        chosen += [
            one for one in near if one.name not in known and rank.is_fit(fresh(one, root), cue)
        ]
        db.close()
    return chosen


def index_of(moment: program.Moment, root: str) -> "Connection | None":
    """The index of a store, if there is one that can be read."""
    folder = places.cache_folder(root, moment.env)
    return lookup.open_index(f"{folder}/index.db", BUSY_MS) if folder else None


def fresh(one: rank.Candidate, root: str) -> rank.Candidate:
    """The candidate, with its file's text of now if the file was edited since it was indexed."""
    path = f"{root}/{one.path}"
    try:
        info = os.lstat(path)
        if info.st_size != one.size or info.st_mtime_ns != one.mtime_ns or info.st_ino != one.inode:
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read(65_536)
            parts = text.split("\n---", 1)
            one.text = (
                parts[1].partition("\n")[2] if text.startswith("---") and len(parts) > 1 else text
            )
            one.anchor = one.heading = ""
    except OSError:
        one.status = "superseded"  # gone: not to be said
    return one


def say(moment: program.Moment, event_name: str, about: str, found: "list[rank.Candidate]") -> None:
    """Hand over the notes and remember which they were."""
    lang, prompt_tokens, error_tokens = settings_of(moment)
    budget = error_tokens if about == "error" else prompt_tokens
    text, full, pointers = pack.pack(found, budget, new_nonce(), lang)
    if not text:
        return
    program.answer(event_name, text)
    moment.record(
        "inject",
        {
            "session": moment.session,
            "moment": about,
            "items": [one.name for one in full],
            "pointers": [one.name for one in pointers],
            "tokens": pack.count_tokens(text),
        },
    )


def settings_of(moment: program.Moment) -> "tuple[str, int, int]":
    """`(language, prompt budget, error budget)` as the last publication left them."""
    try:
        with open(f"{moment.cache}/settings", encoding="ascii") as file:
            lang, prompt_tokens, error_tokens = file.read(64).split()
        return lang, int(prompt_tokens), int(error_tokens)
    except (OSError, ValueError):
        return "en", PROMPT_TOKENS, ERROR_TOKENS


def ids_given(moment: program.Moment) -> "set[str]":
    """What this session has in its context already, by the names it was given under."""
    given: set[str] = set()
    try:
        with open(f"{moment.root}/journal/{moment.writer}.jsonl", "rb") as file:
            data = file.read()
    except OSError:
        return given
    if b'"source":"compact"' in data:
        data = data[data.rindex(b'"source":"compact"') :]
    at = data.find(b'"op":"inject"')
    while at >= 0:
        end = data.find(b"\n", at)
        line = data[at : end if end >= 0 else len(data)]
        start = line.find(b'"items":[')
        items = line[start + 9 : line.find(b"]", start)] if start >= 0 else b""
        given.update(decoded(item.strip(b'"')) for item in items.split(b",") if item)
        at = data.find(b'"op":"inject"', at + 1)
    return given


# --------------------------------------------------------------------------------- compaction


def compaction(moment: program.Moment) -> None:
    """Tell the summariser which notes and decisions must survive (plain text, as it expects)."""
    import json

    moment.signal()
    moment.work()
    names = sorted(ids_given(moment) - {"brief"})
    state: dict[str, list[dict[str, str]]] = {}
    try:
        with open(f"{moment.root}/sessions/active/{moment.writer}.json", encoding="utf-8") as file:
            state = json.load(file)
    except (OSError, ValueError):
        pass
    said = [
        row.get("content", "") for key in ("decisions", "patterns") for row in state.get(key, [])
    ]
    lines = [pack.attribute(text)[:200] for text in said[-12:]]
    if not names and not lines:
        return
    text = (
        "Keep in the summary what was decided in this session and the ids of stored notes in use.\n"
    )
    text += "".join(f"- decided: {line}\n" for line in lines)
    text += "".join(f"- stored note: {pack.attribute(name)}\n" for name in names[:20])
    program.emit(text[: pack.HARD_CAP].encode("utf-8", "replace"))
