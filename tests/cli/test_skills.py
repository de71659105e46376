"""Suggesting, drafting and dismissing skills, as a person does it."""

from __future__ import annotations

import json
import os
import sys
import types
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import Person, tree_of

DEPLOYED = ("Deploy orders to staging", "Deploy billing to staging", "Deploy search to staging")


@pytest.fixture
def busy(person: Person) -> Person:
    """Somebody who does the same again and again."""
    for title in DEPLOYED:
        person.ok("save", title, "--kind", "note", "--body", "Build, push, smoke test.")
    return person


def names(person: Person, *words: str) -> list[str]:
    [row] = person.ok("analyze-skills", "--json", *words).json
    return [one["name"] for one in row["candidates"]]


def skill(person: Person, name: str = "deploy-staging") -> Path:
    return person.project / ".claude" / "skills" / name / "SKILL.md"


def test_a_skill_that_is_there_is_never_touched(busy: Person) -> None:
    skill(busy).parent.mkdir(parents=True)
    skill(busy).write_text("Mine.")
    ran = busy.run("promote-skill", "deploy-staging")
    assert ran.code == 11
    assert "--as" in ran.err
    assert skill(busy).read_text() == "Mine."
    assert names(busy) == ["deploy-staging"]


def test_a_link_in_the_place_of_a_skill_is_not_followed(busy: Person) -> None:
    skill(busy).parent.mkdir(parents=True)
    skill(busy).symlink_to(busy.home / "elsewhere")
    assert busy.run("promote-skill", "deploy-staging").code == 11
    assert not (busy.home / "elsewhere").exists()


def test_a_link_in_the_place_of_the_folder_of_skills_is_not_followed(busy: Person) -> None:
    (busy.home / "elsewhere").mkdir()
    skill(busy).parent.parent.parent.mkdir(exist_ok=True)
    skill(busy).parent.parent.symlink_to(busy.home / "elsewhere")
    assert busy.run("promote-skill", "deploy-staging").code == 15
    assert not list((busy.home / "elsewhere").iterdir())


@pytest.mark.parametrize(
    "name", ["../../../outside", "/etc/x", "..", "a/../../b", "Ünïcode ☃", "x" * 200]
)
@pytest.mark.sampled(2)
def test_a_name_that_is_none_is_refused(busy: Person, name: str) -> None:
    assert busy.run("promote-skill", "deploy-staging", "--as", name).code == 2
    assert not [path for path in tree_of(busy.home, busy.project) if path.endswith("SKILL.md")]


def test_dry_runs_change_nothing(busy: Person) -> None:
    before = tree_of(busy.home, busy.project, without=[str(busy.home / ".cache")])
    busy.ok("analyze-skills", "--dry-run")
    for words in (("promote-skill", "deploy-staging"), ("dismiss-skill", "deploy-staging")):
        busy.ok(*words, "--dry-run")
        assert isinstance(busy.ok(*words, "--dry-run", "--json").json, dict)
    assert tree_of(busy.home, busy.project, without=[str(busy.home / ".cache")]) == before


@pytest.mark.parametrize("called", [[], ["--as", "release"]])
def test_undo_of_a_promotion_takes_the_draft_away(called: list[str], busy: Person) -> None:
    draft = skill(busy, called[-1] if called else "deploy-staging")
    busy.ok("skill", "promote", "deploy-staging", *called)
    text = draft.read_text()
    assert str(draft) in busy.ok("undo", "--dry-run").out
    assert draft.exists()
    assert f"{draft}: removed" in busy.ok("undo").out
    assert not draft.parent.exists()
    assert names(busy) == ["deploy-staging"]
    busy.ok("skill", "promote", "deploy-staging", *called)
    assert draft.read_text() == text
    last = busy.ok("history", "--json").json[3]["change"]
    busy.ok("undo", "--to", last)
    assert not draft.parent.exists()


def test_undo_of_a_promotion_leaves_a_draft_that_was_finished(busy: Person) -> None:
    busy.ok("skill", "promote", "deploy-staging")
    skill(busy).write_text("Mine.")
    out = busy.ok("undo").out
    assert f"{skill(busy)}: not changed, edited by hand since" in out
    assert skill(busy).read_text() == "Mine."
    assert names(busy) == ["deploy-staging"]


def test_undo_of_a_promotion_removes_nothing_that_another_decision_names(busy: Person) -> None:
    """A store may come from elsewhere, with what it says of drafts."""
    busy.ok("skill", "promote", "deploy-staging")
    outside = busy.project / "SKILL.md"
    outside.write_text(skill(busy).read_text())
    file = busy.store / "skills.json"
    file.write_text(file.read_text().replace('"skill": "deploy-staging"', '"skill": "../.."'))
    busy.run("undo")
    assert outside.exists()
    assert skill(busy).exists()


def test_what_was_dismissed_does_not_come_back_until_that_is_undone(busy: Person) -> None:
    busy.ok("dismiss-skill", "deploy-staging")
    busy.ok("save", "Deploy users to staging", "--kind", "note", "--body", "Again.")
    assert names(busy) == []
    assert "deploy" not in (busy.store / "skill-candidates.md").read_text().lower()
    [change] = [row for row in busy.ok("history", "--json").json if row["cause"] == "dismiss-skill"]
    busy.ok("undo", change["change"])
    assert names(busy) == ["deploy-staging"]


def test_what_was_archived_and_forgotten_counts_as_it_should(busy: Person) -> None:
    note = next((busy.store / "episodic").glob("*orders*.md"))
    cold = busy.store / "archive" / "episodic" / note.name
    cold.parent.mkdir(parents=True)
    note.rename(cold)
    assert names(busy) == ["deploy-staging"]
    cold.unlink()
    assert names(busy) == []


def test_private_and_old_memories_suggest_nothing(busy: Person) -> None:
    for note in (busy.store / "episodic").glob("*.md"):
        text = note.read_text()
        note.write_text(text.replace("created: 202", "created: 200"))
    assert names(busy) == []
    assert names(busy, "--days", "36500") == ["deploy-staging"]
    busy.ok("save", "Secret ritual of the moon", "--private", "--kind", "note")
    busy.ok("save", "Secret ritual of the moon", "--private", "--kind", "note", "--body", "2")
    busy.ok("save", "Secret ritual of the moon", "--private", "--kind", "note", "--body", "3")
    assert names(busy) == []


def test_memories_are_flagged_for_other_programs(busy: Person) -> None:
    [row] = busy.ok("analyze-skills", "--json").json
    page = json.loads((busy.store / ".skill-candidates.json").read_text())
    assert len(row["flagged"]) == 3
    assert page["memories"] == {k: {"skill_candidate": v} for k, v in row["flagged"].items()}


def test_a_file_of_decisions_that_somebody_damaged_stops_nothing(busy: Person) -> None:
    busy.write("skills.json", "{broken")
    assert names(busy) == ["deploy-staging"]
    busy.ok("dismiss-skill", "deploy-staging")
    assert names(busy) == []


def test_a_session_of_an_agent_with_a_broken_log_file_stops_nothing(busy: Person) -> None:
    #: M3: one truncated log file ended `analyze-skills` of the seed.
    journal = busy.store / "journal"
    (journal / "ops-other.jsonl").write_text('{"op": "put", "seq": 1, "te')
    busy.write("episodic/broken.md", "---\nid: [\n---\n## Decisions\n- x\n")
    assert names(busy) == ["deploy-staging"]


# -------------------------------------------------------------------------- detectors of others


class Points:
    """The entry points of an environment in which other packages are installed."""

    def __init__(self, **detectors: Any) -> None:
        self.detectors = detectors

    def __call__(self, *, group: str) -> list[metadata.EntryPoint]:
        assert group == "recollect.detectors"
        found = []
        for name, detect in self.detectors.items():
            module = types.ModuleType(f"a_package_{name}")
            module.detect = detect  # type: ignore[attr-defined]
            sys.modules[module.__name__] = module
            found.append(metadata.EntryPoint(name, module.__name__, group))
        return found


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Put detectors of other packages into the environment."""

    def install(**detectors: Any) -> None:
        monkeypatch.setattr(metadata, "entry_points", Points(**detectors))

    yield install
    for name in [n for n in sys.modules if n.startswith("a_package_")]:
        del sys.modules[name]


def test_a_detector_of_another_package_is_asked(busy: Person, installed: Any) -> None:
    def detect(matters: Any, rules: Any) -> Any:
        from recollect.features.skill_detectors import Evidence, Group

        yield Group([Evidence(m, m.title) for m in matters], "Check open ports")

    installed(security=detect)
    assert names(busy) == ["deploy-staging", "security-check-open-ports"]
    assert "security" in busy.ok("analyze-skills").out


def test_a_detector_that_fails_is_named_and_stops_nothing(busy: Person, installed: Any) -> None:
    def detect(matters: Any, rules: Any) -> Any:
        raise RuntimeError("out of tea")

    installed(tea=detect, nonsense=lambda matters, rules: [1, None])
    assert names(busy) == ["deploy-staging"]
    said = busy.ok("analyze-skills").out
    assert "The detector tea failed: RuntimeError: out of tea" in said
    assert "The detector nonsense failed: TypeError" in said


# --------------------------------------------------------------------------------------- scopes


def test_a_skill_of_all_projects_is_drafted_in_the_home_folder(person: Person) -> None:
    person.ok("init", "--scope", "global")
    for title in DEPLOYED:
        person.ok("save", title, "--kind", "note", "--scope", "global", "--body", "x")
    assert names(person, "--scope", "project") == []
    assert names(person, "--scope", "global") == ["deploy-staging"]
    person.ok("promote-skill", "deploy-staging")
    assert (person.home / ".claude" / "skills" / "deploy-staging" / "SKILL.md").exists()
    assert not skill(person).exists()


# ---------------------------------------------------------------------------------- the client


@pytest.mark.slow
@pytest.mark.e2e
def test_the_client_takes_the_draft_for_a_valid_skill(busy: Person, tmp_path: Path) -> None:
    import subprocess

    client = Path(__file__).parents[2] / ".client" / "node_modules" / ".bin" / "claude"
    if not client.exists():
        pytest.skip("the client is not installed")
    busy.ok("promote-skill", "deploy-staging")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    ran = subprocess.run(
        [client, "plugin", "validate", "--strict", str(busy.project / ".claude")],
        env=env, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
