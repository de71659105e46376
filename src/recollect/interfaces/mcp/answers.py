"""Run an MCP tool: checked arguments in, an answer out.

The text and the structured form of an answer say the same. An error is an answer with its reason
and a next step.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote, unquote

from recollect._fastimport import NamedTuple
from recollect.app import App
from recollect.context.pack import attribute, harmless, visible
from recollect.errors import AlreadyThere, MemoryNotFound, RecollectError, StoreNotFound
from recollect.features import agent_tools, memories, reading
from recollect.features.agent_tools import FencedPart, Notes, UpdateRequest
from recollect.features.memories import WriteResult
from recollect.i18n import say, translate, word
from recollect.interfaces.mcp.server import INVALID_PARAMS, ProtocolError, Request
from recollect.interfaces.mcp.tools import BY_NAME, Refused, Tool, checked
from recollect.model.memory import Filter

PHRASES = ("what", "reason", "where", "who")


class ToolAnswer(NamedTuple):
    """The answer of a tool: a text that says everything, and fields for programs."""

    text: str
    facts: dict[str, Any]
    is_error: bool = False
    used: Sequence[str] = ()  # the ids of the notes that it gives in full

    def as_json(self, *, text_alone: bool = False) -> dict[str, Any]:
        """The answer as the protocol has it."""
        said: dict[str, Any] = {"content": [{"type": "text", "text": self.text}]}
        if not text_alone:
            said["structuredContent"] = {"text": self.text, **self.facts}
        return said | ({"isError": True} if self.is_error else {})


def result_of(app: App, request: Request, *, read_only: bool) -> dict[str, Any]:
    """The result of a request that needs the stores. Raises ProtocolError."""
    if request.method == "tools/call":
        return _call_tool(app, request, read_only=read_only)
    if request.method == "resources/list":
        return {"resources": _list_resources(app)}
    if request.method == "resources/read":
        return _read_resource(app, request)
    if request.method == "prompts/list":
        return {"prompts": _list_prompts(app)}
    return _get_prompt(app, request)


def _call_tool(app: App, request: Request, *, read_only: bool) -> dict[str, Any]:
    name = request.params.get("name")
    tool = BY_NAME.get(name) if isinstance(name, str) else None
    if tool is None or (read_only and not tool.reads):
        known = ", ".join(t.name for t in BY_NAME.values() if t.reads or not read_only)
        raise ProtocolError(
            INVALID_PARAMS, f"There is no tool {str(name)[:80]!r}; there are: {known}."
        )
    given = request.params.get("arguments")
    answer = call(app, tool, {} if given is None else given)
    if answer.used and not read_only:
        from recollect.features.given import record_use  # few calls open a note

        record_use(app, answer.used, tool.name, answer.text)
    return answer.as_json(text_alone=request.wants_text_alone)


def call(app: App, tool: Tool, given: object) -> ToolAnswer:
    """The answer of a tool, whatever it is given and whatever happens."""
    try:
        values = checked(tool, given, app.lang)
        for name in {"id", "into"} & values.keys():
            values[name] = values[name] and app.full_name(values[name])
        return _RUNS[tool.name](app, values)
    except Refused as error:
        return ToolAnswer(str(error), {"error": "usage-problem"}, is_error=True)
    except RecollectError as error:
        return ToolAnswer(sentence_of(app, error), {"error": error.kind}, is_error=True)
    except Exception as error:  # noqa: BLE001 - a bug ends a call, never the server
        traceback.print_exc(file=sys.stderr)
        what = f"{type(error).__name__}: {attribute(str(error))}"
        text = say(app.lang, "This is a bug in Recollect: {error}", error=what)
        return ToolAnswer(text, {"error": "bug"}, is_error=True)


def sentence_of(app: App, error: RecollectError) -> str:
    """What happened and what to do next, for somebody who has tools and no command line."""
    lang = app.lang
    fields = {
        key: translate(lang, value) if key in PHRASES and isinstance(value, str) else value
        for key, value in error.fields.items()
    }
    if isinstance(error, AlreadyThere):
        return say(
            lang,
            "The note {id} has this title but another text: correct it with `update`, or choose a more specific title.",
            id=error.fields["path"],
        )
    what = say(lang, error.sentence, **fields)  # sentences of `errors`
    if isinstance(error, MemoryNotFound):
        step = say(lang, "`search` and `timeline` list ids.")
    elif isinstance(error, StoreNotFound):
        step = say(lang, "The person can create one with `recollect init`.")
    elif error.exit_code == 2:
        step = ""
    else:
        step = say(lang, error.next_step, **fields) if error.next_step else ""
    return harmless(f"{what} {step}".strip())


# -------------------------------------------------------------------------------------- reading


def _recall(app: App, given: dict[str, Any]) -> ToolAnswer:
    found = agent_tools.recall(app, given["cue"], budget=given.get("budget"))
    return _notes(app, found, say(app.lang, "No stored note is relevant."))


def _search(app: App, given: dict[str, Any]) -> ToolAnswer:
    only = _filter_of(given)
    found = agent_tools.search(app, given["query"], only, limit=given.get("limit", 8))
    return _notes(app, found, say(app.lang, "No note has these words."))


def _timeline(app: App, given: dict[str, Any]) -> ToolAnswer:
    found = agent_tools.timeline(app, _filter_of(given), limit=given.get("limit", 20))
    return _notes(app, found, say(app.lang, "Nothing is stored for that time."))


def _filter_of(given: dict[str, Any]) -> Filter:
    until = given.get("until")
    return Filter(
        kind=given.get("kind", ""),
        tags=tuple(given.get("tags", ())),
        file=given.get("file", ""),
        since=given.get("since", ""),
        until=f"{until}~" if until else "",  # the whole day, month or year: `~` follows all digits
        archived=given.get("archived", False),
    )


def _notes(app: App, found: Notes, nothing: str) -> ToolAnswer:
    text = found.text or nothing
    if found.more:
        more = say(app.lang, "{n} more; ask for a shorter time or more words.", n=found.more)
        text = f"{text}\n{more}"
    return ToolAnswer(text, {"ids": found.ids, "more": found.more}, used=found.full)


def _expand(app: App, given: dict[str, Any]) -> ToolAnswer:
    level, start = given.get("level", 2), given.get("start", 0)
    piece = agent_tools.expand(app, given["id"], level=level, start=start)
    text = piece.text
    if not text and start:
        text = say(app.lang, "There is nothing more.")
    elif not text and level == 3:
        text = say(app.lang, "This memory has no raw conversation.")
    elif not text:
        text = say(app.lang, "The note is empty.")
    text += _cut_off(app, piece)
    used = [piece.id] if piece.text and not start else []
    return ToolAnswer(text, {"id": piece.id, "next": piece.next or None}, used=used)


def _cut_off(app: App, piece: FencedPart) -> str:
    """A line that says where a long text goes on; nothing at its end."""
    if not piece.next:
        return ""
    return "\n" + say(
        app.lang,
        "Truncated: call `expand` with start {n} (of {size} characters).",
        n=piece.next,
        size=piece.size,
    )


# -------------------------------------------------------------------------------------- writing


OLDER = ("title", "text", "tags", "concepts", "category", "status", "confidence", "into")


def _remember(app: App, given: dict[str, Any]) -> ToolAnswer:
    """Take in a statement; a note with a title, as earlier versions took it, is saved as it was."""
    from recollect.features.remember import Statement, describe_saved, remember  # few calls write

    older = [name for name in OLDER if name in given]
    if "title" in given and "statement" not in given:
        return _save(app, given)
    if older and "statement" in given:
        raise Refused([say(app.lang, "“{name}” does not go with “statement”; leave it out.", name=older[0])])  # fmt: skip
    if not given.get("statement", "").strip():
        raise Refused([say(app.lang, "“{name}” is missing: {about}", name="statement", about=BY_NAME["remember"].takes["statement"]["description"])])  # fmt: skip
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in given.items()
        if name in Statement._fields
    }
    note = Statement(**fields)
    done = remember(app, note, scope=given.get("scope", ""), is_tool=True)
    facts = {name: getattr(done, name) for name in ("id", "what", "scope", "trust")}
    return ToolAnswer(describe_saved(app.lang, done), facts)


def _save(app: App, given: dict[str, Any]) -> ToolAnswer:
    into = given.get("into", "")
    for name in ("subject", "why", "quote"):
        if name in given:
            raise Refused([say(app.lang, "“{name}” goes with “statement”, not with “title”.", name=name)])  # fmt: skip
    if into and ("kind" in given or "scope" in given):
        raise Refused([say(app.lang, "“into” adds to a note: leave out “kind” and “scope”.")])
    lists = {key: tuple(given.get(key, ())) for key in ("tags", "trigger", "files", "concepts")}
    words = {key: given.get(key, "") for key in ("kind", "category", "status", "confidence")}
    title, text, scope = given["title"], given.get("text", ""), given.get("scope", "")
    done = agent_tools.remember(app, title, text, scope=scope, into=into, **lists, **words)
    if done.what == "unchanged":
        text = say(app.lang, "{id} already says that; nothing was changed.", id=done.id)
    else:
        scope = word(app.lang, done.scope)
        text = say(app.lang, "Remembered as {id} in the {scope} store.", id=done.id, scope=scope)
    if done.advice.waits:
        from recollect.features.remember import describe_queued  # few calls write

        text = describe_queued(app.lang, done.id, done.advice.waits)
    if done.advice.near:
        near = say(app.lang, "{id} has tags in common; “into” would have added to it.", id=done.advice.near)  # fmt: skip
        text = f"{text} {near}"
    return _done(done, text)


def _update(app: App, given: dict[str, Any]) -> ToolAnswer:
    wish = UpdateRequest(**{key: value for key, value in given.items() if key != "id"})
    if wish == UpdateRequest():
        what = say(app.lang, "Say what to change: text, append, title, tags or status.")
        raise Refused([what])
    if wish.text is not None and wish.append is not None:
        what = say(app.lang, "Give “text” to replace what is there or “append” to add, not both.")
        raise Refused([what])
    done = agent_tools.update(app, given["id"], wish)
    if done.what == "unchanged":
        text = say(app.lang, "{id} is already like that; nothing was changed.", id=done.id)
    else:
        text = say(
            app.lang, "Changed {id}; `recollect undo {name}` undoes it.",
            id=done.id, name=done.id.partition("#")[0],
        )  # fmt: skip
    return _done(done, text)


def _forget(app: App, given: dict[str, Any]) -> ToolAnswer:
    done = memories.forget_memory(app, given["id"], purge=False, dry_run=False)
    text = say(
        app.lang, "Forgot {id}; `recollect undo {name}` restores it.",
        id=done.id, name=done.id.partition("#")[0],
    )  # fmt: skip
    return _done(done, text)


def _done(done: WriteResult, text: str) -> ToolAnswer:
    near = {"near": done.advice.near} if done.advice.near else {}
    return ToolAnswer(text, {"id": done.id, "what": done.what, "scope": done.scope, **near})


# --------------------------------------------------------------------------------------- health


def _status(app: App, _given: dict[str, Any]) -> ToolAnswer:
    lang = app.lang
    rows = list(agent_tools.list_stores(app))
    lines = [
        say(
            lang, "The {scope} store has {memories} notes, and {archived} in the archive, of {n} sessions: {root}",
            scope=word(lang, row["scope"]), memories=row["memories"], archived=row["archived"],
            n=row["sessions"], root=attribute(row["root"]),
        )
        for row in rows
    ]  # fmt: skip
    lines += [
        say(
            lang, "New memories in the {scope} store ({layers}) are encrypted: you can save there, but only a person can read them.",
            scope=word(lang, row["scope"]), layers=", ".join(row["encrypt"]),
        )
        for row in rows if row["encrypt"]
    ]  # fmt: skip
    if not rows:
        lines.append(say(lang, "There is no store here; the person can create one with `recollect init`."))  # fmt: skip
    counts: dict[str, int] = {}
    if rows:
        from recollect.features.statistics import describe_waiting, waiting  # all of consolidation

        counts = waiting(app)
        if what := describe_waiting(lang, counts):
            lines.append(say(lang, "Waiting for the person: {what}", what=what))
    problems = [*app.warnings, *(p for row in rows for p in row["problems"])]
    shown = [attribute(translate(lang, problem)) for problem in dict.fromkeys(problems)][:10]
    if shown:
        lines.append(say(lang, "The person should check this with `recollect doctor`:"))
        lines += [f"- {problem}" for problem in shown]
    stores = [
        {key: row[key] for key in ("scope", "root", "memories", "archived", "sessions")}
        for row in rows
    ]
    return ToolAnswer("\n".join(lines), {"stores": stores, "waiting": counts, "problems": shown})


_RUNS: dict[str, Callable[[App, dict[str, Any]], ToolAnswer]] = {
    "recall": _recall,
    "search": _search,
    "remember": _remember,
    "update": _update,
    "forget": _forget,
    "expand": _expand,
    "timeline": _timeline,
    "status": _status,
}
assert _RUNS.keys() == BY_NAME.keys()


# ----------------------------------------------------------------------------------------- prompts


RECAP_TOKENS = 2000


def _prompt_titles(lang: str) -> dict[str, str]:
    """The title of each prompt, which is its description as well."""
    return {
        "recap": say(lang, "Recap what is known from earlier sessions"),
        "save_session": say(lang, "Save what later sessions should know of this one"),
    }


def _list_prompts(app: App) -> list[dict[str, Any]]:
    """The prompts as the protocol lists them."""
    about = say(app.lang, "What about; the project as a whole if left out.")
    topic = {"name": "topic", "description": about, "required": False}
    return [
        {"name": name, "title": title, "description": title}
        | ({"arguments": [topic]} if name == "recap" else {})
        for name, title in _prompt_titles(app.lang).items()
    ]


def _get_prompt(app: App, request: Request) -> dict[str, Any]:
    name, titles = request.params.get("name"), _prompt_titles(app.lang)
    if not isinstance(name, str) or name not in titles:
        known = ", ".join(titles)
        raise ProtocolError(
            INVALID_PARAMS, f"There is no prompt {str(name)[:80]!r}; there are: {known}."
        )
    if name == "recap":
        given = request.params.get("arguments")
        topic = given.get("topic", "") if isinstance(given, dict) else ""
        text = _recap(app, attribute(topic) if isinstance(topic, str) else "")
    else:
        text = say(
            app.lang,
            "Go through this session and save with the tool `remember` what later sessions need: "
            "what I decided, corrected or turned down, built already or not, and what was found out "
            "with effort, as it holds at the end. Mostly 0 to 5 entries, more in a long session; none "
            "is a good answer. Not what was done, nothing that CLAUDE.md says or that soon is outdated, "
            "nothing twice. Give each its subject, its reason, and my own words as the quote. At the end "
            "list what became of each, with the ids.",
        )
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": titles[name], "messages": [message]}


def _recap(app: App, topic: str) -> str:
    """The text of the prompt `recap`: what is asked, and the notes that bear on it."""
    try:
        if topic:
            notes = agent_tools.recall(app, topic, budget=RECAP_TOKENS).text
        else:
            notes = reading.brief(app)[0]
    except StoreNotFound:
        notes = ""
    asked = say(
        app.lang,
        "Recap what the stored notes say about {topic}: what was decided and why, what is "
        "open, what failed and what worked. Name the id of each note that you use, and say "
        "where notes contradict each other or the code. Then suggest the next step.",
        topic=topic or say(app.lang, "this project"),
    )
    notes = notes or say(app.lang, "No stored note bears on this; say so.")
    return f"{asked}\n\n{notes}"


# --------------------------------------------------------------------------------------- resources


SCHEME = "memory://"
INDEX = f"{SCHEME}index"
MARKDOWN = "text/markdown"
MOST_LISTED = 50
LONGEST = 40_000  # characters of a note that is read as a resource; the tool has the rest


def _list_resources(app: App) -> list[dict[str, Any]]:
    """The index, and the newest notes."""
    index = {
        "uri": INDEX,
        "name": "index",
        "title": say(app.lang, "Index of the notes"),
        "mimeType": MARKDOWN,
    }
    if not app.roots:
        return [index]
    return [index] + [
        {
            "uri": SCHEME + quote(one.entry.id),
            "name": one.entry.id,
            "title": attribute(one.entry.title),
            "mimeType": MARKDOWN,
        }
        for one in agent_tools.newest(app, MOST_LISTED)
    ]


def _read_resource(app: App, request: Request) -> dict[str, Any]:
    uri = request.params.get("uri")
    if not isinstance(uri, str):
        raise ProtocolError(INVALID_PARAMS, "The address of a resource is text: memory://index.")
    try:
        text = _text_behind(app, uri)
    except (MemoryNotFound, StoreNotFound) as error:
        raise ProtocolError(INVALID_PARAMS, sentence_of(app, error), {"uri": uri[:300]}) from None
    return {"contents": [{"uri": uri, "mimeType": MARKDOWN, "text": visible(text)}]}


def _text_behind(app: App, uri: str) -> str:
    """The text of a resource. Raises MemoryNotFound."""
    name = unquote(uri.removeprefix(SCHEME), errors="replace")
    if not uri.startswith(SCHEME) or not name:
        raise MemoryNotFound(id=attribute(uri))
    if name == "index":
        return _index(app)
    piece = agent_tools.expand(app, name, most=LONGEST)
    return piece.text + _cut_off(app, piece)


def _index(app: App) -> str:
    try:
        return agent_tools.index_pages(app)
    except StoreNotFound:
        return say(app.lang, "There is no store here; the person can create one with `recollect init`.")  # fmt: skip
