"""The real clients beyond Claude Code, each run with a scratch home against a fake API.

Promises: a client sees only the variables listed here, a made-up key and a loopback address; what
    it asks of any other address goes nowhere; every run ends within its time-out.
Touches: the scratch home, the folders a client is run in.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .client import REPOSITORY, Result, bare_environment, run_to_end
from .messages import call

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from .messages import Block

NOWHERE = "http://127.0.0.1:9"


@dataclass(frozen=True)
class Agent:
    """One user of a client: a home folder and an API."""

    binary: str
    home: Path
    api_url: str

    name = ""
    title = ""

    @classmethod
    def find(cls) -> str | None:
        """Path of the client below `.client/`; None without one."""
        folder = REPOSITORY / ".client" / cls.name / "node_modules" / ".bin"
        return shutil.which(folder / cls.name)

    def environment(self) -> dict[str, str]:
        """The whole environment of the client."""
        return {
            **bare_environment(self.home),
            "HTTP_PROXY": NOWHERE,
            "HTTPS_PROXY": NOWHERE,
            **self.own_variables(),
        }

    def own_variables(self) -> Mapping[str, str]:
        """What this client has to be told by its environment."""
        return {}

    def prepare(self) -> None:
        """Write the settings of a user whose models are at `api_url`."""
        raise NotImplementedError

    def words(self, text: str, *, goes_on: bool) -> list[str]:
        """The arguments for one turn without a terminal; `goes_on` with the last session."""
        raise NotImplementedError

    def shell(self, command: str) -> Block:
        """A call of the client's own tool that runs a command."""
        raise NotImplementedError

    def write(self, path: Path, content: str) -> Block:
        """A call of the client's own tool that writes a file."""
        raise NotImplementedError

    def memory_tool(self, name: str, **given: Any) -> Block:
        """A call of one of our tools, under the name that the client gives it."""
        raise NotImplementedError

    def prompt(self, text: str, *, cwd: Path, goes_on: bool = False, timeout: float = 90) -> Result:
        """One turn in which no tool needs a permission."""
        words = [self.binary, *self.words(text, goes_on=goes_on)]
        return run_to_end(words, self.environment(), cwd=cwd, timeout=timeout)


class Codex(Agent):
    """Codex CLI, which speaks the Responses API."""

    name = "codex"
    title = "Codex CLI"

    def own_variables(self) -> Mapping[str, str]:
        """A key under the name that the settings give."""
        return {"FAKE_KEY": "fake"}

    def prepare(self) -> None:
        """A provider of models at the fake API."""
        path = self.home / ".codex" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            '# mine\nmodel = "gpt-5-codex"\nmodel_provider = "fake"\ncheck_for_update_on_startup = false\n'
            f'[model_providers.fake]\nname = "fake"\nbase_url = "{self.api_url}/v1"\n'
            'wire_api = "responses"\nenv_key = "FAKE_KEY"\n',
            encoding="utf-8",
        )

    def words(self, text: str, *, goes_on: bool) -> list[str]:
        """`codex exec`; hooks need a person's trust, which no test can give otherwise."""
        free = ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"]
        return ["exec", *free, *(["resume", "--last"] if goes_on else []), text]

    def shell(self, command: str) -> Block:
        """Its models without further knowledge have one tool for everything."""
        return call("exec_command", cmd=command)

    def write(self, path: Path, content: str) -> Block:
        """A patch on the command line, which the client carries out itself."""
        added = "".join(f"+{line}\n" for line in content.splitlines())
        patch = f"*** Begin Patch\n*** Add File: {path.name}\n{added}*** End Patch\n"
        return call(
            "exec_command", cmd=f"apply_patch <<'EOF'\n{patch}EOF", workdir=str(path.parent)
        )

    def memory_tool(self, name: str, **given: Any) -> Block:
        """A tool in the namespace of its server."""
        return call(f"mcp__recollect/{name}", **given)


class Gemini(Agent):
    """Gemini CLI, which speaks Google's API."""

    name = "gemini"
    title = "Gemini CLI"

    def own_variables(self) -> Mapping[str, str]:
        """A key, and where the models are."""
        return {"GEMINI_API_KEY": "fake", "GOOGLE_GEMINI_BASE_URL": self.api_url}

    def prepare(self) -> None:
        """The settings of somebody who has chosen how to sign in; with a comment."""
        path = self.home / ".gemini" / "settings.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        settings: dict[str, Any] = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "telemetry": {"enabled": False},
            "privacy": {"usageStatisticsEnabled": False},
            "general": {"enableAutoUpdate": False},
        }
        path.write_text(f"// mine\n{json.dumps(settings, indent=2)}\n", encoding="utf-8")

    def words(self, text: str, *, goes_on: bool) -> list[str]:
        """A model is named, so that none is asked which one to take."""
        again = ["--resume", "latest"] if goes_on else []
        return ["--yolo", "--skip-trust", "-m", "gemini-2.5-flash", *again, "-p", text]

    def shell(self, command: str) -> Block:
        """Its tool for commands."""
        return call("run_shell_command", command=command, description="Run it")

    def write(self, path: Path, content: str) -> Block:
        """Its tool for files."""
        return call("write_file", file_path=str(path), content=content)

    def memory_tool(self, name: str, **given: Any) -> Block:
        """A tool under the name of its server."""
        return call(f"mcp_recollect_{name}", **given)


class OpenCode(Agent):
    """OpenCode, which speaks the Messages API to Anthropic's models."""

    name = "opencode"
    title = "OpenCode"

    def own_variables(self) -> Mapping[str, str]:
        """A key; and no look for news, packages and language servers."""
        return {
            "ANTHROPIC_API_KEY": "fake",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "npm_config_registry": NOWHERE,
            "npm_config_fetch_retries": "0",
        }

    def prepare(self) -> None:
        """A provider of models at the fake API; with a comment."""
        path = self.home / ".config" / "opencode" / "opencode.jsonc"
        path.parent.mkdir(parents=True, exist_ok=True)
        options = {"baseURL": f"{self.api_url}/v1", "apiKey": "fake"}
        settings: dict[str, Any] = {
            "autoupdate": False,
            "share": "disabled",
            "model": "anthropic/claude-sonnet-4-5",
            "small_model": "anthropic/claude-haiku-4-5",
            "permission": "allow",
            "provider": {"anthropic": {"options": options}},
        }
        path.write_text(f"// mine\n{json.dumps(settings, indent=2)}\n", encoding="utf-8")

    def words(self, text: str, *, goes_on: bool) -> list[str]:
        """`opencode run`."""
        return ["run", *(["--continue"] if goes_on else []), text]

    def shell(self, command: str) -> Block:
        """Its tool for commands."""
        return call("bash", command=command, description="Run it")

    def write(self, path: Path, content: str) -> Block:
        """Its tool for files."""
        return call("write", filePath=str(path), content=content)

    def memory_tool(self, name: str, **given: Any) -> Block:
        """A tool under the name of its server."""
        return call(f"recollect_{name}", **given)


class Copilot(Agent):
    """Copilot CLI, with a provider of models of one's own: it speaks the Messages API to it."""

    name = "copilot"
    title = "Copilot CLI"

    def own_variables(self) -> Mapping[str, str]:
        """A provider and a key, and no look at anything else."""
        return {
            "COPILOT_PROVIDER_TYPE": "anthropic",
            "COPILOT_PROVIDER_BASE_URL": self.api_url,
            "COPILOT_PROVIDER_API_KEY": "fake",
            "COPILOT_MODEL": "claude-sonnet-4.5",
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
        }

    def prepare(self) -> None:
        """A server of somebody else's tools, none of which there are."""
        path = self.home / ".copilot" / "mcp-config.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"mcpServers": {}}\n', encoding="utf-8")

    def words(self, text: str, *, goes_on: bool) -> list[str]:
        """One prompt; `--continue` takes the last session."""
        return ["--allow-all-tools", *(["--continue"] if goes_on else []), "-p", text]

    def shell(self, command: str) -> Block:
        """Its tool for commands."""
        return call("bash", command=command, description="Run it")

    def write(self, path: Path, content: str) -> Block:
        """Its tool for files."""
        return call("create", path=str(path), file_text=content)

    def memory_tool(self, name: str, **given: Any) -> Block:
        """A tool under the name of its server."""
        return call(f"recollect-{name}", **given)


AGENTS: tuple[type[Agent], ...] = (Codex, Gemini, OpenCode, Copilot)
