"""Core: the files that stand at the head of every brief: project, architecture, conventions, any.

Promises: what a core file said before can be had back with undo; its front matter stays, and says
who wrote it last.
Touches: the ports behind the store it is given.
"""

from __future__ import annotations

from recollect.domain import codec
from recollect.domain.model import Change, Entry, Filter
from recollect.domain.names import is_id
from recollect.errors import OutsideStore
from recollect.services.opened import OpenStore
from recollect.services.writing import Written

FOLDER = "core"


def name_of(entry: Entry) -> str:
    """The name of a core file: its path in the folder, without the ending."""
    return entry.path.removeprefix(f"{FOLDER}/").removesuffix(".md")


def entries(store: OpenStore) -> list[Entry]:
    """The core files of a store, by name."""
    found = [e for e in store.index.entries(Filter()) if e.path.startswith(f"{FOLDER}/")]
    return sorted(found, key=name_of)


def write(store: OpenStore, name: str, text: str, trust: str, *, dry_run: bool = False) -> Written:
    """Put a text into a core file, in place of what it said.

    Raises:
        OutsideStore: the name could lead out of the folder.
    """
    stem = name.removesuffix(".md")
    if not is_id(stem):
        raise OutsideStore(name=name)
    there = (name_of(entry) for entry in entries(store))
    stem = next((one for one in there if one.casefold() == stem.casefold()), stem)
    path = f"{FOLDER}/{stem}.md"
    body = text.strip("\n") + "\n"
    done: list[Written] = []

    def plan() -> list[Change]:
        written, before = _planned(store, path, stem, body, trust)
        done[:] = [written]
        if written.what == "unchanged":
            return []
        return [Change("put", path, written.id, before, written.text)]

    if dry_run:
        plan()
    else:
        store.commit(plan, cause="memory-set", tries=3)
    return done[-1]


def _planned(
    store: OpenStore, path: str, stem: str, body: str, trust: str
) -> tuple[Written, str | None]:
    """What is to be written, and the stamp of the file that it replaces."""
    if not store.files.exists(path):
        name = store.free_id(stem)
        return Written(
            name, path, "created", layer="semantic", text=_new(store, name, body, trust)
        ), None
    old = store.files.read(path)
    memory = codec.memory_from_text(old.text, path)
    if memory.body.strip("\n") == body.strip("\n"):
        return Written(memory.id, path, "unchanged", layer=memory.layer, text=old.text), None
    text = codec.with_body(old.text, body)
    if memory.trust != trust:
        text = codec.with_field(text, "trust", trust)
    if codec.split_front(text).lines:
        text = codec.with_field(text, "updated", store.now)
    return Written(memory.id, path, "changed", layer=memory.layer, text=text), old.stamp


def _new(store: OpenStore, name: str, body: str, trust: str) -> str:
    fields = {
        **codec.default_fields(f"{FOLDER}/{name}.md"),
        "id": name,
        "title": codec.memory_from_text(body, f"{FOLDER}/{name}.md").title,
        "source": "instructed",
        "trust": trust,
        "created": store.now,
        "updated": store.now,
        "last-accessed": store.now[:10],
    }
    return codec.new_text(fields, body)
