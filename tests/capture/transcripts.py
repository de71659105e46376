"""Transcripts in the shape in which Claude Code 2.1.330 writes them, line by line.

Promises: the same calls give the same bytes; a line has the keys of a real one that a reader could
go by; nothing is written before `save` or `append`.
Touches: the file that it is told to write.
"""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Line = dict[str, Any]
SESSION = "106c939a-f59d-4e05-9291-8aa71f110732"
CWD = "/home/ada/teapot"
START = datetime(2026, 3, 4, 9, 30, tzinfo=UTC)


def as_bytes(line: Line) -> bytes:
    """A line as the client writes it."""
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class Transcript:
    """The lines of one session."""

    def __init__(self, session: str = SESSION, cwd: str = CWD, branch: str = "main") -> None:
        """An empty transcript."""
        self.session, self.cwd, self.branch = session, cwd, branch
        self.lines: list[Line] = []
        self._made = 0
        self._saved = 0

    # ----------------------------------------------------------------------------- whole lines

    def add(self, kind: str, **keys: Any) -> Line:
        """Add a line with the envelope that prompts, answers, results and attachments have."""
        self._made += 1
        time = START + timedelta(seconds=7 * self._made)
        line = {
            "parentUuid": self.lines[-1].get("uuid") if self.lines else None,
            "isSidechain": False,
            "type": kind,
            **keys,
            "uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{self.session} {self._made}")),
            "timestamp": time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "userType": "external",
            "entrypoint": "cli",
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": "2.1.330",
            "gitBranch": self.branch,
        }
        self.lines.append(line)
        return line

    def note(self, kind: str, **keys: Any) -> None:
        """Add a line of the client's own bookkeeping, which has no uuid."""
        self.lines.append({"type": kind, **keys, "sessionId": self.session})

    # ---------------------------------------------------------------------------------- people

    def prompt(self, text: str | list[Line], source: str | None = "typed", **keys: Any) -> Line:
        """A prompt; without a source as older versions wrote it."""
        about: Line = {}
        if source == "typed":
            about = {"origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human"}
        elif source:
            about = {"promptSource": source, "turnOrigin": source}
        return self.add("user", message={"role": "user", "content": text}, **(about | keys))

    def queued(self, text: str, **keys: Any) -> Line:
        """A prompt that was typed while the agent worked."""
        self.note("queue-operation", operation="enqueue", content=text)
        self.note("queue-operation", operation="remove", content=text, reason="absorbed_mid_turn")
        attachment = {
            "type": "queued_command",
            "prompt": text,
            "commandMode": "prompt",
            "origin": {"kind": "human"},
            "humanTurn": True,
        }
        return self.attachment(**(attachment | keys))

    def command(self, name: str, args: str, body: str) -> None:
        """A person's own slash command, and what it stands for."""
        content = (
            f"<command-message>{name}</command-message>\n<command-name>/{name}</command-name>\n"
            f"<command-args>{args}</command-args>"
        )
        self.prompt(content, None, origin={"kind": "human"}, turnOrigin="human")
        self.prompt([{"type": "text", "text": body}], None, isMeta=True, turnCompanion=True)

    def interrupt(self) -> None:
        """Somebody pressed Escape."""
        text = [{"type": "text", "text": "[Request interrupted by user]"}]
        self.prompt(text, None, interruptedMessageId="msg_1")

    # ------------------------------------------------------------------------------ the agent

    def answer(self, text: str, **keys: Any) -> Line:
        """What the agent said."""
        return self._said([{"type": "text", "text": text}], **keys)

    def _said(self, content: list[Line], **keys: Any) -> Line:
        message = {
            "id": f"msg_{self._made:06}",
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-5-5",
            "content": content,
            "stop_reason": None,
            "usage": {"input_tokens": 100, "output_tokens": 10},
        }
        return self.add("assistant", message=message, **keys)

    def call(self, tool: str, **given: Any) -> str:
        """A tool call; gives its id."""
        name = f"toolu_{self._made:06}"
        self._said([{"type": "tool_use", "id": name, "name": tool, "input": given}])
        return name

    def result(
        self, call: str, content: Any, *, error: bool | None = None, extra: Any = None, **keys: Any
    ) -> Line:
        """The result of a call; `extra` is what the client keeps of it for itself."""
        block: Line = {"tool_use_id": call, "type": "tool_result", "content": content}
        if error is not None:
            block["is_error"] = error
        if extra is not None:
            keys["toolUseResult"] = extra
        return self.add("user", message={"role": "user", "content": [block]}, **keys)

    def shell(self, command: str, output: str = "", code: int = 0) -> None:
        """A shell command and its result."""
        call = self.call("Bash", command=command, description="Run it")
        if code:
            text = f"Exit code {code}\n{output}"
            self.result(call, text, error=True, extra=f"Error: {text}")
        else:
            extra = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
            self.result(call, output, error=False, extra=extra)

    def edit(
        self, path: str, tool: str = "Edit", *, works: bool = True, old: str = "a", new: str = "b"
    ) -> None:
        """A change of a file and its result."""
        key = "notebook_path" if tool == "NotebookEdit" else "file_path"
        call = self.call(tool, **{key: path, "old_string": old, "new_string": new})
        if works:
            text = f"The file {path} has been updated successfully."
            extra = {"filePath": path, "oldString": old, "newString": new, "originalFile": old}
            self.result(call, text, extra=extra)
        else:
            text = "<tool_use_error>String to replace not found in file.</tool_use_error>"
            self.result(call, text, error=True, extra="Error: String to replace not found in file.")

    def ask(
        self,
        *asked: tuple[str, list[str], str],
        notes: dict[str, str] | None = None,
        header: str = "Topic",
        meaning: str = "What it means",
    ) -> None:
        """Questions to the person, each with its options and what they answered."""
        questions = [
            {
                "question": question,
                "header": header,
                "multiSelect": ", " in answer,
                "options": [{"label": label, "description": meaning} for label in labels],
            }
            for question, labels, answer in asked
        ]
        answers = {question: answer for question, _, answer in asked}
        call = self.call("AskUserQuestion", questions=questions)
        said = ", ".join(f'"{question}"="{answer}"' for question, answer in answers.items())
        text = f"User has answered your questions: {said}. You can now continue with the user's answers in mind."
        about = {asked: {"notes": note} for asked, note in (notes or {}).items()}
        extra = {"questions": questions, "answers": answers, "annotations": about}
        self.result(call, text, extra=extra)

    def refuse(self, call: str, said: str = "", **keys: Any) -> None:
        """A call that the person did not let pass, with what they said."""
        text = (
            "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit,"
            " the new_string was NOT written to the file). "
        )
        text += (
            f"To tell you how to proceed, the user said:\n{said}"
            if said
            else "STOP what you are doing and wait for the user to tell you how to proceed."
        )
        self.result(call, text, error=True, extra=f"Error: {text}", **keys)

    def approve(self, plan: str) -> None:
        """A plan that the person approved."""
        call = self.call("ExitPlanMode", plan=plan)
        path = "/home/ada/.claude/plans/warm-tea.md"
        text = (
            "User has approved your plan. You can now start coding. Start with updating your todo list if applicable\n\n"
            f"Your plan has been saved to: {path}\n\n## Approved Plan:\n{plan}"
        )
        self.result(call, text, extra={"plan": plan, "isAgent": False, "filePath": path})

    # ------------------------------------------------------------------------------ all the rest

    def attachment(self, **what: Any) -> Line:
        """Something that the client attached."""
        return self.add("attachment", attachment=what)

    def noise(self) -> None:
        """What stands between the turns of every session."""
        self.note("queue-operation", operation="enqueue", content="noise that was enqueued")
        self.note("file-history-snapshot", messageId="x", snapshot={"trackedFileBackups": {}})
        self.note("last-prompt", lastPrompt="noise that was prompted", leafUuid="x")
        self.note("mode", mode="normal")
        self.note("permission-mode", permissionMode="bypassPermissions")
        self.note("tools-used", tools=["Bash"])
        self.note("api-request-blob", blob="noise in a blob " * 50)
        self.note("a-type-of-next-year", text="noise of next year", uuid="f" * 36)
        self.attachment(type="skill_listing", content="noise of skills")
        self.attachment(type="file", filename="/x", content={"text": "noise of a file"})
        said = '{"hookSpecificOutput":{"additionalContext":"noise that we injected"}}'
        self.attachment(type="hook_success", hookName="SessionStart:startup", stdout=said)
        self.attachment(type="hook_additional_context", content=["noise that we injected"])
        self.add("system", subtype="stop_hook_summary", hookInfos=[{"command": "noise of hooks"}])
        self.add("system", subtype="turn_duration", durationMs=1, isMeta=False)
        self.note("cost-state", totalCostUSD=0.1)

    def compaction(self, summary: str) -> None:
        """The context was compacted."""
        self.add("system", subtype="compact_boundary", content="Conversation compacted")
        text = f"This session is being continued from a previous conversation.\n{summary}"
        self.prompt(text, None, isCompactSummary=True, isVisibleInTranscriptOnly=True)
        caveat = "<local-command-caveat>The command below was run directly.</local-command-caveat>"
        self.prompt(caveat, None, isMeta=True)
        self.prompt("<command-name>/compact</command-name>\n<command-args></command-args>", None)
        self.prompt("<local-command-stdout>Compacted</local-command-stdout>", None)

    def fork(self, session: str, *, marked: bool) -> Transcript:
        """A new session that begins with a copy of this one's lines."""
        new = Transcript(session, self.cwd, self.branch)
        new._made = self._made
        for line in self.lines:
            if "uuid" in line:
                mark = {"sessionId": self.session, "messageUuid": line["uuid"]}
                copy = line | {"sessionId": session} | ({"forkedFrom": mark} if marked else {})
                new.lines.append(copy)
        return new

    def copy(self, session: str) -> Transcript:
        """What this one says under another id, with ids and times of its own."""
        new = Transcript(session, self.cwd, self.branch)
        for line in self.lines:
            if "uuid" not in line:
                continue
            name = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{session} {line['uuid']}"))
            time = line["timestamp"].replace("2026-03-04", "2026-03-09")
            before = new.lines[-1]["uuid"] if new.lines else None
            own = {"uuid": name, "parentUuid": before, "timestamp": time, "sessionId": session}
            new.lines.append(line | own)
        new._made = self._made
        return new

    # ---------------------------------------------------------------------------------- files

    @property
    def is_saved(self) -> bool:
        """Whether it has been written to a file already."""
        return self._saved > 0

    @property
    def data(self) -> bytes:
        """All lines as they stand in the file."""
        return b"".join(map(as_bytes, self.lines))

    def save(self, folder: Path) -> str:
        """Write all lines to `<folder>/<session>.jsonl`; gives its path."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.session}.jsonl"
        path.write_bytes(self.data)
        self._saved = len(self.lines)
        return str(path)

    def append(self, folder: Path) -> str:
        """Write what was added since the last time, as the client does."""
        path = folder / f"{self.session}.jsonl"
        with path.open("ab") as file:
            file.write(b"".join(map(as_bytes, self.lines[self._saved :])))
        self._saved = len(self.lines)
        return str(path)
