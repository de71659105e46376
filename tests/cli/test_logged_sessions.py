"""Sessions that clients have logged before Recollect came: `init` counts them, `capture` takes them in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.clients import transcripts

from .running import Person


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody who has worked with Claude Code in two projects, twice in this one."""
    person = Person(tmp_path / "home", tmp_path / "home" / "tea")
    other = tmp_path / "home" / "coffee"
    for project in (person.project, other):
        (project / ".git").mkdir(parents=True)
    for n, project in enumerate((person.project, person.project, other)):
        log(person, project, f"5e55{n}a00-0000-4000-8000-00000000000{n}", n)
    return person


def log(person: Person, project: Path, session: str, day: int, said: str = "") -> None:
    folder = person.home / ".claude" / "projects" / str(project).replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    base = {"cwd": str(project), "sessionId": session, "version": "2.1.330"}
    said = said or f"We decided to use PostgreSQL for the event store {day}."
    answer = {"role": "assistant", "content": [{"type": "text", "text": "Noted."}]}
    lines = [
        base
        | {
            "type": "user",
            "message": {"role": "user", "content": said},
            "promptSource": "typed",
            "uuid": f"{session}-u",
        }
        | {"timestamp": f"2026-01-0{day + 1}T10:00:00.000Z"},
        base
        | {"type": "assistant", "message": answer, "uuid": f"{session}-a"}
        | {"timestamp": f"2026-01-0{day + 1}T10:00:05.000Z"},
    ]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (folder / f"{session}.jsonl").write_text(text)


COUNTED = "Sessions logged by your clients: {} of this project, {} of all projects."


def test_init_counts_them_and_says_the_command(person: Person) -> None:
    shown = person.ok("init").out
    assert COUNTED.format(2, 3) in shown
    assert "`recollect capture` imports those of this project" in shown
    assert person.ok("capture", "--dry-run", "--json").json["created"] == 2
    assert person.ok("capture", "--json").json["created"] == 2
    shown = person.ok("init").out
    assert COUNTED.format(0, 1) in shown
    assert "`recollect capture --all` imports them all" in shown
    assert person.ok("capture", "--all", "--json").json["created"] == 1
    assert "logged" not in person.ok("init").out
    assert "No new sessions" in person.ok("capture").out
    assert person.run("capture", "x.jsonl", "--all").code == 2


def test_what_the_sessions_state_is_filed_once_on_pages_of_their_projects(person: Person) -> None:
    person.ok("init", "--scope", "both")
    for n, project in enumerate((person.project, person.project, person.home / "coffee")):
        session = f"5e55{n}b00-0000-4000-8000-00000000000{n}"
        log(person, project, session, n, said="Never push to main, we review all changes.")
    done = person.ok("capture", "--all")
    assert "statements filed on pages: " in done.out
    [rule] = person.ok("list", "--kind", "rule", "--json").json
    assert (rule["text"], rule["scope"]) == ("Never push to main, we review all changes", "project")
    assert rule["path"].endswith("procedural/feedback.md")
    other = Person(person.home, person.home / "coffee")
    assert len(other.ok("list", "--kind", "rule", "--json").json) == 1
    assert person.ok("capture", "--all", "--json").json["filed"] == 0


def test_a_captured_session_that_went_on_is_taken_up_again(person: Person) -> None:
    session = "5e550a00-0000-4000-8000-000000000000"
    person.ok("capture")
    [path] = (person.home / ".claude" / "projects").glob(f"*/{session}.jsonl")
    first, second = path.read_text().splitlines()
    more = first.replace("PostgreSQL for the event store 0", "Redis for the sessions")
    more = more.replace(f"{session}-u", f"{session}-u2").replace("T10:00:00", "T11:00:00")
    path.write_text(f"{first}\n{second}\n{more}\n")
    assert person.ok("capture", "--dry-run", "--json").json["transcripts"] == 1
    done = person.ok("capture", "--json").json
    assert (done["created"], done["changed"], done["filed"]) == (0, 1, 1)
    assert "Redis" in person.ok("list", "--kind", "decision").out
    assert "No new sessions" in person.ok("capture").out


def test_what_a_session_left_on_pages_is_forgotten_with_it_also_after_its_memory(
    person: Person,
) -> None:
    done = person.ok("capture", "--json").json
    assert person.ok("list", "--kind", "decision", "--json").json
    for memory in done["memories"]:
        person.ok("forget", memory)
    for n in range(2):
        person.ok("forget", "--from-session", f"5e55{n}a00")
    assert person.ok("list", "--kind", "decision", "--json").json == []


@pytest.mark.parametrize(("answer", "left"), [("project", (0, 1)), ("\n", (2, 3)), ("all", None)])
def test_init_asks_once(person: Person, answer: str, left: tuple[int, int] | None) -> None:
    shown = person.at_terminal("init", typed=f"{answer.strip()}\n")
    assert shown.code == 0
    assert shown.out.count("Import them?") == 1
    after = person.ok("init").out
    assert COUNTED.format(*left) in after if left else "logged" not in after


def test_an_agent_is_not_asked(person: Person) -> None:
    agent = {"CLAUDECODE": "1"}
    assert "Import them?" not in person.at_terminal("init", env=agent).out
    assert person.run("capture", env=agent).code == 2


@pytest.mark.parametrize("said", [bytes(range(256)) * 40, b"{not JSON\n", b"[1, 2]\n"])
def test_a_file_that_is_no_transcript_is_named(said: bytes, person: Person) -> None:
    person.ok("init")
    (person.project / "odd.jsonl").write_bytes(said)
    for options in ((), ("--dry-run",), ("--scope", "project")):
        shown = person.run("capture", "odd.jsonl", *options)
        assert shown.code == 1
        assert "odd.jsonl: This is not a transcript" in " ".join(shown.out.split())


def test_a_transcript_is_captured_beside_a_file_that_is_none(person: Person) -> None:
    person.ok("init")
    logs = person.home / ".claude" / "projects" / str(person.project).replace("/", "-")
    (logs / "odd.jsonl").write_bytes(b"\xff\xfe\x00")
    shown = person.run("capture", str(logs), "--json")
    assert (shown.code, shown.json["created"], len(shown.json["failed"])) == (1, 2, 1)


def test_an_empty_transcript_is_without_content(person: Person) -> None:
    person.ok("init")
    (person.project / "new.jsonl").write_text("\n")
    assert person.ok("capture", "new.jsonl", "--json").json["nothing"] == 1


def _logs(person: Person) -> dict[str, Path]:
    """A transcript of each client that logs to files."""
    found = {"claude": next((person.home / ".claude" / "projects").glob("*/*.jsonl"))}
    for name in ("codex", "gemini", "copilot"):
        found[name] = getattr(transcripts, f"{name}_path")(person.home / name)
        lines = getattr(transcripts, f"{name}_lines")()
        found[name].write_bytes(b"".join(map(transcripts.as_bytes, lines)))
    return found


def test_a_log_of_another_client_is_called_so(person: Person) -> None:
    person.ok("init")
    for name, path in _logs(person).items():
        for other in ("claude", "codex", "gemini", "copilot"):
            shown = person.run("capture", "--client", other, str(path), "--dry-run")
            if other == name:
                assert shown.code == 0, shown
            else:
                assert (shown.code, shown.out) == (1, ""), shown
                assert f"give `--client {name}`" in shown.err
        assert person.run("capture", "--client", "opencode", str(path)).code == 1


def test_files_of_several_clients_are_captured_together(person: Person) -> None:
    """Each as the client that wrote it does, without a word about that."""
    person.ok("init")
    exported = person.project / "tea.json"
    pots = transcripts.OpenCode(person.home / "pots.db")
    pots.tell_all()
    exported.write_text(json.dumps(pots.export(), indent=2))
    paths = [*map(str, _logs(person).values()), str(exported), str(pots.path)]
    done = person.ok("capture", *paths, "--scope", "project", "--json").json
    assert done["failed"] == []
    pages = sorted(
        one.name for one in (person.project / ".claude/memory/sessions/active").iterdir()
    )
    assert {name.partition("-")[0] for name in pages} == {
        "claude",
        "codex",
        "copilot",
        "gemini",
        "opencode",
    }


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "copilot", "opencode"])
def test_data_that_no_client_wrote_is_no_transcript(client: str, person: Person) -> None:
    person.ok("init")
    (person.project / "orders.jsonl").write_text('{"order": 1}\n{"order": 2}\n')
    shown = person.run("capture", "--client", client, "orders.jsonl")
    assert (shown.code, shown.out) == (1, "")
    assert "orders.jsonl is no transcript of" in shown.err


def test_a_log_that_was_renamed_is_said_to_lack_its_session(person: Person) -> None:
    person.ok("init")
    codex = _logs(person)["codex"]
    shown = person.run("capture", "--client", "codex", str(codex.rename(codex.parent / "my.jsonl")))
    assert shown.code == 1
    assert "not named as Codex CLI names its transcripts" in shown.err


def test_a_log_in_which_nobody_has_said_anything_is_without_content(person: Person) -> None:
    person.ok("init")
    kept = {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}
    (person.project / "new.jsonl").write_text(f"{json.dumps(kept)}\n")
    assert person.ok("capture", "new.jsonl", "--json").json["nothing"] == 1


def _codex_log(
    person: Person, session: str, said: str, *, second: int = 1, answer: str = "Noted."
) -> str:
    rows = [
        ("session_meta", {"id": session, "cwd": str(person.project)}),
        ("event_msg", {"type": "user_message", "message": said}),
        ("event_msg", {"type": "agent_message", "message": answer}),
    ]
    path = person.home / f"rollout-2026-11-20T10-00-00-{session}.jsonl"
    path.write_text(
        "".join(
            json.dumps({"timestamp": f"2026-11-20T10:00:0{second}.{n}11Z", "type": kind, "payload": payload}) + "\n"
            for n, (kind, payload) in enumerate(rows)
        )
    )  # fmt: skip
    return str(path)


@pytest.mark.parametrize("is_copy", [True, False])
def test_a_log_copied_under_another_id_is_no_second_session(
    person: Person, *, is_copy: bool
) -> None:
    said = "Always warm the teapot before brewing."
    one = _codex_log(person, "019a0000-0000-7000-8000-00000000000a", said)
    assert "New memories: 1" in person.ok("capture", one, "--client", "codex").out
    second = 1 if is_copy else 2  # somebody may well say the same again
    two = _codex_log(person, "019b0000-0000-7000-8000-00000000000b", said, second=second)
    ran = person.ok("capture", two, "--client", "codex")
    assert f"New memories: {0 if is_copy else 1}" in ran.out


def test_two_sessions_that_are_started_in_the_same_second_are_two(person: Person) -> None:
    """By a script, with the same prompt."""
    said = "Add a test for the total of the tea bill."
    for end, answer in (
        ("a", "Added a test of the sum."),
        ("b", "Added the test for rounding up."),
    ):
        log = _codex_log(person, f"019{end}0000-0000-7000-8000-00000000000{end}", said, answer=answer)  # fmt: skip
        assert "New memories: 1" in person.ok("capture", log, "--client", "codex").out
    pages = [path.read_text() for path in person.home.rglob("summary.md")]
    assert sum("- Asked: Add a test for the total" in page for page in pages) == 2


def test_several_logs_are_captured_at_once_or_none_if_one_is_not_there(person: Person) -> None:
    logs = [
        _codex_log(person, f"019{n}0000-0000-7000-8000-00000000000{n}", f"Warm teapot {n} before brewing.", second=n)
        for n in (1, 2)
    ]  # fmt: skip
    refused = person.run("capture", logs[0], "gone.jsonl", "--client", "codex")
    assert refused.code
    assert "gone.jsonl: no such file or folder" in refused.err
    assert "New memories: 2" in person.ok("capture", *logs, logs[0], "--client", "codex").out


def test_what_an_interrupted_capture_left_is_filed_by_the_next(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    person.ok("init")
    with monkeypatch.context() as killed:
        killed.setattr("recollect.features.capture._with_filed", lambda report, *_: report)
        assert person.ok("capture", "--json").json["filed"] == 0
    told = person.ok("capture").out
    assert "No new sessions" in told
    assert "statements filed on pages: 2" in told
    assert "filed" not in person.ok("capture").out


def test_capture_says_what_gave_way_and_what_the_person_has_to_settle(person: Person) -> None:
    person.ok("init")
    person.ok("save", "We deploy on Thursdays", "--kind", "decision")
    person.ok("save", "Always write commit messages in German")
    said = "From now on we deploy on Tuesdays. Always write commit messages in English."
    log(person, person.project, "5e559a00-0000-4000-8000-000000000009", 8, said)
    before = person.ok("conflicts", "--json").json
    done = person.ok("capture", "--dry-run").out
    assert "settle" not in done
    done = person.ok("capture", "--json").json
    assert done["superseded"] >= 1
    waiting = person.ok("conflicts", "--json").json
    assert done["disputed"] == len(waiting) - len(before)
