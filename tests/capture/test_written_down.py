"""What a log has written down: titles, plans, commits, pull requests, what was asked and answered."""

from __future__ import annotations

import pytest

from .desk import Desk, sections
from .transcripts import Transcript

# ------------------------------------------------------------------------------------------ titles


def commit(transcript: Transcript, subject: str, *, sha: str = "3f2a1b4", how: str = "") -> None:
    """A commit with this subject, as git tells it."""
    command = f'git add -A && git commit {how} -m "{subject}"'
    transcript.shell(command, f"[main {sha}] {subject}\n 2 files changed, 3 insertions(+)")


@pytest.mark.parametrize(
    ("kind", "field"),
    [("ai-title", "aiTitle"), ("custom-title", "customTitle"), ("summary", "summary")],
)
def test_the_clients_own_title_is_the_title(kind: str, field: str, desk: Desk) -> None:
    transcript = Transcript()
    leaf = transcript.prompt("can you please look into the thing that we talked about?")
    transcript.answer("The spout drips because its rim is round.")
    transcript.note(kind, **{field: "Stop the spout from dripping"}, leafUuid=leaf["uuid"])

    desk.capture(transcript)

    assert desk.memory().title == "Stop the spout from dripping"


def test_a_title_that_a_person_gave_wins_over_the_clients(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("Please mend the spout of the teapot.")
    transcript.note("custom-title", customTitle="Spout week, part two")
    transcript.answer("The spout is mended, and its rim is sharp now.")
    transcript.note("ai-title", aiTitle="Mend the teapot spout")

    desk.capture(transcript)

    assert desk.memory().title == "Spout week, part two"


@pytest.mark.parametrize("title", ["Select option 2", "New session", "Claude CLI Session Exit", "/clear"])  # fmt: skip
def test_a_title_that_fits_any_session_is_not_used(title: str, desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("Please mend the leaking spout of the teapot.")
    transcript.answer("The spout is mended, and its rim is sharp now.")
    transcript.note("ai-title", aiTitle=title)

    desk.capture(transcript)

    assert desk.memory().title == "Mend the leaking spout of the teapot"


def test_the_summary_of_another_session_is_no_title(desk: Desk) -> None:
    transcript = Transcript()
    transcript.note("summary", summary="Glaze the sugar bowl", leafUuid="0" * 36)
    transcript.prompt("Please mend the leaking spout of the teapot.")
    transcript.answer("The spout is mended, and its rim is sharp now.")

    desk.capture(transcript)

    assert desk.memory().title == "Mend the leaking spout of the teapot"


PLAN = """Implement the following plan:

# Plan: Pour without drips

## Context

Always warm the pot first. We decided to use a sharp rim.
"""


def test_a_plan_that_was_handed_over_gives_its_heading_and_nothing_else(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt(PLAN)
    transcript.answer("The rim of the spout is sharp now, and nothing drips.")

    desk.capture(transcript)

    found = sections(desk.memory())
    assert desk.memory().title == "Pour without drips"
    assert "- Asked: plan: Pour without drips" in found["Summary"]
    assert not {"Decisions", "Patterns"} & found.keys()


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("ok, can you add a lid sensor to the kettle firmware?", "Add a lid sensor to the kettle firmware"),
        ("hi\n\nI'd like you to refactor the boiler driver into two modules", "Refactor the boiler driver into two modules"),
        ("<ide_opened_file>The user opened x.py</ide_opened_file>Explain how the boiler valve driver works", "Explain how the boiler valve driver works"),
        ("[Image #1] The steam icon overlaps the clock. Please move the steam icon below the clock", "Move the steam icon below the clock"),
        ("请帮我实现茶壶的自动加水功能", "实现茶壶的自动加水功能"),
        ("Look at /home/ada/teapot/docs/boiler/VALVE-TASKS.md and implement the valve timing", "Look at VALVE-TASKS.md and implement the valve timing"),
    ],
)  # fmt: skip
def test_a_title_is_made_of_the_prompt_that_says_most(prompt: str, title: str, desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("hello" if prompt.isascii() else "你好")
    transcript.answer("Hello! How can I help?")
    transcript.prompt(prompt)
    transcript.answer("I have read it.")
    transcript.prompt("yes" if prompt.isascii() else "继续")
    transcript.answer("Done!")

    desk.capture(transcript)

    assert desk.memory().title == title


def test_a_commit_says_better_what_was_done_than_a_prompt_that_names_nothing(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("can you address the review comments?")
    commit(transcript, "fix(boiler): close the valve before the lid opens")
    transcript.answer("Done!")

    desk.capture(transcript)

    assert desk.memory().title == "Fix: close the valve before the lid opens"


# ------------------------------------------------------------------------- what a session came to


def test_requests_are_kept_whole_and_what_only_steers_is_not(desk: Desk) -> None:
    whole = (
        "Make the kettle stop at 80 degrees for green tea, since boiling water makes it bitter, "
        "and let people set another temperature for each kind of tea in the settings file"
    )
    transcript = Transcript()
    for prompt in ("hi", whole, "yes", "continue", "commit this", "thanks!", "ok, push it"):
        transcript.prompt(prompt)
        transcript.answer("Perfect! Now let me look at the next step:")

    desk.capture(transcript)

    asked = [line for line in sections(desk.memory())["Summary"].splitlines() if "Asked" in line]
    assert asked == [f"- Asked: {whole}"]


def test_a_request_copied_out_of_a_browser_is_not_asked_for(desk: Desk) -> None:
    transcript = Transcript()
    copied = "curl 'https://tea.example/price' \\\n  -H 'Accept: */*' \\\n  -H 'Cookie: pot=blue'"
    transcript.prompt(f"Read the price list of the tea shop.\n{copied}")
    transcript.answer("The price list has four teas.")

    desk.capture(transcript)

    said = sections(desk.memory())["Summary"]
    assert "- Asked: Read the price list of the tea shop\n" in said.replace("shop.\n", "shop\n")
    assert "Cookie" not in said


def test_what_came_of_it_is_no_progress_report(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("Why does the kettle whistle in the middle of the night?")
    transcript.answer(
        "Great question! The night timer warms the kettle at three. "
        "The lid sensor then reports an open lid.\n\nWould you like me to change the timer?"
    )
    transcript.prompt("no, thanks")
    transcript.answer("Perfect! Now let me tidy up:")
    transcript.shell("ls")

    desk.capture(transcript)

    said = sections(desk.memory())["Summary"]
    assert (
        "- Outcome: The night timer warms the kettle at three. "
        "The lid sensor then reports an open lid.\n" in f"{said}\n"
    )


def test_of_a_list_of_steps_only_those_are_kept_that_are_open_at_the_end(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("Please mend the leaking spout of the teapot.")
    names = ("Find the leak", "Ask a potter", "Glaze the rim", "Write it down")
    first, potter, glaze, write = ({"content": name, "status": "pending"} for name in names)
    transcript.call("TodoWrite", todos=[first, potter, glaze, write])
    transcript.call("TodoWrite", todos=[first | {"status": "completed"}, glaze, write])

    desk.capture(transcript)

    assert sections(desk.memory())["TODOs"] == "- [ ] Glaze the rim\n- [ ] Write it down"


# ------------------------------------------------------------------- commits and pull requests


def test_commits_that_stand_are_told_and_those_taken_back_are_not(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("Please mend the leaking spout of the teapot.")
    commit(transcript, "Round the rim", sha="aaaaaa1")
    commit(transcript, "Sharpen the rim", sha="aaaaaa2", how="--amend")
    commit(transcript, "Paint the lid", sha="aaaaaa3")
    transcript.shell("git reset --hard HEAD~1", "HEAD is now at aaaaaa2 Sharpen the rim")
    commit(transcript, "Add a drip tray", sha="aaaaaa4")
    transcript.shell("git revert --no-edit HEAD", '[main aaaaaa5] Revert "Add a drip tray"')
    commit(transcript, "Close the valve", sha="aaaaaa6")
    transcript.shell('git commit -m "Never made"', "nothing to commit", code=1)

    desk.capture(transcript)

    said = sections(desk.memory())["Summary"]
    assert "- Commits: Sharpen the rim; Close the valve" in said


HEREDOC = """git add rim.py && git commit -m "$(cat <<'EOF'
Sharpen the rim of the spout

A round rim lets the last drop run down the pot.

Co-Authored-By: Claude <noreply@anthropic.com>
EOF
)" && git push"""
STDIN = """git commit -F - <<'EOF'
Sharpen the rim of the spout

A round rim lets the last drop run down the pot.
EOF"""
TWICE = "git commit -m 'Sharpen the rim of the spout' -m 'A round rim lets the last drop run down the pot.'"


@pytest.mark.parametrize("command", [HEREDOC, STDIN, TWICE])
def test_the_body_of_a_commit_says_why(command: str, desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("Please mend the leaking spout of the teapot.")
    transcript.shell(command, "[main 3f2a1b4] Sharpen the rim of the spout\n 1 file changed")

    desk.capture(transcript)

    found = sections(desk.memory())["Commits"]
    assert found == (
        "- Sharpen the rim of the spout: A round rim lets the last drop run down the pot."
    )


def test_a_pull_request_and_an_issue_are_told_with_what_they_say(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("ok, now make a pull request")
    body = "The rim is sharp now, so that the last drop stays inside the pot."
    transcript.shell(
        f'gh pr create --title "Stop the drips" --body "$(cat <<\'EOF\'\n## Summary\n{body}\nEOF\n)"',
        "https://github.com/ada/teapot/pull/15",
    )
    transcript.shell(
        'gh issue create --title "Lid rattles" --body "Seen since the new boiler came."',
        "https://github.com/ada/teapot/issues/16",
    )
    transcript.note("pr-link", prNumber=15, prUrl="https://github.com/ada/teapot/pull/15")

    desk.capture(transcript)

    said = sections(desk.memory())["Summary"]
    assert desk.memory().title == "Stop the drips"
    assert f"- Pull request: #15 Stop the drips: {body}" in said
    assert "- Issue: #16 Lid rattles: Seen since the new boiler came." in said
    assert said.count("#15") == 1


def test_a_document_that_was_written_is_pointed_to(desk: Desk) -> None:
    transcript = Transcript(cwd=str(desk.project))
    transcript.prompt("Please write down why the rim of the spout is sharp.")
    transcript.edit(str(desk.project / "docs" / "adr" / "sharp-rims.md"))
    transcript.edit(str(desk.project / "src" / "rim.py"))

    desk.capture(transcript)

    assert "- Wrote: `docs/adr/sharp-rims.md`" in sections(desk.memory())["Summary"]


def test_a_check_that_works_again_and_again_is_told(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("Please mend the leaking spout of the teapot.")
    for _ in range(3):
        transcript.shell("cd src && npm run test:spout 2>&1 | tail -20", "12 passing")
        transcript.shell("npm run lint | tail -5", "1 error: rim is round")
        transcript.shell("git status", "clean")
    transcript.shell("npm run build", "built")

    desk.capture(transcript)

    assert sections(desk.memory())["Commands"] == "- `npm run test:spout` (3×)"
