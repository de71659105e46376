"""What a title says: rules under their headings, and files and sections that say nothing else."""

from __future__ import annotations

import re

import pytest

from recollect.consolidate.actions import Archive, AskPerson, conflict_key
from recollect.consolidate.claims import statements_of
from recollect.consolidate.pages import reading_of
from recollect.model import document as codec
from recollect.model.claim_key import near_key
from recollect.model.document import sections_of
from recollect.model.footnotes import label_of

from .build import episode
from .plans import plan
from .test_lifecycle import FEEDBACK, RULED, kinds, page, run


def headings(text: str) -> list[str]:
    return [section.heading for section in sections_of(codec.body_of(text))][1:]


def said(text: str) -> list[str]:
    return [one.text for one in statements_of(codec.body_of(text))]


# ------------------------------------------------------------------------- rules and their titles


@pytest.mark.parametrize(
    "rule", ["Use npm", "永远不要提交密钥", "Never push to main: it is shared"]
)
def test_a_rule_that_is_said_again_is_marked_in_its_line_and_not_in_its_heading(rule: str) -> None:
    files = run([episode(1, f"- {rule}")])[1]
    again = episode(3, f"- {rule}")
    _, after = run([again], files)
    assert headings(after[FEEDBACK]) == headings(files[FEEDBACK])
    old, new = (codec.body_of(text[FEEDBACK]) for text in (files, after))
    assert new == old.replace(
        f"^{label_of('e1')}; date: 2026-01-01", f"^{label_of('e3')}; date: 2026-01-03"
    ).replace("Episode 1", "Episode 3")
    assert not [a for a in plan([again], after, RULED) if not isinstance(a, Archive)]


@pytest.mark.parametrize(
    "body",
    ["Use npm.", "- Use npm\n- It is fast.", "Use npm. It is fast.", "It is fast.\n\nUse npm."],
)
@pytest.mark.parametrize(
    "heading", ["Use npm", "use NPM!", "Use npm.", "Use `npm`", "Use npm (agent)"]
)
@pytest.mark.parametrize("more", ["", "## It is fast\n\nNever push to main.\n\n"])
def test_a_rule_that_was_turned_round_has_no_heading_that_says_the_old_one(
    heading: str, body: str, more: str
) -> None:
    files = {FEEDBACK: page(f"{more}## {heading}\n\n{body}\n\n## Other\n\nHost is db.")}
    actions, after = run([episode(2, "Never use npm.")], files)
    assert "Replace" in {type(action).__name__ for action in actions}
    names = headings(after[FEEDBACK])
    assert not [name for name in names if name.casefold().startswith("use")]
    assert "Other" in names
    assert "Never use npm." in said(after[FEEDBACK])
    left = [one for one in said(files[FEEDBACK]) if one.rstrip(".") != "Use npm"]
    assert set(left) <= set(said(after[FEEDBACK]))
    assert run([episode(2, "Never use npm.")], after)[1] == after


# ------------------------------------------------------------- files and sections that are a title

DECISION = "semantic/decisions/npm.md"


def titled(title: str, body: str = "", **fields: str) -> str:
    """A file as `save` makes it."""
    lines = {"title": title, "kind": "decision", "tags": "[redis, cache]", "created": "2025-12-01"}
    head = "".join(f"{key}: {value}\n" for key, value in (lines | fields).items())
    return f"---\n{head}---\n# {title}\n" + (f"\n{body}\n" if body else "")


CASES = [
    ("Use npm", "Never use npm."),
    ("We use npm here", "We no longer use npm here."),
    ("The port of the API is 8080", "The port of the API is 9090."),
    ("使用 npm", "不要使用 npm。"),
    ("端口是 8080", "端口是 9090。"),
]


@pytest.mark.parametrize(("title", "new"), CASES)
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (DECISION, "decision"),
        ("semantic/npm.md", "fact"),
        ("procedural/patterns/npm.md", "pattern"),
    ],
)
def test_a_file_that_is_a_title_is_superseded_by_what_is_said_later(
    path: str, kind: str, title: str, new: str
) -> None:
    files = {path: titled(title, kind=kind)}
    one = episode(2, new)
    actions, after = run([one], files)
    assert kinds(actions) == ["Retire", "CreateFile", "AddClaim", "Archive"]
    assert codec.memory_from_text(after[path], path).status == "superseded"
    assert after[path].endswith(files[path].partition("tags")[2].partition("created")[2])
    assert [text for p in after if p != path for text in said(after[p])] == [new]
    assert run([one], after)[1] == after


@pytest.mark.parametrize(("title", "new"), CASES)
def test_what_was_said_before_the_title_changes_nothing(title: str, new: str) -> None:
    files = {DECISION: titled(title, created="2026-02-01")}
    actions, after = run([episode(2, new)], files)
    assert (kinds(actions), after) == (["Archive"], files)


@pytest.mark.parametrize(("title", "new"), CASES)
def test_a_persons_title_is_not_changed_by_what_is_trusted_less(title: str, new: str) -> None:
    files = {DECISION: titled(title)}
    actions, after = run([episode(2, new, trust="agent")], files)
    (wait,) = actions
    assert isinstance(wait, AskPerson)
    assert (wait.held, wait.path, after) == (title, DECISION, files)


def test_a_title_that_is_said_again_is_known_and_counts_from_then_on() -> None:
    files = {DECISION: titled("Use npm")}
    again, against = episode(3, "Use npm!"), episode(2, "Never use npm.")
    actions, after = run([again, against], files)
    assert (kinds(actions), after) == (["Archive", "Archive"], files)


def test_of_an_issue_and_of_a_subject_nothing_is_compared() -> None:
    for fields in ({"kind": "issue"}, {"kind": "issue", "status": "resolved"}):
        files = {"semantic/issues/a.md": titled("The login works", **fields)}
        assert kinds(run([episode(2, "The login never works.")], files)[0]) == [
            "AddClaim",
            "Archive",
        ]
    files = run([episode(1, "Port is 8080.")])[1]
    found = [reading_of(path, text) for path, text in files.items()]
    assert [[held.title for held in one.held] for one in found] == [[""]]


# With a reason below it, or with what was put into the file since.

WITH_REASON = {DECISION: titled("Use npm", "It is fast.")}
AGAINST = episode(2, "Never use npm.")
KEY = conflict_key("Never use npm.", "Use npm")


def test_a_decision_with_its_reason_waits_for_a_person() -> None:
    actions, after = run([AGAINST], WITH_REASON)
    (wait,) = actions
    assert isinstance(wait, AskPerson)
    assert (wait.key, wait.old, wait.new) == (KEY, "Use npm", "Never use npm.")
    assert after == WITH_REASON


@pytest.mark.parametrize(
    ("ruling", "is_gone", "is_said"),
    [("old", False, False), ("new", True, True), ("both", False, True), ("neither", True, False)],
)
def test_a_ruling_settles_a_decision_with_its_reason(
    ruling: str, is_gone: bool, is_said: bool
) -> None:
    rules = RULED._replace(rulings={KEY: ruling})
    if ruling == "neither":
        rules = rules._replace(removed={near_key("Never use npm."): "2026-05-01"})
    actions, after = run([AGAINST], WITH_REASON, rules)
    assert (codec.memory_from_text(after[DECISION], DECISION).status == "superseded") == is_gone
    assert ("Never use npm." in [text for p in after for text in said(after[p])]) == is_said
    assert isinstance(actions[-1], Archive)
    assert not [a for a in run([AGAINST], after, rules)[0] if not isinstance(a, Archive)]


@pytest.mark.parametrize("reason", ["Fast!", "It is fast.", "```\nnpm ci\n```"])
def test_what_was_put_below_a_reason_stays_when_a_person_rules(reason: str) -> None:
    files = run([episode(1, "Host is db.")], {DECISION: titled("Use npm", reason)})[1]
    assert "Host is db." in said(files[DECISION])
    assert kinds(run([AGAINST], files)[0]) == ["AskPerson"]
    _, after = run([AGAINST], files, RULED._replace(rulings={KEY: "new"}))
    assert "superseded\n" not in after[DECISION].partition("---\n#")[0]
    assert "Host is db." in said(after[DECISION])
    assert codec.memory_from_text(after[DECISION], DECISION).title == "Database"


def test_a_reason_that_is_overtaken_takes_no_decision_along() -> None:
    files = {DECISION: titled("Use Redis for the cache", "Port is 8080.")}
    actions, after = run([episode(2, "Port is 9090.")], files)
    assert kinds(actions) == ["Replace", "Archive"]
    assert after[DECISION].startswith("---\ntitle: Use Redis for the cache\n")
    assert "status" not in after[DECISION]


@pytest.mark.parametrize(
    ("title", "new", "named"),
    [("Use npm", "Never use npm.", "Database"), ("使用 npm", "不要使用 npm。", "数据库")],
)  # fmt: skip
def test_what_was_put_into_a_file_since_stays_when_its_title_goes(
    title: str, new: str, named: str
) -> None:
    files = run([episode(1, "Host is db.")], {DECISION: titled(title)})[1]
    assert "updated" not in files[DECISION]  # it is still as old as its title
    one = episode(2, new)
    actions, after = run([one], files)
    assert "Retire" not in kinds(actions)
    memory = codec.memory_from_text(after[DECISION], DECISION)
    assert (memory.title, memory.kind, memory.status) == (named, "fact", "confirmed")
    assert f"# {named}\n\n<!-- superseded 2026-01-02: previously {title} -->\n\n" in after[DECISION]
    assert "Host is db." in said(after[DECISION])
    assert run([one], after)[1] == after


def test_the_order_of_what_is_put_in_and_what_contradicts_makes_no_difference() -> None:
    noted, against = episode(1, "Host is db."), episode(2, "Never use npm.")
    wanted = {"Host is db.", "Never use npm."}
    for first, second in ((noted, against), (against, noted)):
        files = run([second], run([first], {DECISION: titled("Use npm")})[1])[1]
        held = [one.text for p in files if (r := reading_of(p, files[p])).page for one in r.held]
        assert set(held) == wanted
    files = run([noted, against], {DECISION: titled("Use npm")})[1]
    held = [one.text for p in files if (r := reading_of(p, files[p])).page for one in r.held]
    assert set(held) == wanted


def test_a_title_follows_the_line_that_it_repeats() -> None:
    files = {"semantic/npm.md": titled("Use npm", "- Use npm.\n- Host is db.", kind="fact")}
    _, after = run([episode(2, "Never use npm.")], files)
    assert (
        codec.memory_from_text(after["semantic/npm.md"], "semantic/npm.md").title == "Never use npm"
    )
    assert re.search(r"# Never use npm\n\n- Never use npm\. \^\w+ \[\^", after["semantic/npm.md"])


@pytest.mark.parametrize(
    ("rule", "new"), [("Use npm", "Never use npm."), ("使用 npm", "不要使用 npm。")]
)
@pytest.mark.parametrize("more", ["", "## Other\n\nHost is db.\n\n"])
def test_a_rule_that_is_only_a_heading_is_turned_round(rule: str, new: str, more: str) -> None:
    files = {FEEDBACK: page(f"{more}## {rule}\n\n## Last\n\nDisk is full.")}
    actions, after = run([episode(2, new)], files)
    assert kinds(actions) == ["Replace", "Archive"]
    said = re.escape(f"{more}## {new}")
    assert re.search(rf"{said} \^\w+ \[\^{label_of('e2')}\]\n", after[FEEDBACK])
    assert f"\n<!-- superseded 2026-01-02: previously {rule} -->\n\n## Last\n" in after[FEEDBACK]
    assert run([episode(2, new)], after)[1] == after


def test_a_rule_with_its_reason_under_its_heading_waits_for_a_person() -> None:
    files = {FEEDBACK: page("## Use npm\n\nIt is fast.\n\n## Last\n\nDisk is full.")}
    actions, after = run([AGAINST], files)
    assert (kinds(actions), after) == (["AskPerson"], files)
    rules = RULED._replace(rulings={KEY: "new"})
    _, after = run([AGAINST], files, rules)
    assert headings(after[FEEDBACK]) == ["Never use npm", "Last"]
    assert said(after[FEEDBACK]) == ["Never use npm.", "Disk is full."]
    assert "<!-- superseded 2026-01-02: previously Use npm: It is fast. -->" in after[FEEDBACK]
    assert not [a for a in run([AGAINST], after, rules)[0] if not isinstance(a, Archive)]


def test_a_heading_that_says_what_stands_below_it_is_no_statement_of_its_own() -> None:
    long = (
        "Never push to the main branch without asking the person who looks after the release first."
    )
    files = run([episode(1, f"{long} Use npm.")])[1]
    found = reading_of(FEEDBACK, files[FEEDBACK])
    assert sorted(held.text for held in found.held) == [long, "Use npm."]


# ------------------------------------------------------------------- episodes that are a title


@pytest.mark.parametrize("title", ["The staging host is in Frankfurt", "测试环境在法兰克福"])
def test_an_episode_that_is_a_title_is_not_lost_in_the_archive(title: str) -> None:
    one = episode(1, f"# {title}\n", title=title)
    actions, files = run([one])
    assert [text for file in files.values() for text in said(file)] == [title]
    assert kinds(actions)[-1] == "Archive"
    assert kinds(run([one], files)[0]) == ["Archive"]
    for other in (
        one._replace(kind="session"),
        one._replace(body="## A title of it\n"),
        one._replace(title="e1"),
    ):
        assert run([other])[1] == {}
