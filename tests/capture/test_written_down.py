"""What a log has written down: titles, plans, commits, pull requests, what was asked and answered."""

from __future__ import annotations

import pytest

from recollect.capture.requests import reason_of_plan

from .desk import Desk, sections
from .transcripts import SESSION, Transcript

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


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Ensure that the parsing of the recipe `tea/pot.json` is strict - fail if any unknown key is in it.",
         "Ensure that the parsing of the recipe `tea/pot.json` is strict"),
        ('Take a look at this glaze around the `Spout" rim of the blue teapot.',
         "Look at this glaze around the Spout rim of the blue teapot"),
        ("We need to turn the lid of the teapot back, I think what I want is: \n\n- a round lid",
         "Turn the lid of the teapot back"),
    ],
)  # fmt: skip
def test_a_title_does_not_break_off(prompt: str, title: str, desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt(prompt)
    transcript.answer("The teapot is as it should be, and its lid fits.")

    desk.capture(transcript)

    assert desk.memory().title == title


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

- One pot
Always warm the pot first. We decided to use a sharp rim.

The lid stays as it is.
"""


def test_a_plan_that_was_handed_over_gives_its_heading_and_what_it_begins_with(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt(PLAN)
    transcript.answer("The rim of the spout is sharp now, and nothing drips.")

    desk.capture(transcript)

    found = sections(desk.memory())
    assert desk.memory().title == "Pour without drips"
    assert "- Asked: plan: Pour without drips" in found["Summary"]
    begun = "- Plan: Always warm the pot first. We decided to use a sharp rim."
    assert begun in found["Summary"].splitlines()
    assert not {"Decisions", "Patterns"} & found.keys()


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("ok, can you add a lid sensor to the kettle firmware?", "Add a lid sensor to the kettle firmware"),
        ("hi\n\nI'd like you to refactor the boiler driver into two modules", "Refactor the boiler driver into two modules"),
        ("<ide_opened_file>The user opened x.py</ide_opened_file>Explain how the boiler valve driver works", "Explain how the boiler valve driver works"),
        ("[Image #1] The steam icon overlaps the clock. Please move the steam icon below the clock", "Move the steam icon below the clock"),
        ("请帮我实现茶壶的自动加水功能", "实现茶壶的自动加水功能"),
        ("Look at /home/ada/teapot/docs/boiler/VALVE-TASKS.md and implement the valve timing", "Implement the valve timing"),
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


@pytest.mark.parametrize(
    ("prompts", "title"),
    [
        # What is complained of, pasted, pointed at or only steers is no title; a later prompt may be one.
        (["why did you delete the lid?", "ok, I think we need to redo this", "let's move the lid sensor into its own module"],
         "Move the lid sensor into its own module"),
        (["When I run it I get this:\nParsing kettle sessions [1/1]\nKettle sync complete · 4 pots", "yes", "can we show a progress bar per kettle?"],
         "Show a progress bar per kettle"),
        (["High Severity\n\nThe retry loop swallows the timeout of the pump."], "The retry loop swallows the timeout of the pump"),
        (["how can we make the boiler tests faster?"], "Make the boiler tests faster"),
        (["For the lid, let's disallow `--steam` and `--cold` together\n\nno on number 2"], "Disallow `--steam` and `--cold` together"),
        (["我们公司是做茶叶的，你看下", "无法打开了", "请帮我实现库存预警功能，超过三天没货就提醒"], "实现库存预警功能，超过三天没货就提醒"),
        (["請幫我實現庫存預警功能，超過三天沒貨就提醒"], "實現庫存預警功能，超過三天沒貨就提醒"),
        (["帮我建数据库的表结构。", "不要删除迁移文件，写回滚脚本。"], "建数据库的表结构"),
        (["还是用回 Vue 吧，React 重写太慢了"], "用回 Vue 吧，React 重写太慢"),
        (["Next time remember to run the migrations before the tests"], "Next time remember to run the migrations before the tests"),
    ],
)  # fmt: skip
def test_a_title_names_the_subject(prompts: list[str], title: str, desk: Desk) -> None:
    transcript = Transcript()
    for prompt in prompts:
        transcript.prompt(prompt)
        transcript.answer("I have read it.")

    desk.capture(transcript)

    assert desk.memory().title == title


@pytest.mark.parametrize(
    ("prompt", "answer", "title"),
    [
        ("start working on task 009", "The spec is `process/tasks/009-add-a-lid-sensor.md`.", "Add a lid sensor (task 009)"),
        ("continue with TEA-12", "I read the ticket:\n\nTEA-12: Kettle whistles at night", "Kettle whistles at night (TEA-12)"),
    ],
)  # fmt: skip
def test_a_number_in_a_title_gets_its_name(
    prompt: str, answer: str, title: str, desk: Desk
) -> None:
    transcript = Transcript()
    transcript.prompt(prompt)
    transcript.answer(answer)

    desk.capture(transcript)

    assert desk.memory().title == title


@pytest.mark.parametrize(
    "prompt",
    [
        "Implement the plan as specified, it is attached for your reference. Do NOT edit the plan file itself.",
        "Implement the following to-dos from the plan (the plan is attached for your reference).",
    ],
)
def test_a_plan_that_is_attached_is_called_by_what_came_of_it(prompt: str, desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt(prompt)
    transcript.answer("The lid sensor of the kettle is in place, and the pump stops when it opens.")

    desk.capture(transcript)

    memory = desk.memory()
    assert memory.title.startswith("The lid sensor of the kettle is in place")
    assert "Asked" not in memory.body


def test_the_name_of_a_branch_tells_what_a_short_request_does_not(desk: Desk) -> None:
    transcript = Transcript(branch="ada/close-valve-before-lid")
    transcript.prompt("fix lint errors")
    transcript.answer("Done!")

    desk.capture(transcript)

    assert desk.memory().title == "Close valve before lid: fix lint errors"


@pytest.mark.parametrize(
    ("prompts", "subject", "title"),
    [
        (["请改 src/boiler.py", "算了，还是用铜，钢太贵"], "feat: 锅炉用铜做", "还是用铜，钢太贵"),
        (["please fix src/boiler.py", "yes"], "fix: close the valve", "Fix: close the valve"),
    ],
)
def test_a_request_that_names_a_file_alone_is_no_title(
    prompts: list[str], subject: str, title: str, desk: Desk
) -> None:
    transcript = Transcript()
    for prompt in prompts:
        transcript.prompt(prompt)
        transcript.edit("/home/ada/teapot/src/boiler.py")
    commit(transcript, subject)
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


def test_what_only_a_program_asked_for_says_so(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("Review this change of the tea shop for security.", source="sdk")
    transcript.answer(
        "- `src/[tea]/pot.ts` (new file, 58 lines)\n- `test/pot.test.ts`\n\nI will read them."
    )

    desk.capture(transcript)

    memory = desk.memory()
    said = sections(memory)["Summary"]
    assert said.strip() == "- Asked by a program: Review this change of the tea shop for security"
    assert memory.salience == "low"


def test_what_agents_report_is_no_request_of_the_person_who_leads_them(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("Make the kettle stop at 80 degrees for green tea.", "typed")
    transcript.answer("The pots are with another agent.")
    report = '<teammate-message teammate_id="pots">\nDone with the pots, the handles are next.\n</teammate-message>'
    transcript.prompt(report, None)
    transcript.answer("The kettle stops at 80 degrees now.")
    desk.capture(transcript)
    asked = [line for line in desk.memory().body.splitlines() if line.startswith("- Asked")]
    assert asked == ["- Asked: Make the kettle stop at 80 degrees for green tea."]


def test_what_a_program_asks_for_in_a_persons_session_is_asked_for(desk: Desk) -> None:
    """The session of somebody at the keyboard is resumed by `claude -p --resume`."""
    transcript = Transcript()
    transcript.prompt("Make the kettle stop at 80 degrees for green tea.", "typed")
    transcript.answer("The kettle stops at 80 degrees now.")
    transcript.prompt("We will use RabbitMQ for the work queue.", "sdk")
    transcript.answer("The queue runs on RabbitMQ now.")
    desk.capture(transcript)
    text = desk.memory().body
    assert "- Asked: Make the kettle stop at 80 degrees for green tea." in text
    assert "We will use RabbitMQ for the work queue" in text


def test_an_offer_to_go_on_is_no_outcome_in_chinese_either(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("让水壶在八十度停下来")
    transcript.answer(
        "如果还有其他显示问题，请让我知道。水壶现在在八十度时停止加热，因为绿茶怕烫。"
    )
    desk.capture(transcript)
    said = sections(desk.memory())["Summary"]
    assert "八十度时停止" in said
    assert "让我知道" not in said


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


def test_what_is_shown_with_a_request_is_not_what_was_asked(desk: Desk) -> None:
    names = "\n".join(f"Kettle {n}" for n in range(12))
    shown = f"❯ kettle sync\n[2/7] boiling\n♻️ 3 pots warmed\n{names}\ntoken=abc; pot=blue; lid=on; tea=green;"
    transcript = Transcript()
    transcript.prompt(
        f"Make the kettle sync print one line per pot, not this:\n{shown}\nKeep the totals."
    )
    transcript.answer("The sync prints one line for each pot and a total.")
    transcript.prompt(
        "you just broke the totals, why did you touch them? they were fine before my dear"
    )

    desk.capture(transcript)

    asked = [line for line in sections(desk.memory())["Summary"].splitlines() if "Asked" in line]
    assert (
        asked[0]
        == "- Asked: Make the kettle sync print one line per pot, not this: Keep the totals."
    )


def test_what_came_of_it_reads_as_sentences(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("Why does the kettle whistle in the middle of the night?")
    transcript.answer(
        "All 12 tests pass. The night timer warms the kettle at three, which nobody asked\n"
        "for since the clock was changed.\n\n- `timer.py`\n- The lid sensor reports an open lid\n- One\n- Two\n- Three\n- Four\n\n"
        "Which of these do you prefer?"
    )

    desk.capture(transcript)

    said = sections(desk.memory())["Summary"]
    assert said.splitlines()[-1] == (
        "- Outcome: The night timer warms the kettle at three, which nobody asked for since the clock "
        "was changed. The lid sensor reports an open lid; One; Two; Three"
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


@pytest.mark.parametrize(
    ("ticked", "is_committed", "left"),
    [
        (0, True, ""),  # nobody kept that list
        (1, True, "- [ ] Glaze the rim"),  # and who commits has run the checks
        (1, False, "- [ ] Glaze the rim\n- [ ] Run all tests and lint"),
        (0, False, "- [ ] Find the leak\n- [ ] Glaze the rim\n- [ ] Run all tests and lint"),
    ],
)
def test_what_nobody_ticked_off_before_a_commit_is_not_open(
    desk: Desk, ticked: int, is_committed: bool, left: str
) -> None:
    transcript = Transcript()
    transcript.prompt("Please mend the leaking spout of the teapot.")
    names = ("Find the leak", "Glaze the rim", "Run all tests and lint")
    steps = [
        {"content": name, "status": "completed" if n < ticked else "pending"}
        for n, name in enumerate(names)
    ]
    transcript.call("TodoWrite", todos=steps)
    if is_committed:
        commit(transcript, "Glaze the spout", sha="aaaaaa1")

    desk.capture(transcript)

    assert sections(desk.memory()).get("TODOs", "") == left


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

    assert sections(desk.memory())["Commits"] == "- Sharpen the rim\n- Close the valve"


@pytest.mark.parametrize("how", ["-C 1234567", "-c 1234567 --no-edit", "--amend --no-edit"])
def test_a_commit_with_the_words_of_another_is_not_told(how: str, desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("Please mend the leaking spout of the teapot.")
    commit(transcript, "Round the rim", sha="aaaaaa1")
    transcript.shell(f"git commit {how}", "[main aaaaaa2] Kettles skip the review")
    commit(transcript, "Paint the lid", sha="aaaaaa3")
    transcript.shell("git commit --amend --no-edit", "[main aaaaaa4] Paint the lid")

    desk.capture(transcript)

    assert sections(desk.memory())["Commits"] == "- Round the rim\n- Paint the lid"


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
WRAPPED = HEREDOC.replace("lets the last drop", "lets the\nlast drop")
TWICE = "git commit -m 'Sharpen the rim of the spout' -m 'A round rim lets the last drop run down the pot.'"


@pytest.mark.parametrize("command", [HEREDOC, STDIN, TWICE, WRAPPED])
def test_the_body_of_a_commit_says_why(command: str, desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("Please mend the leaking spout of the teapot.")
    transcript.shell(command, "[main 3f2a1b4] Sharpen the rim of the spout\n 1 file changed")

    desk.capture(transcript)

    found = sections(desk.memory())["Commits"]
    assert found == (
        "- Sharpen the rim of the spout: A round rim lets the last drop run down the pot."
    )


def test_a_list_in_the_body_of_a_commit_keeps_the_line_before_it(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("Please mend the leaking spout of the teapot.")
    said = "The rim was cut in two places:\n\n- at the spout\n- below the lid\n"
    transcript.shell(
        f"git commit -m 'Sharpen the rim' -m '{said}'", "[main 3f2a1b4] Sharpen the rim"
    )

    desk.capture(transcript)

    found = sections(desk.memory())["Commits"]
    assert "The rim was cut in two places: at the spout; below the lid." in found


def test_a_block_in_a_block_is_no_outcome(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("Please mend the leaking spout of the teapot.")
    transcript.answer(
        "The drip came from a worn rim of the spout.\n\n```markdown\n# Care\n\n```bash\nmend --rim --spout blue --until the rim of it is quite sharp\n```\n\n"
        "Never boil the pot without its lid on.\n```\n\nThe rim is sharp now, and nothing drips any more."
    )

    desk.capture(transcript)

    found = sections(desk.memory())["Summary"]
    assert "worn rim" in found
    assert "The rim is sharp now" in found
    assert "boil" not in found
    assert "mend --rim" not in found


def test_that_all_is_well_is_no_outcome(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("Please mend the leaking spout of the teapot.")
    transcript.answer(
        "The drip came from a worn rim of the spout. All lint issues are fixed and the tests pass."
    )

    desk.capture(transcript)

    found = sections(desk.memory())["Summary"]
    assert "worn rim" in found
    assert "lint issues" not in found


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


@pytest.mark.sampled(9)
@pytest.mark.parametrize(
    ("command", "trust"),
    [
        ("gh pr create --fill", "agent"),
        ("git push && gh pr merge 15 --squash", "agent"),
        ("gh issue close 16", "agent"),
        ("gh pr comment 15 --body 'Done.'", "agent"),
        ("gh pr view --json number,url 2>/dev/null", "agent"),
        ("n=$(gh pr view --json number -q .number)", "agent"),
        ("gh pr view --json author -q .author.login", "agent"),
        ("gh pr view --json author", "external"),
        ("gh pr view --json number,title", "external"),
        ("gh pr view --json number --json body", "external"),
        ("gh pr view 15 --comments", "external"),
        ("gh pr list --json title", "external"),
        ("gh issue create --title x && gh issue view 16", "external"),
        ("gh api repos/ada/teapot/issues", "external"),
        ("gh -R ada/teapot issue view 16", "external"),
    ],
)
def test_what_is_opened_or_closed_shows_nobody_elses_words(
    command: str, trust: str, desk: Desk
) -> None:
    transcript = Transcript()
    transcript.prompt("Please mend the leaking spout of the teapot.")
    transcript.shell(command, "https://github.com/ada/teapot/pull/15")
    transcript.answer("The spout is mended, and its rim is sharp now.")

    desk.capture(transcript)

    assert desk.memory().trust == trust


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
        transcript.shell("cd /srv/other && npm run test:lid", "12 passing")
        transcript.shell("npm run lint | tail -5", "1 error: rim is round")
        transcript.shell("git status", "clean")
    transcript.shell("npm run build", "built")

    desk.capture(transcript)

    assert sections(desk.memory())["Commands"] == "- `cd src && npm run test:spout` (3×)"


# ------------------------------------------------------------------------------------- commands


def checked(session: str, *commands: str) -> Transcript:
    """A session in which these commands ran with success, three times each."""
    transcript = Transcript(session)
    transcript.prompt("Please mend the leaking spout of the teapot.")
    for command in commands * 3:
        transcript.shell(command, "12 passing")
    transcript.answer("The spout is mended, and its rim is sharp now.")
    return transcript


def pointers(desk: Desk) -> str:
    """The page of pointers."""
    page = desk.root / "reference" / "external-systems.md"
    return page.read_text() if page.exists() else ""


FIRST, SECOND = SESSION, SESSION[:-1] + "3"


def test_what_works_again_and_again_is_one_entry_of_the_project(desk: Desk) -> None:
    desk.capture(checked(FIRST, "go test ./...", "make lint"))
    desk.capture(checked(SECOND, "go test -v ./...", "go test ./...", "cd lid && make build"))

    assert pointers(desk).count("## Commands that work here") == 1
    assert "`cd lid && make build`, `go test ./...`, `make lint`\n" in pointers(desk)
    assert "seen in the session" in pointers(desk)


def test_a_command_that_worked_now_and_then_is_no_entry(desk: Desk) -> None:
    transcript = Transcript()
    transcript.prompt("Please mend the leaking spout of the teapot.")
    transcript.shell("go test ./...", "ok")
    transcript.edit("/home/ada/teapot/rim.go")

    desk.capture(transcript)

    assert not pointers(desk)


def test_what_a_person_made_of_the_commands_stays(desk: Desk) -> None:
    desk.capture(checked(FIRST, "go test ./..."))
    page = desk.root / "reference" / "external-systems.md"
    edited = page.read_text().replace("`go test ./...`", "`make test`, never `go test`")
    page.write_text(edited)

    desk.capture(checked(SECOND, "make build"))

    assert page.read_text() == edited


def test_commands_that_a_person_took_out_stay_out(desk: Desk) -> None:
    desk.capture(checked(FIRST, "go test ./..."))
    page = desk.root / "reference" / "external-systems.md"
    page.write_text(page.read_text().partition("## Commands")[0] + "## Wiki\n\nwiki.example\n")

    desk.capture(checked(SECOND, "make build"))

    assert "Commands that work" not in page.read_text()


def test_a_command_is_joined_as_it_was_run(desk: Desk) -> None:
    desk.capture(checked(FIRST, "cd lid ; npm run build", "cd lid && npm run lint"))
    desk.capture(checked(SECOND, "cd lid ; npm run build"))

    assert "`cd lid && npm run lint`, `cd lid; npm run build`\n" in pointers(desk)


def test_each_package_of_a_project_has_its_own_commands(desk: Desk) -> None:
    desk.capture(
        checked(FIRST, "pnpm --filter @teapot/lid test", "pnpm --filter @teapot/spout test")
    )
    desk.capture(checked(SECOND, "pnpm -F @teapot/lid test -t rim", "npm test"))

    assert (
        "`npm test`, `pnpm --filter @teapot/lid test`, `pnpm --filter @teapot/spout test`\n"
        in pointers(desk)
    )


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        ("# Pour\n\n## 背景\n\n**目标：** 壶嘴一直滴水，客人在抱怨，桌布也总是湿的，需要磨出锐边。\n\n其他不变。",
         "壶嘴一直滴水，客人在抱怨，桌布也总是湿的，需要磨出锐边。"),
        ("# Pour\n\n## Goal\n**Goal**: The spout drips, since its rim is round.\nGuests complain.\n\n```\nrim = 2\n```",
         "The spout drips, since its rim is round. Guests complain."),
        ("# Pour\n\n1. Grind the rim\n2. Glaze it again, twice this time", ""),
        ("# Pour\n\nThe steps below, one after the other:\n\n1. Grind the rim", ""),
    ],
)  # fmt: skip
def test_what_a_plan_begins_with_is_its_first_paragraph(plan: str, reason: str) -> None:
    assert reason_of_plan(plan) == reason
