"""Take one statement of a page over for all projects, as `save --scope global` would file it.

It keeps its date, its source and how far it is trusted; its session belongs to the project.
"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.capture.statement_checks import understood_alone
from recollect.consolidate import intake
from recollect.consolidate.claim_cache import cached_claims
from recollect.consolidate.claims import BEHAVIOURAL, FACTUAL, Claim, plain_statement
from recollect.consolidate.intake import IntakeResult
from recollect.errors import Failed, UsageProblem
from recollect.features import list_item_edit
from recollect.features.one_entry import NamedEntry, taken_out
from recollect.model.claim_key import near_key
from recollect.model.document import memory_from_text
from recollect.model.entries import index_units, without_comments
from recollect.model.footnotes import Mark
from recollect.model.layers import is_subject
from recollect.store.history import ChangeGroup
from recollect.store.store import OpenStore
from recollect.workspace import Workspace

CAUSE = "promote"


def take_over_entry(
    app: Workspace,
    source: OpenStore,
    target: OpenStore,
    one: NamedEntry,
    *,
    dry_run: bool = False,
) -> IntakeResult:
    """Move a statement into the store of all projects; it is there before it goes from its page.

    Raises UsageProblem for what is no line, and where the other store may say the opposite.
    """
    claim, mark, subject = _claim_of_entry(source, one)
    gone = taken_out(source, one, CAUSE)  # raises before anything is written

    def taken(*, dry_run: bool) -> IntakeResult:
        with cached_claims(app, target) as known:
            return intake.take(
                target, claim, mark, subject=subject, remembered=known, dry_run=dry_run, cause=CAUSE
            )

    done = taken(dry_run=True)
    if done.what == intake.QUEUED:
        what = f"The global store says “{done.old}”, which may contradict it: edit or forget one of the two first."
        raise Failed(what=what)
    if dry_run:
        return done
    done = taken(dry_run=False)
    source.commit(lambda: gone, cause=CAUSE)
    return done


def _claim_of_entry(source: OpenStore, one: NamedEntry) -> tuple[Claim, Mark, str]:
    """The claim that an entry is, its origin without its session, and the subject of its page."""
    row = one.row
    if row is None or one.wording != one.statement:
        what = f"{one.name} is a part of a page, which moves as a whole: `recollect promote {one.page.id}`; or save the statement with --scope global."
        raise UsageProblem(what=what, command=CAUSE)
    is_record = one.page.layer == "episodic" or is_subject(one.page.title) or row.kind == "rule"
    subject = "" if is_record else one.page.title
    own = list_item_edit.mark_at(source.memory(one.page), row.anchor)
    kind = "decision" if row.kind == "decision" else ""
    salience = own.salience if own else "medium"
    mark = Mark("", row.created or source.now, row.trust, row.source, salience, kind=kind)
    text = plain_statement(understood_alone(one.statement, subject))
    how = BEHAVIOURAL if row.kind == "rule" else FACTUAL
    return Claim(text, how, row.source, row.trust, listed=kind), mark, subject


def moved_statements(store: OpenStore, past: ChangeGroup) -> tuple[set[str], set[str]]:
    """The keys of the statements that came with a change of a store, and of those that went."""
    before: set[str] = set()
    after: set[str] = set()
    for op in (one for one in past.ops if one.cause == CAUSE):  # others note what an editor did
        for stamp, found in ((op.before, before), (op.after, after)):
            text = store.journal.text_of(stamp) or ""
            found.update(_keys_in(text, op.path))
    return after - before, before - after


def _keys_in(text: str, path: str) -> Iterator[str]:
    """What the lines of a page say, whole and without the subject in front."""
    for row in index_units(memory_from_text(text, path)) if text else ():
        said = without_comments(row.text if row.anchor.startswith("^") else row.heading)
        for one in (said, said.replace("：", ":").partition(":")[2]):
            if key := near_key(one):
                yield f"said: {key}"
