"""Session: an event of a conversation, what is said of it by command, and what it has done so far.

Promises: a state turned into JSON and back is the same state.
Touches: nothing. Client adapters make the events, `services.sessions` keeps the remarks, `folding`
folds both into a state, `services.capture` keeps the states.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from recollect.named import NamedTuple

SHORTEST_TASK = 12
STATUSES = ("active", "saved", "discarded")


class Event(NamedTuple):
    """One thing that happened in a session, in the words of no client in particular."""

    kind: str  # prompt, answer, call, result, todos, compacted, web
    time: str = ""
    text: str = ""
    tool: str = ""  # shell, edit, or the client's own name
    call: str = ""  # the id that joins a result to its call
    target: str = ""  # a command, or the path of a file
    ok: bool = True
    todos: tuple[tuple[str, str, str], ...] = ()  # (status, text, the client's number of it)
    id: str = ""


class Remark(NamedTuple):
    """What somebody says of a session that goes on, by command."""

    kind: str  # task, note, todo, done, about
    text: str = ""
    time: str = ""
    trust: str = "user"
    terminal: str = ""  # where the session was started
    project: str = ""  # of the session, where its store serves several
    tags: tuple[str, ...] = ()


@dataclass(slots=True)
class SessionState:
    """The state of a session. Names follow the session files of seed 002 where it has them."""

    session_id: str
    client: str = ""
    project: str = ""
    branch: str = ""
    started: str = ""
    last_updated: str = ""
    status: str = "active"  # one of STATUSES
    task: str = ""
    requests: list[str] = field(default_factory=list)
    outcome: str = ""
    files_modified: list[str] = field(default_factory=list)
    decisions: list[dict[str, str]] = field(default_factory=list)
    patterns: list[dict[str, str]] = field(default_factory=list)
    issues: list[dict[str, str]] = field(default_factory=list)
    problems: list[dict[str, str]] = field(default_factory=list)
    solutions: list[dict[str, Any]] = field(default_factory=list)
    commits: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    todos: list[dict[str, str]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    summary: str = ""
    trust: str = "user"  # the least of those who said something of it by command
    terminal: str = ""
    remarks: str = ""  # the stamp of the remarks that are in its memory
    prompts: int = 0
    answers: int = 0
    tool_uses: int = 0
    compactions: int = 0
    web: bool = (
        False  # whether it has read from outside, so that what the agent says is second-hand
    )
    memory: str = ""
    written_stamp: str = ""
    sources: dict[str, dict[str, int]] = field(default_factory=dict)  # transcript → offset, inode
    raw_bytes: int = 0
    calls: dict[str, dict[str, str]] = field(default_factory=dict)
    failures: list[dict[str, Any]] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)  # the last commands that worked since the prompt
    private: dict[str, int] = field(default_factory=dict)  # kind of event → private parts left open
    said: str = ""
    answered: str = ""  # when the agent last did or said something
    asked: str = ""  # the same as the prompt before found it
    reactions: list[dict[str, Any]] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The state as plain JSON values."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> SessionState:
        """The state that `to_json` gave; keys that this version does not know are left out."""
        known = {f.name for f in fields(cls)}
        return cls(**{key: value for key, value in data.items() if key in known})

    @property
    def has_results(self) -> bool:
        """Whether it decided, learned or changed anything."""
        facts = self.decisions or self.patterns or self.issues or self.solutions
        said = self.todos or self.notes or self.summary
        return bool(facts or said or self.files_modified or self.commits)

    @property
    def is_worth_saving(self) -> bool:
        """Whether anything happened that somebody may want to know again."""
        asked = self.prompts and self.answers and len(self.task) >= SHORTEST_TASK
        return bool(self.has_results or asked or self.remarks)
