"""The main promise, with the real client: what one session learned, the next one knows."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest

from .memory import given
from .messages_api import MessagesApi, all_text, call, say, stall
from .tui import Tui

if TYPE_CHECKING:
    from pathlib import Path

    from .client import ClaudeClient
    from .memory import Memory

pytestmark = pytest.mark.e2e

FIRST_PROMPT = (
    "We decided to use PostgreSQL for the event store because we need JSONB. "
    "Let's use Redis for the session cache. I prefer small commits with a test in each. "
    "Now change the greeting in app.py to hello and install the linter."
)


def work_once(client: ClaudeClient, api: MessagesApi, project: Path) -> str:
    """Session 1, typed: two decisions, a preference, an edit, a failure that is overcome; its id."""
    app = project / "app.py"
    app.write_text('print("hi")\n')
    tool = project / "tools" / "lintool"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho installed\n")
    tool.chmod(0o755)
    api.add(
        [say("I look at it."), call("Read", file_path=str(app))],
        [call("Edit", file_path=str(app), old_string="hi", new_string="hello")],
        [call("Bash", command="lintool install strict", description="Install the linter")],
        [
            say("lintool is not on the PATH here; the project keeps it in tools."),
            call("Bash", command='PATH="$PATH:./tools" lintool install strict'),
        ],
        [say("Done: the greeting is hello and the linter is installed.")],
    )
    with Tui(client, cwd=project) as tui:
        tui.ask(FIRST_PROMPT, "the linter is installed")
        tui.exit()
    [transcript] = (client.home / ".claude" / "projects").glob("*/*.jsonl")
    return transcript.stem


def assert_readable(memory: Memory, session: str) -> None:
    """That the memory of what `work_once` did says it, in every view that a person has of it."""
    [row] = memory.sessions()
    text = memory.text(row["id"])
    for section in ("Summary", "Decisions", "Patterns", "Issues", "Solutions", "Files"):
        assert f"## {section}\n" in text
    assert "- [technology] Use PostgreSQL for the event store: we need JSONB" in text
    assert "- `app.py`" in text
    assert "Done: the greeting is hello" in text
    raw = memory.json("show", row["id"], "--level", "3")["conversation"]
    assert FIRST_PROMPT[:60] in raw
    assert "### Claude [" in raw
    assert "lintool: command not found" in raw  # the failure, on one line
    head = (memory.root / "episodic" / row["id"] / "summary.md").read_text()
    assert f"session: {session}" in head
    index = json.loads((memory.root / ".index.json").read_text())
    assert row["id"] in [entry["id"] for entry in index["entries"]]
    assert row["id"] in (memory.root / "MEMORY.md").read_text()
    assert "All is well" in memory.run("doctor")


@pytest.mark.slow
def test_next_session_knows_what_the_last_one_learned(
    client: ClaudeClient, api: MessagesApi, project: Path, memory: Memory
) -> None:
    session = work_once(client, api, project)
    memory.settle()
    assert_readable(memory, session)

    api.add(
        [call("Bash", command="lintool install loose", description="Install")],
        [say("It is PostgreSQL.")],
    )
    second = client.prompt("Which database holds the event store?", cwd=project)
    assert second.stderr == ""

    asked = api.turns[-2]
    brief = given(asked, "SessionStart")
    assert "Use PostgreSQL for the event store: we need JSONB" in brief
    assert "Use Redis for the session cache" in brief
    assert "I prefer small commits with a test in each" in brief
    assert given(asked, "UserPromptSubmit") == ""  # the brief has said it
    failed = given(api.turns[-1], "PostToolUseFailure")
    assert 'PATH="$PATH:./tools" lintool install strict' in failed
    assert "<memory-" in failed


@pytest.mark.slow
def test_resumed_session_renews_its_memory_and_gets_no_second_brief(
    client: ClaudeClient, api: MessagesApi, project: Path, memory: Memory
) -> None:
    session = work_once(client, api, project)
    memory.settle()
    client.prompt("What was decided so far?", cwd=project)
    memory.settle()
    before = {row["id"] for row in memory.sessions()}

    client.resume(session, "We will use RabbitMQ for the work queue.", cwd=project)
    memory.settle()

    assert {row["id"] for row in memory.sessions()} == before
    [row] = [r for r in memory.sessions() if "greeting" in r["title"]]
    text = memory.text(row["id"])
    # Sent without a terminal, it is what was asked for, and nobody's decision.
    assert "We will use RabbitMQ for the work queue" in text
    assert "Use RabbitMQ for the work queue" not in text
    assert text.count("Use PostgreSQL for the event store") == 1
    assert all_text(api.turns[-1]).count("Recollect keeps the notes of earlier sessions") <= 1


@pytest.mark.slow
def test_fork_captures_only_what_is_new(
    client: ClaudeClient, api: MessagesApi, project: Path, memory: Memory
) -> None:
    session = work_once(client, api, project)
    memory.settle()

    client.fork(session, "We will use Kafka for the audit log.", cwd=project)
    memory.settle()

    texts = [memory.text(row["id"]) for row in memory.sessions()]
    assert len(texts) == 2
    assert sum("We will use Kafka for the audit log" in text for text in texts) == 1
    assert sum("Use PostgreSQL for the event store" in text for text in texts) == 1


@pytest.mark.slow
def test_two_sessions_at_once_both_land(
    client: ClaudeClient, api: MessagesApi, project: Path, memory: Memory
) -> None:
    def respond(request: object) -> list[dict[str, object]]:
        del request
        return [stall(0.3), say("Noted.")]

    with MessagesApi(responder=respond) as slow:
        other = type(client)(client.binary, client.home, slow.url)
        prompts = ("We will use gRPC between the services.", "We will use Terraform for the cloud.")
        runs = [
            threading.Thread(target=other.prompt, args=(text,), kwargs={"cwd": project})
            for text in prompts
        ]
        for run in runs:
            run.start()
        for run in runs:
            run.join()
    memory.settle()

    texts = "\n".join(memory.text(row["id"]) for row in memory.sessions())
    assert len(memory.sessions()) == 2
    assert "We will use gRPC between the services" in texts
    assert "We will use Terraform for the cloud" in texts


@pytest.mark.slow
def test_clear_and_compact_in_the_terminal(
    client: ClaudeClient, api: MessagesApi, project: Path, memory: Memory
) -> None:
    # With paragraphs it is a document, which is no part of a brief.
    text = "The lids are built first.\n\nThen they are shipped."
    memory.run(
        "save", "Deploys go through the blue pipeline", "--tags", "deploy,pipeline", "--body", text
    )
    with Tui(client, cwd=project) as tui:
        api.add([say("Answer one.")], [say("Answer two.")])
        tui.ask("How does the deploy pipeline work?", "Answer one.")
        assert "blue pipeline" in given(api.turns[0], "UserPromptSubmit")
        tui.ask("And the deploy pipeline once more?", "Answer two.")
        note = 'id="deploys-go-through-the-blue-pipeline"'
        assert given(api.turns[1], "UserPromptSubmit").count(note) == 1

        tui.submit("/compact")
        assert api.wait_for(lambda a: any(r.kind == "compaction" for r in a.requests))
        [compaction] = [r for r in api.requests if r.kind == "compaction"]
        assert "deploys-go-through-the-blue-pipeline" in all_text(compaction)
        tui.wait_idle()
        api.add([say("Answer three.")])
        tui.ask("We use canary deploys now. How does the deploy pipeline fit?", "Answer three.")
        after = api.turns[-1]
        assert "Recollect keeps the notes of earlier sessions" in given(after, "SessionStart")
        assert "blue pipeline" in given(after, "UserPromptSubmit")

        tui.submit("/clear")
        # The terminal is idle before the hook of the session's end has begun.
        assert api.wait_for(lambda _: bool(memory.sessions()))
        memory.settle()
        [row] = memory.sessions()
        assert "canary deploys" in memory.text(row["id"])
        api.add([say("Answer four.")])
        tui.ask("Hello again, where were we?", "Answer four.")
        assert "canary deploys" in given(api.turns[-1], "SessionStart")
        tui.exit()
    memory.settle()


@pytest.mark.slow
def test_settings_file_is_the_other_way_to_connect(
    client: ClaudeClient, api: MessagesApi, project: Path
) -> None:
    from .memory import Memory as Plain

    memory = Plain(client, project)
    client.write_settings({"model": "sonnet", "hooks": {"Stop": []}})
    before = client.settings_path.read_bytes()
    memory.run("init", "--client", "claude")

    client.prompt("We will use SQLite for the index.", cwd=project)
    memory.settle()
    client.prompt("Go on", cwd=project)

    assert "We will use SQLite for the index" in given(api.turns[-1], "SessionStart")
    memory.settle()
    memory.run("uninstall")
    assert client.settings_path.read_bytes() == before


@pytest.mark.slow
def test_project_without_a_store_goes_to_the_global_one_and_stays_apart(
    client: ClaudeClient, api: MessagesApi, project: Path, memory: Memory, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()

    client.prompt("We will use Elixir for the chat service.", cwd=other)
    memory.settle()
    client.prompt("Which language for the chat service?", cwd=other)
    assert "Elixir" in given(api.turns[-1], "SessionStart")
    memory.settle()
    client.prompt("Which language for the chat service?", cwd=project)

    assert "Elixir" not in all_text(api.turns[-1])
    assert not (other / ".claude" / "memory").exists()


@pytest.mark.slow
def test_private_words_and_secrets_reach_no_file(
    client: ClaudeClient, api: MessagesApi, project: Path, memory: Memory
) -> None:
    import gzip

    token = "ghp_" + "a1B2" * 9
    api.add([call("Bash", command=f"echo {token}")], [say("I saw it.")])
    prompt = f"We will use Vault. <private>the code is 4711-tango</private> My token is {token}."
    client.prompt(prompt, cwd=project)
    memory.settle()

    found = []
    for base in (memory.root, client.home / ".cache", client.home / ".local"):
        for path in base.rglob("*"):
            if path.is_file():
                data = path.read_bytes()
                data += gzip.decompress(data) if path.suffix == ".gz" else b""
                if b"4711-tango" in data or token.encode() in data:
                    found.append(path)
    assert found == []
    assert "We will use Vault" in memory.text(memory.sessions()[0]["id"])


@pytest.mark.slow
def test_plugin_is_valid_to_the_last_key(client: ClaudeClient) -> None:
    from .memory import PLUGIN

    for folder in (PLUGIN, PLUGIN / "recollect"):
        result = client.validate_plugin(folder)
        assert result.returncode == 0, result.stdout + result.stderr
