"""Claude Code's own auto memory: its folder, its content and the settings that control it.

An edit changes one setting and no other byte, and can be undone exactly. A setting that somebody
changed since stays.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from recollect._fastimport import NamedTuple
from recollect.clients.claude import folder, settings_path
from recollect.clients.config_files import LARGEST, is_blank, last, text_at, writable_mode
from recollect.errors import RecollectError
from recollect.model.frontmatter import split_front
from recollect.store import disk
from recollect.text import json_edit

TYPE_CHECKING = False  # `typing` takes 2 ms to load, in every worker
if TYPE_CHECKING:
    from typing import Any

ENABLED, DIRECTORY = "autoMemoryEnabled", "autoMemoryDirectory"
INDEX = "MEMORY.md"
LARGEST_NOTE = 64 * 1024
MOST_NOTES = 500
LONGEST_SLUG = 200  # the client cuts longer ones and adds a hash
_TYPE = re.compile(r"^[ \t]+type:[ \t]*[\"']?(\w+)", re.M)
_SESSION = re.compile(r"^[ \t]+originSessionId:[ \t]*[\"']?([\w-]{1,80})", re.M)
_TIME = re.compile(r"^[ \t]+modified:[ \t]*[\"']?([\dTZ:.+-]{10,35})", re.M)


# ------------------------------------------------------------------------------------ settings


def local_settings(project: str) -> str:
    """The person's own settings file of a project, which is in no repository."""
    return os.path.join(project, ".claude", "settings.local.json")


def in_force(env: dict[str, str], project: str) -> dict[str, Any]:
    """The two settings as the client sees them in a project; what cannot be read counts for none."""
    found: dict[str, Any] = {}
    shared = os.path.join(project, ".claude", "settings.json")
    for path in (settings_path(env), shared, local_settings(project)):
        with suppress(RecollectError):
            found |= settings_in(text_at(path))
    return found


def settings_in(text: str | None) -> dict[str, Any]:
    """What a settings file says of the two settings; nothing if it is no JSON."""
    values = json_edit.object_in((text or "").removeprefix("\ufeff"))
    return {key: values[key] for key in (ENABLED, DIRECTORY) if key in values}


class SettingsEdit(NamedTuple):
    """What was done to a settings file, to be able to undo it."""

    wrote: Mapping[str, Any]  # the settings as we wrote them
    former: Mapping[str, str | None]  # the text that each had; None for one that was not there
    blank: str | None = ""  # what a file had that held nothing; None if there was no file
    was_blank: bool = False


def changed(text: str | None, wanted: Mapping[str, Any]) -> tuple[str, SettingsEdit]:
    """The text of a settings file with these settings. Raises ValueError."""
    is_new = text is None or is_blank(text)
    new = "{}\n" if text is None or is_blank(text) else text
    wrote: dict[str, Any] = {}
    former: dict[str, str | None] = {}
    for key, value in wanted.items():
        root = json_edit.root_of(new)
        span = last(json_edit.spans(new, root), key)
        if span is not None and span.value == value:
            continue  # the person's own doing, and not ours to take back
        wrote[key] = value
        if span is None:
            former[key] = None
            new = json_edit.added(new, root, key, value, 0)
        else:
            former[key] = new[span.value_start : span.end]
            new = json_edit.replaced(new, span, value, 1)
    if not wrote:
        return text or "", SettingsEdit({}, {})
    return new, SettingsEdit(wrote, former, text if is_new else "", is_new)


def taken_back(text: str, edit: SettingsEdit) -> str | None:
    """The text before an edit; None if there was no file. Raises ValueError."""
    if is_blank(text):
        return text
    for key in reversed(list(edit.former)):
        root = json_edit.root_of(text)
        spans = json_edit.spans(text, root)
        span = last(spans, key)
        if span is None or span.value != edit.wrote.get(key):
            continue  # somebody changed it since
        raw = edit.former[key]
        if raw is None:
            text = json_edit.removed(text, root, spans.index(span), 0)
        else:
            text = text[: span.value_start] + raw + text[span.end :]
    return edit.blank if edit.was_blank and text == "{}\n" else text


def write(path: str, text: str | None) -> None:
    """Put a settings file in place, or take it away (None). Raises StorageFailed."""
    real = os.path.realpath(path)
    if text is None:
        disk.remove(real)
        return
    mode = writable_mode(real)
    disk.make_folder(os.path.dirname(real))
    disk.write_whole(real, text.encode("utf-8"), mode=mode)
    disk.sync_folder(os.path.dirname(real))


# --------------------------------------------------------------------------------- its folder


def own_folder(env: dict[str, str], project: str) -> str:
    """Where the client keeps its notes of a project; nothing if it would hash the path."""
    slug = re.sub(r"[^A-Za-z0-9]", "-", project)
    return (
        os.path.join(folder(env), "projects", slug, "memory") if len(slug) <= LONGEST_SLUG else ""
    )


class ClientNote(NamedTuple):
    """A note that the client wrote for itself."""

    name: str
    description: str
    type: str  # user, feedback, project, reference
    body: str
    session: str
    modified: str
    stamp: str

    def mapped(self, change: Callable[[str], str]) -> ClientNote:
        """The note with every text in it changed."""
        texts = (change(self.name), change(self.description), change(self.body))
        return self._replace(name=texts[0], description=texts[1], body=texts[2])


def notes_in(place: str) -> Iterator[ClientNote]:
    """The notes in a folder, by name; links and what is far too large are none."""
    for name in disk.names_in(place)[:MOST_NOTES] if place else ():
        if name.endswith(".md") and name != INDEX and not name.startswith("."):
            with suppress(RecollectError, UnicodeDecodeError):
                data = disk.read_file(os.path.join(place, name), LARGEST_NOTE)
                yield note_from(name.removesuffix(".md"), data.decode("utf-8"), disk.stamp_of(data))


def note_from(name: str, text: str, stamp: str) -> ClientNote:
    """A note of the client; every field of its front matter may be missing."""
    front = split_front(text)
    head = "".join(front.lines)
    said = front.value("description")
    found = [
        match[1] if match else "" for match in (p.search(head) for p in (_TYPE, _SESSION, _TIME))
    ]
    about = " ".join(said.split()) if isinstance(said, str) else ""
    return ClientNote(name, about, found[0], front.body.strip(), found[1], found[2], stamp)


def index_of(place: str) -> str:
    """The text of the index in a folder, nothing where there is none."""
    path = os.path.join(place, INDEX)
    if not os.path.isfile(path) or os.path.islink(path):
        return ""
    return disk.read_file(path, LARGEST).decode("utf-8", "surrogateescape")
