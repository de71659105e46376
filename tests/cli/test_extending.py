"""The examples of `docs/extending.md` do what the page says of them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from tests.cli.running import Person

from recollect.worker import make_vectors

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"
LINE_OF_A_COMMAND = re.compile(r"(?:[^\n]*\\\n)*[^\n]+")


def blocks(title: str, language: str) -> list[str]:
    """The blocks of a language below the heading of this title."""
    [section] = [
        part for part in PAGE.read_text("utf-8").split("\n## ")[1:] if part.startswith(title)
    ]
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.M | re.S)


def installed(title: str, folder: Path) -> None:
    """Put the package that a section shows into a folder, as an installer would."""
    import tomllib

    [settings], [code] = blocks(title, "toml"), blocks(title, "python")
    [path] = re.findall(r"^# (\S+\.py)", code, re.M)
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(code, "utf-8")
    info = folder / "acme_memory-1.0.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-memory\nVersion: 1.0\n")
    lines: list[str] = []
    for group, points in tomllib.loads(settings)["project"]["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {place}" for name, place in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines))


def run(person: Person, script: str) -> list[str]:
    """Run each line of a script; gives what each printed."""
    found = []
    for line in LINE_OF_A_COMMAND.findall(script):
        program, *words = shlex.split(line.replace("\\\n", ""), comments=True)
        assert program == "recollect"
        found.append(person.ok(*words).out)
    return found


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose packages are installed."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def test_a_program(
    person: Person, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in person.environment({}).items():
        monkeypatch.setenv(name, value)
    [code] = blocks("From Python", "python")
    exec(code.replace("/path/to/project", str(person.project)), {})
    assert "use-postgresql " in capsys.readouterr().out
    assert "LISTEN" in person.ok("show", "use-postgresql").out


def test_a_detector(person: Person, site: Path) -> None:
    installed("Your own detector", site)
    for what in ("login", "search", "upload"):
        person.ok("save", f"XSS in the page of {what}", "--kind", "note", "--tags", "xss")
    [row] = person.ok("analyze-skills", "--json").json
    [found] = [one for one in row["candidates"] if one["type"] == "security"]
    assert found["name"] == "security-escape-shown"
    assert not row["failed"]


def test_an_embedder(person: Person, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed("Your own embedder", site)
    person.ok("save", "Retry with jitter")
    [line] = [
        one for one in blocks("Your own embedder", "sh")[0].splitlines() if "--package" in one
    ]
    run(person, line)
    monkeypatch.setenv("HOME", str(person.home))
    monkeypatch.setattr("os.nice", lambda _: 0)  # this process goes on
    assert make_vectors(str(person.store)) == 1


def test_a_kind(person: Person) -> None:
    [memory] = blocks("Your own kind", "markdown")
    memory = memory.replace("category: snippet\n", "category: recipe\nowner: acme\n")
    file = person.write("procedural/retry.md", f"{memory}Wait, then try again.\n")
    [script] = blocks("Your own kind", "sh")
    assert "retry-with-jitter" not in person.ok("list", "--type", "snippet").out
    run(person, script)
    assert "owner: acme\n" in file.read_text("utf-8")
    listed, found, _ = run(person, script)
    assert "retry-with-jitter" in listed
    assert "retry-with-jitter" in found


def test_a_trigger(person: Person) -> None:
    person.ok("save", "Retry with jitter", "--body", "Wait, then try again.")
    saving, asking = blocks("Your own triggers", "sh")
    run(person, saving)
    prompt, error = run(person, asking)
    assert "Wait, then try again." in prompt
    assert "AddIndexConcurrently" in error
    assert "AddIndexConcurrently" not in prompt
