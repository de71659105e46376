"""When the worker puts old sessions away: once a day."""

from __future__ import annotations

from recollect import worker
from recollect.features import lifecycle
from recollect.features import session_archive as compressing

from .project import Project

PAGE = "sessions/archive/2026-01.md"


def session(project: Project, name: str, body: str, day: str = "2026-01-05") -> None:
    project.write(
        f"episodic/{day}-{name}/summary.md",
        f"---\nkind: session\ntags: [a, b]\ncreated: {day}\nsession: {name}\n---\n{body}\n",
    )


def is_done(project: Project, day: str) -> bool:
    with project.opened_at(f"{day}T09:00:00Z") as (app, store):
        return compressing.compress_if_due(app, store)


def test_it_is_done_once_a_day_where_there_is_anything_to_do(project: Project) -> None:
    assert not is_done(project, "2026-05-01")
    session(project, "one", "Port is 8080.")
    assert not is_done(project, "2026-05-01")
    assert is_done(project, "2026-05-02")
    session(project, "two", "Host is db.")
    assert not is_done(project, "2026-05-02")
    assert "Host is db." not in (project.root / PAGE).read_text("utf-8")
    assert is_done(project, "2026-05-03")
    assert "Host is db." in (project.root / PAGE).read_text("utf-8")


def test_the_worker_of_a_store_sees_to_it(project: Project) -> None:
    session(project, "one", "Port is 8080.")
    project.write("sessions/2026-01-07_1200.md", "# Noon\n\n## Decisions\n- Use enamel: it holds\n")
    assert worker.consolidate_if_due(str(project.root))
    text = (project.root / PAGE).read_text("utf-8")
    assert "Port is 8080." in text
    assert "Use enamel" in text
    assert (project.root / "archive/episodic/2026-01-05-one/summary.md").exists()
    assert not worker.consolidate_if_due(str(project.root))


def test_what_a_session_says_is_heard_by_the_pass_after_it_goes(project: Project) -> None:
    session(project, "one", "Port is 8080.")
    assert is_done(project, "2026-05-01")
    page = project.root / "semantic/deployment.md"
    assert not page.exists()
    with project.opened_at("2026-05-02T09:00:00Z") as (app, store):
        lifecycle.consolidate_store(app, store)
    assert "Port is 8080." in page.read_text("utf-8")


def test_a_session_that_says_what_waits_for_a_person_stays(project: Project) -> None:
    project.write(
        "semantic/db.md", "---\ntags: [a, b]\ncreated: 2025-12-01\n---\nWe use Postgres.\n"
    )
    session(project, "asked", "We use MySQL.")
    session(project, "one", "Port is 8080.")
    assert is_done(project, "2026-05-01")
    assert (project.root / "episodic/2026-01-05-asked/summary.md").exists()
    assert not (project.root / "episodic/2026-01-05-one/summary.md").exists()
