"""What consolidation plans, case by case. Bugs J7 (facts lost), J8 (appended again), J9 (no claims)."""

from __future__ import annotations

import pytest

from recollect.consolidate.actions import (
    Action,
    AddClaim,
    Archive,
    AskPerson,
    CreateFile,
    Merge,
    PlanRules,
    Retire,
    conflict_key,
)
from recollect.consolidate.claims import Claim
from recollect.consolidate.pages import reading_of
from recollect.model import document as codec
from recollect.model.claim_key import near_key
from recollect.model.entries import index_units
from recollect.model.footnotes import label_of, short_id
from recollect.model.memory import Memory

from .build import episode
from .plans import applied, plan

RULED = PlanRules("2026-05-01")
FEEDBACK = "procedural/feedback.md"


def page(body: str, *, created: str = "2025-12-01", **fields: str) -> str:
    lines = {"tags": "[redis, cache]", "created": created} | fields
    head = "".join(f"{key.replace('_', '-')}: {value}\n" for key, value in lines.items())
    return f"---\n{head}---\n# Mine\n\n{body}\n"


def run(
    episodes: list[Memory], files: dict[str, str] | None = None, rules: PlanRules = RULED
) -> tuple[tuple[Action, ...], dict[str, str]]:
    actions = plan(episodes, files or {}, rules)
    return actions, applied(files or {}, actions)


def kinds(actions: tuple[Action, ...]) -> list[str]:
    return [type(action).__name__ for action in actions]


# --------------------------------------------------------------------------- the seed's bugs


def test_decay_loses_no_fact_with_a_common_start_no_short_one_and_no_rule_j7() -> None:
    body = (
        "The connection pool of the billing service holds 10 links.\n\n"
        "The connection pool of the billing service is in pool.py.\n\n"
        "Port is 8080.\n\nNever restart the worker by hand.\n"
    )
    actions, files = run([episode(1, body)])
    assert kinds(actions)[-1] == "Archive"
    said = "\n".join(files.values())
    for sentence in body.strip().split("\n\n"):
        assert sentence in said
    assert "Never restart the worker by hand." in files[FEEDBACK]


def test_five_consolidations_do_not_append_a_claim_of_several_lines_again_j8() -> None:
    body = "- The worker is slow\n  because of the cache.\n\nIt is\nstarted by\nsystemd. Port is 8080.\n\n1. Use\n   uv here\n"
    one = episode(1, body, decay_after="")
    _, once = run([one])
    files: dict[str, str] = {}
    for _ in range(5):
        actions, files = run([one], files)
    assert actions == ()
    assert files == once
    assert "\n".join(files.values()).count("The worker is slow because of the cache.") == 1


def test_titles_numbers_code_and_log_lines_never_get_into_a_file_j9() -> None:
    body = (
        "# A title of it\n\n## Some heading here\n\n2.\n\n```\nuse the code here\n```\n\n| a b | c d |\n|---|---|\n\n"
        "- 10:31 Edit: `a.py` — def x\n\n<!-- hidden words here -->\n\n**Keywords**: a, b\n"
    )
    actions, files = run([episode(1, body)])
    assert kinds(actions) == ["Archive"]
    assert files == {}


# ------------------------------------------------------------------------------------ places


def test_rules_and_facts_go_to_their_own_files_with_their_provenance() -> None:
    actions, files = run([episode(1, "Port is 8080. Never push to main.")])
    assert kinds(actions) == ["CreateFile", "AddClaim", "CreateFile", "AddClaim", "Archive"]
    note = f"[^{label_of('e1')}]"
    told = f'\n\n{note}: 2026-01-01 10:00, "Episode 1", noted by the person\n'
    fact, rule = short_id("Port is 8080."), short_id("Never push to main.")
    assert files["semantic/deployment.md"].endswith(
        f"# Deployment\n\n- Port is 8080. ^{fact} {note}{told}"
    )
    assert files[FEEDBACK].endswith(f"## Never push to main. ^{rule} {note}{told}")
    for path, text in files.items():
        memory = codec.memory_from_text(text, path)
        assert (memory.problem, memory.id) == ("", path.rsplit("/", maxsplit=1)[-1][:-3])


@pytest.mark.parametrize(
    ("said", "title", "name"),
    [
        ("The orders table has a version column.", "Database", "database"),
        ("Retries are in src/api/client.py.", "API", "api"),
        ("Every pull request is squashed.", "Git and reviews", "git-and-reviews"),
        ("Prices are integers in cents.", "Domain", "domain"),
    ],
)
def test_a_fact_goes_to_the_shelf_of_what_it_says_never_of_what_its_session_is_called(
    said: str, title: str, name: str
) -> None:
    one = episode(1, said, kind="session", tags=("pull", "slow", "redis", "cache"))
    actions, _ = run([one])
    (start,) = (a for a in actions if isinstance(a, CreateFile))
    assert (start.path, start.title, start.tags) == (f"semantic/{name}.md", title, ())
    taken = "---\ntitle: Notes\ntags: [redis, cache]\n---\n# Notes\n\nText is here.\n"
    assert set(run([one], {"semantic/n.md": taken})[1]) == {"semantic/n.md", start.path}
    other = "---\ntitle: Mine\ntags: [redis, cache]\n---\nText is here.\n"
    noted = run([one._replace(kind="note")], {"semantic/n.md": other})[1]
    assert said in noted["semantic/n.md"]  # the tags of a note are its writer's


def test_a_fact_goes_to_the_page_of_the_subject_that_it_names() -> None:
    orders = {"semantic/orders.md": "---\ntitle: Orders\n---\n# Orders\n\nText is here.\n"}
    for said in ("Orders: their numbers are ULIDs.", "An order has one currency."):
        _, files = run([episode(1, said)], orders)
        assert said in files["semantic/orders.md"]


def test_three_facts_about_one_subject_earn_it_a_page() -> None:
    said = ["Invoices: they are sent on Mondays", "Invoices: the footer has the IBAN"]
    _, files = run([episode(n, one) for n, one in enumerate(said, 1)])
    assert "semantic/invoices.md" not in files
    _, files = run([episode(9, "Invoices: they are never deleted.")], files)
    assert "- Invoices: they are never deleted." in files["semantic/invoices.md"]
    _, files = run([episode(n, one) for n, one in enumerate([*said, "发票：周一发送。"], 1)])
    assert "semantic/invoices.md" not in files
    three = [*said, "Invoices: they are never deleted"]
    _, files = run([episode(n, one) for n, one in enumerate(three, 1)])
    assert set(files) == {"semantic/invoices.md"}
    assert "# Invoices\n\n- Invoices:" in files["semantic/invoices.md"]


def test_in_chinese_everything_is_chinese() -> None:
    one = episode(1, "端口是 8080。永远不要推送到 main。", tags=("数据库", "缓存"), trust="agent")
    actions, files = run([one], rules=RULED._replace(lang="zh"))
    facts = next(a.path for a in actions if isinstance(a, CreateFile) and a.layer == "semantic")
    assert facts == "semantic/部署.md"
    assert "# 部署\n\n## 代理记录的要点\n\n- 端口是 8080。" in files[facts]
    own = run([one._replace(trust="user")], rules=RULED._replace(lang="zh"))[1]
    body = codec.body_of(own[FEEDBACK])
    assert [one.heading for one in codec.sections_of(body)] == ["", "永远不要推送到 main"]
    assert "## 永远不要推送到 main。 ^" in own[FEEDBACK]
    assert "Episode" in own[FEEDBACK]


@pytest.mark.parametrize("together", [False, True])
def test_what_takes_the_place_of_a_rule_keeps_its_subject_but_not_its_reason(
    together: bool,
) -> None:
    old = episode(1, "Use npm for the shop front end because it is there.")
    new = episode(2, "Use pnpm instead.")
    files = {} if together else run([old])[1]
    files = run([old, new], files)[1]
    (rule,) = [line for line in files[FEEDBACK].splitlines() if line.startswith("## ")]
    assert rule.startswith("## Use pnpm for the shop front end ^")
    assert "previously Use npm for the shop front end" in files[FEEDBACK]
    assert run([old, new], files)[1] == files


@pytest.mark.parametrize(
    ("candidates", "best"),
    [
        ({"a": {"tags": "[redis]"}}, ""),
        ({"a": {"tags": "[redis, cache]"}, "b": {"tags": "[redis, cache, ttl]"}}, "b"),
        ({"a": {}, "b": {"salience": "high"}}, "b"),
        ({"a": {"last_accessed": "2026-01-01"}, "b": {"last_accessed": "2026-02-01"}}, "b"),
        ({"a": {"tags": "[REDIS, Cache]"}, "b": {"tags": "[redis]"}}, "a"),
        ({"b": {}, "a": {}}, "a"),
        ({"a": {"private": "true"}}, ""),
        ({"a": {"status": "superseded"}}, ""),
        ({"a": {"trust": "agent"}}, ""),
        ({"a": {"type": "reference"}}, ""),
    ],
)
def test_the_best_file_has_most_tags_in_common_then_salience_then_access(
    candidates: dict[str, dict[str, str]], best: str
) -> None:
    files = {
        f"semantic/{name}.md": page("Text is here.", **row) for name, row in candidates.items()
    }
    actions, _ = run([episode(1, "Port is 8080.", tags=("redis", "cache", "ttl"))], files)
    where = [action.path for action in actions if isinstance(action, AddClaim)]
    assert where == [f"semantic/{best or 'deployment'}.md"]


def test_what_is_always_loaded_or_archived_gets_nothing() -> None:
    files = {"core/a.md": page("Text is here."), "archive/semantic/b.md": page("Text is here.")}
    actions, after = run([episode(1, "Port is 8080.")], files)
    assert [a.path for a in actions if isinstance(a, AddClaim)] == ["semantic/deployment.md"]
    assert {path: after[path] for path in files} == files


@pytest.mark.parametrize("tags", [("../../etc/x",), ("ci/cd", "a: b"), (), ("…",), ("C:", "con")])
def test_tags_never_lead_out_of_the_store_j10(tags: tuple[str, ...]) -> None:
    actions, files = run([episode(1, "Port is 8080.", tags=tags)])
    (path,) = files
    assert path.startswith("semantic/")
    assert path.count("/") == 1
    assert ".." not in path
    assert codec.memory_from_text(files[path], path).tags == ()
    assert kinds(actions) == ["CreateFile", "AddClaim", "Archive"]


def test_ids_in_use_are_not_taken_again() -> None:
    rules = RULED._replace(is_taken={"deployment"}.__contains__)
    assert set(run([episode(1, "Port is 8080.")], rules=rules)[1]) == {"semantic/deployment-2.md"}


def test_what_is_known_is_not_absorbed_again() -> None:
    files = {
        "semantic/a.md": page("**Port** is 8080."),
        FEEDBACK: page("## Main\n\nNever push to main!"),
    }
    actions, after = run([episode(1, "Port is 8080. Never push to main.")], files)
    assert kinds(actions) == ["Archive"]
    assert after == files


def test_what_is_private_in_an_episode_is_not_given_away() -> None:
    _, files = run([episode(2, "Host is db. <private>Port is 8080.</private>")])
    assert "8080" not in "".join(files.values())


# ------------------------------------------------------------------------------------- trust


def test_each_trust_has_its_own_section_and_keeps_what_it_is_worth() -> None:
    body = "## Decisions\n\n- Use Redis 7\n  - source: instructed\n- Keep the schema flat\n  - source: inferred\n"
    _, files = run([episode(1, body, kind="session", trust="external")])
    (path,) = files
    held = {part.heading: part for part in index_units(codec.memory_from_text(files[path], path))}
    assert {name: part.trust for name, part in held.items()} == {
        "Noted": "user",
        "Noted from outside": "external",
    }
    assert held["Noted"].source == "instructed"


def test_the_person_is_heard_even_if_the_agent_said_it_first() -> None:
    files = run([episode(1, "Port is 8080.", trust="agent")])[1]
    _, files = run([episode(2, "Port is 8080.")], files)
    trusts = {
        part.trust
        for path, text in files.items()
        for part in index_units(codec.memory_from_text(text, path))
        if "Port is 8080." in part.text
    }
    assert trusts == {"user", "agent"}


def test_the_less_trusted_never_replaces_what_is_trusted_more() -> None:
    files = {"semantic/a.md": page("Port is 8080.\n\nHost is db.")}
    actions, after = run([episode(1, "Port is 9090.", trust="agent")], files)
    assert kinds(actions) == ["AskPerson"]
    assert after == files


# --------------------------------------------------------------------------------- conflicts


def test_the_newer_replaces_the_older_where_it_stands() -> None:
    files = {"semantic/a.md": page("Host is db.\n\n- Port is 8080.\n- Disk is full.\n")}
    actions, after = run([episode(1, "Port is 9090.")], files)
    assert kinds(actions) == ["Replace", "Archive"]
    line = f"Port is 9090. ^{short_id('Port is 9090.')} [^{label_of('e1')}]"
    assert after["semantic/a.md"].startswith(
        files["semantic/a.md"].replace("Port is 8080.", line).rstrip()
    )


def test_a_sentence_in_a_paragraph_goes_and_the_newer_one_is_noted() -> None:
    files = {"semantic/a.md": page("Host is db. Port is\n8080. Disk is full.")}
    _, after = run([episode(1, "Port is 9090.")], files)
    assert "Host is db. Disk is full." in after["semantic/a.md"]
    assert "- Port is 9090. ^" in after["semantic/a.md"]


def test_the_older_wording_of_a_rule_is_kept_as_a_comment() -> None:
    files = {FEEDBACK: page("## Use npm\n\nUse npm.\n\n## Other rule\n\nNever push to main.")}
    _, after = run([episode(2, "Never use npm.")], files)
    name, note = short_id("Never use npm."), label_of("e2")
    assert f"## Never use npm ^{name}\n\nNever use npm. [^{note}]\n" in after[FEEDBACK]
    assert "<!-- superseded 2026-01-02: previously Use npm. -->" in after[FEEDBACK]
    assert "## Other rule\n\nNever push to main." in after[FEEDBACK]


def test_a_claim_that_stands_twice_gives_way_twice() -> None:
    files = {"semantic/a.md": page("Push to main.\n\nHost is db.\n\n- Push to main.")}
    actions, after = run([episode(1, "Never push to main.")], files)
    assert kinds(actions).count("Replace") == 2
    assert "\n- Push" not in after["semantic/a.md"]
    assert "\nPush" not in after["semantic/a.md"]


@pytest.mark.parametrize("at_once", [True, False])
def test_an_older_rule_that_is_heard_late_is_kept_as_a_comment_too(at_once: bool) -> None:
    old, new = episode(1, "Use npm."), episode(2, "Never use npm.")
    files = run([old, new])[1] if at_once else run([old], run([new])[1])[1]
    assert files[FEEDBACK].count("<!-- superseded 2026-01-02: previously Use npm. -->") == 1
    assert run([old, new], files)[1] == files


def test_an_older_rule_is_kept_as_a_comment_below_a_paragraph_too_and_only_once() -> None:
    heard = [episode(1, "Never use npm."), episode(2, "Use npm.")]
    actions, after = run(heard, {FEEDBACK: page("Use pnpm instead of npm.\n\nHost is db.")})
    assert kinds(actions) == ["Replace", "NoteOldRule", "Archive", "Archive"]
    assert "previously Never use npm. -->" in after[FEEDBACK]
    assert kinds(run(heard, after)[0]) == ["Archive", "Archive"]


def test_what_neither_side_of_a_ruling_kept_is_not_put_back_by_the_same_pass() -> None:
    heard = [episode(1, "Port is 8080."), episode(2, "Port is 8080.\n\nPort is 9090.")]
    key = conflict_key("Port is 9090.", "Port is 8080.")
    gone = dict.fromkeys(map(near_key, ("Port is 8080.", "Port is 9090.")), "2026-05-01")
    rules = RULED._replace(rulings={key: "neither"}, removed=gone)
    files = {"semantic/a.md": page("Port is 8080.\n\nHost is db.")}
    _, after = run(heard, files, rules)
    assert "8080" not in "".join(after.values())
    assert not [a for a in run(heard, after, rules)[0] if not isinstance(a, Archive)]


def test_a_file_that_says_only_what_is_no_longer_so_is_superseded_as_a_whole() -> None:
    files = {"semantic/port.md": page("Port is 8080.")}
    actions, after = run([episode(1, "Port is 9090.")], files)
    assert kinds(actions) == ["Retire", "CreateFile", "AddClaim", "Archive"]
    assert isinstance(actions[0], Retire)
    assert (
        codec.memory_from_text(after["semantic/port.md"], "semantic/port.md").status == "superseded"
    )
    assert "Port is 8080." in after["semantic/port.md"]
    assert run([episode(1, "Port is 9090.")], after)[1] == after


def test_a_later_edit_of_the_person_stays() -> None:
    files = {"semantic/a.md": page("Port is 8080.\n\nHost is db.", updated="2026-02-01")}
    actions, after = run([episode(1, "Port is 9090.")], files)
    assert kinds(actions) == ["Archive"]
    assert after == files


def test_what_is_said_again_counts_from_then_on() -> None:
    files = run([episode(1, "Port is 8080.")])[1]
    files = run([episode(3, "Port is 8080.")], files)[1]
    actions, after = run([episode(2, "Port is 9090.")], files)
    assert kinds(actions) == ["Archive"]
    assert after == files


def test_two_words_of_the_same_hour_wait_for_a_person() -> None:
    actions, files = run([episode(1, "Port is 8080.\n\nPort is 9090.")])
    assert kinds(actions) == ["CreateFile", "AddClaim", "AskPerson"]
    assert "9090" not in "".join(files.values())


UNSURE = {"semantic/a.md": page("We use Postgres.\n\nHost is db.")}
MYSQL = episode(1, "We use MySQL.")
KEY = conflict_key("We use MySQL.", "We use Postgres.")


def test_what_is_not_sure_waits_and_its_episode_with_it() -> None:
    actions, after = run([MYSQL], UNSURE)
    (wait,) = actions
    assert isinstance(wait, AskPerson)
    assert (wait.key, wait.path, wait.old) == (KEY, "semantic/a.md", "We use Postgres.")
    assert wait.claim == Claim("We use MySQL.", "factual", "observed", "user", "")
    assert after == UNSURE
    assert run([MYSQL], UNSURE, RULED._replace(waiting={KEY}))[0] == ()


@pytest.mark.parametrize(
    ("ruling", "postgres", "mysql"),
    [("old", True, False), ("new", False, True), ("both", True, True), ("neither", False, False)],
)
def test_a_ruling_settles_a_conflict(ruling: str, postgres: bool, mysql: bool) -> None:
    rules = RULED._replace(waiting={KEY}, rulings={KEY: ruling})
    if ruling == "neither":
        rules = rules._replace(removed={near_key("We use MySQL."): "2026-05-01"})
    actions, after = run([MYSQL], UNSURE, rules)
    said = "".join(
        part.text
        for path, text in after.items()
        for part in index_units(codec.memory_from_text(text, path))
    )
    assert ("We use Postgres." in said, "We use MySQL." in said) == (postgres, mysql)
    assert isinstance(actions[-1], Archive)
    assert not [a for a in run([MYSQL], after, rules)[0] if not isinstance(a, Archive)]


def test_what_a_person_took_out_is_not_put_back() -> None:
    rules = RULED._replace(removed={near_key("Port is 8080."): "2026-05-01"})
    actions, files = run([episode(1, "Port is 8080. Host is db.")], rules=rules)
    assert "8080" not in "".join(files.values())
    assert kinds(actions)[-1] == "Archive"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("The port is 10.", [("The port is 20.", "external", ""), ("The port is 10.", "user", "2026-04-01")]),
        ("Never use npm.", [("Use npm.", "user", ""), ("Never use npm.", "external", "")]),
    ],
)  # fmt: skip
def test_who_repeats_a_persons_line_does_not_unsettle_the_next_plan(
    line: str, said: list[tuple[str, str, str]]
) -> None:
    heard = [
        episode(n, text, trust=trust, decay_after=decay)
        for n, (text, trust, decay) in enumerate(said, 2)
    ]
    actions, after = run(heard, {"semantic/a.md": page(line, created="2026-01-02")})
    gone = {action.id for action in actions if isinstance(action, Archive)}
    waiting = {action.key for action in actions if isinstance(action, AskPerson)}
    left = [one for one in heard if one.id not in gone]
    assert plan(left, after, RULED._replace(waiting=waiting)) == ()


# ------------------------------------------------------------------------------------- decay


@pytest.mark.parametrize(
    ("decay_after", "is_archived"),
    [("2026-04-30", True), ("2026-05-01", False), ("2026-05-02", False), ("", False)],
)
def test_an_episode_is_archived_the_day_after_its_time(decay_after: str, is_archived: bool) -> None:
    actions, _ = run([episode(1, "Port is 8080.", decay_after=decay_after)])
    assert ("Archive" in kinds(actions)) == is_archived


@pytest.mark.parametrize(
    "fields",
    [{"private": True}, {"problem": "no YAML"}, {"layer": "semantic"}, {"path": "episodic/e/conversation.md"}, {"status": "superseded"}],
)  # fmt: skip
def test_what_is_no_episode_in_force_is_left_alone(fields: dict[str, object]) -> None:
    assert plan([episode(1, "Port is 8080.", **fields)], {}, RULED) == ()


def test_files_that_say_much_the_same_are_proposed_for_merging_once() -> None:
    files = {
        "semantic/a.md": page("Port is 8080.\n\nHost is db.\n\nDisk is full."),
        "semantic/b.md": page("- port is 8080\n- The host is db\n"),
        "semantic/c.md": page("Port is 8080."),
    }
    actions, after = run([], files)
    assert actions == (Merge("semantic/a.md", "semantic/b.md", 2),)
    assert after == files
    (proposal,) = (a for a in actions if isinstance(a, Merge))
    assert plan([], files, RULED._replace(waiting={proposal.key})) == ()


def test_of_a_long_text_a_reading_keeps_little() -> None:
    text = page(
        "Nothing is stated here:\n\n```\n" + "a b c d\n" * 5000 + "```\n", title="Use Redis"
    )
    found = reading_of("semantic/decisions/a.md", text)
    assert found.page
    assert near_key("Use Redis") in found.page.says
    assert len(repr(found)) < 3000
