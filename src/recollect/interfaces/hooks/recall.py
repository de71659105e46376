"""The recalling hooks: the brief, notes for a prompt, the fix for an error.

Promises: a session gets a note once until its context is compacted. Machine-written prompts get
nothing. An unreadable store gives nothing.
Touches: the brief in the cache, the session's journal file, and what `search` touches.

Imported only by hooks that recall. Only what searches imports `search`, and with it SQLite.
"""

import os
import time

from recollect.context import pack
from recollect.interfaces.hooks import events
from recollect.interfaces.hooks.payload import members, strings_in, text_of
from recollect.search import rank
from recollect.store import locations
from recollect.store.background import is_pending
from recollect.text.tokens import count_tokens, cue_words, is_stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.interfaces.hooks.search import Search

PROMPT_TOKENS = 800
ERROR_TOKENS = 400
SHORTEST_PROMPT, SHORTEST_CHINESE = 3, 2  # characters
LONGEST_LATE = 4_096
LONGEST_TYPED, MOST_TYPED_LINES = 3_000, 40
TEAMMATE = "<teammate-message"
LONGEST_ERROR = 8_000
LONGEST_PROMPT = 96_000  # bytes; of more, the cue takes only words from both ends


def run(moment: events.HookEvent) -> None:
    """Handle an event that recalls."""
    if moment.event == "session-start":
        start(moment)
    elif moment.event == "user-prompt":
        prompt(moment)
    elif moment.event == "post-tool-failure":
        failure(moment)
    else:
        compaction(moment)


# ------------------------------------------------------------------------------- session start


def start(moment: events.HookEvent) -> None:
    """Give the brief from the cache; if it is out of date, wait a moment for the worker."""
    source = moment.fields.get("source", "")
    given = ids_given(moment)
    if moment.project:  # else a session without a prompt creates no store
        moment.signal()
    has_it = "brief" in given and source not in ("clear", "compact")
    if has_it or source == "fork" or not moment.cache:
        moment.work()
        return
    path = f"{moment.cache}/brief"
    worker = 0
    if is_pending(moment.cache) or changed_sources(path) != []:
        worker = moment.work()
        _wait(moment.cache, worker)
        if not is_pending(moment.cache):
            take_late(moment)  # the new brief contains it
    # A brief that is a little old still helps, but not one made when other notes were trusted.
    is_trusted = not any(one.startswith("!") for one in changed_sources(path) or ())
    said = read_brief(path) if is_trusted else None
    if said:
        ids, told, tokens, same, text = said
        moment.emit(text.encode("utf-8"))
        fields: dict[str, str | list[str] | int] = {
            "session": moment.session,
            "moment": "start",
            "items": ["brief", *ids],
            "told": told,
            "same": same,
            "tokens": tokens,
        }
        moment.record("inject", fields)
    if not worker:
        moment.work()


def _wait(cache: str, worker: int) -> None:
    deadline = time.monotonic() + events.BRIEF_WAIT_SECONDS
    while is_pending(cache) and time.monotonic() < deadline:
        time.sleep(0.01)
    if worker:
        os.waitpid(worker, os.WNOHANG)


def changed_sources(path: str) -> "list[str] | None":
    """The files and folders of the brief that look different now; None if there is no brief.

    The notes on which stores the person accepted begin with `!`.
    """
    try:
        head, end, _ = locations.read_text(path).partition("\n\n")
        first, *lines = head.split("\n")
        if not end or not first.startswith("recollect-brief 1 "):
            return None
        rows = [line.split(" ", 2) for line in lines]
        return [source for mtime, size, source in rows if _differs(source, mtime, size)]
    except (OSError, ValueError):
        return None


def _differs(source: str, mtime: str, size: str) -> bool:
    try:
        info = os.stat(source.removeprefix("!"))
        look = f"{info.st_mtime_ns} {info.st_size if size != '-' else '-'}"
    except OSError:
        look = "0 0"
    return look != f"{mtime} {size}"


def read_brief(path: str) -> "tuple[list[str], list[str], int, list[str], str] | None":
    """`(ids, told, tokens, same, output)` of the brief in the cache.

    It has the memories `ids` in full and a line of each one in `told`; `same` are other places with
    the same text. The fence in the output gets a new mark.
    """
    try:
        head, _, text = locations.read_text(path).partition("\n\n")
    except (OSError, ValueError):
        return None
    words = head.split("\n", 1)[0].split(" ")
    if len(words) < 4 or not text:
        return None
    words += [""] * 3
    ids, told, same = (
        [i for i in names.split(",") if i] for names in (words[3], words[4], words[6])
    )
    tokens = int(words[5]) if words[5].isdecimal() else count_tokens(text)
    return ids, told, tokens, same, text.replace(words[2], pack.new_nonce())


# --------------------------------------------------------------------------- prompts and errors


def take_late(moment: events.HookEvent) -> str:
    """A note of the worker on what the brief of this session did not know yet; given once."""
    path = f"{moment.cache}/late-{moment.writer}"
    if moment.fields.get("agent_id"):
        return ""
    try:
        text = locations.read_text(path, LONGEST_LATE)
        os.unlink(path)
    except (OSError, ValueError):
        return ""
    return text


def prompt(moment: events.HookEvent) -> None:
    """Give what is stored about the subject of a person's prompt.

    The first prompt of a session is recorded, because its client may be killed before it answers.
    """
    raw = members(moment.raw, ("prompt",)).get("prompt", b"")
    if len(raw) > LONGEST_PROMPT:
        raw = raw[: LONGEST_PROMPT * 2 // 3] + b" " + raw[-LONGEST_PROMPT // 3 :]
    text = text_of(raw)
    shortest = SHORTEST_PROMPT if text.isascii() else SHORTEST_CHINESE
    if text.lstrip().startswith(events.MACHINE_PROMPTS) or len(text.strip()) < shortest:
        return
    if not locations.exists(moment.journal_path):
        moment.signal()
    late = take_late(moment)
    project = locations.project_of_store(moment.store)
    cue = cue_of(text if is_typed(text) else "", project)
    known = ids_given(moment) | ids_known(moment) if cue.words else set()
    found = searched(moment, cue).chosen(known) if cue.words else []
    emit_notes(moment, "UserPromptSubmit", "prompt", found, late)


def is_typed(text: str) -> bool:
    """Whether a person is likely to have typed this: no handed-over plan, no log, no slash command.

    What an agent of a team is told by another is a program's, too.
    """
    first = text.strip().split(maxsplit=1)[0] if text.strip() else ""
    is_command = first.startswith("/") and "/" not in first[1:] and "." not in first
    is_short = len(text) <= LONGEST_TYPED and text.count("\n") < MOST_TYPED_LINES
    return is_short and not is_command and first != TEAMMATE


def failure(moment: events.HookEvent) -> None:
    """Give the solution of a failure that was met before."""
    found = members(moment.raw, ("error", "tool_input"))
    error = text_of(found.get("error", b""))
    given = members(found.get("tool_input", b""), ("command", "file_path"))
    command = text_of(given.get("command", b"") or given.get("file_path", b""))
    moment.signal()
    if not error.strip():
        return
    if len(error) > LONGEST_ERROR:
        error = f"{error[: LONGEST_ERROR // 2]}\n{error[-LONGEST_ERROR // 2 :]}"
    command = command[:LONGEST_ERROR]
    cue = cue_of(f"{command[:400]}\n{error[:1200]}\n{error[-600:]}")
    solutions = searched(moment, cue).solutions(ids_given(moment), error, command)
    emit_notes(moment, "PostToolUseFailure", "error", solutions)


def cue_of(text: str, project: str = "") -> rank.Cue:
    """What to search with in a project's folder; nothing for a prompt of stop words alone."""
    words = cue_words(text)
    if all(is_stop(word) for word in words):
        words = []
    return rank.Cue(text, words, int(time.time() // 86400), rank.files_in(text), project)


def searched(moment: events.HookEvent, cue: rank.Cue) -> "Search":
    """What the project's store and the global one have for a cue."""
    from recollect.interfaces.hooks.search import Search

    search = Search(cue, moment.session)
    for root, scope in ((moment.project, "project"), (moment.home, "global")):
        if root:
            is_known = root == moment.root
            cache = moment.cache if is_known else locations.cache_folder(root, moment.env)
            search.look_in(root, scope, cache)
    return search


def emit_notes(
    moment: events.HookEvent,
    event_name: str,
    about: str,
    found: "list[rank.Candidate]",
    late: str = "",
) -> None:
    """Give the notes, after `late`, and record which they were."""
    lang, prompt_tokens, error_tokens = settings_of(moment)
    budget = error_tokens if about == "error" else prompt_tokens
    budget, size = budget - count_tokens(late), pack.HARD_CAP - len(late) - 1
    text, full, pointers = pack.pack(found, budget, pack.new_nonce(), lang, size)
    text = "\n".join([part for part in (late, text) if part])
    if not text:
        return
    moment.answer(event_name, text)
    fields: dict[str, str | list[str] | int] = {
        "session": moment.session,
        "moment": about,
        "items": [one.name for one in full],
        "pointers": [one.name for one in pointers],
        "tokens": count_tokens(text),
    }
    if moment.fields.get("agent_id"):
        fields["agent"] = moment.fields["agent_id"]
    moment.record("inject", fields)


def settings_of(moment: events.HookEvent) -> "tuple[str, int, int]":
    """`(language, prompt budget, error budget)` from the cache, where a publication writes them."""
    try:
        lang, prompt_tokens, error_tokens = locations.read_text(
            f"{moment.cache}/settings", 64
        ).split()
        return lang, int(prompt_tokens), int(error_tokens)
    except (OSError, ValueError):
        return _language_of_store(moment.root), PROMPT_TOKENS, ERROR_TOKENS


def _language_of_store(root: str) -> str:
    """The language in a store's settings, where nothing is in the cache yet."""
    try:
        lines = locations.read_text(f"{root}/config.toml", 4096).splitlines()
    except (OSError, ValueError):
        return "en"
    words = (line.partition("#")[0].replace("'", '"').replace(" ", "") for line in lines)
    return "zh" if 'lang="zh"' in words else "en"


def ids_given(moment: events.HookEvent, but: str = "") -> "set[str]":
    """The ids of what this agent was given since the last compaction.

    A sub-agent has a context of its own. What was given at the moment `but` is left out.
    """
    given: set[str] = set()
    data = moment.journal()
    if b'"source":"compact"' in data:
        data = data[data.rindex(b'"source":"compact"') :]
    agent = moment.fields.get("agent_id", "")
    for line in data.split(b"\n"):
        if b'"op":"inject"' in line:
            found = members(line, ("items", "same", "agent", "moment"))
            is_other = bool(but) and text_of(found.get("moment", b"")) == but
            if text_of(found.get("agent", b"")) == agent and not is_other:
                given.update(strings_in(found.get("items", b"")))
                given.update(strings_in(found.get("same", b"")))
    return given


def ids_known(moment: events.HookEvent) -> "set[str]":
    """The ids of what the client's own memory gives this agent; a sub-agent gets none of it."""
    if moment.fields.get("agent_id"):
        return set()
    try:
        return set(locations.read_text(f"{moment.cache}/known-{moment.client}").split())
    except (OSError, ValueError):
        return set()


# --------------------------------------------------------------------------------- compaction


_SURVIVING = {
    "en": (
        "Keep in the summary, word for word, what was decided in this session:",
        "Notes of Recollect that were in use; `recollect show ID` reads one again:",
        "Keep what was corrected and learned as well, with the reasons.",
    ),
    "zh": (
        "请在摘要中逐字保留本次会话的决定：",
        "用到过的 Recollect 笔记；`recollect show ID` 可重新查看：",
        "被纠正的和学到的内容连同原因也请保留。",
    ),
}


def compaction(moment: events.HookEvent) -> None:
    """Tell the summariser, in plain text, which decisions and notes must survive.

    Those of the brief are left out: it is given again after the compaction.
    """
    moment.signal()
    moment.work()
    names = sorted(ids_given(moment, but="start"))
    said = decided(f"{moment.store}/sessions/active/{moment.writer}.json")
    keep, notes, learned = _SURVIVING.get(settings_of(moment)[0], _SURVIVING["en"])
    lines = [keep, *(f"- {one_line(line)}" for line in said[-12:])] if said else []
    if moment.asks:  # the agent is asked for it right after
        lines.append(learned)
    if names:
        lines += [notes, *(f"- {pack.attribute(name)}" for name in names[:20])]
    if lines:
        text = "\n".join(lines) + "\n"
        moment.emit(text[: pack.HARD_CAP].encode("utf-8", "replace"))


def one_line(text: str) -> str:
    """`text` as data on one line."""
    return " ".join(pack.harmless(text[:4_000]).split())[:400]


def decided(path: str) -> "list[str]":
    """The decisions and patterns of a session, from the state that the worker wrote."""
    import json

    try:
        with open(path, encoding="utf-8") as file:
            state = json.load(file)
    except (OSError, ValueError, RecursionError):
        return []
    lists = [state.get(key) for key in ("decisions", "patterns")] if isinstance(state, dict) else []
    rows = [row for rows in lists if isinstance(rows, list) for row in rows]
    found = [row.get("content") for row in rows if isinstance(row, dict)]
    return [text for text in found if isinstance(text, str)]
