"""Have a model help to consolidate, where the person said yes to a model and runs the command.

It reads sessions that no model has read, settles contradictions, merges memories that say the same,
finds subjects for statements that have none, and drafts skills. No statement gives way to one of
somebody trusted less, and no trust rises. Nothing of an encrypted layer and nothing private is sent.
Each change can be undone, each call is in the log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from recollect import workspace
from recollect._fastimport import NamedTuple
from recollect.capture import asked
from recollect.capture.condense import condense
from recollect.capture.extraction import (
    LONGEST_STATEMENT,
    NotAnAnswer,
    instructions,
    is_quoted,
    object_in,
    schema,
)
from recollect.capture.wording import stemmed
from recollect.consolidate import entry, run
from recollect.consolidate.actions import Wait
from recollect.consolidate.apply import put_away
from recollect.consolidate.claim_cache import cached_claims
from recollect.consolidate.pages import FileClaim
from recollect.errors import RecollectError, UsageProblem
from recollect.features import lifecycle, merge, models, skill_candidates
from recollect.features.models import Asker, ModelCall, ask, log_call
from recollect.features.skill_detectors import Suggestion
from recollect.model.document import body_of, memory_from_text
from recollect.model.entries import says_nothing, summary_of
from recollect.model.layers import is_subject
from recollect.model.memory import TRUSTS, Filter, is_sealed_path
from recollect.ports import Extractor, Question
from recollect.store.store import OpenStore
from recollect.text.sentences import one_line, weight_of
from recollect.text.tokens import count_tokens, is_cjk
from recollect.workspace import Workspace

# What a model is asked, and its answers, checked. What the statements or records do not bear out is
# dropped: a wording with words of its own, a subject that no statement names, a step that no record shows.
VERDICTS = ("first", "second", "both", "same", "unsure")
MOST_PAIRS, MOST_STATEMENTS, MOST_STEPS = 10, 30, 10
LONGEST_SHOWN, LONGEST_STEP = 400, 300
MOST_SUBJECT_WORDS, LONGEST_SUBJECT = 3, 32
LEAST_OF_BOTH = 0.5  # share of each statement's words that a common wording keeps
_NOT = frozenset("not no never without don't cannot avoid nothing 不 别 勿 禁 没 无".split())


class Side(NamedTuple):
    """One statement of a pair: what it says, since when, and how far who said it is trusted."""

    text: str
    day: str
    trust: str

    @property
    def line(self) -> str:
        """How a model is shown it."""
        who = {"user": "person", "agent": "agent"}.get(self.trust, "from outside")
        return f"({self.day[:10] or 'no date'}, {who}) {one_line(self.text, LONGEST_SHOWN)}"


class Verdict(NamedTuple):
    """What a model says of a pair; the wording only of two that say the same."""

    what: str
    wording: str = ""


def pairs_question(pairs: Sequence[tuple[Side, Side]]) -> Question:
    """What is sent of pairs that may contradict each other or say the same."""
    rows = [
        f"## Pair {n}\n\nfirst {one.line}\nsecond {other.line}"
        for n, (one, other) in enumerate(pairs, 1)
    ]
    return Question(instructions("pairs"), "\n\n".join(rows), schema("pairs"))


def verdicts_in(
    answer: str, pairs: Sequence[tuple[Side, Side]], redact: Callable[[str], str] = str
) -> dict[int, Verdict]:
    """The verdict on each pair, by its place in the list. Raises NotAnAnswer."""
    found: dict[int, Verdict] = {}
    for n, row in _numbered(answer, "pairs", "pair", len(pairs)):
        what, wording = row.get("verdict"), row.get("wording")
        if what not in VERDICTS or n in found:
            continue
        text = one_line(redact(wording), 2 * LONGEST_STATEMENT) if isinstance(wording, str) else ""
        is_whole = what == "same" and _says_both(text, pairs[n][0].text, pairs[n][1].text)
        found[n] = Verdict(what, text if is_whole else "")
    return found


def subjects_question(statements: Sequence[str], known: Sequence[str]) -> Question:
    """What is sent of statements without a page of their own, with the subjects that have one."""
    rows = [f"{n}. {one_line(text, LONGEST_SHOWN)}" for n, text in enumerate(statements, 1)]
    names = "\n".join(f"- {name}" for name in known) or "none"
    text = "# Existing subjects\n\n" + names + "\n\n# Statements\n\n" + "\n".join(rows)
    return Question(instructions("subjects"), text, schema("subjects"))


def subjects_in(answer: str, statements: Sequence[str], known: Sequence[str]) -> dict[int, str]:
    """The subject of each statement that has one, by its place in the list. Raises NotAnAnswer."""
    pages = {name.casefold(): name for name in known}
    found: dict[int, str] = {}
    for n, row in _numbered(answer, "subjects", "statement", len(statements)):
        said = row.get("subject")
        name = " ".join(said.split()).strip("#*_`.:：。 ") if isinstance(said, str) else ""
        if name.casefold() in pages:
            found[n] = pages[name.casefold()]
        elif _is_name(name) and _names(name) <= _names(statements[n]):
            found[n] = next(
                (one for one in found.values() if one.casefold() == name.casefold()), name
            )
    return found


def steps_question(title: str, records: Sequence[str]) -> Question:
    """What is sent of the times at which the same work was done."""
    rows = [f"# Record {n}\n\n{text}\n\n# End of record {n}" for n, text in enumerate(records, 1)]
    text = "\n\n".join([f"# What was done\n\n{one_line(title, 200)}", *rows])
    return Question(instructions("skill"), text, schema("skill"))


def steps_in(
    answer: str, records: Sequence[str], redact: Callable[[str], str] = str
) -> tuple[str, ...]:
    """The steps that a record shows. Raises NotAnAnswer."""
    record = "\n".join(records)
    steps: list[str] = []
    for row in _rows(answer, "steps"):
        step, quote = row.get("step"), row.get("quote")
        if isinstance(step, str) and isinstance(quote, str) and is_quoted(quote, record):
            text = one_line(redact(step), LONGEST_STEP)
            if text and text not in steps:
                steps.append(text)
    return tuple(steps[:MOST_STEPS]) if len(steps) > 1 else ()


def _rows(answer: str, key: str) -> list[dict[str, Any]]:
    rows = object_in(answer).get(key)
    if not isinstance(rows, list):
        raise NotAnAnswer(f"no {key}")
    return [row for row in rows if isinstance(row, dict)]


def _numbered(answer: str, key: str, number: str, most: int) -> list[tuple[int, dict[str, Any]]]:
    """The rows about something that was asked, each with its place in the list."""
    rows = _rows(answer, key)
    return [
        (n - 1, row)
        for row in rows
        if isinstance(n := row.get(number), int) and not isinstance(n, bool) and 0 < n <= most
    ]


def _says_both(wording: str, one: str, other: str) -> bool:
    """Whether a wording is made of what two statements say, and of most of each."""
    if weight_of(wording) < 8 or len(wording) > LONGEST_STATEMENT:
        return False
    words, first, second = map(_names, (wording, one, other))
    denies = [bool(words_of & _NOT) for words_of in (_plain(wording), _plain(one) | _plain(other))]
    return (
        words <= first | second
        and len(words & first) >= LEAST_OF_BOTH * len(first)
        and len(words & second) >= LEAST_OF_BOTH * len(second)
        and denies[0] == denies[1]
    )


def _is_name(name: str) -> bool:
    is_short = len(name.split()) <= MOST_SUBJECT_WORDS and len(name) <= LONGEST_SUBJECT
    return bool(name) and is_short and not is_subject(name) and bool(_names(name))


def _names(text: str) -> set[str]:
    """The stems of a text's words, numbers too; of Chinese each sign."""
    return {stemmed(word) for word in asked.words_of(text) | _plain(text) if word not in _FILLING}


def _plain(text: str) -> set[str]:
    found: set[str] = set()
    for word in text.casefold().replace("’", "'").split():
        bare = word.strip("\"'“”`*_~,;:.!?()[]{}<>。，；：！？、（）「」")
        found.update([bare] if bare.isascii() else filter(is_cjk, bare))
    return found - {""}


# Words that make a sentence of two others and say nothing.
_FILLING = frozenset(
    "a an the and or but so as that which because since with for to of in on at by is are be it its we our"
    " also both when where while 的 了 和 与 并 且 也 而 因 为 在 是".split()
)


# -------------------- What is asked of a store, and what becomes of the answers.

ANY_AGE = 36_500  # days: a person who asks for it has old sessions read, too
LEAST_ON_A_PAGE = 2  # statements that share a new subject
MOST_SKILLS, MOST_RECORDS, MOST_RECORD_TOKENS = 3, 3, 1_500


class ModelAction(NamedTuple):
    """One thing that came of an answer: `what` is ruled, merged, named or drafted."""

    what: str
    text: str
    new: str = ""


class Helped(NamedTuple):
    """What a model did for a store, or would be asked: `calls` and `tokens` sent."""

    scope: str
    calls: int
    tokens: int
    read: int  # sessions
    done: Sequence[ModelAction]
    stopped: str = ""  # why the rest was not asked


class _Task(NamedTuple):
    """A question, and what is made of its answer. `take` raises NotAnAnswer."""

    name: str
    question: Question
    take: Callable[[str], list[ModelAction]]


def require_model(app: Workspace, *, scope: str) -> list[OpenStore]:
    """The stores for which the person has set a model.

    Raises:
        UsageProblem: there is none, or an agent asks.
    """
    what = "Only a person has a model consolidate: it sends statements and costs tokens."
    workspace.require_person(app.env, "consolidate", what)
    stores = [store for store in app.stores(scope) if store.settings.model]
    if not stores:
        what = "No model is set: `recollect config capture.model claude --scope global` sets one."
        raise UsageProblem(what=what, command="consolidate")
    return stores


def help_to_consolidate(
    app: Workspace,
    extractor: Callable[[str], Extractor],
    *,
    scope: str,
    dry_run: bool,
    progress: Callable[[int, int], None],
) -> list[Helped]:
    """Ask a model whatever helps each store; `extractor` makes what asks it, by its name.

    Raises:
        UsageProblem: as `require_model`.
    """
    askers = [
        Asker(app, store, partial(extractor, store.settings.model))
        for store in require_model(app, scope=scope)
    ]
    return [_helped(asker, progress, dry_run=dry_run) for asker in askers]


def _helped(asker: Asker, progress: Callable[[int, int], None], *, dry_run: bool) -> Helped:
    app, store, _ = asker
    if dry_run:
        sent = [
            models.question_about(asker, one) for one in models.waiting(app, store, days=ANY_AGE)
        ]
        sent += [task.question for task in _tasks(asker)]
        tokens = sum(count_tokens(part) for question in sent for part in question)
        return Helped(store.scope, len(sent), tokens, 0, ())
    with store.one_change():
        calls = models.read_sessions(asker, days=ANY_AGE)
        done: list[ModelAction] = []
        tasks = _tasks(asker) if _stopped(calls) == "" else iter(())
        for task in tasks:
            called, found = _asked(asker, task)
            calls.append(called)
            done += found
            progress(len(calls), len(calls) + 1)
            if called.outcome in ("failed", "over-budget"):
                break
        if done or calls:
            store.note_change()
    read = sum(one.task == "extract" and one.outcome == "answered" for one in calls)
    tokens = sum(one.tokens_in for one in calls)
    return Helped(store.scope, len(calls), tokens, read, done, _stopped(calls))


def _stopped(calls: Sequence[ModelCall]) -> str:
    """Why no more was asked; nothing if all was."""
    last = calls[-1] if calls else None
    return last.reason if last and last.outcome in ("failed", "over-budget") else ""


def _asked(asker: Asker, task: _Task) -> tuple[ModelCall, list[ModelAction]]:
    """Ask, and take what comes; an answer that is none changes nothing."""
    called, found = ask(asker, task.question, task=task.name), []
    if called.outcome == "answered":
        try:
            found = task.take(called.answer)
            called = called._replace(entries=len(found))
        except NotAnAnswer as error:
            called = called._replace(outcome="no-answer", reason=str(error))
    log_call(asker.app, called)
    return called, found


def _tasks(asker: Asker) -> Iterator[_Task]:
    """What there is to ask; each is made when the one before is done with."""
    if "semantic" not in asker.store.settings.encrypt:
        yield from _of_conflicts(asker)
        yield from _of_likes(asker)
        yield from _of_subjects(asker)
    if "episodic" not in asker.store.settings.encrypt:
        yield from _of_skills(asker)


# ---------------------------------------------------------------------------------- contradictions


def _of_conflicts(asker: Asker) -> Iterator[_Task]:
    app, store, _ = asker
    with cached_claims(app, store) as known:
        waits = [(wait, entry.trust_of(store, wait, known)) for wait in run.waiting(store, known)]
    pairs = [(wait, _sides(app, wait, trust)) for wait, trust in waits]
    yield from _of_pairs(app, "conflicts", pairs, partial(_rule, app, store))


def _of_pairs(
    app: Workspace,
    name: str,
    pairs: Sequence[tuple[Any, tuple[Side, Side]]],
    act: Callable[[Any, tuple[Side, Side], Verdict], ModelAction | None],
) -> Iterator[_Task]:
    """Questions about pairs of statements; `act` does what the answer says of one."""
    for rows in _parts(pairs, MOST_PAIRS):
        every = [sides for _, sides in rows]

        def take(answer: str, rows: Any = rows, every: Any = every) -> list[ModelAction]:
            verdicts = verdicts_in(answer, every, app.redact)
            return [done for n, one in verdicts.items() if (done := act(rows[n][0], every[n], one))]

        yield _Task(name, pairs_question(every), take)


def _sides(app: Workspace, wait: Wait, trust: str) -> tuple[Side, Side]:
    """Both statements of a contradiction, the older first."""
    held = Side(app.redact(wait.held), wait.since, trust)
    claim = Side(app.redact(wait.claim.text), wait.mark.date, wait.mark.trust)
    return (claim, held) if wait.is_late else (held, claim)


def _rule(
    app: Workspace, store: OpenStore, wait: Wait, sides: tuple[Side, Side], said: Verdict
) -> ModelAction | None:
    """Settle a contradiction, unless the one that gives way is trusted more."""
    first, second = (TRUSTS.index(side.trust) for side in sides)
    ruling = {"first": "old", "second": "new", "both": "both", "same": "both"}.get(said.what, "")
    if not ruling or (ruling == "old" and first < second) or (ruling == "new" and second < first):
        return None
    with suppress(RecollectError):  # settled meanwhile: it waits no more
        lifecycle.settle_conflict(app, wait.key, ruling, scope=store.scope, dry_run=False)
        held = {"old": wait.old, "new": wait.new, "both": f"{wait.old} / {wait.new}"}
        gone = {"old": wait.new, "new": wait.old, "both": ""}
        return ModelAction("ruled", gone[ruling], held[ruling])
    return None


# ------------------------------------------------------------------------------- near-duplicates


def _of_likes(asker: Asker) -> Iterator[_Task]:
    app, store, _ = asker
    with cached_claims(app, store) as known:
        pairs = [
            (one, sides)
            for one in merge.proposals(store, known)
            if (sides := _both(app, store, one))
        ]
    yield from _of_pairs(app, "merge", pairs, partial(_merge, store))


def _both(app: Workspace, store: OpenStore, pair: merge.MergeProposal) -> tuple[Side, Side] | None:
    """What two memories say; None where they may not be sent, or cannot become one."""
    sides = []
    for name in (pair.id, pair.other):
        one = store.index.entry(name)
        if (
            one is None
            or one.private
            or is_sealed_path(one.path)
            or one.layer in store.settings.encrypt
        ):
            return None
        memory = store.memory(one)
        summary = summary_of(memory)
        text = memory.title if summary.startswith(memory.title) else f"{memory.title}. {summary}"
        sides.append(Side(app.redact(text), one.updated, one.trust))
    try:
        merge.merge(store, pair.id, pair.other, dry_run=True)
    except RecollectError:
        return None
    return sides[0], sides[1]


def _merge(
    store: OpenStore, pair: merge.MergeProposal, sides: tuple[Side, Side], said: Verdict
) -> ModelAction | None:
    if said.what != "same" or not said.wording:
        return None
    with suppress(RecollectError):  # one of them changed meanwhile: it is proposed again
        merge.merge(store, pair.id, pair.other, wording=said.wording)
        return ModelAction("merged", f"{sides[0].text} / {sides[1].text}", said.wording)
    return None


# --------------------------------------------------------------------------------------- subjects


def _of_subjects(asker: Asker) -> Iterator[_Task]:
    app, store, _ = asker
    with cached_claims(app, store) as known:
        waiting = entry.unfiled(store, known)
    names = sorted(
        one.title
        for one in store.index.entries(Filter(layer="semantic", superseded=False))
        if one.kind == "fact" and not one.private and not is_subject(one.title)
    )
    for rows in _parts(waiting, MOST_STATEMENTS):
        texts = [app.redact(one.text) for one in rows]

        def take(answer: str, rows: Any = rows, texts: Any = texts) -> list[ModelAction]:
            return _refile(store, rows, subjects_in(answer, texts, names), names)

        yield _Task("subjects", subjects_question(texts, names), take)


def _refile(
    store: OpenStore, rows: Sequence[FileClaim], said: dict[int, str], names: Sequence[str]
) -> list[ModelAction]:
    """Move the statements whose subject has a page, or gets one because several share it."""
    counts = Counter(said.values())
    moves = [
        (rows[n], name)
        for n, name in said.items()
        if name in names or counts[name] >= LEAST_ON_A_PAGE
    ]
    if not moves:
        return []
    try:
        entry.refile(store, moves)
    except RecollectError:  # somebody wrote on one of the pages: the next time
        return []
    store.freshen()
    for path in {held.path for held, _ in moves}:
        text = store.files.read(path).text
        if says_nothing(body_of(text)):
            put_away(store, memory_from_text(text, path).id)
    return [ModelAction("named", held.text, name) for held, name in moves]


# ----------------------------------------------------------------------------------------- skills


def _of_skills(asker: Asker) -> Iterator[_Task]:
    app, store, _ = asker
    every = skill_candidates.suggestions_of(store)
    left = [one for one in every if not skill_candidates.steps_for(store, one)]
    for one in left[:MOST_SKILLS]:
        records = _records(app, store, one)
        if len(records) < LEAST_ON_A_PAGE:
            continue

        def take(answer: str, one: Suggestion = one, records: Any = records) -> list[ModelAction]:
            steps = steps_in(answer, records, app.redact)
            if steps:
                skill_candidates.keep_steps(store, one, steps)
            return [ModelAction("drafted", one.name, f"{len(steps)}")] if steps else []

        yield _Task("skill", steps_question(one.title, records), take)


def _records(app: Workspace, store: OpenStore, one: Suggestion) -> list[str]:
    """The last sessions in which a procedure was followed, condensed and redacted."""
    wanted = {evidence.occasion for evidence in one.evidence if evidence.is_quotable}
    states = [state for state in app.sessions(store).every() if state.session_id in wanted]
    states.sort(key=lambda state: state.last_updated)
    return [
        app.redact(condense(app.sessions(store).raw_events(state), MOST_RECORD_TOKENS).text)
        for state in states[-MOST_RECORDS:]
    ]


def _parts(rows: Sequence[Any], most: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(rows), most):
        yield rows[start : start + most]
