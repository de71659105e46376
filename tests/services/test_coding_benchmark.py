"""The benchmark of memory for coding agents: what it holds, and that it measures what it says."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest
from bench import grep
from bench.coding import data, generate, measures, stages
from bench.coding.__main__ import answers_in, export, run, run_stages
from bench.coding.data import Cue, World
from bench.coding.measures import Answer, Row
from bench.nothere import NotHere


@pytest.fixture(scope="module")
def world() -> World:
    return generate.world(data.written())


def row(
    found: str, given: str = "", also: tuple[str, ...] = (), under: tuple[str, ...] = ()
) -> Row:
    asked = Cue("c", "p", "fact", "?", want=("a",), also=also, under=under)
    return Row(asked, Answer(found.split(), given.split(), 60))


def test_it_is_as_large_as_its_page_says(world: World) -> None:
    page = Path(__file__).parents[2].joinpath("docs", "benchmark.md").read_text("utf-8")
    hand = data.written()
    asked = " ".join(page.split())
    assert len(world.projects) == 12
    assert f"{len(world.memories)} memories ({len(hand.memories)} written by hand)" in asked
    assert f"{len(world.cues)} cues ({len(hand.cues)} written by hand" in asked


def test_the_same_seed_gives_the_same_world_and_another_one_another(world: World) -> None:
    assert generate.world(data.written()) == world
    assert generate.world(data.written(), seed=7).cues != world.cues


def test_every_class_and_language_is_asked_for_in_both_parts(world: World) -> None:
    page = Path(__file__).parents[2].joinpath("docs", "benchmark.md").read_text("utf-8")
    for part in ("tune", "judge"):
        mine = [cue for cue in world.cues if world.projects[cue.project].part == part]
        assert {cue.of for cue in mine} == {cue.of for cue in world.cues}
        assert {cue.language for cue in mine} == {"en", "zh", "mixed"}
    for cue in world.cues:
        assert f"`{cue.of}`" in page


def test_every_cue_can_be_answered_where_it_is_asked(world: World) -> None:
    names = [cue.name for cue in world.cues]
    assert len(set(names)) == len(names)
    for cue in world.cues:
        seen = {one.id for one in world.seen_from(cue.project)}
        assert seen.issuperset([*cue.want, *cue.also, *cue.under]), cue.name
        assert bool(cue.want) == (cue.of not in measures.SILENT), cue.name
        if cue.of in ("superseded", "outdated"):
            replaced = {world.memories[one].replaces for one in cue.want}
            assert replaced.intersection(cue.under), cue.name


def test_what_replaces_is_newer_and_no_record_of_a_session_is_from_a_time_asked_for(
    world: World,
) -> None:
    for one in world.memories.values():
        assert date(2025, 1, 1) < one.on <= date(2026, 11, 20)
        if one.replaces:
            assert world.memories[one.replaces].on < one.on
    for cue in world.cues:
        months = {world.memories[one].on.month for one in cue.want if cue.of == "when"}
        made = [m for m in world.memories.values() if m.id.startswith(f"{cue.project}-session-")]
        assert not months & {one.on.month for one in made}


def test_projects_without_a_store_lie_side_by_side(world: World) -> None:
    seen = {one.project for one in world.seen_from("ledger")}
    assert seen == {"", "ledger", "infra", "game", "gitmeter"}


def test_measures_are_as_by_hand() -> None:
    assert measures.ndcg(row("a b")) == 1.0
    assert measures.ndcg(row("b a", also=("b",))) == pytest.approx(
        (1 + 2 * 0.6309) / (2 + 0.6309), rel=1e-3
    )
    assert measures.ndcg(row("")) == 0.0
    assert [measures.hit(row("x a"), k) for k in (1, 3)] == [False, True]
    assert measures.injected([row("", "a b"), row("", "")]) == {
        "given": 0.5, "precise": 0.5, "tokens": 120.0,
    }  # fmt: skip
    assert measures.searched([row("a"), row("")])["empty"] == 0.5


@pytest.mark.parametrize(
    ("found", "stale"),
    [("a old", False), ("old a", True), ("x old", True), ("x", False), ("", False)],
)
def test_what_is_superseded_must_not_come_before_what_replaced_it(found: str, stale: bool) -> None:
    asked = row(found, under=("old",))
    assert measures.is_stale(asked.cue, asked.answer.found) is stale


def test_answers_of_somebody_else_are_scored_alike(world: World, tmp_path: Path) -> None:
    rows, _ = run("FTS5 porter", world, world.cues[:40])
    lines = [
        {"cue": one.cue.name, "found": one.answer.found, "given": one.answer.given, "tokens": one.answer.tokens}
        for one in rows
    ]  # fmt: skip
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    theirs = {one.cue.name: one.answer for one in answers_in(str(file), world)}
    for one in rows:
        assert theirs[one.cue.name] == one.answer


def test_ripgrep_is_left_out_where_there_is_none(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grep, "ripgrep", lambda: "")
    with pytest.raises(NotHere, match="pip install"):
        run("ripgrep", world, world.cues[:1])


@pytest.mark.slow
def test_a_file_with_more_of_the_words_comes_first_as_grep_finds_them(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = grep.ripgrep() or shutil.which("grep")
    assert tool
    monkeypatch.setattr(grep, "ripgrep", lambda: tool)
    cues = [cue for cue in world.cues if cue.project == "ledger" and cue.of == "decision"]
    rows, _ = run("ripgrep", world, cues)
    assert all(row.answer.found for row in rows)
    assert measures.mean(measures.hit(row, 10) for row in rows) > 0.5


def test_any_word_is_grepped_for_and_nothing_is_a_pattern(tmp_path: Path) -> None:
    tool = shutil.which("grep")
    assert tool
    for name, text in {"a": "Foo.bar", "b": "fooxbar and BAZ, foo.bar", "c": "nothing"}.items():
        (tmp_path / name).write_text(text + "\n", "utf-8")
    asked = grep.command(tool, "what is the foo.bar of baz", str(tmp_path))
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    found = [Path(path).name for path in grep.best_first(done.stdout)]
    assert found == ["b", "a"]


def test_what_is_written_out_can_be_read_by_anybody(world: World, tmp_path: Path) -> None:
    export(world, str(tmp_path))
    assert len(list(tmp_path.rglob("*.md"))) == len(world.memories)
    cues = [json.loads(line) for line in (tmp_path / "cues.jsonl").read_text("utf-8").splitlines()]
    assert [cue["name"] for cue in cues] == [cue.name for cue in world.cues]


@pytest.mark.parametrize("stage", stages.STAGES)
def test_a_stage_that_was_switched_off_is_on_again(stage: str) -> None:
    switches = stages.STAGES[stage]
    before = [getattr(where, name) for where, name, _ in switches]
    with stages.without(stage):
        for where, name, instead in switches:
            assert getattr(where, name) is instead
    assert [getattr(where, name) for where, name, _ in switches] == before


@pytest.mark.slow
def test_the_product_answers_without_each_of_its_stages_too(world: World) -> None:
    mine = {name: one for name, one in world.memories.items() if one.project in {"", "mall"}}
    alone = world._replace(projects={"mall": world.projects["mall"]}, memories=mine)
    of_each = {cue.of: cue for cue in world.cues if cue.project == "mall"}
    rows = run_stages(alone, list(of_each.values()))
    assert set(rows) == set(stages.STAGES)
    assert {len(several) for several in rows.values()} == {len(of_each)}
    found = {stage: [one.answer for one in several] for stage, several in rows.items()}
    whole = [one.answer for one in run("recollect", alone, list(of_each.values()))[0]]
    assert found["spelling"] != whole
    assert found["identifiers are cut and joined"] != whole


@pytest.mark.slow
def test_the_product_finds_its_own_and_nothing_of_another_project(world: World) -> None:
    cues = [c for c in world.cues if c.project == "mall"]
    rows, _ = run("recollect", world, cues)
    assert not any(measures.foreigners(world, one) for one in rows)
    answered = [one for one in rows if one.cue.of not in measures.SILENT]
    assert measures.searched(answered)["hit@3"] > 0.8
