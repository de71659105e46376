"""What must not be kept reaches no file: not the store, not the cache, packed or plain."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .desk import Desk
from .transcripts import Transcript

# Put together here, so that nobody takes them for real ones.
TOKEN = "ghp_" + "x7K2m9Qa" * 5
KEY_LINES = ["b3BlbnNzaC1rZXktdjEAAAAA" + f"{n:02}" + "QmFzZTY0" * 4 for n in range(90)]
PEM = "\n".join(
    [
        "-----BEGIN " + "OPENSSH PRIVATE KEY-----",
        *KEY_LINES,
        "-----END OPENSSH " + "PRIVATE KEY-----",
    ]
)
HIDDEN = "kangaroo-in-the-cellar"
SECRETS: dict[str, tuple[str, list[str]]] = {
    "a token": (f"it is {TOKEN} indeed", [TOKEN, TOKEN[8:]]),
    "a password": ("password = hunter2-and-more9", ["hunter2-and-more9"]),
    "a URL": ("postgres://ada:s3cr3t-Pa55@db/teapot", ["s3cr3t-Pa55"]),
    "a private part": (f"<private>{HIDDEN}</private>", [HIDDEN]),
    "an upper-case private part": (f"< PRIVATE x='y'>\n{HIDDEN}\n</Private >", [HIDDEN]),
    "an unclosed private part": (f"look <private> {HIDDEN}", [HIDDEN]),
    "a private key": (PEM, [KEY_LINES[0], KEY_LINES[44], KEY_LINES[-1]]),
}


def _prompt(transcript: Transcript, secret: str) -> None:
    transcript.prompt(f"We decided to use this: {secret}")
    transcript.queued(f"Always remember: {secret}")
    transcript.command("remember", secret, "x")
    transcript.prompt([{"type": "text", "text": f"TODO: {secret}"}, {"type": "image"}])


def _answer(transcript: Transcript, secret: str) -> None:
    transcript.answer(f"I decided to write {secret}")
    transcript.answer(f"Decision: {secret}\n- [ ] {secret}")


def _command(transcript: Transcript, secret: str) -> None:
    transcript.shell(f"curl -H '{secret}'", f"Error: denied {secret}", code=1)
    transcript.shell(f"curl -k -H '{secret}'", f"fine {secret}")
    transcript.shell(f'git commit -m "{secret}"')


def _path(transcript: Transcript, secret: str) -> None:
    for tool in ("Edit", "Write", "NotebookEdit"):
        transcript.edit(f"/home/ada/teapot/{secret}", tool)
    transcript.call("Read", file_path=f"/home/ada/teapot/{secret}")
    transcript.call("Grep", pattern=secret)
    transcript.call("WebFetch", url=f"https://x/?q={secret}")


def _result(transcript: Transcript, secret: str) -> None:
    for error in (False, True):
        call = transcript.call("mcp__db__query", query="x")
        transcript.result(call, [{"type": "text", "text": secret}], error=error, extra=[secret])


def _todo(transcript: Transcript, secret: str) -> None:
    transcript.call("TodoWrite", todos=[{"content": secret, "status": "pending"}])
    task = {"task": {"id": "1", "subject": secret}}
    transcript.result(transcript.call("TaskCreate", subject=secret), "ok", extra=task)


def _choice(transcript: Transcript, secret: str) -> None:
    transcript.ask((f"Do we use {secret} here?", ["Keep it", f"Drop {secret}"], "Keep it"))
    transcript.ask(("What do we use for the pot?", [secret, "Porcelain"], secret))
    transcript.ask(("What do we use for the lid?", ["Tin", "Glass"], f"always use {secret}"))


def _refusal(transcript: Transcript, secret: str) -> None:
    transcript.refuse(transcript.call("Bash", command="x"), f"never use {secret}")
    transcript.approve(f"# Use {secret}\n\n{secret}")


def _recap(transcript: Transcript, secret: str) -> None:
    transcript.compaction(f"4. Errors and fixes:\n   - The pot leaks because of {secret}")
    transcript.compaction(f"7. Pending Tasks:\n   - Rotate {secret}\n\n{secret}")


CARRIERS = (_prompt, _answer, _command, _path, _result, _todo, _choice, _refusal, _recap)


def found_in(desk: Desk, values: list[str]) -> list[str]:
    """The files in which one of these values stands, in any case."""
    wanted = [value.lower().encode() for value in values]
    return [name for name, data in desk.everything() if any(v in data.lower() for v in wanted)]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_secret_reaches_no_file(
    carrier: Callable[[Transcript, str], None], name: str, desk: Desk
) -> None:
    secret, values = SECRETS[name]
    transcript = Transcript()
    transcript.prompt("Please set up the connection of the teapot.")
    carrier(transcript, secret)
    transcript.answer("It is set up.")

    desk.capture(transcript, over=False)
    assert found_in(desk, values) == []
    desk.capture(transcript)

    assert desk.memories()
    assert found_in(desk, values) == []


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("code", [0, 1])
@pytest.mark.parametrize("before", [350, 396, 2_990, 3_500, 7_900])
def test_a_secret_reaches_no_file_where_a_long_output_is_cut(
    before: int, code: int, name: str, desk: Desk
) -> None:
    secret, values = SECRETS[name]
    fill = ("plain words of a log\n" * 1_000)[:before]
    transcript = Transcript()
    transcript.prompt("Please set up the connection of the teapot.")
    transcript.shell("cat setup.log", f"{fill}{secret}", code=code)
    transcript.shell("cat setup.log", f"{fill}{secret}\n{fill[:500]}", code=code)
    transcript.answer("It is set up.")

    desk.capture(transcript)

    assert found_in(desk, [*values, *(v[: len(v) // 2] for v in values if len(v) > 30)]) == []


@pytest.mark.parametrize("before", [470, 499, 3_960, 3_999])
def test_a_secret_reaches_no_file_where_a_long_command_is_cut(before: int, desk: Desk) -> None:
    fill = "a" * before
    transcript = Transcript()
    transcript.prompt("Please set up the connection of the teapot.")
    transcript.shell(f"echo {fill} {TOKEN}")
    transcript.call("Grep", pattern=f"{fill} {TOKEN}")
    transcript.answer("It is set up.")

    desk.capture(transcript)

    assert found_in(desk, [TOKEN[:16]]) == []


def test_a_secret_reaches_no_file_when_a_turn_comes_in_two_halves(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt(f"Please use the key {TOKEN} for the teapot.")
    path = desk.logs / f"{transcript.session}.jsonl"
    desk.logs.mkdir(parents=True)
    for cut in range(0, len(transcript.data) + 1, 97):
        path.write_bytes(transcript.data[:cut])
        with desk.opened() as capture:
            capture.take_in("claude", str(path), over=True)

    desk.capture(transcript)

    assert found_in(desk, [TOKEN, TOKEN[8:]]) == []


def test_what_was_captured_is_for_its_owner_only(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("Please set up the connection of the teapot.")
    transcript.answer("It is set up.")

    desk.capture(transcript)

    made = [*(desk.root / "sessions").rglob("*"), *desk.cache.rglob("*")]
    assert made
    assert not [p for p in made if p.stat().st_mode & 0o077]
