"""Take in one statement that somebody writes now: add, merge, replace, or leave it to a person.

The page is that of its subject. What says the same is made one with it, what it certainly contradicts
gives way unless somebody trusted more said it, and what is not certain is queued: as a note of the day,
which `conflicts` shows to the person until they rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from recollect._fastimport import NamedTuple
from recollect.capture.save_memory import Draft, save
from recollect.capture.statement_checks import bare
from recollect.consolidate.actions import Action, AddClaim, AskPerson, Replace, Retire
from recollect.consolidate.apply import changes_of_all, steps_of
from recollect.consolidate.claim_cache import ClaimCache
from recollect.consolidate.claims import Claim
from recollect.consolidate.edit import with_actions
from recollect.consolidate.gather import Files, PlanInput, rules_for
from recollect.consolidate.pages import EpisodeClaim, FileClaim, episode_claim
from recollect.consolidate.plan import PagePlan, plan_entry, plan_page
from recollect.consolidate.rulings import rulings_of
from recollect.model.claim_key import near_key
from recollect.model.document import memory_from_text, stem_of
from recollect.model.entries import index_units
from recollect.model.footnotes import Mark
from recollect.model.memory import TRUSTS, Change, Filter
from recollect.store.store import OpenStore
from recollect.store.transactions import CHANGED

TRIES = 20  # beside others who write on the same page
ADDED, KNOWN, MERGED, REPLACED, QUEUED = "added", "known", "merged", "replaced", "queued"


class IntakeResult(NamedTuple):
    """What became of a statement.

    `old` is the wording that it was merged with, that it replaced, or that it contradicts; `trust`
    says who said that.
    """

    what: str
    id: str
    path: str
    text: str
    old: str = ""
    trust: str = ""


def take(
    store: OpenStore,
    claim: Claim,
    mark: Mark,
    *,
    subject: str = "",
    remembered: ClaimCache | None = None,
    cause: str = "remember",
    dry_run: bool = False,
) -> IntakeResult:
    """Take in a statement; one change of the store, by this `cause`, or none.

    Raises:
        ChangedMeanwhile, AlreadyThere: others were quicker each time.
    """
    for left in reversed(range(TRIES)):
        try:
            return _take(store, claim, mark, subject, remembered, cause=cause, dry_run=dry_run)
        except CHANGED:
            if not left:
                raise
            store.freshen()
    raise AssertionError


def _take(
    store: OpenStore,
    claim: Claim,
    mark: Mark,
    subject: str,
    remembered: ClaimCache | None,
    *,
    cause: str,
    dry_run: bool,
) -> IntakeResult:
    heard, gathered = episode_claim(claim), _gathered(store, remembered)
    same = _same(heard, gathered)
    if same and not _adds(claim, same):
        name = _id_in(store, same.path, same.text)
        return IntakeResult(KNOWN, name, same.path, same.text, same.text, same.trust)
    if same and same.trust == claim.trust:
        kind = mark.kind or (same.mark.kind if same.mark else "")
        mark = mark._replace(kind=kind)
        actions: tuple[Action, ...] = (Replace(same.path, same.text, claim.text, mark),)
    else:
        actions = plan_entry(heard, mark, gathered.files, gathered.rules, subject=subject)
        if same:  # first: what is put in reads like what is taken out
            actions = (Replace(same.path, same.text, "", mark), *actions)
    waits = [action for action in actions if isinstance(action, AskPerson)]
    if waits:
        return _queued(store, claim, mark, waits[0], gathered, dry_run=dry_run)
    done = _taken(actions, same, gathered)
    if not dry_run:
        steps = steps_of(actions).steps
        store.commit(partial(changes_of_all, store, gathered, steps), cause=cause)
    return done._replace(id=_id_in(store, done.path, done.text))


def page_plan(store: OpenStore, claim: Claim, mark: Mark, remembered: ClaimCache) -> PagePlan:
    """What a statement that somebody writes now on a page of its own does to others."""
    gathered = _gathered(store, remembered)
    return plan_page(episode_claim(claim), mark, gathered.files, gathered.rules)


def replacement_changes(
    store: OpenStore,
    losers: Sequence[Replace | Retire],
    remembered: ClaimCache,
    changes: list[Change],
) -> list[Change]:
    """The changes that put in a new page or section, and what takes out these claims with them.

    Raises:
        ChangedMeanwhile: somebody else wrote on one of the pages.
    """
    new = {change.path: change for change in changes}
    for one in losers:
        if isinstance(one, Replace) and one.path in new:
            change = new[one.path]
            new[one.path] = change._replace(text=with_actions(change.text, one))
    left = [one for one in losers if one.path not in new]
    gathered = _gathered(store, remembered)
    for one in left:
        gathered.files[one.path]  # it is as it is now
    return [*new.values(), *changes_of_all(store, gathered, steps_of(left).steps)]


def _gathered(store: OpenStore, remembered: ClaimCache | None) -> PlanInput:
    """What the pages say. Nothing of the journal: who says something now may say it again."""
    entries = {entry.path: entry for entry in store.index.entries(Filter())}
    files = Files(store, entries.values(), remembered)
    rules = rules_for(store, entries, rulings_of(store))
    return PlanInput([], files, rules, entries, frozenset(), frozenset())


def _same(heard: EpisodeClaim, gathered: PlanInput) -> FileClaim | None:
    """What says the same already, its reason aside: what is trusted most, then a line before a title."""
    wanted = near_key(bare(heard.claim.text))
    found = [
        held
        for reading in gathered.files.readings()
        if reading.page and reading.page.is_open
        for held in reading.held
        if held.key == heard.key or near_key(bare(held.text)) == wanted
    ]
    return max(
        found, key=lambda one: (TRUSTS.index(one.trust), not one.title, one.path), default=None
    )


def _adds(claim: Claim, same: FileClaim) -> bool:
    """Whether a statement says more than what stands there, or is said by somebody trusted more."""
    trust, stands = TRUSTS.index(claim.trust), TRUSTS.index(same.trust)
    has_more = bare(claim.text) != claim.text and near_key(claim.text) != same.key
    return same.mark is not None and (trust > stands or (trust == stands and has_more))


def _taken(actions: Sequence[Action], same: FileClaim | None, gathered: PlanInput) -> IntakeResult:
    """What a plan does with a statement."""
    path = text = old = ""
    for action in actions:
        if isinstance(action, AddClaim):
            path, text = action.path, action.claim.text
        elif isinstance(action, Replace):
            path, text = (action.path, action.new) if action.new else (path, text)
            old = old or action.old
        elif isinstance(action, Retire):
            old = old or gathered.entries[action.path].title
    if same:
        return IntakeResult(MERGED, "", path, text, same.text, same.trust)
    return IntakeResult(REPLACED if old else ADDED, "", path, text, old)


def _queued(
    store: OpenStore,
    claim: Claim,
    mark: Mark,
    wait: AskPerson,
    gathered: PlanInput,
    *,
    dry_run: bool,
) -> IntakeResult:
    """Keep a statement that a person has to rule on as a note of the day: it holds nowhere yet."""
    trust = _trust_in(gathered, wait)
    note = Draft(
        claim.text,
        layer="episodic",
        kind=mark.kind or "note",
        source=claim.source,
        trust=claim.trust,
        status="provisional",
        session=mark.episode,
    )
    done = save(store, note, dry_run=dry_run)
    return IntakeResult(QUEUED, done.id, done.path, claim.text, wait.held, trust)


def _trust_in(gathered: PlanInput, wait: AskPerson) -> str:
    stands = (
        held.trust
        for reading in gathered.files.readings()
        if reading.path == wait.path
        for held in reading.held
        if held.text == wait.held
    )
    return next(stands, "user")


def _id_in(store: OpenStore, path: str, text: str) -> str:
    """The name by which a statement on a page is shown, changed and forgotten."""
    if not store.files.exists(path):
        return stem_of(path)  # of a dry run
    memory = memory_from_text(store.files.read(path).text, path)
    rows = [row for row in index_units(memory) if text in f"{row.heading}\n{row.text}"]
    if not rows:
        return memory.id
    best = min(rows, key=lambda row: len(row.text))
    return f"{memory.id}#{best.anchor}" if best.anchor else memory.id
