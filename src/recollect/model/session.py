"""Events of a conversation, notes about it, and the state made from both."""

from __future__ import annotations

from collections.abc import Mapping

from recollect._fastimport import Any, NamedTuple
from recollect.model.facts import Fact
from recollect.model.memory import lowest_trust
from recollect.model.times import time_of
from recollect.text.web_reads import reads_a_page

SHORTEST_TASK = 12
LONGEST_COMMAND = 4_000
STATUSES = ("active", "saved", "discarded")
OVER = ("completed", "done", "deleted", "cancelled", "canceled")  # what clients say of a to-do


class Event(NamedTuple):
    """One thing that happened in a session, in the words of no client in particular."""

    # prompt, answer, call, result, todos, compacted, web; title; choice: what was answered (`text`) to
    # a question (`target`); refusal: what a person said (`text`) instead of allowing a call; plan: one
    # that they approved; recap: what a compaction wrote down; link: an address (`target`)
    kind: str
    time: str = ""
    text: str = ""
    # shell, edit, or the client's own name; of a prompt: team, where another agent sent it, or
    # command, where it is the text of one without a word behind its name
    tool: str = ""
    call: str = ""  # the id that joins a result to its call
    target: str = ""  # a command, or the path of a file
    ok: bool = True
    todos: tuple[tuple[str, str, str], ...] = ()  # (status, text, the client's number of it)
    id: str = ""
    program: bool = False  # a program sent it: nothing in it is a person's word
    options: tuple[str, ...] = ()  # of a choice, those that were turned down
    topic: str = ""  # of a choice, the label of its question,
    detail: str = ""  # and how the agent described the option that was picked

    @property
    def is_page(self) -> bool:
        """Whether an agent reads a page, by a tool for it or by a command."""
        is_command = self.kind == "call" and self.tool == "shell"
        return self.kind == "web" or (is_command and reads_a_page(self.target[:LONGEST_COMMAND]))


class Remark(NamedTuple):
    """What somebody says of a session that goes on, by command."""

    kind: str  # task, note, todo, done, about
    text: str = ""
    time: str = ""
    trust: str = "user"
    terminal: str = ""  # where the session was started
    tags: tuple[str, ...] = ()


class SessionState:
    """The state of a session. Names follow the session files of seed 002 where it has them.

    No dataclass: importing `dataclasses` takes 8 ms, making this one 3 ms, in every worker.
    """

    session_id: str
    client: str = ""
    branch: str = ""
    started: str = ""
    last_updated: str = ""
    status: str = "active"  # one of STATUSES
    task: str = ""
    titles: dict[str, str]  # who gave it → the client's title
    plans: list[str]  # headings of plans that were handed over,
    reasons: dict[str, str]  # and what each of them begins with
    requests: list[str]
    outcome: str = ""  # the last answer of a turn that tells something
    last_answer: str = ""  # what was said last, if no call has followed
    results: list[str]  # what earlier answers reported, before a page was read
    files_modified: list[str]
    decisions: list[dict[str, str]]
    patterns: list[dict[str, str]]
    issues: list[dict[str, str]]
    problems: list[dict[str, str]]
    solutions: list[dict[str, Any]]
    made: list[dict[str, str]]  # commits, pull requests, issues
    worked: dict[str, int]  # a check → how often it ran with success
    learned: list[str]  # what the last compaction says was found out,
    pending: list[str]  # and what it says was still to be done, until much else was done
    recapped: int = 0  # the tool uses before it
    notes: list[str]
    todos: list[dict[str, str]]
    tags: list[str]
    summary: str = ""
    told: str = ""  # what a model wrote of it
    read: dict[str, int]  # by a model: the bytes of the raw copy that it read, how often it failed
    trust: str = "user"  # the least of those who said something of it by command
    terminal: str = ""
    remarks: str = ""  # the stamp of the remarks that are in its memory
    prompts: int = 0
    programs: int = 0  # how many of them programs sent
    answers: int = 0
    asks_message: bool = False  # whether the last prompt asks for the message of a commit
    tool_uses: int = 0
    web: bool = False  # whether it has read from outside: what the agent says is second-hand
    first_hand: dict[str, Any]  # what was made, said and left open before that
    memory: str = ""
    label: str = ""  # of its memory in footnotes, since that was purged
    written_stamp: str = ""
    sources: dict[str, dict[str, int]]  # transcript → offset, inode
    raw_bytes: int = 0
    calls: dict[str, dict[str, str]]
    failures: list[dict[str, Any]]
    ran: list[str]  # the last commands that worked since the prompt
    private: dict[str, int]  # kind of event → private parts left open
    passwords: list[str]  # that were said, as keyed hashes: to know them again
    is_password_asked: bool = False  # by what was said last
    answered: str = ""  # when the agent last did or said something
    asked: str = ""  # the same as the prompt before found it
    reactions: list[dict[str, Any]]
    ids: list[str]

    def __init__(self, session_id: str, client: str = "", **values: Any) -> None:
        """Values of other fields by their names; lists and tables begin empty."""
        self.session_id, self.client = session_id, client
        for name, kind in SessionState.__annotations__.items():
            if name in values:
                setattr(self, name, values.pop(name))
            elif kind.startswith(("list", "dict")):
                setattr(self, name, [] if kind.startswith("list") else {})
        if values:
            raise TypeError(f"no fields of a session: {', '.join(values)}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SessionState) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def to_json(self) -> dict[str, Any]:
        """The state as plain JSON values."""
        return {name: getattr(self, name) for name in SessionState.__annotations__}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> SessionState:
        """The state that `to_json` gave; keys that this version does not know are left out."""
        if "made" not in data and isinstance(old := data.get("commits"), list):
            rows = [{"kind": "commit", "text": text, "body": "", "ref": ""} for text in old]
            data = data | {"made": rows}
        return cls(**{key: data[key] for key in cls.__annotations__ if key in data})

    @property
    def asked_trust(self) -> str:
        """How far to trust what was asked for: a program's prompts are no person's."""
        return lowest_trust(self.trust, "agent" if self.programs else "user")

    @property
    def commits(self) -> list[str]:
        """The subjects of the commits that stand."""
        return [row["text"] for row in self.made if row["kind"] == "commit"]

    @property
    def statements(self) -> list[Fact]:
        """What was decided and ruled in it."""
        return [
            Fact(
                kind,
                row["content"],
                row["reason"],
                row["category"],
                source=row["source"],
                said="" if (time := time_of(row.get("time", ""))) == self.started else time,
            )
            for kind, rows in (("decision", self.decisions), ("pattern", self.patterns))
            for row in rows
        ]

    @property
    def is_of_programs(self) -> bool:
        """Whether no person asked for anything: a hook, an automation or another agent did."""
        return 0 < self.prompts == self.programs and not self.plans

    @property
    def has_results(self) -> bool:
        """Whether it decided, learned or changed anything."""
        facts = self.decisions or self.patterns or self.issues or self.solutions
        said = self.todos or self.notes or self.summary
        return bool(facts or said or self.files_modified or self.made)

    @property
    def is_worth_saving(self) -> bool:
        """Whether anything happened that is worth remembering."""
        asked = self.prompts and (self.answers or self.tool_uses)
        return bool(self.has_results or asked or self.remarks)


# -------------------- The states of sessions as seed 002 kept them, read as ours.


CLIENT = "terminal"  # they were started by command
_STATUSES = {"active": "active", "archived": "saved", "discarded": "discarded"}
_DONE = ("completed", "complete", "done", "resolved")


def is_old(data: Mapping[str, Any]) -> bool:
    """Whether this is a state as seed 002 kept it."""
    return bool(_text(data.get("session_id"))) and "client" not in data


def state_of(data: Mapping[str, Any]) -> SessionState:
    """The state that such a file tells."""
    state = SessionState(_text(data.get("session_id")), CLIENT)
    state.started = _time(data.get("started"))
    state.last_updated = _time(data.get("last_updated")) or state.started
    state.status = _STATUSES.get(_text(data.get("status")), "active")
    state.task = _text(data.get("task"))
    state.titles = {"person": state.task} if state.task else {}
    state.files_modified = list(filter(None, map(_text, _list(data.get("files_modified")))))
    state.notes = [text for row in _list(data.get("notes")) if (text := _row_text(row, "note"))]
    for row in _list(data.get("decisions")):
        if content := _row_text(row, "decision"):
            state.decisions.append(_decision(content, row))
    for row in _list(data.get("problems")):
        problem, solution = _row_text(row, "problem"), _text(_row(row).get("solution"))
        if problem and solution:
            said = {"problem": f"{problem} → {solution}", "solution": solution}
            state.problems.append(said)
        elif problem:
            state.issues.append({"content": problem, "status": "open", "category": "other"})
    for row in _list(data.get("todos")):
        if text := _row_text(row, "todo"):
            about = _row(row)
            is_done = about.get("done") is True or about.get("completed") is True
            is_done = is_done or _text(about.get("status")).lower() in _DONE
            state.todos.append({"text": text, "status": "done" if is_done else "open", "ref": ""})
    return state


def _decision(content: str, row: Any) -> dict[str, str]:
    about = _row(row)
    reason, time = _text(about.get("rationale")), _time(about.get("timestamp"))
    others = list(filter(None, map(_text, _list(about.get("alternatives")))))
    if others:
        reason = f"{reason} (alternatives: {', '.join(others)})".strip()
    return {
        "content": content,
        "reason": reason,
        "category": "other",
        "source": "observed",
        "time": time,
    }


def _row_text(row: Any, name: str) -> str:
    """The text of a row, which is a text or an object that has it."""
    if not isinstance(row, dict):
        return _text(row)
    return next((text for key in (name, "text", "content") if (text := _text(row.get(key)))), "")


def _row(row: Any) -> dict[str, Any]:
    return row if isinstance(row, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _time(value: Any) -> str:
    return time_of(_text(value))
