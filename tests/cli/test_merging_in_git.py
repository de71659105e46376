"""Two clones of one repository, what people commit in them, and real git that brings it together."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Person

from recollect.model.document import memory_from_text
from recollect.model.frontmatter import split_front
from recollect.model.merge import SEPARATOR, marks_in

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="there is no git")
RULES = "procedural/feedback.md"


def toml(text: str) -> dict[str, Any]:
    """What a text of TOML says."""
    import tomllib

    return tomllib.loads(text)


class Clone(Person):
    """Somebody with a clone of a repository."""

    def git(self, *words: str, code: int = 0) -> str:
        """Run git in the project."""
        who = {f"GIT_{part}_{what}": "a@b.c" for part in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}  # fmt: skip
        # No PATH to our program: the driver has to be found without it.
        env = self.environment({"GIT_CONFIG_GLOBAL": os.devnull, **who, "PATH": "/usr/bin:/bin"})
        ran = subprocess.run(
            ["git", *words], cwd=self.project, env=env, capture_output=True,
            text=True, timeout=300, check=False,
        )  # fmt: skip
        assert ran.returncode == code, ran
        return ran.stdout

    def commit(self) -> None:
        """Commit everything that is not ignored."""
        self.git("add", "-A")
        self.git("commit", "-qm", "more")

    def clone(self, name: str, *, init: bool = True) -> Clone:
        """Somebody else with a clone of this repository."""
        project = self.project.parent / name
        self.git("clone", "-q", str(self.project), str(project))
        other = Clone(self.project.parent / f"{name}-home", project)
        other.home.mkdir()
        if init:
            other.ok("init")
        return other

    def pull(self, other: Clone, *words: str, code: int = 0) -> str:
        """Bring in what somebody else committed."""
        words = words or ("--no-rebase", "--no-edit")
        return self.git("pull", "-q", *words, str(other.project), "main", code=code)

    def read(self, name: str) -> str:
        """A file of the store."""
        return (self.store / name).read_bytes().decode()


@pytest.fixture
def ada(tmp_path: Path) -> Clone:
    """Somebody with a repository and a committed store with a rule and a decision."""
    (tmp_path / "ada").mkdir()
    (tmp_path / "home").mkdir()
    one = Clone(tmp_path / "home", tmp_path / "ada")
    one.git("init", "-q", "-b", "main")
    one.ok("init")
    one.ok("save", "Always run the tests", "--kind", "rule", "--body", "Before each push.")
    one.ok("save", "Use PostgreSQL", "--kind", "decision", "--tags", "db,events", "--body", "It has JSONB.")  # fmt: skip
    one.commit()
    return one


def decide(one: Clone, what: str, rule: str) -> None:
    one.ok("add-decision", what, "--category", "technology")
    one.ok("save", what, "--kind", "decision", "--tags", "queue")
    one.ok("save", rule, "--kind", "rule", "--body", f"{rule}, since it went wrong.")
    one.ok("edit", "use-postgresql", "--append", f"{what} came later.")
    one.ok("set", "use-postgresql", f"tags=db,events,{what.rsplit(maxsplit=1)[-1].lower()}")
    one.commit()


@pytest.mark.slow
@pytest.mark.parametrize("way", ["merge", "rebase"])
def test_a_decision_and_a_rule_of_each_are_one_store_in_both_orders(ada: Clone, way: str) -> None:
    bob = ada.clone("bob")
    decide(ada, "Use NATS", "Never push to main")
    decide(bob, "Use Redis", "提交前先运行测试")
    words = {"merge": ("--no-rebase", "--no-edit"), "rebase": ("--rebase",)}[way]
    carl, dora = ada.clone("carl"), bob.clone("dora")
    carl.pull(bob, *words)
    dora.pull(ada, *words)
    for one in (carl, dora):
        assert one.git("status", "--porcelain") == ""
        rules = one.read(RULES)
        for rule in ("Always run the tests", "Never push to main", "提交前先运行测试"):
            assert f"## {rule} ^" in rules
            assert one.ok("search", rule, "--json").json["hits"][0]["anchor"]
        page = one.read("semantic/decisions/use-postgresql.md")
        assert {"Use NATS came later.", "Use Redis came later."} <= set(page.splitlines())
        assert set(memory_from_text(page, "semantic/x.md").tags) == {
            "db",
            "events",
            "nats",
            "redis",
        }
        ids = os.listdir(one.store / "semantic/decisions")
        assert {"d001-use-nats.md", "d001-use-redis.md"} <= set(ids)
        said = json.loads(one.ok("doctor", "--json").out)["findings"]
        assert [f for f in said if f["state"] == "problem"] == []


@pytest.mark.parametrize("way", ["merge", "rebase"])
@pytest.mark.slow
def test_settings_rulings_pins_and_dismissals_of_each_come_together(ada: Clone, way: str) -> None:
    for name in ("Use NATS for events", "Use Redis for sessions"):
        ada.ok("save", name, "--kind", "decision", "--tags", "events")
    ada.commit()
    bob = ada.clone("bob")
    bob.ok("review", "--repository", "accept")
    for one, kept, key, value, other in (
        (ada, "use-nats-for-events", "recall.start_tokens", "900", "use-redis-for-sessions"),
        (bob, "use-redis-for-sessions", "archive.days", "9", "use-postgresql"),
    ):
        one.ok("config", key, value, "--scope", "project")
        one.ok("config", "views.rows", "50" if one is ada else "60", "--scope", "project")
        one.ok("merge", kept, other, "--dismiss")
        one.ok("pin", kept)
        (one.project / "CLAUDE.md").unlink()  # what stands there is git's to merge
        table = "a" * 8 if one is ada else "b" * 8
        one.write("rulings.toml", f'[{table}]\nruling = "both"\nold = "x"\nnew = "y"\ndate = "2026-01-11"\n')  # fmt: skip
        one.commit()
    words = {"merge": ("--no-rebase", "--no-edit"), "rebase": ("--rebase",)}[way]
    carl, dora = ada.clone("carl"), bob.clone("dora")
    carl.pull(bob, *words)
    dora.pull(ada, *words)
    for one in (carl, dora):
        assert one.git("status", "--porcelain", ".claude") == ""
        said = toml(one.read("config.toml"))
        assert said["recall"]["start_tokens"] == 900
        assert said["archive"]["days"] == 9
        assert said["views"]["rows"] == 60
        assert "# merged, the other side has rows = 50" in one.read("config.toml")
        assert set(toml(one.read("rulings.toml"))) == {"a" * 8, "b" * 8}
        pins = json.loads(one.read("pins.json"))["pinned"]
        assert {row["id"] for row in pins} == {"use-nats-for-events", "use-redis-for-sessions"}
        assert len(json.loads(one.read("dismissed.json"))["dismissed"]) == 2
        problems = one.ok("doctor", "--json").json["findings"]
        assert [f for f in problems if f["state"] == "problem"] == []


def test_views_and_what_is_raw_are_not_committed(ada: Clone) -> None:
    log = ada.project / "talk.md"
    log.write_text("### User [10:00]\n\nHow?\n")
    ada.ok("save", "A talk", "--conversation", str(log))
    ada.ok("add-decision", "Use NATS", "--category", "technology")
    ada.commit()
    held = ada.git("ls-files", ".claude").split()
    names = {Path(path).name for path in held}
    assert names & {"MEMORY.md", "facts.json", ".index.json", "conversation.md"} == set()
    assert [path for path in held if "/journal/" in path or "/sessions/" in path] == []
    assert "summary.md" in names


@pytest.mark.sampled(1)
@pytest.mark.parametrize("way", ["cherry-pick", "stash", "worktree"])
def test_git_merges_so_wherever_it_merges(ada: Clone, way: str) -> None:
    ada.git("checkout", "-qb", "other")
    ada.ok("save", "Theirs", "--kind", "rule", "--body", "Theirs.")
    ada.commit()
    ada.git("checkout", "-q", "main")
    ada.ok("save", "Ours", "--kind", "rule", "--body", "Ours.")
    if way == "stash":
        ada.git("stash", "-q")
        ada.git("merge", "-q", "other")
        ada.git("stash", "pop", "-q")
        text = ada.read(RULES)
    elif way == "cherry-pick":
        ada.commit()
        ada.git("cherry-pick", "other")
        text = ada.read(RULES)
    else:
        ada.commit()
        beside = ada.project.parent / "beside"
        ada.git("worktree", "add", "-q", str(beside), "other")
        ada.git("-C", str(beside), "merge", "-q", "--no-edit", "main")
        text = (beside / ".claude/memory" / RULES).read_text()
    assert "## Ours ^" in text
    assert "## Theirs ^" in text
    assert marks_in(text) == []


@pytest.mark.slow
def test_the_same_line_changed_by_both_is_kept_in_both_wordings_and_told(ada: Clone) -> None:
    bob = ada.clone("bob")
    for one, words in ((ada, "Before each commit."), (bob, "Once a day.")):
        one.ok("edit", "feedback#always-run-the-tests", "--body", words)
        one.commit()
    assert "both wordings are kept: 1" in ada.pull(bob)
    text = ada.read(RULES)
    assert f"Before each commit.\n\n{SEPARATOR}\n\nOnce a day." in text
    line = text.splitlines().index(SEPARATOR) + 1
    assert f"remove the comment in line {line}" in ada.ok("doctor").out
    shown = ada.ok("conflicts").out
    assert "  first   Before each commit.\n" in shown
    assert "--choose ID first` (or second, both, neither)" in shown
    assert "(or old" not in shown


@pytest.mark.slow
def test_wordings_are_shown_without_their_ids_and_references(ada: Clone) -> None:
    ada.ok("save", "Order numbers are ULIDs", "--subject", "Orders")
    ada.commit()
    bob = ada.clone("bob")
    bob.ok("review", "--repository", "accept")
    (entry,) = (row["entry"] for row in ada.ok("list", "--json").json if "ULIDs" in row["text"])
    for one, words in (
        (ada, "Order numbers are ULIDs of 26 letters"),
        (bob, "Order numbers are ULIDs in capitals"),
    ):
        one.ok("edit", entry, "--body", words)
        one.commit()
    ada.pull(bob)
    shown = ada.ok("conflicts").out
    assert "  first   - Order numbers are ULIDs of 26 letters\n" in shown
    (key,) = (row["id"] for row in ada.ok("conflicts", "--json").json)
    assert (
        "This holds: - Order numbers are ULIDs in capitals\n"
        in ada.ok("conflicts", "--choose", key, "second").out
    )


SETTLED = {
    "first": (["Before each commit."], ["Once a day."]),
    "second": (["Once a day."], ["Before each commit."]),
    "old": (["Before each commit."], ["Once a day."]),
    "both": (["Before each commit.", "Once a day."], []),
    "neither": ([], ["Before each commit.", "Once a day."]),
}


@pytest.mark.parametrize("word", SETTLED)
@pytest.mark.sampled(1)
def test_what_two_people_changed_is_a_conflict_that_a_person_settles(ada: Clone, word: str) -> None:
    bob = ada.clone("bob")
    for one, words in ((ada, "Before each commit."), (bob, "Once a day.")):
        one.ok("edit", "feedback#always-run-the-tests", "--body", words)
        one.commit()
    ada.pull(bob)
    [row] = ada.ok("conflicts", "--json").json
    assert (row["old"], row["new"], row["why"]) == ("Before each commit.", "Once a day.", "merged")
    assert row["path"] == RULES
    assert "recollect conflicts" in ada.ok("review").out
    before = ada.read(RULES)
    ada.ok("conflicts", "--choose", row["id"], word, "--dry-run")
    assert ada.read(RULES) == before
    ada.ok("conflicts", "--choose", row["id"][:6], word)
    there, gone = SETTLED[word]
    text = ada.read(RULES)
    assert all(said in text for said in there)
    assert not any(said in text for said in [*gone, "<!-- merged"])
    assert "## Always run the tests ^" in text
    assert ada.ok("conflicts", "--json").json == []
    assert ada.run("conflicts", "--choose", row["id"], word).code != 0
    ada.ok("undo")
    assert ada.read(RULES) == before


@pytest.mark.slow
@pytest.mark.parametrize("word", ["first", "second"])
def test_the_line_that_a_person_chooses_is_still_the_person_s(
    ada: Clone, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"first": "Order numbers are Snowflake ids", "second": "Order numbers are UUIDs"}
    ada.ok("save", "Order numbers are ULIDs", "--subject", "Orders", "--why", "They sort by time.")
    ada.commit()
    bob = ada.clone("bob")
    name = re.findall(r"\^(\w+) \[", ada.read("semantic/orders.md"))[0]
    now = time.time_ns()
    for n, (one, words) in enumerate(((ada, said["first"]), (bob, said["second"])), 1):
        monkeypatch.setattr(time, "time_ns", lambda n=n: now + n * 60 * 10**9)
        one.ok("edit", f"orders#^{name}", "--body", words)
        one.commit()
    ada.pull(bob)
    [row] = ada.ok("conflicts", "--json").json
    ada.ok("conflicts", "--choose", row["id"], word)
    page = ada.read("semantic/orders.md")
    [label] = re.findall(r"\[\^(\w+)\]: .*, said by the person\n", page)
    assert f"# Orders\n\n- {said[word]} ^{name} [^{label}]\n" in page
    assert "source instructed · trust user" in ada.ok("show", "orders").out
    told = ada.ok("recall", "--start").out
    assert [words for words in said.values() if words in told] == [said[word]]


@pytest.mark.slow
def test_of_several_lines_the_whole_wording_goes(ada: Clone) -> None:
    bob = ada.clone("bob")
    page = "semantic/decisions/use-postgresql.md"
    for one, words in ((ada, "One.\nTwo of ada."), (bob, "- three\n- four of bob\n- five")):
        one.ok("edit", "use-postgresql", "--body", words)
        one.commit()
    ada.pull(bob)
    [row] = ada.ok("conflicts", "--json").json
    assert "Two of ada." in row["old"]
    assert "- five" in row["new"]
    ada.ok("conflicts", "--choose", row["id"], "second")
    text = ada.read(page)
    assert "ada" not in text
    assert "- three\n- four of bob\n- five" in text


@pytest.mark.slow
def test_two_facts_with_one_number_get_two_and_references_follow(ada: Clone) -> None:
    bob = ada.clone("bob")
    ada.ok("add-decision", "Use NATS", "--category", "technology")
    bob.ok("add-decision", "Use Redis", "--category", "technology")
    bob.ok("set", "use-postgresql", "related=d001-use-redis")
    bob.ok("edit", "use-postgresql", "--append", "See [[d001-use-redis]].")
    bob.ok("pin", "d001-use-redis")
    for one in (ada, bob):
        one.commit()
    ada.pull(bob)
    assert "has the number of an older fact" in ada.ok("doctor").out
    assert "d001-use-redis is now d002-use-redis" in ada.ok("doctor", "--repair").out
    assert ada.ok("show", "d001").out.splitlines()[0].startswith("Use NATS")
    assert ada.ok("show", "d002").out.splitlines()[0].startswith("Use Redis")
    page = ada.read("semantic/decisions/use-postgresql.md")
    assert "[[d002-use-redis]]" in page
    assert memory_from_text(page, "semantic/x.md").related == ("d002-use-redis",)
    assert "d001-use-redis" not in page + ada.read("pins.json")
    view = json.loads(ada.read("facts.json"))
    assert {"d001", "d002"} <= {row["id"] for row in view["decisions"]}
    assert "older fact" not in ada.ok("doctor").out


@pytest.mark.slow
def test_one_takes_a_memory_away_that_the_other_changed(ada: Clone) -> None:
    """Git calls no driver: it keeps the changed one and names the conflict; no marks are parsed."""
    bob = ada.clone("bob")
    ada.ok("forget", "use-postgresql")
    bob.ok("edit", "use-postgresql", "--append", "Version 17.")
    for one in (ada, bob):
        one.commit()
    ada.pull(bob, code=1)
    assert "use-postgresql.md" in ada.git("status", "--porcelain")
    text = ada.read("semantic/decisions/use-postgresql.md")
    assert "Version 17." in text
    assert marks_in(text) == []
    assert ada.ok("show", "use-postgresql").out


@pytest.mark.slow
def test_one_forgets_a_rule_that_the_other_adds_to(ada: Clone) -> None:
    bob = ada.clone("bob")
    bob.ok("review", "--repository", "accept")
    ada.ok("forget", "feedback#always-run-the-tests")
    ada.ok("save", "Never deploy on Fridays")
    ada.commit()
    bob.ok("edit", "feedback#always-run-the-tests", "--append", "The slow ones at night.")
    bob.commit()
    bob.pull(ada)
    assert bob.ok("conflicts", "--json").json == []
    rule = bob.ok("show", "feedback#always-run-the-tests").out
    assert "The slow ones at night." in rule
    assert "Before each push." in rule
    assert "Fridays" not in rule
    assert "slow" not in bob.ok("show", "feedback#never-deploy-on-fridays").out


@pytest.mark.slow
def test_a_clone_without_init_falls_back_to_git_and_doctor_says_both(ada: Clone) -> None:
    bob = ada.clone("bob", init=False)
    for one in (ada, bob):
        one.ok("save", f"Of {one.project.name}", "--kind", "rule", "--body", "x")
        one.commit()
    assert "no merge driver in this clone" in bob.ok("doctor").out
    bob.pull(ada, code=1)
    lines = [n for n, line in enumerate(bob.read(RULES).splitlines(), 1) if line[:7] in ("<" * 7, "=" * 7, ">" * 7)]  # fmt: skip
    ran = bob.run("doctor")
    assert ran.code != 0
    assert (
        f"conflict marks of git in lines {', '.join(map(str, lines[:5]))}" in ran.out
    )  # it names five
    bob.git("merge", "--abort")
    assert "installed the merge driver" in bob.ok("doctor", "--repair").out
    bob.pull(ada)
    assert marks_in(bob.read(RULES)) == []


def test_what_stands_between_conflict_marks_is_told_to_no_agent(ada: Clone) -> None:
    ada.ok("save", "Amounts are integers", "--subject", "Money")
    page = ada.store / "semantic/money.md"
    marked = "<<<<<<< HEAD\n- Amounts in cents\n=======\n- Amounts in mills\n>>>>>>> theirs\n"
    page.write_text(page.read_text() + marked)
    core = ada.write("core/project.md", f"# Project\n\nA shop.\n\n{marked}")
    told = [
        ada.ok("recall", "--start").out,
        ada.ok("recall", "Are amounts in cents or in mills?").out,
        ada.ok("list").out,
    ]
    assert "Amounts are integers" in told[0]
    assert "A shop." in told[0]
    assert "mills" not in "".join(told)
    assert "cents" not in "".join(told)
    assert ada.ok("status", "--json").json["waiting"]["unmerged"] == 2
    assert "pages with conflict marks of git 2 (`recollect conflicts`)" in ada.ok("status").out
    assert "Pages with conflict marks of git: 2" in ada.ok("review").out
    lines = ada.ok("conflicts").out.splitlines()
    assert [line.split()[0] for line in lines] == ["core/project.md", "semantic/money.md"]
    assert lines[0].endswith(
        "has conflict marks of git in lines 5, 7, 9: keep what holds, remove the marks, then `git add` it"
    )
    core.write_text("# Project\n\nA shop.\n")
    page.write_text(page.read_text().replace(marked, "- Amounts in cents\n"))
    assert "Amounts in cents" in ada.ok("recall", "--start").out
    assert ada.ok("conflicts").out == "There are no open contradictions.\n"


@pytest.mark.slow
def test_where_our_program_is_gone_git_merges_as_it_always_does(ada: Clone) -> None:
    bob = ada.clone("bob")
    driver = bob.git("config", "merge.recollect.driver").strip()
    program = driver.split(" -I ")[0]
    bob.git("config", "merge.recollect.driver", driver.replace(program, "/nowhere/python"))
    ada.ok("edit", "use-postgresql", "--append", "At the end.")
    ada.commit()
    path = bob.store / "semantic/decisions/use-postgresql.md"
    path.write_text(path.read_text().replace("# Use PostgreSQL", "# Use PostgreSQL 17"))
    bob.commit()
    bob.git("pull", "-q", "--no-rebase", "--no-edit", str(ada.project), "main")
    text = bob.read("semantic/decisions/use-postgresql.md")
    assert "# Use PostgreSQL 17" in text
    assert "At the end." in text
    assert "another installation" in bob.run("doctor").out


@pytest.mark.slow
def test_what_cannot_be_read_is_git_s_usual_conflict_with_both_texts(ada: Clone) -> None:
    bob = ada.clone("bob")
    for one in (ada, bob):
        path = one.store / RULES
        path.write_text(path.read_text().replace("created: ", f"created: [{{{one.project.name}: "))
        one.commit()
    ada.pull(bob, code=1)
    text = ada.read(RULES)
    assert "{ada:" in text
    assert "{bob:" in text
    assert marks_in(text)


def test_init_says_how_to_untrack_what_is_committed_and_leaves_it_there(ada: Clone) -> None:
    ada.git("add", "-f", ".claude/memory/MEMORY.md", ".claude/memory/facts.json")
    ada.git("commit", "-qm", "views")
    told = ada.ok("init").out
    assert "rm -r --cached -- MEMORY.md facts.json" in told
    assert "MEMORY.md" in ada.git("ls-files", ".claude")
    assert "`git rm --cached`" in ada.ok("doctor").out


def test_nothing_but_our_keys_changes_and_uninstall_takes_them_out(ada: Clone) -> None:
    config = ada.project / ".git" / "config"
    ada.git("config", "--remove-section", "merge.recollect")
    ada.git("config", "merge.other.driver", "true")
    before = config.read_text()
    ada.ok("init", "--dry-run")
    assert config.read_text() == before
    ada.ok("init")
    assert config.read_text().startswith(before)
    (ada.store / ".gitignore").write_text("mine\n")
    ada.ok("init")
    assert (ada.store / ".gitignore").read_text().startswith("mine\n")
    again = (ada.store / ".gitignore").read_text()
    ada.ok("init")
    assert (ada.store / ".gitignore").read_text() == again
    assert "Removed our merge driver" in ada.ok("uninstall").out
    assert config.read_text() == before


def test_doctor_calls_no_problem_what_uninstall_took_out(ada: Clone) -> None:
    ada.ok("init", "--client", "claude")
    assert "memories are merged by field and by line" in ada.ok("doctor").out
    ada.ok("uninstall")
    shown = ada.ok("doctor").out
    assert "no merge driver in this clone: git merges memories as plain text" in shown


def test_doctor_calls_a_clone_without_the_driver_a_problem_where_a_client_is_connected(
    ada: Clone,
) -> None:
    bob = ada.clone("bob", init=False)
    bob.ok("init", "--client", "claude", "--scope", "global")
    ran = bob.run("doctor")
    assert ran.code != 0
    assert "the merge driver is missing in this clone" in ran.out


def test_without_git_init_makes_the_store_all_the_same(ada: Clone) -> None:
    shutil.rmtree(ada.store)
    ada.ok("init", env={"PATH": "/nowhere"})
    assert (ada.store / ".gitattributes").exists()


# ------------------------------------------------------------------------------- pairs of edits

WORDS = "queue 数据库 retry 连接池 token Always 部署 never 100% ## $& \\1 | [x] `code` é".split()
Edit = Callable[[str, str, random.Random], str]


def _lines(text: str) -> tuple[str, list[str]]:
    front = split_front(text)
    return "".join(front.lines), front.body.splitlines(keepends=True)


def _words(side: str, rng: random.Random) -> str:
    return f"{side}{rng.randrange(10**9)} {' '.join(rng.choices(WORDS, k=4))}"


def add_entry(text: str, side: str, rng: random.Random) -> str:
    head, body = _lines(text)
    body.insert(rng.randrange(4, len(body)), f"- {_words(side, rng)}\n")
    return head + "".join(body)


def add_at_end(text: str, side: str, rng: random.Random) -> str:
    return f"{text}\n## {_words(side, rng)}\n\n{_words(side, rng)}\n"


def edit_entry(text: str, side: str, rng: random.Random) -> str:
    head, body = _lines(text)
    at = rng.choice([n for n, line in enumerate(body) if line.strip() and n])
    body[at] = f"{body[at].rstrip()} {_words(side, rng)}\n"
    return head + "".join(body)


def drop_entry(text: str, _: str, rng: random.Random) -> str:
    head, body = _lines(text)
    del body[rng.choice([n for n, line in enumerate(body) if line.startswith("- ")])]
    return head + "".join(body)


def set_field(text: str, side: str, rng: random.Random) -> str:
    key, old = rng.choice([("title", "Page"), ("owner", "nobody"), ("note", "连接池")])
    return text.replace(f"{key}: {old}\n", f"{key}: {old} {side}{rng.randrange(10**9)}\n")


def add_tag(text: str, side: str, rng: random.Random) -> str:
    return text.replace("tags: [a, 数据库", f"tags: [a, 数据库, {side}{rng.randrange(10**9)}")


def touch(text: str, _: str, rng: random.Random) -> str:
    return text.replace("updated: 2026-01-01", f"updated: 2026-02-{rng.randrange(1, 28):02}")


EDITS: Sequence[Edit] = (add_entry, add_at_end, edit_entry, drop_entry, set_field, add_tag, touch)


def base_of(n: int) -> str:
    rows = "".join(f"- entry {i} 条目{i}\n" for i in range(6))
    return (
        f"---\nid: page-{n}\ntitle: Page\ntags: [a, 数据库]\nowner: nobody\nnote: 连接池\n"
        f"updated: 2026-01-01\n---\n# Page\n\nHead.\n\n{rows}\n## Rule\n\nAlways 运行测试.\n"
    )


def changed(text: str, side: str, rng: random.Random) -> str:
    for edit in rng.choices(EDITS, k=rng.randrange(1, 4)):
        text = edit(text, side, rng)
    return text.replace("\n", "\r\n") if rng.random() < 0.15 else text


@pytest.mark.slow
@pytest.mark.parametrize("pairs", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_pairs_of_edits_lose_nothing_in_either_order(ada: Clone, pairs: int) -> None:
    rng = random.Random(pairs)
    bob = ada.clone("bob", init=False)
    names = [f"semantic/page-{n}.md" for n in range(pairs)]
    bases = {name: base_of(n) for n, name in enumerate(names)}
    for name, text in bases.items():
        (ada.store / name).write_text(text)
    ada.commit()
    bob.pull(ada, "--ff-only")
    bob.ok("init")
    said = {}
    for one, side in ((ada, "A"), (bob, "B")):
        for name in names:
            text = changed(bases[name], side, rng)
            said[name, side] = text
            (one.store / name).write_bytes(text.encode())
        one.commit()
    carl = ada.clone("carl")
    carl.pull(bob)
    bob.pull(ada)
    for one in (carl, bob):
        for name in names:
            text = one.read(name)
            assert marks_in(text) == []
            front = split_front(text)
            assert front.problem == ""
            keys = [entry.key for entry in front.entries]
            assert len(keys) == len(set(keys))
            for side in "AB":
                _kept(text, said[name, side], bases[name])


def _kept(text: str, side: str, base: str) -> None:
    """What a side wrote is in the merged text, and what it took out is in it only if the other changed it."""
    lines = {line.strip() for line in text.splitlines()}
    new = [line.strip() for line in split_front(side).body.splitlines()]
    assert [line for line in new if line not in lines and line not in base] == []
    memory = memory_from_text(side, "semantic/x.md")
    both = memory_from_text(text, "semantic/x.md")
    assert set(memory.tags) <= set(both.tags)
    assert both.updated >= memory.updated
    for key in ("title", "owner", "note"):
        value = split_front(side).value(key)
        assert f"{key}: {value}\n" in base or str(value) in text


def test_a_conversation_about_conflict_marks_needs_no_attention(ada: Clone) -> None:
    log = ada.home / "log.md"
    log.write_text("### User\n\n<<<<<<< HEAD\none kettle\n=======\ntwo\n>>>>>>> theirs\n")
    ada.ok("save", "How the kettles were merged", "--conversation", str(log))
    assert ada.ok("status", "--json").json["waiting"]["unmerged"] == 0
    assert ada.ok("conflicts").out == "There are no open contradictions.\n"
    assert "conflict marks" not in ada.ok("doctor").out
