"""Real clients asked as models: what they send, that nothing else happens, and how they fail."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from recollect.capture.condense import Condensed
from recollect.capture.model_answer import object_in, question
from recollect.clients.models import extractor_of
from recollect.errors import ModelFailed

from .messages_api import Answer, MessagesApi, Refusal, Request, all_text, call, say, stall

if TYPE_CHECKING:
    from collections.abc import Callable

    from .agents import Agent
    from .client import ClaudeClient

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

ANSWER = {"title": "T", "summary": "S", "entries": [], "open": []}
ASKED = question(Condensed("PERSON: RECORD-MARK", "RECORD-MARK", 3))


def env_of(one: ClaudeClient | Agent, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of a worker whose person has this client on the path, within a session of it."""
    monkeypatch.setenv("RECOLLECT_TEST_MODEL", str(one.binary))
    env = one.environment()
    folder = str(Path(one.binary).parent)
    return env | {
        "PATH": f"{folder}:{env['PATH']}",
        "CLAUDECODE": "1",
        "CLAUDE_CODE_SESSION_ID": "s",
    }


def answering(answer: Answer) -> Callable[[Request], Answer | None]:
    """An API with this answer to every question, in the form in which a client wants it."""

    def respond(request: Request) -> Answer | None:
        if request.kind == "other":
            return None
        if "StructuredOutput" in request.tool_names and answer == [say(json.dumps(ANSWER))]:
            return [call("StructuredOutput", **ANSWER)]
        return answer

    return respond


OK = [say(json.dumps(ANSWER))]


def kept(home: Path) -> list[str]:
    """What a client keeps of sessions."""
    found = (str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())
    return [
        name
        for name in found
        if "/projects/" in name or "/sessions/20" in name or "/chats/" in name
    ]


def test_claude_reads_a_session_and_does_nothing_else(
    client: ClaudeClient, api: MessagesApi, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    client.write_settings({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": f"touch {tmp_path}/hooked"}]}]}})  # fmt: skip
    (client.home / "CLAUDE.md").write_text("HOME-MARK")
    (client.home / ".claude" / "CLAUDE.md").write_text("HOME-MARK")
    api.responder = answering(OK)
    reply = extractor_of("claude", env_of(client, monkeypatch)).ask(ASKED, 60)
    assert json.loads(reply.text) == ANSWER
    assert (reply.tokens_in, reply.tokens_out) == (100, 10)
    [request] = api.turns
    assert {"StructuredOutput", "DeferredToolPlaceholder"} >= {*request.tool_names}
    assert "RECORD-MARK" in all_text(request)
    assert "HOME-MARK" not in all_text(request)
    assert not (tmp_path / "hooked").exists()
    assert kept(client.home) == []


def test_other_clients_read_a_session_and_do_nothing_else(
    agent: Agent, api: MessagesApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    if agent.name in ("copilot", "gemini"):  # gemini takes no settings from below a shared /tmp
        pytest.skip("not asked, or not here")
    _break_in(agent)
    api.responder = answering(OK)
    reply = extractor_of(agent.name, env_of(agent, monkeypatch)).ask(ASKED, 60)
    assert json.loads(reply.text) == ANSWER
    assert (reply.tokens_in, reply.tokens_out) == (100, 10)
    [request] = api.turns
    assert {"request_user_input"} >= {*request.tool_names}
    assert "RECORD-MARK" in all_text(request)
    assert len(json.dumps(request.body)) < len(json.dumps(ASKED)) + 4_500
    assert not (agent.home / "started").exists()
    assert kept(agent.home) == []


def _break_in(agent: Agent) -> None:
    """Give a client a server of tools that leaves a trace when it is started."""
    if agent.name == "codex":
        path = agent.home / ".codex" / "config.toml"
        server = f'\n[mcp_servers.trace]\ncommand = "touch"\nargs = ["{agent.home}/started"]\n'
        path.write_text(path.read_text() + server)


@pytest.mark.parametrize("name", ["claude", "codex"])
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Refusal(429, "slow down", "rate_limit_error"), "429"),
        (Refusal(500, "broken", "api_error"), ""),
        ([stall(60)], "longer than 8 s"),
    ],
    ids=["429", "500", "time-out"],
)
def test_claude_and_codex_fail_in_time(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    answer: Answer,
    reason: str,
) -> None:
    api: MessagesApi = request.getfixturevalue("api")
    one = request.getfixturevalue("client" if name == "claude" else "agents")
    env = env_of(one if name == "claude" else one[name], monkeypatch)
    api.responder = answering(answer)
    started = time.monotonic()
    with pytest.raises(ModelFailed) as failed:
        extractor_of(name, env).ask(ASKED, 8)
    assert reason in str(failed.value)
    assert time.monotonic() - started < 13


class Chat(BaseHTTPRequestHandler):
    """An OpenAI-compatible server, such as Ollama's, with one answer to everything."""

    status = 200
    asked: ClassVar[list[dict[str, Any]]] = []

    def log_message(self, *_: object) -> None:
        """Keep the test output clean."""

    def do_POST(self) -> None:
        self.asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        message = {"role": "assistant", "content": f"Here it is: {json.dumps(ANSWER)}"}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        head = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
        body = head | {"choices": [choice], "usage": usage}
        data = json.dumps(
            body if self.status == 200 else {"error": {"message": "slow down"}}
        ).encode()
        self.send_response(self.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.mark.parametrize("status", [200, 429])
def test_llm_asks_a_server_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    installed = Path(__file__).parents[2] / ".client/llm/bin/llm"
    program = str(installed) if installed.exists() else shutil.which("llm")
    if not program and os.environ.get("RECOLLECT_REQUIRE_CLIENT"):
        pytest.fail("llm is required here (RECOLLECT_REQUIRE_CLIENT) and was not found")
    if not program:
        pytest.skip("llm not found: `make client` installs it below .client/")
    monkeypatch.setenv("RECOLLECT_TEST_MODEL", program)
    Chat.status, Chat.asked = status, []
    with ThreadingHTTPServer(("127.0.0.1", 0), Chat) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        models = tmp_path / "extra-openai-models.yaml"
        models.write_text(
            f"- model_id: own\n  model_name: own\n  api_base: http://127.0.0.1:{server.server_address[1]}/v1\n"
        )
        env = {"HOME": str(tmp_path), "LLM_USER_PATH": str(tmp_path), "OPENAI_API_KEY": "fake",
               "PATH": f"{Path(program).parent}:/usr/bin:/bin", "NO_PROXY": "127.0.0.1"}  # fmt: skip
        asking = extractor_of("llm:own", env)
        if status == 200:
            assert object_in(asking.ask(ASKED, 60).text) == ANSWER
        else:
            with pytest.raises(ModelFailed, match="429"):
                asking.ask(ASKED, 60)
        server.shutdown()
    assert "RECORD-MARK" in json.dumps(Chat.asked[0]["messages"])
