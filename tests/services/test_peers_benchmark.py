"""The comparison with other memories: what it asks, how it reads answers and grades them."""

from __future__ import annotations

import json
import os
import select
import sys
import urllib.request
from pathlib import Path

import pytest
from bench.coding import data, generate
from bench.coding.data import Cue, World
from bench.peers import answers, installing, material, processes, report, systems
from bench.peers.__main__ import taken
from bench.peers.report import Asked, Result
from bench.peers.stub import embedder, vector


@pytest.fixture(scope="module")
def world() -> World:
    return generate.world(data.written())


def result(*found: str, cpu: float = 0.1, name: str = "peer") -> Result:
    asked = [Asked(Cue("c", "p", "fact", "?", want=("a",)), f.split(), 0.2, cpu) for f in found]
    return Result(name, "plain", 4.0, 2.0, 5_000_000, 1_500_000, asked)


# -------------------------------------------------------------------------------------- material


def test_the_first_cues_are_of_every_large_class_however_few_are_asked(world: World) -> None:
    asked = material.cues(world, 100)
    assert len({cue.name for cue in asked}) == 100
    assert all(cue.want and cue.of != "when" for cue in asked)
    assert {"identifier", "slip", "path", "fact", "prompt"} <= {cue.of for cue in asked[:15]}


def test_more_cues_than_there_are_is_all_of_them(world: World) -> None:
    assert len(material.cues(world, 10_000)) == len(material.cues(world, 9_999)) < 10_000


@pytest.mark.slow
@pytest.mark.parametrize("count", [100, 615, 700])
def test_every_note_that_answers_is_there_and_as_many_as_asked_for(
    world: World, count: int
) -> None:
    asked = material.cues(world, 40)
    notes = material.notes(world, asked, count)
    names = answers.names(one.path for one in notes)
    assert len(names) == len(notes) == count
    assert {one for cue in asked for one in cue.want} <= set(names)


def test_too_few_notes_for_the_cues_are_refused(world: World) -> None:
    with pytest.raises(SystemExit, match="too few"):
        material.notes(world, material.cues(world, 100), 20)


def test_a_note_is_as_old_on_disk_as_it_says(world: World, tmp_path: Path) -> None:
    (note, *_) = material.notes(world, material.cues(world, 1), 5)
    material.write(str(tmp_path), [note])
    path = tmp_path / note.path
    assert path.read_text("utf-8") == note.text
    assert f"date: {note.on.isoformat()}" in note.text
    assert int(path.stat().st_mtime) % 86400 == 10 * 3600


# --------------------------------------------------------------------------------------- answers


def test_matches_put_the_note_with_the_most_different_words_first() -> None:
    said = "n/b.md\0Port\nn/a.md\0port\nn/a.md\0host\nn/b.md\0port\nno path here\n"
    assert answers.matches(said) == ["a", "b"]


def test_names_are_those_of_the_files_each_once_where_it_came_first() -> None:
    said = ["qmd://notes/x/one.md", "C:\\notes\\two.md", "three.md", "elsewhere/one.md", ""]
    assert answers.names(said) == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("said", "among"),
    [
        (json.dumps([{"file": "qmd://n/a.md"}, {"file": "qmd://n/b.md"}]), ""),
        (json.dumps({"hits": [{"file": "/n/a.md"}, {"no": "path"}, {"file": "/n/b.md"}]}), "hits"),
        ('Warning: slow\n{"hits": [{"file": "a.md"}, {"file": "b.md"}]}', "hits"),
    ],
)
def test_rows_of_json_are_read_behind_whatever_was_said_before(said: str, among: str) -> None:
    assert answers.rows(said, "file", among) == ["a", "b"]


@pytest.mark.parametrize("said", ["", "No results found.", "{", '{"hits": null}', "[1, 2]", "{}"])
def test_what_cannot_be_read_is_no_answer(said: str) -> None:
    assert answers.rows(said, "file", "hits") == answers.rows(said, "file") == []
    assert answers.matches(said) == answers.sources(said) == []


def test_sources_are_read_from_among_what_is_shown_of_them() -> None:
    said = (
        "  [1] n / ledger\n      Source: a.md\n      Match:  0.4\n\n  [2] n\n      Source: x/b.md\n"
    )
    assert answers.sources(said) == ["a", "b"]


# ---------------------------------------------------------------------------------------- report


def test_grades_are_as_by_hand() -> None:
    got = report.grades(result("a", "x a", "x x2 x3 x4 x5 a", "").asked)
    assert got["hit@1"] == 0.25
    assert got["hit@5"] == 0.5
    assert got["hit@10"] == 0.75
    assert got["MRR"] == pytest.approx((1 + 1 / 2 + 1 / 6) / 4)
    assert got["empty"] == 0.25


def test_quantiles_are_values_that_were_measured() -> None:
    assert report.quantile([3.0, 1.0, 2.0, 4.0], 0.5) == 2.0
    assert report.quantile([3.0, 1.0, 2.0, 4.0], 0.95) == 4.0
    assert report.quantile([7.0], 0.5) == 7.0


def test_ratios_are_to_the_first_of_the_systems() -> None:
    table = report.cost_table([result("a"), result("a", cpu=0.25, name="slow")])
    assert table[2].startswith("| peer (plain) | 4.00 | 2.00 | 1.0 | 200 / 200 | 1.0 | 100 / 100")
    assert "| 250 / 250 | 2.5 | 5 | 1.5 |" in table[3]


def test_what_everybody_was_asked_is_compared_where_somebody_was_asked_less() -> None:
    several = report.in_common([result("a", "x"), result("a")])
    assert [len(one.asked) for one in several] == [1, 1]
    assert "| 1 | 1.00 |" in report.found_table(several)[2]


# ------------------------------------------------------------------------------- how it is run


def test_a_process_knows_nothing_but_what_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "of the person")
    place = systems.Place(str(tmp_path), "http://127.0.0.1:9/v1")
    env = systems.environment(systems.RECOLLECT, place)
    say = "import os; print(sorted(set(os.environ) - {'LC_CTYPE'}))"
    ran = processes.run([sys.executable, "-S", "-c", say], env, str(tmp_path), 60)
    assert ran.status == 0
    assert ran.out.strip() == str(sorted(env))
    assert env["HOME"].startswith(str(tmp_path))


def test_what_takes_too_long_is_ended_with_what_it_started(tmp_path: Path) -> None:
    pipe = tmp_path / "held-open-by-what-it-started"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        command = ["/bin/sh", "-c", f"sleep 60 > {pipe} & sleep 60"]
        ran = processes.run(command, {}, str(tmp_path), 0.5)
        assert ran.status < 0
        assert "not done after" in ran.complaint
        readable, _, _ = select.select([reader], [], [], 20)
        assert readable, "what it started goes on"
        assert os.read(reader, 1) == b""
    finally:
        os.close(reader)


def test_a_missing_python_is_a_reason_to_leave_a_system_out() -> None:
    with pytest.raises(installing.Skipped, match=r"no Python 4\.1 to 4\.2"):
        installing.python((4, 1), (4, 2))


def test_a_folder_that_a_run_uses_is_refused_to_another_one(tmp_path: Path) -> None:
    again = taken(str(tmp_path))
    with taken(str(tmp_path)), pytest.raises(SystemExit, match="another run"):
        again.__enter__()
    with taken(str(tmp_path)):
        pass


def test_the_stand_in_says_the_same_of_the_same_text() -> None:
    with embedder() as address:
        body = json.dumps({"model": "m", "input": ["tea pot", "kettle"]}).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{address}/embeddings", body)) as said:
            rows = json.load(said)["data"]
    assert [row["embedding"] for row in rows] == [vector("tea pot"), vector("kettle")]
    assert sum(x * x for x in vector("tea pot")) == pytest.approx(1.0)
