"""Many processes on one store: everything acknowledged is there once, and nobody sees half of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.services.project import SOURCE, Project

from recollect.capture import save_memory as save
from recollect.capture.save_memory import Draft
from recollect.model.memory import Filter
from recollect.text.tokens import cue_words

from .workers import END

ROOT = SOURCE.parent


@pytest.fixture
def project(quick_folder: Path, tmp_path: Path) -> Project:
    project = Project(quick_folder / tmp_path.name)
    project.env["PYTHONPATH"] = f"{SOURCE}:{ROOT}"
    return project


def finish(running: list[subprocess.Popen[str]]) -> Iterator[str]:
    """What the processes told; every one has to end well and without a complaint."""
    ended = [(process, *process.communicate(timeout=300)) for process in running]
    for process, told, complaints in ended:
        assert process.returncode == 0, (process.args, told, complaints)
        assert complaints == ""
        yield told


def work(project: Project, worker: str, name: str, times: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.crash.workers", worker, name, str(times)],
        cwd=project.folder,
        env=project.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def accounts(project: Project, ids: list[str], tokens: list[str]) -> None:
    """Each of these is in the Markdown, in the journal, in the index and in the view, once."""
    assert len(set(ids)) == len(ids) == len(tokens)
    texts = [data.decode() for data in project.files().values()]
    with project.opened() as store:
        puts = [op for op in store.journal.ops() if op.op == "put" and op.before is None]
        for memory_id, token in zip(ids, tokens, strict=True):
            assert sum(token in text for text in texts) == 1
            assert sum(op.memory == memory_id for op in puts) == 1
            entry = store.index.entry(memory_id)
            assert entry is not None
            assert token in store.read(entry).text
            hits = store.index.search(cue_words(token), only=Filter(), limit=500)
            assert any(one.id == memory_id and token in one.text for one in hits)
        assert store.journal.problems == []
        assert store.journal.unsettled({})[0] == []
        assert store.index.differences() == []
    view = (project.root / ".index.json").read_text()
    assert [memory_id for memory_id in ids if f'"{memory_id}"' not in view] == []
    assert project.answer("doctor")["problems"] == 0


def save_at_once(project: Project, titles: list[str]) -> None:
    words = [
        ["save", title, "--body", f"token{n}z", "--kind", "fact", "--json"]
        for n, title in enumerate(titles)
    ]
    told = list(finish([project.start(*one) for one in words]))
    ids = [json.loads(answer)["id"] for answer in told]
    accounts(project, ids, [f"token{n}z" for n in range(len(titles))])


@pytest.mark.slow
def test_commands_at_once_save_a_memory_each(project: Project) -> None:
    save_at_once(project, ["The same title" if n % 2 else f"Title {n}" for n in range(8)])


@pytest.mark.parametrize("name", ["shared", "shared#points"])
@pytest.mark.slow
def test_commands_at_once_append_a_line_each(project: Project, name: str) -> None:
    project.write("semantic/shared.md", "# Shared\n\nSome.\n\n## Points\n\nMore.\n")
    project.answer("list")
    running = [project.start("edit", name, "--append", f"token{n}z") for n in range(12)]
    assert [process.communicate(timeout=120)[1] for process in running] == [""] * 12
    assert [process.returncode for process in running] == [0] * 12
    text = (project.root / "semantic" / "shared.md").read_text()
    assert sorted(line for line in text.splitlines() if line.startswith("token")) == sorted(
        f"token{n}z" for n in range(12)
    )


COLOURS = "red blue green black white yellow orange purple brown grey pink golden".split()


@pytest.mark.parametrize("how", [["--subject", "Shared"], ["--kind", "rule"]], ids=" ".join)
@pytest.mark.slow
def test_commands_at_once_state_a_thing_each(project: Project, how: list[str]) -> None:
    said = [f"The {colour} kettle stands on the {colour} shelf" for colour in COLOURS]
    running = [project.start("save", one, *how) for one in said]
    assert [process.communicate(timeout=120)[1] for process in running] == [""] * len(said)
    assert [process.returncode for process in running] == [0] * len(said)
    rows = project.answer("list", "--limit", "100")
    assert sorted(row["text"] for row in rows) == sorted(said)


@pytest.mark.slow
@pytest.mark.parametrize("title", ["The same title", "Title {}"])
def test_twenty_commands_at_once_save_twenty_memories(project: Project, title: str) -> None:
    save_at_once(project, [title.format(n) for n in range(20)])


def talk(project: Project, n: int) -> str:
    """An episode past its time, with a claim that belongs elsewhere."""
    claim = f"The port of server{n}z is {8000 + n}."
    head = "created: 2025-01-02T10:00:00Z\ndecay-after: 2025-04-01\ntags: [port, server]"
    project.write(f"episodic/2025-01-02-talk-{n}.md", f"---\n{head}\n---\n# Talk {n}\n\n{claim}\n")
    return claim


def crowd(project: Project, *, writers: int, saves: int, edits: int, passes: int) -> None:
    """Writers, two editors and a reader beside three rebuilds and two consolidations."""
    claims = [talk(project, n) for n in range(4)]
    with project.opened() as store:
        save.save(store, Draft("Shared", "Lines:\n", kind="fact"))
    shared = project.root / "semantic" / "shared.md"
    shared.write_text(shared.read_text() + END)
    running = [
        *(work(project, "save", f"w{n}", saves) for n in range(writers)),
        *(work(project, "edit", f"e{n}", edits) for n in range(2)),
        *(work(project, "rebuild", f"r{n}", passes) for n in range(3)),
        *(work(project, "consolidate", f"c{n}", passes) for n in range(2)),
        work(project, "read", "reader", saves),
    ]
    lines = [line.split() for told in finish(running) for line in told.splitlines()]
    saved = [line[1:] for line in lines if line[0] == "saved"]
    edited = [line[1] for line in lines if line[0] == "edited"]
    assert len(saved) == writers * saves
    assert len(edited) == 2 * edits
    expected = ("saved", "edited", "rebuilt", "consolidated", "read")
    assert [line for line in lines if line[0] not in expected] == []
    text = shared.read_text()
    assert sorted(line[7:] for line in text.splitlines() if line.startswith("- line ")) == sorted(
        edited
    )
    texts = {path: data.decode() for path, data in project.files().items()}
    for n, claim in enumerate(claims):
        cold = f"archive/episodic/2025-01-02-talk-{n}.md"
        assert sum(text.count(claim) for path, text in texts.items() if path != cold) == 1
        assert claim in texts[cold]
    accounts(project, [one[0] for one in saved], [one[1] for one in saved])


@pytest.mark.slow
def test_writers_editors_passes_and_readers_at_once_lose_nothing(project: Project) -> None:
    crowd(project, writers=2, saves=4, edits=4, passes=1)


@pytest.mark.slow
def test_eight_writers_beside_three_rebuilds_and_two_consolidations_lose_nothing(
    project: Project,
) -> None:
    crowd(project, writers=8, saves=25, edits=25, passes=6)
