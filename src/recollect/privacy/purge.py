"""Find secrets in existing files, and remove what is kept of a session or a memory.

`examine` reads every file of a store and its cache, packed ones too, with wider rules than
redaction. It reports place and kind, never the secret. It opens no index: closing such a file
would drop the locks of this process.
"""

from __future__ import annotations

import json
import os
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import islice
from typing import Any

from recollect._fastimport import NamedTuple, Pattern
from recollect.errors import RecollectError, StoreNotFound
from recollect.model.document import files_of, memory_from_text
from recollect.model.entries import index_units, is_conversation, rows_at, without_comments
from recollect.model.footnotes import label_of
from recollect.model.list_items import is_shared
from recollect.model.memory import SESSION_KINDS, Change, Op, is_sealed_path
from recollect.model.merge import RULINGS
from recollect.model.session import SessionState
from recollect.ports import Copy
from recollect.store import disk, locations, repositories
from recollect.store.history import PURGED as OLD_TEXT_PURGED
from recollect.store.journal import Hidden
from recollect.store.store import OpenStore
from recollect.text.redact import without_secrets
from recollect.text.secret_rules import possible_in
from recollect.text.sentences import has_han
from recollect.workspace import CLAIMS, Finding, FindingGroup, Report, Workspace

SNAPSHOT = "snapshot"
MOST_NAMED = 5  # lines of one file
RUN_TOGETHER = frozenset({"assigned", "said"})  # not sure in an index, where fields have no end
LEAST_SEARCHED = 4  # a shorter name stands everywhere,
LEAST_SAID, LEAST_WORDS = 12, 3  # and so does a line of fewer bytes or words
LAST_SEQ = 2**63  # of no op
LARGEST_UNPACKED = 256 * 1024 * 1024
_WRITTEN_ID = Pattern(r"(?<![\w\[])\^([a-z0-9]{4,12})\b")
_MARK = Pattern(r"\[redacted:([a-z0-9-]+):[0-9a-f]{4}\]")
# What is left of a mark in a key of the cache of claims, which has no punctuation.
_MARK_IN_KEY = Pattern(r"(?<!\[)\b(redacted:[a-z0-9-]+:[0-9a-f]{4})\b")
MODEL_LOG, MODEL_LOCK = "model-calls.jsonl", "model.lock"  # of questions to a model
# For whoever writes the log; an open question is logged by what is known at its end.
LOCK_SECONDS = 5
PURGED = "purged"  # in place of the memory of a session: what comes later does not take it up again


class Leak(NamedTuple):
    """The secrets in one file: how many of each kind, and the line of the first."""

    kinds: Counter[str]
    line: int


def find_secrets(app: Workspace) -> Report:
    """Look for secrets in every store and its cache. Raises StoreNotFound."""
    if not app.roots:
        raise StoreNotFound(where=app.project_folder)
    return Report(
        [FindingGroup(scope, root, _findings_in(app, root)) for scope, root in app.roots.items()]
    )


def _findings_in(app: Workspace, root: str) -> list[Finding]:
    findings: list[Finding] = []
    app.settings(root)  # says whether what is personal counts
    for base in (root, app.cache_of(root)):
        for path, _ in disk.regular_files(base):
            shown = os.path.relpath(path, root) if base == root else path
            try:
                text = _text_of(path)
            except RecollectError as error:
                findings.append(Finding.problem(shown, "{what}", what=str(error)))
                continue
            text = _apart(text) if os.path.basename(path) == CLAIMS else text
            clean = without_secrets(text, personal=app.is_personal)
            leak = leak_in(text, clean)
            is_text = "\0" not in text
            if leak and (is_text or not RUN_TOGETHER.issuperset(leak.kinds)):
                findings.append(_finding(shown, leak))
            elif leak:
                findings.append(_possible(shown, str(leak.line), leak.kinds))
            if is_text and not is_sealed_path(shown):
                findings += _perhaps(shown, text, clean)
    return [*findings, *_summary({finding.state for finding in findings})]


def _apart(claims: str) -> str:
    """The cache of claims with its tags and keys apart: `"password","staging"` is no value after a name."""
    return _MARK_IN_KEY.sub(r"[\1]", claims).replace('","', '" | "')


def _perhaps(path: str, text: str, clean: str) -> Iterator[Finding]:
    locations = possible_in(text, clean, without_secrets)
    if locations:
        lines = sorted({text.count("\n", 0, at) + 1 for at, _ in locations})
        named = ", ".join(map(str, lines[:MOST_NAMED])) + (", …" if lines[MOST_NAMED:] else "")
        yield _possible(path, named, Counter(kind for _, kind in locations))


def _possible(path: str, lines: str, kinds: Counter[str]) -> Finding:
    return Finding.note(
        path, "possible secrets, in the lines {lines}: {kinds}", lines=lines, kinds=_counted(kinds)
    )


def _counted(kinds: Counter[str]) -> str:
    return ", ".join(f"{kind} × {n}" if n > 1 else kind for kind, n in kinds.items())


def _finding(path: str, leak: Leak) -> Finding:
    return Finding.problem(
        path,
        "looks like it contains a secret, first in line {line}: {kinds}",
        line=leak.line,
        kinds=_counted(leak.kinds),
    )


def _summary(states: set[str]) -> Iterator[Finding]:
    if not states:
        yield Finding.ok(
            "secrets", "none found in the memories, the journal, the sessions and the cache"
        )
    if "problem" in states:
        yield Finding.note(
            "secrets",
            "first replace the secret where it is valid; then `recollect edit`, or `recollect forget ID --purge`",
        )
    if "note" in states:
        yield Finding.note(
            "secrets",
            "a possible secret is a value after a name such as password, random characters, or a secret in base64 or hex; check the lines yourself",
        )
    yield Finding.note("secrets", "git history, backups and other machines were not searched")


def leak_in(text: str, clean: str) -> Leak | None:
    """What looks like a secret in a text: the difference that redaction makes."""
    if clean == text:
        return None
    kinds = Counter(_MARK.findall(clean)) - Counter(_MARK.findall(text))
    same = next((n for n, (one, two) in enumerate(zip(text, clean, strict=False)) if one != two), 0)
    return Leak(kinds, text.count("\n", 0, same) + 1)


def _text_of(path: str) -> str:
    data = disk.read_file(path)
    return (_unpacked(data) if path.endswith(".gz") else data).decode("utf-8", "replace")


def _unpacked(data: bytes) -> bytes:
    """What is packed in all members of a gzip file, as far as it can be read."""
    parts: list[bytes] = []
    left = LARGEST_UNPACKED
    while data and left > 0:
        one = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            parts.append(one.decompress(data, left))
        except zlib.error:
            break
        left -= len(parts[-1])
        data = one.unused_data
    return b"".join(parts)


def session_behind(app: Workspace, name: str) -> str:
    """The session whose whole memory this is, or was before it was forgotten; or nothing."""
    for store in app.stores():
        entry = store.index.entry(name)
        if entry is not None:
            return entry.session if entry.kind in SESSION_KINDS else ""
        for op in store.journal.ops_about("memory", name):
            if op.text:
                memory = memory_from_text(op.text, op.path)
                if memory.kind in SESSION_KINDS:
                    return memory.session
    return ""


def purge_session(app: Workspace, store: OpenStore, session: str) -> None:
    """Remove everything about a session except its memory; it is not captured again."""
    sessions = app.sessions(store)
    for state in sessions.every():
        if state.session_id != session:
            continue
        remarks = sessions.remarks_path(state.client, session)
        stamp = store.files.stamp(remarks)
        if stamp is not None:
            gone = [Change("remove", remarks, "", stamp)]
            store.commit(gone.copy, cause="forget")
        if store.journal.ops_about("path", remarks):  # of an earlier try, perhaps
            with store.files.locked():
                store.journal.purge(remarks)
        blank = SessionState(session, state.client, status="discarded", memory=PURGED)
        blank.sources, blank.ids = state.sources, state.ids
        blank.label = state.label if is_purged(state) else label_of(state.memory)
        sessions.save(blank)
    raw = os.path.join(store.root, "sessions", "raw")
    for name in disk.names_in(raw):
        if name.endswith(f"-{session}.jsonl.gz"):
            disk.remove(os.path.join(raw, name))
    purge_calls(app, lambda call: call.get("session") == session)


def is_purged(state: SessionState | None) -> bool:
    """Whether a session was purged: nothing of it is written any more."""
    return state is not None and state.memory == PURGED


def purge_calls(app: Workspace, is_wanted: Callable[[dict[str, Any]], bool]) -> None:
    """Take what was sent and answered out of these calls of a model; that they were made stays."""
    base = locations.cache_root(app.env)
    path = f"{base}/{MODEL_LOG}"
    if not os.path.lexists(path):
        return
    with disk.held(f"{base}/{MODEL_LOCK}", wait_seconds=LOCK_SECONDS):
        text = disk.read_file(path).decode("utf-8", "replace")
        lines = []
        for line in text.splitlines():
            with suppress(ValueError):  # a line that cannot be read goes, too
                call = json.loads(line)
                gone = {"sent": "", "answer": "", "dropped": [], "reason": OLD_TEXT_PURGED}
                call |= gone if is_wanted(call) else {}
                lines.append(f"{json.dumps(call, ensure_ascii=False)}\n")
        if (new := "".join(lines)) != text:
            disk.write_whole(path, new.encode("utf-8", "replace"))


class SearchText(NamedTuple):
    """A text as it is searched: in lower case, and with the ids of the statements that it writes."""

    lower: str
    ids: frozenset[str]


def search_text(text: str | None) -> SearchText:
    """A text of a file or of an op, made ready to be searched."""
    return SearchText((text or "").casefold(), frozenset(_WRITTEN_ID.findall(text or "")))


class Wording(NamedTuple):
    """What a memory says and once said: by that its text is found where it was before, or is still."""

    name: str  # the id of the memory, or of the entry
    files: frozenset[str]  # where it is, and was before somebody moved its file by hand
    former: tuple[str, ...]  # of these, where nothing is now
    lines: frozenset[str]  # in lower case, as they are and as JSON has them
    ids: frozenset[str]  # of its statements; a page may have the beginning of one

    def is_in(self, text: SearchText) -> bool:
        """Whether a text says one of the lines or has one of the statements."""
        return any(line in text.lower for line in self.lines) or any(
            own.startswith(said) for said in text.ids for own in self.ids
        )


def wordings_of(store: OpenStore, memories: Iterable[tuple[str, str]]) -> list[Wording]:
    """The wordings of memories, or of entries of them, in all texts that the journal has.

    Each is given with its id and the path of its page.
    """
    heads = store.journal.heads()
    return [_wording_of(store, heads, name, path) for name, path in memories]


def _wording_of(store: OpenStore, heads: Sequence[Op], name: str, path: str) -> Wording:
    page, _, anchor = name.partition("#")
    ops = [*store.journal.ops_about("memory", page), *store.journal.ops_about("path", path)]
    lines: set[str] = set()
    ids: set[str] = set()
    texts = {(op.path, op.text) for op in ops if op.text}
    texts |= {(path, now)} if (now := _text_now(store, path)) else set()
    for where, text in texts:
        if is_sealed_path(where) or is_conversation(where):
            continue
        memory = memory_from_text(text, where)
        rows = rows_at(memory, anchor) if anchor else index_units(memory)
        lines |= set() if anchor or is_shared(memory) else {memory.title}
        ids |= {row.entry for row in rows if row.entry}
        for row in rows:
            heading = [row.heading] if row.entry and row.anchor[:1] != "^" else []
            lines |= {*heading, *without_comments(row.text).splitlines()}
    plain = {line.strip(" -*#>").casefold() for line in lines}
    plain = {line for line in plain if _tells(line)}
    quoted = {json.dumps(line, ensure_ascii=False)[1:-1] for line in plain}
    former = _former_paths(store, heads, page, path)
    files = frozenset({*former, *files_of(path)})
    return Wording(name, files, former, frozenset(plain | quoted), frozenset(ids))


def _tells(line: str) -> bool:
    """Whether another page that has a line has it from here: a word such as a title stands on many."""
    return len(line.encode()) >= LEAST_SAID and (has_han(line) or len(line.split()) >= LEAST_WORDS)


def _former_paths(store: OpenStore, heads: Sequence[Op], page: str, path: str) -> tuple[str, ...]:
    """Where a memory was before somebody moved its file by hand, as far as nothing is there now."""
    own = [op for op in heads if op.path == path or op.memory == page]
    stamps = {stamp for op in own for stamp in (op.before, op.after) if stamp}
    found = {op.path: None for op in heads if op.after in stamps} | {op.path: None for op in own}
    others = (one for one in found if one not in files_of(path))
    return tuple(one for one in others if _text_now(store, one) is None)


def _text_now(store: OpenStore, path: str) -> str | None:
    """What a file says now; None where there is none that could be a memory's."""
    with suppress(RecollectError):
        text, stamp = store.text_at(path)
        return text if stamp else None
    return None


def purge_text(app: Workspace, store: OpenStore, name: str, paths: Sequence[str]) -> None:
    """Take what a memory said out of the journals and indexes, under whatever names it was there.

    `paths` are its files, whose texts go last: after a crash they tell what is still to go.
    """
    [wording] = wordings_of(store, [(name, paths[0])])
    purge_elsewhere(app, store, {wording: None})
    with store.files.locked():
        for path in (*wording.former, *paths):
            store.journal.purge(path)
    store.index.purge()
    renew_copies(app, store)


def purge_elsewhere(
    app: Workspace, store: OpenStore, wordings: Mapping[Wording, Hidden | None]
) -> None:
    """Take what memories said out of all other places that we write: pages, stores, calls of a model.

    Pages that one was on before lose the old texts with it, unless a page says it still: then that
    is a copy to be named. Where it was before it came to this store it gets the names that it has
    in `wordings`.
    """
    for one in app.stores():
        is_own = one.root == store.root
        moved: dict[Wording, set[str]] = {}
        with one.files.locked():
            one.journal.purge_texts(partial(_saying, one, wordings, moved, is_own=is_own))
            for wording, places in moved.items():
                hidden = wordings[wording]
                for n, place in enumerate(sorted(places)):
                    names = hidden and hidden._replace(place=f"{hidden.place}-{n}", until=LAST_SEQ)
                    one.journal.purge(place, names)
        if not is_own:
            one.index.purge()
            renew_copies(app, one)

    def says(call: dict[str, Any]) -> bool:
        text = search_text(f"{call.get('sent')}\n{call.get('answer')}")
        return any(one.is_in(text) for one in wordings)

    purge_calls(app, says)


def _saying(
    store: OpenStore,
    wordings: Iterable[Wording],
    moved: dict[Wording, set[str]],
    ops: Sequence[Op],
    *,
    is_own: bool,
) -> set[str]:
    """The ops whose texts say what a memory said, but those of its own files and of pages that do so now.

    `moved` gets where each was, with all that it said there, until it went to another store.
    """
    texts = [(op, search_text(op.text)) for op in ops]
    page_at = cache(
        lambda path: None if (now := _text_now(store, path)) is None else search_text(now)
    )
    going: set[str] = set()
    for one in wordings:
        own = one.files if is_own else ()
        found = [op for op, text in texts if op.path not in own and one.is_in(text)]
        says = {op.path for op in found if (page := page_at(op.path)) and one.is_in(page)}
        places = {op.path for op in found if op.memory == one.name and page_at(op.path) is None}
        if places:
            moved[one] = places
        # There is no other way to a ruling that was made once and is taken out of its file.
        kept = places | (says - {RULINGS})
        going |= {op.op_id for op in found if op.path not in kept}
    return going


def renew_copies(app: Workspace, store: OpenStore) -> None:
    """Rebuild at once what is made from the texts of a store, now that one of them is gone.

    The briefs of all projects go: those of other projects tell of the global store as well.
    """
    disk.remove(f"{app.cache_of(store.root)}/{CLAIMS}")  # it is made of texts
    for path, _ in disk.regular_files(locations.cache_root(app.env)):
        if os.path.basename(path).startswith("brief"):
            disk.remove(path)
    app.publish(store)


def files_naming(
    app: Workspace, store: OpenStore, words: Iterable[str], wordings: Sequence[Wording] = ()
) -> Iterator[Copy]:
    """The files of a store and its cache in which one of these names, titles or wordings still stands."""
    wanted = [word.casefold() for word in set(words) if len(word) >= LEAST_SEARCHED]
    for root in (store.root, app.cache_of(store.root)):
        for path, _ in disk.regular_files(root):
            # To open and close the index's file here would let go of its locks.
            if not os.path.basename(path).startswith("index.db") and _says(path, wanted, wordings):
                yield Copy("still mentions it", path)


def _says(path: str, words: list[str], wordings: Sequence[Wording]) -> bool:
    try:
        text = _text_of(path)
    except RecollectError:
        return False
    said = search_text(text)
    return any(word in said.lower for word in words) or any(one.is_in(said) for one in wordings)


def traces_of(
    app: Workspace, name: str, scope: str, going: str = "", said: Iterable[str] = ()
) -> list[Copy]:
    """What still mentions a memory that was purged: other files, and other places.

    `said` are the words of an entry. The journal does not count: it keeps the names of files, and
    so that of this memory. Before it is purged, `going` is its file; of all other files only
    memories are sure to stay as they are.
    """
    store = app.opened(app.roots[scope], scope)
    elsewhere = out_of_reach(app, scope)
    copies = [one.path for one in elsewhere if one.what == SNAPSHOT]
    told = (os.path.join(store.root, "journal", ""), *copies)
    named = [
        one for one in files_naming(app, store, [name, *said]) if not one.path.startswith(told)
    ]
    if going:
        memories = {os.path.join(store.root, seen.path) for seen in store.files.scan()}
        memories -= {os.path.join(store.root, path) for path in files_of(going)}
        named = [one for one in named if one.path in memories]
    return named + elsewhere


def out_of_reach(app: Workspace, scope: str) -> list[Copy]:
    """The places where a purged text may still be that we do not look into."""
    root = app.roots[scope]
    kept = os.path.join(app.cache_of(root), "snapshots")
    found = [Copy(SNAPSHOT, os.path.join(kept, name)) for name in disk.names_in(kept)]
    above = (path for path in repositories.ancestors(root)[1:] if os.path.exists(f"{path}/.git"))
    tops = [path for path in islice(above, 1) if not repositories.is_without_objects(path)]
    return found + [Copy("git history", path) for path in tops]
