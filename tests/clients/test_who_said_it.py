"""Whose words a prompt is made of: typed, pasted, quoted, added by the client, or sent by a program."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.capture.transcripts import Transcript
from tests.cli.running import Person

from . import transcripts as told

RULE = "Always deploy from the blue branch"
TYPED = "Never push to main."
CLIENTS = ("claude", "codex", "gemini", "copilot", "opencode")


def _texts(texts: Sequence[str]) -> list[told.Json]:
    return [{"type": "text", "text": text} for text in texts]


def _claude(folder: Path, texts: Sequence[str], *, program: bool) -> str:
    transcript = Transcript(cwd=told.CWD)
    about = {"origin": None, "entrypoint": "sdk-cli"} if program else {}
    content = _texts(texts) if len(texts) > 1 else texts[0]
    transcript.prompt(content, "sdk" if program else "typed", **about)
    transcript.answer("Done.")
    return str(transcript.save(folder))


def _lines(path: Path, rows: list[told.Json]) -> str:
    path.write_bytes(b"".join(map(told.as_bytes, rows)))
    return str(path)


def _codex(folder: Path, texts: Sequence[str], *, program: bool) -> str:
    rows = told.codex_lines()
    start = rows[0]["payload"]
    if not program:
        start.update(originator="codex_cli_rs", source="cli")
    for row in rows:
        item = row["payload"].get("item", {})
        if item.get("type") == "UserMessage":
            item["content"] = _texts(texts)
    return _lines(told.codex_path(folder), rows)


def _gemini(folder: Path, texts: Sequence[str], *, program: bool) -> str:
    assert not program, "its log does not say so"
    rows = told.gemini_lines()
    [row] = [row for row in rows if row.get("id") == "u1"]
    row["content"] = [*row["content"][1:], *({"text": text} for text in texts)]
    return _lines(told.gemini_path(folder), rows)


def _copilot(folder: Path, texts: Sequence[str], *, program: bool) -> str:
    rows = told.copilot_lines()
    for row in rows:
        if row["type"] == "user.message":
            row["data"]["content"] = texts[0]
        elif row["type"] == "system.message" and program:
            row["data"]["content"] += (
                ", a terminal assistant. You are running in non-interactive mode"
            )
    return _lines(told.copilot_path(folder), rows)


def _opencode(folder: Path, texts: Sequence[str], *, program: bool) -> str:
    made = told.OpenCode(folder / "opencode.db")
    if program:
        made.run_by_command()
    made.add("user", *_texts(texts))
    made.add("assistant", {"type": "text", "text": "Done."})
    return str(folder / "opencode.db")


@pytest.fixture(autouse=True)
def in_the_project(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sessions are of the person's project."""
    monkeypatch.setattr(told, "CWD", str(person.project))


LOGS: dict[str, Callable[..., str]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "copilot": _copilot,
    "opencode": _opencode,
}


def captured(
    person: Person, client: str, folder: Path, *texts: str, program: bool = False
) -> told.Json:
    """The memory of the one session in which a prompt of these texts was sent."""
    folder.mkdir(exist_ok=True)
    person.ok("init")
    path = LOGS[client](folder, texts, program=program)
    person.ok("capture", path, "--client", client)
    [row] = person.ok("list", "--kind", "session", "--json").json
    found: told.Json = person.ok("show", row["id"], "--level", "3", "--json").json
    person.ok("consolidate")
    return found


def persons(person: Person) -> str:
    """All that the brief and the lists tell as a person's rule or decision."""
    brief = person.ok("recall", "--start").out
    own = [line for line in brief.splitlines() if line.endswith(", the person)")]
    rows = [
        person.ok("list", "--kind", kind, "--json").json for kind in ("rule", "decision", "pattern")
    ]
    hits = person.ok("search", "blue branch", "--json").json["hits"]
    # A turn of the raw conversation is what was sent, with all that was pasted into it.
    stated = [hit for hit in hits if not hit["path"].endswith("/conversation.md")]
    said = [hit for hit in stated if hit["trust"] == "user"]
    return json.dumps([own, rows, said], ensure_ascii=False)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("client", CLIENTS)
def test_what_a_person_types_is_theirs(client: str, person: Person, tmp_path: Path) -> None:
    captured(person, client, tmp_path / "logs", f"{RULE}. Now fix the teapot.")
    assert RULE in persons(person)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("client", "name"),
    list(zip(CLIENTS, "Claude Codex Gemini Copilot OpenCode".split(), strict=True)),
)
def test_the_log_of_a_session_names_who_answered(
    client: str, name: str, person: Person, tmp_path: Path
) -> None:
    memory = captured(person, client, tmp_path / "logs", "Fix the teapot.")
    answers = [line for line in memory["conversation"].splitlines() if line.startswith("### ")]
    assert {line.split()[1] for line in answers} == {"User", name}


COMMANDS = {
    "gemini": (".gemini/commands/git/fix.toml", 'description = "x"\nprompt = """\n{}\n"""\n'),
    "opencode": (".opencode/command/fix.md", "---\ndescription: x\n---\n{}\n"),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("client", COMMANDS)
def test_the_body_of_a_repositorys_command_is_nobodys_word(
    client: str, person: Person, tmp_path: Path
) -> None:
    name, form = COMMANDS[client]
    file = person.project / name
    file.parent.mkdir(parents=True)
    place = "$ARGUMENTS" if client == "opencode" else "{{args}}"
    file.write_text(form.format(f"{RULE}. Now fix\nthe {place}."))
    captured(person, client, tmp_path / "logs", f"{RULE}. Now fix\nthe teapot.")
    assert RULE not in persons(person)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("app", ["claude-vscode", "local-agent"])
def test_so_is_what_they_type_in_an_app_that_uses_the_sdk(
    app: str, person: Person, tmp_path: Path
) -> None:
    transcript = Transcript(cwd=told.CWD)
    opened = "<ide_opened_file>The user opened the file lid.py in the IDE.</ide_opened_file>"
    content = _texts([opened, f"{RULE}. Now fix the teapot."])
    transcript.prompt(content, "sdk", turnOrigin=None)["entrypoint"] = app
    transcript.answer("Done.")
    person.ok("init")
    person.ok("capture", str(transcript.save(tmp_path)), "--client", "claude")
    person.ok("consolidate")
    assert RULE in persons(person)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("client", [one for one in CLIENTS if one != "gemini"])
def test_what_a_program_sends_is_the_task_and_nobodys_rule(
    client: str, person: Person, tmp_path: Path
) -> None:
    said = (
        f"Fix the teapot. {RULE}. We decided to use Redis. TODO: rewrite it all. No, that is wrong."
    )
    memory = captured(person, client, tmp_path / "logs", said, program=True)
    assert memory["title"].startswith("Fix the teapot")
    assert memory["trust"] in ("agent", "tool", "external")
    assert "Asked by a program: Fix the teapot" in memory["text"]
    assert "### Program [" in memory["conversation"]
    assert "### User [" not in memory["conversation"]
    theirs = persons(person)
    for wrong in (RULE, "Redis", "rewrite it all"):
        assert wrong not in memory["text"]
        assert wrong not in theirs


@pytest.mark.sampled(1)
@pytest.mark.parametrize("client", ["codex", "copilot"])
def test_so_it_is_when_the_log_is_read_bit_by_bit(
    client: str, person: Person, tmp_path: Path
) -> None:
    """The line that says who started the session is read long before the prompt."""
    person.ok("init")
    path = Path(LOGS[client](tmp_path, [f"{RULE}. Fix the teapot."], program=True))
    whole = path.read_bytes()
    at = whole.index(RULE.encode())
    path.write_bytes(whole[: whole.rindex(b"\n", 0, at) + 1])
    person.run("capture", str(path), "--client", client)
    path.write_bytes(whole)
    person.ok("capture", str(path), "--client", client)
    assert RULE not in persons(person)


QUOTED = {
    "quoted lines": f"> {RULE}.\n> Thanks",
    "a block": f"```\n{RULE}.\n```",
    "a diff": f"@@ -1,2 +1,2 @@\n-Use npm.\n+{RULE}.\n {RULE}.",
    "a diff with blanks": f"- {RULE}.\n+ Deploy from the green branch.",
    "added lines": f"+{RULE}.\n+Use pnpm.",
    "a quotation": f'The readme says "{RULE}." at the top.',
    "a mail": f"From: Bob <bob@example.com>\nDate: today\nSubject: how we work\n\n{RULE}.",
    "a Chinese mail": f"发件人：张三\n主题：规矩\n\n{RULE}.",
    "Chinese": "```\n总是从蓝色分支部署。\n```\n> 总是从蓝色分支部署。\n+总是从蓝色分支部署。",
}


@pytest.mark.parametrize("what", QUOTED)
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.sampled(4)
def test_what_is_quoted_is_nobodys_rule(
    client: str, what: str, person: Person, tmp_path: Path
) -> None:
    said = f"{TYPED}\n\nWhat does this do?\n\n{QUOTED[what]}\n"
    captured(person, client, tmp_path / "logs", said)
    theirs = persons(person)
    assert "Never push to main" in theirs
    assert RULE not in theirs
    assert "蓝色分支" not in theirs


@pytest.mark.sampled(1)
@pytest.mark.parametrize("client", [one for one in CLIENTS if one != "copilot"])
def test_a_second_text_of_a_prompt_is_the_clients(
    client: str, person: Person, tmp_path: Path
) -> None:
    memory = captured(person, client, tmp_path / "logs", TYPED, f"{RULE}.\nUse Redis.")
    theirs = persons(person)
    assert "Never push to main" in theirs
    assert RULE not in theirs
    assert f"> {RULE}" in memory["conversation"]


def test_a_paste_into_claude_code_is_nobodys_rule(person: Person, tmp_path: Path) -> None:
    paste = f'<pasted_content id="1">\n{RULE}.\n</pasted_content id="1">'
    captured(person, "claude", tmp_path / "logs", f"{TYPED} Look:\n{paste}")
    theirs = persons(person)
    assert "Never push to main" in theirs
    assert RULE not in theirs


def test_what_an_editor_adds_is_not_the_prompt(person: Person, tmp_path: Path) -> None:
    shown = f"<ide_selection>{RULE}.</ide_selection>"
    memory = captured(person, "claude", tmp_path / "logs", shown, f"{TYPED} Fix the teapot.")
    assert memory["title"].startswith("Fix the teapot")
    assert "Never push to main" in persons(person)
    assert RULE not in memory["conversation"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("again", ["", "<ide_selection>"])
def test_what_an_editor_adds_ends_at_its_last_mark(
    again: str, person: Person, tmp_path: Path
) -> None:
    shown = f"<ide_selection>A line.</ide_selection>\n{RULE}.\n{again}The end.</ide_selection>"
    memory = captured(person, "claude", tmp_path / "logs", f"{shown}\n{TYPED} Fix the teapot.")
    assert "Never push to main" in persons(person)
    assert RULE not in persons(person)
    assert RULE not in memory["conversation"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "before",
    [
        f"# Context from my IDE setup:\n\n## Active selection of the file:\n{RULE}.\n\n",
        f"# Context from my IDE setup:\n\n## My request for Codex:\n{RULE}.\n\n",
        f"\n## Referenced ChatGPT conversation:\n{RULE}.\n",
        f"\n# Files mentioned by the user:\n\n## tea.md: /work/{RULE}.md\n\n",
    ],
)
def test_what_an_editor_or_the_app_adds_for_codex_is_not_the_prompt(
    before: str, person: Person, tmp_path: Path
) -> None:
    said = f"{before}## My request for Codex:\n{TYPED} Fix the teapot."
    memory = captured(person, "codex", tmp_path / "logs", said)
    assert memory["title"].startswith("Fix the teapot")
    assert "Never push to main" in persons(person)
    assert RULE not in memory["conversation"]


def _command_of_codex(person: Person, tmp_path: Path, typed: str) -> str:
    """A command of a project, as Codex CLI sends it: its whole text, with what was typed behind its name."""
    body = f"You **MUST** consider the user input before proceeding.\n\n## Outline\n\n1. {RULE}."
    said = f"\n## User Input\n\n```text\n{typed}\n```\n\n{body}\n"
    title: str = captured(person, "codex", tmp_path / "logs", said)["title"]
    return title


def test_what_was_typed_behind_a_command_is_the_prompt(person: Person, tmp_path: Path) -> None:
    title = _command_of_codex(person, tmp_path, f"{TYPED} Fix the teapot.")
    assert title.startswith("Fix the teapot")
    assert "Never push to main" in persons(person)
    assert RULE not in persons(person)


@pytest.mark.parametrize("behind", ["", " $ARGUMENTS"])
def test_what_a_command_writes_itself_as_typed_is_nobodys(
    behind: str, person: Person, tmp_path: Path
) -> None:
    prompts = person.project / ".codex" / "prompts"
    prompts.mkdir(parents=True)
    form = "## User Input\n\n```text\n{}\n```\n\nYou **MUST** consider the user input.\n"
    (prompts / "brew.md").write_text(f"---\nname: brew\n---\n\n{form.format(f'{RULE}.{behind}')}")
    captured(person, "codex", tmp_path / "sessions", form.format(f"{RULE}. Oolong"))
    assert RULE not in persons(person)


def test_a_command_without_a_word_behind_it_is_nobodys(person: Person, tmp_path: Path) -> None:
    title = _command_of_codex(person, tmp_path, "")
    assert "consider the user input" not in title
    assert RULE not in persons(person)


def test_the_text_of_a_prompt_of_codex_is_nobodys_word(person: Person, tmp_path: Path) -> None:
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / "brew.md").write_text(f"---\ndescription: Brew\n---\n{RULE}, then brew $1.\n")
    captured(person, "codex", tmp_path / "sessions", f"{RULE}, then brew oolong.")
    assert RULE not in persons(person)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "behind",
    [
        "Current File Path:\n```markdown\n/work/tea.md\n```\n\nCurrent Selection:\n```markdown\n{}\n```\n",
        "\nUser Selected Files:\n- /work/{}.md\n",
        "\n\n PRIOR CHAT HISTORY: {}\n",
        "--- Content from referenced files ---\nContent from @tea.md:\n{}\n--- End of content ---",
    ],
)
def test_what_an_editor_adds_for_gemini_is_not_the_prompt(
    behind: str, person: Person, tmp_path: Path
) -> None:
    said = f"{TYPED} Fix the teapot.\n{behind.format(f'{RULE}.')}"
    memory = captured(person, "gemini", tmp_path / "logs", said)
    assert memory["title"].startswith("Fix the teapot")
    assert "Never push to main" in persons(person)
    assert RULE not in memory["conversation"]
