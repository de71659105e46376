"""The folder of sessions: projects, typed prompts, failing commands.

Promises: reads transcripts line by line without the product's own readers, so that a change
there does not change the questions.
Touches: the folder of sessions (read only), the staged copies.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

LONGEST_TYPED = 3000
HELD_BACK = 8  # one session in eight is held back,
MOST_HELD_BACK = 12  # at most these per project
LEAST_TO_SPLIT = 10  # prompts; a single session is cut and its last quarter held back
NOT_TYPED = (
    "<", "Caveat: ", "[Request interrupted", "[Image", "Implement the following plan", "Operation stopped by hook",
    "The attached pasted text file(s)", "This session is being continued", "Base directory for this skill",
)  # fmt: skip
APPS = ("claude-vscode", "claude-desktop", "local-agent")  # people type in them; they use the SDK
_WORKTREE = re.compile(r"/(?:\.claude/|\.)worktrees/.*")
_CWD = re.compile(rb'"cwd":\s*"((?:[^"\\]|\\.)+)"')
_TIME = re.compile(rb'"timestamp":\s*"([^"]+)"')
_DAY = re.compile(rb'("timestamp":\s*")(\d{4}-\d\d-\d\d)(?=T)')
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Turn(NamedTuple):
    """A moment at which the agent may be told something."""

    moment: str  # prompt, failure, question
    text: str  # the prompt; the error
    command: str = ""
    before: str = ""  # the end of the agent's last answer
    line: int = 0


class Session(NamedTuple):
    """A transcript."""

    path: str
    client: str
    id: str
    folder: str  # where it ran; of a worktree, the repository
    started: str
    size: int


class Project(NamedTuple):
    """The sessions of one source and folder, oldest first."""

    name: str
    folder: str
    sessions: tuple[Session, ...]


class Held(NamedTuple):
    """A session (or its part from line `cut` on) that is replayed before it is captured."""

    session: Session
    turns: tuple[Turn, ...]
    cut: int = 0


def projects(data: str, only: Iterable[str] = ()) -> list[Project]:
    """The projects in a folder; those of one source are numbered by size, the largest first."""
    found: list[Project] = []
    for source in sorted(os.listdir(data)):
        if not os.path.isdir(os.path.join(data, source)):
            continue
        by_folder: dict[str, list[Session]] = {}
        for session in _sessions(os.path.join(data, source)):
            by_folder.setdefault(session.folder, []).append(session)
        folders = sorted(by_folder, key=lambda it: (-len(by_folder[it]), it))
        for n, folder in enumerate(folders, 1):
            name = source if len(folders) == 1 else f"{source}-{n}"
            several = sorted(by_folder[folder], key=lambda it: (it.started, it.id))
            found.append(Project(name, folder, tuple(several)))
    wanted = set(only)
    return [it for it in found if not wanted or {it.name, source_of(it.name)} & wanted]


def source_of(project: str) -> str:
    """The source that a project belongs to."""
    return re.sub(r"-\d+$", "", project)


def _sessions(folder: str) -> Iterator[Session]:
    for client in ("claude", "codex"):
        within = os.path.join(folder, client)
        names = sorted(os.listdir(within)) if os.path.isdir(within) else []
        for name in names:
            path = os.path.join(within, name)
            uuid = _UUID.search(name)
            if not name.endswith(".jsonl") or not uuid:
                continue
            cwd, started = _head(path)
            if cwd:
                size = os.path.getsize(path)
                yield Session(path, client, uuid[0], _WORKTREE.sub("", cwd), started, size)


def _head(path: str) -> tuple[str, str]:
    """The first folder and time in a transcript."""
    cwd = started = ""
    with open(path, "rb") as file:
        for line in file:
            found = _CWD.search(line)
            if not cwd and found:
                cwd = json.loads(b'"' + found[1] + b'"')
            when = _TIME.search(line)
            started = started or (when[1].decode() if when else "")
            if cwd and started:
                break
    return cwd, started


# ------------------------------------------------------------------------------ what was said


def is_typed(text: str) -> bool:
    """Whether a person typed this, rather than pasted it or had a program send it."""
    said = text.strip()
    return 0 < len(said) <= LONGEST_TYPED and not said.startswith(NOT_TYPED)


def turns_of(session: Session) -> Iterator[Turn]:
    """The typed prompts and the failing commands, in order."""
    read = _codex if session.client == "codex" else _claude
    with open(session.path, "rb") as file:
        yield from read(file)


def _claude(lines: Iterable[bytes]) -> Iterator[Turn]:
    commands: dict[str, str] = {}
    answer = ""
    for n, raw in enumerate(lines):
        if b'"user"' not in raw and b'"assistant"' not in raw:
            continue
        row = _object(raw)
        if row.get("isSidechain") or row.get("isMeta") or row.get("isCompactSummary"):
            continue
        blocks = _blocks(row)
        if row.get("type") == "assistant":
            for block in blocks:
                if block.get("type") == "text" and str(block.get("text", "")).strip():
                    answer = str(block["text"])
                elif block.get("type") == "tool_use" and block.get("name") == "Bash":
                    commands[str(block.get("id"))] = str((block.get("input") or {}).get("command"))
        elif row.get("type") == "user":
            yield from _claude_failures(row, blocks, commands, n)
            text = _claude_prompt(row, blocks)
            if is_typed(text):
                yield Turn("prompt", text.strip(), before=answer[-600:], line=n)


def _claude_failures(
    row: dict[str, Any], blocks: list[dict[str, Any]], commands: dict[str, str], n: int
) -> Iterator[Turn]:
    for block in blocks:
        command = commands.pop(str(block.get("tool_use_id")), "")
        if not block.get("is_error") or not command or row.get("toolDenialKind"):
            continue
        said = block.get("content")
        if isinstance(said, list):
            said = "\n".join(str(b.get("text", "")) for b in said if isinstance(b, dict))
        if said and not str(said).startswith(("The user doesn't want", "<tool_use_error>")):
            yield Turn("failure", str(said), command, line=n)


def _claude_prompt(row: dict[str, Any], blocks: list[dict[str, Any]]) -> str:
    source, started_by = row.get("promptSource"), str(row.get("entrypoint", ""))
    if source not in (None, "typed", "queued") and not started_by.startswith(APPS):
        return ""  # a program's
    if any(block.get("type") == "tool_result" for block in blocks):
        return ""
    texts = [str(b.get("text", "")) for b in blocks if b.get("type") == "text"]
    is_of_editor = any(text.startswith("<ide_") for text in texts)
    whole = isinstance((row.get("message") or {}).get("content"), str)
    if not (whole or source or is_of_editor):
        return ""  # older versions: what the client says itself
    return next((text for text in texts if not text.startswith("<")), "")


def _codex(lines: Iterable[bytes]) -> Iterator[Turn]:
    answer = ""
    for n, raw in enumerate(lines):
        if b'"event_msg"' not in raw:
            continue
        payload = _object(raw).get("payload") or {}
        item = payload.get("item") or {}
        if payload.get("type") == "agent_message":
            answer = str(payload.get("message", ""))
        text = ""
        if payload.get("type") == "user_message":
            text = str(payload.get("message", ""))
        elif item.get("type") == "UserMessage":
            text = "".join(str(part.get("text", "")) for part in item.get("content") or ())
        if is_typed(text):
            yield Turn("prompt", text.strip(), before=answer[-600:], line=n)


def _object(raw: bytes) -> dict[str, Any]:
    try:
        row = json.loads(raw)
    except ValueError:
        return {}
    return row if isinstance(row, dict) else {}


def _blocks(row: dict[str, Any]) -> list[dict[str, Any]]:
    content = (row.get("message") or {}).get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []


def client_titles(session: Session) -> list[str]:
    """The titles that the client wrote into the transcript."""
    keys = {"ai-title": "aiTitle", "custom-title": "customTitle", "summary": "summary"}
    found = []
    with open(session.path, "rb") as file:
        for raw in file:
            if not any(f'"{kind}"'.encode() in raw[:400] for kind in keys):
                continue
            row = _object(raw)
            title = row.get(keys.get(str(row.get("type")), ""))
            if isinstance(title, str) and title.strip():
                found.append(title.strip())
    return found


# --------------------------------------------------------------------------------- held back


def held_back(project: Project) -> list[Held]:
    """The last sessions of a project; of a single session, its last quarter."""
    several = project.sessions
    if len(several) == 1:
        turns = list(turns_of(several[0]))
        prompts = [turn for turn in turns if turn.moment == "prompt"]
        if len(prompts) < LEAST_TO_SPLIT:
            return []
        cut = prompts[len(prompts) * 3 // 4].line
        return [Held(several[0], tuple(t for t in turns if t.line >= cut), cut)]
    count = min(MOST_HELD_BACK, max(1, len(several) // HELD_BACK))
    return [Held(session, tuple(turns_of(session))) for session in several[-count:]]


def days_ago(project: Project, today: date) -> int:
    """How many days to shift a project so that its last session was yesterday."""
    last = project.sessions[-1].started[:10]
    return (today - date.fromisoformat(last)).days - 1 if last else 0


def stage(session: Session, folder: str, *, lines: int = 0, days: int = 0) -> None:
    """Copy a transcript, or its first lines, for capture, with its dates shifted.

    Without the shift the results would depend on the day of the run. A worktree's folder becomes
    its repository's: git would say so, but the folder does not exist here.
    """
    name = os.path.basename(session.path)
    if session.client == "codex":
        name = f"rollout-{session.started[:19].replace(':', '-')}-{session.id}.jsonl"
    os.makedirs(folder, exist_ok=True)
    told = b'"cwd":' + json.dumps(session.folder, ensure_ascii=False).encode()

    @cache
    def moved(day: bytes) -> bytes:
        return (date.fromisoformat(day.decode()) + timedelta(days)).isoformat().encode()

    with (
        open(session.path, "rb") as source,
        open(os.path.join(folder, name), "wb") as target,
    ):
        for line in islice(source, lines or None):
            copy = _DAY.sub(lambda found: found[1] + moved(found[2]), line)
            target.write(_CWD.sub(lambda _: told, copy) if b"worktrees/" in copy else copy)
