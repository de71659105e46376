"""Whatever stands on stdin, a hook ends soon, quietly and with exit code 0."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import pytest

from .machine import EVENTS, LONGEST, SESSION, Machine, Ran, harmless

ODD: dict[str, bytes] = {
    "nothing": b"",
    "blanks": b" \n\t\n",
    "no JSON": b'hello { "session_id": "x"',
    "cut off": b'{"session_id":"47b6","cwd":"/tmp","prompt":"What about',
    "binary": bytes(range(256)) * 40,
    "not UTF-8": b'{"session_id":"\xff\xfe","prompt":"\xc3\x28 database"}',
    "an array": b'[{"session_id":"inner","prompt":"billing events"}]',
    "null": b"null",
    "a number": b"42",
    "a string": b'"session_id"',
    "an empty object": b"{}",
    "only braces": b"{" * 50_000,
    "only brackets": b"[" * 50_000 + b"]" * 50_000,
    "lone escapes": b'{"session_id":"\\","prompt":"\\u12',
    "byte-order mark": b'\xef\xbb\xbf{"session_id":"bom","prompt":"billing"}',
    "lone surrogates": b'{"session_id":"s","prompt":"\\ud800 billing \\udfff","cwd":"/tmp"}',
    "NUL bytes": b'{"session_id":"a\\u0000b","cwd":"/tmp/\\u0000x","prompt":"a\\u0000b"}',
}
WRONG: tuple[Any, ...] = (None, 7, True, [], ["x"], {}, {"session_id": "inner"}, "", "\0", "../..")


def all_events(machine: Machine, stdin: bytes) -> dict[str, Ran]:
    """Run every event's hook at once with the same stdin."""
    running = {event: machine.open(event) for event in EVENTS}
    results = {}
    for event, process in running.items():
        out, err = process.communicate(stdin, timeout=LONGEST)
        results[event] = Ran(process.returncode, out, err)
    return results


@pytest.mark.slow
@pytest.mark.parametrize("name", ODD)
def test_hooks_stay_harmless_when_stdin_is(name: str, machine: Machine) -> None:
    for event, ran in all_events(machine, ODD[name]).items():
        harmless(ran, event)


@pytest.mark.slow
@pytest.mark.parametrize("field", ["session_id", "transcript_path", "cwd", "source"])
def test_hooks_stay_harmless_when_a_field_has_the_wrong_type(field: str, machine: Machine) -> None:
    for wrong in WRONG:
        for event in ("PostToolUse", "UserPromptSubmit"):
            harmless(machine.fire(event, **{field: wrong}), event)


def test_only_the_outermost_object_counts(machine: Machine) -> None:
    machine.feed("PostToolUse", b'[{"session_id":"inner","cwd":"/"}]')
    machine.fire("PostToolUse", tool_input={"session_id": "inner", "cwd": "/nowhere"})

    assert machine.signals() == ["post-tool"]
    assert not machine.journal("inner")


def test_a_container_is_no_value(machine: Machine) -> None:
    machine.fire("PostToolUse", cwd=["/nowhere"], env=machine.env | {"PWD": str(machine.project)})

    (line,) = machine.journal()
    assert line["folder"] == str(machine.project)


def test_nothing_is_recorded_without_a_session(machine: Machine) -> None:
    for stdin in (b"{}", b"null", b"what?", b'{"session_id":null}'):
        machine.feed("PostToolUse", stdin)

    assert not (machine.root / "journal").exists()


@pytest.mark.parametrize(
    ("client", "payload"),
    [
        ("copilot", {"sessionId": SESSION, "hookEventName": "PostToolUse", "tool_name": "x"}),
        ("cursor", {"conversation_id": SESSION, "generation_id": "g", "workspace_roots": ["/"]}),
        ("claude", {"session_id": SESSION, "new_field": {"of": ["a", "later", {"version": 9}]}}),
    ],
)
def test_a_payload_of_another_client_or_version_is_understood(
    client: str, payload: dict[str, Any], machine: Machine
) -> None:
    ran = machine.feed("PostToolUse", json.dumps(payload | {"cwd": str(machine.project)}).encode())

    harmless(ran, "PostToolUse")
    assert machine.signals(client=client) == ["post-tool"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("event", EVENTS)
def test_a_whole_payload_is_enough_when_the_pipe_stays_open(event: str, machine: Machine) -> None:
    process = machine.open(event)
    assert process.stdin
    process.stdin.write(json.dumps(machine.payload(event)).encode() + b"\n")
    process.stdin.flush()

    assert process.wait(LONGEST) == 0

    assert machine.signals() or event == "UserPromptSubmit"
    process.communicate()


@pytest.mark.slow
def test_hooks_end_when_stdin_never_says_anything(machine: Machine) -> None:
    running = [machine.open(event) for event in EVENTS]

    for process in running:
        assert process.wait(LONGEST) == 0
        assert process.communicate() == (b"", b"")


def test_hooks_end_when_stdin_is_closed_or_missing(machine: Machine) -> None:
    for event in EVENTS:
        command = [*machine.hook, event]
        for stdin in ("<&-", "</dev/null"):
            done = subprocess.run(
                ["/bin/sh", "-c", f'exec "$@" {stdin}', "sh", *command],
                capture_output=True,
                env=machine.env,
                cwd=machine.project,
                timeout=LONGEST,
                check=False,
            )
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), (event, stdin)


@pytest.mark.slow
@pytest.mark.parametrize("event", EVENTS)
def test_the_event_is_recorded_when_stdin_has_50_megabytes(event: str, machine: Machine) -> None:
    payload = machine.payload(event, tool_response={"stdout": "x" * 50_000_000}, prompt="y" * 9)

    ran = machine.feed(event, json.dumps(payload).encode())

    harmless(ran, event)
    assert machine.signals() or event == "UserPromptSubmit"


@pytest.mark.slow
def test_hooks_end_when_50_megabytes_are_hard_to_read(machine: Machine) -> None:
    for stdin in (b'{"a":' + b"[" * 50_000_000, b'{"a":"' + b'\\"' * 25_000_000, b'"' * 50_000_000):
        for event in ("UserPromptSubmit", "Stop"):
            harmless(machine.feed(event, stdin), event)


def test_a_client_that_went_away_is_no_trouble(machine: Machine) -> None:
    machine.write("semantic/db.md", "The billing events are in PostgreSQL.", title="Billing events")
    read, write = os.pipe()
    os.close(read)
    process = subprocess.Popen(
        [*machine.hook, "UserPromptSubmit"],
        stdin=subprocess.PIPE,
        stdout=write,
        stderr=subprocess.PIPE,
        env=machine.env,
        cwd=machine.project,
    )
    os.close(write)
    payload = json.dumps(machine.payload("UserPromptSubmit")).encode()

    _, err = process.communicate(payload, timeout=LONGEST)

    assert (process.returncode, err) == (0, b"")
