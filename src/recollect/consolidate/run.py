"""List open contradictions, and settle one with all that follows from it.

Open contradictions are recomputed from the files each time. A ruling and its effects are one
change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from recollect._fastimport import NamedTuple
from recollect.capture.reactions import Reaction
from recollect.consolidate.actions import (
    FEEDBACK,
    Action,
    AddClaim,
    AdjustFields,
    Archive,
    AskPerson,
    CreateFile,
    Merge,
    NoteOldRule,
    RefreshDate,
    Replace,
    Retire,
    Visible,
)
from recollect.consolidate.apply import (
    FileStep,
    PassResult,
    carry_out,
    changes_of,
    changes_of_all,
    steps_of,
)
from recollect.consolidate.claim_cache import ClaimCache
from recollect.consolidate.gather import RULING, PlanInput, gather
from recollect.consolidate.plan import plan, plan_claim
from recollect.consolidate.rulings import Ruling, ruling_change, taken_out
from recollect.errors import ConflictNotFound, UsageProblem
from recollect.model import document
from recollect.model.document import default_fields
from recollect.model.entries import beside_title
from recollect.model.layers import name_of, suggested_tags
from recollect.model.memory import Change, Memory
from recollect.store.refresh import refresh
from recollect.store.store import OpenStore
from recollect.text.tokens import STOP_WORDS

TRIES = 3
MOST_SHARE = 10  # percent of a store that one pass archives unasked; one episode always may go


def planned(gathered: PlanInput) -> PassResult:
    """The steps that are due."""
    found = steps_of((*_actions(gathered), *gathered.weighings))
    return _but_encrypted(found, gathered) if gathered.encrypt else found


def _actions(gathered: PlanInput) -> Sequence[Action]:
    """The plan; that there was nothing to do is remembered for as long as nothing changes."""
    files, state = gathered.files, gathered.state
    known = files.remembered.left(state)
    if known is not None:
        return known
    actions = [
        action
        for action in plan(gathered.episodes, files, gathered.rules)
        if not (isinstance(action, Archive) and action.id in gathered.kept)
    ]
    left = [action for action in actions if isinstance(action, (AskPerson, Merge))]
    if len(left) == len(actions) and files.is_as_listed:
        files.remembered.keep_left(state, left)
    return actions


def _but_encrypted(found: PassResult, gathered: PlanInput) -> PassResult:
    """The steps without those that would write plain text into an encrypted layer.

    What an episode says has no other place then, and so it stays where it is.
    """

    def is_open(step: FileStep) -> bool:
        entry = gathered.entries.get(step.path)
        layer = entry.layer if entry else default_fields(step.path)["type"]
        return layer not in gathered.encrypt

    has_all = all(is_open(step) or step.is_weighing for step in found.steps)
    steps = tuple(filter(is_open, found.steps))
    return found._replace(steps=steps, archives=found.archives if has_all else ())


def preview(gathered: PlanInput, *, force_decay: bool = False) -> PassResult:
    """What a pass would do; of the episodes that go, the oldest."""
    found = planned(gathered)
    total = sum(not entry.archived for entry in gathered.entries.values())
    most = len(found.archives) if force_decay else max(1, total * MOST_SHARE // 100)

    def age(step: FileStep) -> tuple[str, str]:
        entry = gathered.entries.get(step.path)
        return (entry.created if entry else ""), step.path

    due = sorted(found.archives, key=age)
    return found._replace(archives=tuple(due[:most]), later=max(0, len(due) - most))


def consolidate(
    store: OpenStore,
    remembered: ClaimCache | None = None,
    *,
    reactions: Sequence[Reaction] = (),
    force_decay: bool = False,
) -> PassResult:
    """Bring a store into order; what somebody changes meanwhile is planned again."""
    done: list[FileStep] = []
    for _ in range(TRIES):
        gathered = gather(store, remembered, reactions)
        found = preview(gathered, force_decay=force_decay)
        left = carry_out(store, gathered, found.steps)
        if not left:
            left = carry_out(store, gathered, found.archives)
        done += [step for step in found.steps if step not in left]
        if found.steps or found.archives:
            refresh(store.files, store.index, store.now_ns)
        if not left:
            break
    return found._replace(steps=tuple(done))


class SettleResult(NamedTuple):
    """A contradiction with its ruling, and the files that changed with it."""

    wait: AskPerson
    ruling: str
    steps: tuple[FileStep, ...]


def waiting(store: OpenStore, remembered: ClaimCache | None = None) -> tuple[AskPerson, ...]:
    """The contradictions that wait for a person, those that the next pass would find included."""
    return preview(gather(store, remembered)).waits


def settle(
    store: OpenStore,
    key: str,
    ruling: str,
    remembered: ClaimCache | None = None,
    *,
    dry_run: bool = False,
) -> SettleResult:
    """Rule that `old`, `new`, `both` or `neither` holds.

    Raises:
        ConflictNotFound: nothing of that name waits.
    """
    gathered = gather(store, remembered)
    waits = preview(gathered).waits
    found = [wait for wait in waits if wait.key.startswith(key)] if key else []
    if len(found) != 1:
        raise ConflictNotFound(id=key)
    wait = found[0]
    word = Ruling(ruling, wait.old, wait.new, store.now)
    steps = _following(gathered, wait, word)
    left = {one.mark.episode for one in waits if one.key != wait.key}
    note = next(one for one in gathered.episodes if one.id == wait.mark.episode)
    was_queued = note.status == "provisional" and note.id not in left  # it was there to wait
    page = None
    if was_queued and not gathered.encrypt and _says_more(store, note):
        steps, page = _on_own_page(store, note, steps)

    def plan() -> list[Change]:
        changes = changes_of_all(store, gathered, steps)
        if page:
            changes.append(_page_change(store, note, page))
        if was_queued:
            archive = FileStep(note.path, (Archive(note.id, note.path),))
            changes += changes_of(store, gathered, archive)
        return [ruling_change(store, wait.key, word), *changes]

    if not dry_run:
        store.commit(plan, cause=RULING)
    return SettleResult(wait, ruling, (*steps, *([FileStep(page.path, (page,))] if page else ())))


def _says_more(store: OpenStore, note: Memory) -> bool:
    """Whether a note that waited has what a line on a page has no room for."""
    body = beside_title(document.body_of(store.files.read(note.path).text), note.title)
    own = [*note.files, *note.concepts, *note.trigger, body, note.category.removeprefix("other")]
    return any(own) or list(note.tags) != suggested_tags(note.title, body, STOP_WORDS)


def _on_own_page(
    store: OpenStore, note: Memory, steps: Sequence[FileStep]
) -> tuple[tuple[FileStep, ...], CreateFile | None]:
    """The steps without the one that makes a note a line of a page, and the page that it becomes instead."""
    every = [action for step in steps for action in step.actions]
    taken = [
        one
        for one in every
        if (isinstance(one, AddClaim) or (isinstance(one, Replace) and one.new))
        and one.mark.episode == note.id
    ]
    is_decision = note.kind == "decision"
    if len(taken) != 1 or (taken[0].path == FEEDBACK and not is_decision):
        return tuple(steps), None
    [one] = taken
    said = one.new if isinstance(one, Replace) else one.claim.text
    rest = [one._replace(new="")] if isinstance(one, Replace) else []
    kept = [*rest, *(action for action in every if action is not one)]
    filled = {action.path for action in kept if not isinstance(action, CreateFile)}
    title = said if said.endswith(note.title) else note.title  # it may have got its subject
    kind = "decision" if is_decision else "fact"
    name = store.free_id(name_of("semantic", title, note.created))
    path = store.path_for("semantic", kind, name)
    page = CreateFile(path, name, title, "semantic", kind, note.tags, one.mark)
    return steps_of(action for action in kept if action.path in filled).steps, page


def _page_change(store: OpenStore, note: Memory, page: CreateFile) -> Change:
    """What makes a page of a note, with all its fields."""
    text = document.with_title(store.files.read(note.path).text, page.title)
    for key, value in (("id", page.id), ("type", page.layer), ("kind", None), ("status", None)):
        text = document.with_field(text, key, value)
    return Change("put", page.path, page.id, None, text)


def _following(gathered: PlanInput, wait: AskPerson, word: Ruling) -> tuple[FileStep, ...]:
    """What follows at once; all that is due where the older claim is not in a file yet."""
    files, rules = gathered.files, gathered.rules
    episode = next(one for one in gathered.episodes if one.id == wait.mark.episode)
    now = plan_claim(episode, wait.claim, files, rules)
    ruled = rules._replace(
        rulings={**rules.rulings, wait.key: word.ruling},
        removed={**rules.removed, **taken_out({wait.key: word})},
    )
    if not any(isinstance(action, AskPerson) and action.key == wait.key for action in now):
        return planned(gathered._replace(rules=ruled)).steps
    return steps_of(plan_claim(episode, wait.claim, files, ruled)).steps


def supersede(store: OpenStore, old: str, new: str, *, dry_run: bool = False) -> bool:
    """Say that one memory as a whole holds in place of another; False if that was said before.

    Raises:
        MemoryNotFound: there is no such memory.
        UsageProblem: it is the same one, or one that is superseded itself.
    """
    if old == new:
        raise UsageProblem(what="A memory cannot supersede itself.", command="supersede")
    before, after = store.require(old), store.require(new)
    if after.status == "superseded":
        raise UsageProblem(what=f"{new} is itself superseded.", command="supersede")
    changes = []
    for entry in (before, after):
        page = store.read(entry)
        if entry is before:
            text = document.with_field(page.text, "status", "superseded")
        else:
            known = document.memory_from_text(page.text, entry.path).supersedes
            more = [] if before.id in known else [before.id]
            text = document.with_field(page.text, "supersedes", [*known, *more]) if more else ""
        if text and text != page.text:
            text = document.with_field(text, "updated", store.now)
            changes.append(Change("put", entry.path, entry.id, page.stamp, text))
    if changes and not dry_run:
        store.commit(lambda: changes, cause="supersede")
    return bool(changes)


# -------------------- A pass as rows: what goes where, and why.


class ActionRow(NamedTuple):
    """One thing that a pass does. `do` is its verb, `text` what it is about, `new` what it becomes."""

    do: str
    path: str
    text: str = ""
    new: str = ""
    heading: str = ""
    episode: str = ""
    trust: str = ""
    why: str = ""

    def as_json(self) -> dict[str, str]:
        """The fields that say something."""
        return {name: value for name, value in self._asdict().items() if value}


def rows_of(outcome: PassResult) -> Iterator[ActionRow]:
    """What a pass does, file by file."""
    for step in (*outcome.steps, *outcome.archives):
        yield from rows_in(step)


def rows_in(step: FileStep) -> Iterator[ActionRow]:
    """What is done to one file."""
    return (row_of(one) for one in step.actions if isinstance(one, Visible))


def row_of(action: Visible) -> ActionRow:
    """An action as a row."""
    match action:
        case CreateFile(path, _, title):
            row = ActionRow("start", path, title)
        case AddClaim(path, heading, claim, mark):
            row = ActionRow("absorb", path, claim.text, "", heading, mark.episode, mark.trust)
        case RefreshDate(path, text, mark):
            row = ActionRow("renew", path, text, episode=mark.episode)
        case Replace(path, old, new, mark):
            row = ActionRow("replace" if new else "remove", path, old, new, episode=mark.episode)
        case NoteOldRule(path, text, past):
            row = ActionRow("note", path, text, past)
        case Retire(path, by):
            row = ActionRow("retire", path, episode=by)
        case AdjustFields(path, key, old, new, why):
            row = ActionRow("weigh", path, f"{key}: {old or '–'}", new, why=why)
        case Archive(_, path):
            row = ActionRow("archive", path, new=f"archive/{path}")
    return row


def counts_of(outcome: PassResult) -> dict[str, int]:
    """How much a pass does."""
    found = Counter(row.do for row in rows_of(outcome))
    return {
        "absorbed": found["absorb"],
        "superseded": sum(found[do] for do in ("replace", "remove", "note", "retire")),
        "archived": found["archive"],
        "waiting": len(outcome.waits),
    }


def as_json(outcome: PassResult) -> dict[str, Any]:
    """A pass as JSON."""
    return {
        **counts_of(outcome),
        "actions": [row.as_json() for row in rows_of(outcome)],
        "conflicts": [conflict_json(wait) for wait in outcome.waits],
        "merges": [
            {"path": one.path, "other": one.other, "shared": one.shared} for one in outcome.merges
        ],
        "later": outcome.later,
    }


def conflict_json(wait: AskPerson) -> Mapping[str, str]:
    """A contradiction that waits for a person."""
    return {
        "id": wait.key,
        "old": wait.old,
        "path": wait.path,
        "new": wait.new,
        "stands": "new" if wait.is_late else "old",
        "since": wait.since,
        "episode": wait.mark.episode,
        "date": wait.mark.date,
        "trust": wait.mark.trust,
        "certainty": wait.certainty,
        "why": wait.why,
    }
