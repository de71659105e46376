"""What is fuzzed: each reader of what others write, with what has to hold whatever it is given.

Promises: a target raises nothing for any bytes, unless the reader breaks a promise; the same bytes do
the same.
Touches: a folder for temporary files, for the index that queries are asked of.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache

from recollect.capture import summary
from recollect.capture.state import fold
from recollect.clients.base import ConfigFormat, HookProgram
from recollect.clients.registry import KNOWN, READERS
from recollect.consolidate.claims import claims_in
from recollect.context import pack
from recollect.errors import RecollectError
from recollect.interfaces.cli.console import shown, shown_block
from recollect.interfaces.hooks import payload
from recollect.model import document as codec
from recollect.model import frontmatter
from recollect.model.entries import entry_of
from recollect.model.facts import read_facts
from recollect.model.memory import FileStat, Filter
from recollect.model.session import Event, SessionState
from recollect.ports import IndexRow
from recollect.search.index import SqliteIndex
from recollect.store import journal_lines as lines
from recollect.store import settings as config
from recollect.text.redact import redact, strip_private
from recollect.text.tokens import cue_words

Target = Callable[[bytes], None]


def front_matter(data: bytes) -> None:
    """A memory file: every text is some memory, and changing a field leaves its body alone."""
    text = data.decode("utf-8", "surrogateescape")
    memory = codec.memory_from_text(text, "semantic/x.md")
    assert memory.id
    front = frontmatter.split_front(text)
    assert front.lead + "".join(front.lines) + front.body == text
    entry_of(memory, "stamp")
    claims_in(memory)
    read_facts(memory.body)
    with suppress(ValueError, RecollectError):  # what cannot be parsed is not edited
        edited = codec.with_field(text, "salience", "high")
        assert frontmatter.split_front(edited).body == front.body
        assert codec.with_field(edited, "salience", "high") == edited


def journal_line(data: bytes) -> None:
    """A line of the journal: nothing that its writer did not seal is taken for a change."""
    for raw, _ in lines.split([data + b"\n"]):
        found = lines.checked(raw)
        if found is not None:
            lines.op_of(found)
    with suppress(ValueError, RecursionError):
        said = json.loads(data)
        if isinstance(said, dict) and said and "sum" not in said:  # what we write has no such key
            again = lines.checked(lines.line_of(said).rstrip(b"\n"))
            assert json.dumps(again) == json.dumps(said)
            lines.op_of(said)


def transcript(data: bytes) -> None:
    """A log of any client: read, folded and told as a memory that can be read again."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        file.write(data)
        file.flush()
        for client, reader in READERS.items():
            portion = reader.read(file.name, 0, 0)
            _told(SessionState("fuzz", client), portion.events)


def _told(state: SessionState, events: list[Event]) -> None:
    fold(state, events)
    assert fold(state, [event for event in events if event.id]) == []
    memory = codec.memory_from_text(
        summary.summary_text(state, "fuzz", "en"), "episodic/fuzz/summary.md"
    )
    assert (memory.problem, memory.id, memory.kind) == ("", "fuzz", "session")
    summary.conversation_text(events, "zh")
    kept = json.loads(json.dumps(state.to_json()))
    assert SessionState.from_json(kept).to_json() == kept


@cache
def _index() -> SqliteIndex:
    folder = tempfile.mkdtemp(prefix="fuzz-index-")
    index = SqliteIndex(folder)
    text = "---\nid: tea\ntags: [pot]\n---\n# Tea\n\nfoo-bar C++ don't 中文 SQLITE_BUSY.\n"
    memory = codec.memory_from_text(text, "semantic/tea.md")
    index.apply([IndexRow(FileStat("semantic/tea.md", 1, 1, 1, 1), "stamp", memory)], [], 1)
    return index


def query(data: bytes) -> None:
    """A query: any text is data, never an operator."""
    text = data.decode("utf-8", "surrogateescape")
    for found in _index().search(cue_words(text), only=Filter(), limit=5):
        assert found.id == "tea"


def hook_stdin(data: bytes) -> None:
    """What a client sends to a hook: nothing is raised, and what JSON says is what we read."""
    wanted = ("session_id", "prompt", "cwd", "files")
    found = payload.members(data, wanted)
    texts = {key: payload.text_of(value) for key, value in found.items() if key}
    for raw in found.values():
        payload.strings_in(raw)
    payload.is_whole([data])
    with suppress(ValueError, RecursionError):
        said = json.loads(data.decode("utf-8"))
        if isinstance(said, dict) and len(_keys(data)) == len(set(_keys(data))):
            for key in wanted:
                value = said.get(key)
                if isinstance(value, str):
                    assert texts.get(key) == _readable(value), key


def _keys(data: bytes) -> list[str]:
    """The keys of a JSON object, as often as they are there; none of one with escapes in a key."""
    found: list[str] = []

    def keep(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found[:] = [key for key, _ in pairs]
        return dict(pairs)

    json.loads(data.decode("utf-8"), object_pairs_hook=keep)
    return found


def _readable(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def secrets(data: bytes) -> None:
    """A text that is to be written: redacting it again changes nothing more."""
    text = data.decode("utf-8", "surrogateescape")
    clean = redact(text, b"key")
    assert redact(clean, b"key") == clean
    assert strip_private(strip_private(text)) == strip_private(text)


@cache
def _forms() -> list[ConfigFormat]:
    program = HookProgram("/python", "/recollect/hook.py")
    env = {"HOME": "/nobody"}
    return [part.form for one in KNOWN.values() for part in one.parts(env, program)]


def settings_file(data: bytes) -> None:
    """A client's settings: what is ours goes in once, and comes out again, or it is refused."""
    text = data.decode("utf-8", "surrogateescape")
    for form in _forms():
        with suppress(ValueError, RecursionError):
            added = form.put(text)
            assert form.put(added) == added
            form.taken(added, frozenset(form.empties(text)))


def config_file(data: bytes) -> None:
    """Our own settings: read, or refused with a sentence."""
    text = data.decode("utf-8", "replace")
    with suppress(RecollectError):
        for key, value in config._values("config.toml", text):
            with suppress(ValueError):
                config.checked(key, value)


def output(data: bytes) -> None:
    """What is shown to a person or handed to an agent: nothing hidden, no fence, no role."""
    text = data.decode("utf-8", "surrogateescape")
    hidden = pack.hidden()
    for said in (shown(text), shown_block(text), pack.harmless(text), pack.attribute(text)):
        assert not [c for c in said if ord(c) in hidden and c not in "\n\t"]
        said.encode("utf-8")
    assert pack.harmless(pack.harmless(text)) == pack.harmless(text)


TARGETS: dict[str, Target] = {
    "front-matter": front_matter,
    "journal-line": journal_line,
    "transcript": transcript,
    "query": query,
    "hook-stdin": hook_stdin,
    "secrets": secrets,
    "settings-file": settings_file,
    "config-file": config_file,
    "output": output,
}
