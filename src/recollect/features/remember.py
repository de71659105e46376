"""Remember a statement that an agent writes as it goes, or a person at a terminal.

A statement with a quotation that the person typed in this session is the person's; anything else that an
agent writes is the agent's. The session is that of the client process that started us, as the hooks of
this project noted it; never the latest of anybody. Words count as typed if a person's prompt of that
session has them in a row, or their answer to the agent's question, or their reason for a no: nothing
that a program sent, pasted, quoted or printed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from functools import partial

from recollect._fastimport import NamedTuple, Pattern
from recollect.capture import save_memory, signals
from recollect.capture.save_memory import Draft, SaveResult
from recollect.capture.signals import SignalledSession
from recollect.capture.statement_checks import (
    is_persons_wording,
    require_lasting,
    understood_alone,
    with_reason,
)
from recollect.errors import UsageProblem
from recollect.i18n import say
from recollect.model import layers
from recollect.model.list_items import SOURCE_OF
from recollect.ports import TranscriptReader
from recollect.store.background import process_at
from recollect.store.store import OpenStore
from recollect.text.redact import strip_private
from recollect.text.sentences import is_typed, sentences_of
from recollect.text.tokens import folded, is_cjk
from recollect.workspace import Workspace, current_session, is_agent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.consolidate.claims import Claim

OPEN = "open"  # the kind of what is undecided or left to do
LONGEST_REASON = 300  # characters; a longer body does not go into the statement
IN_LINES = ("rule", "decision", "fact", "pattern", "implementation", "note")


class Statement(NamedTuple):
    """A statement as its writer gives it; everything but the statement may be left out."""

    statement: str
    subject: str = ""
    why: str = ""
    kind: str = ""
    quote: str = ""
    files: tuple[str, ...] = ()
    trigger: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class Writer(NamedTuple):
    """In which session something is written, how far it is trusted, and by which command or tool."""

    session: str
    trust: str
    cause: str = "remember"

    @property
    def source(self) -> str:
        """Where it comes from: the person's own word, or an agent's conclusion."""
        return SOURCE_OF[self.trust]


class RememberResult(NamedTuple):
    """What became of a note: see `consolidate.entry`; `old` is what it met, in its words."""

    what: str  # added, known, merged, replaced, queued
    id: str
    path: str  # absolute
    scope: str
    text: str
    old: str = ""
    trust: str = ""  # of the entry itself
    by: str = ""  # how far who said `old` is trusted
    quote: str = ""  # found, missing, or nothing where none was given
    has_secret: bool = False  # whether one was left out of the reason

    def as_json(self) -> dict[str, object]:
        """The fields that say something, by name."""
        return {name: value for name, value in self._asdict().items() if value not in ("", False)}


def remember(
    app: Workspace,
    note: Statement,
    *,
    scope: str = "",
    is_tool: bool = False,
    dry_run: bool = False,
) -> RememberResult:
    """Take in a statement. Raises UsageProblem."""
    store = app.store(scope)
    who = caller_of(app, app.store(), is_tool=is_tool)
    is_quoted = bool(note.quote.strip()) and not who.is_person
    # What every project sees has to be typed: the words of an option are the agent's.
    is_found = is_quoted and has_typed(app, who, note, or_picked=store.scope != "global")
    trust = "user" if who.is_person or is_found else "agent"
    if is_found:  # the person said it, and the agent writes it down
        store.ledger.is_persons = False
    writer = Writer(who.session, trust, "remember" if is_tool else "save")
    done = take_in(app, store, note, writer, dry_run=dry_run)
    found = ("found" if is_found else "missing") if is_quoted else ""
    return done._replace(quote=found)


def take_in(
    app: Workspace, store: OpenStore, note: Statement, writer: Writer, *, dry_run: bool = False
) -> RememberResult:
    """Take in a statement as that of its writer; views are not renewed. Raises UsageProblem."""
    note, has_secret = _clean(app, note)
    require_lasting(note.statement, subject=note.subject, why=note.why, kind=note.kind)
    chosen = "fact" if note.subject else layers.choose(note.statement, note.why).kind
    note = note._replace(kind=note.kind or chosen)
    if note.kind in IN_LINES and not store.settings.encrypt:
        made = _in_line(app, store, note, writer, dry_run=dry_run)
    else:
        made = _on_page(store, note, writer, dry_run=dry_run)
    return made._replace(trust=writer.trust, has_secret=has_secret)


def _clean(app: Workspace, note: Statement) -> tuple[Statement, bool]:
    """The note on one line, without what must not be stored, and whether a secret was taken out."""
    fields = {
        name: tuple(map(app.redact, value)) if isinstance(value, tuple) else app.redact(value)
        for name, value in note._asdict().items()
        if name != "quote"
    }
    plain = strip_private(note.statement)
    if _has_secret(plain) or _has_secret(note.subject):
        what = "There is a secret in the statement, and secrets are not stored: say where it is kept instead."
        raise UsageProblem(what=what, command="save")
    kept = Statement(**fields)  # type: ignore[arg-type]
    statement, subject, why = (
        " ".join(text.split()) for text in (kept.statement, kept.subject, kept.why)
    )
    kept = kept._replace(statement=statement, subject=subject.strip("#*_` "), why=why)
    return kept, _has_secret(strip_private(note.why))


def _has_secret(text: str) -> bool:
    from recollect.text.redact import without_secrets

    return without_secrets(text) != text


def _in_line(
    app: Workspace, store: OpenStore, note: Statement, writer: Writer, *, dry_run: bool
) -> RememberResult:
    """Take in what is one line on the page of its subject, or a rule."""
    from recollect.consolidate.claim_cache import cached_claims
    from recollect.consolidate.claims import BEHAVIOURAL, FACTUAL, Claim, plain_statement
    from recollect.consolidate.intake import take
    from recollect.model.footnotes import Mark

    text = plain_statement(with_reason(understood_alone(note.statement, note.subject), note.why))
    how = BEHAVIOURAL if note.kind == "rule" else FACTUAL
    kind = note.kind if note.kind == "decision" else ""
    claim = Claim(text, how, writer.source, writer.trust, listed=kind)
    # A session's name as it may stand in a comment.
    session = "".join(sign for sign in writer.session if sign not in ";<>\n")[:80]
    mark = Mark(session, store.now, writer.trust, writer.source, kind=kind)
    with cached_claims(app, store) as known:
        done = take(
            store,
            claim,
            mark,
            subject=note.subject,
            remembered=known,
            cause=writer.cause,
            dry_run=dry_run,
        )
    path = os.path.join(store.root, done.path)
    return RememberResult(
        done.what, done.id, path, store.scope, done.text, old=done.old, by=done.trust
    )


def _on_page(store: OpenStore, note: Statement, writer: Writer, *, dry_run: bool) -> RememberResult:
    """Take in what has a page, or a section, of its own: a solution, where something is, what is open."""
    is_open = note.kind in (OPEN, "issue")
    draft = Draft(
        understood_alone(note.statement, note.subject),
        note.why,
        kind="issue" if is_open else note.kind,
        status="open" if is_open else "",
        tags=note.tags or ((note.subject,) if note.subject else ()),
        trigger=note.trigger,
        files=note.files,
        source=writer.source,
        trust=writer.trust,
        session=writer.session,
    )
    done = save_memory.save(store, draft, dry_run=dry_run)
    what = {"created": "added", "amended": "merged", "unchanged": "known"}[done.what]
    path = os.path.join(store.root, done.path)
    old = done.advice.instead[0] if done.advice.instead else ""
    return RememberResult(
        "replaced" if old else what, done.id, path, store.scope, note.statement, old
    )


def save_contradicting(
    app: Workspace, store: OpenStore, wanted: Draft, *, dry_run: bool
) -> SaveResult:
    """Save a draft that seems to contradict an entry: what gives way to it is taken out.

    If somebody trusted more said the other, or if it is not certain, the draft is kept as a note
    of the day until the person rules (`recollect conflicts`).

    Raises ChangedMeanwhile.
    """
    from recollect.consolidate.claim_cache import cached_claims
    from recollect.consolidate.intake import page_plan, replacement_changes
    from recollect.model.footnotes import Mark

    with cached_claims(app, store) as known:
        claim = _claim_of(wanted)
        mark = Mark(wanted.session, store.now, claim.trust, claim.source)
        plan = page_plan(store, claim, mark, known)
        if plan.waits:
            return _queued(store, wanted, plan.waits[0].text, dry_run=dry_run)
        if plan.text != claim.text:
            wanted = wanted._replace(title=plan.text)
        also = partial(replacement_changes, store, plan.losers, known)
        done = save_memory.save(store, wanted, dry_run=dry_run, also=also)
    if plan.losers and done.what == "unchanged":
        done = done._replace(what="amended")
    wordings = dict.fromkeys((*done.advice.instead, *plan.wordings))
    return done._replace(advice=done.advice._replace(instead=tuple(wordings)))


def _claim_of(wanted: Draft) -> Claim:
    from recollect.consolidate.claims import BEHAVIOURAL, FACTUAL, Claim, plain_statement

    kind = layers.choose(wanted.title, wanted.body, wanted.layer, wanted.kind).kind
    how = BEHAVIOURAL if kind in ("rule", "pattern") else FACTUAL
    source = wanted.source or SOURCE_OF[wanted.trust]
    return Claim(plain_statement(wanted.title), how, source, wanted.trust)


def _queued(store: OpenStore, wanted: Draft, against: str, *, dry_run: bool) -> SaveResult:
    from recollect.model.conflicts import conflict_between

    reason = " ".join(wanted.body.split())
    whole = with_reason(wanted.title, reason)
    # With a long reason, or one that hedges, nobody would find what it contradicts.
    is_one = len(reason) <= LONGEST_REASON and conflict_between(whole, against) is not None
    note = wanted._replace(
        title=whole if is_one else wanted.title,
        body="" if is_one else wanted.body,
        layer="episodic",
        kind="decision" if wanted.kind == "decision" else "note",
        category=wanted.category if wanted.kind == "decision" else "",
        status="provisional",
    )
    done = save_memory.save(store, note, dry_run=dry_run)
    return done._replace(advice=done.advice._replace(waits=against))


_OUTCOMES = {
    "added": "Added as {id}.",
    "known": "{id} says that already: “{old}”.",
    "merged": "Merged with {id}, which said “{old}”.",
    "amended": "Added to {id}.",
    "replaced": "Replaced: {id} now says “{text}” (was “{old}”).",
    "queued": "Queued as {id}, because it may contradict “{old}”. The person settles it with `recollect conflicts`.",
    "asked": "Queued as {id}: the person said “{old}”, which contradicts it. Ask them which holds; `recollect conflicts` settles it.",
}


def describe_queued(lang: str, name: str, old: str) -> str:
    """That a memory waits for the person, and against what."""
    return say(lang, _OUTCOMES["queued"], id=name, old=old)


def describe_saved(lang: str, done: RememberResult) -> str:
    """Whether it was added, merged, replaced or queued, with the id, and whose word it counts as."""
    outcome = done.what
    if outcome == "merged" and not done.old:
        outcome = "amended"
    if outcome == "queued" and done.by == "user" != done.trust:
        outcome = "asked"
    sentences = [say(lang, _OUTCOMES[outcome], id=done.id, text=done.text, old=done.old)]
    if done.quote == "found":
        sentences.append(say(lang, "It counts as the person's word."))
    if done.quote == "missing":
        sentences.append(
            say(
                lang,
                "The person did not type the quote in this session, or not what is stated, so it counts as yours.",
            )
        )
    if done.has_secret:
        sentences.append(say(lang, "A secret was left out of the reason."))
    return " ".join(sentences)


# ------------------------------------------------------------------ who calls, and what they typed


MOST_PARENTS = 16
LATELY_SECONDS = 24 * 3600  # in which a session that goes on has left word
LEAST_WORDS = 3  # of a quotation; a Chinese character is half a word
LONGEST_QUOTE = 1000
LATE_SECONDS = 1.0  # after which a client has written what was typed
MOST_LINES = 8  # in a row that a person types; more of them were pasted


class Caller(NamedTuple):
    """Who calls: a person, or an agent in a session, as far as that is known."""

    is_person: bool
    client: str = ""
    session: str = ""
    transcript: str = ""


def caller_of(app: Workspace, store: OpenStore, *, is_tool: bool = False) -> Caller:
    """Who calls us; a tool is always called by an agent."""
    if not (is_tool or is_agent(app.env)):
        return Caller(True, *current_session(app.env))
    client, session = current_session(app.env)
    running = list(_running_sessions(store))
    found = _session_of_client(running, session) or _session_named(running, session)
    if found:
        return Caller(False, found.client, found.session, found.transcript)
    return Caller(False, client, session)


def _session_of_client(running: list[SignalledSession], named: str) -> SignalledSession | None:
    """The session of the nearest process that started us and has any.

    Of several that go on it is the one that is named, or that was heard of last.
    """
    for parent in _parent_processes() if running else ():
        own = [one for one in running if one.process == parent]
        by_name = [one for one in own if one.session == named]
        if own:
            return (by_name or own)[0]
    return None


def _session_named(running: list[SignalledSession], named: str) -> SignalledSession | None:
    """The session that our environment names, where the system tells nothing of processes.

    Without a name it is the only one that goes on in this project.
    """
    if process_at(str(os.getpid()))[2]:
        return None
    by_name = [one for one in running if one.session == named]
    return by_name[0] if by_name else running[0] if len(running) == 1 and not named else None


def _parent_processes() -> Iterator[str]:
    """The processes that we were started by, as hooks note them."""
    pid = str(os.getppid())
    for _ in range(MOST_PARENTS):
        _, parent, began = process_at(pid)
        if not began:
            return
        yield f"{pid}:{began}"
        pid = parent


def _running_sessions(store: OpenStore) -> Iterator[SignalledSession]:
    """The sessions of this project that go on, the one that was heard of last first."""
    since = store.now_ns - LATELY_SECONDS * 10**9
    files = store.journal.sessions()
    lately = [name for name in files if files[name].mtime_ns >= since]
    for name in sorted(lately, key=lambda one: -files[one].mtime_ns):
        found = signals.session_in(store, name)
        if found and not found.over:
            yield found


# ------------------------------------------------------------------------------------- typed


_QUOTED = Pattern(
    r"`[^`\n]{0,400}`|\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|「[^」\n]{0,400}」|『[^』\n]{0,400}』"
    r"|(?<!\w)'[^'\n]{0,400}'(?!\w)"
)
_WORD = Pattern(r"[^\W_]+(?:['._-][^\W_]+)*")
_CJK = Pattern(r"([\u3400-\u9fff])")


def has_typed(app: Workspace, who: Caller, note: Statement, *, or_picked: bool) -> bool:
    """Whether a person typed the quotation in the session of the caller, and what is stated, too.

    With `or_picked` an answer that they picked counts as well; its question may have words of what is
    stated, but none of the quotation.
    """
    wanted = [word for word, _ in _words(strip_private(note.quote)[:LONGEST_QUOTE])]
    if sum(0.5 if is_cjk(word[0]) else 1 for word in wanted) < LEAST_WORDS:
        return False
    is_found, said = False, ""
    for typed, question in _words_of_person(app.readers(), who):
        if question and not or_picked:
            continue
        is_found = is_found or _has_words(typed, wanted)
        said = f"{said}\n{question} {typed}"
        if is_found and is_persons_wording(note.statement, said, note.why):
            return True
    return False


def _words_of_person(
    readers: Mapping[str, TranscriptReader], who: Caller
) -> Iterator[tuple[str, str]]:
    """What a person typed or picked in a session, by its client's log; with the question, if it answers one.

    A client may still be about to write the last of it.
    """
    if who.client not in readers or not (who.session and who.transcript):
        return
    reader = readers[who.client]
    transcript = reader.moved(who.transcript)
    if reader.session_of(transcript) not in ("", who.session):
        return
    offset = inode = 0
    until = time.monotonic() + LATE_SECONDS
    while True:
        portion = reader.read(transcript, offset, inode)
        for event in portion.events:
            if event.program or not is_typed(event.text):
                continue
            text = _without_pastes(strip_private(event.text))
            if event.kind == "choice":
                yield text, strip_private(event.target)
            elif event.kind in ("prompt", "refusal"):
                yield text, ""
        if (portion.offset, portion.inode) == (offset, inode):
            if time.monotonic() > until:
                return
            time.sleep(0.1)
        offset, inode = portion.offset, portion.inode


def _without_pastes(prompt: str) -> str:
    """The sentences of a prompt that a person typed into it."""
    blocks = (part for part in prompt.split("\n\n") if part.count("\n") < MOST_LINES)
    return " ".join(sentences_of("\n\n".join(blocks), 1))


def _has_words(typed: str, wanted: list[str]) -> bool:
    """Whether a text has these words in a row, most of them not as somebody else's."""
    found = list(_words(typed))
    words, size = [word for word, _ in found], len(wanted)
    return any(
        words[at : at + size] == wanted
        and 2 * sum(is_own for _, is_own in found[at : at + size]) >= size
        for at in range(len(words) - size + 1)
    )


def _words(text: str) -> Iterator[tuple[str, bool]]:
    """The words of a text, a Chinese character being one, and of each whether nobody else is quoted."""
    text = folded(text).lower().replace("’", "'")
    plain = _QUOTED.sub(lambda found: "\0" * len(found[0]), text)
    for word in _WORD.finditer(text):
        is_own = plain[word.start()] != "\0"
        for part in _CJK.split(word[0]):
            if part:
                yield part, is_own
