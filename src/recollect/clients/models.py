"""Ask a model through a program that the person already uses: their agent's client, or `llm`.

Promises: the program gets no tools, hooks or servers; it keeps no session, or the one that it kept
is deleted; it and its children end within the time given. Our own hooks in it do nothing.
Touches: a folder in the cache that these programs run in; the session a client could not be kept
from writing.
"""

from __future__ import annotations

import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.clients import base, codex, gemini
from recollect.errors import ModelFailed
from recollect.ports import Extractor, Question, Reply
from recollect.store import disk, locations

FOLDER = "model"  # below our cache; sessions that ran in it are nobody's
GUARD = "RECOLLECT_DISABLE"  # our hooks do nothing where it is set
# What a client tells its children: with it they take themselves for part of that session.
_INHERITED = (
    "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_SSE_PORT", "CLAUDE_PROJECT_DIR", "CODEX_THREAD_ID", "GEMINI_SESSION_ID", "GEMINI_CLI",
    "COPILOT_AGENT_SESSION_ID", "RECOLLECT_PROJECT_ROOT", "RECOLLECT_SESSION",
)  # fmt: skip
_FORM = "\n\nThe JSON object has this schema:\n"
LONGEST_REASON = 200
FORGET_SECONDS, END_SECONDS = 15.0, 2.0


class Run(NamedTuple):
    """How a program is run for one question."""

    words: list[str]  # its arguments
    text: str  # what it reads
    env: Mapping[str, str] = MappingProxyType({})
    # In its folder, which `words` and `env` name as `{here}`.
    files: Mapping[str, str] = MappingProxyType({})


class ModelProgram(NamedTuple):
    """A program that asks models: how to run it, and how to read its answer."""

    title: str
    where: str  # to whom the text goes, if to nobody else
    model: str  # its own default for this, where another would be dear
    run: Callable[[Question, str, Mapping[str, str]], Run]
    reply: Callable[[str], Reply]  # raises ValueError, KeyError, TypeError
    kept: Callable[[Run, Mapping[str, str]], list[str]] = lambda _run, _env: []  # files, to delete
    forget: Callable[[str], list[str]] = lambda _out: []  # words with which it deletes its session


# -------------------- Claude Code.


def _claude(question: Question, model: str, _env: Mapping[str, str]) -> Run:
    settings = {"disableAllHooks": True, "autoMemoryEnabled": False}
    words = ["-p", "--output-format", "json", "--model", model, "--settings", json.dumps(settings)]
    words += ["--setting-sources", "", "--strict-mcp-config", "--tools", ""]
    words += ["--no-session-persistence", "--system-prompt", question.instructions]
    words += ["--json-schema", question.schema]
    env = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_MAX_RETRIES": "1"}
    return Run(words, question.text, env)


def _claude_reply(out: str) -> Reply:
    said = base.without_halves(json.loads(out), out)
    if said.get("is_error"):
        raise ValueError(str(said.get("result", "")))
    usage = base.members(said.get("usage"))
    cached = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    answer = said.get("structured_output")
    text = json.dumps(answer, ensure_ascii=False) if answer else str(said.get("result", ""))
    return Reply(text, sum(int(usage.get(k) or 0) for k in cached), int(usage.get("output_tokens") or 0))  # fmt: skip


# -------------------- Codex CLI.

_CODEX_OFF = (
    "features.hooks", "features.shell_tool", "features.unified_exec", "features.multi_agent", "features.goals",
    "features.apps", "features.plugins", "features.view_image", "skills.include_instructions",
    "skills.bundled.enabled", "include_environment_context", "include_permissions_instructions",
)  # fmt: skip


def _codex(question: Question, model: str, env: Mapping[str, str]) -> Run:
    words = ["exec", "--ephemeral", "--skip-git-repo-check", "--ignore-rules", "--json"]
    words += ["--sandbox", "read-only", "--output-schema", "{here}/schema.json"]
    said = ['approval_policy="never"', "project_doc_max_bytes=0", 'web_search="disabled"', "notify=[]"]  # fmt: skip
    said += ['model_instructions_file="{here}/instructions.md"']
    said += [f"{name}=false" for name in _CODEX_OFF]
    said += [f"mcp_servers.{name}.enabled=false" for name in codex.servers(dict(env))]
    words += [word for one in said for word in ("-c", one)]
    words += [*(("-m", model) if model else ()), "-"]
    files = {"schema.json": question.schema, "instructions.md": question.instructions}
    return Run(words, question.text, files=files)


def _codex_reply(out: str) -> Reply:
    text, usage = "", {}
    for line in _objects(out):
        item = base.members(line.get("item"))
        if item.get("type") == "agent_message":
            text = base.string(item.get("text"))
        if line.get("type") == "turn.completed":
            usage = base.members(line.get("usage"))
        if line.get("type") in ("turn.failed", "error") and not text:
            told = base.members(line.get("error")).get("message") or line.get("message")
            raise ValueError(str(told or "failed"))
    return Reply(text, int(usage.get("input_tokens") or 0), int(usage.get("output_tokens") or 0))


def _objects(out: str) -> Iterator[dict[str, Any]]:
    return (base.object_of(line) for line in out.splitlines() if line.startswith("{"))


# -------------------- Gemini CLI.


def _gemini(question: Question, model: str, _env: Mapping[str, str]) -> Run:
    settings = {
        "tools": {"core": ["none"]},
        "hooksConfig": {"enabled": False},
        "skills": {"enabled": False},
        "mcp": {"allowed": ["none"]},
        "experimental": {"topicUpdateNarration": False},
    }
    words = ["-p", "", "-o", "json", "-e", "none", "--allowed-mcp-server-names", "none", "--skip-trust"]  # fmt: skip
    words += ["--session-id", str(uuid.uuid4()), *(("-m", model) if model else ())]
    files = {
        "gemini.json": json.dumps(settings),
        "instructions.md": f"{question.instructions}{_FORM}{question.schema}",
    }
    env = {
        "GEMINI_SYSTEM_MD": "{here}/instructions.md",
        "GEMINI_CLI_SYSTEM_SETTINGS_PATH": "{here}/gemini.json",
    }
    return Run(words, question.text, env, files)


def _gemini_reply(out: str) -> Reply:
    said = base.without_halves(json.loads(out[out.index("{") :]), out)
    if said.get("error"):
        raise ValueError(str(base.members(said["error"]).get("message", "failed")))
    models = base.members(base.members(said.get("stats")).get("models")).values()
    used = [base.members(base.members(one).get("tokens")) for one in models]
    tokens = [sum(int(one.get(key) or 0) for one in used) for key in ("prompt", "candidates")]
    return Reply(base.string(said.get("response")), *tokens)


def _gemini_log(run: Run, env: Mapping[str, str]) -> list[str]:
    """The log of the session, which it can't be kept from writing."""
    session = run.words[run.words.index("--session-id") + 1][:8]
    folder = glob.escape(gemini.folder(dict(env)))
    return glob.glob(f"{folder}/tmp/*/chats/session-*-{session}.json*")  # noqa: S108 - below its own folder


# -------------------- OpenCode.


def _opencode(question: Question, model: str, _env: Mapping[str, str]) -> Run:
    agent = {
        "mode": "primary",
        "prompt": f"{question.instructions}{_FORM}{question.schema}",
        "tools": {"*": False},
        "permission": {"*": "deny"},
    }
    config = {"agent": {"recollect": agent}, "share": "disabled", "autoupdate": False}
    words = ["run", "--pure", "--format", "json", "--agent", "recollect", "--title", "recollect"]
    words += ["-m", model] if model else []
    return Run(words, question.text, {"OPENCODE_CONFIG_CONTENT": json.dumps(config)})


def _opencode_reply(out: str) -> Reply:
    parts = [(line.get("type"), base.members(line.get("part"))) for line in _objects(out)]
    text = "".join(base.string(part.get("text")) for kind, part in parts if kind == "text")
    used = [base.members(part.get("tokens")) for kind, part in parts if kind == "step_finish"]
    error = next((line.get("error") for line in _objects(out) if line.get("type") == "error"), None)
    if error and not text:
        raise ValueError(json.dumps(error))
    tokens = [sum(int(one.get(key) or 0) for one in used) for key in ("input", "output")]
    return Reply(text, *tokens)


def _opencode_forgets(out: str) -> list[str]:
    found = (base.string(line.get("sessionID")) for line in _objects(out))
    session = next((one for one in found if one.startswith("ses_")), "")
    return ["session", "delete", session] if session else []


# -------------------- The `llm` library, by its own program: it can be stopped, and it keeps the keys.


def _llm(question: Question, model: str, _env: Mapping[str, str]) -> Run:
    told = f"{question.instructions}{_FORM}{question.schema}"
    words = ["prompt", "--no-log", "--no-stream", *(("-m", model) if model else ()), "-s", told]
    return Run(words, question.text)


PROGRAMS = {
    "claude": ModelProgram("Claude Code", "Anthropic", "haiku", _claude, _claude_reply),
    "codex": ModelProgram("Codex CLI", "OpenAI", "", _codex, _codex_reply),
    "gemini": ModelProgram("Gemini CLI", "Google", "", _gemini, _gemini_reply, kept=_gemini_log),
    "opencode": ModelProgram("OpenCode", "", "", _opencode, _opencode_reply, forget=_opencode_forgets),
    "llm": ModelProgram("llm", "", "", _llm, Reply),
}  # fmt: skip


# -------------------- Running one.


def is_known(setting: str) -> bool:
    """Whether a value of the setting names a program that we can ask; nothing names none."""
    return not setting or setting.partition(":")[0] in PROGRAMS


def installed(env: Mapping[str, str]) -> list[str]:
    """The programs that are here and can be asked, by name."""
    return [name for name in PROGRAMS if _command(name, env)]


def extractor_of(setting: str, env: Mapping[str, str]) -> Extractor:
    """The extractor that a setting names: `claude`, `claude:sonnet`, `llm:gpt-5-mini`.

    Raises:
        ModelFailed: no such program is known or installed.
    """
    name, _, model = setting.partition(":")
    command = _command(name, env) if name in PROGRAMS else []
    if not command:
        raise ModelFailed(model=setting, reason="it is not installed")
    return _Asking(setting, PROGRAMS[name], command, model, dict(env))


def _command(name: str, env: Mapping[str, str]) -> list[str]:
    home = env.get("HOME", "")
    own = f"{home}/.local/bin{os.pathsep}{home}/.claude/local" if home else ""
    path = shutil.which(name, path=f"{env.get('PATH', os.defpath)}{os.pathsep}{own}")
    if path:
        return [path]
    from importlib.util import find_spec

    return [sys.executable, "-m", "llm"] if name == "llm" and find_spec("llm") else []


class _Asking:
    """An extractor that runs a program for each question."""

    def __init__(
        self, name: str, program: ModelProgram, command: list[str], model: str, env: dict[str, str]
    ) -> None:
        self.name, self._program, self._command = name, program, command
        self._model, self._env = model or program.model, env

    def ask(self, question: Question, seconds: float) -> Reply:
        """The answer, within so many seconds. Raises ModelFailed."""
        run = self._program.run(question, self._model, self._env)
        here = f"{locations.cache_root(self._env)}/{FOLDER}"
        disk.make_folder(here)
        for name, text in run.files.items():
            disk.write_whole(f"{here}/{name}", text.encode("utf-8", "replace"), durable=False)
        env = {key: value for key, value in self._env.items() if key not in _INHERITED}
        env |= {key: value.replace("{here}", here) for key, value in run.env.items()}
        env |= {GUARD: "1"}
        words = [*self._command, *(word.replace("{here}", here) for word in run.words)]
        out = ""
        try:
            out, error, code = self._output(words, run.text, env, here, seconds)
            return self._reply(out, error, code)
        finally:
            for path in self._program.kept(run, self._env):
                disk.remove(path)
            if words := self._program.forget(out):
                with suppress(ModelFailed):
                    self._output([*self._command, *words], "", env, here, FORGET_SECONDS)

    def _output(
        self, words: list[str], text: str, env: dict[str, str], here: str, seconds: float
    ) -> tuple[str, str, int]:
        pipe = subprocess.PIPE
        try:
            process = subprocess.Popen(  # noqa: S603 - the person named the program
                words, env=env, cwd=here, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
            )  # fmt: skip
        except OSError as error:
            raise ModelFailed(model=self.name, reason=str(error.strerror or error)) from error
        with process:
            try:
                out, err = process.communicate(text.encode("utf-8", "replace"), timeout=seconds)
            except subprocess.TimeoutExpired:
                reason = f"it took longer than {seconds:.0f} s"
                raise ModelFailed(model=self.name, reason=reason) from None
            finally:
                _end(process)
        return out.decode("utf-8", "replace"), err.decode("utf-8", "replace"), process.returncode

    def _reply(self, out: str, error: str, code: int) -> Reply:
        try:
            reply = self._program.reply(out)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
            is_told = type(problem) is ValueError and str(problem)
            reason = str(problem) if is_told else error or _ended(code)
            raise ModelFailed(model=self.name, reason=_short(reason)) from problem
        if code or not reply.text.strip():
            raise ModelFailed(model=self.name, reason=_short(error or _ended(code)))
        return reply


def _ended(code: int) -> str:
    return f"it ended with {code}" if code else "its answer cannot be read"


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process with all that it started: asked first, if it still runs."""
    if process.poll() is None:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_SECONDS)
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)


def _short(reason: str) -> str:
    lines = [line.strip() for line in reason.splitlines() if line.strip()]
    told = next((line for line in reversed(lines) if "rror" in line), lines[-1] if lines else "")
    if len(told) > LONGEST_REASON:  # between two words: what redacts it knows no half of a secret
        told = told[:LONGEST_REASON].rpartition(" ")[0]
    return told
