"""Every way by which a text comes into a store, and every byte that is there afterwards.

Promises: a way uses the program as a person or an agent does; what `bytes_kept` gives is all that is
below the folder of the test but what the test itself put there.
Touches: the folder of the person it is given.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.capture.transcripts import Transcript
from tests.cli.running import Person
from tests.mcp.talking import Agent

Way = Callable[[Person, str], object]
GIVEN = "given"  # the folder of what the test hands over; not looked through


def folder_of(person: Person) -> Path:
    """Where the person's home, project and temporary files are."""
    return person.home.parent


def handed(person: Person, name: str, text: str) -> Path:
    """A file that is handed to a command."""
    file = folder_of(person) / GIVEN / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    return file


def bytes_kept(person: Person) -> Iterator[tuple[str, bytes]]:
    """Every byte that was written anywhere, packed files as what they say too."""
    for file in sorted(folder_of(person).rglob("*")):
        if file.is_file() and GIVEN not in file.parts:
            data = file.read_bytes()
            yield str(file), data
            if file.suffix == ".gz":
                yield f"{file} unpacked", gzip.decompress(data)


def _edit(person: Person, *words: str) -> None:
    person.ok("save", "A teapot", "--body", "It is blue.")
    person.ok("edit", "a-teapot", *words)


def _save_file(person: Person, text: str) -> None:
    person.ok("save", "A teapot", "--file", str(handed(person, "note.md", text)))


def _session_file(person: Person, text: str) -> None:
    said = f"# Session\n\n## Decisions\n- [technology] Use the kettle: {text}\n\n## Issues\n- [bugfix] The lid: open\n"
    person.run("extract-facts", str(handed(person, "2026-01-11_1430.md", said)))


def _session_file_in_store(person: Person, text: str) -> None:
    said = f"# Session\n\n## Decisions\n- [technology] Use the kettle: {text}\n"
    person.ok("extract-facts", "-", stdin=said)


def _session(person: Person, text: str) -> None:
    here = {"RECOLLECT_SESSION": "one"}
    person.ok("start-session", f"Tea: {text}", env=here)
    person.ok("note", text, env=here)
    person.ok("todo", f"Boil: {text}", env=here)
    person.ok("save-session", "--summary", f"Done: {text}", env=here)


def _fact(person: Person, text: str) -> None:
    person.ok("add-decision", f"Use tea {text}", text, "--concepts", text, "--files", text)
    person.ok("add-pattern", f"Warm the pot {text}", text)
    person.ok("add-issue", f"It leaks {text}", text)


def _fields(person: Person, text: str) -> None:
    person.ok("save", "A teapot", "--body", "It is blue.")
    for key in ("title", "tags", "trigger", "files", "concepts", "related"):
        person.run("set", "a-teapot", f"{key}={text}")


def _pin(person: Person, text: str) -> None:
    person.ok("save", "A teapot", "--body", "It is blue.")
    person.run("pin", "a-teapot", "--brief", text, "--when", text)


def _transcript(person: Person, text: str) -> None:
    person.ok("capture", captured(person, text))


def captured(person: Person, text: str) -> str:
    """A transcript in which this was said by everybody."""
    log = Transcript(cwd=str(person.project))
    log.prompt(f"Please fill the teapot. {text}")
    log.answer(f"I decided to fill it. {text}")
    log.queued(f"Always remember this: {text}")
    log.shell(f"fill teapot {text}", f"Error: the lid is closed {text}", code=1)
    log.shell("fill --lid teapot", f"full {text}")
    log.edit(f"{person.project}/{text.replace('/', ' ')[:80]}")
    log.result(log.call("WebFetch", url=f"https://tea.example/?q={text}"), text, error=True)
    log.prompt(f"We decided to use the kettle because {text}")
    log.answer(f"The teapot is full. {text}")
    return log.save(folder_of(person) / GIVEN)


def _tools(person: Person, text: str) -> None:
    with Agent(person.home, person.project).server() as server:
        server.call("remember", title=f"A teapot {text}"[:200], text=text)
        server.call("remember", title="A kettle", text=f"It is {text}", tags=["tea", text[:200]])
        server.call("update", id="a-kettle", append=text)
        server.call("search", query=text)


WAYS: dict[str, Way] = {
    "save": lambda p, t: p.ok("save", f"A teapot {t}", "--body", t, "--tags", t, "--trigger", t),
    "save from stdin": lambda p, t: p.ok("save", "A teapot", "-", stdin=t),
    "save from a file": _save_file,
    "edit": lambda p, t: _edit(p, "--body", t),
    "edit, appending": lambda p, t: _edit(p, "--append", t),
    "edit of the title": lambda p, t: _edit(p, "--title", f"A teapot {t}"),
    "set": _fields,
    "session": _session,
    "facts": _fact,
    "core": lambda p, t: p.ok("memory-set", "project", t),
    "pin": _pin,
    "session file": _session_file,
    "session file on stdin": _session_file_in_store,
    "transcript": _transcript,
    "tools": _tools,
}
